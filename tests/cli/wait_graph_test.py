#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --wait-graph: the graph of a hang leads from the queue to the wave that nobody waits behind; that of --why-blocked
has the cycles of the summary; Graphviz draws both where it is installed.

wait_graph_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
STRING = r'"((?:[^"\\]|\\.)*)"'
NODE = re.compile(rf"  (n\d+) \[shape=(\w+), label={STRING}\];")
EDGE = re.compile(rf"  (n\d+) -> (n\d+)(?: \[label={STRING}, penwidth=([\d.]+)\])?;")
# The second wave goes round and round, the first waits for it.
HANG = """
code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &one_waits(kernarg_u64 %p)
    {
      ld_kernarg_align(8)_u64 $d0, [%p];
      workitemid_u32 $s0, 0;
      cmp_lt_b1_u32 $c0, $s0, 64;
      cbr_b1 $c0, @wait;
    @again:
      ld_global_u32 $s1, [$d0];
      cmp_eq_b1_u32 $c1, $s1, 0;
      cbr_b1 $c1, @again;
    @wait:
      barrier;
      ret;
    };
grid: [128]
workgroup: [128]
args:
  - buffer: {name: flag, type: u32, count: 1}
"""


class Graph:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.nodes, self.edges = {}, []
        expect(lines[0] == "digraph waits {" and lines[-1] == "}", f"{path}: {lines[:1]} ... {lines[-1:]}")
        self.title = re.fullmatch(rf"  label={STRING};", lines[1]).group(1)
        for line in lines[3:-1]:
            node, edge = NODE.fullmatch(line), EDGE.fullmatch(line)
            if node:
                self.nodes[node[1]] = (node[2], node[3])
            elif expect(edge, f"{path}: {line}"):
                expect(edge[1] in self.nodes and edge[2] in self.nodes, f"{path}: no nodes of {line}")
                self.edges.append((edge[1], edge[2], edge[3] or ""))
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tsvg", path], capture_output=True, text=True, check=False)
            expect(drawn.returncode == 0 and not drawn.stderr and drawn.stdout.count('class="node"') == len(self.nodes)
                   and drawn.stdout.count('class="edge"') == len(self.edges), f"{path}: dot says {drawn.stderr}")

    def behind(self, node):
        """What a node waits for, with the labels of the edges."""
        return [(to, label) for begin, to, label in self.edges if begin == node]

    def of(self, shape):
        return [n for n, (s, _) in self.nodes.items() if s == shape]

    def label(self, node):
        return self.nodes[node][1]


for engine in ("ca", "lt"):
    hang, out = runs.write("hang.yaml", HANG), path_of(f"hang.{engine}.dot")
    status, text, err = runs.run("run", hang, "--engine", engine, "--config", "small", "--watchdog", "30000", "--wait-graph",
                                 out)
    expect(status == 1 and "watchdog" in text and f"{out}: who waits for whom" in text, f"{engine}: {status}: {text}{err}")
    g = Graph(out)
    expect(re.fullmatch(r"one_waits at cycle \d+", g.title), f"{engine}: title {g.title}")
    queue, = g.of("cds")
    packet, = [n for n, _ in g.behind(queue)]
    expect((g.label(queue), g.label(packet)) == ("queue 0", "packet 0"), f"{engine}: {g.label(queue)}, {g.label(packet)}")
    waves = {n for n, _ in g.behind(packet)}
    expect(waves == set(g.of("box")) and len(waves) == 2, f"{engine}: waves {waves}")
    barrier, = g.of("octagon")
    expect(g.label(barrier).startswith("barrier of work-group "), f"{engine}: {g.label(barrier)}")
    waits = [n for n in waves if (barrier, "") in g.behind(n)]
    missing = g.behind(barrier)
    expect(len(waits) == 1 and missing == [((waves - set(waits)).pop(), "not arrived")], f"{engine}: {waits}, {missing}")
    last = g.behind(missing[0][0])
    expect(len(last) == 1 and g.nodes[last[0][0]][0] == "ellipse" and not g.behind(last[0][0]), f"{engine}: {last}")
    for n in waves:
        expect(re.match(r"wave 0x[0-9a-f]+\\ncompute unit 0 simd \d slot \d\\npc 0x[0-9a-f]+\\n\S", g.label(n)),
               f"{engine}: {g.label(n)}")

# Why chosen waves waited: the cycles of the summary.
reduce, out = os.path.join(source, "tests/dispatches/reduce.yaml"), path_of("reduce.dot")
status, text, err = runs.run("run", reduce, "--engine", "ca", "--config", "small", "--why-blocked", "reduce", "--wait-graph",
                             out)
expect(status == 0 and f"{out}: what the chosen waves waited for" in text, f"reduce: {status}: {text}{err}")
g = Graph(out)
chosen, = g.of("box")
expect(re.fullmatch(r"\d+ waves of reduce", g.label(chosen)), g.label(chosen))
total, issues = map(int, re.search(r": (\d+) cycles of residency, (\d+) with an issue$", g.title).groups())
by_place = {to: int(label.split()[0]) for to, label in g.behind(chosen)}
expect(sum(by_place.values()) == total - issues, f"cycles of places: {by_place}, of {total} with {issues}")
by_reason = collections.Counter()
for place, cycles in by_place.items():
    behind = [(g.label(to), int(label.split()[0])) for to, label in g.behind(place)]
    expect(sum(n for _, n in behind) == cycles, f"{g.label(place)}: {behind}, not {cycles}")
    by_reason.update(dict(behind))
told = re.findall(r"%  (\d+) cycles: (?!\d+ other)(.+?) before (\S+): ", text)
expect(len(told) > 3, f"reasons in the summary: {text}")
for cycles, reason, place in told:
    node, = [n for n in by_place if g.label(n).startswith(place + "\\n")]
    expect((reason, int(cycles)) in [(g.label(to), int(label.split()[0])) for to, label in g.behind(node)],
           f"{cycles} cycles of {reason} before {place}")

# Nothing to show is told; bad choices are refused.
out = path_of("none.dot")
status, text, err = runs.run("run", reduce, "--engine", "ca", "--config", "small", "--wait-graph", out)
expect(status == 0 and f"{out}: not written, the run did not hang" in text and not os.path.exists(out), f"{text}{err}")
runs.check("on golden", 2, "--wait-graph goes with the engines lt and ca", "run", reduce, "--wait-graph", out)
runs.check("two files", 2, "--wait-graph takes one dispatch file", "run", reduce, reduce, "--engine", "lt", "--wait-graph", out)
runs.check("no folder", 2, "no folder", "run", reduce, "--engine", "lt", "--wait-graph", path_of("no/x.dot"))
status, text, err = runs.run("run", runs.write("hang.yaml", HANG), "--engine", "lt", "--config", "small", "--watchdog", "30000",
                             "--wait-graph", "/dev/full")
expect(status == 2 and "watchdog" in text and "/dev/full" in err, f"a full device: {status}: {text}{err}")

runs.end(least=40)
