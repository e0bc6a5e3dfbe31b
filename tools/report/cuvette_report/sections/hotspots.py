# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the program: how often each issued and how long waves waited before it."""
from ..classes import UNITS, unit_color
from ..figure import add, bars, missing, percent, rounded, section, series, table
from ..scope import ratio

MOST = 20
MOST_ROWS = 2000


def make(run, scope):
    sec = section("hotspots", "Instructions of the program", "Cycles between a wave's last issue, or its launch, "
                  "and the issue of the instruction, added up over waves.")
    if run.trace is None:
        missing(sec, f"cycles by instruction: {run.no_trace}")
        return sec
    if scope is not run.whole:
        missing(sec, "instructions of one dispatch: they are shown for all dispatches")
        return sec
    found = sorted(run.trace.instructions, key=lambda i: i.pc)
    waited = sum(i.waited for i in found)
    if run.trace.dropped["issues"]:
        missing(sec, f"{run.trace.dropped['issues']} issued instructions that the trace left out")
    if found:
        add(sec, most_waited(found, waited))
        add(sec, listing(found, waited))
    missing(sec, "operands and source lines: the trace has mnemonic and address (cuvette isa decode prints operands)")
    missing(sec, "stall classes by instruction: statistics have them by compute unit")
    return sec


def most_waited(found, waited):
    top = sorted(found, key=lambda i: (-i.waited, i.pc))[:MOST]
    units = [u for u in UNITS if any(i.unit == u for i in top)]
    return bars("Cycles waited before an instruction", "wave-cycles", [f"{i.pc:#x} {i.mnemonic}" for i in top],
                [series(u, unit_color(u), [i.waited if i.unit == u else 0 for i in top]) for u in units],
                f"The {len(top)} instructions with the most of {waited} wave-cycles." if waited else "")


def listing(found, waited):
    rows = [[f"{i.pc:#x}", i.mnemonic, i.unit, i.issues, i.waited, rounded(ratio(i.waited, i.issues)),
             percent(i.waited, waited)] for i in found[:MOST_ROWS]]
    note = f"The first {MOST_ROWS} of {len(found)} addresses." if len(found) > MOST_ROWS else ""
    return table("Instructions in the order of their addresses",
                 [("address", "text"), ("mnemonic", "text"), ("unit", "text"), ("issues", "number"),
                  ("cycles waited", "number"), ("mean", "number"), ("%", "number")], rows, note)
