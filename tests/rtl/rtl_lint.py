#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Lints the SystemVerilog of the contracts: each package and each interface with `verilator --lint-only -Wall`.

An interface is linted inside a generated top with one module on each side of it, because Verilator takes none as
a top: every signal is driven from exactly one side and read on the other, or a warning says so. Modules are linted
where their libraries are built.
Usage: rtl_lint.py VERILATOR SOURCE_DIR CONTRACTS_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def imports(root, text):
    """Packages a source needs, the deepest first."""
    needed = []
    for name in re.findall(r'\b(\w+_pkg)::', text):
        path = next(root.glob(f'*/rtl/{name}.sv'), None)
        if path is None:
            raise SystemExit(f'package {name} not found')
        for package in imports(root, path.read_text()) + [path]:
            if package not in needed:
                needed.append(package)
    return needed


def side(interface, modport, reads, drives):
    """A module that drives all outputs of a modport and looks at all its inputs."""
    body = [f'  assign bus.{s} = \'0;' for s in drives]
    return [f'module lint_{modport} ({interface}.{modport} bus, output logic seen_o);', *body,
            '  assign seen_o = ^{' + ', '.join(f'bus.{s}' for s in reads) + '};', 'endmodule']


def top_of(path):
    """Source of a top around the interface, at parameter values that make arrays of every port."""
    text = re.sub(r'//[^\n]*', '', path.read_text())
    interface = path.stem
    lines = ['// verilator lint_off DECLFILENAME', '// verilator lint_off WIDTHCONCAT']
    for modport, body in re.findall(r'modport\s+(\w+)\s*\((.*?)\)\s*;', text, flags=re.S):
        reads, drives = re.fullmatch(r'\s*input\s+(.*?),\s*output\s+(.*?)\s*', body, flags=re.S).groups()
        lines += side(interface, modport, re.split(r'[,\s]+', reads), re.split(r'[,\s]+', drives))
    parameters = ', '.join(f'.{p}(3)' for p in re.findall(r'parameter int unsigned (\w+)', text))
    lines += ['module lint_top (input logic clk_i, input logic rst_ni, output logic [1:0] seen_o);',
              f'  {interface}{f" #({parameters})" if parameters else ""} u_if (.clk_i, .rst_ni);',
              '  lint_dut u_dut (.bus(u_if), .seen_o(seen_o[0]));',
              '  lint_env u_env (.bus(u_if), .seen_o(seen_o[1]));', 'endmodule', '']
    return '\n'.join(lines)


def main():
    verilator, source, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    command = [verilator, '--lint-only', '-Wall', str(source / 'rtl/common/lint_waivers.vlt')]
    interfaces = sorted(root.glob('*/rtl/*_if.sv'))
    packages = sorted(p.with_name(p.name.replace('_if.sv', '_pkg.sv')) for p in interfaces)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        top = pathlib.Path(scratch) / 'lint_top.sv'
        for path in packages + interfaces:
            needed = [str(p) for p in imports(root, path.read_text())]
            sources = needed + [str(path)]
            top.write_text(top_of(path) if path in interfaces else 'module lint_top; endmodule\n')
            sources += [str(top), '--top-module', 'lint_top']
            done = subprocess.run(command + sources, capture_output=True, text=True, check=False)
            if done.returncode or done.stderr:
                failed += 1
                print(f'{path.relative_to(root)}:\n{done.stdout}{done.stderr}')
    print(f'{len(packages)} packages, {len(interfaces)} interfaces: {failed} with findings')
    return 1 if failed or not interfaces else 0


if __name__ == '__main__':
    sys.exit(main())
