# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Konata's text (Kanata 0004) into instructions. What breaks a rule of the format raises BadTrace."""


class BadTrace(Exception):
    """What is wrong with a file."""


class Instruction:
    def __init__(self, begin, thread):
        self.begin, self.end, self.thread, self.flushed = begin, None, thread, None
        self.labels = {0: "", 1: ""}
        self.stages = []  # [name, begin, end]
        self.producers = []


def read(path):
    """Instructions by their number in the file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0] != "Kanata\t0004" or lines[-1] != "":
        raise BadTrace(f"first line {lines[0]!r}, last {lines[-1]!r}")
    found, cycle, retired = {}, None, 0
    for number, line in enumerate(lines[1:-1], 2):
        command, *rest = line.split("\t")
        try:
            if command == "C=":
                if number != 2:
                    raise BadTrace("C= is not the first command")
                cycle = int(rest[0])
            elif command == "C":
                if int(rest[0]) < 1:
                    raise BadTrace("time stands still or goes back")
                cycle += int(rest[0])
            elif command == "I":
                if int(rest[0]) != len(found):
                    raise BadTrace("numbers are not one after the other")
                found[len(found)] = Instruction(cycle, int(rest[2]))
            else:
                i = found[int(rest[0])]
                if i.end is not None:
                    raise BadTrace("a command after the R")
                if command == "L":
                    i.labels[int(rest[1])] += rest[2]
                elif command == "S":
                    if i.stages and i.stages[-1][2] is None:
                        raise BadTrace("a stage begins in a stage")
                    i.stages.append([rest[2], cycle, None])
                elif command == "E":
                    if i.stages[-1][0] != rest[2] or i.stages[-1][2] is not None:
                        raise BadTrace("a stage ends that is not there")
                    i.stages[-1][2] = cycle
                elif command == "R":
                    i.end, i.flushed = cycle, rest[2] == "1"
                    if not i.flushed and int(rest[1]) != retired:
                        raise BadTrace(f"retirement {rest[1]} after {retired}")
                    retired += not i.flushed
                elif command == "W":
                    i.producers.append(found[int(rest[1])])
                else:
                    raise BadTrace("an unknown command")
        except (KeyError, IndexError, ValueError, BadTrace) as error:
            raise BadTrace(f"{path}:{number}: {line!r}: {error}") from error
    for n, i in found.items():
        if i.end is None or not i.stages or any(end is None for _, _, end in i.stages):
            raise BadTrace(f"instruction {n} has no R, or a stage without an E")
    return found
