# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Perfetto traces, which the program reads: `cuvette trace-columns` prints them as a line of JSON and columns behind it
(model/run/trace/trace_columns.h)."""
import json
import subprocess
from array import array

from .columns import Instruction, Issues, Waves
from .errors import InputError


def read(trace, program):
    """Fills a trace from its file. Errors: those that the program finds."""
    head, columns = printed(trace.path, program)
    trace.clock_mhz = head["clock_mhz"]
    trace.dropped = head["left_out"]
    trace.chosen = {name: head[name] for name in ("filter", "window") if head[name]}
    trace.dispatches = [tuple(d) for d in head["dispatches"]]
    trace.instructions = [Instruction(*i) for i in head["instructions"]]
    trace.waves = Waves({name: columns["waves", name] for name in Waves.TYPES})
    trace.issues = Issues(*(columns["issues", name] for name in ("times", "codes", "rising")))
    trace.misses, trace.hits, trace.accesses, trace.requests = {}, {}, {}, {}
    for (kind, *place), values in columns.items():
        if kind in ("hits", "misses"):
            block, instance = place
            getattr(trace, kind).setdefault(block, {})[instance] = values
        elif kind == "accesses":
            trace.accesses[place[0]] = values
        elif kind == "requests" and place[1] == "begins":
            trace.requests[place[0]] = values, columns["requests", place[0], "ends"]


def printed(path, program):
    """What the program prints of a trace: the head, and columns by name."""
    with subprocess.Popen([program, "trace-columns", "--", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        try:
            head = json.loads(child.stdout.readline())
            columns = {tuple(name): column(child.stdout, code, count) for name, code, count in head["columns"]}
        except (EOFError, ValueError):
            head = None  # its status says why
        message = child.stderr.read().decode("utf-8", "replace").strip()
    if child.returncode == 2:
        raise InputError(message)
    if child.returncode != 0 or head is None:
        raise RuntimeError(f"{program} trace-columns: status {child.returncode}: {message or 'its output ends early'}")
    return head, columns


def column(file, code, count):
    values = array(code)
    values.fromfile(file, count)
    return values
