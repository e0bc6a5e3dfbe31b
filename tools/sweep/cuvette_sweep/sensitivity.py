# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Sensitivity of an objective to each parameter: main effects and first-order indices, in one pass over the points.

The first-order index of a parameter is the variance of the objective's means at the parameter's values, over the
variance of the objective: the share of its changes that this parameter explains alone. Means and variances are
updated point by point (Welford).
"""
from .statistic import as_number

MOST_LEVELS = 24  # values of a parameter that are told apart; more are put together in ranges


class Moments:
    """Number, mean, variance and ends of numbers."""

    def __init__(self):
        self.count, self.mean, self.squares = 0, 0.0, 0.0
        self.least = self.most = None

    def add(self, value):
        self.count += 1
        change = value - self.mean
        self.mean += change / self.count
        self.squares += change * (value - self.mean)
        self.least = value if self.least is None else min(self.least, value)
        self.most = value if self.most is None else max(self.most, value)

    @property
    def variance(self):
        return self.squares / self.count if self.count else 0.0


class Levels:
    """The values of a parameter: told apart where there are few, ranges of equal width otherwise."""

    def __init__(self):
        self.texts = set()
        self.low = self.high = None
        self.words = False  # a value is no number

    def see(self, text):
        if len(self.texts) <= MOST_LEVELS:
            self.texts.add(text)
        value = as_number(text)
        if value is None:
            self.words = True
            return
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    def names(self):
        if len(self.texts) <= MOST_LEVELS or self.words or self.low == self.high:
            order = sorted(self.texts, key=lambda t: (as_number(t) is None, as_number(t) or 0, t))
            return order[:MOST_LEVELS] + (["others"] if len(order) > MOST_LEVELS else [])
        width = (self.high - self.low) / MOST_BINS
        return [f"{self.low + i * width:.4g} to {self.low + (i + 1) * width:.4g}" for i in range(MOST_BINS)]

    def finder(self):
        """A function from a value's text to the number of its level."""
        names = self.names()
        if len(self.texts) <= MOST_LEVELS or self.words or self.low == self.high:
            numbers = {name: n for n, name in enumerate(names)}
            return lambda text: numbers.get(text, len(names) - 1)
        low, width = self.low, (self.high - self.low) / MOST_BINS
        return lambda text: min(int((as_number(text) - low) / width), MOST_BINS - 1)


MOST_BINS = 12


class Sensitivity:
    """Main effects of parameters on one objective."""

    def __init__(self, levels):
        self.finders = {path: l.finder() for path, l in levels.items()}
        self.names = {path: l.names() for path, l in levels.items()}
        self.whole = Moments()
        self.at = {path: [Moments() for _ in names] for path, names in self.names.items()}

    def add(self, settings, value):
        self.whole.add(value)
        for path, find in self.finders.items():
            self.at[path][find(settings[path])].add(value)

    def index(self, path):
        """The first-order index of a parameter, 0 to 1; None where the objective never changes."""
        if self.whole.variance <= 1e-18 * max(1.0, self.whole.mean ** 2):
            return None
        between = sum(m.count * (m.mean - self.whole.mean) ** 2 for m in self.at[path] if m.count)
        share = between / self.whole.count / self.whole.variance
        return 0.0 if share < 1e-12 else min(1.0, share)  # less is rounding

    def effects(self, path):
        """(value, mean, least, most, points) of the objective at each value of a parameter."""
        return [(name, m.mean, m.least, m.most, m.count) for name, m in zip(self.names[path], self.at[path]) if m.count]
