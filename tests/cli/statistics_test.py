#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --stats, --trace and --hazards on every engine: the schema holds, known numbers are met, and what two
files say about the same run agrees.

statistics_test.py CUVETTE SOURCE_DIR SCRATCH RTL(0|1)
"""
import json
import os
import sys

import yaml
from jsonschema import Draft202012Validator

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch, rtl = sys.argv[1:5]
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
equal = runs.equal
KERNELS = ["histogram", "mixed", "reduce", "saxpy", "sgemm", "stencil", "transpose", "vector_add"]
CACHES = ["vector_l1", "scalar_cache", "instruction_cache", "l2"]


def run(kernel, engine, *args):
    return runs.run("run", os.path.join(source, "tests/dispatches", kernel + ".yaml"), "--engine", engine, *args)


def violations(value, schema):
    return [error.message for error in Draft202012Validator(schema).iter_errors(value)]


with open(os.path.join(source, "docs/reference/statistics.schema.json")) as f:
    schema = json.load(f)


def check_machine(found, label):
    """Parameters are those of the machine's description, by their path."""
    with open(os.path.join(source, "config", found["config"] + ".yaml")) as f:
        description = yaml.safe_load(f)
    equal(found["machine"]["name"], description["name"], f"{label}: name of the machine")
    parameters = found["machine"]["parameters"]
    expect(len(parameters) > 50, f"{label}: {len(parameters)} parameters of the machine")
    for path, value in parameters.items():
        at = description
        for key in path.split("."):
            at = at[key]
        wanted = at["value"] if isinstance(at, dict) else at
        equal(value, str(wanted).lower() if isinstance(wanted, bool) else wanted, f"{label}: {path}")


def statistics(kernel, engine, *args):
    out = path_of(f"{kernel}.{engine}.stats.json")
    status, text, err = run(kernel, engine, "--stats", out, *args)
    equal(status, 0, f"{kernel} on {engine}: {text}{err}")
    with open(out) as f:
        found = json.load(f)
    equal(violations(found, schema), [], f"schema, {kernel} on {engine}")
    equal(found["engine"], engine, f"engine of {kernel}")
    expect(("machine" in found) == (engine in ("lt", "ca")), f"machine of {kernel} on {engine}")
    if "machine" in found and os.path.exists(os.path.join(source, "config", found["config"] + ".yaml")):
        check_machine(found, f"{kernel} on {engine}")
    equal(found["passed"], True, f"{kernel} on {engine}")
    equal(len(found["dispatches"]), 1, f"dispatches of {kernel}")
    d = found["dispatches"][0]
    for name in ("instructions", "waves", "cycles", "fallbacks"):
        total = d[name]["total"] if name == "instructions" else d.get(name, 0)
        equal(found["totals"][name], total, f"{kernel} on {engine}: total {name}")
    others = sum(n for status, n in d["instructions"]["by_status"].items() if status != "exact")
    equal(sum(d["instructions"].get("not_exact", {}).values()), others, f"{kernel} on {engine}: not exact")
    equal(sum(d.get("fallbacks_by_instruction", {}).values()), d["fallbacks"], f"{kernel} on {engine}: fallbacks")
    if others and engine != "hsail":
        for name, count in d["instructions"]["not_exact"].items():
            expect(f"not exact      {name} {count}: " in text, f"{kernel} on {engine}: {name} {count} in {text}")
    for by in ("by_status", "by_unit", "by_format"):
        if by in d["instructions"]:
            equal(sum(d["instructions"][by].values()), d["instructions"]["total"], f"{kernel} on {engine}: {by}")
    return found, d


