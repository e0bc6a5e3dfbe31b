#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Synthesis of the RTL with yosys: cells and flip-flops of every leaf cell of rtl/common and of every block, logic depth
of the blocks.

usage: synthesise.py [--verilator V] [--yosys Y] [--jobs N] [--depth-minutes M] --generated DIR... VERB
  plain TOP FILE     TOP as plain Verilog (plain_verilog.py)
  cells              table of the leaf cells
  blocks [NAME...]   tables of blocks (BLOCKS), module by module; memories are counted in bits
Functions are synthesised once each and counted in the modules that call them, once for each call.
With --page FILE the tables replace those between the page's markers; a block without a table there gets one at the end. A block inside another one that has a table on
that page, of the same yosys, keeps its rows there when its text is the same in both.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elaborated  # noqa: E402
import plain_verilog  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / 'rtl' / name for name in ('common', 'valu', 'matrix_core', 'vrf', 'simd', 'lds', 'gds', 'cache',
                                            'memory', 'crossbar', 'spi')]
# By name: top module and its parameters, where they are not the defaults. Those of mi100; gds, crossbar and spi with the
# ports of their builds.
BLOCKS = {
    'vrf': ('vrf', {}),
    'matrix_core': ('matrix_core', {}),
    'valu': ('valu', {}),
    'simd': ('simd', {}),
    'lds': ('lds', {}),
    'gds': ('gds', {'ComputeUnits': 4}),
    'cache_vector_l1': ('cache', {'Role': 0, 'UpPorts': 2, 'Sets': 4, 'Ways': 64, 'HitCycles': 114, 'Misses': 64}),
    'cache_scalar': ('cache', {'Role': 1, 'UpPorts': 4, 'Sets': 64, 'Ways': 4, 'HitCycles': 16, 'Misses': 16}),
    'cache_instruction': ('cache', {'Role': 2, 'UpPorts': 4, 'Sets': 128, 'Ways': 4, 'HitCycles': 8, 'Misses': 16}),
    'cache_l2': ('cache', {'Role': 3, 'UpPorts': 2, 'Sets': 256, 'Ways': 16, 'HitCycles': 100, 'Misses': 64,
                           'Slices': 32, 'InterleaveBytes': 256}),
    'memory': ('memory', {'Ports': 32, 'Bytes': 1 << 26}),
    'crossbar': ('crossbar', {'Sources': 13, 'Slices': 4}),
    'spi': ('spi', {'ComputeUnits': 4}),
}
# Blocks of so many cells that yosys has no end, or not enough memory, with all of them at once: their depth is not
# measured.
HUGE = ('matrix_core', 'memory', 'valu', 'simd')
# Blocks inside others that take long enough not to be done again.
INSIDE = {'gds': ('lds',), 'simd': ('valu', 'vrf')}


class Failed(Exception):
    pass


