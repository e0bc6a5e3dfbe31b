# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Occupancy: how many waves are on the compute units, and what keeps more away."""
from ..figure import add, bars, missing, percent, rounded, section, series, table
from ..scope import ratio

LIMITS = {"slots": "wave slots", "vgprs": "vector registers", "acc_vgprs": "accumulation registers",
          "sgprs": "scalar registers", "lds": "LDS", "scratch": "scratch memory",
          "launch": "a unit was still being given waves"}
MOST_UNITS = 40


def make(run, scope):
    sec = section("occupancy", "Occupancy", "Waves on the compute units while they are busy, and the resource that "
                  "the next work-group waited for.")
    units = scope.instances("compute_unit")
    if not units:
        missing(sec, f"occupancy: engine {run.statistics['engine']} has no time, engines lt and ca have")
        return sec
    slots = run.sizes.get("compute_unit.simds", 0) * run.sizes.get("compute_unit.waves_per_simd", 0)
    if not slots:
        missing(sec, "wave slots of a compute unit: the statistics have no machine parameters")
    add(sec, numbers(scope, units, slots))
    add(sec, limits(scope.total("spi")))
    if len(units) > 1:
        add(sec, per_unit([(n, u) for n, u in enumerate(units) if u["waves"]]))
    return sec


def numbers(scope, units, slots):
    total = scope.total("compute_unit")
    used = sum(1 for u in units if u["waves"])
    waves = ratio(total["wave_cycles"], total["busy_cycles"])
    rows = [["compute units with waves", used, f"of {len(units)}"],
            ["waves on a busy compute unit, mean", rounded(waves), "wave_cycles / busy_cycles"],
            ["compute units busy", percent(total["busy_cycles"], scope.cycles * len(units)),
             "% of the cycles of all units"],
            ["instructions per busy cycle of a unit", rounded(ratio(total["instructions"], total["busy_cycles"])), ""]]
    if slots:
        rows.insert(2, ["wave slots used", percent(total["wave_cycles"], total["busy_cycles"] * slots),
                        f"% of {slots} slots while busy"])
    return table("Occupancy", [("", "text"), ("value", "number"), ("of what", "text")], rows)


def per_unit(units):
    """`units`: (number, counters)."""
    if len(units) > MOST_UNITS:
        # All units, in groups of neighbours, so that the figure stays readable.
        size = -(-len(units) // MOST_UNITS)
        groups = [units[i:i + size] for i in range(0, len(units), size)]
        names = [f"{g[0][0]} to {g[-1][0]}" for g in groups]
        note = f"Of compute units that had waves, means of {size} neighbours."
    else:
        groups, names = [[u] for u in units], [str(n) for n, _ in units]
        note = "Of compute units that had waves."
    means = [rounded(ratio(sum(u["wave_cycles"] for _, u in g), sum(u["busy_cycles"] for _, u in g)) or 0)
             for g in groups]
    return bars("Waves while busy, by compute unit", "waves", names, [series("waves", 0, means)], note)


def limits(spi):
    shown = {n: spi.get("stall_cycles_" + n, 0) for n in LIMITS}
    if not any(shown.values()):
        return {"kind": "fact", "title": "What the next work-group waited for", "text": "nothing",
                "note": "Waves were launched as they came."}
    order = sorted(shown, key=lambda n: -shown[n])
    return bars("What the next work-group waited for", "cycles", [LIMITS[n] for n in order],
                [series("cycles", 1, [shown[n] for n in order])],
                "By what the first compute unit tried lacked.")
