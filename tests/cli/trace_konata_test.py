#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --trace FILE.kanata: every instruction of the statistics is there once, and its stages before the issue add up to
the reasons for which waves do not issue.

trace_konata_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import konata_reader  # noqa: E402
from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
equal = runs.equal
WAITS = {"fetch": "F", "arbitration": "Ar", "scalar_result": "Sr", "waitcnt": "Wc", "vector_result": "Vr",
         "message": "Ms", "matrix_result": "Mr", "simd": "Si", "matrix_core": "Mc", "memory_pipeline": "Mp", "lds": "Ld",
         "full_counter": "Fc", "barrier": "Ba", "latency": "La", "sleep": "Sl", "rotation": "Ro", "halt": "Ha"}


def traced(name, label, *args):
    trace, stats = path_of(label + ".kanata"), path_of(label + ".stats.json")
    status, out, err = runs.run("run", os.path.join(source, "tests/dispatches", name), "--trace", trace, "--stats", stats,
                                *args)
    equal(status, 0, f"{label}: {out}{err}")
    expect("told after" not in out + err, f"{label}: {out}{err}")
    with open(stats, encoding="utf-8") as file:
        return konata_reader.read(trace), json.load(file)


def check_stages(label, found):
    """Waits, one cycle of issue, then what it takes to retire: without a gap from the first cycle to the last."""
    for i in found.values():
        names = [s[0] for s in i.stages]
        at = i.stages[0][1]
        ordered = at == i.begin
        for _, begin, end in i.stages:
            ordered = ordered and begin == at and end > begin
            at = end
        issue = names.index("Is") if names.count("Is") == 1 else -1
        good = (ordered and at == i.end and not i.flushed and issue >= 0 and i.stages[issue][2] - i.stages[issue][1] == 1
                and set(names[issue + 1:]) <= {"X", "M"} and len(names) - issue <= 2
                and re.fullmatch(r"0x[0-9a-f]+: [a-z]\w+.*", i.labels[0]) and "cu 0 simd" in i.labels[1])
        if not expect(good, f"{label}: {i.stages} from {i.begin} to {i.end}, {i.labels}"):
            break
    threads = collections.defaultdict(list)
    for i in found.values():
        threads[i.thread].append([b for n, b, _ in i.stages if n == "Is"][0])
    for thread, issues in threads.items():
        expect(issues == sorted(issues), f"{label}: issues of thread {thread} are out of order")


def check_reasons(name, found, stats):
    """Stages before issues have the cycles of the statistics, reason by reason."""
    cycles = collections.Counter()
    for i in found.values():
        for stage, begin, end in i.stages:
            cycles[stage] += end - begin
    counted = collections.Counter()
    for d in stats["dispatches"]:
        counted.update(d["blocks"]["compute_unit"]["total"])
    for reason, stage in WAITS.items():
        equal(cycles[stage], counted["stalled_" + reason], f"{name}: cycles of {reason}")
    equal(cycles["Wt"], 0, f"{name}: cycles without a reason")
    return {stage for stage in WAITS.values() if cycles[stage] != 0}


for name in ("saxpy", "reduce", "histogram", "mfma_gemm", "transpose", "two_kernels"):
    found, stats = traced(name + ".yaml", name + ".ca", "--engine", "ca", "--config", "small")
    equal(len(found), stats["totals"]["instructions"], f"{name}: instructions")
    check_stages(name, found)
    check_reasons(name, found, stats)
    for i in found.values():
        for p in i.producers:
            wait = i.stages[0][1]
            expect("s_waitcnt" in i.labels[0] and p.thread == i.thread and wait <= p.end <= i.end and
                   any(s[0] == "M" for s in p.stages), f"{name}: {i.labels[0]} waits for {p.labels[0]}")
    expect(any(i.producers for i in found.values()), f"{name}: nobody waits for anything")

# Loosely timed, as far as the rules of time have reasons.
reasons = set()
for name in ("saxpy", "reduce", "histogram", "mfma_gemm", "transpose", "two_kernels"):
    found, stats = traced(name + ".yaml", name + ".lt", "--engine", "lt", "--config", "small")
    equal(len(found), stats["totals"]["instructions"], f"{name} on lt: instructions")
    check_stages(name + " on lt", found)
    reasons |= check_reasons(name + " on lt", found, stats)
expect(reasons >= {"F", "Ar", "Wc", "Si", "Mr", "Ba", "La"}, f"reasons on lt: {reasons}")

# Host threads change no byte; --why-blocked beside it says what it says alone.
texts = []
for threads in ("1", "2"):
    out = path_of(f"reduce.{threads}.kanata")
    status, text, err = runs.run("run", os.path.join(source, "tests/dispatches/reduce.yaml"), "--engine", "ca", "--threads",
                                 threads, "--trace", out, "--why-blocked", "reduce")
    equal(status, 0, f"reduce on {threads} threads: {text}{err}")
    expect(re.search(r"why blocked +\d+ waves of reduce: \d+ cycles", text), f"no reasons: {text}")
    with open(out, "rb") as file:
        texts.append(file.read())
expect(texts[0] == texts[1], "the trace depends on the number of threads")

runs.end(least=80)
