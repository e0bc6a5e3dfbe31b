#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""--trace with its filters, window and limit: what is shown is the chosen part of the whole, what is not is told, and bad
choices are refused with one message.

trace_options_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import konata_reader  # noqa: E402
from perfetto_reader import Trace  # noqa: E402
from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
equal = runs.equal
dispatches = os.path.join(source, "tests/dispatches")
saxpy, kernels = os.path.join(dispatches, "saxpy.yaml"), os.path.join(dispatches, "two_kernels.yaml")
CA = ("--engine", "ca", "--config", "small", "--set", "compute_units=3")
OTHERS = {"residency", "request", "fetch", "hit", "miss", "answer", "memory", "dispatch", "queue", "run"}


def traced(file, ending, *args):
    out = path_of("trace" + ending)
    status, text, err = runs.run("run", file, *CA, "--trace", out, *args)
    equal(status, 0, f"{args}: {text}{err}")
    if ending == ".pftrace":
        return Trace(out), text
    if ending == ".kanata":
        return konata_reader.read(out), text
    with open(out, encoding="utf-8") as f:
        return json.load(f), text


def waves(trace):
    return {w.args["wave"]: w for w in trace.slices if w.category == "residency"}


def issues(trace):
    """(wave, time, pc) of every instruction."""
    by_track = collections.defaultdict(list)
    for w in waves(trace).values():
        by_track[w.track].append(w)
    found = []
    for i in trace.slices:
        if i.category in OTHERS:
            continue
        w, = [w for w in by_track[trace.thread_of(i.track)] if w.begin <= i.begin and i.end <= w.end]
        found.append((w.args["wave"], i.begin, i.args["pc"]))
    return sorted(found)


def unit_of(trace, event):
    return trace.process_of(event.track)


whole, text = traced(kernels, ".pftrace")
all_waves, all_issues = waves(whole), issues(whole)
expect(len({unit_of(whole, w) for w in all_waves.values()}) == 3, "waves on three compute units")
expect("filter" not in whole.fact("trace"), "a filter that nobody gave")

# Compute units.
for choice, units in (("cu=1", {1}), ("cu=0,2", {0, 2}), ("cu=1-2", {1, 2})):
    part, _ = traced(kernels, ".pftrace", "--trace-filter", choice)
    wanted = {n for n, w in all_waves.items() if int(unit_of(whole, w).split()[-1]) in units}
    equal(set(waves(part)), wanted, f"waves of {choice}")
    equal(issues(part), [i for i in all_issues if i[0] in wanted], f"instructions of {choice}")
    equal(part.fact("trace")["filter"], choice, "the filter in the file")
    equal({p for p in part.processes.values() if p.startswith("compute unit")}, {f"compute unit {u}" for u in units},
          f"processes of {choice}")
    of = {"hit", "miss", "answer", "request", "fetch"}
    mine, all_ = ([(e.begin, e.name, e.args.get("address", e.args.get("pc"))) for e in t.slices + t.instants
                   if e.category in of] for t in (part, whole))
    expect(0 < len(mine) < len(all_) and not collections.Counter(mine) - collections.Counter(all_),
           f"requests and accesses of {choice}: {len(mine)} of {len(all_)}")

