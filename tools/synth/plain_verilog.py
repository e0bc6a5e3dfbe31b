# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Plain Verilog from elaborated SystemVerilog.

Input is what elaborated.py reads: parameters, generate blocks, structures and widths are resolved there. Output has
packed vectors, always blocks and instances, which readers of a small part of SystemVerilog take (yosys 0.23 knows neither
`return` nor package imports in a header, packed arrays of packed arrays and assignment patterns). Loops are unrolled; a
function with `return` guards what follows by a flag; every vector is unsigned and signed operations say so. Functions
become modules and calls instances, so that a synthesiser reads each body once; the arguments of a call in a process are
variables of that process. Whatever has no rule here is refused with its place in the source.
"""
import re

from elaborated import Elaborated, Scope, Unsupported, Variable, constant, span
from part_choices import PartChoices

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


# Ends the list of ports.
HEAD_END = '\n);\n'


class Design(Elaborated):
    """An elaborated design with its plain text."""

    def __init__(self, path):
        super().__init__(path)
        self.bodies = {}

    def texts(self):
        """The text of every module and function, by name."""
        modules = {m.get('name'): Module(self, m).verilog() for m in self.netlist.findall('module')}
        return {**self.bodies, **modules}

    def verilog(self):
        return '\n'.join(self.texts().values())

    def body(self, key):
        """Name of the module that a shared function is."""
        name = '__'.join(key)
        if name not in self.bodies:
            self.bodies[name] = ''
            self.bodies[name] = Body(self, name, self.functions[key], key[0]).verilog()
        return name


def ports_only(text):
    """A module's text without what is in it."""
    return f'(* blackbox *)\n{text[:text.index(HEAD_END)]}{HEAD_END}endmodule\n'


