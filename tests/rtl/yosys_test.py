#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""yosys synthesises the leaf cells of rtl/common, without latches and without findings of its check, and
docs/develop/synthesis.md has a row of each cell, and of each module of each block that has a table there; the others
become plain Verilog, too. A path and a loop through two modules are seen. Counts are compared when the page is of the
yosys that is there. What is no plain Verilog is refused with its place. Cells of more than 5,000 gates by the page are
synthesised with CUVETTE_WHOLE=1 alone, nightly.

usage: yosys_test.py SOURCE_DIR VERILATOR YOSYS GENERATED_DIR...
"""
import argparse
import concurrent.futures
import os
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


def check_chosen_parts(synthesise, part_choices, options):
    """Parts of one vector with places that vary, written in two blocks and read: one flip-flop per bit, which yosys
    proves to be those of a description word by word."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'tiny.sv').write_text(
            'module tiny (input logic clk_i, input logic [1:0] at_i, input logic [1:0] en_i,\n'
            '             input logic [7:0] d_i, output logic [1:0][3:0][7:0] q_o, output logic [7:0] r_o);\n'
            '  assign r_o = q_o[1][at_i] ^ q_o[0][{at_i[0], 1\'b1}] ^ q_o[en_i[0]][{at_i[1], en_i[1]}];\n'
            '  for (genvar p = 0; p < 2; p++) begin : gen_part\n'
            '    always_ff @(posedge clk_i) if (en_i[p]) q_o[p][at_i] <= d_i;\n'
            '  end\nendmodule\n', encoding='ascii')
        words = ['assign r_o = (at_i[1] ? at_i[0] ? q_o[63:56] : q_o[55:48] : at_i[0] ? q_o[47:40] : q_o[39:32]) ^'
                 '             (at_i[0] ? q_o[31:24] : q_o[15:8]) ^',
                 '             (en_i[0] ? at_i[1] ? en_i[1] ? q_o[63:56] : q_o[55:48] : en_i[1] ? q_o[47:40] : q_o[39:32]',
                 '                      : at_i[1] ? en_i[1] ? q_o[31:24] : q_o[23:16] : en_i[1] ? q_o[15:8] : q_o[7:0]);']
        words += [f'always @(posedge clk_i) if (en_i[{n // 4}] && at_i == {n % 4}) q_o[{8 * n + 7}:{8 * n}] <= d_i;'
                  for n in range(8)]
        (folder / 'words.v').write_text('module words (input clk_i, input [1:0] at_i, input [1:0] en_i, input [7:0] d_i,\n'
                                        'output reg [63:0] q_o, output [7:0] r_o);\n' + '\n'.join(words) + '\nendmodule\n', encoding='ascii')
        folders, synthesise.FOLDERS = synthesise.FOLDERS, [folder]
        generated, options.generated = options.generated, []
        wide, part_choices.WIDE = part_choices.WIDE, 64
        try:
            assert synthesise.cells(options, 'tiny')[1] == 64
            text = synthesise.elaborate(options, 'tiny', folder).verilog()
            assert '+:' not in text, text
            (folder / 'plain.v').write_text(text, encoding='ascii')
            synthesise.run([options.yosys, '-q', '-p', f'read_verilog -sv {folder}/plain.v {folder}/words.v; proc; opt; '
                            'equiv_make words tiny same; hierarchy -top same; equiv_simple; equiv_induct; '
                            'equiv_status -assert'], 'chosen parts')
        finally:
            synthesise.FOLDERS, options.generated = folders, generated
            part_choices.WIDE = wide


