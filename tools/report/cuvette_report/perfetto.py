# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Perfetto traces as `cuvette run --trace` writes them (docs/reference/traces.md), as the Chrome events that trace.py
reads."""
import re
import zlib
from array import array

from .errors import error_at

# Field numbers by message of package perfetto.protos.
PACKET = 1
TIMESTAMP, TRACK_EVENT, INTERNED_DATA, COMPRESSED_PACKETS, TRACK_DESCRIPTOR = 8, 11, 12, 50, 60
EVENT_CATEGORIES, EVENT_NAMES, ANNOTATION_NAMES = 1, 2, 3
UUID, PROCESS, THREAD, PARENT_UUID = 1, 3, 4, 5
CATEGORY_IIDS, ANNOTATIONS, TYPE, NAME_IID, TRACK_UUID = 3, 4, 9, 10, 11
SLICE_BEGIN, SLICE_END = 1, 2
CACHES = {"vector L1": ("vector_l1", 2), "scalar cache": ("scalar_cache", 3),
          "instruction cache": ("instruction_cache", 4), "L2 slice": ("l2", 5)}
SPI, WAVES = 0, 1  # numbers of processes
DROPPED = ("waves", "issues", "misses", "hits", "accesses", "requests")
ENCODING = re.compile(r"_(e32|e64|sdwa|dpp)$")  # behind a mnemonic, in the assembler's text


def fields(data):
    """(number, value) of a message; values are integers, or bytes where the field has a length."""
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value = int.from_bytes(data[at:at + size], "little")
            at += size
        elif kind == 2:
            size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind}")
        if at > end:
            raise ValueError("a field that breaks off")
        yield tag >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


class Reader:
    """Slices and instants by track, which are sorted as those of a Chrome trace when all are there."""

    def __init__(self):
        self.time = 0
        self.names = {EVENT_CATEGORIES: {}, EVENT_NAMES: {}, ANNOTATION_NAMES: {}}
        self.processes = {}  # pid to name
        self.tracks = {}     # uuid to (pid, name of the thread)
        self.open = {}       # uuid to begun slices
        self.found = []      # (process, track, start, -cycles, number, event)
        self.threads = {}    # (process, track) to name
        self.facts = {}
        self.hits = {}       # block to {instance: array of times}
        self.accesses = {}   # channel of the memory to array of times
        self.requests = {}   # compute unit to arrays of begins and of ends

    def packets(self, data):
        for number, packet in fields(data):
            if number != PACKET:
                raise ValueError(f"field {number} of the trace")
            values = dict(fields(packet))
            if COMPRESSED_PACKETS in values:
                self.packets(zlib.decompress(values[COMPRESSED_PACKETS]))
                continue
            self.time += values.get(TIMESTAMP, 0)
            if INTERNED_DATA in values:
                for field, entry in fields(values[INTERNED_DATA]):
                    one = dict(fields(entry))
                    self.names[field][one[1]] = one[2].decode("utf-8")
            if TRACK_DESCRIPTOR in values:
                self.track(dict(fields(values[TRACK_DESCRIPTOR])))
            if TRACK_EVENT in values:
                self.event(values[TRACK_EVENT])

    def track(self, descriptor):
        if PROCESS in descriptor:
            process = dict(fields(descriptor[PROCESS]))
            self.processes[process[1]] = process[6].decode("utf-8")
        elif THREAD in descriptor:
            thread = dict(fields(descriptor[THREAD]))
            self.tracks[descriptor[UUID]] = (thread[1], thread[5].decode("utf-8"))
        elif descriptor.get(PARENT_UUID) in self.tracks:
            self.tracks[descriptor[UUID]] = self.tracks[descriptor[PARENT_UUID]]

    def event(self, data):
        kind = track = name = category = None
        args = {}
        for number, value in fields(data):
            if number == TYPE:
                kind = value
            elif number == TRACK_UUID:
                track = value
            elif number == NAME_IID:
                name = self.names[EVENT_NAMES][value]
            elif number == CATEGORY_IIDS:
                category = self.names[EVENT_CATEGORIES][value]
            elif number == ANNOTATIONS:
                (_, iid), (_, args_value) = fields(value)
                args[self.names[ANNOTATION_NAMES][iid]] = args_value
        if kind == SLICE_BEGIN:
            self.open.setdefault(track, []).append((name, category, self.time, args))
        elif kind == SLICE_END:
            name, category, start, begun = self.open[track].pop()
            self.slice(track, name, category, start, {**begun, **args})
        elif category == "miss":
            block, process, unit = self.cache_of(track)
            self.add(process, unit, f"{block} {unit}", self.time, 0, {"ph": "i", "cat": "miss", "name": name})
        elif category == "hit":
            block, _, unit = self.cache_of(track)
            self.hits.setdefault(block, {}).setdefault(unit, array("Q")).append(self.time)
        elif category == "run":
            self.facts.update(args)

    def add(self, process, track, label, start, cycles, event):
        self.threads[process, track] = label
        event.update(pid=process, tid=track, ts=start)
        self.found.append((process, track, start, -cycles, len(self.found), event))

    def slice(self, uuid, name, category, start, args):
        pid, thread = self.tracks.get(uuid, (None, ""))
        if category == "memory":
            self.accesses.setdefault(int(thread.split()[-1]), array("Q")).append(start)
            return
        if category == "request":
            begins, ends = self.requests.setdefault(int(self.processes[pid].split()[-1]), (array("Q"), array("Q")))
            begins.append(start)
            ends.append(self.time)
            return
        if category == "fetch":
            return
        cycles = self.time - start
        event = {"ph": "X", "cat": category, "dur": cycles, "args": {}}
        if category == "dispatch":
            self.add(SPI, 0, "spi 0", start, cycles, {**event, "name": name})
        elif category == "residency":
            track, label = self.slot(pid, thread)
            event["args"] = {"dispatch": args["dispatch"], "workgroup": args["workgroup"]}
            self.add(WAVES, track, label, start, cycles, {**event, "name": f"wave {args['wave']:#x}"})
        elif "pc" in args:
            track, label = self.slot(pid, thread)
            event.update(name=ENCODING.sub("", name.split()[0]), args={"pc": hex(args["pc"])}, dur=1)  # as long as its issue
            self.add(WAVES, track, label, start, 1, event)

    def slot(self, pid, thread):
        """simd 1 slot 3 of compute unit 0: cu 0 simd 1 slot 3, and a number in the order of these."""
        unit = int(self.processes[pid].split()[-1])
        words = thread.split()
        return (unit * 4096 + int(words[1])) * 4096 + int(words[3]), f"cu {unit} {thread}"

    def cache_of(self, uuid):
        """Block, number of its process, number of the cache."""
        pid, thread = self.tracks[uuid]
        kind = next(kind for kind in CACHES if thread.startswith(kind))
        block, process = CACHES[kind]
        return block, process, int((self.processes[pid] if block == "vector_l1" else thread).split()[-1])

    def chrome_events(self):
        names = {SPI: "spi", WAVES: "compute_unit", **{number: block for block, number in CACHES.values()}}
        for number, name in names.items():
            yield {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}}
        for (process, track), label in sorted(self.threads.items()):
            yield {"ph": "M", "name": "thread_name", "pid": process, "tid": track, "args": {"name": label}}
        self.found.sort(key=lambda entry: entry[:5])
        for *_, event in self.found:
            yield event


def events_of(path, tail):
    """The events of a file; `tail` gets what otherData of a Chrome trace has."""
    reader = Reader()
    try:
        with open(path, "rb") as file:
            reader.packets(file.read())
        clock = float(reader.facts["clock_mhz"])
    except OSError as error:
        raise error_at(path, f"cannot be read: {error.strerror}") from None
    except (KeyError, ValueError, IndexError, TypeError, AttributeError, StopIteration, zlib.error) as error:
        raise error_at(path, "not a trace of cuvette run --trace, or one that breaks off: "
                       f"{type(error).__name__}: {error}") from None
    tail.update(clock_mhz=clock, kept={}, hits=reader.hits, accesses=reader.accesses, requests=reader.requests,
                dropped={what: reader.facts.get("left_out_" + what, 0) for what in DROPPED})
    yield from reader.chrome_events()
