# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Spaces of parameters: from an index to the values of a point, without a list of the points.

A setting is a pair of the path of a machine's field and the text of its value.
"""
import math

from .permutation import Permutation, unit


def number_text(value):
    """A number as a machine description writes it: at most 10 digits that count."""
    return str(value) if isinstance(value, int) else f"{value:.10g}"


class Choices:
    """Values that are named one by one, as texts."""

    def __init__(self, texts):
        self.texts = list(texts)

    def __len__(self):
        return len(self.texts)

    def text(self, index):
        return self.texts[index]

    def at(self, u):
        """The value at a share u of the way, 0 <= u < 1: every value has the same share."""
        return self.texts[min(int(u * len(self.texts)), len(self.texts) - 1)]

    def samples(self):
        """Some of the values, both ends among them."""
        return self.texts


class Steps(Choices):
    """Numbers from `low` to `high` (where a step ends there), by addition or multiplication. Lazy."""

    def __init__(self, low, high, step=None, factor=None):
        self.low, self.high, self.step, self.factor = low, high, step, factor
        if factor is not None:
            count = math.floor(math.log(high / low) / math.log(factor) + 1e-9) + 1
            while self._value(count - 1) > high and not math.isclose(self._value(count - 1), high):
                count -= 1
            self.count = count
        elif all(isinstance(n, int) for n in (low, high, step)):
            self.count = (high - low) // step + 1
        else:
            self.count = math.floor((high - low) / step + 1e-9) + 1

    def _value(self, index):
        return self.low * self.factor ** index if self.factor is not None else self.low + self.step * index

    def __len__(self):
        return self.count

    def text(self, index):
        return number_text(self._value(index))

    def samples(self):
        return [self.text(i) for i in (0, min(1, self.count - 1), self.count // 2, self.count - 1)]


class Range:
    """Numbers of an interval, the ends among them: integers where both ends are, real numbers otherwise; `log`: their
    logarithms are uniform."""

    def __init__(self, low, high, log=False):
        self.low, self.high, self.log = low, high, log
        self.integers = isinstance(low, int) and isinstance(high, int)

    def at(self, u):
        """The value at a share u of the way, 0 <= u < 1."""
        low, high = self.low, self.high + 1 if self.integers else self.high
        value = low * (high / low) ** u if self.log else low + (high - low) * u
        if self.integers:
            # The two halves of the division keep large integers exact.
            value = low + int(u * (high - low)) if not self.log else math.floor(value)
            value = min(max(value, self.low), self.high)
        return number_text(value)

    def samples(self):
        # Not the middle: that of whole numbers is often whole.
        return [number_text(self.low), self.at(0.37), number_text(self.high)]


class Grid:
    """Every combination of values: the last parameter changes fastest."""

    def __init__(self, axes):
        self.axes = axes  # pairs of path and Choices
        self.size = math.prod(len(values) for _, values in axes)

    def settings(self, index):
        out = []
        for path, values in reversed(self.axes):
            index, n = divmod(index, len(values))
            out.append((path, values.text(n)))
        return out[::-1]


class Rows:
    """Combinations that are named one by one."""

    def __init__(self, rows):
        self.rows = rows
        self.size = len(rows)

    def settings(self, index):
        return self.rows[index]


class Random:
    """Points whose values are independent of one another."""

    def __init__(self, axes, points, seed):
        self.axes, self.size, self.seed = axes, points, seed

    def settings(self, index):
        return [(path, values.at(unit(self.seed, f"random {path}", index))) for path, values in self.axes]


class LatinHypercube:
    """A Latin hypercube: each parameter's range is cut into as many parts as there are points, and each part has one
    point, at a random place in it."""

    def __init__(self, axes, points, seed):
        self.axes, self.size, self.seed = axes, points, seed
        self.orders = [Permutation(points, seed, f"hypercube {path}") for path, _ in axes]

    def share(self, axis, index):
        """Position of a point in the range of a parameter, 0 to 1."""
        path = self.axes[axis][0]
        return (self.orders[axis](index) + unit(self.seed, f"hypercube {path}", index)) / self.size

    def settings(self, index):
        return [(path, values.at(min(self.share(n, index), 1 - 2 ** -53)))
                for n, (path, values) in enumerate(self.axes)]


class Layout:
    """The points of a plan: every kernel on every machine with every combination of its spaces. The last space changes
    fastest, the kernel slowest."""

    def __init__(self, kernels, machines, spaces):
        self.kernels, self.machines, self.spaces = kernels, machines, spaces
        self.settings_count = math.prod(s.size for s in spaces)
        self.size = kernels * machines * self.settings_count

    def point(self, index):
        """Numbers of kernel and machine, and the settings, of a point from 0 to size - 1."""
        if not 0 <= index < self.size:
            raise IndexError(index)
        rest, settings = index, []
        for space in reversed(self.spaces):
            rest, n = divmod(rest, space.size)
            settings = space.settings(n) + settings
        kernel, machine = divmod(rest, self.machines)
        return kernel, machine, settings
