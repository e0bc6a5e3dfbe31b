# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Traces as `cuvette run --trace` writes them: Chrome events, read in one pass, and Perfetto's protobuf."""
from array import array
from bisect import bisect_left

from . import json_file, perfetto
from .errors import error_at


class Wave:
    """The residency of a wave in a slot, and where its issues lie in the arrays of the trace."""
    __slots__ = ("unit", "lane", "start", "cycles", "name", "dispatch", "first", "last")

    def __init__(self, unit, lane, start, cycles, name, dispatch, first):
        self.unit, self.lane, self.start, self.cycles = unit, lane, start, cycles
        self.name, self.dispatch, self.first, self.last = name, dispatch, first, first

    @property
    def end(self):
        return self.start + self.cycles


class Instruction:
    """An instruction of the program: what issued at one address."""
    __slots__ = ("pc", "mnemonic", "unit", "issues", "waited")

    def __init__(self, pc, mnemonic, unit):
        self.pc, self.mnemonic, self.unit = pc, mnemonic, unit
        self.issues = 0
        self.waited = 0  # cycles between the wave's last issue, or its launch, and this one's


class Trace:
    """Waves, issued instructions and cache misses over time, in cycles since reset.

    Issues of a wave are `issue_times[wave.first:wave.last]`, of instruction `issue_codes` of the same index.
    """

    def __init__(self, path):
        self.path = path
        self.waves = []
        self.instructions = []  # Instruction
        self.issue_times = array("Q")
        self.issue_codes = array("L")
        self.misses = {}      # block to {instance: array of times}
        # The same of hits; accesses of each memory channel; begins and ends of the requests of each compute unit.
        # None: the format has none.
        self.hits = self.accesses = self.requests = None
        self.dispatches = []  # (name, start, cycles)
        self.dropped = {"waves": 0, "issues": 0, "misses": 0}
        self.kept = {}
        self.clock_mhz = None

    @property
    def issue_count(self):
        return len(self.issue_times)

    @staticmethod
    def load(path):
        """Errors: not readable, not a trace of `cuvette run`."""
        trace = Trace(path)
        reader = EventReader(trace)
        tail = {}
        events = perfetto.events_of if path.endswith(".pftrace") else events_of
        for event in events(path, tail):
            try:
                reader.take(event)
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError):
                raise error_at(path, "not a trace of cuvette run --trace: "
                               f"an event of another form: {str(event)[:200]}") from None
        trace.read_tail(tail)
        return trace

    def read_tail(self, other):
        try:
            self.dropped = {name: whole(n) for name, n in {**self.dropped, **other["dropped"]}.items()}
            self.kept = {name: whole(n) for name, n in other["kept"].items()}
            self.clock_mhz = float(other["clock_mhz"])
            self.hits, self.accesses, self.requests = (other.get(n) for n in ("hits", "accesses", "requests"))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise error_at(self.path, "not a trace of cuvette run --trace: expected otherData with dropped, kept "
                           "and clock_mhz") from None

    def span(self):
        """First and last cycle of what is in the trace."""
        starts = [w.start for w in self.waves] + [d[1] for d in self.dispatches]
        ends = [w.end for w in self.waves] + [d[1] + d[2] for d in self.dispatches]
        return (min(starts), max(ends)) if starts else (0, 0)

    def recorded_until(self):
        """By compute unit whose issues reached the limit: the time of the last one that was kept."""
        counts, last = {}, {}
        for w in self.waves:
            counts[w.unit] = counts.get(w.unit, 0) + w.last - w.first
            if w.last > w.first:
                last[w.unit] = max(last.get(w.unit, 0), self.issue_times[w.last - 1])
        limit = self.kept.get("issues_per_compute_unit", 0)
        return {u: last[u] for u, n in counts.items() if self.dropped["issues"] and limit and n >= limit}


