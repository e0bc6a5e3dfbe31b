# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A design as `verilator --xml-only -fno-dfg` elaborates it: types, packages, functions, names."""
import pathlib
import re
import xml.etree.ElementTree as ElementTree


class Unsupported(Exception):
    pass


class Variable:
    """Meaning of a name: text in the output, width of an element, elements (0: no array)."""

    def __init__(self, text, width, elements=0, memory=False, constant=None):
        self.text, self.width, self.elements, self.memory, self.constant = text, width, elements, memory, constant

    def bits(self):
        return self.width * max(self.elements, 1)


class Scope:
    """Names of a module, block or function; outer ones behind them."""

    def __init__(self, outer=None):
        self.outer, self.names, self.loop = outer, {}, {}

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def index(self, variable):
        """Value of a loop's variable while the loop is unrolled."""
        scope = self
        while scope:
            if variable in scope.loop:
                return scope.loop[variable]
            scope = scope.outer
        return None


def span(width):
    return f'[{width - 1}:0]'


class Elaborated:
    """An elaborated design: types, packages, modules."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.files = {f.get('id'): f.get('filename') for f in root.iter('file')}
        self.sources = {}
        self.netlist = root.find('netlist')
        self.types = {t.get('id'): t for t in self.netlist.iter() if t.tag.endswith('dtype') and t.get('id')}
        self.packages = {p.get('name'): p for p in self.netlist.findall('package')}
        self.functions = {(p.get('name'), f.get('name')): f for p in self.netlist if p.get('name')
                          for f in p.iter() if f.tag in ('func', 'task')}

    def reads_signals(self, key):
        """True if a function of a module uses more than its arguments."""
        if key[0] in self.packages:
            return False
        function = self.functions[key]
        own = {v.get('name') for v in function.iter('var')}
        module = {v.get('name') for m in self.netlist.findall('module') if m.get('name') == key[0]
                  for v in m.findall('var')}
        return any(v.get('name') in module - own for v in function.iter('varref'))

    def place(self, node):
        where = node.get('loc', '?').split(',')
        return f'{self.files.get(where[0], "?")}:{where[1] if len(where) > 1 else "?"}'

    def refuse(self, node, what):
        raise Unsupported(f'{self.place(node)}: {what}')

    def line(self, node):
        """The source line of a node."""
        where = node.get('loc').split(',')
        if where[0] not in self.sources:
            self.sources[where[0]] = pathlib.Path(self.files[where[0]]).read_text(encoding='utf-8').splitlines()
        return self.sources[where[0]][int(where[1]) - 1]

    def shape(self, type_id):
        """Width of an element and number of elements (0: no unpacked array)."""
        node = self.types[type_id]
        if node.tag in ('refdtype', 'enumdtype', 'constdtype'):
            return self.shape(node.get('sub_dtype_id'))
        if node.tag == 'basicdtype':
            if node.get('left') is None:
                return {'integer': 32, 'int': 32}.get(node.get('name'), 1), 0
            return abs(int(node.get('left')) - int(node.get('right'))) + 1, 0
        if node.tag == 'structdtype':
            return sum(self.width(m.get('sub_dtype_id')) for m in node.findall('memberdtype')), 0
        ends = [constant(c)[1] for c in node.find('range')]
        count = abs(ends[0] - ends[1]) + 1
        if node.tag == 'packarraydtype':
            return self.width(node.get('sub_dtype_id')) * count, 0
        if node.tag == 'unpackarraydtype' and min(ends) == 0:
            return self.width(node.get('sub_dtype_id')), count
        return self.refuse(node, f'a type that is no vector: {node.tag}')

    def width(self, type_id):
        width, elements = self.shape(type_id)
        return width * max(elements, 1)

    def function(self, node, here):
        """The function a call means: `package::name`, else of the module or package it stands in, else an imported
        one."""
        name = node.get('name')
        line = self.line(node)
        named = set(re.findall(rf'\b(\w+)::{name}\b', line))
        found = [p for p in self.packages if (p, name) in self.functions]
        if len(named) == 1 and named <= set(found):
            return named.pop(), name
        if not named:
            if (here, name) in self.functions:
                return here, name
            if len(found) > 1:
                where = node.get('loc').split(',')[0]
                imported = re.findall(r'import\s+(\w+)::\*', '\n'.join(self.sources[where]))
                found = [p for p in found if p in imported]
            if len(found) == 1:
                return found[0], name
        return self.refuse(node, f'which {name}? {line.strip()}')


def constant(node):
    """Width and value of a constant."""
    found = re.fullmatch(r"(\d+)'(s?)h([0-9a-fA-F_]+)", node.get('name'))
    if not found:
        raise Unsupported(f'constant {node.get("name")}')
    return int(found[1]), int(found[3].replace('_', ''), 16)
