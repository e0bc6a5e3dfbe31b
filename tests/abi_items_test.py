#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up the rows of tests/ledger/abi_items.csv that test programs covered; fewer than before is a failure.

usage: abi_items_test.py SOURCE_DIR LEDGER_DIR
LEDGER_DIR holds one list of ids per program, written when the program passed (tests/hsa_ledger.h).
"""

import csv
import os
import sys

PROGRAMS = ("hsa_test", "abi_code_test", "abi_dispatch_test")
LEAST = 322


def main():
    source, ledger = sys.argv[1:]
    with open(os.path.join(source, "tests", "ledger", "abi_items.csv"), newline="", encoding="utf-8") as file:
        rows = {row["item_id"] for row in csv.DictReader(file)}
    covered = set()
    for program in PROGRAMS:
        with open(os.path.join(ledger, "abi_items." + program), encoding="ascii") as file:
            covered |= set(file.read().split())
    assert covered <= rows, f"not in abi_items.csv: {sorted(covered - rows)}"
    print(f"ledger abi_items: {len(covered)} of {len(rows)}")
    assert len(covered) >= LEAST, f"at least {LEAST} expected; missing: {' '.join(sorted(rows - covered))}"


if __name__ == "__main__":
    main()
