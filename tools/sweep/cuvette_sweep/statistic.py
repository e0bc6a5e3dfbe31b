# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers picked from statistics by a path: "totals.cycles", "dispatches.*.blocks.l2.total.hits".

A step of a path is a key of a map (a key may have dots: machine.parameters.l2.slice.ways), a number of a list's item
from 0, or *: the sum over all items of a list or all members of a map.
"""
from .errors import nearest


def pick(value, path):
    """The number at a path, None where there is none. Numbers that are texts count as numbers."""
    return _pick(value, path.split("."))


def _pick(value, steps):
    if not steps:
        return as_number(value)
    if steps[0] == "*":
        members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        found = [n for n in (_pick(m, steps[1:]) for m in members) if n is not None]
        return sum(found) if found else None
    if isinstance(value, list):
        if not steps[0].isdecimal() or int(steps[0]) >= len(value):
            return None
        return _pick(value[int(steps[0])], steps[1:])
    if isinstance(value, dict):
        for length in range(len(steps), 0, -1):
            key = ".".join(steps[:length])
            if key in value:
                return _pick(value[key], steps[length:])
    return None


def as_number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            try:
                return float(value)
            except ValueError:
                return None
    return value if isinstance(value, (int, float)) else None


def misspelt(schema, path):
    """Reason why no statistics that fit their schema have a number at a path: "" when some can."""
    return _misspelt(schema, schema, path.split("."), [])


def _misspelt(root, schema, steps, done):
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    before = ".".join(done) or "the statistics"
    if not steps:
        kinds = schema.get("type", [])
        if kinds in ("object", "array"):
            return f"'{before}' is no number"
        return ""
    step, rest = steps[0], steps[1:]
    if schema.get("type") == "array":
        if step != "*" and not step.isdecimal():
            return f"'{before}' is a list: expected a number or * behind it, found '{step}'"
        return _misspelt(root, schema["items"], rest, [*done, step])
    if schema.get("type") != "object":
        return f"'{before}' has no members, found '{step}' behind it"
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    if step in properties:
        return _misspelt(root, properties[step], rest, [*done, step])
    if isinstance(others, dict):
        return ""  # names of its own: instructions, fields of a machine
    if step == "*":
        return min((_misspelt(root, p, rest, [*done, step]) for p in properties.values()), key=len, default="")
    return f"'{step}' is no member of {before}{nearest(step, properties)}, expected one of: {', '.join(properties)}"


class Objective:
    """A column of the results: a statistic, times and per others, with a goal or none."""

    def __init__(self, given):
        self.name = given["name"]
        self.paths = {part: given[part] for part in ("statistic", "times", "per") if part in given}
        self.goal = given.get("goal")

    def value(self, statistics):
        """None: the statistics do not have it, or the divisor is 0."""
        found = {part: pick(statistics, path) for part, path in self.paths.items()}
        if None in found.values() or found.get("per") == 0:
            return None
        value = found["statistic"] * found.get("times", 1)
        return value / found["per"] if "per" in found else value
