# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Contract descriptions (model/<block>/<block>.contract.yaml): loading and checking. docs/reference/contracts.md has the format.

load(root, block) gives a Contract whose types are resolved. A wrong description raises ContractError with file and
line.
"""

import pathlib
import re

import yaml

CLASSES = ("exact", "ordered-by-dut", "time")
BEAT_LANES = 16
LANES = 64
KEYS = {
    "contract": {"block", "about", "uses", "includes", "constants", "types", "enums", "messages", "channels", "unpinned",
                 "configuration"},
    "constant": {"name", "pin", "value", "type", "meaning"},
    "type": {"name", "type", "meaning"},
    "enum": {"name", "pin", "cpp", "meaning", "values"},
    "enum value": {"name", "value", "meaning"},
    "message": {"name", "pin", "cpp", "beats", "meaning", "answers", "fields"},
    "field": {"name", "pin", "pins", "type", "cpp", "default", "class", "under", "below", "if", "mask", "by", "get", "set",
              "member", "meaning"},
    "channel": {"name", "pin", "payload", "message", "direction", "count", "parameter", "ports", "depth", "answers",
                "match", "member", "domain",
                "meaning"},
    "unpinned": {"name", "meaning"},
    "configuration": {"name", "unit", "meaning"},
}
NEEDED = {
    "contract": {"block", "about", "channels"},
    "constant": {"name", "value", "meaning"},
    "type": {"name", "type", "meaning"},
    "enum": {"name", "pin", "meaning", "values"},
    "enum value": {"name", "value"},
    "message": {"name", "pin", "meaning", "fields"},
    "field": {"name", "type", "meaning"},
    "channel": {"name", "message", "direction", "domain", "meaning"},
    "unpinned": {"name", "meaning"},
    "configuration": {"name", "meaning"},
}


class ContractError(Exception):
    pass


class Entry(dict):
    """A map of the file that knows its line."""
    line = 0
    file = ""

    def fail(self, text):
        raise ContractError(f"{self.file}:{self.line}: error: {text}")


def _construct(node, file):
    if isinstance(node, yaml.MappingNode):
        entry = Entry()
        entry.file, entry.line = file, node.start_mark.line + 1
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                entry.fail("a key must be a word")
            if key.value in entry:
                raise ContractError(f"{file}:{key.start_mark.line + 1}: error: '{key.value}' stands twice")
            entry[key.value] = _construct(value, file)
        return entry
    if isinstance(node, yaml.SequenceNode):
        return [_construct(item, file) for item in node.value]
    return int(node.value, 0) if node.tag.endswith(":int") else node.value


class Type:
    """Type of a field: `base` ('uint', 'bool', 'enum', 'message', 'lane_mask'), width of an element on pins in bits,
    dimensions outermost first, each as (name, size, contract that names it); `lanes`: the last dimension is the lanes
    of a wavefront, BEAT_LANES of them a beat."""

    def __init__(self, base, bits, dims, lanes, of=None):
        self.base, self.bits, self.dims, self.lanes, self.of = base, bits, dims, lanes, of

    @property
    def elements(self):
        count = 1
        for _, size, _ in self.dims:
            count *= size
        return count

    @property
    def pin_bits(self):
        if self.base == "lane_mask":
            return self.elements * BEAT_LANES
        return self.elements * self.bits * (BEAT_LANES if self.lanes else 1)


class Contract:
    def __init__(self, root, block, cache):
        self.block = block
        self.file = f"model/{block}/{block}.contract.yaml"
        path = pathlib.Path(root) / self.file
        cache[block] = self
        try:
            with open(path, encoding="utf-8") as text:
                node = yaml.compose(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ContractError(f"{self.file}:{line}: error: {error.problem}") from error
        except OSError as error:
            raise ContractError(f"{self.file}: error: cannot be read, expected the contract of {block}") from error
        self.top = _construct(node, self.file) if node is not None else None
        if not isinstance(self.top, Entry):
            raise ContractError(f"{self.file}:1: error: expected a map")
        self._keys(self.top, "contract")
        if self.top["block"] != block:
            self.top.fail(f"block is '{self.top['block']}', expected '{block}'")
        self.uses = [cache[name] if name in cache else Contract(root, name, cache)
                     for name in self._list(self.top, "uses")]
        self.includes = self._list(self.top, "includes")
        self.constants = self._entries("constants", "constant")
        self.types = self._entries("types", "type")
        self.enums = self._entries("enums", "enum")
        self.messages = self._entries("messages", "message")
        self.channels = self._entries("channels", "channel")
        self.unpinned = self._entries("unpinned", "unpinned")
        self.configuration = self._entries("configuration", "configuration")
        for alias in self.types:
            alias.kind = self.type_of(alias)
        for enum in self.enums:
            self._check_enum(enum)
        for message in self.messages:
            self._check_message(message)
        for channel in self.channels:
            self._check_channel(channel)

    # Shape of the file ------------------------------------------------------------------------------------------

    @staticmethod
    def _list(entry, key):
        value = entry.get(key, [])
        if not isinstance(value, list):
            entry.fail(f"'{key}' must be a list")
        return value

    @staticmethod
    def _keys(entry, kind):
        for key in entry:
            if key not in KEYS[kind]:
                entry.fail(f"unknown key '{key}' of a {kind}, expected one of {', '.join(sorted(KEYS[kind]))}")
        for key in sorted(NEEDED[kind]):
            if entry.get(key) in (None, "", []):
                entry.fail(f"a {kind} needs '{key}'")

    def _entries(self, key, kind, of=None):
        entries, names = self._list(of or self.top, key), set()
        for entry in entries:
            if not isinstance(entry, Entry):
                self.top.fail(f"'{key}' must hold maps")
            self._keys(entry, kind)
            if entry["name"] in names:
                entry.fail(f"duplicate {kind} '{entry['name']}'")
            names.add(entry["name"])
        return entries

    # Names ------------------------------------------------------------------------------------------------------

    def constant(self, entry, name):
        """The number that a constant, of this contract or of one that it uses, or a literal stands for."""
        return self.find_constant(entry, name)[0]

    def find_constant(self, entry, name):
        """(number, contract that has the constant, or None of a literal)."""
        if str(name).isdigit():
            return int(name), None
        for contract in [self, *self.uses]:
            for constant in contract.constants:
                if constant["name"] == name:
                    return int(str(constant["value"]), 0), contract
        return entry.fail(f"unknown constant '{name}'")

    def find(self, name):
        """(contract, kind, entry) of an enum or message, `name` or `block.name`; None when there is none."""
        block, _, name = str(name).rpartition(".")
        for contract in ([self] if not block else [c for c in self.uses if c.block == block]):
            for kind, entries in (("enum", contract.enums), ("message", contract.messages)):
                for entry in entries:
                    if entry["name"] == name:
                        return contract, kind, entry
        return None

    def type_of(self, field):
        text = str(field["type"])
        found = re.fullmatch(r"([\w.]+)((?:\[\w+\])*)", text)
        if not found:
            field.fail(f"cannot read type '{text}', expected a name and dimensions, as u32[4][lanes]")
        base, dims = found.group(1), re.findall(r"\[(\w+)\]", found.group(2))
        lanes = bool(dims) and dims[-1] == "lanes"
        if lanes:
            dims.pop()
        if "lanes" in dims:
            field.fail("'lanes' must be the last dimension")
        sizes = [(d, *self.find_constant(field, d)) for d in dims]
        if base == "bool":
            return Type("bool", 1, sizes, lanes)
        if base == "lane_mask":
            return Type("lane_mask", LANES, sizes, False)
        if re.fullmatch(r"u\d+", base):
            bits = int(base[1:])
            if not 1 <= bits <= 64:
                field.fail(f"width {bits} does not fit, expected u1 to u64")
            return Type("uint", bits, sizes, lanes)
        what = self.find(base)
        if what is None:
            field.fail(f"unknown type '{base}'")
        contract, kind, entry = what
        if kind == "enum":
            return Type("enum", contract.enum_bits(entry), sizes, lanes, (contract, entry))
        if "pin_bits" not in entry.__dict__:
            if contract is self and entry.line >= field.line:
                field.fail(f"message '{base}' must be described before it is used")
            contract._check_message(entry)
        return Type("message", entry.pin_bits, sizes, False, (contract, entry))

    @staticmethod
    def enum_bits(entry):
        return max(1, max(int(v["value"]) for v in entry["values"]).bit_length())

    # Checks -----------------------------------------------------------------------------------------------------

    def _check_enum(self, enum):
        values = self._entries("values", "enum value", enum)
        numbers = [int(v["value"]) for v in values]
        if len(set(numbers)) != len(numbers):
            enum.fail(f"two values of '{enum['name']}' have one number")
        if not isinstance(enum["pin"], Entry) or {"type", "prefix"} - set(enum["pin"]):
            enum.fail("'pin' of an enum needs 'type' and 'prefix'")

    def _check_message(self, message):
        if "pin_bits" in message.__dict__:
            return
        fields = self._entries("fields", "field", message)
        message.beats = int(message.get("beats", 1))
        if message.beats not in (1, LANES // BEAT_LANES):
            message.fail(f"'beats' is {message.beats}, expected {LANES // BEAT_LANES}")
        pins, at = set(), 0
        for field in fields:
            field.kind = self.type_of(field)
            field.on_pins = field.get("pins") != "none"
            field.is_beat = field["name"] == "beat" and field.get("pins") == "only"
            field.pin = field.get("pin", field["name"])
            if field.get("pins") not in (None, "none", "only"):
                field.fail(f"'pins' is '{field['pins']}', expected none or only")
            if field.is_beat != (field.get("pins") == "only"):
                field.fail("'pins: only' is for the field beat")
            per_lane = field.kind.lanes or field.kind.base == "lane_mask"
            if per_lane and field.on_pins and message.beats == 1:
                field.fail(f"'{field['name']}' has lanes, and '{message['name']}' no beats")
            if not field.on_pins:
                if "class" in field:
                    field.fail("a field without pins has no class")
                continue
            if field.pin in pins:
                field.fail(f"duplicate field '{field.pin}' on pins")
            pins.add(field.pin)
            at += field.kind.pin_bits
            if field.get("class") not in CLASSES:
                field.fail(f"class is '{field.get('class')}', expected one of {', '.join(CLASSES)}")
            if field["class"] != "exact" and {"under", "below", "if", "mask"} & set(field):
                field.fail("a condition needs class exact")
            if ("get" in field) != ("set" in field):
                field.fail("'get' and 'set' come together")
            if field.get("member") == "none" and "get" not in field:
                field.fail("a field without a member needs 'get' and 'set'")
        if message.beats > 1 and not any(f.is_beat for f in fields):
            message.fail(f"'{message['name']}' has beats and no field beat")
        message.pin_bits = at
        for field in fields:
            for key in ("under", "below", "if"):
                if key in field:
                    self._check_condition(message, field, key)

    def path(self, message, field, text):
        """The field that a condition names: `name`, of the message, or `request.name`, of the one it answers."""
        of = message
        if text.startswith("request."):
            asked = self.find(message.get("answers", ""))
            if asked is None:
                field.fail(f"'{text}' needs 'answers' in '{message['name']}'")
            of, text = asked[2], text[len("request."):]
        for other in of["fields"]:
            if other["name"] == text:
                return other
        return field.fail(f"condition names '{text}', which is no field of '{of['name']}'")

    CONDITION = re.compile(r"\s*(?:([\w.]+)\s*(==|!=|<)\s*(\w+)|([\w.]+))\s*(\|\||&&|$)")

    def condition(self, message, field):
        """`if` as a list of (path, operator, value, joint)."""
        parts, text, at = [], str(field["if"]), 0
        while at < len(text):
            found = self.CONDITION.match(text, at)
            if not found or found.end() == at:
                field.fail(f"cannot read condition '{text}', expected as 'kind == Load || has_mask'")
            path = found.group(1) or found.group(4)
            parts.append((path, found.group(2), found.group(3), found.group(5)))
            at = found.end()
        return parts

    def _check_condition(self, message, field, key):
        if key != "if":
            other = self.path(message, field, str(field[key]))
            if key == "under" and other.kind.base not in ("lane_mask", "uint"):
                field.fail(f"'{field[key]}' is no mask")
            return
        for path, _, value, _ in self.condition(message, field):
            other = self.path(message, field, path)
            if value and not value.isdigit():
                if other.kind.base != "enum" or value not in [v["name"] for v in other.kind.of[1]["values"]]:
                    field.fail(f"'{value}' is no value of '{path}'")

    def _check_channel(self, channel):
        found = self.find(channel["message"])
        if found is None or found[1] != "message":
            channel.fail(f"unknown message '{channel['message']}'")
        channel.contract, _, channel.of = found
        channel.pin = channel.get("pin", channel["name"])
        channel.payload = channel.get("payload", channel.pin)
        if channel["direction"] not in ("in", "out"):
            channel.fail(f"direction is '{channel['direction']}', expected in or out")
        if "parameter" in channel and "count" not in channel:
            channel.fail("'parameter' needs 'count', its default")
        channel.count = self.constant(channel, channel.get("count", 1))
        if "answers" in channel and channel["answers"] not in [c["name"] for c in self.channels]:
            channel.fail(f"answers '{channel['answers']}', which is no channel")
        if channel.get("match", "order") not in ("order", "id"):
            channel.fail(f"match is '{channel['match']}', expected order or id")
        channel.member = channel.get("member", channel["name"])
        if "ports" in channel and "member" not in channel:
            channel.fail("'ports' needs 'member', the channel of port i")
        if "depth" in channel and channel["depth"] != "unbounded" and int(channel["depth"]) < 1:
            channel.fail("depth must be at least 1, or unbounded")


def load(root, block, cache=None):
    return Contract(root, block, cache if cache is not None else {})
