# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A YAML file whose values know their places."""
import yaml

from .errors import InputError

MOST_BYTES = 16 << 20


class Placed:
    """A document: plain values, and by path (a tuple of keys and indices) the place and text of each of them."""

    def __init__(self, path):
        """Errors: not readable, no YAML, a key twice, an alias, keys that are no text."""
        self.path = path
        self.marks = {}  # path of a value to (line, column), from 1
        self.keys = {}   # path of a value of a map to the place of its key
        self.texts = {}  # path of a scalar to its text in the file
        self.seen = set()
        node = self._compose()
        if node is None:
            raise InputError(f"{path}:1:1: error: nothing is in the file, expected a map")
        self.value = self._value(node, (), 0)

    def error(self, where, what, at_key=False):
        """An InputError at a value, or at its key."""
        while where and where not in self.marks:
            where = where[:-1]
        line, column = (self.keys if at_key and where in self.keys else self.marks).get(where, (1, 1))
        return InputError(f"{self.path}:{line}:{column}: error: {what}")

    def _compose(self):
        try:
            with open(self.path, "rb") as f:
                data = f.read(MOST_BYTES + 1)
        except OSError as e:
            raise InputError(f"{self.path}: error: cannot open: {e.strerror}") from None
        if len(data) > MOST_BYTES:
            raise InputError(f"{self.path}: error: more than {MOST_BYTES} bytes")
        try:
            loader = yaml.SafeLoader(data.decode("utf-8"))
            self.constructor = loader
            return loader.get_single_node()
        except UnicodeDecodeError as e:
            raise InputError(f"{self.path}: error: byte {e.start} is not UTF-8") from None
        except yaml.MarkedYAMLError as e:
            mark = e.problem_mark or e.context_mark
            raise InputError(f"{self.path}:{mark.line + 1}:{mark.column + 1}: error: {e.problem}") from None
        except (yaml.YAMLError, RecursionError) as e:
            raise InputError(f"{self.path}: error: no YAML: {str(e).splitlines()[0]}") from None

    def _value(self, node, where, depth):
        self.marks[where] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if id(node) in self.seen:
            raise self.error(where, "a value is used twice by an alias, expected it written out")
        self.seen.add(id(node))
        if depth > 20:
            raise self.error(where, "nested too deeply")
        if isinstance(node, yaml.MappingNode):
            return self._map(node, where, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*where, i), depth + 1) for i, item in enumerate(node.value)]
        self.texts[where] = node.value
        try:
            return self.constructor.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError):
            raise self.error(where, f"cannot be read: '{node.value}'") from None

    def _map(self, node, where, depth):
        out = {}
        for key, value in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name is None or key.tag.endswith((":null", ":merge")):
                raise InputError(f"{self.path}:{place[0]}:{place[1]}: error: expected a name as key")
            if name in out:
                raise InputError(f"{self.path}:{place[0]}:{place[1]}: error: key '{name}' is there twice")
            self.keys[(*where, name)] = place
            out[name] = self._value(value, (*where, name), depth + 1)
        return out
