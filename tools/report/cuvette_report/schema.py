# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema 2020-12 that the statistics' schema is written in."""

KNOWN = {"$schema", "$defs", "title", "description", "type", "const", "enum", "required", "additionalProperties",
         "properties", "items", "minItems", "maxItems", "minimum", "$ref"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


class Schema:
    """A schema document. Refuses keywords outside of the part above when it is made."""

    def __init__(self, document):
        self.document = document
        self._check_keywords(document)

    def violation(self, value):
        """The first member that does not fit, as "path: what was expected"; None when all do."""
        return self._violation(value, self.document, "")

    def _check_keywords(self, schema):
        unknown = set(schema) - KNOWN
        if unknown:
            raise ValueError(f"schema keywords {sorted(unknown)} are not supported")
        parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(),
                 *[schema[k] for k in ("items", "additionalProperties") if isinstance(schema.get(k), dict)]]
        for part in parts:
            self._check_keywords(part)

    def _violation(self, value, schema, path):
        if "$ref" in schema:
            schema = self.document["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        place = path.lstrip(".") or "the file"
        kind = schema.get("type")
        kinds = [kind] if isinstance(kind, str) else kind or []
        if kinds and not any(is_a(value, k) for k in kinds):
            return f"{place}: expected {' or '.join(kinds)}"
        if "const" in schema and value != schema["const"]:
            return f"{place}: expected {schema['const']!r}"
        if "enum" in schema and value not in schema["enum"]:
            return f"{place}: expected one of {', '.join(map(str, schema['enum']))}"
        if "minimum" in schema and value < schema["minimum"]:
            return f"{place}: expected at least {schema['minimum']}"
        if isinstance(value, dict):
            return self._object_violation(value, schema, path, place)
        if isinstance(value, list):
            return self._array_violation(value, schema, path, place)
        return None

    def _object_violation(self, value, schema, path, place):
        for name in schema.get("required", []):
            if name not in value:
                return f"{place}: expected a member '{name}'"
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        for name, member in value.items():
            if name not in properties and others is False:
                return f"{place}: member '{name}' is not known"
            found = self._violation(member, properties.get(name, others), f"{path}.{name}")
            if found:
                return found
        return None

    def _array_violation(self, value, schema, path, place):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{place}: expected another number of items than {len(value)}"
        for i, item in enumerate(value):
            found = self._violation(item, schema.get("items", {}), f"{path}[{i}]")
            if found:
                return found
        return None


def is_a(value, kind):
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
