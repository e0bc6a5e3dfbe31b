# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Memory and the traffic between the levels of the hierarchy."""
from ..figure import add, bars, heat, lines, missing, percent, rounded, section, series, table
from ..scope import ratio
from ..trace import Bins

BLOCK_BYTES = 64
BINS = 120


def make(run, scope):
    sec = section("memory", "Memory and links", "Bytes to and from memory, and requests that each level sends to the "
                  "one below.")
    memory = scope.total("memory")
    if not memory:
        missing(sec, f"memory traffic: engine {run.statistics['engine']} counts none, engine ca does")
        return sec
    add(sec, bars("Memory traffic", "bytes", ["read", "written"],
                  [series("bytes", 0, [memory["read_bytes"], memory["written_bytes"]])]))
    add(sec, bandwidth(run, scope, memory))
    add(sec, levels(scope))
    bandwidth_over_time(sec, scope)
    missing(sec, "cycles of the links: the crossbar has no counters of them")
    what = "accesses of the channels and outstanding requests over time"
    if run.trace is None:
        missing(sec, f"{what}: {run.no_trace}")
    elif scope is not run.whole:
        missing(sec, f"{what} of one dispatch: they are shown for all dispatches")
    elif run.trace.accesses is None:
        missing(sec, f"{what}: a trace in Chrome's form has none, one in Perfetto's has them")
    else:
        channels_over_time(sec, run.trace)
        requests_over_time(sec, run.trace)
    return sec


def bandwidth_over_time(sec, scope):
    drawn = []
    for color, (name, counter) in enumerate((("read", "read_bytes"), ("written", "written_bytes"))):
        points = []
        for interval in scope.intervals:
            for begin, end, moved in interval.column("memory", counter):
                points.append([begin, rounded(moved / max(1, end - begin))])
        if points:
            drawn.append({"name": name, "color": color, "points": points})
    if drawn:
        add(sec, lines("Bandwidth of memory over time", "cycles since reset", "bytes per cycle", drawn,
                       f"Intervals of {scope.intervals[0].every} cycles of each dispatch."))
    else:
        missing(sec, "bandwidth over time: these are statistics without intervals, --stats-every makes them")


def left_out(trace, what):
    count = trace.dropped.get(what, 0)
    return f" {count} are left out of the trace." if count else ""


def channels_over_time(sec, trace):
    if not trace.accesses:
        return
    bins = Bins(*trace.span(), BINS)
    counts = {n: bins.counts(times) for n, times in sorted(trace.accesses.items())}
    sums = [sum(c[b] for c in counts.values()) for b in range(bins.count)]
    unit = f"accesses in {bins.width} cycles"
    add(sec, lines("Accesses of memory over time", "cycles since reset", unit,
                   [{"name": "all channels", "color": 0, "points": [list(p) for p in zip(bins.starts(), sums)]}],
                   f"An access is of {BLOCK_BYTES} bytes at most; among them those of the command processor."
                   + left_out(trace, "accesses")))
    if len(counts) > 1:
        cells = [[row, b, n] for row, c in enumerate(counts.values()) for b, n in enumerate(c) if n]
        add(sec, heat("Accesses of memory over time by channel", unit, [str(n) for n in counts],
                      [str(t) for t in bins.starts()], ("cycles since reset", "channel"), cells))


def requests_over_time(sec, trace):
    """Requests of waves that have no answer yet: the depth of the queues below the compute units."""
    if not trace.requests:
        return
    bins = Bins(*trace.span(), BINS)
    depths = {}
    for unit, (begins, ends) in sorted(trace.requests.items()):
        depths[unit] = [c / bins.length(b) for b, c in enumerate(bins.cycles(begins, ends))]
    sums = [rounded(sum(d[b] for d in depths.values())) for b in range(bins.count)]
    add(sec, lines("Outstanding requests over time", "cycles since reset", "requests, mean of an interval",
                   [{"name": "all compute units", "color": 1, "points": [list(p) for p in zip(bins.starts(), sums)]}],
                   f"Requests of waves to vector L1 and scalar caches that wait for their answer, in intervals of {bins.width} cycles."
                   + left_out(trace, "requests")))
    if len(depths) > 1:
        cells = [[row, b, rounded(n)] for row, d in enumerate(depths.values()) for b, n in enumerate(d) if n]
        add(sec, heat("Outstanding requests over time by compute unit", "requests, mean of an interval",
                      [str(n) for n in depths], [str(t) for t in bins.starts()], ("cycles since reset", "compute unit"),
                      cells))


def peak_bytes_per_cycle(machine):
    """Bandwidth of all channels together, or None when the machine is not known."""
    slices, cycles = machine.get("l2.slices"), machine.get("memory.cycles_per_block")
    return slices * BLOCK_BYTES / cycles if slices and cycles else None


def bandwidth(run, scope, memory):
    moved = memory["read_bytes"] + memory["written_bytes"]
    per_cycle = ratio(moved, scope.cycles)
    peak, clock = peak_bytes_per_cycle(run.sizes), run.sizes.get("clock_mhz")
    rows = [["bytes per cycle", rounded(per_cycle), "read and written, over the cycles of the dispatch"]]
    if clock and per_cycle is not None:
        rows.append(["GB/s", rounded(per_cycle * clock / 1000), f"at {clock} MHz"])
    if peak and per_cycle is not None:
        rows.append(["% of the peak", percent(per_cycle, peak), f"{rounded(peak)} bytes per cycle: a block of "
                     f"{BLOCK_BYTES} bytes in {run.sizes['memory.cycles_per_block']} cycles on each channel"])
    rows += [["reads", memory["reads"], ""], ["writes", memory["writes"], ""], ["atomics", memory["atomics"], ""]]
    return table("Bandwidth of memory", [("", "text"), ("value", "number"), ("of what", "text")], rows)


def levels(scope):
    unit = scope.total("compute_unit")
    sent = {"waves to vector L1": unit["vector_requests"], "waves to scalar cache": unit["scalar_requests"],
            "fetches to instruction cache": unit["fetches"]}
    for cache, name in (("vector_l1", "vector L1 to L2"), ("scalar_cache", "scalar cache to L2"),
                        ("instruction_cache", "instruction cache to L2"), ("l2", "L2 to memory")):
        c = scope.total(cache)
        if c:
            sent[name] = c["fills"] + c["forwards"] + c["writebacks"]
    return bars("Requests between levels", "requests", list(sent), [series("requests", 5, list(sent.values()))],
                "Fills, forwards and writebacks below a cache.")
