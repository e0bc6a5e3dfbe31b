#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up the rows of tests/ledger/hsail_language.csv that test programs covered. Every other row has its reason here.

usage: hsail_language_test.py SOURCE_DIR LEDGER_DIR PROGRAM...
LEDGER_DIR holds one list of ids per program, written when the program passed (tests/support/hsail_support.h).
"""

import csv
import os
import sys

UNDEFINED = "says what is undefined: no program may depend on it"
ONE_AGENT = "there is one kernel agent here, and one coherent memory: nothing can be told apart"
RUNTIME = "a notion of the HSA runtime's interface, which is not HSAIL's; what it leads to in dispatches and objects is tested by"
NO_TEST = {
    "HL-001": "names a class of features; each of them has rows of its own",
    "HL-031": UNDEFINED,
    "HL-042": "lets an implementation starve work-items that wait for others of their wavefront; promises nothing",
    "HL-045": "a term for other rules (HL-039, HL-326)",
    "HL-058": RUNTIME + " HL-064 and HL-065: both kinds of variables lie in one object here",
    "HL-061": RUNTIME + " dispatches/externals.yaml (two executables of one program)",
    "HL-101": "reserves names for the standard; a program that has them is not refused, the standard's own could not be written",
    "HL-163": "an introduction: what deviates has rows of its own (HL-164 to HL-175)",
    "HL-175": "the measure of errors; 4.19.6 sets no bound, the instructions do, and their tests use it",
    "HL-195": "a recipe for programs; the orders it is made of are tested by litmus_test and abi_code_test",
    "HL-197": ONE_AGENT,
    "HL-200": UNDEFINED + "; " + ONE_AGENT,
    "HL-201": "deprecated by the manual; " + ONE_AGENT,
    "HL-259": "an example of a debugger's interface, said to be informative",
    "HL-354": "a glossary",
}


def main():
    source, ledger, *programs = sys.argv[1:]
    with open(os.path.join(source, "tests", "ledger", "hsail_language.csv"), newline="", encoding="utf-8") as file:
        rows = {row["id"] for row in csv.DictReader(file)}
    covered = set()
    for program in programs:
        with open(os.path.join(ledger, "hsail_language." + program), encoding="ascii") as file:
            covered |= set(file.read().split())
    assert covered <= rows, f"not in hsail_language.csv: {sorted(covered - rows)}"
    print(f"ledger hsail_language: {len(covered)} of {len(rows)}, {len(NO_TEST)} with a reason")
    assert set(NO_TEST) <= rows, f"reasons for no row: {sorted(set(NO_TEST) - rows)}"
    assert not covered & set(NO_TEST), f"covered, and with a reason not to be: {sorted(covered & set(NO_TEST))}"
    missing = rows - covered - set(NO_TEST)
    assert not missing, f"neither covered nor with a reason: {' '.join(sorted(missing))}"


if __name__ == "__main__":
    main()
