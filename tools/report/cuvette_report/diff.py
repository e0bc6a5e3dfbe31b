# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: what they differ in, and the classes that explain the difference in cycles."""
from .accounting import REST, Account
from .figure import add, missing, rounded, section, table

MOST_SCOPES = 32
HOW = ("A compute unit with waves is busy or without a wave; its busy cycles are divided in proportion to its "
       "wave-cycles in each class. Classes are means over these units, in whole cycles; \"in no class\" is rounding.")


class Pair:
    """A dispatch of A and the one of B in the same place."""

    def __init__(self, name, a, b, account):
        self.name, self.a, self.b = name, a, b
        self.account = account  # None: one of them has no time


class Comparison:
    """Two runs, dispatch by dispatch in their order."""

    def __init__(self, a, b):
        self.a, self.b = a, b
        both = list(zip(a.dispatches, b.dispatches))
        self.timed = a.timed and b.timed
        self.pairs = [Pair(pair_name(x, y), x, y, Account.of(x, y) if self.timed else None) for x, y in both]
        self.uneven = len(a.dispatches) != len(b.dispatches)
        accounts = [p.account for p in self.pairs]
        name = self.pairs[0].name if len(both) == 1 and not self.uneven else "all dispatches"
        self.whole = Pair(name, a.whole, b.whole,
                          Account.sum(accounts) if self.timed and not self.uneven else None)

    def identity(self):
        """[what, A, B] of what ran and on what, where they differ."""
        rows = []
        for name in ("dispatch_file", "engine", "config", "target", "passed"):
            in_a, in_b = (str(r.statistics.get(name, "none")) for r in (self.a, self.b))
            if in_a != in_b:
                rows.append([name.replace("_", " "), in_a, in_b])
        versions = [r.statistics["program"]["version"] for r in (self.a, self.b)]
        if versions[0] != versions[1]:
            rows.append(["version of the program", *versions])
        both = self.a.machine and self.b.machine
        for name in sorted(self.a.machine | self.b.machine) if both else []:
            in_a, in_b = (str(r.machine.get(name, "not told")) for r in (self.a, self.b))
            if in_a != in_b:
                rows.append([f"machine: {name}", in_a, in_b])
        return rows

    def not_compared(self):
        """Parts that cannot be compared, with the reason."""
        out = []
        if not self.timed:
            without = [r.statistics["engine"] for r in (self.a, self.b) if not r.timed]
            out.append(f"cycles: engine {' and '.join(sorted(set(without)))} has no time, engines lt and ca have")
        if self.uneven:
            out.append(f"dispatches without a partner: A has {len(self.a.dispatches)}, B {len(self.b.dispatches)}")
        if self.timed and not (self.a.machine and self.b.machine):
            out.append("parameters of the machines: statistics of one of them have none")
        out += [f"like with like in {p.name}: the kernels differ" for p in self.pairs if p.a.kernel != p.b.kernel]
        return out


    def engines(self):
        """Who gives the cycles of two engines; "" where it is one."""
        if not self.timed or self.a.statistics["engine"] == self.b.statistics["engine"]:
            return ""
        return "cycles are of two engines: lt is loosely timed, ca cycle-approximate"


def pair_name(a, b):
    return a.name if a.kernel == b.kernel else f"{a.name} and {b.kernel}"


def counters(pair):
    """[block, counter, A, B, difference] of every total that differs."""
    timed = pair.a.blocks and pair.b.blocks
    names = [name for name in pair.a.numbers if timed or name != "cycles"]
    rows = [["dispatch", name, pair.a.numbers[name], pair.b.numbers[name]] for name in names]
    rows.append(["instructions", "total", pair.a.instructions, pair.b.instructions])
    for name in ("by_unit", "by_status"):
        in_a, in_b = pair.a.tables[name], pair.b.tables[name]
        rows += [["instructions", n, in_a.get(n, 0), in_b.get(n, 0)] for n in sorted(in_a | in_b)]
    for block in sorted(pair.a.blocks | pair.b.blocks):
        in_a, in_b = pair.a.total(block), pair.b.total(block)
        rows += [[block, n, in_a.get(n, 0), in_b.get(n, 0)] for n in in_a | in_b]
    return [[*r, r[3] - r[2]] for r in rows if r[2] != r[3]]


