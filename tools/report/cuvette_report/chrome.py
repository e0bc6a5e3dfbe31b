# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Traces as Chrome events, as `cuvette run --trace NAME.json` writes them, read in one pass."""
from array import array

from . import json_file
from .columns import Instruction, Wave
from .errors import error_at


def read(trace):
    """Fills a trace from its file. Errors: not readable, not a trace of `cuvette run`."""
    reader = EventReader(trace)
    tail = {}
    for event in events_of(trace.path, tail):
        try:
            reader.take(event)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError):
            raise error_at(trace.path, "not a trace of cuvette run --trace: "
                           f"an event of another form: {str(event)[:200]}") from None
    read_tail(trace, tail)
    for caches in trace.misses.values():
        for n, times in caches.items():
            caches[n] = array("Q", sorted(times))


def read_tail(trace, other):
    try:
        trace.dropped = {name: whole(n) for name, n in {**trace.dropped, **other["dropped"]}.items()}
        trace.kept = {name: whole(n) for name, n in other["kept"].items()}
        trace.clock_mhz = float(other["clock_mhz"])
        if "filter" in other:
            trace.chosen["filter"] = str(other["filter"])
        if "window" in other:
            trace.chosen["window"] = ":".join(str(whole(n)) for n in other["window"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise error_at(trace.path, "not a trace of cuvette run --trace: expected otherData with dropped, kept "
                       "and clock_mhz") from None


class EventReader:
    """Fills a trace from its events, which are sorted by process, track and time."""

    def __init__(self, trace):
        self.trace = trace
        self.processes = {}
        self.threads = {}
        self.codes = {}
        self.begin = self.end = None  # of the last wave
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
        issues = len(self.trace.issues)
        wave = Wave(int(words[1]), (int(words[3]), int(words[5])), whole(event["ts"]), whole(event["dur"]),
                    int(event["name"].removeprefix("wave "), 16), whole(event["args"]["dispatch"]), issues, issues)
        self.trace.waves.append(wave)
        self.begin, self.end = wave.start, wave.end
        self.last_issue = wave.start

    def _issue(self, event):
        trace, time = self.trace, whole(event["ts"])
        code = self._code(event)
        instruction = trace.instructions[code]
        instruction.issues += 1
        trace.issues.append(time, code)
        # Others are of waves that the trace left out.
        if self.begin is not None and self.begin <= time <= self.end and time >= self.last_issue:
            instruction.waited += time - self.last_issue
            self.last_issue = time + whole(event["dur"])
            trace.waves.columns["last"][-1] = len(trace.issues)

    def _code(self, event):
        pc = int(event["args"]["pc"], 16)
        if pc not in self.codes:
            self.codes[pc] = len(self.trace.instructions)
            self.trace.instructions.append(Instruction(pc, str(event["name"]), str(event["cat"])))
        return self.codes[pc]


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
