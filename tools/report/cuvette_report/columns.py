# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of waves, issued instructions and events: numbers in arrays, without an object for each."""
from array import array
from collections.abc import Sequence
from typing import NamedTuple


class Wave(NamedTuple):
    """The residency of a wave in a slot, and where its issues lie in the columns of a trace."""
    unit: int
    lane: tuple  # SIMD, slot
    start: int
    cycles: int
    number: int
    dispatch: int
    first: int
    last: int

    @property
    def end(self):
        return self.start + self.cycles

    @property
    def name(self):
        return f"wave {self.number:#x}"


class Waves(Sequence):
    """Waves as columns; each is made when it is asked for."""
    TYPES = {"unit": "I", "simd": "I", "slot": "I", "start": "Q", "cycles": "Q", "number": "Q", "dispatch": "Q",
             "first": "Q", "last": "Q"}

    def __init__(self, columns=None):
        self.columns = columns or {name: array(code) for name, code in self.TYPES.items()}

    def __len__(self):
        return len(self.columns["unit"])

    def __getitem__(self, n):
        unit, simd, slot, *rest = (self.columns[name][n] for name in self.TYPES)
        return Wave(unit, (simd, slot), *rest)

    def append(self, wave):
        for column, value in zip(self.columns.values(), (wave.unit, *wave.lane, *wave[2:]), strict=True):
            column.append(value)

    def ends(self):
        return map(int.__add__, self.columns["start"], self.columns["cycles"])

    def by_unit(self):
        """Indices of the waves of each compute unit."""
        found = {}
        for n, unit in enumerate(self.columns["unit"]):
            found.setdefault(unit, array("Q")).append(n)
        return found


class Issues:
    """Issued instructions, by wave slot and time: when, and the index of each among the instructions of a trace."""

    def __init__(self, times=None, codes=None, rising=None):
        self.times = times or array("Q")
        self.codes = codes or array("I")
        self.rising = rising or array("Q")  # where times begin, and where they fall: sorted from there

    def __len__(self):
        return len(self.times)

    def append(self, time, code):
        if not self.times or time < self.times[-1]:
            self.rising.append(len(self.times))
        self.times.append(time)
        self.codes.append(code)

    def sorted_parts(self):
        """Ranges whose times are sorted."""
        return zip(self.rising, [*self.rising[1:], len(self.times)])


class Instruction:
    """An instruction of the program: what issued at one address."""
    __slots__ = ("pc", "mnemonic", "unit", "issues", "waited")

    def __init__(self, pc, mnemonic, unit, issues=0, waited=0):
        self.pc, self.mnemonic, self.unit = pc, mnemonic, unit
        self.issues = issues
        self.waited = waited  # cycles between the wave's last issue, or its launch, and this one's
