# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Stall reasons of waves: classes that add up to the residency of all waves."""
from ..classes import CLASSES, GROUPS, class_counters, class_name, group_of
from ..figure import add, bars, heat, missing, percent, section, series, table


def make(run, scope):
    sec = section("stalls", "Why waves did not issue",
                  "Every cycle that a wave is resident is in one class: it issues, or it waits for the first reason "
                  "found. The classes add up to the residency of all waves.")
    units = scope.instances("compute_unit")
    if not units:
        missing(sec, f"stall classes: engine {run.statistics['engine']} has no time, engines lt and ca have")
        return sec
    total = scope.total("compute_unit")
    counters = class_counters(total)
    resident = total["wave_cycles"]
    add(sec, by_group(scope.name, counters, resident))
    add(sec, by_class(counters))
    add(sec, class_table(counters, resident))
    if len(units) > 1:
        add(sec, by_unit(units, counters))
    return sec


def by_group(name, counters, resident):
    sums = {g: 0 for g in GROUPS}
    for counter, cycles in counters.items():
        sums[group_of(counter)] += cycles
    return bars("Wave-cycles by group of classes", "% of the wave-cycles", [name],
                [series(GROUPS[g][0], GROUPS[g][1], [percent(n, resident) or 0]) for g, n in sums.items() if n])


def by_class(counters):
    shown = sorted((c for c in counters if counters[c]), key=lambda c: -counters[c])
    groups = [g for g in GROUPS if any(group_of(c) == g for c in shown)]
    return bars("Wave-cycles by class", "wave-cycles", [class_name(c) for c in shown],
                [series(GROUPS[g][0], GROUPS[g][1], [counters[c] if group_of(c) == g else 0 for c in shown])
                 for g in groups])


def class_table(counters, resident):
    meaning = {c: text for c, _, text in CLASSES}
    rows = [[class_name(c), GROUPS[group_of(c)][0], n, percent(n, resident), meaning.get(c, "")]
            for c, n in sorted(counters.items(), key=lambda e: -e[1]) if n]
    in_classes = sum(counters.values())
    rows.append(["in a class", "", in_classes, percent(in_classes, resident), "the sum of the rows above"])
    rows.append(["resident", "", resident, percent(resident, resident), "wave_cycles: residency of all waves"])
    return table("Classes and their sum", [("class", "text"), ("group", "text"), ("wave-cycles", "number"),
                                           ("%", "number"), ("what", "long")], rows)


def by_unit(units, counters):
    shown = [c for c in sorted(counters, key=lambda c: -counters[c]) if counters[c]]
    cells = []
    used = [n for n, unit in enumerate(units) if unit["wave_cycles"]]
    for row, unit in enumerate(units[n] for n in used):
        for column, counter in enumerate(shown):
            share = percent(unit.get(counter, 0), unit["wave_cycles"])
            if share:
                cells.append([row, column, share])
    return heat("Classes by compute unit", "% of the unit's wave-cycles", [str(n) for n in used],
                [class_name(c) for c in shown], ("class", "compute unit"), cells, 100,
                f"The {len(used)} of {len(units)} compute units that had waves.")
