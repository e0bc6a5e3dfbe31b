# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Use of the matrix cores."""
from ..figure import add, missing, percent, section, table


def make(run, scope):
    sec = section("matrix", "Matrix core", "Matrix instructions and the wave-cycles that waited for a matrix core or "
                  "its results.")
    unit = scope.total("compute_unit")
    matrix = scope.tables["by_unit"].get("matrix", 0)
    if not matrix:
        sec["parts"].append({"kind": "fact", "title": "Matrix instructions", "text": "none", "note": ""})
        return sec
    rows = [["matrix instructions", matrix, percent(matrix, scope.instructions), "% of the instructions"]]
    if unit:
        rows += [["waited for a matrix core", unit["stalled_matrix_core"],
                  percent(unit["stalled_matrix_core"], unit["wave_cycles"]), "% of the wave-cycles"],
                 ["waited for a matrix result", unit["stalled_matrix_result"],
                  percent(unit["stalled_matrix_result"], unit["wave_cycles"]), "% of the wave-cycles"]]
    add(sec, table("Matrix core", [("", "text"), ("count", "number"), ("%", "number"), ("of what", "text")], rows))
    missing(sec, "cycles that a matrix core is busy, and its operations per cycle: it has no counters")
    return sec
