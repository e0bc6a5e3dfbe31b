#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""cuvette sweep through the program: results against single runs, workers, content addresses, points that fail,
wrong plans, the progress bar, the page.

sweep_program_test.py CUVETTE DISPATCHES SCRATCH
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays as it is
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "cli")]

from program_runs import Runs  # noqa: E402
from sweep_files import copied_kernel, plan_text, points_of, results_of, single_run  # noqa: E402

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
os.chdir(scratch)
saxpy = copied_kernel(dispatches, scratch, "saxpy")
reduce = copied_kernel(dispatches, scratch, "reduce")
GRID = {"grid": {"vector_l1.misses": {"from": 8, "to": 64, "factor": 8}, "memory.latency_cycles": [200, 350]}}


def sweep(what, status, pattern, plan, folder, *options):
    return runs.check(what, status, pattern, "sweep", plan, "-o", folder, *options)


def model_of(page):
    with open(page, encoding="utf-8") as f:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)[1])


# Results are those of single runs; one worker and two give the same.
plan = runs.write("plan.yaml", plan_text(["dispatches/saxpy.yaml", "dispatches/reduce.yaml"], GRID, objectives=[
    {"name": "cycles", "statistic": "totals.cycles", "goal": "minimize"},
    {"name": "misses", "statistic": "machine.parameters.vector_l1.misses", "goal": "minimize"},
    {"name": "IPC", "statistic": "totals.instructions", "per": "totals.cycles"}]))
sweep("one worker", 0, r"8 points, 8 finished, 0 failed\n.* 8 run, 0 with a result before", plan, "one", "--workers", "1")
sweep("two workers", 0, r"8 run, 0 with", plan, "two", "--workers", "2")
one = results_of("one")
runs.expect(one == results_of("two") and len(one) == 8, "one worker and two: other results")
combinations = [(k, {"vector_l1.misses": m, "memory.latency_cycles": c})
                for k in (saxpy, reduce) for m in ("8", "64") for c in ("200", "350")]
for n, (kernel, settings) in enumerate(combinations):
    single = single_run(cuvette, scratch, kernel, settings, "--engine", "ca", "--config", "small")
    _, passed, message, objectives, told, statistics = one[n]
    runs.expect(passed and message == "" and json.loads(told) == settings, f"point {n}: {passed} {message} {told}")
    runs.expect(statistics == single, f"point {n} and a single run differ")
    totals = json.loads(single)["totals"]
    runs.expect(json.loads(objectives) == [totals["cycles"], int(settings["vector_l1.misses"]),
                                           totals["instructions"] / totals["cycles"]], f"point {n}: {objectives}")
runs.expect(len({json.loads(r[3])[0] for r in one.values()}) > 4, "the parameters change nothing")
runs.expect(not os.path.exists("one/work") and not os.path.exists("dask-worker-space"), "something is left behind")

# The same plan again runs nothing; changed content runs what it concerns, and comes back to old results.
before = points_of("one")
sweep("again", 0, r"0 run, 8 with a result before", plan, "one")
runs.expect(points_of("one") == before, "results changed")
text = open(saxpy, encoding="utf-8").read()
runs.write("dispatches/saxpy.yaml", text + "# a comment\n")
sweep("a changed kernel", 0, r"4 run, 4 with", plan, "one")
runs.write("dispatches/saxpy.yaml", text)
sweep("the kernel as it was", 0, r"0 run, 8 with", plan, "one")
code = open("kernels/reduce.hsail", encoding="utf-8").read()
runs.write("kernels/reduce.hsail", code + "// a comment\n")
sweep("changed code", 0, r"4 run, 4 with", plan, "one")
runs.write("kernels/reduce.hsail", code)
expected = open("dispatches/saxpy.expected.bin", "rb").read()
runs.write("dispatches/saxpy.expected.bin", expected[:-1] + bytes([expected[-1] ^ 1]))
sweep("a changed expectation", 1, r"4 run, 4 with", plan, "one")
runs.write("dispatches/saxpy.expected.bin", expected)
more = {"grid": {**GRID["grid"], "memory.latency_cycles": [200, 350, 500]}}
runs.write("more.yaml", plan_text(["dispatches/saxpy.yaml"], more))
sweep("more values", 0, r"6 points.*\n.* 2 run, 4 with", "more.yaml", "one")
with open(os.path.join(os.path.dirname(cuvette), "../share/cuvette/config/small.yaml"), encoding="utf-8") as f:
    machine = f.read()
