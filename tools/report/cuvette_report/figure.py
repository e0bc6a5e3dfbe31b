# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a report as plain dictionaries: sections, figures and tables. Drawing comes after them (page/*.js).

A figure has kind, title, unit and note; what else depends on its kind:

bars       categories, series [{name, color, values}]: bars in a row of one category are stacked
heat       rows, columns (labels), x, y (titles of the axes), cells [[row, column, value]], most (end of the scale)
lines      x, y (titles of the axes), stacked, series [{name, color, points [[x, y]]}]: a point begins an interval
roofline   x, y, roofs [{name, slope} or {name, level}], points [{name, x, y}]
timeline   x, units [{name, lanes, waves [{lane, start, cycles, name, segments [[start, cycles, phase]]}], until}],
           phases [{name, color}]
scatter    x, y, points and front [[x, y, name]]: objectives of a sweep's points, and of their Pareto front
effect     x, y, points [[value, mean, least, most, count]]: an objective at each value of a parameter
waterfall  steps [{name, value, total}]: a step is added to those before it, a total stands alone

Colours are numbers of the page's palette (0 to 9).
"""


def section(ident, title, purpose):
    return {"id": ident, "title": title, "purpose": purpose, "parts": [], "missing": []}


def add(sec, part):
    sec["parts"].append(part)


def missing(sec, what):
    """Says that a run does not hold something: "what: why"."""
    sec["missing"].append(what)


def bars(title, unit, categories, series, note=""):
    return {"kind": "bars", "title": title, "unit": unit, "categories": categories, "series": series, "note": note}


def series(name, color, values):
    return {"name": name, "color": color, "values": values}


def heat(title, unit, rows, columns, axes, cells, most=None, note=""):
    """`axes`: titles of the columns' and the rows' axis."""
    return {"kind": "heat", "title": title, "unit": unit, "rows": rows, "columns": columns, "x": axes[0], "y": axes[1],
            "cells": cells, "most": most if most is not None else max((c[2] for c in cells), default=0), "note": note}


def lines(title, x, y, drawn, note="", stacked=False):
    return {"kind": "lines", "title": title, "unit": y, "x": x, "y": y, "series": drawn, "stacked": stacked,
            "note": note}


def table(title, columns, rows, note=""):
    """`columns`: (name, kind), kind "text", "long" (sentences) or "number"; None in a row is nothing to show."""
    return {"kind": "table", "title": title, "columns": [{"name": n, "type": t} for n, t in columns], "rows": rows,
            "note": note}


def rounded(value, digits=4):
    """A number of a figure with so many digits that count; None stays."""
    if value is None or isinstance(value, int):
        return value
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def percent(part, whole):
    """A share in percent, rounded; None of nothing."""
    return rounded(100 * part / whole) if whole else None
