# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Pareto fronts: the points to which no other one is at least as good in every objective and better in one."""
import bisect


class Front2:
    """The front of two objectives, kept in order while points come."""

    def __init__(self, signs):
        self.signs = signs  # 1: minimize, -1: maximize
        self.points = []    # (x, y, label), x rises and y falls, both with their signs

    def add(self, x, y, label):
        x, y = x * self.signs[0], y * self.signs[1]
        n = bisect.bisect_left(self.points, (x, y))
        if n < len(self.points) and self.points[n][:2] == (x, y):
            return  # the first of equal ones stays
        if n > 0 and self.points[n - 1][1] <= y:
            return
        end = n
        while end < len(self.points) and self.points[end][1] >= y:
            end += 1
        self.points[n:end] = [(x, y, label)]

    def front(self):
        return [(x * self.signs[0], y * self.signs[1], label) for x, y, label in self.points]


class Front:
    """The front of any number of objectives."""

    def __init__(self, signs):
        self.signs = signs
        self.points = []  # (values with their signs, label)

    def add(self, values, label):
        mine = tuple(v * s for v, s in zip(values, self.signs))
        for other, _ in self.points:
            if all(o <= m for o, m in zip(other, mine)):
                return
        self.points = [p for p in self.points if not all(m <= o for m, o in zip(mine, p[0]))]
        self.points.append((mine, label))

    def front(self):
        return [(tuple(v * s for v, s in zip(values, self.signs)), label) for values, label in sorted(self.points)]