runs.write("mine.yaml", machine)
runs.write("own.yaml", plan_text(["dispatches/saxpy.yaml"], GRID, machines=["mine.yaml"]))
sweep("a machine of one's own with the same fields", 0, r"4 points.*\n.* 0 run, 4 with", "own.yaml", "one")
runs.write("mine.yaml", machine.replace("crossbar_cycles: {value: 16", "crossbar_cycles: {value: 17"))
sweep("a changed machine", 0, r"4 run, 0 with", "own.yaml", "one")
double = {"list": [{"memory.latency_cycles": 200}], "random": {"points": 40, "seed": 1, "over": {"vector_l1.misses": [8, 64]}}}
runs.write("double.yaml", plan_text(["dispatches/saxpy.yaml"], double))
sweep("points that are the same", 0, r"40 points, 40 finished", "double.yaml", "double")
runs.expect(len({r[0] for r in points_of("double").values()}) == 2, "points that are the same")
sweep("a plan without parameters", 0, r"1 points, 1 finished", runs.write("bare.yaml", plan_text(["dispatches/saxpy.yaml"], {})),
      "bare")
for engine in ("hsail", "golden", "lt"):
    given = {"kernels": ["dispatches/saxpy.yaml"], "engine": engine, **({} if engine == "hsail" else {"machines": ["small"]})}
    sweep(f"engine {engine}", 0, "1 finished, 0 failed", runs.write("engine.yaml", json.dumps(given)), f"engine_{engine}")

# Points that fail: retried once, told, no end of the sweep; not again, unless that is asked for.
bad = {"grid": {"l2.slice.ways": [4, 3, 16], "vector_l1.misses": [8, 64]}}
plan = runs.write("bad.yaml", plan_text(["dispatches/saxpy.yaml"], bad))
status, out, err = runs.run("sweep", plan, "-o", "bad", "--workers", "2")
runs.expect(status == 1 and "6 points, 6 finished, 2 failed" in out, f"bad points: {status} {out} {err}")
told = re.findall(r"point (\d), dispatches/saxpy.yaml, small, (.*): failed 2 times: .*262144 bytes are not a whole", err)
runs.expect(sorted(told) == [("2", "l2.slice.ways=3, vector_l1.misses=8"), ("3", "l2.slice.ways=3, vector_l1.misses=64")],
            f"failed points: {err}")
runs.expect(len(re.findall(r"failed         point [23], .*262144 bytes", out)) == 2, f"failed points at the end: {out}")
status, out, err = runs.run("sweep", plan, "-o", "bad")
runs.expect(status == 1 and "0 run, 6 with a result before" in out and "2 failed" in out, f"failed before: {status} {out}")
sweep("failed ones again", 1, r"2 run, 4 with", plan, "bad", "--retry-failed")
poisoned = {"kernels": ["dispatches/saxpy.yaml", "dispatches/wrong.yaml"], "machines": ["small"], "timeout": 30}
runs.write("dispatches/wrong.yaml", text.replace("[1, 3, 5, 7]", "[1, 3, 5, 8]"))
sweep("a wrong result", 1, r"wrong.yaml, small: difference: .*y\[3\]: expected 8", runs.write("p.yaml", json.dumps(poisoned)), "p")
slow = json.dumps({"kernels": ["dispatches/saxpy.yaml"], "machines": ["small"], "timeout": 0.001})
sweep("a point without an end", 1, r"not done after 0.001 seconds", runs.write("slow.yaml", slow), "slow")
hang = json.dumps({"kernels": ["dispatches/saxpy.yaml"], "machines": ["small"], "options": {"watchdog": 500}})
sweep("a watchdog", 1, r"watchdog: not done after 500 cycles", runs.write("hang.yaml", hang), "hang")

