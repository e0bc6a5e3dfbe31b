#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --why-blocked: cycles add up to those of the statistics, a sleep of known length stands where it is, and what
does not exist is told.

why_blocked_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
HEAD = re.compile(r'why blocked\s+(.*): (\d+) cycles of residency, ([\d.]+) % with an issue\n')
LINE = re.compile(r'^\s+([\d.]+) %  (\d+) cycles: (?!\d+ other)(.+?)(?: before (\S+): (.*))?$', re.M)
REST = re.compile(r'^\s+[\d.]+ %  (\d+) cycles: \d+ other places$', re.M)
SLEEP = """
code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    extension "amd:gcn";
    prog kernel &idle()
    {
      amd_gcn_sleep_u32 127;
      ret;
    };
grid: [64]
workgroup: [64]
"""
HANG = """
code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &stuck()
    {
      workitemflatid_u32 $s0;
      cmp_lt_b1_u32 $c0, $s0, 64;
      cbr_b1 $c0, @wait;
      @spin:
      br @spin;
      @wait:
      barrier;
      ret;
    };
grid: [128]
workgroup: [128]
"""


def profile(dispatch, chosen, *args, engine="ca", ends=0):
    status, out, err = runs.run("run", dispatch, "--engine", engine, "--config", "small", "--why-blocked", chosen, *args)
    expect(status == ends, f"{chosen}: exit status {status}: {out}{err}")
    head = HEAD.search(out)
    expect(head is not None, f"no head of the profile in: {out}")
    rows = [(float(p), int(c), why, at, text) for p, c, why, at, text in LINE.findall(out)]
    rest = sum(int(n) for n in REST.findall(out))
    cycles, issues = int(head[2]), float(head[3])
    expect([r[1] for r in rows] == sorted((r[1] for r in rows), reverse=True), f"{chosen}: not the worst first")
    stalled = sum(r[1] for r in rows) + rest
    expect(abs(100 * (cycles - stalled) / cycles - issues) < 0.06, f"{chosen}: classes do not add up: {out}")
    return head[1], cycles, stalled, rows, out


# The waves of a kernel spend what the compute units count.
for kernel in ("reduce", "saxpy"):
    dispatch = os.path.join(source, "tests/dispatches", kernel + ".yaml")
    stats = path_of(kernel + ".json")
    who, cycles, stalled, rows, out = profile(dispatch, kernel, "--stats", stats)
    with open(stats, encoding="utf-8") as f:
        total = json.load(f)["dispatches"][0]["blocks"]["compute_unit"]["total"]
    expect(cycles == total["wave_cycles"], f"{kernel}: {cycles} cycles, statistics say {total['wave_cycles']}")
    expect(cycles - stalled == total["issue_cycles"], f"{kernel}: cycles with an issue: {cycles - stalled}")
    expect(re.fullmatch(rf"\d+ waves of {kernel}", who), f"{kernel}: {who}")
    expect(any(at.startswith(kernel + "+0x") for _, _, _, at, _ in rows if at), f"{kernel}: places: {rows}")
    expect(profile(dispatch, "&" + kernel, "--threads", "2")[4].splitlines()[1:]
           == profile(dispatch, kernel, "--threads", "2")[4].splitlines()[1:], f"{kernel}: with and without &")
    expect(profile(dispatch, kernel, "--threads", "2")[3] == rows, f"{kernel}: threads change the profile")
    trace = path_of(kernel + ".trace.json")
    profile(dispatch, kernel, "--trace", trace)
    with open(trace, encoding="utf-8") as f:
        waves = sorted(set(re.findall(r'"wave (0x[0-9a-f]+)"', f.read())))
    each = [profile(dispatch, wave) for wave in waves[:4]]
    expect([e[0] for e in each] == [f"wave {wave} of {kernel}" for wave in waves[:4]], f"{kernel}: waves: {each}")
    expect(all(0 < e[1] < cycles for e in each), f"{kernel}: cycles of one wave: {each}")
    expect(profile(dispatch, str(int(waves[0], 16)))[3] == each[0][3], f"{kernel}: a decimal number")

