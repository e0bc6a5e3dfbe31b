# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Exactness of the run: status of the executed instructions, fallbacks, lockstep, hazards."""
from ..figure import add, bars, missing, percent, section, series, table

COLORS = {"exact": 2, "defined": 0, "approximate": 1, "unsupported": 3}


def make(run, scope):
    sec = section("exactness", "Exactness and lockstep",
                  "How far results can be trusted: the status of every executed instruction, what took another way, "
                  "and what was compared with RTL.")
    status = scope.tables["by_status"]
    order = sorted(status, key=lambda n: (list(COLORS).index(n) if n in COLORS else 9, n))
    add(sec, bars("Executed instructions by status", "% of the instructions", [scope.name],
                  [series(n, COLORS.get(n, 7), [percent(status[n], scope.instructions)]) for n in order],
                  "exact: as the manuals define; defined: specified here where the sources are silent; approximate: "
                  "differs from hardware."))
    others = sorted(scope.tables["not_exact"].items(), key=lambda e: (-e[1], e[0]))
    if others:
        add(sec, table("Instructions that are not exact", [("mnemonic", "text"), ("executed", "number")],
                       [list(e) for e in others]))
    if scope.numbers["fallbacks"]:
        add(sec, table("Fallbacks to the reference", [("mnemonic", "text"), ("executed", "number")],
                       sorted(([n, c] for n, c in scope.tables["fallbacks"].items()), key=lambda r: -r[1])))
    add_lockstep(sec, run.statistics)
    add_hazards(sec, run.statistics)
    missing(sec, "coverage of the RTL: cuvette coverage tells it from the coverage files of a build with counters")
    return sec


def add_lockstep(sec, statistics):
    lockstep = statistics.get("lockstep")
    if lockstep is None:
        missing(sec, "lockstep: no block was compared with RTL (cuvette run --lockstep)")
        return
    rows = [[name, count] for name, count in lockstep["compared"].items()]
    add(sec, table(f"Lockstep: {lockstep['scope']}: {lockstep['mismatches']} mismatches",
                   [("compared", "text"), ("items", "number")], rows, "Of the whole run."))


def add_hazards(sec, statistics):
    hazards = statistics.get("hazards")
    if hazards is None:
        missing(sec, "hazards: not looked for (cuvette run --hazards)")
        return
    rows = [[name, count] for name, count in hazards.items()] or [["none found", 0]]
    add(sec, table("Hazards by class of rule", [("class", "text"), ("places of the program", "number")], rows,
                   "Of the whole run."))
