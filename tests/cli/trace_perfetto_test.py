#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --trace FILE.pftrace: what a reader of its own finds in the file agrees with the statistics of the same run, and
the rules of the format hold.

trace_perfetto_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import collections
import json
import os
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

from perfetto_reader import Trace  # noqa: E402
from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
equal = runs.equal
UNITS = {"salu", "smem", "valu", "trans", "matrix", "vmem", "flat", "lds", "gds", "export", "branch", "message", "wave"}
CACHES = {"vector L1": "vector_l1", "scalar cache": "scalar_cache", "instruction cache": "instruction_cache",
          "L2 slice": "l2"}


def dispatch(name):
    return os.path.join(source, "tests/dispatches", name)


def traced(name, label, *args):
    """The trace and the statistics of a run."""
    trace, stats = path_of(label + ".pftrace"), path_of(label + ".stats.json")
    status, out, err = runs.run("run", dispatch(name), "--trace", trace, "--stats", stats, *args)
    equal(status, 0, f"{label}: {out}{err}")
    with open(stats, encoding="utf-8") as file:
        return Trace(trace), json.load(file), out


def by_place(trace):
    """What a trace has, sorted by what it is."""
    found = collections.defaultdict(list)
    for s in trace.slices:
        found["instructions" if s.category in UNITS else s.category].append(s)
    for i in trace.instants:
        found[i.category].append(i)
    return found


def check_waves(label, trace, found, stats):
    units = collections.defaultdict(int)
    waves_on = collections.defaultdict(list)
    for w in found["residency"]:
        units[trace.process_of(w.track)] += w.end - w.begin
        waves_on[w.track].append(w)
        equal(w.depth, 0, f"{label}: depth of a wave")
    equal(len(found["residency"]), stats["totals"]["waves"], f"{label}: waves")
    equal(len({w.args["wave"] for w in found["residency"]}), len(found["residency"]), f"{label}: numbers of waves")
    equal({w.name for w in found["residency"]}, {d["kernel"].strip("&").removesuffix(".kd") for d in stats["dispatches"]},
          f"{label}: kernels")
    for d in stats["dispatches"]:
        for n, unit in enumerate(d["blocks"]["compute_unit"]["instances"]):
            if len(stats["dispatches"]) == 1:
                equal(units[f"compute unit {n}"], unit["wave_cycles"], f"{label}: residency on {n}")
    for i in found["instructions"]:
        over = [w for w in waves_on[trace.thread_of(i.track)] if w.begin <= i.begin and i.end <= w.end]
        if not expect(len(over) == 1, f"{label}: {i} is in {len(over)} waves"):
            break


def check_instructions(label, found, stats):
    by_unit = collections.Counter(i.category for i in found["instructions"])
    wanted = collections.Counter()
    for d in stats["dispatches"]:
        wanted.update(d["instructions"]["by_unit"])
    equal(by_unit, wanted, f"{label}: instructions by unit")
    expect(all(i.end > i.begin and i.args["pc"] % 4 == 0 for i in found["instructions"]), f"{label}: slices and pcs")
    texts = collections.defaultdict(set)
    for i in found["instructions"]:
        texts[i.args["pc"]].add(i.name)
    expect(all(len(names) == 1 for names in texts.values()), f"{label}: two texts at a pc")
    expect(any(" " in i.name for i in found["instructions"]), f"{label}: operands")


def totals(stats, block):
    sums = collections.Counter()
    for d in stats["dispatches"]:
        sums.update(d["blocks"][block]["total"])
    return sums


def cache_counts(trace, events):
    """Events by cache and number."""
    counts = collections.Counter()
    for e in events:
        name = trace.tracks[e.track].name
        unit = trace.process_of(e.track).rsplit(" ", 1)[1] if name == "vector L1" else name.rsplit(" ", 1)[1]
        counts[next(c for n, c in CACHES.items() if name.startswith(n)), int(unit)] += 1
    return counts


def check_memory(label, trace, found, stats):
    units = totals(stats, "compute_unit")
    accesses = [r for r in found["request"] if r.name in ("read", "write", "atomic")]
    equal(len(accesses), units["vector_requests"] + units["scalar_requests"], f"{label}: requests")
    equal(len(found["fetch"]), units["fetches"], f"{label}: fetches")
    of_cache = {what: cache_counts(trace, found[what]) for what in ("hit", "miss", "answer")}
    for cache in CACHES.values():
        for d in stats["dispatches"] if len(stats["dispatches"]) == 1 else []:
            for n, i in enumerate(d["blocks"][cache]["instances"]):
                for what, counter in (("hit", "hits"), ("miss", "misses")):
                    # The command processor's accesses before and after the dispatch reach the L2 too.
                    seen = of_cache[what][cache, n]
                    good = seen >= i[counter] if cache == "l2" else seen == i[counter]
                    expect(good, f"{label}: {counter} of {cache} {n}: {seen}, counted {i[counter]}")
                if cache == "l2":
                    equal(of_cache["answer"][cache, n], of_cache["hit"][cache, n] + of_cache["miss"][cache, n],
                          f"{label}: answers of L2 slice {n}")
    equal({cache for cache, _ in of_cache["answer"]}, {"l2"}, f"{label}: caches that answer others")
    kinds, counted = collections.Counter(a.name for a in found["memory"]), totals(stats, "memory")
    for name in ("read", "write", "atomic"):
        expect(kinds[name] >= counted[name + "s"], f"{label}: {name}s of the memory: {kinds}")
    expect(kinds["read"] > 0, f"{label}: reads of the memory")


