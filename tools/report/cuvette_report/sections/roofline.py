# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Roofline: vector lane operations against memory traffic, under the machine's own ceilings."""
from ..figure import add, missing, rounded, section
from ..scope import ratio
from .memory import peak_bytes_per_cycle

LANES = 64
MOST_POINTS = 60


def make(run, scope):
    sec = section("roofline", "Roofline", "Lane operations per cycle against lane operations per byte of memory "
                  "traffic. A lane operation is one active lane of one vector instruction; a fused multiply-add counts "
                  "one. Operations of matrix cores are not among them.")
    scopes = [s for s in (run.dispatches if scope is run.whole else [scope]) if s.total("memory") and s.cycles]
    if not scopes:
        missing(sec, f"roofline: engine {run.statistics['engine']} does not count memory traffic, engine ca does")
        return sec
    points = [p for p in map(point, scopes[:MOST_POINTS]) if p]
    if len(scopes) > MOST_POINTS:
        missing(sec, f"more than the first {MOST_POINTS} dispatches in the figure")
    if not points:
        missing(sec, "roofline: no vector instructions or no memory traffic")
        return sec
    roofs = ceilings(run.sizes)
    if not roofs:
        missing(sec, "ceilings of the machine: the statistics have no machine parameters")
    add(sec, {"kind": "roofline", "title": "Roofline", "unit": "lane operations per cycle",
              "x": "lane operations per byte of memory traffic", "y": "lane operations per cycle", "roofs": roofs,
              "points": points, "note": "Both scales are logarithmic. Parameters of the machine's description; timing "
              "is not validated against hardware."})
    missing(sec, "floating-point operations: instructions are counted by unit, not by arithmetic")
    return sec


def point(scope):
    operations = scope.total("compute_unit")["lane_operations"]
    memory = scope.total("memory")
    intensity = ratio(operations, memory["read_bytes"] + memory["written_bytes"])
    if not operations or intensity is None:
        return None
    return {"name": scope.name, "x": rounded(intensity), "y": rounded(operations / scope.cycles)}


def ceilings(machine):
    """Peak lane operations per cycle of all SIMDs, and the bandwidth of memory; none without the machine."""
    peak = peak_bytes_per_cycle(machine)
    names = ("compute_units", "compute_unit.simds", "compute_unit.valu_cycles")
    if peak is None or not all(machine.get(n) for n in names):
        return []
    units, simds, cycles = (machine[n] for n in names)
    lanes = units * simds * LANES / cycles
    return [{"name": f"vector ALUs: {rounded(lanes)} lane operations per cycle", "level": rounded(lanes)},
            {"name": f"memory: {rounded(peak)} bytes per cycle", "slope": peak}]
