#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""cuvette rocm --trace with its filters, window and limit, by options and by the environment, and --wait-graph: steps of
packets, names of kernels, the chosen part; bad choices are refused before the program starts.

rocm_trace_test.py CUVETTE VECTOR_ADD FAULTS SCRATCH
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "../support"), os.path.join(here, "../cli")]

from perfetto_reader import Trace  # noqa: E402
from program_runs import Runs  # noqa: E402

cuvette, vector_add, faults, scratch = sys.argv[1:5]
runs = Runs(cuvette, scratch)
expect, path_of, equal = runs.expect, runs.path, runs.equal
CA = ("--engine", "ca", "--config", "small")
ADD = "add(float const*, float const*, float*, int)"


def waves(trace):
    return [s for s in trace.slices if s.category == "residency"]


def traced(*args, engine=CA):
    path = path_of("run.pftrace")
    status, out, err = runs.run("rocm", *engine, "--trace", path, *args, "--timeout", "300", "--", vector_add)
    equal(status, 0, f"{args}: {out}{err}")
    expect(" 0 differ" in out, f"{args}: {out}")
    return Trace(path), err


whole, _ = traced()
steps = [e for e in whole.instants if e.category == "queue"]
dispatches = [s for s in whole.slices if s.category == "dispatch"]
for step in ("packet fetched", "packet decoded", "packet started", "packet ended"):
    expect(sum(e.name == step for e in steps) >= len(dispatches) > 1, f"{step}: {[e.name for e in steps]}")
expect({e.name for e in steps} >= {"acquire fence done", "release fence done", "completion signaled"}, f"steps {steps}")
equal({whole.process_of(e.track) for e in steps}, {"command processor"}, "the process of steps")
names = {w.name for w in waves(whole)}
expect(ADD in names and len(names) > 1, f"kernels {names}")
equal(sum(w.name == ADD for w in waves(whole)), 40 * 4, "waves of the kernel")
for w in waves(whole):  # a dispatch starts behind a step of its packet
    if not expect(any(e.name == "packet started" and e.begin <= w.begin for e in steps), f"wave {w}"):
        break

for choice in ("kernel=add", f"kernel={ADD}", f"kernel=nobody,{ADD}"):
    part, _ = traced("--trace-filter", choice)
    equal({w.name for w in waves(part)}, {ADD}, f"kernels of {choice}")
    equal(len(waves(part)), 40 * 4, f"waves of {choice}")
    expect(any(e.category == "queue" for e in part.instants), f"steps of packets of {choice}")
    equal(part.fact("trace")["filter"], choice, "the filter in the file")
# The choice that nobody meets fails, as in `cuvette run`.
runs.check("a filter that nobody meets", 1, r"no such wave has run, kernels that ran: .*add\(float const", "rocm", *CA,
           "--trace", path_of("none.pftrace"), "--trace-filter", "kernel=sub", "--", vector_add)

mine = [w for w in waves(whole) if w.name == ADD]
first, last = min(w.begin for w in mine), max(w.end for w in mine)
part, _ = traced("--window", f"{first}:{last}", "--trace-filter", "cu=0")
everything = [s for s in part.slices + part.instants if s.category != "run"]
expect(everything and all(first <= e.begin and e.end <= last + 1 for e in everything), "events of a window")
part, err = traced("--trace-limit", "100")
equal(sum(e.category != "run" for e in part.slices + part.instants), 100, "events of a limit")
expect("left out (--trace-limit 100)" in err, f"a limit: {err}")
part, _ = traced("--trace-filter", "kernel=add", engine=("--engine", "lt"))
expect(len(waves(part)) == 40 * 4 and any(e.name == "packet ended" for e in part.instants), "engine lt")

# By the environment alone.
path = path_of("environment.pftrace")
environment = dict(os.environ, CUVETTE_ENGINE="ca", CUVETTE_MACHINE="small", CUVETTE_TRACE=path,
                   CUVETTE_TRACE_FILTER="kernel=add;cu=0", CUVETTE_TRACE_WINDOW=f"0:{10 * last}",
                   CUVETTE_TRACE_LIMIT="1000000",
                   LD_LIBRARY_PATH=os.path.join(os.path.dirname(cuvette), "../libexec/cuvette/rocm"))
plain = Runs(vector_add, scratch)
status, out, err = plain.run(env=environment)
equal(status, 0, f"by the environment: {out}{err}")
facts = Trace(path).fact("trace")
equal((facts["filter"], facts["window"], facts["limit"]), ("kernel=add cu=0", f"0:{10 * last}", 1000000),
      "choices of the environment")
for name, value, message in [
        ("CUVETTE_TRACE_FILTER", "simd=1", "expects cu=N,"),
        ("CUVETTE_TRACE_WINDOW", "9", "CUVETTE_TRACE_WINDOW: expected FIRST:LAST in cycles, found '9'"),
        ("CUVETTE_TRACE_LIMIT", "0", "CUVETTE_TRACE_LIMIT: expected a number from 1 on, found '0'"),
        ("CUVETTE_TRACE_LIMIT", "9x", "CUVETTE_TRACE_LIMIT: expected a number from 1 on, found '9x'")]:
    status, out, err = plain.run(env=dict(environment, **{name: value}))
    expect(status != 0 and message in err, f"{name}={value}: {status}, {out}{err}")

good = ("--trace", path_of("bad.pftrace"))
for args, message in [
        (("--trace", path_of("x")), r"\.pftrace .*\.json .*\.kanata"),
        ((*good, "--trace-filter", "simd=1"), "expects cu=N,.*found 'simd=1'"),
        ((*good, "--trace-limit", "0"), "trace-limit"),
        ((*good, "--window", "7:6"), "--window expects FIRST:LAST"),
        (("--window", "0:9"), "go with --trace"),
        (("--trace-filter", "cu=0"), "go with --trace"),
        (("--trace-limit", "9"), "go with --trace"),
        ((*good, "--engine", "golden"), "--trace and --wait-graph go with the engines lt and ca"),
        (("--wait-graph", path_of("x.dot"), "--engine", "golden"), "--trace and --wait-graph go with"),
        (("--wait-graph", path_of("missing/x.dot")), "no folder")]:
    status, out, err = runs.run("rocm", *args, "--", vector_add)
    expect(status == 2 and re.search(message, err) and "compared" not in out,
           f"{args}: exit {status}, expected 2 and {message!r}: {out}{err}")

# Who waits for whom, of what is under way when the time is over: a slow host has not come as far in the first seconds.
graph = path_of("hang.dot")
for seconds in ("5", "20", "80"):
    status, out, err = runs.run("rocm", "--engine", "ca", "--config", "small", "--wait-graph", graph, "--timeout", seconds,
                                "--", faults, "endless")
    equal(status, 1, f"a program that does not end: {out}{err}")
    if os.path.exists(graph):
        break
expect("hang.dot: who waits for whom" in err, f"the report of a graph: {err}")
text = ""
if expect(os.path.exists(graph), f"a graph: {out}{err}"):
    with open(graph, encoding="utf-8") as file:
        text = file.read()
    os.remove(graph)
expect(text.startswith("digraph waits {") and re.search(r"queue \d+", text) and "wave" in text and " -> " in text, text)
status, out, err = runs.run("rocm", *CA, "--wait-graph", graph, "--", vector_add)
expect(status == 0 and "hang.dot: not written, nothing was under way at the end" in err and not os.path.exists(graph),
       f"a program that ends: {status}, {out}{err}")

runs.end(least=40)
