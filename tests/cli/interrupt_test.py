# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""usage: interrupt_test.py CUVETTE SCRATCH

Ctrl-C ends `cuvette run` with its whole report; on a terminal a line tells how far it is, and none is printed elsewhere.
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import time

cuvette, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
scratch.mkdir(parents=True, exist_ok=True)
endless = scratch / "endless.yaml"
endless.write_text("""\
code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &endless()
    {
      @again:
      workitemid_u32 $s0, 0;
      br @again;
    };
kernel: "&endless"
grid: [256]
workgroup: [64]
""")


def expect(condition, what, *output):
    if not condition:
        sys.exit("FAILED: " + what + "\n" + "\n".join(output))


for engine in ["golden", "lt", "ca"]:
    stats = scratch / f"{engine}.json"
    stats.unlink(missing_ok=True)
    options = ["--engine", engine, "--config", "small", "--stats", str(stats), "--watchdog", str(10**12)]
    child = subprocess.Popen([cuvette, "run", str(endless), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    out, err = child.communicate(timeout=120)
    expect(time.monotonic() - started < 60, f"{engine}: the end took long")
    expect(child.returncode == 1, f"{engine} ended with {child.returncode}", out, err)
    expect(re.search(r"interrupted (at cycle|after) [1-9]\d*", out), f"{engine}: no word of the interruption", out, err)
    expect("FAILED" in out and "deadlock" not in out and "watchdog" not in out, f"{engine}: verdict", out)
    expect("\r" not in out + err, f"{engine}: a progress line without a terminal", err)
    dispatch = json.loads(stats.read_text())["dispatches"][0]
    expect(dispatch["waves"] == 4 and dispatch["instructions"]["total"] > 0, f"{engine}: statistics", str(dispatch))

# Files behind the one that was interrupted are not run.
child = subprocess.Popen([cuvette, "run", str(endless), str(endless), "--engine", "golden", "--watchdog", str(10**12)], stdout=subprocess.PIPE, text=True)
time.sleep(1)
child.send_signal(signal.SIGINT)
out, _ = child.communicate(timeout=120)
expect(child.returncode == 1 and out.count("interrupted") == 1, "a second file", out)

# The progress line, on a terminal.
master, slave = pty.openpty()
child = subprocess.Popen([cuvette, "run", str(endless), "--engine", "lt", "--config", "small", "--watchdog", str(10**12)], stdout=subprocess.PIPE,
                         stderr=slave, text=True)
os.close(slave)
line, limit = b"", time.monotonic() + 60
while b"Mcycles/s" not in line and time.monotonic() < limit:
    if select.select([master], [], [], 1)[0]:
        line += os.read(master, 4096)
child.send_signal(signal.SIGINT)
out, _ = child.communicate(timeout=120)
expect(re.search(rb"\r100 % of 4 waves begun, \d+\.\d\d Mcycles/s", line), "progress", repr(line))
expect("interrupted at cycle" in out, "the end on a terminal", out)
print("passed")
