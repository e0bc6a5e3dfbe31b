# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The run of one point, on whatever host: this file is sent to workers and needs the standard library alone."""
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import zlib

QUIET = {"checks", "executed", "time", "by status", "not exact", "approximate", "fallbacks", "races", "restarted"}
running = set()  # processes of this process's points


def run_point(program, arguments, timeout, folder):
    """One `cuvette run` as a child process. Its statistics come compressed, None where it wrote none.

    `timeout`: seconds, None for no end; `folder`: where temporary files go, None for the system's.
    Never raises for what the run does: {"exit", "seconds", "message", "statistics"}; "exit" is None for a run that
    did not start or was ended.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="point-", dir=folder) as scratch:
            return run_in(scratch, program, arguments, timeout)
    except OSError as e:
        return {"exit": None, "seconds": 0.0, "message": f"cannot run: {e}", "statistics": None}


def run_in(scratch, program, arguments, timeout):
    stats, out, err = (os.path.join(scratch, name) for name in ("stats.json", "out", "err"))
    command = [program, *arguments, "--stats", stats]
    # The child ends with the thread that started it, also when this process is killed.
    guard = shutil.which("setpriv")
    if guard:
        command = [guard, "--pdeathsig", "KILL", "--", *command]
    start = time.monotonic()
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file,
                                   start_new_session=True)
    running.add(process)
    late = threading.Event()
    timer = threading.Timer(timeout, end, (process, late)) if timeout is not None else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        status = process.wait()
    finally:
        running.discard(process)
        if timer:
            timer.cancel()
    seconds = time.monotonic() - start
    if late.is_set():
        return {"exit": None, "seconds": seconds, "message": f"not done after {timeout} seconds", "statistics": None}
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
        return {"exit": None, "seconds": seconds, "message": f"ended by signal {name}", "statistics": None}
    return {"exit": status, "seconds": seconds, "message": "" if status == 0 else message(status, out, err),
            "statistics": packed(stats)}


def end(process, late=None):
    """Ends a process with its children."""
    if late is not None:
        late.set()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_all():
    """Ends every run of this process."""
    for process in list(running):
        end(process)


def packed(path):
    try:
        with open(path, "rb") as f:
            return zlib.compress(f.read(), 6)
    except FileNotFoundError:
        return None


def message(status, out, err):
    """Reason why a run failed, in a line: its first error, or the text of its summary beside numbers."""
    for line in lines(err):
        return line
    for line in lines(out):
        label, text = line[:17].strip(), line[17:].strip()
        if line.startswith("  ") and label and label not in QUIET:
            return f"{label}: {text}"
    return f"status {status}"


def lines(path):
    with open(path, "rb") as f:
        text = f.read(20000).decode("utf-8", "backslashreplace")
    return [line for line in text.splitlines() if line.strip()]
