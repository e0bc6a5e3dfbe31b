#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: options that take one value each, and JSON output of names that are no UTF-8.

command_line_test.py CUVETTE DISPATCHES SCRATCH
"""
import json
import os
import shutil
import subprocess
import sys

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(scratch)
checks = 0
failures = []


def run(*args, stdin=b""):
    return subprocess.run([cuvette, *args], input=stdin, capture_output=True)


def expect(good, what, done):
    global checks
    checks += 1
    if not good:
        failures.append(f"{what}: exit {done.returncode}: {done.stdout + done.stderr}"[:600])


file = os.path.join(dispatches, "saxpy.yaml")
# The word behind the value is a dispatch file, not another value.
done = run("run", "--engine", "hsail", "--config-dir", scratch, file)
expect(done.returncode == 0, "--config-dir DIR FILE", done)
dump = os.path.join(scratch, "y.out")
done = run("run", "--engine", "hsail", "--dump", f"y={dump}", file)
expect(done.returncode == 0 and os.path.getsize(dump) > 0, "--dump NAME=FILE FILE", done)
# Each may come again.
again = os.path.join(scratch, "again.out")
done = run("run", file, "--engine", "hsail", "--dump", f"y={dump}", "--dump", f"y={again}",
           "--config-dir", scratch, "--config-dir", dispatches)
expect(done.returncode == 0, "options given twice", done)

# File names are bytes.
odd = os.path.join(os.fsencode(scratch), b"odd\xff.yaml")
with open(file, "rb") as source, open(odd, "wb") as copy:
    folder = os.fsencode(os.path.abspath(dispatches))
    copy.write(source.read().replace(b"../kernels", folder + b"/../kernels")
               .replace(b"saxpy.expected.bin", folder + b"/saxpy.expected.bin"))
results = os.path.join(scratch, "results.jsonl")
done = run("run", odd, "--engine", "hsail", "--results", results)
expect(done.returncode == 0, "a file name that is no UTF-8", done)
with open(results, encoding="utf-8") as lines:
    for line in lines:
        json.loads(line)
        checks += 1
module = os.path.join(os.fsencode(scratch), b"odd\xff.hsail")
with open(module, "wb") as out:
    out.write(b"module &m:1:0:$full:$large:$default;\nnonsense\n")
done = run("validate", module, "--diagnostics", "json")
good = done.returncode in (1, 2)
for line in done.stderr.decode("utf-8", errors="strict").splitlines():
    good = good and isinstance(json.loads(line), dict)
expect(good and done.stderr != b"", "diagnostics in JSON", done)

print(f"{checks} checks, {len(failures)} failed")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
