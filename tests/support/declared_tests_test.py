#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Declarations of all tests of a build tree: a fixture that a test requires is set up by another one, and a file of the
source tree that a command names is there. ctest itself accepts both, so that a test may run with what an older build left.

declared_tests_test.py CTEST BUILD SOURCE
"""
import json
import os
import subprocess
import sys

ctest, build, source = sys.argv[1:4]
shown = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
tests = json.loads(shown.stdout)["tests"]


def fixtures(test, name):
    return {fixture for p in test.get("properties", []) if p["name"] == name for fixture in p["value"]}


made = set().union(*(fixtures(test, "FIXTURES_SETUP") for test in tests))
faults = []
for test in tests:
    for fixture in sorted(fixtures(test, "FIXTURES_REQUIRED") - made):
        faults.append(f"{test['name']}: no test sets up the fixture {fixture}")
    for word in test.get("command", []):
        if word.startswith(source + "/") and not word.startswith(build + "/") and not os.path.exists(word):
            faults.append(f"{test['name']}: {word} is not there")
print(f"{len(tests)} tests, {len(made)} fixtures, {len(faults)} faults")
for fault in faults:
    print("FAILED:", fault)
sys.exit(1 if faults or len(tests) < 100 or not made else 0)