# A wave, a kernel, and both keys at a time; numbers as they stand in the trace.
number = sorted(all_waves)[len(all_waves) // 2]
for choice in (f"wave={number}", f"wave={number:#x}"):
    part, _ = traced(kernels, ".pftrace", "--trace-filter", choice)
    equal(issues(part), [i for i in all_issues if i[0] == number], f"instructions of {choice}")
    expect(issues(part), "a wave without instructions")
for choice in ("kernel=vector_add", "kernel=&vector_add", "kernel=vector_add,nobody"):
    part, _ = traced(kernels, ".pftrace", "--trace-filter", choice)
    equal(set(waves(part)), {n for n, w in all_waves.items() if w.name == "vector_add"}, f"waves of {choice}")
part, _ = traced(kernels, ".pftrace", "--trace-filter", "kernel=mfma_gemm", "--trace-filter", "cu=0")
wanted = {n for n, w in all_waves.items() if w.name == "mfma_gemm" and unit_of(whole, w) == "compute unit 0"}
equal(set(waves(part)), wanted, "waves of a kernel and a unit")
pipeline, _ = traced(kernels, ".kanata", "--trace-filter", f"wave={number}")
equal(sorted((s[1], int(i.labels[0].split(":")[0], 16)) for i in pipeline.values() for s in i.stages if s[0] == "Is"),
      sorted((time, pc) for n, time, pc in all_issues if n == number), "instructions of a wave in Konata")
chrome, _ = traced(kernels, ".json", "--trace-filter", f"wave={number}")
events = [e for e in chrome["traceEvents"] if e["ph"] == "X" and e["cat"] not in ("residency", "dispatch")]
equal(sorted((e["ts"], int(e["args"]["pc"], 16)) for e in events),
      sorted((time, pc) for n, time, pc in all_issues if n == number), "instructions of a wave in Chrome's")
equal(chrome["otherData"]["filter"], f"wave={number}", "the filter in Chrome's file")

# A window: what is issued in it, waves cut at its borders.
times = sorted(time for _, time, _ in all_issues)
first, last = times[len(times) // 3], times[len(times) // 2]
window = f"{first}:{last}"
part, _ = traced(kernels, ".pftrace", "--window", window)
equal(issues(part), [i for i in all_issues if first <= i[1] <= last], "instructions of a window")
inside = {n: w for n, w in all_waves.items() if w.begin <= last and w.end >= first}
equal(waves(part).keys(), inside.keys(), "waves of a window")
for n, w in waves(part).items():
    equal((w.begin, w.end), (max(first, inside[n].begin), min(last + 1, inside[n].end)), f"wave {n} in a window")
    equal((w.args.get("began_before"), w.args.get("ended")),
          (1 if inside[n].begin < first else None, 0 if inside[n].end > last else None), f"borders of wave {n}")
expect(all(first <= e.begin and e.end <= last + 1 for e in part.slices), "a slice outside of the window")
equal(part.fact("trace")["window"], window, "the window in the file")
pipeline, _ = traced(kernels, ".kanata", "--window", window)
equal(sorted(s[1] for i in pipeline.values() for s in i.stages if s[0] == "Is"),
      [t for t in times if first <= t <= last], "issues of a window in Konata")
chrome, _ = traced(kernels, ".json", "--window", window)
equal(sorted(e["ts"] for e in chrome["traceEvents"] if e["ph"] == "X" and e["cat"] not in ("residency", "dispatch")),
      [t for t in times if first <= t <= last], "issues of a window in Chrome's")
equal(chrome["otherData"]["window"], [first, last], "the window in Chrome's file")
_, text = traced(kernels, ".pftrace", "--window", "900000000:900000001")
expect("nothing happened from cycle 900000000 on" in text, f"a window behind the run: {text}")


def counts(trace):
    """Events as the limit counts them."""
    found = collections.Counter({"residency": "waves", "request": "requests", "fetch": "fetches", "hit": "hits",
                                 "miss": "misses", "answer": "replies", "memory": "accesses", "dispatch": "dispatches",
                                 "queue": "packet_steps"}.get(e.category, "issues")
                                for e in trace.slices + trace.instants if e.category != "run")
    return found


# A limit, told in the file and on the terminal.
total = counts(whole)
limit = sum(total.values()) // 2
part, text = traced(kernels, ".pftrace", "--trace-limit", str(limit))
kept = counts(part)
equal(sum(kept.values()), limit, "events of a limit")
left = {k.removeprefix("left_out_"): n for k, n in part.fact("end of trace").items()}
equal(left, {k: n - kept[k] for k, n in total.items() if n != kept[k]}, "events left out")
line, = re.findall(r"trace\.pftrace: (.*) left out", text)
equal({what: int(n) for n, what in re.findall(r"(\d+) (\w+)", line)}, left, f"the summary: {text}")
expect(f"--trace-limit {limit}" in text, f"the limit in the summary: {text}")
pipeline, text = traced(kernels, ".kanata", "--trace-limit", str(limit))
note = [i.labels[0] for i in pipeline.values() if i.labels[0].startswith("left out:")]
equal(len(note), 1, "Konata's note of a limit")
expect("issues" in note[0] and "left out" in text, f"Konata's note of a limit: {note}, {text}")
chrome, text = traced(kernels, ".json", "--trace-limit", str(limit))
equal(chrome["otherData"]["dropped"]["issues"], left["issues"], "a limit in Chrome's file")
_, text = traced(kernels, ".pftrace", "--trace-limit", str(sum(total.values())))
expect("left out" not in text, f"a limit that is not reached: {text}")

# Bad choices: one message, before anything is run.
good = ("--trace", path_of("bad.pftrace"))
for args, message in [
        (("--trace", path_of("x")), r"--trace .*x: expected a name that ends in \.pftrace .*, \.json .* or \.kanata"),
        (("--trace", path_of("x.txt")), r"\.pftrace .*\.json .*\.kanata"),
        (("--trace", path_of("x.pftrace.gz")), r"\.pftrace .*\.json .*\.kanata"),
        (("--trace", path_of("missing/x.pftrace")), "no folder"),
        (("--trace", path_of("missing/x.kanata")), "no folder"),
        ((*good, "--trace-filter", "cu"), "expects cu=N,.*found 'cu'"),
        ((*good, "--trace-filter", "simd=1"), "expects cu=N,.*found 'simd=1'"),
        ((*good, "--trace-filter", "cu="), "expected a number or FIRST-LAST, found ''"),
        ((*good, "--trace-filter", "cu=1,x"), "expected a number or FIRST-LAST, found 'x'"),
        ((*good, "--trace-filter", "cu=2-1"), "expected a number or FIRST-LAST, found '2-1'"),
        ((*good, "--trace-filter", "cu=3"), "no compute unit 3, expected 0 to 2"),
        ((*good, "--trace-filter", "wave=-1"), "expected a number or FIRST-LAST, found '-1'"),
        ((*good, "--trace-filter", "wave=99999999999999999999"), "expected a number"),
        ((*good, "--trace-filter", "kernel="), "expected a name"),
        ((*good, "--trace-filter", "cu=0", "--trace-filter", "cu=1"), "names cu twice"),
        ((*good, "--trace-limit", "0"), "trace-limit"),
        ((*good, "--trace-limit", "many"), "trace-limit"),
        ((*good, "--window", "5"), "--window expects FIRST:LAST in cycles, found '5'"),
        ((*good, "--window", "7:6"), "--window expects FIRST:LAST"),
        (("--trace-filter", "cu=0"), "--trace-filter goes with --trace or --transactions"),
        (("--trace-limit", "9"), "--trace-limit goes with --trace"),
        (("--window", "0:9"), "--window goes with --trace, --transactions, --wave or --record")]:
    status, out, err = runs.run("run", saxpy, *CA, *args)
    expect(status == 2 and re.search(message, err) and "executed" not in out and len(err.splitlines()) <= 3,
           f"{args[-2:]}: exit {status}, expected 2 and {message!r}: {out}{err}")
for engine in ("golden", "hsail"):
    runs.check(f"--trace on {engine}", 2, "--trace goes with the engines lt and ca", "run", saxpy, "--engine", engine,
               "--trace", path_of("x.pftrace"))
runs.check("--trace of two files", 2, "--trace takes one dispatch file", "run", saxpy, saxpy, *CA, *good)
runs.check("rocm --trace", 2, r"\.pftrace .*\.json .*\.kanata", "rocm", "--trace", path_of("x"), "--", "true")

# A choice that nobody meets fails the run and names what there was.
for choice in ("kernel=nobody", "wave=0xfffffffffff"):
    runs.check(choice, 1, rf"--trace-filter {choice}: no such wave has run, kernels that ran: .*saxpy", "run", saxpy, *CA,
               *good, "--trace-filter", choice)

# A file that cannot be written in the end costs neither the summary nor the statistics.
for ending in (".pftrace", ".kanata", ".json"):
    full, stats = path_of("full" + ending), path_of("stats.json")
    if os.path.lexists(full):
        os.remove(full)
    os.symlink("/dev/full", full)
    status, out, err = runs.run("run", saxpy, *CA, "--trace", full, "--stats", stats)
    expect(status == 2 and "passed on ca" in out and full in err and os.path.exists(stats),
           f"a full device, {ending}: exit {status}: {out}{err}")
    os.remove(full)
    os.remove(stats)

runs.end(least=80)
