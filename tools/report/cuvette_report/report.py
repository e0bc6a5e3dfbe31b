# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The model of a report: runs, each with scopes (all dispatches, single ones), each with sections."""
from .figure import add, bars, rounded, section, series, table
from .scope import ratio
from .sections import (caches, exactness, hotspots, lds, matrix, memory, mix, occupancy, roofline, stalls, summary,
                       timeline)

SECTIONS = (summary, exactness, stalls, hotspots, timeline, occupancy, mix, roofline, caches, memory, lds, matrix)
MOST_SCOPES = 32  # with sections of their own, over all runs of a page


def make(runs):
    """A page's model: {title, overview, runs: [{label, note, scopes: [{name, sections}]}]}."""
    most = max(1, MOST_SCOPES // len(runs))
    return {"title": "Report of " + (runs[0].label if len(runs) == 1 else f"{len(runs)} runs"),
            "overview": overview(runs) if len(runs) > 1 else None,
            "runs": [of_run(run, most) for run in runs]}


def of_run(run, most):
    scopes = [run.whole]
    note = ""
    if len(run.dispatches) > 1:
        scopes += run.dispatches[:most]
        if len(run.dispatches) > most:
            note = f"The first {most} of {len(run.dispatches)} dispatches have sections of their own."
    return {"label": run.label, "note": note,
            "scopes": [{"name": s.name, "sections": [m.make(run, s) for m in SECTIONS]} for s in scopes]}


def overview(runs):
    sec = section("overview", "Runs side by side", "The runs of this page; sections below are of one of them.")
    rows = []
    for run in runs:
        w = run.whole
        rows.append([run.label, "passed" if run.statistics["passed"] else "FAILED", w.numbers["waves"], w.instructions,
                     w.cycles or None, rounded(ratio(w.instructions, w.cycles))])
    add(sec, table("Runs", [("run", "text"), ("result", "text"), ("waves", "number"), ("instructions", "number"),
                            ("cycles", "number"), ("instructions per cycle", "number")], rows))
    timed = [r for r in runs if r.timed]
    if timed:
        add(sec, bars("Time by run", "cycles", [r.label for r in timed],
                      [series("cycles", 0, [r.whole.cycles for r in timed])]))
    return sec
