#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The generator of the register map gives the same bytes every time, those of the build; its C header and
SystemVerilog package compile alone and hold what the checklist says; broken maps are refused with their line.

usage: registers_generator_test.py SOURCE_DIR GENERATED_DIR C_COMPILER CXX_COMPILER [VERILATOR]
"""

import csv
import os
import re
import subprocess
import sys
import tempfile

SHIFTED = re.compile(r"^#define CUVETTE_REG_(\w+?)__(\w+)__(SHIFT|MASK) (\w+)$")
PLAIN = re.compile(r"^#define CUVETTE_REG_(\w+?)(__RESET)? (0x[0-9a-f]+)u$")


def generate(generator, source, out, hash_seed="0"):
    env = dict(os.environ, PYTHONHASHSEED=hash_seed)
    return subprocess.run([sys.executable, generator, source, out], env=env, capture_output=True, text=True,
                          check=False)


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def check_values(text, ledger_path):
    """Offsets, masks and reset values of the C header against the checklist."""
    offsets, fields, resets = {}, {}, {}
    with open(ledger_path, newline="", encoding="utf-8") as source:
        for row in csv.DictReader(source):
            name, field = row["register"], row["field"]
            if not row["byte_offset_if_known"]:
                continue
            offsets[name] = int(row["byte_offset_if_known"], 16)
            if field:
                low, high = int(row["bit_lo"]), int(row["bit_hi"])
                fields[name, field] = (low, ((1 << (high - low + 1)) - 1) << low)
            else:
                reset = re.match(r"reset (0x[0-9a-fA-F]+)", row["note"])
                resets[name] = int(reset.group(1), 16) if reset else 0
    checked = 0
    for line in text.splitlines():
        shifted, plain = SHIFTED.match(line), PLAIN.match(line)
        if shifted:
            name, field, kind, value = shifted.groups()
            if not name.startswith("CUVETTE_"):
                expected = fields[name, field][0 if kind == "SHIFT" else 1]
                assert int(value.rstrip("u"), 0) == expected, line
                checked += 1
        elif plain:
            name, reset, value = plain.groups()
            if not name.startswith("CUVETTE_"):
                assert int(value, 16) == (resets if reset else offsets)[name], line
                checked += 1
    return checked


def compile_alone(folder, c_compiler, cxx_compiler):
    for compiler, standard, suffix in ((c_compiler, "c99", "c"), (cxx_compiler, "c++17", "cpp")):
        probe = os.path.join(folder, "probe." + suffix)
        with open(probe, "w", encoding="ascii") as out:
            out.write('#include "cuvette_registers.h"\n'
                      "int probe(void) { return CUVETTE_REG_CP_HQD_ACTIVE == 0xc91cu ? 0 : 1; }\n")
        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                        "-I", folder, probe], check=True)


def lint(verilator, package):
    with tempfile.TemporaryDirectory() as work:
        top = os.path.join(work, "lint_top.sv")
        with open(top, "w", encoding="ascii") as out:
            out.write("module lint_top (output logic [31:0] x_o);\n"
                      "  assign x_o = cuvette_registers_pkg::CP_HQD_ACTIVE_OFFSET;\nendmodule\n")
        subprocess.run([verilator, "--lint-only", "-Wall", "-Wno-UNUSED", "-Wno-DECLFILENAME", "--top-module",
                        "lint_top", package, top], check=True)


def check_refusals(generator, source, work):
    with open(source, encoding="ascii") as file:
        good = file.read()
    cases = [
        ("at: 0x0001, reset: 0x20", "at: 0x0000, reset: 0x20", "GRBM_SKEW_CNTL lies on GRBM_CNTL"),
        ("{READ_TIMEOUT: [0, 7], REPORT", "{READ_TIMEOUT: [0, 31], REPORT", "shares bits with another field"),
        ("{READ_TIMEOUT: [0, 7]", "{READ_TIMEOUT: [0, 32]", "expected 0 <= low <= high <= 31"),
        ("{name: GRBM_CNTL,", "{name: GRBM_CNTL, colour: 1,", "unknown key colour"),
        ("{name: GRBM_CNTL,", "{name: GRBM_CNTL, name: B,", "name occurs twice"),
        ("{name: GRBM_CNTL, at: 0x0000, reset: 0x18, effect: stored",
         "{name: GRBM_CNTL, at: 0x0000, reset: 0x18, effect: maybe", "expected acts, status, checked, stored"),
        ("{name: GRBM_CNTL, at: 0x0000", "{name: GRBM_CNTL, at: 0x1dc00", "what is invented lies in"),
        ("{name: GRBM_CNTL,", '{name: "GRBM{}_CNTL",', "{} and count belong together"),
        ("{name: CUVETTE_SCRATCH, at: 0x0006", "{name: CUVETTE_SCRATCH, at: 0x0400", "what is invented lies in"),
        ("holes: [0x1255]", "holes: [0x1254]", "the hole at 0xc950 is CP_HQD_PQ_DOORBELL_CONTROL"),
    ]
    for old, new, message in cases:
        assert good.count(old) == 1, old
        path = os.path.join(work, "broken.yaml")
        with open(path, "w", encoding="ascii") as out:
            out.write(good.replace(old, new))
        result = generate(generator, path, os.path.join(work, "unwanted"))
        assert result.returncode == 1, (new, result.stderr)
        assert re.search(r"broken\.yaml:\d+: ", result.stderr) and message in result.stderr, result.stderr
    return len(cases)


def main():
    source, built, c_compiler, cxx_compiler = sys.argv[1:5]
    generator = os.path.join(source, "tools", "gen", "gen_registers.py")
    registers = os.path.join(source, "config", "registers.yaml")
    with tempfile.TemporaryDirectory() as work:
        outputs = []
        for seed in ("1", "2"):
            out = os.path.join(work, seed)
            result = generate(generator, registers, out, seed)
            assert result.returncode == 0, result.stderr
            outputs.append(contents(out))
        assert sorted(outputs[0]) == ["cuvette_registers.h", "cuvette_registers_pkg.sv", "registers/gfx9.cpp",
                                      "registers/gfx9.h", "registers_table.md"], sorted(outputs[0])
        assert outputs[0] == outputs[1], "two runs differ"
        assert outputs[0] == contents(built), "the build tree holds something else"
        checked = check_values(outputs[0]["cuvette_registers.h"].decode(),
                               os.path.join(source, "tests", "ledger", "gfx9_registers.csv"))
        assert checked > 2300, checked
        compile_alone(os.path.join(work, "1"), c_compiler, cxx_compiler)
        for verilator in filter(None, sys.argv[5:]):  # empty without Verilator
            lint(verilator, os.path.join(work, "1", "cuvette_registers_pkg.sv"))
        refused = check_refusals(generator, registers, work)
    print(f"register generator: deterministic, {checked} values of the C header checked, {refused} broken maps refused")


if __name__ == "__main__":
    main()