def check_depth(synthesise, options):
    """A path and a loop through two modules: the gates of the one are counted, the other is found."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'inner.sv').write_text('module inner (input logic a_i, input logic b_i, output logic y_o);\n'
                                         '  assign y_o = a_i ^ b_i;\nendmodule\n', encoding='ascii')
        folders, synthesise.FOLDERS = synthesise.FOLDERS, [folder]
        generated, options.generated = options.generated, []
        ports = 'module tiny (input logic clk_i, input logic [3:0] d_i, output logic q_o);\n'
        script = 'synth -noshare -top {top}'
        try:
            (folder / 'tiny.sv').write_text(
                f'{ports}  logic x;\n  inner u_inner (.a_i(d_i[0]), .b_i(d_i[1]), .y_o(x));\n'
                '  always_ff @(posedge clk_i) q_o <= (x & d_i[2]) | d_i[3];\nendmodule\n', encoding='ascii')
            assert synthesise.yosys(options, 'tiny', script, measure=True).depth == 3
            (folder / 'tiny.sv').write_text(
                f'{ports}  logic x;\n  inner u_inner (.a_i(d_i[0]), .b_i(x & d_i[1]), .y_o(x));\n'
                '  assign q_o = x;\nendmodule\n', encoding='ascii')
            synthesise.yosys(options, 'tiny', script)  # in no module by itself
            try:
                synthesise.yosys(options, 'tiny', script, measure=True)
                raise AssertionError('accepted: a loop through two modules')
            except synthesise.Failed as error:
                assert 'loop' in str(error), error
        finally:
            synthesise.FOLDERS, options.generated = folders, generated


def main():
    source, verilator, yosys, *generated = sys.argv[1:]
    sys.path.insert(0, str(pathlib.Path(source) / 'tools' / 'synth'))
    import part_choices  # pylint: disable=import-outside-toplevel
    import synthesise  # pylint: disable=import-outside-toplevel
    options = argparse.Namespace(verilator=verilator, yosys=yosys, jobs=1, depth_minutes=60,
                                 generated=[pathlib.Path(g) for g in generated])
    page = tables((pathlib.Path(source) / 'docs' / 'develop' / 'synthesis.md').read_text(encoding='utf-8'))
    version = synthesise.version(options)

    names = synthesise.leaf_cells()
    assert len(names) >= 7, names
    said, rows = page['cells']
    assert sorted(rows) == names, f'cells of the page {sorted(rows)}, of rtl/common {names}'
    chosen = [name for name in names if 'CUVETTE_WHOLE' in os.environ or rows[name][0] <= 5000]
    assert len(chosen) > 7, chosen
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, counts in zip(chosen, pool.map(lambda n: synthesise.cells(options, n), chosen)):
            assert counts[0] > 0, name
            assert min(rows[name][0], counts[0]) > 0, name
            if said == version:
                assert tuple(rows[name]) == counts, f'{name}: page {rows[name]}, yosys {counts}'
    print(f'yosys {version}: {len(chosen)} of {len(names)} leaf cells, page of {said}')

    modules = 0
    for block in synthesise.BLOCKS:
        with tempfile.TemporaryDirectory() as folder:
            design = synthesise.elaborate(options, synthesise.BLOCKS[block][0], folder, synthesise.BLOCKS[block][1])
            design.verilog()
            # By name: whether it may have no cells of its own (instances may be in generate blocks).
            there = {m.get('name'): m.find('.//instance') is not None for m in design.netlist.findall('module')}
        if block not in page:
            continue
        rows = page[block][1]
        # Modules that differ in parameters alone may share a row.
        row_of = {name: name if name in rows else name.partition('__')[0] for name in there}
        assert set(rows) == set(row_of.values()), f'{block}: page {sorted(rows)}, design {sorted(there)}'
        for name, row in ((name, rows[row_of[name]]) for name in there):
            assert len(row) == 4 and row[0] > 0 and (row[1] + row[3] > 0 or there[name]), f'{block}: {name} {row}'
        modules += len(rows)
    absent = [block for block in synthesise.BLOCKS if block not in page]
    assert len(absent) < len(synthesise.BLOCKS), absent
    print(f'{len(synthesise.BLOCKS)} blocks written as plain Verilog, {modules} modules with a row; '
          f'without a table: {", ".join(absent) or "none"}')

    # One row for modules of a name and a size; sizes that differ keep their parameters.
    merged = synthesise.merged([('a__S1', 1, 5, 0, 0), ('b__S1', 1, 6, 0, 0), ('a__S2', 2, 5, 0, 0), ('b__S2', 1, 7, 0, 0)])
    assert merged == [('a', 3, 5, 0, 0), ('b__S1', 1, 6, 0, 0), ('b__S2', 1, 7, 0, 0)], merged
    check_chosen_parts(synthesise, part_choices, options)
    check_depth(synthesise, options)
    check_mistakes(synthesise, options)
    print(f'{len(MISTAKES)} sources refused for their reasons')
    return 0


if __name__ == '__main__':
    sys.exit(main())
