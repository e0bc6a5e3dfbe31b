#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Every abnormal end has a test at every door, or a reason why it cannot come there (tests/ledger/doors.csv).

doors_test.py SOURCE_DIR BUILD_DIR
"""
import csv
import json
import os
import subprocess
import sys

source_dir, build_dir = sys.argv[1:3]
FAILURES = ["trap", "fault", "hang", "scratch", "bad packet", "bad object", "mismatch", "unwritable file"]
DOORS = ["program", "C", "embedding", "plug-in", "replay"]

listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build_dir, check=True, capture_output=True).stdout)
known = [test["name"] for test in listed["tests"]]
with open(os.path.join(source_dir, "tests/ledger/doors.csv"), encoding="utf-8", newline="") as f:
    rows = list(csv.DictReader(f))

wrong = []
cells = [(row["failure"], row["door"]) for row in rows]
expected = [(failure, door) for failure in FAILURES for door in DOORS]
if cells != expected:
    wrong.append(f"rows are not the product of failures and doors: {sorted(set(expected) ^ set(cells))}")
tested = 0
for row in rows:
    cell = f"{row['failure']} through {row['door']}"
    if not row["text"]:
        wrong.append(f"{cell}: neither a text that is checked nor a reason")
    if row["status"] == "-":
        if row["test"] or row["source"]:
            wrong.append(f"{cell}: a test and a reason")
        continue
    tested += 1
    path = os.path.join(source_dir, row["source"])
    if not os.path.exists(path):
        wrong.append(f"{cell}: no file {row['source']}")
        continue
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if row["text"] not in text:
        wrong.append(f"{cell}: {row['source']} does not look for '{row['text']}'")
    # A case of a test program, in whatever suite it is instantiated, or a test of ctest.
    suite, _, case = row["test"].partition(".")
    program = os.path.splitext(os.path.basename(path))[0]
    runs = any(name == row["test"] or name.startswith(program) or suite in name for name in known)
    if not runs or (case and f"{suite}, {case}" not in text):
        wrong.append(f"{cell}: ctest has no test '{row['test']}'")
print(f"abnormal ends: {tested} of {len(expected)} tested, the others with a reason")
for line in wrong:
    print("FAILED:", line)
sys.exit(1 if wrong else 0)
