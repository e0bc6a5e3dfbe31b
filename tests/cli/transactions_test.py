#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --engine lt --transactions FILE: every access to memory is in the file; windows and filters show a part of the whole;
bad choices are refused.

transactions_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import json
import os
import re
import struct
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import scv_reader  # noqa: E402
from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of, equal = runs.expect, runs.path, runs.equal
LT = ("--engine", "lt", "--config", "small", "--set", "compute_units=3")
UNITS = {f"compute_unit_{n}" for n in range(3)}


def dispatch(name):
    return os.path.join(source, "tests/dispatches", name + ".yaml")


def statistics(name, *args):
    stats = path_of("stats.json")
    status, out, err = runs.run("run", dispatch(name), *LT, "--stats", stats, *args)
    equal(status, 0, f"{args}: {out}{err}")
    with open(stats, encoding="utf-8") as file:
        return json.load(file), out


def recorded(name, *args):
    path = path_of("run.txlog")
    stats, out = statistics(name, "--transactions", path, *args)
    streams, found = scv_reader.read(path)
    equal([int(n) for n in re.findall(r"run\.txlog: (\d+) transactions", out)], [len(found)], "the summary's count")
    return stats, streams, found


for name in ("saxpy", "histogram", "transpose"):
    plain, _ = statistics(name)
    stats, streams, found = recorded(name)
    equal(streams, UNITS | {"host", "command_processor"}, f"{name}: streams")
    for key in ("instructions", "waves", "workgroups"):
        equal(stats["dispatches"][0][key], plain["dispatches"][0][key], f"{name}: {key} do not depend on the recording")
    expect(all(t.attributes["response"] == "TLM_OK_RESPONSE" for t in found), f"{name}: an access failed")
    expect(any(t.stream == "host" and t.name == "write" for t in found), f"{name}: the host rings")
    counted = stats["dispatches"][0]["blocks"]["compute_unit"]["total"]
    mine = [t for t in found if t.stream in UNITS]
    expect(len(mine) > counted["waves"] and "read" in {t.name for t in mine} <= {"read", "write"}, f"{name}: accesses")

# What saxpy has written is its result: y = a x + y, by bytes in the transactions.
stats, streams, found = recorded("saxpy", "--dump", "y=" + path_of("y.bin"))
with open(path_of("y.bin"), "rb") as file:
    y = file.read()
memory = {}
for t in found:
    if t.stream in UNITS and t.name == "write" and "enabled_bytes" not in t.attributes:
        data = bytes.fromhex(t.attributes["data"])
        equal(len(data), min(64, t.attributes["length"]), "bytes of a write")
        memory.update({t.attributes["address"] + n: byte for n, byte in enumerate(data)})
first = min(memory)
equal(bytes(memory.get(first + n, 0) for n in range(len(y))), y, "what the waves have written")
expect(len(struct.unpack(f"{len(y) // 4}f", y)) > 64, "a result of some size")

# A window and units.
times = sorted(t.begin for t in found)
period = round(10**6 / stats["machine"]["parameters"]["clock_mhz"]) * 1000  # femtoseconds; SystemC has whole ps
first, last = times[len(times) // 3] // period, times[len(times) // 2] // period
_, _, part = recorded("saxpy", "--window", f"{first}:{last}")
inside = [t for t in found if first <= t.begin // period <= last]
equal(part, inside, "transactions of a window")
expect(0 < len(part) < len(found), f"{len(part)} of {len(found)} in a window")
_, streams, part = recorded("saxpy", "--trace-filter", "cu=0,2")
equal(streams, {"compute_unit_0", "compute_unit_2", "host", "command_processor"}, "streams of a filter")
equal(part, [t for t in found if t.stream != "compute_unit_1"], "transactions of a filter")

for args, message in [
        (("--engine", "ca", "--transactions", path_of("x.txlog")), "--transactions goes with the engine lt"),
        (("--engine", "golden", "--transactions", path_of("x.txlog")), "--transactions goes with the engine lt"),
        ((*LT, "--transactions", path_of("missing/x.txlog")), "no folder"),
        ((*LT, "--transactions", path_of("x.txlog"), "--trace-filter", "kernel=saxpy"), "sockets know compute units alone"),
        ((*LT, "--transactions", path_of("x.txlog"), "--trace-filter", "cu=3"), "no compute unit 3, expected 0 to 2"),
        ((*LT, "--transactions", path_of("x.txlog"), "--window", "2:1"), "--window expects FIRST:LAST"),
        ((*LT, "--trace-filter", "cu=0"), "--trace-filter goes with --trace or --transactions")]:
    status, out, err = runs.run("run", dispatch("saxpy"), *args)
    expect(status == 2 and re.search(message, err) and "executed" not in out and len(err.splitlines()) <= 3,
           f"{args}: exit {status}, expected 2 and {message!r}: {out}{err}")
runs.check("--transactions of two files", 2, "--transactions takes one dispatch file", "run", dispatch("saxpy"),
           dispatch("saxpy"), *LT, "--transactions", path_of("x.txlog"))

# A file that cannot be written in the end costs neither the summary nor the statistics.
full, stats = path_of("full.txlog"), path_of("stats.json")
if os.path.lexists(full):
    os.remove(full)
os.symlink("/dev/full", full)
status, out, err = runs.run("run", dispatch("saxpy"), *LT, "--transactions", full, "--stats", stats)
expect(status == 2 and "passed on lt" in out and full in err and os.path.exists(stats), f"a full device: {status}: {out}{err}")

runs.end(least=20)