# Wrong plans: one line with the place, status 2, nothing run.
HEAD = "kernels: [dispatches/saxpy.yaml]\nmachines: [small]\n"
WRONG = {
    "": r":1:1: error: nothing is in the file",
    "kernels: []": r":1:10: error: expected at least 1 items",
    "kernel: [a]": r":1:1: error: unknown key 'kernel', nearest spelling 'kernels'",
    "kernels: [a.yaml]": r":1:11: error: .*a\.yaml: cannot open: No such file",
    "kernels: [a\n b: 1": r":2:3: error: ",
    "kernels: [dispatches/saxpy.yaml]\nmachines: [big]": r":2:12: error: machine big: unknown machine description 'big'",
    HEAD + "kernels: [a]": r":3:1: error: key 'kernels' is there twice",
    HEAD + "engine: cb": r":3:9: error: 'cb' is unknown, expected one of: hsail, golden, lt, ca",
    HEAD + "timeout: 0": r":3:10: error: expected more than 0, found '0'",
    HEAD + "parameters:\n  grid:\n    l2.slice.wasy: [1]": r":5:5: error: machine small has no field 'l2.slice.wasy', nearest spelling 'l2.slice.ways'",
    HEAD + "parameters:\n  grid:\n    l2.slice.ways: [4, many]": r":5:24: error: l2.slice.ways of machine small: expected an integer from 1 to 4096, found 'many'",
    HEAD + "parameters:\n  grid:\n    l2.slices: [1, 2, 3]": r":5:23: error: l2.slices of machine small: 'slices' must be a power of two, found 3",
    HEAD + "parameters:\n  grid:\n    compute_units: {from: 1, to: 3, step: 0.5}": r":5:27: error: compute_units of machine small: expected an integer .*'1.5'",
    HEAD + "parameters:\n  random: {seed: 1, points: 2, over: {compute_units: {from: 1.0, to: 8.0}}}": r":4:61: error: compute_units of machine small: expected an integer",
    HEAD + "parameters:\n  grid:\n    l2.slice.ways: {from: 1, to: 4}": r":5:20: error: expected 'step' or 'factor'",
    HEAD + "parameters:\n  grid:\n    l2.slice.ways: 4": r":5:20: error: expected a list of values or a map",
    HEAD + "parameters:\n  list: [{l2.slice.ways: 4}, {l2.slice.bytes: 4}]": r":4:31: error: 'l2.slice.bytes' is not in the first entry",
    HEAD + "parameters:\n  random: {seed: 1, over: {l2.slice.ways: [4]}}": r":4:11: error: the key 'points' is missing",
    HEAD + "parameters:\n  random: {seed: 1, points: 2, over: {l2.slice.ways: [4]}}\n  grid: {l2.slice.ways: [4]}": r":5:10: error: 'l2.slice.ways' is a parameter of 'random', too",
    HEAD + "parameters:\n  latin_hypercube: {seed: 1, points: 2, over: {clock_mhz: {from: 0, to: 9, scale: log}}}": r"expected more than 0 for a logarithmic scale",
    HEAD + "objectives: [{name: a, statistic: totals.cycels}]": r":3:35: error: 'cycels' is no member of totals, nearest spelling 'cycles'",
    HEAD + "objectives: [{name: a, statistic: totals.cycles}, {name: a, statistic: totals.waves}]": r":3:58: error: 'a' is there twice",
    HEAD + "options: {hazard: report}": r":3:11: error: unknown key 'hazard', nearest spelling 'hazards'",
    "kernels: [dispatches/dump.yaml]": r":1:11: error: .*has a 'dump'",
    "kernels: [dispatches/saxpy.yaml]\nengine: hsail\nparameters: {grid: {clock_mhz: [1]}}": r":3:21: error: 'clock_mhz' is a field of a machine, engine hsail has none",
}
runs.write("dispatches/dump.yaml", text + "dump: {y: y.bin}\n")
for plan_, message in WRONG.items():
    status, out, err = runs.run("sweep", runs.write("wrong.yaml", plan_), "-o", "wrong")
    runs.expect(status == 2 and re.match(re.escape(os.path.join(scratch, "wrong.yaml")) + ".*" + message, err)
                and err.count("\n") == 1 and not out, f"{plan_!r}: exit {status}: {out}{err}")
