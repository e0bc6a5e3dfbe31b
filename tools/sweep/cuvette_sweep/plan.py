# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a sweep, read and checked."""
import os

from . import inputs, plan_schema
from .errors import InputError, nearest
from .placed_yaml import Placed
from .space import Choices, Grid, LatinHypercube, Layout, Random, Range, Rows, Steps
from .statistic import Objective, misspelt

MOST_POINTS = 10 ** 12
MOST_CHECKED = 32  # values of a list that are tried on a machine before the sweep
DEFAULT_OBJECTIVES = {
    True: [{"name": "cycles", "statistic": "totals.cycles", "goal": "minimize"},
           {"name": "instructions", "statistic": "totals.instructions"}],
    False: [{"name": "instructions", "statistic": "totals.instructions", "goal": "minimize"}]}


class Plan:
    """A plan: kernels, machines and spaces of their fields, laid out as points; how points run; what is looked at."""

    def __init__(self, path, schemas, program):
        """`schemas`: of plans, dispatch files and statistics; `program`: asked about machines.

        Errors: what is wrong with the file, with its place.
        """
        self.file = Placed(path)
        plan_schema.check(schemas["sweep"], self.file)
        value = self.file.value
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path))
        self.engine = value.get("engine", "ca")
        self.options = value.get("options", {})
        self.timeout = value.get("timeout")
        self.slurm = value.get("slurm", {})
        self.program = program
        self.timed = self.engine in ("lt", "ca")
        self.kernels = self._kernels(schemas["dispatch"])
        self.machines = self._machines()
        self.spaces = self._spaces(value.get("parameters", {}))
        self.layout = Layout(len(self.kernels), len(self.machines), self.spaces)
        if self.layout.size > MOST_POINTS:
            raise self.file.error(("parameters",), f"{self.layout.size} points, expected at most {MOST_POINTS}")
        self._check_settings()
        self.objectives = self._objectives(schemas["statistics"])

    def run_options(self):
        """The words of `cuvette run` that all points share, but those that say where machines are."""
        words = ["--engine", self.engine]
        for name, value in sorted(self.options.items()):
            if name == "config-dir":
                continue
            if isinstance(value, list):
                for item in value:
                    words += [f"--{name}", item]
            elif isinstance(value, bool):
                words += [f"--{name}"] if value else []
            else:
                words += [f"--{name}", str(value)]
        return words

    def config_dirs(self):
        return [word for d in self.options.get("config-dir", []) for word in ("--config-dir", self._resolve(d))]

    def arguments(self, index):
        """The words behind `cuvette` that run a point."""
        kernel, machine, settings = self.layout.point(index)
        words = ["run", self.kernels[kernel].path, *self.run_options(), *self.config_dirs()]
        if self.engine != "hsail":
            words += ["--config", self.machines[machine].argument]
        return words + [word for path, text in settings for word in ("--set", f"{path}={text}")]

    def _resolve(self, name):
        return os.path.normpath(os.path.join(self.folder, name))

    def _unique(self, what):
        """The entries of a list of the plan, each once."""
        entries = self.file.value.get(what, ["mi100"])
        for i, name in enumerate(entries):
            if name in entries[:i]:
                raise self.file.error((what, i), f"'{name}' is there twice")
        return entries

    def _kernels(self, schema):
        kernels = []
        for i, name in enumerate(self._unique("kernels")):
            try:
                kernels.append(inputs.Kernel(name, self._resolve(name), schema))
            except InputError as e:
                raise self.file.error(("kernels", i), str(e)) from None
        return kernels

    def _machines(self):
        if self.engine == "hsail" and "machines" in self.file.value:
            raise self.file.error(("machines",), "engine hsail has no machine", at_key=True)
        machines = []
        for i, name in enumerate(self._unique("machines")):
            argument = self._resolve(name) if "/" in name or name.endswith((".yaml", ".yml")) else name
            try:
                machines.append(inputs.Machine(name, argument, self.program, self.config_dirs()))
            except InputError as e:
                raise self.file.error(("machines", i), str(e)) from None
        return machines

    def _spaces(self, given):
        spaces, owners = [], {}
        if "list" in given:
            spaces.append(self._rows(given["list"], owners))
        if "random" in given:
            spaces.append(Random(*self._samples("random", owners)))
        if "latin_hypercube" in given:
            spaces.append(LatinHypercube(*self._samples("latin_hypercube", owners)))
        if "grid" in given:
            where = ("parameters", "grid")
            self._own(given["grid"], where, owners)
            spaces.append(Grid([(p, self._values((*where, p))) for p in given["grid"]]))
        return spaces

    def _own(self, paths, where, owners):
        for path in paths:
            if path in owners:
                raise self.file.error((*where, path), f"'{path}' is a parameter of '{owners[path]}', too", at_key=True)
            owners[path] = where[1]

    def _rows(self, rows, owners):
        where = ("parameters", "list")
        self._own(rows[0], (*where, 0), owners)
        for path in rows[0]:
            owners[path] = "list"
        for i, row in enumerate(rows):
            for path in row:
                if path not in rows[0]:
                    raise self.file.error((*where, i, path), f"'{path}' is not in the first entry", at_key=True)
            for path in rows[0]:
                if path not in row:
                    raise self.file.error((*where, i), f"'{path}' is missing, which the first entry has")
        return Rows([[(p, self.file.texts[(*where, i, p)]) for p in rows[0]] for i, row in enumerate(rows)])

    def _samples(self, kind, owners):
        given, where = self.file.value["parameters"][kind], ("parameters", kind, "over")
        self._own(given["over"], where, owners)
        return [(p, self._values((*where, p))) for p in given["over"]], given["points"], given["seed"]

    def _values(self, where):
        """The values of a parameter: Choices, Steps or a Range."""
        given = self.file.value
        for step in where:
            given = given[step]
        if isinstance(given, list):
            texts = [self.file.texts[(*where, i)] for i in range(len(given))]
            for i, text in enumerate(texts):
                if text in texts[:i]:
                    raise self.file.error((*where, i), f"'{text}' is there twice")
            return Choices(texts)
        low, high = given["from"], given["to"]
        if low > high:
            raise self.file.error((*where, "to"), f"expected at least 'from' ({low}), found {high}")
        logarithmic = given.get("scale") == "log" or "factor" in given
        if logarithmic and low <= 0:
            raise self.file.error((*where, "from"), f"expected more than 0 for a logarithmic scale, found {low}")
        if where[1] != "grid":
            return Range(low, high, logarithmic)
        if ("step" in given) == ("factor" in given):
            raise self.file.error(where, "expected 'step' or 'factor', one of them")
        values = Steps(low, high, given.get("step"), given.get("factor"))
        if len(values) > MOST_POINTS:
            raise self.file.error(where, f"{len(values)} values, expected at most {MOST_POINTS}")
        return values

    def parameters(self):
        """Path and place of every parameter, with values to try it with: some of ranges, members of lists."""
        for kind, given in self.file.value.get("parameters", {}).items():
            if kind == "list":
                for path in given[0]:
                    yield path, [(("parameters", kind, i, path), self.file.texts[("parameters", kind, i, path)])
                                 for i in range(len(given))]
                continue
            where = ("parameters", kind) if kind == "grid" else ("parameters", kind, "over")
            for path, values in (given if kind == "grid" else given["over"]).items():
                if isinstance(values, list):
                    yield path, [((*where, path, i), self.file.texts[(*where, path, i)]) for i in range(len(values))]
                else:
                    *before, last = self._values((*where, path)).samples()
                    yield path, [*(((*where, path, "from"), text) for text in before), ((*where, path, "to"), last)]

    def _check_settings(self):
        """Values that no machine of the plan takes, whatever the other ones, are errors before anything runs."""
        if self.engine == "hsail":
            for path, values in self.parameters():
                raise self.file.error(key_place(values[0][0]), f"'{path}' is a field of a machine, engine hsail has none",
                                      at_key=True)
        for path, values in self.parameters():
            step = max(1, len(values) // MOST_CHECKED)
            for machine in self.machines:
                for where, text in values[::step]:
                    wrong = machine.refuses(path, text)
                    if wrong and "unknown key" in wrong and path not in machine.fields:
                        hint = nearest(path, machine.fields)
                        raise self.file.error(key_place(where), f"machine {machine.name} has no field '{path}'{hint}",
                                              at_key=True)
                    if wrong:
                        raise self.file.error(where, f"{path} of machine {machine.name}: {wrong}")

    def _objectives(self, schema):
        given = self.file.value.get("objectives") or DEFAULT_OBJECTIVES[self.timed]
        names = set()
        for i, objective in enumerate(given):
            if objective["name"] in names:
                raise self.file.error(("objectives", i, "name"), f"'{objective['name']}' is there twice")
            names.add(objective["name"])
            for part in ("statistic", "times", "per"):
                wrong = misspelt(schema, objective[part]) if part in objective else ""
                if wrong:
                    raise self.file.error(("objectives", i, part), wrong)
        return [Objective(o) for o in given]


def key_place(where):
    """The place of a parameter's path, of that of one of its values."""
    return where if where[1] == "list" else where[:-1]
