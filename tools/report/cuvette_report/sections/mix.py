# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Instruction mix: what was executed, by unit and by encoding."""
from ..classes import UNITS, unit_color
from ..figure import add, bars, missing, percent, section, series
from ..scope import ratio


def make(run, scope):
    sec = section("mix", "Instruction mix", "Executed instructions of waves, by the unit that executes them and by "
                  "their encoding.")
    units = scope.tables["by_unit"]
    if not units:
        missing(sec, f"instructions by unit and encoding: engine {run.statistics['engine']} has no machine code")
        return sec
    order = sorted((u for u in units if units[u]), key=lambda u: list(UNITS).index(u) if u in UNITS else 99)
    if len(run.dispatches) > 1 and scope is run.whole:
        shown = run.dispatches[:20]
        add(sec, bars("Executed instructions by unit, per dispatch", "instructions", [d.name for d in shown],
                      [series(u, unit_color(u), [d.tables["by_unit"].get(u, 0) for d in shown]) for u in order],
                      "The first 20 dispatches." if len(run.dispatches) > 20 else ""))
    add(sec, bars("Executed instructions by unit", "instructions", order,
                  [series("instructions", 0, [units[u] for u in order])]))
    formats = sorted(((n, f) for f, n in scope.tables["by_format"].items() if n), reverse=True)
    add(sec, bars("Executed instructions by encoding", "instructions", [f for _, f in formats],
                  [series("instructions", 0, [n for n, _ in formats])]))
    unit = scope.total("compute_unit")
    if unit:
        lanes = ratio(unit["lane_operations"], 64 * unit["valu"])
        text = "no vector instructions" if lanes is None else f"{percent(unit['lane_operations'], 64 * unit['valu'])} %"
        sec["parts"].append({"kind": "fact", "title": "Active lanes of vector instructions", "text": text,
                             "note": f"{unit['lane_operations']} lane operations of {64 * unit['valu']} lanes"})
    return sec
