# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A run of `cuvette run`: its statistics and, where there is one, its trace."""
import os
import sys

from . import json_file
from .errors import InputError, error_at, printable
from .schema import Schema
from .scope import Scope
from .trace import Trace

VERSION = 1  # of the statistics
SCHEMA_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "statistics.schema.json")


class Run:
    """Statistics that fit the schema, and the trace of the same run or why there is none."""

    def __init__(self, path, statistics, trace=None, no_trace=""):
        self.path = path
        self.statistics = statistics
        self.trace = trace
        self.no_trace = no_trace
        self.companions = 1  # runs of the same page, which share its room
        self.dispatches = [Scope.of_dispatch(n, d) for n, d in enumerate(statistics["dispatches"])]
        self.whole = Scope.sum(self.dispatches)
        # Fields of the machine's description by their path: numbers and names. Empty: not told.
        self.machine = statistics.get("machine", {}).get("parameters", {})
        self.sizes = {path: v for path, v in self.machine.items() if not isinstance(v, str) and v > 0}

    @property
    def label(self):
        s = self.statistics
        return f"{os.path.basename(self.path)}: {os.path.basename(s['dispatch_file'])} on {s['engine']}, {s['config']}"

    @property
    def timed(self):
        """True if the engine has blocks and cycles (lt, ca)."""
        return bool(self.whole.blocks)


def load_schema():
    return Schema(json_file.read(SCHEMA_FILE))


def load_statistics(path, schema):
    """The statistics of a file. Errors: not readable, not JSON, not statistics, another version."""
    value = json_file.read(path)
    if not isinstance(value, dict) or "schema" not in value or "dispatches" not in value:
        raise error_at(path, "not statistics of a run, expected a file written by cuvette run --stats")
    if value["schema"] != VERSION or isinstance(value["schema"], bool):
        raise error_at(path, f"statistics of schema version {value['schema']!r}, expected {VERSION}")
    found = schema.violation(value)
    if found:
        raise error_at(path, f"not statistics of a run: {found}")
    return value


def load_run(path, schema, trace_path=None, program=None):
    """A run. Without `trace_path`, its trace is NAME.trace.json or NAME.pftrace beside NAME.stats.json (or NAME.json),
    which `program` reads.
    """
    statistics = load_statistics(path, schema)
    if not any("blocks" in d for d in statistics["dispatches"]) and trace_path is None:
        return Run(path, statistics, no_trace=f"engine {statistics['engine']} has no trace")
    beside = trace_path or trace_beside(path)
    if trace_path is None and not os.path.exists(beside):
        perfetto = beside.removesuffix(".trace.json") + ".pftrace"
        beside = perfetto if os.path.exists(perfetto) else beside
    if trace_path is None and not os.path.exists(beside):
        return Run(path, statistics, no_trace=f"no trace: no file {os.path.basename(beside)} beside the statistics")
    trace = Trace.load(beside, program)
    differs = difference(trace, statistics)
    if not differs:
        return Run(path, statistics, trace)
    if trace.chosen:
        options = ", ".join(f"{name} {value}" for name, value in sorted(trace.chosen.items()))
        what = f"a part of the trace ({options}), expected that of the whole run in {path}: {differs}"
        differs = f"shows a part of the run ({options})"
    else:
        what = f"not the trace of the run in {path}: {differs}"
        differs = f"is of another run ({differs})"
    if trace_path is not None and statistics["passed"]:
        raise error_at(beside, what)
    print(printable(f"{beside}: warning: left out, {what}"), file=sys.stderr)
    return Run(path, statistics, no_trace=f"no trace: {os.path.basename(beside)} {differs}")


def trace_beside(path):
    for ending in (".stats.json", ".json"):
        if path.endswith(ending):
            return path.removesuffix(ending) + ".trace.json"
    return path + ".trace.json"


def difference(trace, statistics):
    """In what a trace does not belong to the statistics; "" where it does."""
    totals = statistics["totals"]
    waves = len(trace.waves) + trace.dropped["waves"]
    issues = len(trace.issues) + trace.dropped["issues"]
    if waves != totals["waves"]:
        return f"{waves} waves, the statistics have {totals['waves']}"
    if issues != totals["instructions"]:
        return f"{issues} instructions, the statistics have {totals['instructions']}"
    return ""


def load_runs(paths, traces, program=None, with_traces=True):
    """Runs in the order of `paths`; the n-th of `traces` belongs to the n-th of them."""
    if len(traces) > len(paths):
        raise InputError(f"error: {len(traces)} traces, expected at most one for each of {len(paths)} runs")
    schema = load_schema()
    if not with_traces:
        return [Run(path, load_statistics(path, schema)) for path in paths]
    runs = [load_run(path, schema, traces[n] if n < len(traces) else None, program) for n, path in enumerate(paths)]
    for run in runs:
        run.companions = len(runs)
    return runs
