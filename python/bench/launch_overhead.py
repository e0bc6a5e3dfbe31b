#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""What a launch costs from Python beyond the same launch from C, in microseconds of the host.

usage: launch_overhead.py LAUNCH SAXPY [COUNT [ROUNDS]]   (LAUNCH: the program of launch.c; SAXPY: the kernel's HSAIL;
COUNT launches per round)

Engine golden, one wave of saxpy, from the arguments to the end of the wait. C and Python take turns. In it is the work of
the model, which is the same for both: the difference is what counts. On a host that does other things, too, the least of
the rounds says more than the median."""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

import cuvette


def from_c(program, code, count):
    done = subprocess.run([program, code, str(count)], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def from_python(code, count):
    with cuvette.Device('golden', 'small') as device:
        kernel = device.load(code)['saxpy']
        x = device.array(numpy.ones(64, dtype=numpy.float32))
        y = device.zeros(64)
        begin = time.perf_counter()
        for _ in range(count):
            kernel(64, 64, 64, 1.0, x, y)
        seconds = time.perf_counter() - begin
        assert y[0] == count
    return seconds / count * 1e6


def main():
    program, kernel = sys.argv[1:3]
    count, rounds = (int(word) for word in (sys.argv[3:] + ['2000', '7'][len(sys.argv) - 3:]))
    figures = {'place': [], 'calls': [], 'python': []}
    with tempfile.TemporaryDirectory(prefix='cuvette-') as scratch:
        code = pathlib.Path(scratch) / 'saxpy.co'
        code.write_bytes(cuvette.program.compile_code([pathlib.Path(kernel)], 'gfx908'))
        for _ in range(rounds):
            for name, value in from_c(program, code, count).items():
                figures[name].append(value)
            figures['python'].append(from_python(code, count))
    rows = [('C, memory in place', figures['place']), ('C, memory by calls', figures['calls']),
            ('Python', figures['python'])]
    print(f'{rounds} rounds of {count} launches, microseconds a launch')
    print(f"{'':24}{'median':>9}{'least':>9}")
    for name, values in rows:
        print(f'{name:24}{statistics.median(values):9.1f}{min(values):9.1f}')
    for name, values in rows[:2]:
        print(f'Python beyond {name.replace(", memory", "")}'.ljust(24)
              + f"{statistics.median(figures['python']) - statistics.median(values):9.1f}"
              + f"{min(figures['python']) - min(values):9.1f}")


if __name__ == '__main__':
    main()
