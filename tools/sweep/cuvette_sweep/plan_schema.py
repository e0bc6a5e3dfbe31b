# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Check of plans against their schema (sweep.schema.json): the first error, as one message with its place."""
import json

from .errors import nearest

NOUNS = {"object": "a map", "array": "a list", "string": "a text", "number": "a number", "integer": "an integer",
         "boolean": "true or false"}


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def check(schema, placed):
    """Raises the first violation of a document, by its place in the file."""
    import jsonschema
    found = list(jsonschema.Draft202012Validator(schema).iter_errors(placed.value))
    if not found:
        return
    errors = [deepest(e) for e in found]
    worst = min(errors, key=lambda e: (place_of(e, placed), list(map(str, e.absolute_schema_path))))
    where, what, at_key = told(worst)
    raise placed.error(where, what, at_key)


def deepest(error):
    """The error of the alternative that was meant: the one whose kind of value fits."""
    while error.validator == "anyOf":
        inner = [e for e in error.context if e.validator != "type" or len(e.relative_path) > 0]
        if not inner:
            return error
        error = min(inner, key=lambda e: list(map(str, e.absolute_schema_path)))
    return error


def place_of(error, placed):
    where, _, at_key = told(error)
    places = placed.keys if at_key and where in placed.keys else placed.marks
    return places.get(where, (1, 1))


def told(error):
    """Path, message and whether it is about the key, of a violation."""
    where, kind, limit = tuple(error.absolute_path), error.validator, error.validator_value
    if kind == "additionalProperties":
        known = error.schema.get("properties", {})
        name = next(n for n in error.instance if n not in known)
        return (*where, name), (f"unknown key '{name}'{nearest(name, known)}, expected one of: "
                                f"{', '.join(sorted(known))}"), True
    if kind == "required":
        name = next(n for n in limit if n not in error.instance)
        return where, f"the key '{name}' is missing", False
    if kind == "enum":
        text = str(error.instance)
        return where, (f"'{text}' is unknown{nearest(text, map(str, limit))}, expected one of: "
                       f"{', '.join(map(str, limit))}"), False
    if kind == "type":
        kinds = limit if isinstance(limit, list) else [limit]
        return where, f"expected {' or '.join(NOUNS[k] for k in kinds)}, found {shown(error.instance)}", False
    if kind == "anyOf":
        kinds = ["a list of values", "a map with 'from' and 'to'"]
        return where, f"expected {' or '.join(kinds)}, found {shown(error.instance)}", False
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than", "minItems": "at least",
             "maxItems": "at most", "minLength": "at least", "maxLength": "at most", "minProperties": "at least"}
    noun = {"minItems": " items", "maxItems": " items", "minLength": " characters", "maxLength": " characters",
            "minProperties": " keys"}.get(kind, "")
    return where, f"expected {words[kind]} {limit}{noun}, found {shown(error.instance)}", False


def shown(value):
    if isinstance(value, dict):
        return "a map" if value else "an empty map"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "nothing" if value is None else f"'{str(value)[:40]}'"
