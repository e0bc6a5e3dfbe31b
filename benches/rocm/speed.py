#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of HIP programs on engines lt and golden: launches of an empty kernel, rocPRIM's radix sort. Medians.

speed.py CUVETTE PROGRAM [--repetitions N] [--launches N] [--keys N]
"""
import argparse
import re
import statistics
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("cuvette")
parser.add_argument("program")
parser.add_argument("--repetitions", type=int, default=5)
parser.add_argument("--launches", type=int, default=20000)
parser.add_argument("--keys", type=int, default=1000000)
args = parser.parse_args()


def seconds(engine, machine, *words):
    """Median of several processes."""
    times = []
    for _ in range(args.repetitions):
        command = [args.cuvette, "rocm", "--engine", engine, "--config", machine, "--", args.program, *words]
        run = subprocess.run(command, capture_output=True, text=True)
        found = re.search(r"^seconds ([0-9.]+)$", run.stdout, re.MULTILINE)
        if run.returncode != 0 or not found:
            sys.exit(f"speed.py: error: {' '.join(command)}: status {run.returncode}\n{run.stderr}")
        times.append(float(found.group(1)))
    return statistics.median(times)


print(f"medians of {args.repetitions} processes, elapsed time")
for engine, machine in (("lt", "small"), ("lt", "mi100"), ("golden", "mi100")):
    rate = args.launches / seconds(engine, machine, "launches", str(args.launches))
    print(f"{engine} ({machine}): {rate:.0f} launches of an empty kernel a second")
for engine, machine in (("golden", "mi100"), ("lt", "mi100")):
    time = seconds(engine, machine, "sort", str(args.keys))
    print(f"{engine} ({machine}): radix sort of {args.keys} keys in {time:.2f} s")
