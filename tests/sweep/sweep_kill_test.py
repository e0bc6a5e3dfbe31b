#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A sweep that is killed at random several times, ten with CUVETTE_WHOLE=1: no finished point is lost, none runs again,
no run is left behind, and the results are those of a sweep that was not disturbed.

sweep_kill_test.py CUVETTE DISPATCHES SCRATCH [SEED]
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "cli")]

from program_runs import Runs  # noqa: E402
from sweep_files import copied_kernel, plan_text, points_of, results_of  # noqa: E402

KILLS, POINTS = (10, 120) if "CUVETTE_WHOLE" in os.environ else (4, 50)
cuvette, dispatches, scratch = sys.argv[1:4]
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
source = random.Random(seed)
copied_kernel(dispatches, scratch, "saxpy")
plan = runs.write("plan.yaml", plan_text(["dispatches/saxpy.yaml"], {
    "list": [{"l2.slice.ways": 4}, {"l2.slice.ways": 16}],
    "latin_hypercube": {"points": POINTS // 2, "seed": 3, "over": {"memory.latency_cycles": {"from": 100, "to": 900},
                                                                  "vector_l1.misses": {"from": 4, "to": 64}}}}))
folder = runs.path("killed")


def left_behind():
    """Processes whose command line names the folder."""
    found = []
    for process in os.listdir("/proc"):
        if process.isdigit() and int(process) != os.getpid():
            try:
                with open(f"/proc/{process}/cmdline", "rb") as f:
                    if os.fsencode(folder) in f.read():
                        found.append(process)
            except OSError:
                continue
    return found


kept = {}
for kill in range(KILLS):
    wanted, delay = len(kept) + source.randrange(8), source.random() * 0.15
    process = subprocess.Popen([cuvette, "sweep", plan, "-o", folder, "--workers", "2"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while process.poll() is None and (len(points_of(folder)) <= wanted):
        time.sleep(0.01)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    runs.expect(process.wait() == -signal.SIGKILL, f"kill {kill}: the sweep had ended with {process.returncode}")
    for _ in range(100):
        if not left_behind():
            break
        time.sleep(0.02)
    runs.expect(not left_behind(), f"kill {kill}: runs are left behind")
    found = points_of(folder)
    # Seconds differ in every run, so that a point that ran again shows.
    runs.expect(all(found.get(n) == row for n, row in kept.items()), f"kill {kill}: finished points are lost or ran again")
    runs.expect(len(found) > len(kept), f"kill {kill}: nothing was added to {len(kept)} points")
    kept = found
status, out, err = runs.run("sweep", plan, "-o", folder)
found = points_of(folder)
runs.expect(status == 0 and f"{POINTS} points, {POINTS} finished" in out, f"the end: {status} {out}{err}")
runs.expect(f"{POINTS - len(kept)} run, {len(kept)} with a result before" in out, f"{len(kept)} finished before: {out}")
runs.expect(all(found[n] == row for n, row in kept.items()), "finished points ran again")
runs.check("undisturbed", 0, f"{POINTS} run, 0 with", "sweep", plan, "-o", runs.path("whole"))
runs.expect(results_of(folder) == results_of(runs.path("whole")), "other results than without kills")
print(f"seed {seed}: {KILLS} kills, {len(kept)} points finished before the last call")
runs.end(4 * KILLS)
