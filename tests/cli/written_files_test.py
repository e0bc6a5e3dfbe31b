#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Files that `cuvette run` was asked for: written, or told that they are not; choices that contradict each other.

written_files_test.py CUVETTE DISPATCHES SCRATCH RTL
"""
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch, rtl = sys.argv[1:5]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
saxpy = os.path.join(dispatches, "saxpy.yaml")
ON_CA = ("--engine", "ca", "--config", "small")

# Files that cannot be written are reported before anything is run, whatever the option.
nowhere = runs.path("missing/file")
folder = runs.path("folder.json")
os.makedirs(folder)
for option in ("--log", "--trace", "--stats", "--results", "--dump"):
    for name, why in [(nowhere + ".json", "no folder '.*missing'"), (folder, "is a directory")]:
        value = "y=" + name if option == "--dump" else name
        status, out, err = runs.run("run", saxpy, *ON_CA, option, value)
        runs.expect(status == 2 and re.search(why, err) and "executed" not in out,
                    f"{option} {name}: exit {status}: {out + err}")

# A file that fails at the end costs neither the summary nor the other files.
stats = runs.path("stats.json")
status, out, err = runs.run("run", saxpy, *ON_CA, "--dump", "y=/dev/full", "--stats", stats)
runs.expect(status == 2 and "passed on ca" in out and "/dev/full" in err and os.path.exists(stats),
            f"a full device: exit {status}: {out + err}")

# Events that a trace leaves out are told in the summary, with the numbers of the file.
trace = runs.path("trace.json")
status, out, err = runs.run("run", os.path.join(dispatches, "sgemm.yaml"), *ON_CA, "--trace", trace)
runs.expect(status == 0, f"sgemm: exit {status}: {out + err}")
with open(trace, encoding="utf-8") as f:
    dropped = json.load(f)["otherData"]["dropped"]
runs.expect(dropped["issues"] > 0, f"sgemm fits into the trace: {dropped}")
told = {what: int(n) for n, what in re.findall(r"(\d+) (waves|issues|misses) left out", out)}
runs.expect(told == {what: n for what, n in dropped.items() if n != 0}, f"the summary says {told}, the file {dropped}")
status, out, err = runs.run("run", saxpy, *ON_CA, "--trace", trace)
runs.expect(status == 0 and "left out" not in out, f"a whole trace: exit {status}: {out + err}")

# A choice per block or buffer is made once.
for options, message in [
        (("--impl", "valu=tlm,valu=tlm"), "--impl names block valu twice"),
        (("--impl", "valu=tlm", "--impl", "valu=tlm"), "--impl names block valu twice"),
        (("--lockstep", "valu,valu"), "--lockstep names block valu twice"),
        (("--lockstep", "valu:1/2,valu:1/1000"), "--lockstep names block valu twice"),
        (("--lockstep", "valu:1/2", "--lockstep", "valu"), "--lockstep names block valu twice"),
        (("--dump", "y=" + runs.path("a"), "--dump", "y=" + runs.path("b")), "--dump names buffer 'y' twice")]:
    runs.check(" ".join(options), 2, re.escape(message), "run", saxpy, *ON_CA, *options)

if rtl == "rtl":
    # Waveforms of a run that passes: the recording of the block, served again to it alone.
    cases = [("valu", saxpy), ("vrf", saxpy), ("simd", saxpy), ("matrix_core", os.path.join(dispatches, "mfma_gemm.yaml"))]
    for block, file in cases:
        wave = runs.path(block + ".fst")
        status, out, err = runs.run("run", file, *ON_CA, "--lockstep", block, "--lockstep-instances", "1", "--wave", wave)
        runs.expect(status == 0 and re.search(rf"file +{re.escape(wave)}: waveforms of {block} of compute unit 0 "
                                              r"SIMD 0", out),
                    f"--wave of a run that passes, {block}: exit {status}: {out + err}")
        runs.expect(os.path.exists(wave) and os.path.getsize(wave) > 500, f"{block}: no waveforms")
    # A run that fails for another reason has them as well.
    bad = runs.write("bad.yaml", open(saxpy, encoding="utf-8").read()
                     .replace("file: saxpy.expected.bin", "index: 0, values: [12345.0]")
                     .replace("../kernels", os.path.join(os.path.abspath(dispatches), "../kernels")))
    wave = runs.path("bad.fst")
    runs.check("--wave of a run with another difference", 1, "waveforms of valu", "run", bad, *ON_CA,
               "--lockstep", "valu", "--wave", wave)
    # None to show: told, and no success.
    wave = runs.path("none.fst")
    runs.check("--wave without a transaction", 2, r"none\.fst: error: no waveforms: no block in lockstep was used", "run",
               saxpy, *ON_CA, "--lockstep", "matrix_core", "--wave", wave)
    # Not writable: told before the run. One file holds one run.
    for name, why in [(nowhere, "no folder"), (scratch, "is a directory")]:
        status, out, err = runs.run("run", saxpy, *ON_CA, "--lockstep", "valu", "--wave", name)
        runs.expect(status == 2 and why in err and "executed" not in out, f"--wave {name}: exit {status}: {out + err}")
    runs.check("--wave with two files", 2, "--wave takes one dispatch file", "run", saxpy, saxpy, *ON_CA, "--lockstep",
               "valu", "--wave", wave)

runs.end(least=21 if rtl == "rtl" else 20)