class Module(PartChoices):
    """A module on its way to plain text."""

    def __init__(self, design, node):
        self.design, self.node = design, node
        self.scope = Scope()
        self.head, self.body, self.helpers, self.calls = [], [], {}, 0
        self.memories, self.assumed = self.find_memories(), {}

    def verilog(self):
        ports = sorted((v for v in self.node.findall('var') if v.get('dir')), key=lambda v: int(v.get('pinIndex')))
        listed = []
        for port in ports:
            variable = self.declare(port, self.scope, '', head=False)
            listed.append(f'  {port.get("dir")} logic {span(variable.bits())} {variable.text}')
        self.items(self.node, self.scope, '')
        lines = [f'module {self.node.get("name")} (', ',\n'.join(listed), ');', *self.head]
        for helper in self.helpers.values():
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

    def variable(self, name, node, scope):
        found = scope.find(name)
        if found is None:
            packages = [v for p in self.design.packages.values() for v in p.findall('var') if v.get('name') == name]
            if len(packages) == 1:
                return self.declare(packages[0], self.scope, 'const_', head=False)
            self.design.refuse(node, f'name {name} in {len(packages)} packages')
        return found

    # Module level

    def items(self, node, scope, prefix):
        bodiless = set()  # variables of generate loops of which nothing but assertions was the body
        for item in node:
            if item.tag == 'var':
                if not item.get('dir'):
                    self.declare(item, scope, prefix)
        for item in node:
            if item.tag == 'begin' and len(item) and all(c.tag == 'var' for c in item):
                bodiless |= {v.get('name') for v in item}
            elif item.tag == 'begin':
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
            elif item.tag == 'assign' and item[0].tag == 'const' and item[1].get('name') in bodiless:
                continue
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
        process = Process(clocked=event != '@*')
        block = Block(Scope(scope), self.node.get('name'), prefix + f'b{len(self.body)}_', process=process)
        lines = []
        self.statements(statements, block, lines, '    ')
        self.body += [f'  always {event} begin', *process.defaults('    '), *lines, '  end']

    # Functions

    def call(self, node, scope, block):
        """An instance of a function: texts of its outputs with the arguments they go to. One that reads signals of
        the module is written into it instead."""
        key = self.design.function(node, block.package if block else self.node.get('name'))
        if self.design.reads_signals(key):
            texts = [self.value(a[0], scope, block) for a in node.findall('arg')]
            return [(f'{self.inlined(key)}({", ".join(texts)})', None)]
        kind, self.calls = self.design.body(key), self.calls + 1
        prefix = f'call{self.calls}'
        definition = self.design.functions[key]
        arguments = iter(node.findall('arg'))
        pins, outputs = [], []
        for port in definition.findall('var'):
            if not port.get('dir'):
                continue
            width, name = self.design.width(port.get('dtype_id')), port.get('name')
            result = definition.tag == 'func' and name == node.get('name')
            argument = None if result else next(arguments)[0]
            if port.get('dir') == 'input':
                text = self.passed(f'{prefix}_{name}', self.value(argument, scope, block), width, block)
            else:
                text = f'{prefix}_{name}'
                self.head.append(f'  logic {span(width)} {text};')
                outputs.append((text, argument))
            pins.append(f'.{"value_o" if result else name}({text})')
        self.body.append(f'  {kind} u_{prefix} ({", ".join(pins)});')
        return outputs

    def inlined(self, key):
        """Name of a function of the module itself."""
        name = key[1]
        if name not in self.helpers:
            node, scope = self.design.functions[key], Scope(self.scope)
            if node.tag != 'func' or any(True for _ in node.iter('funcref')):
                self.design.refuse(node, 'a call in a function that reads signals of its module')
            width = self.design.width(node.get('dtype_id'))
            lines, body = [], []
            for var in node.findall('var'):
                variable = self.declare(var, scope, '', head=False, temporary=True)
                if var.get('name') != name:
                    lines.append(f'    {var.get("dir") or "reg"} {span(variable.bits())} {variable.text};')
            block = Block(scope, key[0], 'v_', name)
            self.statements([c for c in node if c.tag != 'var'], block, body, '      ')
            if block.returns:
                lines.append('    reg returned;')
                body.insert(0, "      returned = 1'd0;")
            self.helpers[name] = [f'  function {span(width)} {name};', *lines, '    begin', *body, '    end',
                                  '  endfunction']
        return name

    def passed(self, name, value, width, block):
        """Connection of an input of a call: in a process without a clock a variable of it."""
        if block is None or block.process.clocked or re.fullmatch(r"\d+'h[0-9a-f]+", value):
            return value
        self.head.append(f'  logic {span(width)} {name};')
        block.process.arguments.append((name, width))
        block.before.append(f'{name} = {value};')
        return name

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
                    block.scope.loop[self.variable(node[1].get('name'), node, block.scope)] = start
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
        if node.tag == 'assigndly' and (index := self.written_index(node[1], scope)) is not None:
            self.chosen_part(node, index, block, out, indent)
        elif node.tag in ('assign', 'assigndly'):
            sign = '<=' if node.tag == 'assigndly' else '='
            text = f'{self.target(node[1], scope, block)} {sign} {self.value(node[0], scope, block)};'
            block.flush(out, indent)
            out.append(indent + text)
        elif node.tag == 'begin':
            inner = Block(Scope(scope), block.package, f'{block.prefix}{len(self.head)}_', block.name, block.process)
            for var in node.findall('var'):
                self.declare(var, inner.scope, inner.prefix, temporary=True)
            self.statements([c for c in node if c.tag != 'var'], inner, out, indent)
            block.returns |= inner.returns
        elif node.tag == 'if':
            text = f'if ({self.value(node[0], scope, block)}) begin'
            block.flush(out, indent)
            out.append(indent + text)
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
            outputs = self.call(node[0], scope, block)
            block.flush(out, indent)
            for text, argument in outputs:
                out.append(f'{indent}{self.target(argument, scope, block)} = {text};')
        elif node.tag != 'pragma':
            self.design.refuse(node, f'statement {node.tag}')

    def branch(self, nodes, block, out, indent):
        inner = Block(Scope(block.scope), block.package, block.prefix, block.name, block.process)
        self.statements(list(nodes), inner, out, indent + '  ')
        block.returns |= inner.returns

    def case(self, node, block, out, indent):
        text = f'case ({self.value(node[0], block.scope, block)})'
        block.flush(out, indent)
        out.append(indent + text)
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
        variable = self.variable(step[0][1].get('name'), node, block.scope)
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
        """Value of an expression of constants, loop variables and what is assumed, None of another."""
        if node in self.assumed:
            return self.assumed[node]
        if node.tag == 'const':
            return constant(node)[1]
        if node.tag == 'varref':
            variable = scope.find(node.get('name'))
            return None if variable is None else scope.index(variable)
        if node.tag not in FOLDED and node.tag not in ('concat', 'extend', 'sel', 'gts', 'lts', 'gtes', 'ltes'):
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
        if node.tag == 'concat':
            return parts[0] << self.design.width(node[1].get('dtype_id')) | parts[1]
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
            variable = self.variable(node.get('name'), node, scope)
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
            return self.call(node, scope, block)[0][0]
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
        chosen = self.read_part(node, scope, block)
        if chosen is not None:
            return chosen
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
        variable = self.variable(node[0].get('name'), node, scope)
        places = self.design.width(node[1].get('dtype_id'))
        name = f'table_{variable.text}_{places}'
        if name not in self.helpers:
            lines = [f'  function {span(variable.width)} {name};', f'    input {span(places)} n;', '    case (n)']
            lines += [f"      {places}'d{n}: {name} = {w}'h{v:x};" for n, (w, v) in enumerate(variable.constant)
                      if n < 1 << places]
            self.helpers[name] = [*lines, f"      default: {name} = {variable.width}'d0;", '    endcase',
                                  '  endfunction']
        return f'{name}({self.value(node[1], scope, block)})'


