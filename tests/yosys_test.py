#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""yosys synthesises every leaf cell of rtl/common, without latches and without findings of its check, and
docs/synthesis.md has a row of each cell and of each module of each block. Counts are compared when the page is of the
yosys that is there. What is no plain Verilog is refused with its place.

usage: yosys_test.py SOURCE_DIR VERILATOR YOSYS GENERATED_DIR...
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

MISTAKES = [
    ('output logic q_o', 'q_o = ~d_i;', 'always_latch if (clk_i) ', 'latch'),
    ('output logic q_o', 'q_o <= d_i;', 'always_ff @(posedge clk_i or posedge d_i) ', 'a block not of one rising edge'),
    ('output logic q_o', 'q_o = $time > 64\'d3;', 'always_comb ', 'tiny.sv:3: expression time'),
]


def tables(page):
    """yosys version and rows (name to numbers) of each table of the page."""
    found = {}
    for name, body in re.findall(r'<!-- synthesis: (\w+) -->\n(.*?)<!-- end -->', page, flags=re.S):
        version = re.match(r'yosys (\S+)\n', body)
        assert version, f'table {name} does not say which yosys made it'
        rows = re.findall(r'^\| `(\w+)` \|(.*)\|$', body, flags=re.M)
        found[name] = version[1], {row: [int(n) for n in numbers.replace(',', '').split('|') if n.strip().isdigit()]
                                   for row, numbers in rows}
    return found


def check_mistakes(synthesise, options):
    """Sources that are not to be synthesised, each refused for its own reason."""
    for port, statement, block, message in MISTAKES:
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / 'tiny.sv'
            source.write_text(f'module tiny (input logic clk_i, input logic d_i,\n  {port});\n'
                              f'  {block} {statement}\nendmodule\n', encoding='ascii')
            folders, synthesise.FOLDERS = synthesise.FOLDERS, [pathlib.Path(folder)]
            generated, options.generated = options.generated, []
            try:
                synthesise.cells(options, 'tiny')
                raise AssertionError(f'accepted: {block}{statement}')
            except (synthesise.Failed, synthesise.elaborated.Unsupported) as error:
                assert message in str(error), f'{block}{statement}: {error}'
            finally:
                synthesise.FOLDERS, options.generated = folders, generated


def main():
    source, verilator, yosys, *generated = sys.argv[1:]
    sys.path.insert(0, str(pathlib.Path(source) / 'tools' / 'synth'))
    import synthesise  # pylint: disable=import-outside-toplevel
    options = argparse.Namespace(verilator=verilator, yosys=yosys, jobs=1, generated=[pathlib.Path(g) for g in generated])
    page = tables((pathlib.Path(source) / 'docs' / 'synthesis.md').read_text(encoding='utf-8'))
    version = synthesise.version(options)

    names = synthesise.leaf_cells()
    assert len(names) >= 7, names
    said, rows = page['cells']
    assert sorted(rows) == names, f'cells of the page {sorted(rows)}, of rtl/common {names}'
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, counts in zip(names, pool.map(lambda n: synthesise.cells(options, n), names)):
            assert counts[0] > 0, name
            assert min(rows[name][0], counts[0]) > 0, name
            if said == version:
                assert tuple(rows[name]) == counts, f'{name}: page {rows[name]}, yosys {counts}'
    print(f'yosys {version}: {len(names)} leaf cells, page of {said}')

    modules = 0
    for block in synthesise.BLOCKS:
        with tempfile.TemporaryDirectory() as folder:
            design = synthesise.elaborate(options, block, folder)
            design.verilog()
            there = {m.get('name') for m in design.netlist.findall('module')}
        rows = page[block][1]
        assert set(rows) == there, f'{block}: page {sorted(rows)}, design {sorted(there)}'
        for name, row in rows.items():
            assert len(row) == 4 and row[0] > 0 and row[1] + row[3] > 0, f'{block}: {name} {row}'
        modules += len(rows)
    print(f'{len(synthesise.BLOCKS)} blocks: {modules} modules written as plain Verilog, each with a row')

    with tempfile.TemporaryDirectory() as folder:  # its counts are not on the page
        assert 'module simd ' in synthesise.elaborate(options, 'simd', folder).verilog()

    check_mistakes(synthesise, options)
    print(f'{len(MISTAKES)} sources refused for their reasons')
    return 0


if __name__ == '__main__':
    sys.exit(main())
