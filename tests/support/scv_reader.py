# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Reads transactions in the text format of the SystemC Verification Library. Independent of the writer. What breaks a
rule of the format raises BadFile."""
import collections
import re

Transaction = collections.namedtuple("Transaction", "stream name begin end attributes")
UNITS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}


class BadFile(Exception):
    """What is wrong with a file."""


def femtoseconds(text):
    number, unit = text.split(" ")
    return int(number) * UNITS[unit]


def read(path):
    """Streams by name, and the transactions in the order of the file, times in femtoseconds."""
    streams, generators, found, under_way = {}, {}, [], {}
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    for line in lines:
        if match := re.fullmatch(r'scv_tr_stream \(ID (\d+), name "([^"]+)", kind "([^"]+)"\)', line):
            if match[1] in streams or match[1] in generators:
                raise BadFile(f"id {match[1]} twice")
            streams[match[1]] = match[2]
        elif match := re.fullmatch(r'scv_tr_generator \(ID (\d+), name "([^"]+)", scv_tr_stream (\d+),', line):
            if match[1] in streams or match[1] in generators or match[3] not in streams or next(lines) != ")":
                raise BadFile(line)
            generators[match[1]] = (streams[match[3]], match[2])
        elif match := re.fullmatch(r"tx_begin (\d+) (\d+) (\d+ \w+)", line):
            if match[1] in under_way:
                raise BadFile(f"{line}: begins twice")
            under_way[match[1]] = (match[2], femtoseconds(match[3]), {})
        elif match := re.fullmatch(r'tx_record_attribute (\d+) "(\w+)" (?:UNSIGNED = (\d+)|STRING = "([^"]*)")', line):
            under_way[match[1]][2][match[2]] = int(match[3]) if match[3] is not None else match[4]
        elif match := re.fullmatch(r"tx_end (\d+) (\d+) (\d+ \w+)", line):
            generator, begin, attributes = under_way.pop(match[1])
            if generator != match[2] or femtoseconds(match[3]) < begin:
                raise BadFile(line)
            found.append(Transaction(*generators[generator], begin, femtoseconds(match[3]), attributes))
        else:
            raise BadFile(line)
    if under_way:
        raise BadFile(f"no end of {sorted(under_way)}")
    return set(streams.values()), found
