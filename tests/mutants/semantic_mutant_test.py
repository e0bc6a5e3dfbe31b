#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Tests are proven by errors put in on purpose: each mutant of a table (tests/mutants/wave.csv: fp
and wave; tests/mutants/front.csv: the front end) has to make the test it names fail. Those tests take their
expectations from MPFR, hand tables, oracles and manuals, never from another engine. One mutant in three, all of them with
CUVETTE_WHOLE=1, nightly.

usage: semantic_mutant_test.py SOURCE_DIR TEST_BINARY_DIR TABLE [ID...]"""

import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys

VECTORS = "2000"  # per operation and mode; a tenth or less of what the tests themselves draw
TIMEOUT = 120  # seconds; a mutant that makes a test hang counts as missed
FAILED = 1  # GoogleTest's status when an assertion did not hold; anything else is a broken test


def run(binaries, test, pattern, mutant):
    """The exit status and how many tests ran."""
    env = dict(os.environ, CUVETTE_MUTANT=str(mutant), GTEST_FAIL_FAST="1",
               CUVETTE_TEST_VECTORS=VECTORS)
    try:
        done = subprocess.run(
            [binaries / (test + "_mutant"), "--gtest_filter=" + pattern],
            env=env, timeout=TIMEOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout", 0, ""
    ran = re.search(r"\[=+\] (\d+) tests? from .* ran", done.stdout)
    return done.returncode, int(ran.group(1)) if ran else 0, done.stdout


def check(binaries, mutants):
    """(how many are caught, what is wrong) of mutants, each with the test and the filter that have to find it. Without a
    mutant every such test passes."""
    errors = []
    caught = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        controls = sorted({(m["test"], m["filter"]) for m in mutants})
        for control, (status, ran, text) in zip(controls, pool.map(lambda c: run(binaries, *c, 0), controls)):
            if status != 0 or ran == 0:
                errors.append(f"control {control}: status {status}, {ran} tests\n{text[-2000:]}")
        results = pool.map(lambda m: run(binaries, m["test"], m["filter"], m["id"]), mutants)
        for m, (status, _, text) in zip(mutants, results):
            if status == FAILED and "[  FAILED  ]" in text:
                caught += 1
            else:
                errors.append(f"{m['id']} {m['file']} {m['place']}: {m['change']}: {m['test']} {m['filter']} did not find it "
                              f"(status {status})")
    return caught, errors


def chosen(mutants, ids):
    """The mutants with these ids; without ids all of them, or one in twenty of a day's run."""
    if ids:
        return [m for m in mutants if m["id"] in ids]
    return mutants if "CUVETTE_WHOLE" in os.environ else mutants[::20]


def placed(copies):
    """Mutant ids in the copies that were compiled, with their files."""
    found = {}
    for file in sorted(f for f in copies.rglob("*") if f.is_file()):
        for number in re.findall(r"mutant_is\((\d+)\)", file.read_text()):
            found.setdefault(int(number), []).append(str(file.relative_to(copies)))
    return found


def main():
    source, binaries = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with open(source / "tests" / "mutants" / (sys.argv[3] + ".csv"), newline="") as table:
        mutants = list(csv.DictReader(table))
    errors = []

    listed = {int(m["id"]): [m["file"]] for m in mutants}
    if len(listed) != len(mutants):
        errors.append("an id is listed twice")
    found = placed(binaries.parent / "mutants" / sys.argv[3])
    if listed != found:
        errors.append(f"table and copies differ: {set(listed) ^ set(found) or 'files'}")
    mechanical = sum(m["mechanical"] == "yes" for m in mutants)
    if len(mutants) < 20 or 2 * mechanical < len(mutants):
        errors.append(f"{len(mutants)} mutants, {mechanical} of them mechanical")

    looked_at = chosen(mutants, sys.argv[4:])
    caught, missed = check(binaries, looked_at)
    errors += missed
    print(f"caught {caught} of {len(looked_at)} from a table of {len(mutants)}, {mechanical} of them mechanical")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
