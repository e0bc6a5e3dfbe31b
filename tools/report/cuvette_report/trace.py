# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""What a trace of `cuvette run --trace` shows over time, whatever its format."""
from bisect import bisect_left
from collections import Counter

from . import chrome, perfetto
from .columns import Issues, Waves


class Trace:
    """Waves, issued instructions and what caches and memory did over time, in cycles since reset. Times are sorted."""

    def __init__(self, path):
        self.path = path
        self.waves = Waves()
        self.instructions = []  # Instruction
        self.issues = Issues()  # of a wave: [wave.first:wave.last]
        self.misses = {}      # block to {instance: array of times}
        # The same of hits; accesses of each memory channel; begins and ends of the requests of each compute unit.
        # None: the format has none.
        self.hits = self.accesses = self.requests = None
        self.dispatches = []  # (name, start, cycles)
        self.dropped = {"waves": 0, "issues": 0, "misses": 0}
        self.kept = {}
        self.chosen = {}      # filter and window of the trace, as they were asked for
        self.clock_mhz = None

    @staticmethod
    def load(path, program=None):
        """`program`: the one that reads Perfetto traces. Errors: not readable, not a trace of `cuvette run`."""
        trace = Trace(path)
        if path.endswith(".pftrace"):
            perfetto.read(trace, program)
        else:
            chrome.read(trace)
        return trace

    def span(self):
        """First and last cycle of what is in the trace."""
        starts = [*self.waves.columns["start"], *(d[1] for d in self.dispatches)]
        ends = [*self.waves.ends(), *(d[1] + d[2] for d in self.dispatches)]
        return (min(starts), max(ends)) if starts else (0, 0)

    def recorded_until(self):
        """By compute unit whose issues reached the limit: the time of the last one that was kept."""
        limit = self.kept.get("issues_per_compute_unit", 0)
        if not limit or not self.dropped["issues"]:
            return {}
        counts, last = {}, {}
        for w in self.waves:
            counts[w.unit] = counts.get(w.unit, 0) + w.last - w.first
            if w.last > w.first:
                last[w.unit] = max(last.get(w.unit, 0), self.issues.times[w.last - 1])
        return {u: last[u] for u, n in counts.items() if n >= limit}

    def issued(self, bins):
        """For each interval, how often each instruction issued, by its index."""
        counts = [Counter() for _ in range(bins.count)]
        for first, last in self.issues.sorted_parts():
            for n, low, high in bins.parts(self.issues.times, first, last):
                counts[n].update(self.issues.codes[low:high])
        return counts

    def issued_by_unit(self, wave, start, end):
        """How many instructions of each unit a wave issued in [start, end)."""
        low = bisect_left(self.issues.times, start, wave.first, wave.last)
        high = bisect_left(self.issues.times, end, low, wave.last)
        counts = {}
        for code, count in Counter(self.issues.codes[low:high]).items():
            unit = self.instructions[code].unit
            counts[unit] = counts.get(unit, 0) + count
        return counts


class Bins:
    """Equal intervals of time over a span, in whole cycles."""

    def __init__(self, first, last, most):
        self.first = first
        self.width = max(1, -(-(last - first) // most))
        self.count = max(1, -(-(last - first) // self.width))
        self.last = last

    def of(self, time):
        return min(max(0, (time - self.first) // self.width), self.count - 1)

    def parts(self, times, first, last):
        """Ranges of the sorted times[first:last] by interval: (number, first, last) of those that have some."""
        while first < last:
            n = self.of(times[first])
            end = last if n + 1 == self.count else bisect_left(times, self.first + (n + 1) * self.width, first, last)
            yield n, first, end
            first = end

    def counts(self, times):
        """How many of the times, which are sorted, are in each interval."""
        counts = [0] * self.count
        for n, first, last in self.parts(times, 0, len(times)):
            counts[n] = last - first
        return counts

    def cycles(self, begins, ends):
        """Cycles that spans of time share with each interval, added up. Their begins and ends are sorted, each alone."""
        edges = [*self.starts(), self.first + self.count * self.width]
        before = [e - b for b, e in zip(sums_until(begins, edges), sums_until(ends, edges))]
        return [after - n for n, after in zip(before, before[1:])]

    def starts(self):
        return [self.first + n * self.width for n in range(self.count)]

    def length(self, number):
        """Cycles of an interval that are in the span: the last one may be shorter."""
        return max(1, min(self.width, self.last - self.first - number * self.width))

    def overlaps(self, start, end):
        """Each interval that [start, end) touches, with the cycles they share."""
        for n in range(self.of(start), self.of(max(start, end - 1)) + 1):
            low = self.first + n * self.width
            yield n, max(0, min(end, low + self.width) - max(start, low))


def sums_until(times, edges):
    """For each edge the sum of the sorted times, in which those behind it count as much as the edge."""
    total = at = 0
    for edge in edges:
        behind = bisect_left(times, edge, at)
        total += sum(times[at:behind])
        at = behind
        yield total + edge * (len(times) - at)
