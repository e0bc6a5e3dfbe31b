# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a sweep, drawn as the pages of runs are (cuvette_report): one choice is the kernel, one the machine."""
import heapq
import itertools

from cuvette_report import page
from cuvette_report.errors import InputError as PageError
from cuvette_report.figure import add, bars, missing, rounded, section, series, table

from .errors import InputError
from .pareto import Front, Front2
from .sensitivity import Levels, Sensitivity
from .store import Store

MOST_SCOPES = 32      # pairs of kernel and machine with sections of their own
MOST_ROWS = 20000     # of the tables of points of a page
MOST_SHOWN = 1000     # rows of one of them
MOST_DOTS = 1500      # of a figure
MOST_PAIRS = 6        # of objectives, with a figure each
MOST_EFFECTS = 12     # parameters with a figure of their effect on an objective
MOST_FAILED = 200     # failed points in a table


def write(folder, output):
    """Writes the page of the last plan of a sweep's folder. Errors: no such folder, nothing finished, no room."""
    store = Store(folder, write=False)
    try:
        model = Report(store, folder).model()
        page.write(model, output)
    except PageError as e:
        raise InputError(str(e)) from None
    finally:
        store.close()


class Report:
    """The model of a page over the finished points of a plan."""

    def __init__(self, store, folder):
        self.store = store
        self.plan, self.path, self.given, self.points = store.last_plan()
        self.finished, self.failed = store.counts(self.plan)
        if self.finished == 0:
            raise InputError(f"{folder}: error: no point of {self.path} is finished")
        self.objectives = self.given["objectives"]
        self.goals = [(n, o) for n, o in enumerate(self.objectives) if o["goal"]]
        self.scopes = [(k, m) for k in range(len(self.given["kernels"])) for m in range(len(self.given["machines"]))]
        self.rows_each = min(MOST_SHOWN, MOST_ROWS // min(len(self.scopes), MOST_SCOPES))

    def model(self):
        shown, runs = self.scopes[:MOST_SCOPES], []
        note = "" if len(shown) == len(self.scopes) else (
            f"The first {len(shown)} of {len(self.scopes)} pairs of kernel and machine have sections of their own.")
        for kernel, name in enumerate(self.given["kernels"]):
            machines = [m for k, m in shown if k == kernel]
            if machines:
                runs.append({"label": name, "note": note,
                             "scopes": [{"name": self.given["machines"][m], "sections": Scope(self, kernel, m).sections()}
                                        for m in machines]})
        return {"title": f"Sweep of {self.path}", "overview": self.overview(), "runs": runs,
                "choices": ["Kernel", "Machine"], "missing": "Not in this sweep"}

    def overview(self):
        sec = section("overview", "The sweep", "All kernels and machines together; sections below are of one of each.")
        rows = [["points of the plan", str(self.points)], ["finished", str(self.finished)],
                ["failed", str(self.failed)], ["engine", self.given["engine"]],
                ["options of every run", " ".join(self.given["options"])],
                ["program", f"cuvette {self.given['program']}"],
                ["parameters", ", ".join(self.given["parameters"]) or "none"]]
        add(sec, table("What was run", [("", "text"), ("value", "text")], rows))
        columns = [("objective", "text"), ("goal", "text"), ("statistic", "text")]
        add(sec, table("Objectives", columns, [[o["name"], o["goal"] or "none", formula(o)] for o in self.objectives]))
        if self.finished < self.points:
            missing(sec, f"{self.points - self.finished} points: the sweep has not come to them; the same command goes on")
        if self.failed:
            add(sec, self.failures())
        return sec

    def failures(self):
        rows = []
        for point, kernel, machine, settings, _, passed, attempts, message, _ in self.store.rows(self.plan):
            if not passed and len(rows) < MOST_FAILED:
                rows.append([point, self.given["kernels"][kernel], self.given["machines"][machine], words(settings),
                             attempts, message])
        note = f"The first {len(rows)} of {self.failed}." if self.failed > len(rows) else ""
        return table("Failed points", [("point", "number"), ("kernel", "text"), ("machine", "text"),
                                       ("settings", "text"), ("attempts", "number"), ("why", "long")], rows, note)


class Scope:
    """The sections of one kernel on one machine."""

    def __init__(self, report, kernel, machine):
        self.report, self.kernel, self.machine = report, kernel, machine
        self.objectives, self.goals = report.objectives, report.goals
        self.parameters = report.given["parameters"]

    def rows(self):
        """(point, settings, objectives) of the points that passed."""
        for point, _, _, settings, values, passed, *_ in self.report.store.rows(self.report.plan, self.kernel,
                                                                                self.machine):
            if passed:
                yield point, settings, values

    def sections(self):
        self.count = 0
        levels = {path: Levels() for path in self.parameters}
        for _, settings, _ in self.rows():
            self.count += 1
            for path in self.parameters:
                levels[path].see(settings[path])
        return [self.table(), self.fronts(), self.sensitivity(levels)]

    def table(self):
        sec = section("points", "Points", "Every finished point with its objectives.")
        most = self.report.rows_each
        if self.goals:
            column, first = self.goals[0]
            sign = -1 if first["goal"] == "maximize" else 1
            kept = heapq.nsmallest(most, (r for r in self.rows() if r[2][column] is not None),
                                   key=lambda r: (sign * r[2][column], r[0]))
            order = f"Best {first['name']} first."
        else:
            kept, order = list(itertools.islice(self.rows(), most)), "In the order of the plan."
        columns = [("point", "number"), *[(p, "text") for p in self.parameters],
                   *[(o["name"], "number") for o in self.objectives]]
        rows = [[point, *[settings[p] for p in self.parameters], *[rounded(v, 6) for v in values]]
                for point, settings, values in kept]
        note = order + (f" {len(rows)} of {self.count} points." if self.count > len(rows) else "")
        if rows:
            add(sec, table("Points that passed", columns, rows, note))
        else:
            missing(sec, "points: none passed")
        return sec

    def fronts(self):
        sec = section("pareto", "Pareto fronts", "Points that no other point beats: as good in each objective, and "
                                                 "better in one.")
        pairs = list(itertools.combinations(self.goals, 2))[:MOST_PAIRS]
        if not pairs:
            missing(sec, "a front: fewer than two objectives have a goal")
            return sec
        signs = [1 if o["goal"] == "minimize" else -1 for _, o in self.goals]
        fronts = [Front2([1 if o["goal"] == "minimize" else -1 for _, o in pair]) for pair in pairs]
        dots, every, whole = [[] for _ in pairs], max(1, -(-self.count // MOST_DOTS)), Front(signs)
        for n, (point, settings, values) in enumerate(self.rows()):
            label = (point, words(settings))
            for front, shown, ((x, _), (y, _)) in zip(fronts, dots, pairs):
                if values[x] is None or values[y] is None:
                    continue
                front.add(values[x], values[y], label)
                if n % every == 0:
                    shown.append([rounded(values[x], 6), rounded(values[y], 6), name_of(label)])
            chosen = [values[n] for n, _ in self.goals]
            if len(self.goals) > 2 and None not in chosen:
                whole.add(chosen, label)
        for front, shown, ((_, x), (_, y)) in zip(fronts, dots, pairs):
            add(sec, scatter(f"{y['name']} against {x['name']}", x, y, shown, front.front(),
                             f"One of {every} points is drawn, and the whole front." if every > 1 else ""))
        names = [o["name"] for _, o in self.goals]
        members = whole.front() if len(self.goals) > 2 else [((x, y), label) for x, y, label in fronts[0].front()]
        rows = [[label[0], label[1], *[rounded(v, 6) for v in values]] for values, label in members]
        note = f"The first {self.report.rows_each} of {len(rows)}." if len(rows) > self.report.rows_each else ""
        add(sec, table("Points of the front of all objectives with a goal",
                       [("point", "number"), ("settings", "text"), *[(n, "number") for n in names]],
                       rows[:self.report.rows_each], note))
        return sec

    def sensitivity(self, levels):
        sec = section("sensitivity", "Sensitivity", "How much of an objective's variance each parameter explains alone "
                                                    "(first-order index), and the objective at each of its values.")
        if not self.parameters or self.count < 2:
            missing(sec, "sensitivities: fewer than two points passed, or nothing is a parameter")
            return sec
        found = {n: Sensitivity(levels) for n, _ in self.goals or [(0, None)]}
        for _, settings, values in self.rows():
            for n, s in found.items():
                if values[n] is not None:
                    s.add(settings, values[n])
        for n, s in found.items():
            name = self.objectives[n]["name"]
            shares = {p: s.index(p) for p in self.parameters}
            if None in shares.values():
                missing(sec, f"sensitivity of {name}: it is the same at every point")
                continue
            order = sorted(self.parameters, key=lambda p: -shares[p])
            add(sec, bars(f"Variance of {name} that each parameter explains alone", "%", order,
                          [series("first-order index", 0, [rounded(100 * shares[p]) for p in order])],
                          "What is missing to 100 % comes from parameters acting together."))
            for path in order[:MOST_EFFECTS]:
                add(sec, effect(f"{name} by {path}", name, path, s.effects(path)))
        return sec


def scatter(title, x, y, points, front, note):
    return {"kind": "scatter", "title": title, "unit": f"{y['name']}, {y['goal']}",
            "x": f"{x['name']} ({x['goal']})", "y": f"{y['name']} ({y['goal']})", "points": points,
            "front": [[rounded(a, 6), rounded(b, 6), name_of(label)] for a, b, label in front], "note": note}


def effect(title, unit, path, effects):
    return {"kind": "effect", "title": title, "unit": unit, "x": path, "y": f"{unit}: mean, least to most",
            "points": [[name, rounded(mean, 6), rounded(least, 6), rounded(most, 6), count]
                       for name, mean, least, most, count in effects], "note": ""}


def words(settings):
    return ", ".join(f"{p}={t}" for p, t in settings.items()) or "as described"


def name_of(label):
    return f"point {label[0]}: {label[1]}"


def formula(objective):
    text = objective["statistic"]
    if "times" in objective:
        text += f" * {objective['times']}"
    return f"{text} / {objective['per']}" if "per" in objective else text
