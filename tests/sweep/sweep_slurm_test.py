#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""cuvette sweep under Slurm: a cluster of two nodes on this host, each with a daemon of its own; workers by srun, from
outside and inside of an allocation; a sweep that is killed; srun that refuses.

sweep_slurm_test.py CUVETTE DISPATCHES SCRATCH
"""
import getpass
import os
import shutil
import signal
import socket
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
os.environ["PATH"] += ":/usr/sbin"
host, user, daemons = socket.gethostname().split(".")[0], getpass.getuser(), []
munge = f"/tmp/cuvette-munge-{os.getpid()}"  # the name of a socket has at most 107 characters


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*words):
    log = runs.path(f"{len(daemons)}.{words[0]}.log")
    with open(log, "wb") as out:
        daemons.append(subprocess.Popen(words, stdout=out, stderr=out, cwd=scratch))


def asked(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return runs.expect(False, f"waited for {what}")
        time.sleep(0.1)
    return runs.expect(True, what)


try:
    os.makedirs(runs.path("munge"), mode=0o755)
    os.makedirs(runs.path("state"))
    os.makedirs(munge, mode=0o755)
    with open(os.open(runs.path("munge/key"), os.O_WRONLY | os.O_CREAT, 0o400), "wb") as key:
        key.write(os.urandom(1024))
    start("munged", "--foreground", "--force", f"--key-file={runs.path('munge/key')}", f"--socket={munge}/socket",
          f"--pid-file={munge}/pid", f"--log-file={runs.path('munge/log')}", f"--seed-file={runs.path('munge/seed')}")
    for _ in range(100):
        if os.path.exists(f"{munge}/socket") or daemons[0].poll() is not None:
            break
        time.sleep(0.1)
    os.environ["SLURM_CONF"] = runs.write("slurm.conf", f"""ClusterName=cuvette
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={munge}/socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={runs.path("state")}
SlurmdSpoolDir={runs.path("spool-%n")}
SlurmctldPidFile={runs.path("slurmctld.pid")}
SlurmdPidFile={runs.path("slurmd-%n.pid")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
    start("slurmctld", "-D", "-f", os.environ["SLURM_CONF"])
    for node in ("n1", "n2"):
        start("slurmd", "-D", "-f", os.environ["SLURM_CONF"], "-N", node)
    deadline = time.monotonic() + 60
    while asked("sinfo", "-h", "-o", "%D %t").strip() != "2 idle":
        if time.monotonic() > deadline or any(d.poll() is not None for d in daemons):
            print("skipped: Slurm's daemons do not run here (their logs are in", scratch + ")")
            sys.exit(0)
        time.sleep(0.2)

    def plan(name, points, **slurm):
        return runs.write(name, plan_text(["dispatches/saxpy.yaml"], {"grid": {"memory.latency_cycles": {
            "from": 100, "to": 99 + points, "step": 1}}}, slurm={"host": "127.0.0.1", **slurm}))

    both = plan("plan.yaml", 20, workers=2, options=["--nodes=2"])
    runs.check("local", 0, "20 points, 20 finished, 0 failed", "sweep", both, "-o", runs.path("local"))
    runs.check("slurm", 0, "20 points, 20 finished, 0 failed", "sweep", both, "-o", runs.path("slurm"), "--workers", "slurm")
    runs.expect(results_of(runs.path("local")) == results_of(runs.path("slurm")), "other results than of local workers")
    job = asked("scontrol", "show", "job", "1")
    runs.expect("NodeList=n[1-2]" in job and "NumTasks=2" in job and "cuvette-sweep" in job, f"the job: {job}")
    wait_for("the job's end", lambda: not asked("squeue", "-h").strip())

    # Inside of an allocation the workers are its tasks.
    inner = plan("inner.yaml", 12)
    batch = subprocess.run(["sbatch", "-n2", "--wait", "-o", runs.path("batch.log"), "--wrap",
                            f"{cuvette} sweep {inner} -o {runs.path('inner')} --workers slurm"],
                           capture_output=True, text=True, check=False, timeout=200)
    with open(runs.path("batch.log"), encoding="utf-8") as f:
        log = f.read()
    runs.expect(batch.returncode == 0 and "12 finished, 0 failed" in log, f"sbatch: {batch.returncode} {batch.stderr} {log}")

    # A sweep that is killed leaves no job behind and goes on.
    long = plan("long.yaml", 100, workers=2)
    sweep = subprocess.Popen([cuvette, "sweep", long, "-o", runs.path("long"), "--workers", "slurm"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while sweep.poll() is None and len(points_of(runs.path("long"))) < 5:
        time.sleep(0.02)
    sweep.send_signal(signal.SIGKILL)
    runs.expect(sweep.wait() == -signal.SIGKILL, "the sweep had ended")
    before = points_of(runs.path("long"))
    wait_for("the end of a killed sweep's job", lambda: not asked("squeue", "-h").strip(), 120)
    runs.check("goes on", 0, f"100 finished, 0 failed\n.* {100 - len(before)} run, {len(before)} with", "sweep", long, "-o",
               runs.path("long"), "--workers", "slurm")
    runs.expect(all(points_of(runs.path("long"))[n] == row for n, row in before.items()), "finished points ran again")

    # Refusals of srun are reported.
    runs.check("no such partition", 2, "no worker came under Slurm.*srun: error: .*partition", "sweep",
               plan("bad.yaml", 3, options=["--partition=none"]), "-o", runs.path("bad"), "--workers", "slurm")
finally:
    for daemon in reversed(daemons):
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(timeout=20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
    shutil.rmtree(munge, ignore_errors=True)
runs.end(11)
