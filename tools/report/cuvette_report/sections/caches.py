# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Caches: hit rates, by kind of access and by instance, misses and hit rates over time."""
from ..figure import add, bars, heat, lines, missing, percent, section, series, table
from ..trace import Bins

CACHES = {"vector_l1": ("vector L1", "compute unit"), "scalar_cache": ("scalar cache", "cache"),
          "instruction_cache": ("instruction cache", "cache"), "l2": ("L2", "slice")}
BINS = 120
COLUMNS = ["hit rate", "share of the accesses", "share of the stall cycles"]


def make(run, scope):
    sec = section("caches", "Caches", "Accesses, hit rates and stalls of each cache. An access that waits for a miss "
                  "under way is a miss.")
    if not any(scope.instances(c) for c in CACHES):
        missing(sec, f"caches: engine {run.statistics['engine']} has none, engine ca has")
        return sec
    present = [c for c in CACHES if scope.instances(c)]
    totals = {c: scope.total(c) for c in present}
    add(sec, bars("Accesses, hit or missed", "accesses", [CACHES[c][0] for c in present],
                  [series("hits", 2, [totals[c]["hits"] for c in present]),
                   series("misses", 3, [totals[c]["misses"] for c in present])]))
    add(sec, rates(present, totals))
    for cache in present:
        if len(scope.instances(cache)) > 1:
            add(sec, by_instance(cache, scope.instances(cache)))
    if run.trace is None:
        missing(sec, f"misses and hit rates over time: {run.no_trace}")
    elif scope is run.whole:
        over_time(sec, run.trace)
    else:
        missing(sec, "misses and hit rates over time of one dispatch: they are shown for all dispatches")
    return sec


def rates(present, totals):
    rows = []
    for cache in present:
        t = totals[cache]
        rows.append([CACHES[cache][0], t["accesses"], percent(t["hits"], t["accesses"]),
                     *[percent(t[k + "_hits"], t[k + "s"]) for k in ("read", "write", "atomic")],
                     t["fills"], t["forwards"], t["evictions"], t["writebacks"], t["stall_cycles"]])
    names = ["accesses", "hits %", "reads hit %", "writes hit %", "atomics hit %", "fills", "forwards", "evictions",
             "writebacks", "stall cycles"]
    return table("Hit rates and traffic", [("cache", "text"), *[(n, "number") for n in names]], rows,
                 "fills and forwards are sent to the level below; stall cycles: no free miss entry.")


def by_instance(cache, instances):
    accesses = sum(i["accesses"] for i in instances)
    stalls = sum(i["stall_cycles"] for i in instances)
    cells = []
    for column, i in enumerate(instances):
        for row, share in enumerate([percent(i["hits"], i["accesses"]), percent(i["accesses"], accesses),
                                     percent(i["stall_cycles"], stalls)]):
            if share is not None:
                cells.append([row, column, share])
    name, of = CACHES[cache]
    return heat(f"{name}: by {of}", "%", COLUMNS, [str(n) for n in range(len(instances))], (of, ""), cells,
                note="Each row has a scale of its own.", most=None) | {"scale": "row"}


def over_time(sec, trace):
    bins = Bins(*trace.span(), BINS)
    drawn = []
    for color, cache in enumerate(CACHES):
        per_instance = trace.misses.get(cache, {})
        if not per_instance:
            continue
        counts = {n: bins.counts(times) for n, times in sorted(per_instance.items())}
        sums = [sum(c[b] for c in counts.values()) for b in range(bins.count)]
        drawn.append({"name": CACHES[cache][0], "color": color, "points": [list(p) for p in zip(bins.starts(), sums)]})
        if len(counts) > 1:
            add(sec, misses_by_instance(cache, counts, bins))
    note = f"Intervals of {bins.width} cycles, among them accesses of the command processor."
    if trace.dropped["misses"]:
        note += (f" The trace keeps the first {trace.kept.get('misses_per_cache')} misses of each cache; "
                 f"{trace.dropped['misses']} are left out.")
    if drawn:
        add(sec, lines("Misses over time", "cycles since reset", f"misses in {bins.width} cycles", drawn, note))
    if trace.hits is None:
        missing(sec, "hit rates over time: a trace in Chrome's form has the misses alone, one in Perfetto's has the hits")
    else:
        rates_over_time(sec, trace, bins)


def rates_over_time(sec, trace, bins):
    drawn, maps = [], []
    for color, cache in enumerate(CACHES):
        hits, misses = trace.hits.get(cache, {}), trace.misses.get(cache, {})
        shares = {}  # by instance: (hits, accesses) of each interval
        for n in sorted({*hits, *misses}):
            hit, missed = bins.counts(hits.get(n, ())), bins.counts(misses.get(n, ()))
            shares[n] = [(h, h + m) for h, m in zip(hit, missed)]
        sums = [(sum(s[b][0] for s in shares.values()), sum(s[b][1] for s in shares.values())) for b in range(bins.count)]
        points = [[start, percent(*share)] for start, share in zip(bins.starts(), sums) if share[1]]
        if points:
            drawn.append({"name": CACHES[cache][0], "color": color, "points": points})
        if len(shares) > 1:
            name, of = CACHES[cache]
            cells = [[row, b, percent(*share)] for row, s in enumerate(shares.values()) for b, share in enumerate(s) if share[1]]
            maps.append(heat(f"{name}: hit rate over time by {of}", "%", [str(n) for n in shares],
                             [str(t) for t in bins.starts()], ("cycles since reset", of), cells, most=100))
    if drawn:
        note = f"Hits among the accesses of {bins.width} cycles; intervals without accesses have none."
        left = trace.dropped.get("hits", 0) + trace.dropped["misses"]
        add(sec, lines("Hit rate over time", "cycles since reset", "%", drawn,
                       note + (f" {left} hits and misses are left out of the trace." if left else "")))
    for part in maps:
        add(sec, part)


def misses_by_instance(cache, counts, bins):
    name, of = CACHES[cache]
    cells = [[row, b, n] for row, c in enumerate(counts.values()) for b, n in enumerate(c) if n]
    return heat(f"{name}: misses over time by {of}", f"misses in {bins.width} cycles", [str(n) for n in counts],
                [str(t) for t in bins.starts()], ("cycles since reset", of), cells)
