# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Plain Verilog from elaborated SystemVerilog.

Input is the XML of `verilator --xml-only -fno-dfg`: parameters, generate blocks, structures and widths are resolved
there. Output has packed vectors, functions, tasks, always blocks and instances only, which readers of a small part of
SystemVerilog take (yosys 0.23 knows neither `return` nor package imports in a header, packed arrays of packed arrays
and assignment patterns). Loops are unrolled; a function with `return` guards what follows by a flag; every vector is
unsigned and signed operations say so. Whatever has no rule here is refused with its place in the source.
"""
import pathlib
import re
import xml.etree.ElementTree as ElementTree

BINARY = {'add': '+', 'sub': '-', 'mul': '*', 'muls': '*', 'and': '&', 'or': '|', 'xor': '^', 'eq': '==', 'neq': '!=',
          'lt': '<', 'lte': '<=', 'gt': '>', 'gte': '>=', 'shiftl': '<<', 'shiftr': '>>', 'logand': '&&',
          'logor': '||'}
SIGNED = {'lts': '<', 'ltes': '<=', 'gts': '>', 'gtes': '>='}
UNARY = {'not': '~', 'negate': '-', 'redor': '|', 'redand': '&', 'redxor': '^', 'lognot': '!'}
STATEMENTS = {'assign', 'assigndly', 'begin', 'if', 'case', 'while', 'jumpgo', 'jumpblock', 'stmtexpr', 'pragma'}
FOLDED = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b, 'muls': lambda a, b: a * b,
          'shiftl': lambda a, b: a << b, 'shiftr': lambda a, b: a >> b, 'eq': lambda a, b: a == b,
          'neq': lambda a, b: a != b, 'lt': lambda a, b: a < b, 'gt': lambda a, b: a > b, 'lte': lambda a, b: a <= b,
          'gte': lambda a, b: a >= b}


class Unsupported(Exception):
    pass


class Variable:
    """What a name stands for: text in the output, width of an element, elements (0: no array)."""

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


class Design:
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

    def verilog(self):
        modules = self.netlist.findall('module')
        return '\n'.join(Module(self, m).verilog() for m in modules)

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

    def function(self, node, module, here):
        """The function a call means: of the module, `package::name`, else of the package it stands in, else an
        imported one."""
        name = node.get('name')
        if here in (None, module) and (module, name) in self.functions:
            return module, name
        line = self.line(node)
        named = set(re.findall(rf'\b(\w+)::{name}\b', line))
        found = [p for p in self.packages if (p, name) in self.functions]
        if len(named) == 1 and named <= set(found):
            return named.pop(), name
        if not named:
            if here in found:
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


class Module:
    """A module on its way to plain text."""

    def __init__(self, design, node):
        self.design, self.node = design, node
        self.scope = Scope()
        self.head, self.body, self.helpers, self.called = [], [], {}, {}
        self.memories = self.find_memories()

    def verilog(self):
        ports = sorted((v for v in self.node.findall('var') if v.get('dir')), key=lambda v: int(v.get('pinIndex')))
        listed = []
        for port in ports:
            variable = self.declare(port, self.scope, '', head=False)
            listed.append(f'  {port.get("dir")} logic {span(variable.bits())} {variable.text}')
        self.items(self.node, self.scope, '')
        lines = [f'module {self.node.get("name")} (', ',\n'.join(listed), ');', *self.head]
        for helper in [*self.helpers.values(), *self.called.values()]:
            lines += helper
        return '\n'.join([*lines, *self.body, 'endmodule', ''])

    # Names

    def find_memories(self):
        """Arrays of the module that are only ever used word by word, so that they stay memories."""
        whole, words = set(), set()
        for node in self.node.iter():
            for i, child in enumerate(node):
                if child.tag == 'varref':
                    (words if node.tag == 'arraysel' and i == 0 else whole).add(child.get('name'))
        return words - whole

    def declare(self, node, scope, prefix, head=True, temporary=False):
        width, elements = self.design.shape(node.get('dtype_id'))
        name = re.sub(r'\W', '_', prefix + node.get('name'))
        memory = bool(elements) and node.get('name') in self.memories and not node.get('dir') and not temporary
        variable = Variable(name, width, elements, memory)
        value = node.find('initarray')
        if value is not None:
            variable.constant = [constant(i.find('const')) for i in value.findall('inititem')]
        elif node.find('const') is not None and (node.get('param') or node.get('localparam')):
            variable.constant = constant(node.find('const'))
        scope.names[node.get('name')] = variable
        if head and variable.constant is None:
            mark = '(* nosync *) ' if temporary else ''
            self.head.append(f'  {mark}logic {span(width)} {name} [0:{elements - 1}];' if memory else
                             f'  {mark}logic {span(variable.bits())} {name};')
        return variable

    def variable(self, node, scope):
        found = scope.find(node.get('name'))
        if found is None:
            packages = [v for p in self.design.packages.values() for v in p.findall('var')
                        if v.get('name') == node.get('name')]
            if len(packages) != 1:
                self.design.refuse(node, f'name {node.get("name")} in {len(packages)} packages')
            found = self.declare(packages[0], self.scope, 'const_', head=False)
        return found

    # Module level

    def items(self, node, scope, prefix):
        for item in node:
            if item.tag == 'var':
                if not item.get('dir'):
                    self.declare(item, scope, prefix)
        for item in node:
            if item.tag == 'begin':
                name = item.get('name') or ''
                self.items(item, Scope(scope), f'{prefix}{name}_' if name else prefix)
            elif item.tag == 'instance':
                self.instance(item, scope, prefix)
            elif item.tag in ('contassign', 'initial'):
                for assign in [item] if item.tag == 'contassign' else item:
                    if assign.tag not in ('contassign', 'assign') or assign[0].tag != 'const' and item.tag == 'initial':
                        self.design.refuse(item, 'an initial block that is no constant')
                    self.body.append(f'  assign {self.target(assign[1], scope)} = {self.value(assign[0], scope)};')
            elif item.tag == 'always':
                self.always(item, scope, prefix)
            elif item.tag not in ('var', 'typedef', 'func', 'task'):
                self.design.refuse(item, f'{item.tag} in a module')

    def instance(self, item, scope, prefix):
        pins = []
        for port in item.findall('port'):
            if len(port):
                text = (self.target if port.get('direction') == 'out' else self.value)(port[0], scope)
                pins.append(f'    .{port.get("name")}({text})')
        name = re.sub(r'\W', '_', prefix + item.get('name'))
        self.body.append(f'  {item.get("defName")} {name} (\n' + ',\n'.join(pins) + '\n  );')

    def always(self, item, scope, prefix):
        event = '@*'
        statements = list(item)
        if statements[0].tag == 'sentree':
            edges = [(s.get('edgeType'), self.value(s[0], scope)) for s in statements[0]]
            if len(edges) != 1 or edges[0][0] != 'POS':
                self.design.refuse(item, 'a block not of one rising edge')
            event = f'@(posedge {edges[0][1]})'
            statements = statements[1:]
        self.body.append(f'  always {event} begin')
        self.statements(statements, Block(Scope(scope), None, prefix + f'b{len(self.body)}_'), self.body, '    ')
        self.body.append('  end')

    # Functions

    def function(self, node, block):
        """Name of the function or task a call means, written into the module on its first use."""
        key = self.design.function(node, self.node.get('name'), block.package if block else None)
        name = '__'.join(key)
        if name not in self.called:
            self.called[name] = None
            definition = self.design.functions[key]
            self.called[name] = self.define(name, definition, key[0])
            self.called[name] = self.called.pop(name)  # what it calls stands before it
        return name, self.design.functions[key]

    def define(self, name, node, package):
        scope = Scope(self.scope if package == self.node.get('name') else None)
        lines, result = [], None
        head, self.head = self.head, []
        for var in node.findall('var'):
            if node.tag == 'func' and var.get('name') == node.get('name'):
                result = Variable(name, self.design.width(var.get('dtype_id')))
                scope.names[var.get('name')] = result
                continue
            variable = self.declare(var, scope, '', head=False, temporary=True)
            lines.append(f'    {var.get("dir") or "reg"} {span(variable.bits())} {variable.text};')
        body = []
        block = Block(scope, package, 'v_', name)
        self.statements([c for c in node if c.tag != 'var'], block, body, '      ')
        lines += [line.replace('  (* nosync *) logic', '    reg') for line in self.head]
        self.head = head
        if block.returns:
            lines.append('    reg returned;')
            body.insert(0, "      returned = 1'd0;")
        word = f'function {span(result.width)}' if result else 'task'
        return [f'  {word} {name};', *lines, '    begin', *body, '    end', f'  end{word.split()[0]}']

    def helper(self, name, inputs, width, text):
        if name not in self.helpers:
            self.helpers[name] = [f'  function {span(width)} {name};', *(f'    input {i};' for i in inputs),
                                  f'    {name} = {text};', '  endfunction']
        return name

    # Statements

    def statements(self, nodes, block, out, indent):
        """Writes statements; what follows one that may return runs only while nothing has returned."""
        ends = 0
        for i, node in enumerate(nodes):
            following = nodes[i + 1] if i + 1 < len(nodes) else None
            if following is not None and following.tag == 'while' and node.tag == 'assign':
                start = self.fold(node[0], block.scope)
                if start is not None and node[1].tag == 'varref':
                    block.scope.loop[self.variable(node[1], block.scope)] = start
                    continue
            self.statement(node, block, out, indent)
            if any(True for _ in node.iter('jumpgo')) and following is not None:
                out.append(f'{indent}if (!returned) begin')
                indent += '  '
                ends += 1
        for _ in range(ends):
            indent = indent[:-2]
            out.append(f'{indent}end')

    def statement(self, node, block, out, indent):
        scope = block.scope
        if node.tag in ('assign', 'assigndly'):
            sign = '<=' if node.tag == 'assigndly' else '='
            out.append(f'{indent}{self.target(node[1], scope, block)} {sign} {self.value(node[0], scope, block)};')
        elif node.tag == 'begin':
            inner = Block(Scope(scope), block.package, f'{block.prefix}{len(self.head)}_', block.name)
            for var in node.findall('var'):
                self.declare(var, inner.scope, inner.prefix, temporary=True)
            self.statements([c for c in node if c.tag != 'var'], inner, out, indent)
            block.returns |= inner.returns
        elif node.tag == 'if':
            out.append(f'{indent}if ({self.value(node[0], scope, block)}) begin')
            self.branch([node[1]], block, out, indent)
            if len(node) > 2:
                out.append(f'{indent}end else begin')
                self.branch(node[2:], block, out, indent)
            out.append(f'{indent}end')
        elif node.tag == 'case':
            self.case(node, block, out, indent)
        elif node.tag == 'while':
            self.loop(node, block, out, indent)
        elif node.tag == 'jumpblock':
            self.statements([c for c in node if c.tag != 'jumplabel'], block, out, indent)
        elif node.tag == 'jumpgo':
            if block.name is None:
                self.design.refuse(node, 'a jump outside functions')
            block.returns = True
            out.append(f"{indent}returned = 1'd1;")
        elif node.tag == 'stmtexpr' and node[0].tag == 'taskref':
            name, definition = self.function(node[0], block)
            ports = [v for v in definition.findall('var') if v.get('dir')]
            texts = [(self.value if p.get('dir') == 'input' else self.target)(a[0], scope, block)
                     for p, a in zip(ports, node[0].findall('arg'), strict=True)]
            out.append(f'{indent}{name}({", ".join(texts)});')
        elif node.tag != 'pragma':
            self.design.refuse(node, f'statement {node.tag}')

    def branch(self, nodes, block, out, indent):
        inner = Block(Scope(block.scope), block.package, block.prefix, block.name)
        self.statements(list(nodes), inner, out, indent + '  ')
        block.returns |= inner.returns

    def case(self, node, block, out, indent):
        out.append(f'{indent}case ({self.value(node[0], block.scope, block)})')
        for item in node[1:]:
            labels = [self.value(c, block.scope, block) for c in item if c.tag not in STATEMENTS]
            out.append(f'{indent}  {", ".join(labels) or "default"}: begin')
            self.branch([c for c in item if c.tag in STATEMENTS], block, out, indent + '  ')
            out.append(f'{indent}  end')
        out.append(f'{indent}endcase')

    def loop(self, node, block, out, indent):
        before, condition, body, step = node
        if len(before) or len(condition) != 1 or len(step) != 1 or step[0][1].tag != 'varref':
            self.design.refuse(node, 'a loop that is not of one variable')
        variable = self.variable(step[0][1], block.scope)
        scope = block.scope
        while scope and variable not in scope.loop:
            scope = scope.outer
        if scope is None:
            self.design.refuse(node, 'a loop that begins at no constant')
        for _ in range(4096):
            more = self.fold(condition[0], block.scope)
            if more is None:
                self.design.refuse(node, 'a loop that ends at no constant')
            if not more:
                del scope.loop[variable]
                return
            returns = any(True for _ in body.iter('jumpgo'))
            if returns:
                out.append(f'{indent}if (!returned) begin')
            self.branch(body, block, out, indent)
            if returns:
                out.append(f'{indent}end')
            scope.loop[variable] = self.fold(step[0][0], block.scope)
        self.design.refuse(node, 'a loop of more than 4096 steps')

    # Expressions

    def fold(self, node, scope):
        """Value of an expression of constants and loop variables, None of another."""
        if node.tag == 'const':
            return constant(node)[1]
        if node.tag == 'varref':
            variable = scope.find(node.get('name'))
            return None if variable is None else scope.index(variable)
        if node.tag not in FOLDED and node.tag not in ('extend', 'sel', 'gts', 'lts', 'gtes', 'ltes'):
            return None
        parts = [self.fold(c, scope) for c in node]
        if any(p is None for p in parts):
            return None
        if node.tag in SIGNED:
            widths = [self.design.width(c.get('dtype_id')) for c in node]
            parts = [p - (1 << w) if p >> (w - 1) else p for p, w in zip(parts, widths)]
            return int(FOLDED[node.tag[:-1]](*parts))
        if node.tag == 'extend':
            return parts[0]
        if node.tag == 'sel':
            return (parts[0] >> parts[1]) & ((1 << parts[2]) - 1)
        return int(FOLDED[node.tag](*parts)) & ((1 << self.design.width(node.get('dtype_id'))) - 1)

    def index(self, node, scope, block, scale=1):
        """An index as a number, or as a text of 32 bits."""
        number = self.fold(node, scope)
        if number is not None:
            return number * scale
        width = self.design.width(node.get('dtype_id'))
        text = self.value(node, scope, block)
        wide = text if width >= 32 else f"{{{32 - width}'d0, {text}}}"
        return wide if scale == 1 else f"({wide} * 32'd{scale})"

    def part(self, node, scope, block):
        """A variable or parts of it: name, offsets (numbers or texts), width; None for anything else."""
        if node.tag == 'varref':
            variable = self.variable(node, scope)
            return variable.text, [], variable.bits(), variable
        if node.tag == 'arraysel':
            inner = self.part(node[0], scope, block)
            if inner is None:
                return None
            name, offsets, _, variable = inner
            if variable.memory:
                number = self.fold(node[1], scope)
                text = self.value(node[1], scope, block) if number is None else number
                return f'{name}[{text}]', [], variable.width, variable
            if variable.constant is not None:
                return None
            return name, [*offsets, self.index(node[1], scope, block, variable.width)], variable.width, variable
        if node.tag == 'sel':
            inner = self.part(node[0], scope, block)
            if inner is None:
                return None
            name, offsets, _, variable = inner
            return name, [*offsets, self.index(node[1], scope, block)], constant(node[2])[1], variable
        return None

    def selected(self, part):
        name, offsets, width, variable = part
        if not offsets:
            return name
        whole = variable.width if variable.memory else variable.bits()
        if all(isinstance(o, int) for o in offsets):
            low = sum(offsets)
            return name if width == whole and low == 0 else f'{name}[{low + width - 1}:{low}]'
        texts = [o if isinstance(o, str) else f"32'd{o}" for o in offsets if o != 0]
        return f'{name}[{" + ".join(texts)} +: {width}]'

    def target(self, node, scope, block=None):
        if node.tag == 'concat':
            return '{' + ', '.join(self.target(c, scope, block) for c in node) + '}'
        part = self.part(node, scope, block)
        if part is None or part[3].constant is not None:
            self.design.refuse(node, f'assignment to {node.tag}')
        return self.selected(part)

    def value(self, node, scope, block=None):
        """Text of an expression, of its own width wherever it stands."""
        tag = node.tag
        number = self.fold(node, scope) if tag != 'const' else None
        if number is not None:
            return f"{self.design.width(node.get('dtype_id'))}'h{number:x}"
        if tag == 'const':
            return f"{constant(node)[0]}'h{constant(node)[1]:x}"
        if tag in ('varref', 'sel', 'arraysel'):
            return self.read(node, scope, block)
        if tag == 'funcref':
            name, _ = self.function(node, block)
            return f'{name}({", ".join(self.value(a[0], scope, block) for a in node.findall("arg"))})'
        if tag == 'replicate':
            return f'{{{constant(node[1])[1]}{{{self.value(node[0], scope, block)}}}}}'
        texts = [self.value(c, scope, block) for c in node]
        if tag in BINARY:
            return f'({texts[0]} {BINARY[tag]} {texts[1]})'
        if tag in SIGNED:
            return f'($signed({texts[0]}) {SIGNED[tag]} $signed({texts[1]}))'
        if tag in UNARY:
            return f'({UNARY[tag]}{texts[0]})'
        if tag == 'concat':
            return '{' + ', '.join(texts) + '}'
        if tag == 'cond':
            return f'({texts[0]} ? {texts[1]} : {texts[2]})'
        width = self.design.width(node.get('dtype_id'))
        if tag in ('extend', 'extends', 'shiftrs'):
            inner = self.design.width(node[0].get('dtype_id'))
            if tag == 'extend':
                return f"{{{width - inner}'d0, {texts[0]}}}"
            if tag == 'extends':
                name = self.helper(f'extend_{inner}_{width}', [f'signed {span(inner)} x'], width, 'x')
                return f'{name}({texts[0]})'
            amount = self.design.width(node[1].get('dtype_id'))
            name = self.helper(f'shift_{width}_{amount}', [f'signed {span(width)} x', f'{span(amount)} n'], width,
                               'x >>> n')
            return f'{name}({texts[0]}, {texts[1]})'
        return self.design.refuse(node, f'expression {tag}')

    def read(self, node, scope, block):
        part = self.part(node, scope, block)
        if part is not None:
            found = part[3].constant
            if found is None:
                return self.selected(part)
            if isinstance(found, tuple) and node.tag == 'varref':
                return f"{found[0]}'h{found[1]:x}"
        if node.tag == 'arraysel' and node[0].tag == 'varref':
            return self.table(node, scope, block)
        if node.tag == 'sel':
            whole, width = self.design.width(node[0].get('dtype_id')), constant(node[2])[1]
            text, low = self.value(node[0], scope, block), self.fold(node[1], scope)
            if low is not None:
                name = self.helper(f'part_{whole}_{low}_{width}', [f'{span(whole)} x'], width,
                                   f'x[{low + width - 1}:{low}]')
                return f'{name}({text})'
            places = self.design.width(node[1].get('dtype_id'))
            name = self.helper(f'part_{whole}_at_{places}_{width}', [f'{span(whole)} x', f'{span(places)} n'], width,
                               f'x[n +: {width}]')
            return f'{name}({text}, {self.value(node[1], scope, block)})'
        return self.design.refuse(node, f'a part of {node[0].tag if len(node) else node.tag}')

    def table(self, node, scope, block):
        """An entry of a table of constants: a function over its index."""
        variable = self.variable(node[0], scope)
        places = self.design.width(node[1].get('dtype_id'))
        name = f'table_{variable.text}_{places}'
        if name not in self.helpers:
            lines = [f'  function {span(variable.width)} {name};', f'    input {span(places)} n;', '    case (n)']
            lines += [f"      {places}'d{n}: {name} = {w}'h{v:x};" for n, (w, v) in enumerate(variable.constant)
                      if n < 1 << places]
            self.helpers[name] = [*lines, f"      default: {name} = {variable.width}'d0;", '    endcase',
                                  '  endfunction']
        return f'{name}({self.value(node[1], scope, block)})'


class Block:
    """Where statements stand: names, the package of the function, a prefix for local names."""

    def __init__(self, scope, package, prefix, name=None):
        self.scope, self.package, self.prefix, self.name, self.returns = scope, package, prefix, name, False
