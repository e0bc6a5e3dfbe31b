#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program by `cuvette rocm` and looks at how it ends and what it and the report say.

rocm_test.py CUVETTE [--status N] [--out TEXT]... [--err TEXT]... [--not-err TEXT]... [--stats KEY=LEAST]...
             [--set NAME=VALUE]... [--plain] [--option OPTION]... [--seconds N] [--row FILE] [--group NAME]
             -- PROGRAM [ARGUMENT]...

With --row, a program that says how many results it has compared leaves a row of the table of programs (table.py).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("cuvette")
parser.add_argument("--status", type=int, default=0)
parser.add_argument("--out", action="append", default=[], help="standard output has it")
parser.add_argument("--err", action="append", default=[], help="standard error has it")
parser.add_argument("--not-err", action="append", default=[])
parser.add_argument("--stats", action="append", default=[], help="a number of the statistics is at least so large")
parser.add_argument("--set", action="append", default=[], help="environment")
parser.add_argument("--plain", action="store_true", help="by environment variables alone, without the verb")
parser.add_argument("--option", action="append", default=[], help="of the verb")
parser.add_argument("--seconds", type=int, default=300, help="for the program; then it has failed")
parser.add_argument("--row", help="file for what the table of programs says about this test")
parser.add_argument("--group", default="", help="the library or compiler that is tested, for the row")
parser.add_argument("program", nargs="+")
args = parser.parse_args()

environment = dict(os.environ)
for entry in args.set:
    name, value = entry.split("=", 1)
    environment[name] = value
with tempfile.TemporaryDirectory() as folder:
    stats = os.path.join(folder, "stats.json")
    if args.plain:
        libraries = os.path.join(os.path.dirname(args.cuvette), "../libexec/cuvette/rocm")
        environment["LD_LIBRARY_PATH"] = libraries
        environment["CUVETTE_STATS"] = stats
        command = args.program
    else:
        timeout = [] if "--timeout" in args.option else ["--timeout", str(args.seconds)]
        command = [args.cuvette, "rocm", *args.option, "--stats", stats, *timeout, "--", *args.program]
    begin = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=2 * args.seconds)
    seconds = time.monotonic() - begin
    wrong = []
    if run.returncode != args.status:
        wrong.append(f"status {run.returncode}, expected {args.status}")
    wrong += [f"standard output has no '{text}'" for text in args.out if text not in run.stdout]
    wrong += [f"standard error has no '{text}'" for text in args.err if text not in run.stderr]
    wrong += [f"standard error has '{text}'" for text in args.not_err if text in run.stderr]
    numbers = {}
    lockstep = ""
    if os.path.exists(stats):
        with open(stats, encoding="utf-8") as f:
            numbers = json.load(f)
        devices = numbers.pop("devices", [numbers])
        for index, device in enumerate(devices):
            compared = device.get("lockstep", {})
            lockstep = compared.get("scope", "")
            own = {"dispatches": sum(kernel["dispatches"] for kernel in device["kernels"])}
            own.update({"sdma." + name: n for name, n in device.get("sdma", {}).items()})
            own.update(compared.get("compared", {}))
            for name, n in own.items():
                numbers[f"device{index}.{name}"] = n
                numbers[name] = numbers.get(name, 0) + n
    for entry in args.stats:
        name, least = entry.split("=")
        if numbers.get(name, -1) < int(least):
            wrong.append(f"statistics: {name} is {numbers.get(name)}, expected at least {least}")
print(run.stdout, end="")
print(run.stderr, end="", file=sys.stderr)
results = re.findall(r"^(\d+) .*?\b(\d+) differ$", run.stdout, re.MULTILINE)
if args.row and results and numbers:
    row = {
        "program": os.path.basename(args.program[0]),
        "arguments": [os.path.basename(argument) for argument in args.program[1:]],
        "group": args.group,
        "engine": numbers["engine"],
        "machine": numbers["machine"],
        "lockstep": lockstep,
        "checks": sum(int(compared) for compared, _ in results),
        "differ": sum(int(differ) for _, differ in results),
        "passed": not wrong,
        "instructions": numbers["instructions"],
        "seconds": round(seconds, 1),
    }
    os.makedirs(os.path.dirname(os.path.abspath(args.row)), exist_ok=True)
    with open(args.row, "w", encoding="utf-8") as f:
        json.dump(row, f, indent=1)
for line in wrong:
    print("FAILED:", line)
sys.exit(1 if wrong else 0)