runs.expect(not os.path.exists("wrong"), "a folder for a wrong plan")
sweep("no plan", 2, "missing.yaml: error: cannot open", "missing.yaml", "wrong")
for words in ("0", "many", "-1", "99999"):
    sweep(f"{words} workers", 2, f"--workers '{words}', expected a number", plan, "wrong", f"--workers={words}")
runs.write("file", "")
sweep("a file as folder", 2, "file: error: cannot be used", plan, "file")
os.makedirs("other", exist_ok=True)
runs.write("other/sweep.sqlite", "something else that is not a database, and long enough to be looked at" * 20)
sweep("another file of that name", 2, "sweep.sqlite: error: cannot be used", plan, "other")
status, out, err = runs.run("sweep", plan, "-o", "x", env={**os.environ, "CUVETTE_PYTHON": "/nothing"})
runs.expect(status == 3 and "/nothing, which runs sweeps, does not start" in err, f"no interpreter: {status} {err}")

# Two sweeps in one folder; the second one is refused.
long = runs.write("long.yaml", plan_text(["dispatches/saxpy.yaml"], {"grid": {"memory.latency_cycles": {"from": 1, "to": 400, "step": 1}}}))
first = subprocess.Popen([cuvette, "sweep", long, "-o", "long", "--workers", "1"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
while first.poll() is None and len(points_of("long")) < 2:
    time.sleep(0.05)
sweep("two in one folder", 2, "long: error: another sweep works in it", long, "long")
# A report of a sweep under way, then Ctrl-C: what is finished stays.
runs.check("a report under way", 0, "report of long", "report", "long", "-o", "long.html")
runs.expect("points: the sweep has not come to them" in json.dumps(model_of("long.html")), "a sweep under way")
first.send_signal(2)
out, err = first.communicate(timeout=60)
runs.expect(first.returncode == 1 and "interrupted: the same command goes on" in err and "400 points, " in out,
            f"interrupted: {first.returncode} {out} {err}")
runs.expect(2 <= len(points_of("long")) < 400, "points of an interrupted sweep")

# A plan of a million points begins at once and takes no more memory than another one.
huge = runs.write("huge.yaml", plan_text(["dispatches/saxpy.yaml"], {"latin_hypercube": {
    "points": 1000000, "seed": 1, "over": {"memory.latency_cycles": {"from": 1, "to": 2000},
                                           "clock_mhz": {"from": 500.0, "to": 2000.0}}}}))
first = subprocess.Popen([cuvette, "sweep", huge, "-o", "huge"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while first.poll() is None and len(points_of("huge")) < 20:
    time.sleep(0.05)
with open(f"/proc/{first.pid}/status", encoding="ascii") as f:
    most = int(re.search(r"VmHWM:\s+(\d+) kB", f.read())[1])
first.send_signal(2)
out, err = first.communicate(timeout=60)
runs.expect(first.returncode == 1 and "1000000 points" in out and most < 200000, f"a million points: {most} kB {out} {err}")
print(f"a sweep of a million points: {most} kB")

# The bar is there on a terminal alone.
for name, plan_ in (("bar", "bare.yaml"),):
    parent, child = pty.openpty()
    done = subprocess.run([cuvette, "sweep", plan_, "-o", name], stderr=child, stdout=subprocess.PIPE, check=False)
    os.close(child)
    shown = os.read(parent, 100000).decode()
    os.close(parent)
    runs.expect(done.returncode == 0 and re.search(r"\[#{30}\] 1/1, .*/s, 0:00 left", shown), f"no bar: {shown!r}")
status, out, err = runs.run("sweep", "bare.yaml", "-o", "quiet")
runs.expect(status == 0 and err == "", f"not quiet: {err!r}")

# The page.
runs.check("report", 0, "page.html: report of one", "report", "one", "-o", "page.html")
sweep("the first plan again", 0, "8 points", "plan.yaml", "two")
runs.check("report", 0, "page.html: report of two", "report", "two", "-o", "page.html")
model = model_of("page.html")
runs.expect([r["label"] for r in model["runs"]] == ["dispatches/saxpy.yaml", "dispatches/reduce.yaml"], "kernels")
sections = {s["id"]: s for s in model["runs"][0]["scopes"][0]["sections"]}
cycles = {n: json.loads(r[3])[0] for n, r in one.items()}
rows = sections["points"]["parts"][0]["rows"]
runs.expect([r[0] for r in rows] == sorted(range(4), key=lambda n: (cycles[n], n)), f"points in order: {rows}")
runs.expect(all(r[1:4] == [*[json.loads(one[r[0]][4])[p] for p in ("vector_l1.misses", "memory.latency_cycles")], cycles[r[0]]]
                for r in rows), f"values: {rows}")
front = next(p for p in sections["pareto"]["parts"] if p["kind"] == "scatter")["front"]
values = [(cycles[n], int(json.loads(one[n][4])["vector_l1.misses"])) for n in range(4)]
best = sorted(v for v in values if not any(o != v and o[0] <= v[0] and o[1] <= v[1] for o in values))
runs.expect(sorted(tuple(p[:2]) for p in front) == best and best, f"front {front}, expected {best}")
bars = next(p for p in sections["sensitivity"]["parts"] if p["kind"] == "bars")
mean = sum(cycles[n] for n in range(4)) / 4
variance = sum((cycles[n] - mean) ** 2 for n in range(4)) / 4
share = {}
for path in ("vector_l1.misses", "memory.latency_cycles"):
    levels = {}
    for n in range(4):
        levels.setdefault(json.loads(one[n][4])[path], []).append(cycles[n])
    share[path] = 100 * sum(len(v) * (sum(v) / len(v) - mean) ** 2 for v in levels.values()) / 4 / variance
found = dict(zip(bars["categories"], bars["series"][0]["values"]))
runs.expect(all(abs(found[p] - share[p]) < 0.01 for p in share), f"sensitivities {found}, expected {share}")
runs.check("report of failed points", 0, "report of bad", "report", "bad", "-o", "bad.html")
failed = next(p for p in model_of("bad.html")["overview"]["parts"] if p["title"] == "Failed points")["rows"]
runs.expect([r[0] for r in failed] == [2, 3] and all("262144 bytes" in r[5] for r in failed), f"failed points: {failed}")
results = open("one/sweep.sqlite", "rb").read()
runs.check("a page over the results", 2, "would replace an input", "report", "one", "-o", "one/sweep.sqlite")
runs.expect(open("one/sweep.sqlite", "rb").read() == results, "the results are gone")
runs.check("a folder and a run", 2, "name nothing else", "report", "one", "single.json", "-o", "x.html")
runs.check("a folder without a sweep", 2, "Is a directory", "report", "dispatches", "-o", "x.html")
runs.check("another file", 2, "other/sweep.sqlite: error: cannot be used", "report", "other", "-o", "x.html")
runs.end(95)
