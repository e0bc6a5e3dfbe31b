# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Workers for the points: threads of this process, an existing Dask cluster, or Dask workers under Slurm."""
import collections
import contextlib
import logging
import os
import re
import shutil
import signal
import subprocess
import sys

from . import point
from .errors import InputError, NotBuilt

WAIT = 120  # seconds for the first worker to come


class Cluster:
    """A Dask client with its workers. `pass_by_value`: workers of other processes, which lack this package."""

    def __init__(self, workers, slurm, scratch):
        """`workers`: a number, an address, or "slurm". Errors: workers that do not come."""
        self._load()
        self.local = self.jobs = None
        self.scratch = scratch  # of this process; workers elsewhere use their own
        if isinstance(workers, int):
            self._start_local(workers)
        elif workers == "slurm":
            self._start_slurm(slurm)
        else:
            self._connect(workers)

    @staticmethod
    def _load():
        try:
            import dask
            import distributed
        except ImportError as e:
            raise NotBuilt(f"the Python module {e.name}, of the Debian package python3-distributed") from None
        dask.config.set({"distributed.worker.memory.spill": False, "distributed.worker.memory.target": False,
                         "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False,
                         "distributed.scheduler.transition-log-length": 1000,
                         "distributed.scheduler.events-log-length": 1000,
                         "distributed.scheduler.allowed-failures": 0, "distributed.comm.timeouts.connect": "15s"})
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        # A warning of the interpreter's about the library's own use of the event loop would be told for every worker.
        logging.captureWarnings(True)
        logging.getLogger("py.warnings").addHandler(logging.NullHandler())
        Cluster.distributed = distributed

    def _start_local(self, count):
        # One process, no socket: a point is a child process anyway, and its thread only waits for it.
        self.local = self.distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=False, dashboard_address=None,
            local_directory=self.scratch, silence_logs=logging.CRITICAL)
        for worker in self.local.workers.values():
            # Histories for debugging, which would keep the last 10,000 tasks and more.
            for holder, name in ((worker.state, "log"), (worker.state, "stimulus_log"),
                                 (worker, "transfer_incoming_log"), (worker, "transfer_outgoing_log")):
                setattr(holder, name, collections.deque(maxlen=100))
        self.client = self.distributed.Client(self.local)
        self.folder = self.scratch

    def _connect(self, address):
        try:
            self.client = self.distributed.Client(address, timeout="15s")
        except (OSError, ValueError, TimeoutError) as e:
            reason = str(e).splitlines()[0] if str(e) else type(e).__name__
            raise InputError(f"error: --workers {address}: no Dask scheduler answers: {reason}") from None
        self._elsewhere()
        if not self.client.nthreads():
            self._wait(f"the scheduler at {address} has no workers")

    def _elsewhere(self):
        import cloudpickle
        cloudpickle.register_pickle_by_value(point)
        self.folder = None

    def _start_slurm(self, slurm):
        srun = shutil.which("srun")
        if not srun:
            raise NotBuilt("srun, of the Debian package slurm-client")
        host = slurm.get("host") or self.distributed.utils.get_ip()
        self.local = self.distributed.LocalCluster(
            n_workers=0, processes=True, host=host, dashboard_address=None, silence_logs=logging.CRITICAL,
            local_directory=self.scratch)
        self.client = self.distributed.Client(self.local)
        self._elsewhere()
        count = slurm.get("workers") or int(os.environ.get("SLURM_NTASKS", "1"))
        worker = [sys.executable, "-I", "-m", "distributed.cli.dask_worker", self.local.scheduler_address,
                  "--nthreads", "1", "--nworkers", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60",
                  "--local-directory", "/tmp"]
        command = [srun, f"--ntasks={count}", "--kill-on-bad-exit=0", "--job-name=cuvette-sweep",
                   *slurm.get("options", []), *worker]
        guard = shutil.which("setpriv")
        if guard:
            command = [guard, "--pdeathsig", "TERM", "--", *command]
        self.log_path = os.path.join(self.scratch, "srun.log")
        with open(self.log_path, "wb") as log:
            self.jobs = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                         start_new_session=True)
        self._wait("no worker came under Slurm")

    def _wait(self, what):
        """Waits for the first worker."""
        for _ in range(WAIT * 4):
            if self.client.nthreads():
                return
            if self.jobs and self.jobs.poll() is not None:
                break
            try:
                self.client.wait_for_workers(1, timeout=0.25)
            except (TimeoutError, self.distributed.TimeoutError):
                continue
        said = self._said()
        self.close()
        raise InputError(f"error: --workers: {what}, expected one within {WAIT} seconds{said}")

    def _said(self):
        """The last line of srun itself."""
        if not self.jobs:
            return ""
        with open(self.log_path, encoding="utf-8", errors="backslashreplace") as f:
            lines = [line.strip() for line in f if re.match(r"(srun|slurm\w*|.*setpriv): ", line)]
        return f"; {lines[-1]}" if lines else ""

    def check(self):
        """Errors: workers are gone, and none can come any more."""
        if self.client.status != "running":
            raise InputError("error: --workers: the Dask scheduler is gone; the same command goes on")
        if self.jobs is not None and self.jobs.poll() is not None and not self.client.nthreads():
            raise InputError(f"error: --workers: srun has ended; the same command goes on{self._said()}")

    def room(self):
        """Number of points that may be on the way: enough that no worker waits for this process."""
        return 2 * max(1, sum(self.client.nthreads().values())) + 2

    def submit(self, program, arguments, timeout, name):
        return self.client.submit(point.run_point, program, arguments, timeout, self.folder, key=name, pure=False)

    def close(self):
        """Ends runs under way, and workers that were started here."""
        point.end_all()
        if self.jobs and self.jobs.poll() is None:
            os.killpg(self.jobs.pid, signal.SIGTERM)
            try:
                self.jobs.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self.jobs.pid, signal.SIGKILL)
        # A scheduler that is gone or busy does not answer in time; why the sweep ends is more than that.
        with contextlib.suppress(TimeoutError, self.distributed.TimeoutError):
            self.client.close(timeout=10)
        if self.local:
            with contextlib.suppress(TimeoutError, self.distributed.TimeoutError):
                self.local.close(timeout=10)
