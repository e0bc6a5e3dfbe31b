#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""`cuvette bench suite`: figures, another program in turn, wrong results, bad input.

bench_suite_test.py CUVETTE SUITE TESTS SCRATCH
"""
import json
import math
import os
import re
import shutil
import stat
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
cuvette, suite, tests, scratch = sys.argv[1:5]
sys.path.insert(0, tests)

from program_runs import Runs  # noqa: E402

shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
SMALL = ("--suite", suite, "--size", "test", "--repetitions", "1")


def instructions_of(kernel, target):
    results = runs.path("results.json")
    runs.run("run", f"{suite}/test/{kernel}/{kernel}.yaml", "--target", target, "--results", results)
    with open(results, encoding="utf-8") as file:
        return json.load(file)["instructions"]


def program(name, text):
    """A program that stands for an older cuvette, in the bin of an install tree."""
    folder = runs.path(name)
    os.makedirs(os.path.join(folder, "bin"))
    path = os.path.join(folder, "bin", "cuvette")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, stat.S_IRWXU)
    return folder


# Kernels and classes in the order of the table, with the instructions that `run` counts.
status, out, err = runs.run("bench", "suite", "radix", "spectral", *SMALL, "--json")
runs.expect(status == 0, f"radix spectral: exit {status}: {out + err}")
report = json.loads(out)
rows = report["kernels"]
runs.expect([row["kernel"] for row in rows] == ["radix", "fft512", "dct8x8"], f"kernels: {rows}")
runs.expect(rows[0]["instructions"] == instructions_of("radix", "gfx908"), f"instructions: {rows[0]}")
runs.expect(report["clock"] == "CPU time" and all(row["figures"][0]["start"] > 0 for row in rows), f"figures: {rows}")

# Another program is asked the same as often; a slower one has a ratio above 1, and the means are those of the rows.
slower = program("slower", f"""echo "$@" >> {runs.path('asked')}
case "$*" in *--watchdog*) ;; *) i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done ;; esac
exec {cuvette} "$@"
""")
status, out, err = runs.run("bench", "suite", "radix", "bfs", *SMALL, "--json", "--against", slower)
runs.expect(status == 0, f"--against: exit {status}: {out + err}")
report = json.loads(out)
with open(runs.path("asked"), encoding="utf-8") as file:
    asked = file.read().splitlines()
runs.expect(len(asked) == 6 and sum("--watchdog 1" in line for line in asked) == 2, f"asked: {asked}")
runs.expect(not any("--results" in line for line in asked), f"an older program need not know --results: {asked}")
figures = [[figure["ns_per_instruction"] for figure in row["figures"]] for row in report["kernels"]]
runs.expect(all(other > 0 for _, other in figures), f"figures of the slower one: {figures}")
measured = [row["ratios"][0]["ratio"] for row in report["kernels"] if row["ratios"][0]["ratio"] > 0]
runs.expect(all(ratio > 1 for ratio in measured), f"ratios of a slower program: {measured}")
for (own, other), row in zip(figures, report["kernels"]):
    expected = other / own if own > 0 else 0
    runs.expect(math.isclose(row["ratios"][0]["ratio"], expected, rel_tol=1e-9), f"ratio: {row}")
if measured:
    mean = math.exp(sum(map(math.log, measured)) / len(measured))
    runs.expect(math.isclose(report["means"][0]["ratios"][0]["mean"], mean, rel_tol=1e-9), f"mean: {report['means']}")

# One that cannot run a kernel costs its ratio, not ours; the program may be named itself.
broken = program("broken", "echo no such kernel; exit 2\n")
status, out, err = runs.run("bench", "suite", "bfs", *SMALL, "--against", os.path.join(broken, "bin/cuvette"))
runs.expect(status == 0 and "FAILED" in out and "against: status 2: no such kernel" in out,
            f"broken: exit {status}: {out + err}")

# Results are judged by this program: one that does not judge its own is found out.
liar = program("liar", f"""{cuvette} "$@" || exit $?
for word; do case $word in level=*) printf 'xxxx' | dd of="${{word#level=}}" conv=notrunc 2> {os.devnull} ;; esac; done
""")
status, out, err = runs.run("bench", "suite", "bfs", *SMALL, "--against", liar)
runs.expect(status == 0 and re.search(r"against: wrong result, 1 of \d+ elements differ: .*level\[0\]", out),
            f"liar: exit {status}: {out + err}")

# Threads of golden, in turn.
status, out, err = runs.run("bench", "suite", "bfs", *SMALL, "--threads", "1,2", "--json")
report = json.loads(out)
runs.expect(status == 0 and report["clock"] == "elapsed time" and
            [figure["threads"] for figure in report["kernels"][0]["figures"]] == [1, 2], f"threads: {out + err}")

# Another engine.
status, out, err = runs.run("bench", "suite", "bfs", *SMALL, "--engine", "golden,lt")
runs.expect(status == 0 and re.search(r"bfs .* golden .*\n.*bfs .* lt ", out) and out.count("geometric mean") == 2,
            f"engines: exit {status}: {out + err}")

# A wrong result is a failure.
wrong = runs.path("wrong")
os.makedirs(os.path.join(wrong, "test"))
shutil.copytree(f"{suite}/test/bfs", f"{wrong}/test/bfs")
with open(f"{wrong}/suite.yaml", "w", encoding="utf-8") as file:
    file.write("kernels:\n  - {name: bfs, class: sparse, target: gfx908}\n")
with open(f"{wrong}/test/bfs/counts.bin", "r+b") as file:
    file.write(b"\x02")
status, out, err = runs.run("bench", "suite", "--suite", wrong, "--size", "test", "--repetitions", "1")
runs.expect(status == 1 and re.search(r"bfs .*FAILED\n  this: wrong result, 1 of \d+ elements differ: .*counts\[0\]: expected 2", out),
            f"a wrong result: exit {status}: {out + err}")

# Bad input: one message.
with open(f"{wrong}/suite.yaml", "w", encoding="utf-8") as file:
    file.write("kernels:\n  - {name: bfs, class: sparse}\n")
for options, message in [
    (("--suite", scratch), r"suite.yaml: error: "),
    (("--suite", wrong), r"suite.yaml:2:\d+: error: .*target"),
    (("--suite", suite, "no_such_kernel"), r"error: no kernel or class 'no_such_kernel' in the suite; there are aes, "),
    ((*SMALL, "--against", scratch), r"error: --against: no program in '.*', expected cuvette or bin/cuvette"),
    (("--suite", suite, "--engine", "hsail"), r"--engine"),
    (("--suite", suite, "--engine", "lt", "--threads", "2"), r"error: --threads goes with the engines golden and ca"),
    (("--suite", suite, "--repetitions", "0"), r"--repetitions"),
]:
    status, out, err = runs.run("bench", "suite", *options)
    lines = [line for line in err.splitlines() if line and "--help" not in line]
    runs.expect(status == 2 and re.search(message, err) and len(lines) == 1 and not out,
                f"{options}: exit {status}: {out + err}")
shutil.rmtree(f"{wrong}/test/bfs")
with open(f"{wrong}/suite.yaml", "w", encoding="utf-8") as file:
    file.write("kernels:\n  - {name: bfs, class: sparse, target: gfx908}\n")
status, out, err = runs.run("bench", "suite", "--suite", wrong)
runs.expect(status == 2 and "error: no dispatch file of kernel 'bfs': build the target 'suite_bench'" in err,
            f"no data: exit {status}: {out + err}")
runs.end()
