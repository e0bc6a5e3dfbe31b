#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""cuvette report and cuvette diff through the program, on runs of it: pages, sums in the terminal, bad inputs.

report_program_test.py CUVETTE DISPATCHES SCRATCH
"""
import json
import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)


def measured(name, kernel, *options):
    stats = runs.path(name + ".stats.json")
    file = os.path.join(dispatches, kernel + ".yaml")
    runs.check(f"{kernel} {options}", 0, "passed", "run", file, "--stats", stats, *options)
    return stats


def data_of(page):
    with open(page, encoding="utf-8") as f:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)[1])


def section(model, name, run=0):
    return next(s for s in model["runs"][run]["scopes"][0]["sections"] if s["id"] == name)


def edited(name, source, change):
    with open(source, encoding="utf-8") as f:
        value = json.load(f)
    return runs.write(name, json.dumps(change(value)))


ca = measured("ca", "reduce", "--engine", "ca", "--config", "small", "--trace", runs.path("ca.trace.json"))
lt = measured("lt", "reduce", "--engine", "lt", "--config", "small")
golden = measured("golden", "reduce", "--engine", "golden")
two = measured("two", "two_kernels", "--engine", "ca", "--config", "small")

# A page, with the trace that lies beside the statistics, and what it says against the files.
page = runs.path("ca.html")
runs.check("report", 0, r"ca\.html: report of .*ca\.stats\.json", "report", ca, "-o", page)
with open(ca, encoding="utf-8") as f:
    statistics = json.load(f)
unit = statistics["dispatches"][0]["blocks"]["compute_unit"]["total"]
model = data_of(page)
classes = next(p for p in section(model, "stalls")["parts"] if p["title"] == "Classes and their sum")["rows"]
found = {r[0]: r[2] for r in classes}
for name, value in unit.items():
    if name.startswith("stalled_") and value:
        runs.expect(found[name.removeprefix("stalled_")] == value, f"{name}: {found} against {value}")
runs.expect(found["in a class"] == found["resident"] == unit["wave_cycles"], f"classes do not add up: {found}")
timeline = next(p for p in section(model, "timeline")["parts"] if p["kind"] == "timeline")
waves = [w for u in timeline["units"] for w in u["waves"]]
runs.expect(len(waves) == statistics["totals"]["waves"], f"{len(waves)} waves in the time line")
runs.expect(sum(w["cycles"] for w in waves) == unit["wave_cycles"], "cycles of the time line")
listing = next(p for p in section(model, "hotspots")["parts"] if p["kind"] == "table")["rows"]
runs.expect(sum(r[3] for r in listing) == statistics["totals"]["instructions"], "issues by address")
runs.expect("machine" in statistics and statistics["machine"]["parameters"]["compute_unit.simds"] == 4, "the machine")
roofs = next(p for p in section(model, "roofline")["parts"] if p["kind"] == "roofline")["roofs"]
# small: 4 SIMDs of 64 lanes in 4 cycles; a block of 64 bytes in 3 cycles on one channel.
runs.expect([r.get("level", r.get("slope")) for r in roofs] == [64, 64 / 3], f"ceilings: {roofs}")

# The same of Perfetto's protobuf: a page of it has the same figures, and more of caches and memory.
perfetto = measured("perfetto", "reduce", "--engine", "ca", "--config", "small", "--trace", runs.path("perfetto.pftrace"),
                    "--stats-every", "500")
other = runs.path("perfetto.html")
runs.check("report of a Perfetto trace", 0, "report of", "report", perfetto, "-o", other)
with_hits = data_of(other)
for part in ("timeline", "hotspots"):
    same = json.dumps(section(with_hits, part)).replace("perfetto", "ca") == json.dumps(section(model, part))
    runs.expect(same, f"{part} of a Perfetto trace")
parts = {p["title"]: p for p in section(with_hits, "caches")["parts"]}
for p in section(model, "caches")["parts"]:
    runs.expect(parts.pop(p["title"]) == p, f"{p['title']} of a Perfetto trace")
runs.expect({s["name"] for s in parts["Hit rate over time"]["series"]} ==
            {"vector L1", "scalar cache", "instruction cache", "L2"}, f"hit rates over time: {list(parts)}")
runs.expect(all(0 <= share <= 100 for s in parts["Hit rate over time"]["series"] for _, share in s["points"]),
            "hit rates are shares")
parts = {p["title"]: p for p in section(with_hits, "memory")["parts"]}
memory = statistics["dispatches"][0]["blocks"]["memory"]["total"]
every = 500
for drawn, counter in zip(parts["Bandwidth of memory over time"]["series"], ("read_bytes", "written_bytes")):
    begins = [begin for begin, _ in drawn["points"]] + [None]
    moved = sum(rate * ((after or begin + every) - begin) for (begin, rate), after in zip(drawn["points"], begins[1:]))
    runs.expect(abs(moved - memory[counter]) <= 0.01 * memory[counter] + every, f"{counter} over time: {moved}, {memory}")
accesses = sum(n for _, n in parts["Accesses of memory over time"]["series"][0]["points"])
runs.expect(accesses >= memory["reads"] + memory["writes"] + memory["atomics"], f"accesses over time: {accesses}")
runs.expect(max(n for _, n in parts["Outstanding requests over time"]["series"][0]["points"]) > 1, "outstanding requests")
with open(runs.path("perfetto.pftrace"), "rb") as f:
    whole = f.read()
dice = random.Random(2)
bad = {"short": whole[:len(whole) // 2], "shorter": whole[:-1], "shortest": whole[:1], "other": b"\x0a\x02\x08",
       "text": b"no trace", "empty": b"", "long": b"\x0a\xff\xff\xff\xff\xff\x0f" + whole, "noise": dice.randbytes(5000),
       "changed": whole[:200] + bytes(255 - b for b in whole[200:210]) + whole[210:], "two": whole + whole}
for name, data in bad.items():
    status, out, err = runs.run("report", perfetto, "-o", runs.path("x.html"), "--trace", runs.write(name + ".pftrace", data))
    runs.expect(status == 2 and re.match(rf"\S*{name}\.pftrace: error: not (a|the) trace of", err) and err.count("\n") == 1,
                f"a {name} Perfetto trace: exit {status}: {out}{err[:500]}")
runs.check("no Perfetto trace", 2, r"none\.pftrace: error: cannot be read: No such file", "report", perfetto, "-o",
           runs.path("x.html"), "--trace", runs.path("none.pftrace"))
runs.expect(not os.path.exists(runs.path("x.html")), "a page of a bad trace")

# Several runs, engines without time and without a trace among them; the trace of the first by name.
page = runs.path("several.html")
runs.check("report of several", 0, "report of", "report", ca, lt, golden, two, "-o", page, "--trace",
           runs.path("ca.trace.json"))
model = data_of(page)
runs.expect(len(model["runs"]) == 4 and model["overview"] and len(model["runs"][3]["scopes"]) == 3, "several runs")
runs.expect("no file lt.trace.json" in " ".join(section(model, "timeline", 1)["missing"]), "lt without a trace")
runs.expect("engine golden has no time" in " ".join(section(model, "stalls", 2)["missing"]), "golden has no classes")
runs.expect(os.path.getsize(page) < 15_000_000, "the size of the page")

# A difference whose classes add up to it.
page = runs.path("diff.html")
status, out, err = runs.run("diff", lt, ca, "-o", page)
runs.expect(status == 0 and "  cycles are of two engines: lt is loosely timed" in out and "not compared" not in out,
            f"diff: {status} {out}{err}")
lines = re.findall(r"(?m)^  (\S.*?) {2,}(-?\d+) +(-?\d+) +([+-]\d+)$", out)
rows = {name: [int(n) for n in numbers] for name, *numbers in lines}
total = rows.pop("sum", [0, 0, 0])
with open(lt, encoding="utf-8") as f:
    before = json.load(f)["totals"]["cycles"]
after = statistics["totals"]["cycles"]
runs.expect(total == [before, after, after - before], f"the sum: {total}")
runs.expect(sum(r[2] for r in rows.values()) == total[2], f"classes that do not add up: {out}")
runs.expect("in no class" in rows and abs(rows["in no class"][2]) <= len(rows), f"the remainder: {rows}")
steps = next(p for p in section(data_of(page), "cycles")["parts"] if p["kind"] == "waterfall")["steps"]
runs.expect(steps[0]["value"] + sum(s["value"] for s in steps[1:-1]) == steps[-1]["value"], f"steps: {steps}")
runs.check("diff of a run with itself", 0, "no class differs", "diff", ca, ca)
runs.check("diff without time", 0, "engine golden has no time", "diff", golden, ca)

# Bad inputs: one line with the place, status 2, and no page.
bad = {"no such file": (runs.path("missing.json"), r"missing\.json: error: cannot open: No such file"),
       "a folder": (scratch, "Is a directory"),
       "not JSON": (runs.write("text.json", "[1,\n2"), r"text\.json:2:2: error: not JSON"),
       "bytes": (runs.write("bytes.json", b"\xff\xfe"), r"bytes\.json: error: not JSON: bytes"),
       "a trace": (runs.path("ca.trace.json"), "not statistics of a run"),
       "another version": (edited("v2.json", ca, lambda s: {**s, "schema": 2}), "schema version 2, expected 1"),
       "a member too much": (edited("more.json", ca, lambda s: {**s, "more": 1}), "member 'more' is not known"),
       "a wrong type": (edited("type.json", ca, lambda s: {**s, "passed": "yes"}), "passed: expected boolean"),
       "deep": (runs.write("deep.json", "[" * 200000), r"deep\.json: error: "),
       "huge": (runs.write("huge.json", '{"schema": ' + "1" * 5000 + "}"), r"huge\.json: error: ")}
for what, (file, message) in bad.items():
    for arguments in (("report", file, "-o", runs.path("bad.html")), ("diff", ca, file)):
        status, out, err = runs.run(*arguments)
        runs.expect(status == 2 and re.search(message, err) and err.count("\n") == 1,
                    f"{what}, {arguments[0]}: exit {status}: {out}{err[:500]}")
runs.expect(not os.path.exists(runs.path("bad.html")), "a page of a bad input")
runs.check("a trace of another run", 2, "not the trace of the run in", "report", two, "-o", runs.path("x.html"),
           "--trace", runs.path("ca.trace.json"))
for ending in ("json", "pftrace"):
    part = runs.path(f"part.{ending}")
    runs.run("run", os.path.join(dispatches, "saxpy.yaml"), "--engine", "ca", "--config", "small", "--trace", part,
             "--window", "5000:6000", "--trace-filter", "cu=0", "--stats", runs.path("part.json.stats.json"))
    runs.check("a part of a trace", 2, r"a part of the trace \(filter cu=0, window 5000:6000\), expected that of the whole run",
               "report", runs.path("part.json.stats.json"), "-o", runs.path("x.html"), "--trace", part)
runs.check("more traces than runs", 2, "2 traces, expected at most one for each of 1 runs", "report", ca, "-o",
           runs.path("x.html"), "--trace", ca, "--trace", ca)
shutil.copy(runs.path("ca.trace.json"), runs.path("two.trace.json"))
runs.check("a trace of another run beside", 0, r"two\.trace\.json: warning: left out", "report", two, "-o",
           runs.path("two.html"))
shutil.copy(ca, runs.path("cut.stats.json"))
with open(runs.path("ca.trace.json"), encoding="utf-8") as f:
    runs.write("cut.trace.json", f.read()[:3000].rsplit("\n", 1)[0])
runs.check("a trace that breaks off", 2, r"cut\.trace\.json: error: the trace breaks off", "report",
           runs.path("cut.stats.json"), "-o", runs.path("x.html"))

# Usage, outputs, and no Python.
runs.check("report without a page", 2, "output", "report", ca)
runs.check("diff of one", 2, "", "diff", ca)
runs.check("an input as output", 2, "would replace an input", "report", ca, "-o", ca)
runs.check("no folder", 2, "no folder", "report", ca, "-o", runs.path("missing/x.html"))
status, out, err = runs.run("report", ca, "-o", "/dev/full")
runs.expect(status == 2 and "/dev/full: error: cannot write" in err, f"a full device: {status} {err}")
status, out, err = runs.run("diff", ca, ca, env={**os.environ, "PATH": runs.path("nothing")})
runs.expect(status == 3 and "python3, which makes reports, does not start" in err and err.count("\n") == 1,
            f"no python3: exit {status}: {err}")
runs.end(40)