def check_blocks(kernel, engine, d):
    """Invariants inside one file: sums, and what one block sends another receives."""
    label = f"{kernel} on {engine}"
    blocks = d["blocks"]
    for name, block in blocks.items():
        for counter, total in block["total"].items():
            equal(sum(i[counter] for i in block["instances"]), total, f"{label}: {name}.{counter}")
    units = blocks["compute_unit"]
    cu = units["total"]
    equal(cu["instructions"], d["instructions"]["total"], f"{label}: instructions of the compute units")
    equal(cu["waves"], d["waves"], f"{label}: waves of the compute units")
    equal(blocks["spi"]["total"]["waves"], d["waves"], f"{label}: waves of the spi")
    equal(blocks["spi"]["total"]["workgroups"], d["workgroups"], f"{label}: work-groups of the spi")
    equal(blocks["spi"]["total"]["dispatches"], 1, f"{label}: dispatches of the spi")
    equal(blocks["command_processor"]["total"], {"packets": 1, "dispatches": 1, "barriers": 0, "errors": 0},
          f"{label}: command processor")
    issued = ["salu", "valu", "matrix", "smem", "vmem", "lds", "branch", "other"]
    equal(sum(cu[n] for n in issued), cu["instructions"], f"{label}: instructions by unit")
    by_unit = d["instructions"]["by_unit"]
    for name, parts in {"salu": ["salu"], "valu": ["valu", "trans"], "smem": ["smem"], "lds": ["lds"],
                        "vmem": ["vmem", "flat"], "branch": ["branch"], "matrix": ["matrix"]}.items():
        equal(cu[name], sum(by_unit.get(p, 0) for p in parts), f"{label}: {name}")
    equal(blocks["lds"]["total"]["requests"], cu["lds"], f"{label}: requests to the LDS")
    for i in units["instances"]:
        stalled = sum(v for n, v in i.items() if n.startswith("stalled_"))
        equal(i["issue_cycles"] + stalled, i["wave_cycles"], f"{label}: cycles of waves in a class")
        equal(i["issue_cycles"], i["instructions"], f"{label}: a cycle for each issue")
        expect(i["wave_cycles"] >= i["busy_cycles"], f"{label}: busy without waves")
        expect(i["busy_cycles"] <= d["cycles"], f"{label}: busy longer than the dispatch")
        expect((i["waves"] == 0) == (i["busy_cycles"] == 0), f"{label}: busy and waves")
    expect(0 < cu["lane_operations"] <= 64 * cu["valu"], f"{label}: lane operations")
    if engine != "ca":
        return
    for name in CACHES:
        for i in blocks[name]["instances"]:
            for kind in ("read", "write", "atomic"):
                equal(i[kind + "_hits"] + i[kind + "_misses"], i[kind + "s"], f"{label}: {name} {kind}s")
            equal(i["hits"] + i["misses"], i["accesses"], f"{label}: accesses of {name}")
    for i, unit in enumerate(units["instances"]):
        equal(blocks["vector_l1"]["instances"][i]["accesses"], unit["vector_requests"], f"{label}: vector L1 {i}")
    equal(blocks["scalar_cache"]["total"]["accesses"], cu["scalar_requests"], f"{label}: scalar cache")
    equal(blocks["instruction_cache"]["total"]["accesses"], cu["fetches"], f"{label}: instruction cache")
    l2, memory = blocks["l2"]["total"], blocks["memory"]["total"]
    equal(memory["reads"] + memory["writes"] + memory["atomics"], l2["fills"] + l2["forwards"] + l2["writebacks"],
          f"{label}: traffic of memory")
    # Whole blocks, but for the four bytes of queue_properties that the command processor reads with the packet.
    equal(memory["read_bytes"], 64 * (memory["reads"] - 1) + 4, f"{label}: bytes read")


def processor_accesses(d):
    """Requests that reach the L2 from nobody else are the command processor's."""
    blocks = d["blocks"]
    above = sum(blocks[c]["total"][n] for c in CACHES[:3] for n in ("fills", "forwards", "writebacks"))
    return blocks["l2"]["total"]["accesses"] - above


def check_vector_add(d):
    """1000 floats, 16 waves, the last with 40 lanes: 62 blocks of 64 bytes and half of one, two loads and a
    store each; nothing is read twice."""
    blocks = d["blocks"]
    equal((d["grid"], d["workgroup"], d["workgroups"], d["waves"]), ([1024, 1, 1], [256, 1, 1], 4, 16), "vector_add")
    cu, l1 = blocks["compute_unit"]["total"], blocks["vector_l1"]["total"]
    equal(cu["vmem"], 3 * 16, "vector memory instructions of vector_add")
    equal(cu["vector_requests"], 3 * 63, "requests of vector_add")
    wanted = {"reads": 126, "read_hits": 0, "read_misses": 126, "writes": 63, "write_hits": 0, "write_misses": 63,
              "atomics": 0, "fills": 126, "forwards": 63, "evictions": 0, "writebacks": 0}
    equal({n: l1[n] for n in wanted}, wanted, "vector L1 of vector_add")
    equal(blocks["lds"]["total"], {"requests": 0, "atomics": 0, "conflict_cycles": 0}, "LDS of vector_add")
    equal(set(blocks["gds"]["total"].values()), {0}, "GDS of vector_add")
    equal((cu["lds"], cu["matrix"], cu["stalled_barrier"], cu["stalled_lds"]), (0, 0, 0, 0), "vector_add")
    expect(cu["stalled_waitcnt"] > 0 and cu["stalled_fetch"] > 0, "vector_add waits for memory")