def change(a, b):
    """The relative change in percent; None from nothing."""
    return rounded(100 * (b - a) / a) if a else None


def make(comparison):
    """A page's model, of the shape that a report has."""
    c = comparison
    scopes = [c.whole] + (c.pairs[:MOST_SCOPES] if len(c.pairs) > 1 or c.uneven else [])
    note = f"The first {MOST_SCOPES} of {len(c.pairs)} dispatches have tables of their own." \
        if len(c.pairs) > MOST_SCOPES else ""
    return {"title": f"A: {c.a.label}, against B: {c.b.label}", "overview": None,
            "runs": [{"label": "A against B", "note": note, "scopes": [
                {"name": p.name, "sections": [summary(c, p), cycles(c, p), changed(p)]} for p in scopes]}]}


def summary(c, pair):
    sec = section("summary", "What differs", "What ran in A and in B.")
    rows = [["file", c.a.path, c.b.path], *c.identity()]
    add(sec, table("Runs", [("", "text"), ("A", "text"), ("B", "text")], rows,
                   "" if len(rows) > 1 else "Same dispatch file, engine, machine and program."))
    if c.engines():
        sec["parts"].append({"kind": "fact", "title": "Engines", "text": c.engines(), "note": ""})
    sec["missing"] += c.not_compared()
    return sec


def cycles(c, pair):
    sec = section("cycles", "Difference in cycles", "The classes that explain the difference; they add up to it.")
    account = pair.account
    if account is None:
        missing(sec, "the difference in cycles by class: see above")
        return sec
    steps = [{"name": "A", "value": account.a, "total": True}]
    steps += [{"name": n, "value": d, "total": False} for n, _, _, d in account.rows if d]
    steps.append({"name": "B", "value": account.b, "total": True})
    add(sec, {"kind": "waterfall", "title": "From A to B", "unit": "cycles", "steps": steps, "note": HOW})
    rows = [[n, a, b, d, change(a, b)] for n, a, b, d in account.rows]
    rows.append(["cycles", account.a, account.b, account.difference, change(account.a, account.b)])
    add(sec, table("Cycles by class", [("class", "text"), ("A", "number"), ("B", "number"), ("B - A", "number"),
                                       ("%", "number")], rows))
    return sec


def changed(pair):
    sec = section("counters", "Counters that differ", "Totals of every block; stall classes are in wave-cycles.")
    rows = [[*r, change(r[2], r[3])] for r in counters(pair)]
    if not rows:
        sec["parts"].append({"kind": "fact", "title": "Counters", "text": "all are equal", "note": ""})
        return sec
    add(sec, table("Counters", [("block", "text"), ("counter", "text"), ("A", "number"), ("B", "number"),
                                ("B - A", "number"), ("%", "number")], rows))
    return sec


def text(c):
    """The comparison for a terminal."""
    out = [f"A  {c.a.path}", f"B  {c.b.path}"]
    differs = c.identity()
    width = max((len(what) for what, _, _ in differs), default=0)
    out += [f"  {what:<{width}}  A {a}, B {b}" for what, a, b in differs]
    out += [f"  {c.engines()}"] if c.engines() else []
    out += [f"  not compared: {what}" for what in c.not_compared()]
    pairs = c.pairs if len(c.pairs) > 1 else []
    for pair in [*pairs, c.whole]:
        out += account_text(pair) if pair.account else plain_text(pair)
    return "\n".join(out)


def account_text(pair):
    account = pair.account
    of = change(account.a, account.b)
    out = [f"{pair.name}: {account.a} -> {account.b} cycles ({account.difference:+d}"
           + (f", {of:+g} %)" if of is not None else ")")]
    if not account.difference and not any(r[3] for r in account.rows):
        return [*out, "  no class differs"]
    out.append(f"  {'class':<24} {'A':>14} {'B':>14} {'B - A':>14}")
    out += [f"  {n:<24} {a:>14} {b:>14} {d:>+14}" for n, a, b, d in account.rows if d or n == REST]
    out.append(f"  {'sum':<24} {account.a:>14} {account.b:>14} {account.difference:>+14}")
    return out


def plain_text(pair):
    differs = counters(pair)
    if not differs:
        return [f"{pair.name}: no counter differs"]
    return [f"{pair.name}:", *[f"  {block + '.' + n:<34} {a:>14} {b:>14} {d:>+14}" for block, n, a, b, d in differs]]
