# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Local and global data share."""
from ..figure import add, bars, missing, rounded, section, series, table
from ..scope import ratio


def make(run, scope):
    sec = section("lds", "Data shares", "Requests to the LDS of the compute units and to the GDS, and cycles lost to "
                  "bank conflicts.")
    lds, gds = scope.total("lds"), scope.total("gds")
    if not lds:
        missing(sec, f"data shares: engine {run.statistics['engine']} has no counters, engines lt and ca have")
        return sec
    add(sec, table("Data shares", [("", "text"), ("LDS", "number"), ("GDS", "number")], [
        ["requests", lds["requests"], gds.get("requests")],
        ["atomics (lanes)", lds["atomics"], gds.get("atomics")],
        ["conflict cycles", lds["conflict_cycles"], None],
        ["conflict cycles per request", rounded(ratio(lds["conflict_cycles"], lds["requests"])), None],
        ["busy cycles", None, gds.get("busy_cycles")]]))
    units = scope.instances("lds")
    if 1 < len(units) <= 40 and lds["requests"]:
        names = [str(n) for n in range(len(units))]
        add(sec, bars("LDS by compute unit", "requests or cycles", names,
                      [series("requests", 0, [u["requests"] for u in units]),
                       series("conflict cycles", 3, [u["conflict_cycles"] for u in units])]))
    if run.statistics["engine"] == "lt":
        missing(sec, "bank conflicts: the LDS of engine lt has none")
    return sec