def check_trace(kernel, engine, trace, d):
    label = f"trace of {kernel} on {engine}"
    events = trace["traceEvents"]
    names = {}
    tracks = {}
    last = None
    for e in events:
        if e["ph"] == "M":
            names.setdefault((e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0), e["args"]["name"])
            continue
        expect(e["ph"] in "Xi" and isinstance(e["ts"], int) and e["ts"] >= 0, f"{label}: {e}")
        here = (e["pid"], e["tid"], e["ts"])
        expect(last is None or here >= last, f"{label}: {here} follows {last}")
        last = here
        tracks.setdefault(here[:2], []).append(e)
    process = {pid: name for (what, pid, _), name in names.items() if what == "process_name"}
    for (pid, tid), list_ in tracks.items():
        expect(("thread_name", pid, tid) in names, f"{label}: track without name")
        open_ = []
        for e in list_:
            if e["ph"] != "X":
                continue
            while open_ and open_[-1] <= e["ts"]:
                open_.pop()
            expect(not open_ or e["ts"] + e["dur"] <= open_[-1], f"{label}: {e} is not nested")
            open_.append(e["ts"] + e["dur"])
            if process[pid] == "compute_unit":
                equal(len(open_), 1 if e["cat"] == "residency" else 2, f"{label}: depth of {e['cat']}")
    dropped = trace["otherData"]["dropped"]
    waves = [e for e in events if e.get("cat") == "residency"]
    equal(len(waves) + dropped["waves"], d["waves"], f"{label}: waves")
    expect(all(e["args"]["ended"] for e in waves), f"{label}: waves without end")
    equal(len({e["name"] for e in waves}), len(waves), f"{label}: ids of waves")
    issued = {}
    for e in events:
        if e["ph"] == "X" and e["cat"] not in ("residency", "dispatch"):
            issued[e["cat"]] = issued.get(e["cat"], 0) + 1
    dispatches = [e for e in events if e.get("cat") == "dispatch"]
    equal(len(dispatches), 1, f"{label}: dispatches")
    expect(dispatches[0]["dur"] <= d["cycles"], f"{label}: the dispatch is longer than its run")
    if dropped["issues"] == 0:
        equal(issued, d["instructions"]["by_unit"], f"{label}: issues by unit")
    else:
        equal(sum(issued.values()) + dropped["issues"], d["instructions"]["total"], f"{label}: issues")
    # Residency and idle time of every compute unit, from the slices.
    spans = {}
    for e in waves:
        unit = int(names["thread_name", e["pid"], e["tid"]].split()[1])
        spans.setdefault(unit, []).append((e["ts"], e["ts"] + e["dur"]))
    for unit, counters in enumerate(d["blocks"]["compute_unit"]["instances"]):
        mine = sorted(spans.get(unit, []))
        equal(sum(b - a for a, b in mine), counters["wave_cycles"], f"{label}: residency on {unit}")
        busy, until = 0, 0
        for a, b in mine:
            busy += max(0, b - max(a, until))
            until = max(until, b)
        equal(busy, counters["busy_cycles"], f"{label}: busy cycles of {unit}")
    for name in CACHES if engine == "ca" else []:
        seen = {}
        for e in events:
            if e.get("cat") == "miss" and process[e["pid"]] == name:
                seen[e["tid"]] = seen.get(e["tid"], 0) + 1
        if dropped["misses"] == 0:
            misses = {n: i["misses"] for n, i in enumerate(d["blocks"][name]["instances"]) if i["misses"]}
            # The command processor's accesses before and after the dispatch reach the L2 too.
            equal(seen.keys(), misses.keys(), f"{label}: {name}")
            expect(all(seen[n] >= misses[n] if name == "l2" else seen[n] == misses[n] for n in misses),
                   f"{label}: misses of {name}: {seen}, counted {misses}")


