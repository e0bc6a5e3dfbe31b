#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Points of plans without the program: combinations, Latin hypercubes, determinism, memory; Pareto fronts and
sensitivities against their definitions; the end of a cluster that does not answer.

sweep_layout_test.py SWEEP_DIR
"""
import hashlib
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tracemalloc

sys.dont_write_bytecode = True
SWEEP = sys.argv[1]
sys.path.insert(0, SWEEP)

from cuvette_sweep.cluster import Cluster  # noqa: E402
from cuvette_sweep.inputs import files_of  # noqa: E402
from cuvette_sweep.pareto import Front, Front2  # noqa: E402
from cuvette_sweep.permutation import Permutation  # noqa: E402
from cuvette_sweep.sensitivity import Levels, Sensitivity  # noqa: E402
from cuvette_sweep.space import Choices, Grid, LatinHypercube, Layout, Random, Range, Rows, Steps  # noqa: E402
from cuvette_sweep.statistic import Objective, misspelt, pick  # noqa: E402

checks, failures = 0, []


def expect(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)


def texts(values):
    return [values.text(n) for n in range(len(values))]


def million():
    """A plan of a million points with every kind of space."""
    grid = Grid([("a", Steps(1, 10, step=1)), ("b", Choices("vwxyz"))])
    rows = Rows([[("c", "1"), ("d", "2")], [("c", "3"), ("d", "4")]])
    cube = LatinHypercube([("e", Range(0, 10 ** 6)), ("f", Range(1.0, 2.0))], 1000, 7)
    free = Random([("g", Range(1, 6)), ("h", Choices("pq"))], 5, 9)
    return Layout(1, 2, [rows, free, cube, grid])


def digest(layout, indices):
    text = json.dumps([layout.point(i) for i in indices])
    return hashlib.sha256(text.encode()).hexdigest()


if len(sys.argv) > 2:  # a child process of the test of determinism
    print(digest(million(), range(0, 1000000, 997)))
    sys.exit(0)

# Permutations: every number once, and not in order.
for size in [*range(1, 70), 1000, 4096, 4097]:
    p = Permutation(size, 5, "x")
    expect(sorted(map(p, range(size))) == list(range(size)), f"permutation of {size}")
orders = {tuple(map(Permutation(50, seed, name), range(50))) for seed in range(20) for name in "ab"}
expect(len(orders) == 40, "permutations of other seeds and names are the same")
# Every place gets every number about as often: 2000 seeds, 8 numbers, 250 each (a deviation of 5 sigma is 74).
for place in range(8):
    hits = [0] * 8
    for seed in range(2000):
        hits[Permutation(8, seed, "y")(place)] += 1
    expect(all(abs(h - 250) < 74 for h in hits), f"numbers at place {place}: {hits}")

# Values: steps, factors, ends of ranges, shares.
expect(texts(Steps(4, 12, step=3)) == ["4", "7", "10"], "steps that do not meet the end")
expect(texts(Steps(1, 64, factor=2)) == ["1", "2", "4", "8", "16", "32", "64"], "factors")
expect(texts(Steps(1, 1000, factor=10)) == ["1", "10", "100", "1000"], "factors of ten")
expect(texts(Steps(0.1, 0.5, step=0.1)) == ["0.1", "0.2", "0.3", "0.4", "0.5"], "steps of real numbers")
expect(texts(Steps(3, 3, step=1)) == ["3"], "one step")
expect(Range(1, 6).at(0) == "1" and Range(1, 6).at(1 - 2 ** -53) == "6", "ends of integers")
expect([Range(1, 4).at(u / 8) for u in range(8)] == ["1", "1", "2", "2", "3", "3", "4", "4"], "shares of integers")
expect(abs(float(Range(1.0, 100.0, log=True).at(0.5)) - 10) < 1e-6, "the middle of a logarithmic range")
expect(all(1 <= int(Range(1, 100, log=True).at(u / 997)) <= 100 for u in range(997)), "a logarithmic range of integers")
expect(Range(0, 2 ** 62).at(1 - 2 ** -53) <= str(2 ** 62), "a large range")

# A layout is what nested loops give, the last one the fastest.
layout = Layout(2, 2, [Rows([[("r", "0")], [("r", "1")]]), Grid([("a", Choices("xyz")), ("b", Steps(1, 2, step=1))])])
loops = [(k, m, [("r", r), ("a", a), ("b", b)])
         for k, m, r, a, b in itertools.product(range(2), range(2), "01", "xyz", "12")]
expect([layout.point(i) for i in range(layout.size)] == loops, "nested loops")
expect(Layout(3, 1, []).point(2) == (2, 0, []), "no parameters")
for outside in (-1, layout.size):
    try:
        layout.point(outside)
        expect(False, f"a point {outside}")
    except IndexError:
        expect(True, "")

# A Latin hypercube: in each of n equal parts of each parameter's range lies one of n points.
for size in (1, 2, 3, 10, 97, 500):
    for seed in range(3):
        cube = LatinHypercube([("p", Range(0.0, 1.0)), ("q", Range(-5.0, 5.0)), ("r", Range(1.0, 1000.0, log=True))],
                              size, seed)
        points = [dict(cube.settings(i)) for i in range(size)]
        unit = {"p": lambda v: v, "q": lambda v: (v + 5) / 10, "r": lambda v: math.log10(v) / 3}
        for path, scale in unit.items():
            parts = sorted(math.floor(scale(float(p[path])) * size + 1e-6 * (size < 10)) for p in points)
            # A value is told with ten digits, so that one at a border may be on its other side.
            shares = sorted(cube.share("pqr".index(path), i) * size for i in range(size))
            expect([math.floor(s) for s in shares] == list(range(size)), f"parts of {path}, {size} points: {parts}")
            expect(sum(p == n for n, p in enumerate(parts)) >= size - 1, f"values of {path}, {size} points: {parts}")
    whole = LatinHypercube([("n", Range(1, size)), ("w", Choices([f"c{i}" for i in range(size)]))], size, 3)
    points = [dict(whole.settings(i)) for i in range(size)]
    expect(sorted(int(p["n"]) for p in points) == list(range(1, size + 1)), f"{size} integers, each once")
    expect(len({p["w"] for p in points}) == size, f"{size} words, each once")
cube = LatinHypercube([("a", Range(0.0, 1.0)), ("b", Range(0.0, 1.0))], 400, 11)
a, b = ([cube.share(n, i) for i in range(400)] for n in (0, 1))
correlation = 12 * sum((x - 0.5) * (y - 0.5) for x, y in zip(a, b)) / 400
expect(abs(correlation) < 0.2, f"two parameters go together: {correlation}")  # 4 sigma
expect(len({round(s * 400 % 1, 6) for s in a}) > 390, "points at one place of their parts")

# Random points: the generator as the page of plans names it.
free = Random([("m.n", Range(0.0, 1.0))], 10, 42)
for i in range(10):
    number = int.from_bytes(hashlib.sha256(f"42\nrandom m.n\n{i}".encode()).digest(), "little") % 2 ** 53 / 2 ** 53
    expect(free.settings(i) == [("m.n", f"{number:.10g}")], f"random point {i}")
faces = [0] * 6
for i in range(6000):
    faces[int(dict(Random([("d", Range(1, 6))], 6000, 1).settings(i))["d"]) - 1] += 1
expect(all(abs(f - 1000) < 145 for f in faces), f"a die: {faces}")  # 5 sigma

# A million points: the same in another process, and in memory that does not grow with them.
layout = million()
expect(layout.size == 1000000, f"{layout.size} points")
expected = digest(layout, range(0, 1000000, 997))
for seed in ("1", "2"):
    child = subprocess.run([sys.executable, "-B", __file__, SWEEP, "digest"], env={**os.environ, "PYTHONHASHSEED": seed},
                           capture_output=True, text=True, check=True)
    expect(child.stdout.strip() == expected, "another process lays out other points")
tracemalloc.start()
made = million()
for i in range(0, 1000000, 41):
    made.point(i)
peak = tracemalloc.get_traced_memory()[1]
tracemalloc.stop()
expect(peak < 1_000_000, f"{peak} bytes for a million points")
print(f"a million points: {peak} bytes at most")
huge = Layout(1, 1, [Grid([(str(n), Steps(1, 1000, step=1)) for n in range(4)])])
expect(huge.point(10 ** 12 - 1)[2] == [(str(n), "1000") for n in range(4)], "the last of 10^12 points")

# Fronts against their definition.
source = random.Random(3)
for signs in ((1, 1), (1, -1), (-1, -1), (1, -1, 1)):
    for size in (1, 5, 60):
        points = [tuple(source.randrange(12) for _ in signs) for _ in range(size)]
        signed = [tuple(v * s for v, s in zip(p, signs)) for p in points]
        best = {p for p, m in zip(points, signed)
                if not any(all(o <= x for o, x in zip(other, m)) and other != m for other in signed)}
        front = Front(signs)
        for n, p in enumerate(points):
            front.add(p, n)
        found = front.front()
        expect({v for v, _ in found} == best and all(points[n] == v for v, n in found), f"front {signs} {points}")
        if len(signs) == 2:
            front = Front2(signs)
            for n, p in enumerate(points):
                front.add(*p, n)
            found = front.front()
            expect({(x, y) for x, y, _ in found} == best and len(found) == len(best), f"front of two {signs} {points}")

# Sensitivities of y = 3 a + b on a grid: the variances are 9 var(a) and var(b), and nothing is together.
points = [({"a": str(i), "b": str(j), "c": "on"}, 3 * i + j) for i in range(4) for j in range(4)]
levels = {p: Levels() for p in "abc"}
for settings, _ in points:
    for p in "abc":
        levels[p].see(settings[p])
s = Sensitivity(levels)
for settings, value in points:
    s.add(settings, value)
expect(abs(s.index("a") - 0.9) < 1e-12 and abs(s.index("b") - 0.1) < 1e-12 and s.index("c") == 0, "first-order indices")
expect(s.effects("a") == [(str(i), 3 * i + 1.5, 3 * i, 3 * i + 3, 4) for i in range(4)], f"effects {s.effects('a')}")
# y = a b over -1 and 1: everything is together.
pairs = [(x, y) for x in (-1, 1) for y in (-1, 1)]
levels = {"a": Levels(), "b": Levels()}
for x, y in pairs:
    levels["a"].see(str(x))
    levels["b"].see(str(y))
s = Sensitivity(levels)
for x, y in pairs:
    s.add({"a": str(x), "b": str(y)}, x * y)
expect(s.index("a") == 0 and s.index("b") == 0, "indices of a product")
# Many values are put together in ranges: y = x has an index near 1.
levels = {"x": Levels()}
for n in range(1000):
    levels["x"].see(str(n / 7))
s = Sensitivity(levels)
for n in range(1000):
    s.add({"x": str(n / 7)}, n)
expect(s.index("x") > 0.98 and sum(e[4] for e in s.effects("x")) == 1000, "ranges of values")
flat = Sensitivity({"x": levels["x"]})
flat.add({"x": "0"}, 5)
flat.add({"x": "1"}, 5)
expect(flat.index("x") is None, "an objective that never changes")

# Statistics by path.
value = {"t": {"c": 7}, "d": [{"b": {"h": 2}}, {"b": {"h": 5}}, {"b": {}}], "m": {"p": {"l2.slice.ways": 4, "l2": "0x10"}}}
for path, number in (("t.c", 7), ("d.*.b.h", 7), ("d.1.b.h", 5), ("d.2.b.h", None), ("d.9.b.h", None),
                     ("m.p.l2.slice.ways", 4), ("m.p.l2", 16), ("m.p.*", 20), ("t", None), ("x.y", None)):
    expect(pick(value, path) == number, f"{path}: {pick(value, path)}")
ratio = Objective({"name": "r", "statistic": "t.c", "times": "d.0.b.h", "per": "m.p.l2"})
expect(ratio.value(value) == 7 * 2 / 16, "a ratio")
expect(Objective({"name": "r", "statistic": "t.c", "per": "d.2.b.h"}).value(value) is None, "a divisor that is not there")
with open(os.path.join(SWEEP, "statistics.schema.json"), encoding="utf-8") as f:
    schema = json.load(f)
for good in ("totals.cycles", "dispatches.*.blocks.l2.total.hits", "dispatches.0.blocks.l2.instances.3.hits",
             "machine.parameters.l2.slice.ways", "passed", "dispatches.0.instructions.by_unit.valu", "hazards.x"):
    expect(misspelt(schema, good) == "", f"{good}: {misspelt(schema, good)}")
for bad in ("total.cycles", "totals.cycle", "totals", "dispatches.cycles", "dispatches.*.blocks.l3.total.hits",
            "totals.cycles.x"):
    expect(misspelt(schema, bad) != "", bad)

# Files that a dispatch file names, in every place where its page allows one.
with open(os.path.join(SWEEP, "dispatch.schema.json"), encoding="utf-8") as f:
    schema = json.load(f)
named = {"code": ["a.hsail", "b.brig"], "expect": [{"buffer": "x", "file": "c.bin"}, {"buffer": "x", "values": ["d.bin"]}],
         "buffers": {"x": {"type": "u8", "count": "1", "init": {"file": "e.bin"}}, "y": {"init": "zero"}},
         "args": [{"buffer": {"name": "z", "init": {"file": "f.bin"}}}, {"ref": "g.bin"}, {"u32": "1"}],
         "dispatches": [{"code": "h.co", "kernel": "i", "args": [{"buffer": {"init": {"file": "j.bin"}}}]},
                        {"code": {"hsail": "k"}}],
         "dump": {"x": "l.bin"}, "kernel": "m.bin", "externals": {"&n": "o"}}
expect(sorted(files_of(named, schema, schema)) == [c + e for c, e in zip("abcefhj", (
    ".hsail", ".brig", ".bin", ".bin", ".bin", ".co", ".bin"))], f"files: {sorted(files_of(named, schema, schema))}")
expect(list(files_of("no map", schema, schema)) == [], "files of no map")


class Silent:
    """A client of Dask whose scheduler does not answer any more, and the module that names its error."""
    TimeoutError = type("DaskTimeout", (Exception,), {})

    def close(self, timeout):
        raise TimeoutError(f"timed out after {timeout} s.")


lost = object.__new__(Cluster)
lost.client = lost.local = lost.distributed = Silent()
lost.jobs = None
try:
    lost.close()
    expect(True, "")
except TimeoutError as error:
    expect(False, f"a cluster that does not answer hides why a sweep ends: {error}")

print(f"{checks} checks, {len(failures)} failed")
for failure in failures[:20]:
    print("FAILED:", failure[:600])
sys.exit(1 if failures or checks < 250 else 0)
