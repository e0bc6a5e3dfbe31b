# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Time line of waves, and waves and issues over time."""
from ..classes import UNITS, unit_color
from ..figure import add, heat, lines, missing, rounded, section
from ..trace import Bins

BINS = 120           # of figures over time
PHASE_BINS = 240     # of a time line
MOST_WAVES = 12000   # of all time lines
MOST_SEGMENTS = 80000
WAITING = "no issue"


def make(run, scope):
    sec = section("timeline", "Time line of waves", "When waves were on the compute units, and what they issued.")
    if run.trace is None:
        missing(sec, f"time line: {run.no_trace} (cuvette run --trace, engines lt and ca)")
        return sec
    if scope is not run.whole:
        missing(sec, "time line of one dispatch: it is shown for all dispatches")
        return sec
    if not run.trace.waves:
        missing(sec, "time line: the trace has no waves")
        return sec
    bins = Bins(*run.trace.span(), BINS)
    add(sec, timeline(run.trace, run.companions))
    resident = residency(run.trace, bins)
    add(sec, resident_lines(resident, bins))
    if len(resident) > 1:
        add(sec, resident_heat(resident, bins))
    add(sec, issue_lines(run.trace, bins))
    if run.trace.dropped["waves"] or run.trace.dropped["issues"]:
        kept, dropped = run.trace.kept, run.trace.dropped
        missing(sec, f"{dropped['waves']} waves and {dropped['issues']} issued instructions that the trace left out: "
                f"it keeps the first {kept.get('waves_per_compute_unit')} waves and "
                f"{kept.get('issues_per_compute_unit')} instructions of each compute unit")
    return sec


def residency(trace, bins):
    """Resident waves by compute unit: wave-cycles in each interval."""
    out = {}
    starts, ends = trace.waves.columns["start"], list(trace.waves.ends())
    for unit, waves in sorted(trace.waves.by_unit().items()):
        out[unit] = bins.cycles(sorted(starts[n] for n in waves), sorted(ends[n] for n in waves))
    return out


def resident_lines(resident, bins):
    points = [[t, rounded(sum(row[n] for row in resident.values()) / bins.length(n))]
              for n, t in enumerate(bins.starts())]
    return lines("Resident waves", "cycles since reset", "waves", [{"name": "waves", "color": 0, "points": points}],
                 f"Means of {bins.width} cycles, all compute units.")


def resident_heat(resident, bins):
    cells = [[row, n, rounded(c / bins.length(n))] for row, counts in enumerate(resident.values())
             for n, c in enumerate(counts) if c]
    return heat("Resident waves by compute unit", "waves", [str(u) for u in resident], [str(t) for t in bins.starts()],
                ("cycles since reset", "compute unit"), cells)


def issue_lines(trace, bins):
    counts = {i.unit: [0] * bins.count for i in trace.instructions}
    for n, issued in enumerate(trace.issued(bins)):
        for code, count in issued.items():
            counts[trace.instructions[code].unit][n] += count
    order = sorted(counts, key=lambda u: list(UNITS).index(u) if u in UNITS else 99)
    drawn = [{"name": u, "color": unit_color(u),
              "points": [[t, rounded(counts[u][n] / bins.length(n))] for n, t in enumerate(bins.starts())]}
             for u in order]
    return lines("Issued instructions by unit", "cycles since reset", "instructions per cycle", drawn,
                 f"Means of {bins.width} cycles, all compute units.", stacked=True)


def timeline(trace, companions):
    """The time line of as many compute units as a page has room for; `companions` runs share it."""
    bins = Bins(*trace.span(), PHASE_BINS)
    until = trace.recorded_until()
    by_unit = trace.waves.by_unit()
    units, waves, segments = [], MOST_WAVES // companions, MOST_SEGMENTS // companions
    for number in sorted(by_unit):
        if waves <= 0 or segments <= 0:
            break
        first = sorted((trace.waves[n] for n in by_unit[number]), key=lambda w: w.start)[:waves]
        units.append(unit_lanes(trace, number, first, bins, until.get(number)))
        waves -= len(first)
        segments -= sum(len(w["segments"]) for w in units[-1]["waves"])
    phases = {s[2] for u in units for w in u["waves"] for s in w["segments"]} - {WAITING}
    order = [p for p in UNITS if p in phases] + sorted(phases - set(UNITS))
    shown = sum(len(u["waves"]) for u in units)
    return {"kind": "timeline", "title": "Waves by slot", "unit": "cycles", "x": "cycles since reset", "units": units,
            "first": bins.first, "last": trace.span()[1],
            "phases": [{"name": p, "color": unit_color(p)} for p in order] + [{"name": WAITING, "color": -1}],
            "note": timeline_note(bins, shown, trace, until)}


def unit_lanes(trace, number, waves, bins, until):
    lanes = sorted({w.lane for w in waves})
    drawn = [{"lane": lanes.index(w.lane), "start": w.start, "cycles": w.cycles,
              "name": f"{w.name}, dispatch {w.dispatch}", "segments": wave_phases(trace, w, bins, until)}
             for w in waves]
    return {"name": f"compute unit {number}", "lanes": [f"SIMD {s} slot {n}" for s, n in lanes], "waves": drawn,
            "until": until}


def timeline_note(bins, shown, trace, until):
    note = (f"Phases are intervals of {bins.width} cycles, coloured by the unit with the most issues of the wave in "
            "them.")
    if shown < len(trace.waves):
        note += (f" {shown} of {len(trace.waves)} waves are here, those of the first compute units: a page has room "
                 "for no more.")
    if until:
        note += " After a dashed line the trace left issues out."
    return note


def wave_phases(trace, wave, bins, until):
    """Runs of intervals with the same phase: [start, cycles, phase]. Nothing is known after `until`."""
    out = []
    if wave.last == wave.first and until is not None:
        return out
    end = wave.end if until is None else min(wave.end, until)
    for n, cycles in bins.overlaps(wave.start, end):
        if not cycles:
            continue
        low = bins.first + n * bins.width
        phase = busiest(trace.issued_by_unit(wave, low, low + bins.width))
        if out and out[-1][2] == phase:
            out[-1][1] += cycles
        else:
            out.append([max(low, wave.start), cycles, phase])
    return out


def busiest(counts):
    return max(counts, key=lambda u: (counts[u], u)) if counts else WAITING
