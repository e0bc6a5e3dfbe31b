#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up the rows of tests/ledger/abi_items.csv that test programs covered. Every other row has its reason here.

usage: abi_items_test.py SOURCE_DIR LEDGER_DIR
LEDGER_DIR holds one list of ids per program, written when the program passed (tests/support/hsa_ledger.h).
"""

import csv
import os
import sys

PROGRAMS = ("hsa_test", "abi_code_test", "abi_dispatch_test", "abi_debug_test")
OLDER = "of gfx7 and gfx8 only: no target of that age is here"
DOORBELL = "legacy doorbells are of gfx7 and gfx8; signals of gfx9 queues are of kind DOORBELL (A233, A234)"
SEGMENT = "HSAIL converts addresses of group and private memory only (PRM 5.17)"
NO_TEST = {
    "A025": "a field of the gfx7 and gfx8 register: SH_MEM_CONFIG of gfx9 has no DEFAULT_MTYPE (gfx9_registers.csv)",
    "A041": "code here reaches global memory by FLAT and GLOBAL instructions; no prolog builds a buffer descriptor for it",
    "A044": OLDER,
    "A047": OLDER,
    "A051": SEGMENT,
    "A055": SEGMENT,
    "A060": OLDER,
    "A061": OLDER,
    "A065": OLDER,
    "A206": "of gfx8 and earlier: queues of both types are taken",
    "A229": DOORBELL,
    "A230": DOORBELL,
    "A231": DOORBELL,
}


def main():
    source, ledger = sys.argv[1:]
    with open(os.path.join(source, "tests", "ledger", "abi_items.csv"), newline="", encoding="utf-8") as file:
        rows = {row["item_id"] for row in csv.DictReader(file)}
    covered = set()
    for program in PROGRAMS:
        with open(os.path.join(ledger, "abi_items." + program), encoding="ascii") as file:
            covered |= set(file.read().split())
    assert covered <= rows, f"not in abi_items.csv: {sorted(covered - rows)}"
    print(f"ledger abi_items: {len(covered)} of {len(rows)}, {len(NO_TEST)} with a reason")
    assert not covered & set(NO_TEST), f"covered, and with a reason not to be: {sorted(covered & set(NO_TEST))}"
    missing = rows - covered - set(NO_TEST)
    assert not missing, f"neither covered nor with a reason: {' '.join(sorted(missing))}"


if __name__ == "__main__":
    main()