# Loosely timed as well; who watches has the waves go instruction by instruction, which moves a few cycles.
for kernel in ("reduce", "saxpy", "transpose"):
    dispatch = os.path.join(source, "tests/dispatches", kernel + ".yaml")
    stats, plain = path_of(kernel + ".lt.json"), path_of(kernel + ".plain.json")
    who, cycles, stalled, rows, out = profile(dispatch, kernel, "--stats", stats, engine="lt")
    expect(runs.run("run", dispatch, "--engine", "lt", "--config", "small", "--stats", plain)[0] == 0, f"{kernel} on lt")
    totals = []
    for path in (stats, plain):
        with open(path, encoding="utf-8") as f:
            totals.append(json.load(f)["dispatches"][0])
    total = totals[0]["blocks"]["compute_unit"]["total"]
    expect(cycles == total["wave_cycles"], f"{kernel} on lt: {cycles} cycles, statistics say {total['wave_cycles']}")
    expect(cycles - stalled == total["issue_cycles"], f"{kernel} on lt: cycles with an issue: {cycles - stalled}")
    watched, alone = (t["cycles"] for t in totals)
    expect(abs(watched - alone) <= 0.1 * alone, f"{kernel} on lt: {watched} and {alone} cycles")
    expect(any(text.startswith("s_waitcnt") for _, _, _, _, text in rows if text), f"{kernel} on lt: {rows}")

# S_SLEEP 127 is 127 times 64 cycles (Vega ISA 5.1), and stands before the end of the kernel.
idle = path_of("idle.yaml")
with open(idle, "w", encoding="utf-8") as f:
    f.write(SLEEP)
for engine in ("ca", "lt"):
    _, _, _, rows, out = profile(idle, "idle", engine=engine)
    slept = [(cycles, text) for _, cycles, why, _, text in rows if why == "the end of its sleep"]
    expect(len(slept) == 1 and 126 * 64 <= slept[0][0] <= 127 * 64 + 3, f"a sleep of {127 * 64} cycles on {engine}: {out}")
    expect(slept and slept[0][1] == "s_endpgm", f"the instruction behind the sleep on {engine}: {out}")

# Waves that hang: their last wait counts until the end of the run.
hang = path_of("hang.yaml")
with open(hang, "w", encoding="utf-8") as f:
    f.write(HANG)
for engine in ("ca", "lt"):
    stats = path_of(f"hang.{engine}.json")
    _, cycles, stalled, rows, out = profile(hang, "stuck", "--watchdog", "20000", "--stats", stats, engine=engine, ends=1)
    with open(stats, encoding="utf-8") as f:
        total = json.load(f)["dispatches"][0]["blocks"]["compute_unit"]["total"]
    expect(cycles == total["wave_cycles"], f"a hang on {engine}: {cycles} cycles, statistics say {total['wave_cycles']}")
    expect(cycles - stalled == total["issue_cycles"], f"a hang on {engine}: cycles with an issue: {cycles - stalled}")
    expect(rows and rows[0][2] == "other waves at the barrier" and rows[0][1] > 15000,
           f"a hang on {engine}: {out}")

# Files that have not run, and places without a profile.
saxpy = os.path.join(source, "tests/dispatches/saxpy.yaml")
status, out, err = runs.run("run", saxpy, "--engine", "ca", "--config", "small", "--why-blocked", "sapxy")
expect(status == 1 and "--why-blocked: no wave of kernel sapxy has run, expected one of saxpy" in out + err,
       f"an unknown kernel: {status}: {out}{err}")
status, out, err = runs.run("run", saxpy, "--engine", "ca", "--config", "small", "--why-blocked", "123456")
expect(status == 1 and "no wave 123456 has run" in out + err, f"an unknown wave: {status}: {out}{err}")
for engine in ("golden", "hsail"):
    status, out, err = runs.run("run", saxpy, "--engine", engine, "--why-blocked", "saxpy")
    expect(status == 2 and "--why-blocked goes with the engines lt and ca" in err, f"{engine}: {status}: {err}")
runs.end(30)
