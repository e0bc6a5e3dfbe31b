#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""suite.py: templates, data that are the same each time, and bad tables.

suite_table_test.py SUITE.py SUITE.yaml REFERENCE BUILT SCRATCH
"""
import os
import shutil
import subprocess
import sys

import yaml

script, table, reference, built, scratch = sys.argv[1:6]
shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(f"{scratch}/kernels")
os.makedirs(f"{scratch}/reference")
sys.dont_write_bytecode = True  # the source tree stays as it is
failures = []
checks = 0

ROW = "{name: k, class: c, source: k.cl, target: gfx908, expect: k.py, test: {n: 3}, bench: {n: 5}}"
TEMPLATE = """code: ${code}
dispatches:
%for i in range(n - 1)
%for j in (i, n)
  - [${i}, ${j * 2}]
%end
%end
expect:
  - {buffer: x, file: x.bin}
order_dependent: true
"""
REFERENCE = """def k(case):
    case.write("x.bin", bytes(case.sizes["n"]))
"""


def expect(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)


def write(name, text):
    with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
        file.write(text)


def run(*arguments):
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def make(suite, kernel, folder, size="test"):
    return run("make", suite, kernel, size, "--code", "/k.co", "--reference", reference, "-o", folder)


def contents(folder):
    out = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            out[name] = file.read()
    return out


def refused(what, message, row=ROW, template=TEMPLATE, source=REFERENCE):
    """One line that says what is wrong, status 2."""
    write("kernels/suite.yaml", f"kernels:\n  - {row}\n")
    write("kernels/k.yaml", template)
    write("reference/k.py", source)
    status, out, err = make(f"{scratch}/kernels/suite.yaml", "k", f"{scratch}/out")
    expect(status == 2 and message in err and len(err.splitlines()) == 1 and "error: " in err,
           f"{what}: exit {status}: {out + err}")


# A template, with loops in loops; without its expectations for the clock.
write("kernels/suite.yaml", f"kernels:\n  - {ROW}\n")
write("kernels/k.cl", "")
write("kernels/k.yaml", TEMPLATE)
write("reference/k.py", REFERENCE)
status, out, err = make(f"{scratch}/kernels/suite.yaml", "k", f"{scratch}/out")
expect(status == 0, f"a template: exit {status}: {out + err}")
made = contents(f"{scratch}/out")
expect(made["x.bin"] == b"\0\0\0", f"data: {made}")
document = yaml.safe_load(made["k.yaml"])
expect(document["dispatches"] == [[0, 0], [0, 6], [1, 2], [1, 6]] and document["code"] == "/k.co" and
       document["expect"] == [{"buffer": "x", "file": "x.bin"}], f"expanded: {document}")
del document["expect"]
expect(yaml.safe_load(made["k.timed.yaml"]) == document, f"for the clock: {made['k.timed.yaml']}")

refused("a key missing", "expected the keys", ROW.replace("class: c, ", ""))
refused("a key too much", "expected the keys", ROW.replace("class: c", "class: c, color: red"))
refused("a bad name", "is no name", ROW.replace("name: k", "name: K-2"))
refused("twice", "there twice", f"{ROW}\n  - {ROW}")
refused("other sizes", "expect the same names", ROW.replace("bench: {n", "bench: {m"))
refused("a size of 0", "positive integers", ROW.replace("n: 3", "n: 0"))
refused("no source", "no file", ROW.replace("k.cl", "none.cl"))
refused("a bad expression", "'n +'", template=TEMPLATE.replace("${j * 2}", "${n +}"))
refused("an unknown name", "'m'", template=TEMPLATE.replace("${j * 2}", "${m}"))
refused("an open loop", "%for without %end", template=TEMPLATE.replace("%end\n", "", 1))
refused("no expectation", "expected a block 'expect:'", template="code: ${code}\n")
refused("a reference without the kernel", "no function 'k'", source="")
status, out, err = make(table, "no_such_kernel", f"{scratch}/out")
expect(status == 2 and "no kernel 'no_such_kernel'" in err, f"an unknown kernel: exit {status}: {err}")
status, out, err = run("list", f"{scratch}/none.yaml")
expect(status == 2 and len(err.splitlines()) == 1 and "none.yaml: error: " in err, f"no table: exit {status}: {err}")

# The program refuses what it does not know.
for arguments in (["no_such_kernel", scratch], ["scan", scratch], ["scan", scratch, "blocks"],
                  ["scan", f"{scratch}/none", "blocks=1"], []):
    done = subprocess.run([reference, *arguments], capture_output=True, text=True, check=False)
    expect(done.returncode == 2 and len(done.stderr.splitlines()) == 1, f"{arguments}: {done}")

# Every kernel's data are the same each time: those of the build tree, where it has them, or a second time.
with open(table, encoding="utf-8") as rows:
    kernels = [row["name"] for row in yaml.safe_load(rows)["kernels"]]
expect(len(kernels) >= 30, f"{len(kernels)} kernels")
for kernel in kernels:
    other = f"{built}/{kernel}"
    if not os.path.isdir(other):
        other = f"{scratch}/second/{kernel}"
        make(table, kernel, other)
    status, out, err = make(table, kernel, f"{scratch}/first/{kernel}")
    data = {name: data for name, data in contents(f"{scratch}/first/{kernel}").items() if name.endswith(".bin")}
    there = contents(other)
    expect(status == 0 and data, f"{kernel}: exit {status}: {out + err}")
    expect(all(there.get(name) == bytes_ for name, bytes_ in data.items()), f"{kernel}: other data")

print(f"{checks} checks, {len(failures)} failed")
for failure in failures[:30]:
    print("FAILED:", failure[:1000])
sys.exit(1 if failures else 0)
