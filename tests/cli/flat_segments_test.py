#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A FLAT load (tests/kernels/flat_segments.s) 8 bytes behind addresses around the apertures: what is there, or a memory
violation with the instruction and its address, on golden, lt and ca, and the same from the logs (decision D54).

flat_segments_test.py CUVETTE CODE_OBJECT SCRATCH
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, code, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
runs = Runs(cuvette, scratch)
ENGINES = {"golden": ["--target", "gfx908"], "lt": ["--config", "small"], "ca": ["--config", "small"]}
LDS, PRIVATE, APERTURE = 1 << 48, 2 << 48, 1 << 32

INSIDE = [("lds", LDS, 0x1202), ("scratch", PRIVATE, 0x3400)]
OUTSIDE = [("into_lds", LDS - 4), ("to_the_first_byte", LDS - 8), ("out_of_lds", LDS + APERTURE - 8),
           ("into_scratch", PRIVATE - 4), ("out_of_scratch", PRIVATE + APERTURE - 4)]


def dispatch(name, address, expected):
    low, high = address & 0xffffffff, address >> 32
    return runs.write(name + ".yaml", f"""code: {code}
kernel: flat_segments
grid: [64]
workgroup: [64]
args:
  - buffer: {{name: in, type: u32, count: 2, init: {{values: [{low}, {high}]}}}}
  - buffer: {{name: out, type: u32, count: 64, init: {{fill: 7}}}}
expect:
  - {{buffer: out, index: 0, values: [{", ".join([str(expected)] * 64)}]}}
""")


for engine, options in ENGINES.items():
    logged = engine != "lt"

    def run(name, path, status, text, end):
        log = runs.path(f"{name}.{engine}.log")
        more = ["--log", log] if logged else []
        runs.check(f"{name} on {engine}", status, text, "run", path, "--engine", engine, *options, *more)
        if logged:
            runs.check(f"{name} of {engine} again", 0, "(?s)agrees with golden.*" + end, "replay", log)

    for name, address, value in INSIDE:
        run(name, dispatch(name, address, value), 0, "passed on " + engine, "20 instructions, 1 waves")
    for name, address in OUTSIDE:
        text = (r"flat_load_dword v6, v\[2:3\] offset:8: access at " + re.escape(hex(address + 8)) +
                " leaves the segment of its base address " + re.escape(hex(address)) + r" \(lanes 0xffffffffffffffff\)")
        run(name, dispatch(name, address, 7), 1, text, "unfinished +1 waves")
# The FLAT load is one more request to the LDS where it reads that.
for engine in ("lt", "ca"):
    requests = []
    for name, address, value in INSIDE:
        stats = runs.path(f"{name}.{engine}.json")
        runs.check(f"{name} counted on {engine}", 0, "passed", "run", dispatch(name, address, value), "--engine", engine,
                   *ENGINES[engine], "--stats", stats)
        with open(stats, encoding="utf-8") as f:
            requests.append(json.load(f)["dispatches"][0]["blocks"]["lds"]["total"]["requests"])
    runs.equal(requests[0] - requests[1], 1, f"requests to the LDS on {engine}")
runs.end(least=41)