class EventReader:
    """Fills a trace from its events, which are sorted by process, track and time."""

    def __init__(self, trace):
        self.trace = trace
        self.processes = {}
        self.threads = {}
        self.codes = {}
        self.wave = None
        self.last_issue = 0

    def take(self, event):
        kind = event["ph"]
        if kind == "M":
            self._name(event)
        elif kind == "X" and event["cat"] == "dispatch":
            self.trace.dispatches.append((str(event["name"]), whole(event["ts"]), whole(event["dur"])))
        elif kind == "X" and event["cat"] == "residency":
            self._wave(event)
        elif kind == "X":
            self._issue(event)
        elif kind == "i" and event["cat"] == "miss":
            block = self.trace.misses.setdefault(self.processes[event["pid"]], {})
            block.setdefault(whole(event["tid"]), array("Q")).append(whole(event["ts"]))
        else:
            raise ValueError(kind)

    def _name(self, event):
        name = str(event["args"]["name"])
        if event["name"] == "process_name":
            self.processes[event["pid"]] = name
        elif event["name"] == "thread_name":
            self.threads[event["pid"], event["tid"]] = name

    def _wave(self, event):
        words = self.threads[event["pid"], event["tid"]].split()  # cu 0 simd 1 slot 3
        self.wave = Wave(int(words[1]), (int(words[3]), int(words[5])), whole(event["ts"]), whole(event["dur"]),
                         str(event["name"]), whole(event["args"]["dispatch"]), self.trace.issue_count)
        self.last_issue = self.wave.start
        self.trace.waves.append(self.wave)

    def _issue(self, event):
        trace, wave, time = self.trace, self.wave, whole(event["ts"])
        if wave is None or not wave.start <= time <= wave.end or time < self.last_issue:
            return self._issue_alone(event)
        code = self._code(event)
        code.issues += 1
        code.waited += time - self.last_issue
        self.last_issue = time + whole(event["dur"])
        trace.issue_times.append(time)
        trace.issue_codes.append(self.codes[code.pc])
        wave.last = trace.issue_count
        return None

    def _issue_alone(self, event):
        """An issue of a wave that the trace left out."""
        code = self._code(event)
        code.issues += 1
        self.trace.issue_times.append(whole(event["ts"]))
        self.trace.issue_codes.append(self.codes[code.pc])

    def _code(self, event):
        pc = int(event["args"]["pc"], 16)
        if pc not in self.codes:
            self.codes[pc] = len(self.trace.instructions)
            self.trace.instructions.append(Instruction(pc, str(event["name"]), str(event["cat"])))
        return self.trace.instructions[self.codes[pc]]


def whole(value):
    """A count or a time. ValueError: something else."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError(value)
    return value


def events_of(path, tail):
    """The events of a file with one in each line, or of any other JSON; `tail` gets otherData."""
    with json_file.open_text(path) as f:
        try:
            first, second = f.readline(), f.readline()
            if not first.startswith("{") or second.strip() != '"traceEvents":[':
                yield from events_of_value(path, json_file.read(path), tail)
                return
            yield from events_in_lines(path, f, tail)
        except UnicodeDecodeError:
            raise error_at(path, "not JSON: bytes that are no UTF-8") from None


def events_in_lines(path, lines, tail):
    number = 2

    def place(line, column):
        return json_file.place_in(path, number)(line, column)

    for line in lines:
        number += 1
        text = line.strip()
        if text == "],":
            break
        if text:
            yield json_file.parse(text.removesuffix(","), place)
    else:
        raise error_at(path, "the trace breaks off before its end")
    rest = json_file.parse("{" + "".join(lines), json_file.place_in(path, number + 1))
    tail.update(rest.get("otherData") or {})


def events_of_value(path, value, tail):
    if not isinstance(value, dict) or not isinstance(value.get("traceEvents"), list):
        raise error_at(path, "not a trace of cuvette run --trace, expected an object with traceEvents")
    yield from value["traceEvents"]
    tail.update(value.get("otherData") or {})


class Bins:
    """Equal intervals of time over a span, in whole cycles."""

    def __init__(self, first, last, most):
        self.first = first
        self.width = max(1, -(-(last - first) // most))
        self.count = max(1, -(-(last - first) // self.width))
        self.last = last

    def of(self, time):
        return min(max(0, (time - self.first) // self.width), self.count - 1)

    def counts(self, times):
        """How many of the times are in each interval."""
        counts = [0] * self.count
        for time in times:
            counts[self.of(time)] += 1
        return counts

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


def issues_between(trace, wave, start, end):
    """The range of the arrays with a wave's issues in [start, end)."""
    times = trace.issue_times
    return bisect_left(times, start, wave.first, wave.last), bisect_left(times, end, wave.first, wave.last)