accesses = {}
for kernel in KERNELS:
    golden, g = statistics(kernel, "golden")
    equal(golden["target"], "gfx908:sramecc+:xnack-", f"target of {kernel}")
    expect("blocks" not in g and golden["totals"]["cycles"] == 0, f"{kernel}: golden has no time")
    _, h = statistics(kernel, "hsail")
    equal((h["workgroups"], h["kernel"].strip("&")), (g["workgroups"], g["kernel"].strip("&").removesuffix(".kd")),
          f"{kernel} on hsail")
    expect("by_unit" not in h["instructions"], f"{kernel}: hsail has no units")
    for engine, config in (("ca", "small"), ("lt", "small"), ("ca", "mi100")):
        if config == "mi100" and kernel not in ("reduce", "vector_add"):
            continue
        trace_file = path_of(f"{kernel}.{engine}.trace.json")
        found, d = statistics(kernel, engine, "--config", config, "--trace", trace_file, "--hazards", "strict")
        equal(found["hazards"].get("required", 0), 0, f"hazards of {kernel} on {engine}")
        for name in ("grid", "workgroup", "workgroups", "waves", "instructions"):
            if name == "instructions" and kernel == "histogram":
                continue  # retries of racing atomics
            equal(d[name], g[name], f"{kernel} on {engine}: {name} against golden")
        check_blocks(kernel, engine, d)
        with open(trace_file) as f:
            check_trace(kernel, engine, json.load(f), d)
        if engine == "ca" and config == "small":
            accesses[kernel] = processor_accesses(d)
            if kernel == "vector_add":
                check_vector_add(d)
            if kernel == "saxpy":
                equal(d["blocks"]["compute_unit"]["total"]["lane_operations"],
                      64 * d["blocks"]["compute_unit"]["total"]["valu"], "saxpy: all lanes are active")
            expect(kernel != "reduce" or d["blocks"]["compute_unit"]["total"]["stalled_barrier"] > 0,
                   "reduce waits at barriers")
equal(len(set(accesses.values())), 1, f"accesses of the command processor: {accesses}")

# The lookahead of domains changes no counter and no event.
with open(os.path.join(source, "config/small.yaml")) as f:
    text = f.read()
expect("lookahead_cycles: {value: 0," in text, "the lookahead in small.yaml")
with open(path_of("step.yaml"), "w") as f:
    f.write(text.replace("lookahead_cycles: {value: 0,", "lookahead_cycles: {value: 1,"))
for kernel in ("histogram", "reduce", "sgemm"):
    both = []
    for config in ("small", path_of("step.yaml")):
        trace = path_of(f"{kernel}.lookahead.trace.json")
        _, d = statistics(kernel, "ca", "--config", config, "--trace", trace)
        with open(trace) as f:
            both.append((d, f.read()))
    expect(both[0] == both[1], f"{kernel}: counters or events depend on the lookahead")

if rtl == "1":
    # Four beats of every vector instruction are compared, in all SIMDs.
    found, d = statistics("saxpy", "ca", "--config", "small", "--lockstep", "valu")
    equal(found["lockstep"]["mismatches"], 0, "lockstep of saxpy")
    equal(found["lockstep"]["scope"], "valu of all 4 SIMDs", "scope of lockstep")
    equal(found["lockstep"]["compared"]["valu responses"], 4 * d["blocks"]["compute_unit"]["total"]["valu"],
          "responses compared")

# A file that is wrong in any way does not fit the schema.
with open(path_of("vector_add.ca.stats.json")) as f:
    good = json.load(f)
for wrong in [{**good, "schema": 2}, {**good, "extra": 1}, {k: v for k, v in good.items() if k != "totals"},
              {**good, "dispatches": [{}]}, {**good, "passed": "yes"}, {**good, "engine": "warp"}]:
    expect(violations(wrong, schema) != [], "a wrong file fits the schema")

# Usage.
for engine, args in [("golden", ["--trace", path_of("x.json")]), ("hsail", ["--hazards", "report"]),
                     ("golden", ["--stats", path_of("x"), os.path.join(source, "tests/dispatches/saxpy.yaml")]),
                     ("golden", ["--stats", path_of("no/such/folder/x")]),
                     ("lt", ["--config", "small", "--trace", path_of("no/such/folder/x.json")])]:
    equal(run("vector_add", engine, *args)[0], 2, f"exit of {engine} {args}")

runs.end()