class Process:
    """An always block: whether it has a clock, and the arguments of the calls in it."""

    def __init__(self, clocked=False):
        self.clocked, self.arguments = clocked, []

    def defaults(self, indent):
        return [f"{indent}{name} = {{{width}{{1'bx}}}};" for name, width in self.arguments]


class Block:
    """Context of statements: names, the package of the function, a prefix for local names, the process."""

    def __init__(self, scope, package, prefix, name=None, process=None):
        self.scope, self.package, self.prefix, self.name, self.returns = scope, package, prefix, name, False
        self.process, self.before = process, []

    def flush(self, out, indent):
        """Writes what has to stand before the statement."""
        out += [indent + line for line in self.before]
        self.before.clear()


class Body(Module):
    """A shared function as a module."""

    def __init__(self, design, name, node, package):
        super().__init__(design, node)
        self.name, self.package = name, package

    def verilog(self):
        ports, defaults = [], []
        for var in self.node.findall('var'):
            result = self.node.tag == 'func' and var.get('name') == self.node.get('name')
            variable = self.declare(var, self.scope, '', head=not var.get('dir'), temporary=True)
            if result:
                variable.text = 'value_o'
            if var.get('dir'):
                ports.append(f'  {var.get("dir")} logic {span(variable.bits())} {variable.text}')
            if var.get('dir') == 'output':
                defaults.append((variable.text, variable.bits()))
        process = Process()
        process.arguments += defaults
        block = Block(Scope(self.scope), self.package, 'v_', self.name, process)
        lines = []
        self.statements([c for c in self.node if c.tag != 'var'], block, lines, '    ')
        if block.returns:
            self.head.append('  (* nosync *) logic returned;')
            lines.insert(0, "    returned = 1'd0;")
        head = [f'module {self.name} (', ',\n'.join(ports), ');', *self.head]
        for helper in self.helpers.values():
            head += helper
        return '\n'.join([*head, *self.body, '  always @* begin', *process.defaults('    '), *lines, '  end',
                          'endmodule', ''])