def run(command, what, seconds=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode:
        raise Failed(f'{what}: {(done.stderr or done.stdout).strip()[-2000:]}')
    return done.stdout


def packages(generated):
    """Every package, those it needs before it."""
    files = {p.stem: p for folder in [*FOLDERS, *generated] for p in sorted(folder.rglob('*_pkg.sv'))}
    ordered = []

    def add(name):
        if files[name] in ordered:
            return
        for needed in re.findall(r'\b(\w+_pkg)::', files[name].read_text(encoding='utf-8')):
            if needed != name:
                add(needed)
        ordered.append(files[name])
    for name in files:
        add(name)
    return ordered


def leaf_cells():
    """The modules of rtl/common."""
    return sorted(p.stem for p in FOLDERS[0].glob('*.sv') if not p.stem.endswith('_pkg'))


def elaborate(options, top, folder, parameters=()):
    """The design below `top` as Verilator elaborates it, parameters not named at their defaults."""
    file = next(p for f in [*FOLDERS, ROOT / 'tb' / 'common'] for p in [f / f'{top}.sv'] if p.exists())
    xml = pathlib.Path(folder) / f'{top}.xml'
    run([options.verilator, '--xml-only', '--xml-output', xml, '-fno-dfg', '-Wno-lint', '-Wno-style',
         '+define+SYNTHESIS', *(f'-I{f}' for f in FOLDERS), *(f'-G{k}={v}' for k, v in dict(parameters).items()),
         *packages(options.generated), file, '--top-module', top], top)
    return plain_verilog.Design(xml)


class Synthesised:
    """A design after yosys: statistics of modules; of each the cells it is made of, functions among them.
    `names` are those of all modules and functions of the design, `depth` the gates of its longest path, if measured."""

    def __init__(self, modules, functions, names):
        self.modules, self.functions, self.names, self.depth = modules, functions, names, None

    def count(self, name, which):
        """Cells of a module with those of the functions it calls; `which` says which kinds."""
        total = 0
        for kind, n in self.modules[name]['cells'].items():
            if kind in self.functions:
                total += n * self.count(kind, which)
            elif kind not in self.names and which(kind):
                total += n
        return total

    def row(self, name):
        """Cells, of them flip-flops, bits of memory."""
        return (self.count(name, lambda kind: not kind.startswith('$mem')), self.count(name, lambda kind: 'DFF' in kind),
                self.modules[name]['memory_bits'])


def yosys(options, top, script, known=(), parameters=(), measure=False):
    """A design after a script, `{top}` in it the module's name. Each module and each function goes through yosys by
    itself, what it uses being ports without content: for a lane of the valu at once yosys has no end. Memory bits are
    those before memories are collected. Modules of `known` are left out with what only they use. `measure`: all modules
    together are looked through for loops and the longest path."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        design = elaborate(options, top, folder, parameters)
        texts = design.texts()
        words = {name: set(re.findall(r'^ *(\w+) ', text, re.M)) - {name} for name, text in texts.items()}
        needed = [top]
        for name in needed:
            needed += [n for n in texts if n in words[name] and n not in needed and n not in known]

        def alone(name):
            used = [n for n in texts if n in words[name]]
            source, before, after, gates = (folder / f'{name}.{end}' for end in ('v', 'before', 'after', 'il'))
            source.write_text('\n'.join([*(plain_verilog.ports_only(texts[n]) for n in used), texts[name]]), encoding='ascii')
            lines = [f'read_verilog -sv {source}', f'hierarchy -check -top {name}', 'proc',
                     'select -assert-none t:$dlatch t:$adlatch', f'tee -q -o {before} stat', script.format(top=name),
                     'check -assert', f'tee -q -o {after} stat', f'select -module {name}', f'write_rtlil -selected {gates}']
            run([options.yosys, '-q', '-p', '; '.join(lines)], name)
            module = read_statistics(after)[name]
            module['memory_bits'] = read_statistics(before)[name]['memory_bits']
            return name, module

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = Synthesised(dict(pool.map(alone, needed)), set(design.bodies), set(texts))
        if measure:
            try:
                done.depth = depth(options, top, [folder / f'{name}.il' for name in needed], folder / 'depth')
            except subprocess.TimeoutExpired:
                print(f'{top}: no logic depth in {options.depth_minutes} minutes', file=sys.stderr)
        return done


def depth(options, top, files, answer):
    """Gates of the longest path between flip-flops, memories and pins of a design of synthesised modules; fails on a
    combinational loop, within a module or through several."""
    lines = [*(f'read_rtlil {file}' for file in files), f'hierarchy -check -top {top}', 'flatten', 'opt_clean',
             'select -assert-none t:$dlatch t:$_DLATCH_*', 'check -assert', f'tee -q -o {answer} ltp -noff']
    run([options.yosys, '-q', '-p', '; '.join(lines)], f'{top}, flat', options.depth_minutes * 60)
    text = answer.read_text(encoding='utf-8')
    if 'loop' in text:
        raise Failed(f'{top}: {text[:2000]}')
    return int(re.search(r'\(length=(\d+)\)', text)[1])


def read_statistics(path):
    """By module: number of cells of each kind, bits of memory. (The JSON of yosys 0.23 is broken for several
    modules.)"""
    modules = {}
    for name, body in re.findall(r'^=== (\S+) ===\n(.*?)(?=^===|\Z)', path.read_text(encoding='utf-8'), re.M | re.S):
        kinds = body.partition('Number of cells:')[2]
        modules[name] = {'cells': {kind: int(n) for kind, n in re.findall(r'^ +(\S+) +(\d+)$', kinds, re.M)},
                         'memory_bits': int(re.search(r'Number of memory bits: +(\d+)', body)[1])}
    return modules


def cells(options, name):
    """Number of cells and, of those, flip-flops of a leaf cell."""
    return yosys(options, name, 'synth -noshare -top {top}').row(name)[:2]


def instances(design, top, inside=()):
    """Number of instances of each module below `top`, itself and the blocks of `inside` included, not what they consist
    of."""
    counts = {top: 1}
    order = [top]
    for name in order:
        for kind, n in design.modules.get(name, {'cells': {}})['cells'].items():
            if kind not in design.modules and kind not in inside or kind in design.functions:
                continue
            if kind in order and order.index(kind) < order.index(name):
                raise Failed(f'{kind} is both above and below {name}')
            counts[kind] = counts.get(kind, 0) + n * counts[name]
            if kind not in order:
                order.append(kind)
    return counts


def rows_inside(options, block_name):
    """Rows that the page has of blocks inside another, by block: same yosys, same text."""
    found = {}
    for name in INSIDE.get(block_name, ()) if options.page else ():
        begin, end = markers(name)
        table = options.page.read_text(encoding='utf-8').partition(begin)[2].partition(end)[0]
        if not table.startswith(f'yosys {version(options)}\n'):
            continue
        with tempfile.TemporaryDirectory() as folder:
            alone, inside = (elaborate(options, BLOCKS[b][0], folder, BLOCKS[b][1]).texts() for b in (name, block_name))
        if all(inside.get(n) == text for n, text in alone.items()):
            rows = re.findall(r'^\| `(\w+)` \| (.*) \|$', table, re.M)
            found[name] = [(module, *(int(n) for n in numbers.replace(',', '').split(' | '))) for module, numbers in rows]
    return found


def block(options, block_name):
    """Rows of a block: module, instances, cells of its own, flip-flops, bits of memory; its depth, None if not
    measured."""
    top, parameters = BLOCKS[block_name]
    inside = rows_inside(options, block_name)
    design = yosys(options, top, 'synth -noshare -top {top} -run coarse:fine; opt -fast -full; opt -undriven -fine; '
                   'techmap; opt -fast; abc -fast; opt -fast', inside, parameters, block_name not in HUGE)
    counts = instances(design, top, inside)
    table = {name: (n, *design.row(name)) for name, n in counts.items() if name not in inside}
    for name, rows in inside.items():
        for module, n, *numbers in rows:
            before = table.get(module, (0,))[0]
            table[module] = (before + n * counts[name], *numbers)
    return [(name, *row) for name, row in table.items()], design.depth


def version(options):
    return run([options.yosys, '-V'], 'yosys').split()[1]


def cell_table(options):
    rows = [f'| `{name}` | {count:,} | {flops:,} |' for name in leaf_cells()
            for count, flops in [cells(options, name)]]
    return ['| leaf cell | cells | of them flip-flops |', '|---|---:|---:|', *rows]


def merged(rows):
    """Rows with one for the modules of a name that differ in parameters alone, if all are of one size: instances added,
    without the parameters in the name."""
    by_name = {}
    for row in rows:
        by_name.setdefault(row[0].partition('__')[0], []).append(row)
    out = []
    for name, alike in by_name.items():
        one_size = len(alike) > 1 and len({row[2:] for row in alike}) == 1
        out += [(name, sum(row[1] for row in alike), *alike[0][2:])] if one_size else alike
    return out


def block_table(options, name):
    rows, gates = block(options, name)
    rows = merged(rows)
    parameters = BLOCKS[name][1]
    lines = []
    if parameters:
        lines += [f'`{BLOCKS[name][0]}` with {", ".join(f"{k} {v:,}" for k, v in parameters.items())}.', '']
    lines += ['Logic depth: not measured.' if gates is None else f'Logic depth: {gates} gates.', '']
    lines = [*lines, f'| {name}: module | instances | cells each | of them flip-flops | memory bits each |',
             '|---|---:|---:|---:|---:|']
    for module, n, *numbers in rows:
        lines.append(f'| `{module}` | {n} | {" | ".join(f"{number:,}" for number in numbers)} |')
    totals = [sum(row[1] * row[i] for row in rows) for i in (2, 3, 4)]
    return [*lines, f'| all of {name} | | {totals[0]:,} | {totals[1]:,} | {totals[2]:,} |']


def markers(name):
    return f'<!-- synthesis: {name} -->\n', '<!-- end -->\n'


def replace(page, name, lines):
    """Puts lines between the markers of a table."""
    text = page.read_text(encoding='utf-8')
    begin, end = markers(name)
    if begin not in text:
        text += f'\n{begin}{end}'
    start = text.index(begin) + len(begin)
    page.write_text(text[:start] + '\n'.join(lines) + '\n' + text[text.index(end, start):], encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--verilator', default='verilator')
    parser.add_argument('--yosys', default='yosys')
    parser.add_argument('--jobs', type=int, default=1, help='modules at a time')
    parser.add_argument('--depth-minutes', type=float, default=60,
                        help='a block whose logic depth takes longer gets a table without it')
    parser.add_argument('--generated', action='append', type=pathlib.Path, default=[])
    parser.add_argument('--page', type=pathlib.Path)
    parser.add_argument('verb', choices=('plain', 'cells', 'blocks'))
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    try:
        if options.verb == 'plain':
            with tempfile.TemporaryDirectory() as folder:
                text = elaborate(options, options.names[0], folder).verilog()
            pathlib.Path(options.names[1]).write_text(text, encoding='ascii')
            return 0
        tables = {'cells': cell_table} if options.verb == 'cells' else {
            name: lambda o, name=name: block_table(o, name) for name in options.names or BLOCKS}
        for name, table in tables.items():
            lines = [f'yosys {version(options)}', '', *table(options)]
            print('\n'.join(lines), flush=True)
            if options.page:
                replace(options.page, name, lines)
    except (Failed, elaborated.Unsupported) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
