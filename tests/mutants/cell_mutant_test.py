#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the cells of rtl/common, of rtl/lds, of rtl/gds, of rtl/cache, of rtl/memory, of rtl/spi, of rtl/crossbar
and of the lockstep kit: each row of tests/mutants/lockstep.csv whose check is cell-TEST:FILTER has to make that unit
test fail, which passes without a mutant.

usage: cell_mutant_test.py SOURCE_DIR TEST_BINARY_DIR [ID...]"""
import csv
import pathlib
import re
import sys

from semantic_mutant_test import check, chosen

CELLS = ("arbiter", "exact_dot_pkg", "fifo", "fp16_fma", "fused_dot_pkg", "skid_buffer")


def main():
    source, binaries = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with open(source / "tests" / "mutants" / "lockstep.csv", newline="") as table:
        mutants = [m for m in csv.DictReader(table) if m["check"].startswith("cell-")]
    errors = []
    for cell in CELLS:
        n = sum(m["file"] == f"rtl/common/{cell}.sv" for m in mutants)
        if n < 3:
            errors.append(f"{cell}: {n} mutants")
    for block in ("lds", "gds", "cache", "memory", "spi", "crossbar"):
        n = sum(m["file"].startswith(f"rtl/{block}/") for m in mutants)
        if n < 25:
            errors.append(f"{block}: {n} mutants")
    n = sum(m["file"].startswith(("ip/lockstep/", "ip/lds/", "model/machine/contract")) for m in mutants)
    if n < 25:
        errors.append(f"lockstep kit: {n} mutants")
    looked_at = chosen(mutants, sys.argv[3:])
    for m in looked_at:
        m["test"], m["filter"] = re.fullmatch(r"cell-(\w+):(.+)", m["check"]).groups()
    caught, missed = check(binaries, looked_at)
    errors += missed
    print(f"caught {caught} of {len(looked_at)} from a table of {len(mutants)}")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