def check_flows(label, trace, found):
    """A flow goes from an instruction by a request, which is inside of it, back to its end; what caches and the memory do
    for it lies between. A flow of a fetch ends where the first of its instructions begins."""
    begun, ended, of_request = {}, {}, {}
    of_fetch = {f.flows[0]: f for f in found["fetch"]}
    equal(len(of_fetch), len(found["fetch"]), f"{label}: flows of fetches")
    for i in found["instructions"]:
        for f in i.flows:
            expect(f not in begun, f"{label}: flow {f} begins twice")
            begun[f] = i
        for f in i.ended_flows:
            expect(f not in ended, f"{label}: flow {f} ends twice")
            ended[f] = i
    for r in found["request"]:
        of_request[r.flows[0]] = r
        equal(len(r.flows), 1, f"{label}: flows of a request")
    equal(begun.keys(), of_request.keys(), f"{label}: flows and requests")
    fetched = {f: ended.pop(f) for f in list(ended) if f in of_fetch}
    equal(ended, begun, f"{label}: flows end where they begin")
    check_fetches(label, trace, found, of_fetch, fetched)
    for f, r in of_request.items():
        if not expect(f in begun and begun[f].begin <= r.begin < r.end <= begun[f].end, f"{label}: {r} of flow {f}"):
            break
    deeper, ways = collections.Counter(), collections.defaultdict(list)
    for e in found["hit"] + found["miss"] + found["answer"] + found["memory"]:
        for f in e.flows:
            r = of_request.get(f, of_fetch.get(f))
            place = trace.tracks[trace.thread_of(e.track)].name.rsplit(" ", 1)[0]
            deeper[place, f in of_request, e.category] += 1
            ways[f].append((e.begin, place, e.category))
            expect(r and r.begin < e.begin <= r.end, f"{label}: {e} of flow {f}")
            if f in of_request and e.category != "answer":
                expect(r.args["address"] // 64 == e.args["address"] // 64 or e.name == "write",
                       f"{label}: addresses of {e} and {r}")
            else:
                expect(place in ("instruction cache", "L2 slice", "channel"), f"{label}: a fetch at {place}")
    for key in (("vector", True, "miss"), ("L2 slice", True, "miss"), ("L2 slice", True, "answer"),
                ("channel", True, "memory"), ("instruction cache", False, "hit"), ("instruction cache", False, "miss"),
                ("L2 slice", False, "answer")):
        expect(deeper[key] > 0, f"{label}: flows to {key}: {deeper}")
    # There and back: the first level, the L2, the memory, the L2.
    whole_way = [[(place, what) for _, place, what in sorted(way)] for way in ways.values()]
    expect(["vector", "L2 slice", "channel", "L2 slice"] in [[place for place, _ in way] for way in whole_way],
           f"{label}: a request to the memory and back")
    ends = {w.end for w in found["residency"]}
    for f, way in zip(ways, whole_way):
        last = [what for place, what in way if place == "L2 slice"]
        good = last in ([], ["hit", "answer"], ["miss", "answer"])
        if f in of_fetch and of_fetch[f].end in ends:  # what was fetched in advance comes when the wave is over
            good = good or last in (["hit"], ["miss"])
        if not expect(good and (("channel", "memory") not in way or "miss" in last), f"{label}: a way {way}"):
            break


def check_fetches(label, trace, found, of_fetch, fetched):
    """Each leads to the first instruction that issues from what it brought, behind its end and in its wave."""
    expect(len(fetched) > len(found["residency"]) / 2, f"{label}: {len(fetched)} fetches that led to something")
    for f, i in fetched.items():
        fetch = of_fetch[f]
        if not expect(fetch.end <= i.begin and 0 <= i.args["pc"] - fetch.args["pc"] < 64 and
                      trace.process_of(fetch.track) == trace.process_of(i.track), f"{label}: {fetch} leads to {i}"):
            break
    by_thread = collections.defaultdict(list)
    for i in found["instructions"]:
        by_thread[trace.thread_of(i.track)].append(i)
    for w in found["residency"]:
        first = min((i for i in by_thread[w.track] if w.begin <= i.begin < w.end), key=lambda i: i.begin)
        if not expect(any(f in fetched for f in first.ended_flows), f"{label}: {first} of {w} was not fetched"):
            break


