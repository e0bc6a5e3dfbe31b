#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of the transcendental functions: the generator gives the same bytes every time, those of
the build; C++ and SystemVerilog hold the same numbers; each segment is near the function.

usage: fp_tables_test.py SOURCE_DIR GENERATED_DIR [VERILATOR]
With VERILATOR the package is linted under a small module that reads it.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

SEGMENTS = {  # name: (function by the host's libm, low end of segment n, width)
    "Exp2": (lambda x: 2.0 ** x, lambda n: n / 64, 1 / 64),
    "Log2": (lambda t: math.log2(1 + t) / t if t else 1 / math.log(2), lambda n: (n - 16) / 64, 1 / 64),
    "Sin": (lambda q: math.sin(2 * math.pi * q) / q if q else 2 * math.pi, lambda n: n / 256, 1 / 256),
}


LINT_TOP = """module lint_top (
    input  logic        [5:0]  index_i,
    output logic signed [37:0] c0_o,
    output logic signed [18:0] c3_o
);
  assign c0_o = transcendental_table_pkg::Exp2C0[index_i];
  assign c3_o = transcendental_table_pkg::SinC3[index_i];
endmodule
"""


def lint(verilator, package):
    with tempfile.TemporaryDirectory() as work:
        top = os.path.join(work, "lint_top.sv")
        with open(top, "w", encoding="ascii") as out:
            out.write(LINT_TOP)
        subprocess.run([verilator, "--lint-only", "-Wall", "-Wno-UNUSED", "--top-module", "lint_top",
                        package, top], check=True)


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, encoding="ascii") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def cpp_tables(text):
    tables = {}
    for name, body in re.findall(r"Cubic k(\w+)\[\d+\] = \{(.*?)\};", text, re.S):
        tables[name] = [[int(c) for c in row.split(",")] for row in re.findall(r"\{\{(.*?)\}\}", body)]
    return tables


def verilog_tables(text):
    tables = {}
    for name, order, body in re.findall(r"\] (\w+?)C(\d) \[\d+\] = '\{(.*?)\};", text, re.S):
        column = [int(sign + value) for sign, value in re.findall(r"(-?)\d+'sd(\d+)", body)]
        tables.setdefault(name, []).append(column)
        assert len(tables[name]) == int(order) + 1, name
    return {name: [list(row) for row in zip(*columns)] for name, columns in tables.items()}


def main():
    source, built = sys.argv[1:3]
    generator = os.path.join(source, "tools", "gen", "gen_transcendental.py")
    outputs = []
    for seed in ("1", "2"):
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([sys.executable, generator, work], check=True,
                           env=dict(os.environ, PYTHONHASHSEED=seed))
            outputs.append(contents(work))
    assert outputs[0] == outputs[1], "two runs differ"
    assert outputs[0] == contents(built), "the build tree holds something else"
    cpp = cpp_tables(outputs[0]["fp/transcendental_tables.h"])
    verilog = verilog_tables(outputs[0]["rtl/transcendental_table_pkg.sv"])
    assert {name: len(rows) for name, rows in cpp.items()} == {"Exp2": 64, "Log2": 48, "Sin": 64}
    assert cpp == verilog, "C++ and SystemVerilog differ"
    for name, (function, low, width) in SEGMENTS.items():
        for n, (c0, c1, c2, c3) in enumerate(cpp[name]):
            for step in range(9):
                d = step / 8
                got = (c0 + d * (c1 + d * (c2 + d * c3))) / 2.0 ** 36
                exact = function(low(n) + width * d)
                assert abs(got / exact - 1) < 2.0 ** -31.5, (name, n, d, got, exact)
    for verilator in filter(None, sys.argv[3:]):  # empty without Verilator
        lint(verilator, os.path.join(built, "rtl", "transcendental_table_pkg.sv"))
    print("transcendental tables: 176 segments")


if __name__ == "__main__":
    main()
