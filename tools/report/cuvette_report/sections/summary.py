# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that ran, the machine, and the result."""
from ..figure import add, bars, missing, rounded, section, series, table
from ..scope import ratio

MOST_BARS = 40


def make(run, scope):
    sec = section("summary", "Summary", "What ran, on which machine, and how it ended.")
    s = run.statistics
    add(sec, table("Run", [("", "text"), ("value", "text")], [
        ["result", "passed" if s["passed"] else "FAILED"],
        ["dispatch file", s["dispatch_file"]],
        ["engine", s["engine"]],
        ["machine", s["config"]],
        ["target", s.get("target", "none")],
        ["program", f"{s['program']['name']} {s['program']['version']}"],
        ["statistics", run.path],
        ["trace", run.trace.path if run.trace else run.no_trace],
    ]))
    add(sec, table("Dispatches", [("dispatch", "text"), ("grid", "text"), ("work-group", "text"),
                                  ("work-groups", "number"), ("waves", "number"), ("instructions", "number"),
                                  ("cycles", "number"), ("instructions per cycle", "number")],
                   [dispatch_row(d, j) for d, j in zip(run.dispatches, s["dispatches"])]))
    if not run.timed:
        missing(sec, f"cycles: engine {s['engine']} has no time, engines lt and ca have")
        return sec
    if s["engine"] == "lt":
        sec["missing"].append("cycles to compare with those of ca: engine lt is loosely timed")
    shown = run.dispatches[:MOST_BARS]
    if len(shown) > 1:
        note = f"The first {MOST_BARS} of {len(run.dispatches)}." if len(run.dispatches) > MOST_BARS else ""
        add(sec, bars("Time per dispatch", "cycles", [d.name for d in shown],
                      [series("cycles", 0, [d.cycles for d in shown])], note))
    return sec


def dispatch_row(d, j):
    return [d.name, " x ".join(map(str, j["grid"])), " x ".join(map(str, j["workgroup"])), d.numbers["workgroups"],
            d.numbers["waves"], d.instructions, d.cycles or None, rounded(ratio(d.instructions, d.cycles))]
