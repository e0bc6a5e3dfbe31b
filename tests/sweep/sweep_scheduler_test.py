#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""cuvette sweep on an existing Dask cluster: a scheduler and two workers, started as their users do; the results are
those of local workers; a worker that dies, and a scheduler that dies.

sweep_scheduler_test.py CUVETTE DISPATCHES SCRATCH
"""
import os
import re
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

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
copied_kernel(dispatches, scratch, "saxpy")
started = []


def start(name, *words):
    """A process of Dask, and the address of the scheduler that its log names."""
    with open(runs.path(name), "wb") as log:
        process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{name.split('.')[0]}", *words],
                                   stdout=log, stderr=log, cwd=scratch)
    started.append(process)
    for _ in range(600):
        with open(runs.path(name), encoding="utf-8", errors="replace") as f:
            found = re.search(r"tcp://127.0.0.1:\d+", f.read())
        if found or process.poll() is not None:
            break
        time.sleep(0.1)
    return process, found[0] if found else ""


def worker(name, address):
    return start(name, address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1",
                 "--death-timeout", "60", "--local-directory", scratch)[0]


try:
    scheduler, address = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    runs.expect(address, "no scheduler")
    workers = [worker(f"worker.{n}", address) for n in range(2)]
    plan = runs.write("plan.yaml", plan_text(["dispatches/saxpy.yaml"], {
        "grid": {"memory.latency_cycles": {"from": 100, "to": 150, "step": 10}, "l2.slice.ways": [4, 3]}}))
    runs.check("local", 1, "12 points, 12 finished, 6 failed", "sweep", plan, "-o", runs.path("local"))
    runs.check("by address", 1, "12 points, 12 finished, 6 failed", "sweep", plan, "-o", runs.path("remote"), "--workers",
               address)
    runs.expect(results_of(runs.path("local")) == results_of(runs.path("remote")), "other results than of local workers")
    runs.expect(len(results_of(runs.path("remote"))) == 12, "points")

    # A worker that dies costs attempts, no points.
    long = runs.write("long.yaml", plan_text(["dispatches/saxpy.yaml"], {
        "grid": {"memory.latency_cycles": {"from": 100, "to": 159, "step": 1}}}))
    sweep = subprocess.Popen([cuvette, "sweep", long, "-o", runs.path("long"), "--workers", address],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while sweep.poll() is None and len(points_of(runs.path("long"))) < 5:
        time.sleep(0.02)
    workers[0].send_signal(signal.SIGKILL)
    while sweep.poll() is None and len(points_of(runs.path("long"))) < 30:
        time.sleep(0.02)
    before = points_of(runs.path("long"))
    runs.expect(30 <= len(before) < 60, f"{len(before)} points with one worker")
    # A scheduler that dies ends the sweep with one message; what is finished stays, nothing is taken for failed.
    scheduler.send_signal(signal.SIGKILL)
    out, err = sweep.communicate(timeout=300)
    runs.expect(sweep.returncode == 2 and "the Dask scheduler is gone; the same command goes on" in err,
                f"a scheduler that dies: {sweep.returncode} {out} {err}")
    found = points_of(runs.path("long"))
    runs.expect(all(found[n] == row for n, row in before.items()), "finished points changed")
    runs.expect(all(row[1] for row in found.values()), f"points were taken for failed: {[r[2] for r in found.values()][:3]}")
    runs.check("goes on", 0, f"60 finished, 0 failed\n.* {60 - len(found)} run, {len(found)} with", "sweep", long, "-o",
               runs.path("long"))
    runs.check("no scheduler", 2, f"--workers {address}: no Dask scheduler answers", "sweep", plan, "-o", runs.path("x"),
               "--workers", address)
finally:
    for process in started:
        process.kill()
        process.wait()
runs.end(11)
