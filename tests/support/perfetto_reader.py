# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Perfetto traces (protobuf, package perfetto.protos) into tracks, slices, instants and counters. Independent of
the writer: wire format and field numbers are stated here again. What breaks a rule of the format raises BadTrace."""
import collections
import struct
import zlib

BOOTTIME = 6
INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4


class BadTrace(Exception):
    """What is wrong with a file."""


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BadTrace(f"a varint at byte {at} does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of a message: integers, or bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, = struct.unpack_from("<Q", data, at)
            at += 8
        elif kind == 5:
            value, = struct.unpack_from("<I", data, at)
            at += 4
        elif kind == 2:
            length, at = varint(data, at)
            value = data[at:at + length]
            at += length
            if at > len(data):
                raise BadTrace("a field is longer than its message")
        else:
            raise BadTrace(f"wire type {kind}")
        yield tag >> 3, value


def message(data):
    """Values by number, in order."""
    values = collections.defaultdict(list)
    for number, value in fields(data):
        values[number].append(value)
    return values


def one(values, number, default=None):
    found = values.get(number, [])
    if len(found) > 1:
        raise BadTrace(f"field {number} is there {len(found)} times")
    return found[0] if found else default


def text(values, number):
    found = one(values, number)
    return None if found is None else found.decode("utf-8")


Event = collections.namedtuple("Event", "name category begin end track args flows ended_flows depth")


class Track:
    def __init__(self, name, parent, pid, tid, counter):
        self.name, self.parent, self.pid, self.tid, self.counter = name, parent, pid, tid, counter
        self.open = []


class Trace:
    """`slices` in order of their ends, `instants`; `counters`: (time, value) by uuid of the track. Times are those of the
    boot time clock."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.tracks, self.processes, self.threads = {}, {}, {}
        self.slices, self.instants = [], []
        self.counters = collections.defaultdict(list)
        self.names = {1: {}, 2: {}, 3: {}}  # by field of InternedData, by iid
        self.clocks = {}
        self.default_clock = BOOTTIME
        self.sequence = None
        self.cleared = False
        self.packets = self.compressed = self.stored_bytes = 0
        self.last = 0
        self._packets(self.bytes, False)
        still = [t.name for t in self.tracks.values() if t.open]
        if still:
            raise BadTrace(f"slices without an end on {still}")

    def _packets(self, data, inside):
        for number, value in fields(data):
            if number != 1:
                raise BadTrace(f"field {number} of Trace")
            packet = message(value)
            if 50 in packet:
                if inside or len(packet) != 1 or len(value) > 512 * 1024:
                    raise BadTrace("compressed packets beside others, in others, or too long")
                self.compressed += 1
                self._packets(zlib.decompress(one(packet, 50)), True)
            else:
                self._packet(packet)

    def _packet(self, packet):
        self.packets += 1
        sequence = one(packet, 10)
        if sequence is None or self.sequence not in (None, sequence):
            raise BadTrace(f"packet sequence {sequence} after {self.sequence}")
        self.sequence = sequence
        flags = one(packet, 13, 0)
        if flags & INCREMENTAL_STATE_CLEARED:
            self.cleared = True
        if flags & NEEDS_INCREMENTAL_STATE and not self.cleared:
            raise BadTrace("a packet needs state that was never cleared")
        if 59 in packet:
            self.default_clock = one(message(one(packet, 59)), 58, BOOTTIME)
        if 6 in packet:
            for data in message(one(packet, 6))[1]:
                clock = message(data)
                self.clocks[one(clock, 1)] = [one(clock, 2), bool(one(clock, 3, 0)), one(clock, 4, 1)]
        if 12 in packet:
            for field, entries in message(one(packet, 12)).items():
                for entry in map(message, entries):
                    iid = one(entry, 1)
                    if iid in self.names[field] or not iid:
                        raise BadTrace(f"interned entry {iid} of field {field} is there twice or is none")
                    self.names[field][iid] = text(entry, 2)
        if 60 in packet:
            self._track(message(one(packet, 60)))
        if 11 in packet:
            if not flags & NEEDS_INCREMENTAL_STATE:
                raise BadTrace("an event with interned names does not say that it needs state")
            self._event(self._time(packet), message(one(packet, 11)))

    def _time(self, packet):
        clock = self.clocks[one(packet, 58, self.default_clock)]
        value = one(packet, 8)
        if value is None:
            raise BadTrace("an event without time")
        if clock[1]:
            clock[0] += value
            value = clock[0]
        value *= clock[2]
        if value < self.last:
            raise BadTrace(f"time {value} after {self.last}")
        self.last = value
        return value

    def _track(self, descriptor):
        uuid, parent = one(descriptor, 1), one(descriptor, 5)
        if not uuid or uuid in self.tracks or (parent is not None and parent not in self.tracks):
            raise BadTrace(f"track {uuid} below {parent}: twice, or of no parent")
        name, pid, tid = text(descriptor, 2), None, None
        if 3 in descriptor:
            process = message(one(descriptor, 3))
            pid, name = one(process, 1), text(process, 6)
            if pid in self.processes:
                raise BadTrace(f"process {pid} twice")
            self.processes[pid] = name
        if 4 in descriptor:
            thread = message(one(descriptor, 4))
            pid, tid, name = one(thread, 1), one(thread, 2), text(thread, 5)
            if pid not in self.processes or tid in self.threads or tid == pid:
                raise BadTrace(f"thread {tid} of process {pid}")
            self.threads[tid] = name
        if not name:
            raise BadTrace(f"track {uuid} without a name")
        self.tracks[uuid] = Track(name, parent, pid, tid, 8 in descriptor)

    def _argument(self, data):
        annotation = message(data)
        name = self.names[3][one(annotation, 1)]
        for number in (2, 3, 4, 7):
            if number in annotation:
                return name, one(annotation, number)
        return name, text(annotation, 6)

    def _event(self, time, event):
        uuid = one(event, 11)
        track = self.tracks.get(uuid)
        if track is None or track.counter:
            raise BadTrace(f"an event on track {uuid}")
        counted = list(zip(event[31], event[12], strict=True))
        for counter, value in counted:
            if not self.tracks[counter].counter:
                raise BadTrace(f"a value of {counter}, which is no counter")
            self.counters[counter].append((time, value))
        args = dict(map(self._argument, event[4]))
        kind = one(event, 9)
        if kind == SLICE_END:
            if not track.open:
                raise BadTrace(f"an end without a slice on {track.name} at {time}")
            begun = track.open.pop()
            self.slices.append(begun._replace(end=time, args={**begun.args, **args}, flows=begun.flows + event[47],
                                              ended_flows=begun.ended_flows + event[48]))
            return
        name, (category,) = self.names[2][one(event, 10)], [self.names[1][c] for c in event[3]]
        made = Event(name, category, time, None, uuid, args, event[47], event[48], len(track.open))
        if kind == SLICE_BEGIN:
            track.open.append(made)
        elif kind == INSTANT:
            self.instants.append(made._replace(end=time))
        else:
            raise BadTrace(f"event type {kind}")

    def thread_of(self, uuid):
        """The uuid of the thread that a track is, or lies below."""
        while self.tracks[uuid].tid is None and self.tracks[uuid].parent is not None:
            uuid = self.tracks[uuid].parent
        return uuid

    def process_of(self, uuid):
        return self.processes.get(self.tracks[self.thread_of(uuid)].pid)

    def fact(self, name):
        """Arguments of the instant of that name on the track of the whole run."""
        found = [e for e in self.instants if e.name == name and e.category == "run"]
        if len(found) != 1:
            raise BadTrace(f"{len(found)} events '{name}' of the run")
        return found[0].args
