# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Counters of one dispatch, or of several added up."""

NUMBERS = ("waves", "workgroups", "cycles", "fallbacks")
TABLES = ("by_status", "by_unit", "by_format", "not_exact")


def add_counts(tables):
    """One table with the sums of the members of several."""
    out = {}
    for table in tables:
        for name, count in table.items():
            out[name] = out.get(name, 0) + count
    return out


class Intervals:
    """Counters of a dispatch by intervals, as --stats-every makes them."""

    def __init__(self, value, cycles):
        self.every = value["every"]
        self.ends = value["end"]
        self.blocks = value["blocks"]
        self.cycles = cycles

    def column(self, block, counter):
        """(begin, end, count) of each interval; cycles since reset. The last one ends with the dispatch."""
        counts = self.blocks.get(block, {}).get(counter, [])
        begin = self.ends[-1] - self.cycles if self.ends else 0
        for end, count in zip(self.ends, counts):
            yield begin, end, count
            begin = end


class Scope:
    """Scope of a section of a report: counts of instructions, and counters of blocks per instance."""

    def __init__(self, name, kernel, numbers, instructions, tables, blocks, intervals=()):
        self.name = name
        self.kernel = kernel
        self.numbers = numbers            # waves, workgroups, cycles, fallbacks
        self.instructions = instructions  # executed
        self.tables = tables              # by_status, ...: name to count
        self.blocks = blocks              # block to the counters of each instance
        self.intervals = intervals        # of its dispatches that have some

    @staticmethod
    def of_dispatch(number, d):
        tables = {name: d["instructions"].get(name, {}) for name in TABLES}
        tables["fallbacks"] = d.get("fallbacks_by_instruction", {})
        return Scope(f"dispatch {number}: {d['kernel']}", d["kernel"], {n: d.get(n, 0) for n in NUMBERS},
                     d["instructions"]["total"], tables,
                     {name: block["instances"] for name, block in d.get("blocks", {}).items()},
                     [Intervals(d["intervals"], d.get("cycles", 0))] if "intervals" in d else [])

    @staticmethod
    def sum(scopes):
        blocks = {}
        for block in sorted({block for s in scopes for block in s.blocks}):
            parts = [s.blocks[block] for s in scopes if block in s.blocks]
            blocks[block] = [add_counts(p[i] for p in parts if i < len(p)) for i in range(max(map(len, parts)))]
        name = scopes[0].name if len(scopes) == 1 else "all dispatches"
        return Scope(name, "", {n: sum(s.numbers[n] for s in scopes) for n in NUMBERS},
                     sum(s.instructions for s in scopes),
                     {t: add_counts(s.tables[t] for s in scopes) for t in (*TABLES, "fallbacks")}, blocks,
                     [i for s in scopes for i in s.intervals])

    @property
    def cycles(self):
        return self.numbers["cycles"]

    def instances(self, block):
        return self.blocks.get(block, [])

    def total(self, block):
        """The counters of a block, added up over its instances."""
        return add_counts(self.instances(block))


def ratio(part, whole):
    """A quotient, or None of nothing."""
    return part / whole if whole else None
