# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Cycles of a dispatch by class: what a compute unit's time went to."""
from fractions import Fraction

from .classes import class_counters, class_name

IDLE = "no wave"
REST = "in no class"


def cycles_by_class(scope):
    """The cycles of a dispatch, divided among classes whose sum they are.

    A compute unit that has waves is busy or without a wave; its busy cycles are divided in proportion to its
    wave-cycles in each class. Each class is the mean over these units. What the counters leave open is in REST.
    """
    units = [u for u in scope.instances("compute_unit") if u["busy_cycles"]]
    out = {IDLE: Fraction(0)}
    for unit in units:
        busy, resident = unit["busy_cycles"], unit["wave_cycles"]
        out[IDLE] += Fraction(scope.cycles - busy, len(units))
        for counter, cycles in class_counters(unit).items():
            name = class_name(counter)
            out[name] = out.get(name, Fraction(0)) + (Fraction(busy * cycles, resident * len(units)) if resident else 0)
    if not units:
        out[IDLE] = Fraction(scope.cycles)
    out[REST] = scope.cycles - sum(out.values())
    return out


class Account:
    """The difference in cycles of two dispatches, by class, in whole cycles that add up to it.

    Rows are (class, cycles of A, cycles of B, difference), the largest first; rounding, and what the counters leave
    open, is the last, REST.
    """

    def __init__(self, a, b, classes):
        """`a`, `b`: cycles; `classes`: class to its whole cycles of A and B, without REST."""
        self.a, self.b = a, b
        rows = [(name, of_a, of_b, of_b - of_a) for name, (of_a, of_b) in classes.items() if of_a or of_b]
        self.rows = sorted(rows, key=lambda r: (-abs(r[3]), -max(r[1:3]), r[0]))
        rest = a - sum(r[1] for r in rows), b - sum(r[2] for r in rows)
        self.rows.append((REST, *rest, rest[1] - rest[0]))

    @property
    def difference(self):
        return self.b - self.a

    @staticmethod
    def of(a, b):
        """The account of two scopes."""
        in_a, in_b = cycles_by_class(a), cycles_by_class(b)
        names = [n for n in in_a | in_b if n != REST]
        return Account(a.cycles, b.cycles, {n: (round(in_a.get(n, 0)), round(in_b.get(n, 0))) for n in names})

    @staticmethod
    def sum(accounts):
        """The account of several dispatches one after the other."""
        classes = {}
        for account in accounts:
            for name, of_a, of_b, _ in account.rows[:-1]:
                before = classes.get(name, (0, 0))
                classes[name] = (before[0] + of_a, before[1] + of_b)
        return Account(sum(c.a for c in accounts), sum(c.b for c in accounts), classes)