def check_counters(label, trace, found):
    """Values of counters are the slices that are open."""
    def levels(slices):
        steps = collections.defaultdict(list)
        for s in slices:
            steps[trace.process_of(s.track)] += [(s.begin, 1), (s.end, -1)]
        return steps
    for name, slices in (("resident waves", found["residency"]), ("outstanding requests", found["request"])):
        steps = levels(slices)
        tracks = {u: t for u, t in trace.tracks.items() if t.counter and t.name == name}
        equal({trace.processes[trace.tracks[t.parent].pid] for t in tracks.values()}, set(steps),
              f"{label}: tracks of {name}")
        for uuid, track in tracks.items():
            mine = steps[trace.processes[trace.tracks[track.parent].pid]]
            last = dict(trace.counters[uuid])  # the last one at each time
            level, at = 0, collections.Counter()
            for time, step in mine:
                at[time] += step
            for time in sorted(at):
                level += at[time]
                if not expect(last.get(time) == level, f"{label}: {name} at {time}: {last.get(time)}, not {level}"):
                    break


def check(name, label, *args):
    trace, stats, out = traced(name, label, *args)
    found = by_place(trace)
    expect(trace.compressed > 0 and "left out" not in out, f"{label}: {out}")
    equal(trace.fact("end of trace"), {}, f"{label}: what the end says")
    check_waves(label, trace, found, stats)
    check_instructions(label, found, stats)
    equal(len(found["dispatch"]), len(stats["dispatches"]), f"{label}: dispatches")
    return trace, found, stats


small = ("--engine", "ca", "--config", "small")
NIGHTLY = ("histogram", "sgemm", "transpose") if "CUVETTE_WHOLE" in os.environ else ()
for name in ("saxpy", "reduce", "mfma_gemm", "two_kernels", *NIGHTLY):
    label = name + ".ca"
    trace, found, stats = check(name + ".yaml", label, *small)
    check_memory(label, trace, found, stats)
    check_flows(label, trace, found)
    check_counters(label, trace, found)
    equal({trace.process_of(e.track) for e in found["queue"]}, {"command processor"}, f"{label}: events of the queue")
    steps = collections.Counter(e.name for e in found["queue"])
    for step in ("packet fetched", "packet started", "packet ended", "completion signaled"):
        equal(steps[step], len(stats["dispatches"]), f"{label}: {step}")
    if name == "saxpy":
        facts = trace.fact("trace")
        equal((facts["schema"], facts["target"], facts["time"]), (1, "gfx908", "one nanosecond is one cycle"), "facts")
        events = len(trace.slices) + len(trace.instants)
        expect(len(trace.bytes) < 20 * events, f"{len(trace.bytes)} bytes for {events} events")

# Where others see the results of an instruction, it takes effect later and says so by itself.
for name in ("saxpy", "mfma_gemm"):
    label = name + ".log"
    trace, found, stats = check(name + ".yaml", label, *small, "--log", path_of(label), "--hazards", "strict")
    check_flows(label, trace, found)
check("saxpy.yaml", "saxpy.lt", "--engine", "lt", "--config", "small")
trace, found, stats = check("saxpy.yaml", "saxpy.mi100", "--engine", "ca")
check_memory("saxpy.mi100", trace, found, stats)
check_flows("saxpy.mi100", trace, found)

# Host threads change no byte.
for name, config in (("reduce", "mi100"), ("sgemm", "mi100")):
    files = []
    for threads in ("1", "2"):
        out = path_of(f"{name}.{threads}.pftrace")
        status, text, err = runs.run("run", dispatch(name + ".yaml"), "--engine", "ca", "--config", config, "--threads",
                                     threads, "--trace", out)
        equal(status, 0, f"{name} on {threads} threads: {text}{err}")
        with open(out, "rb") as file:
            files.append(file.read())
    expect(files[0] == files[1], f"{name}: the trace depends on the number of threads")

# The events are those of the other format, which keeps its own order.
chrome = path_of("saxpy.trace.json")
equal(runs.run("run", dispatch("saxpy.yaml"), *small, "--trace", chrome)[0], 0, "Chrome trace")
with open(chrome, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
trace = Trace(path_of("saxpy.ca.pftrace"))
found = by_place(trace)
equal(sorted((e["ts"], int(e["args"]["pc"], 16), e["cat"]) for e in events
             if e["ph"] == "X" and e["cat"] not in ("residency", "dispatch")),
      sorted((i.begin, i.args["pc"], i.category) for i in found["instructions"]), "issues in both formats")
equal(sorted((e["ts"], e["ts"] + e["dur"], int(e["name"].split()[1], 16)) for e in events if e.get("cat") == "residency"),
      sorted((w.begin, w.end, w.args["wave"]) for w in found["residency"]), "waves in both formats")

runs.end(least=100)
