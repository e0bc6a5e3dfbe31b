#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The finalizer as a module of the program: what needs none works without it, what needs it says where it was looked for.

finalizer_module_test.py CUVETTE DISPATCHES PREFIX

PREFIX: of the build, where an installed module counts, too.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from program_runs import Runs  # noqa: E402

cuvette, dispatches, prefix = sys.argv[1:4]
folder = tempfile.TemporaryDirectory()  # outside of the build tree, which has a module
scratch = folder.name
tree = os.path.join(scratch, "tree")
os.makedirs(os.path.join(tree, "bin"))
own = os.path.join(tree, "bin", "cuvette")
build = os.path.dirname(os.path.dirname(cuvette))
shutil.copytree(os.path.join(build, "share", "cuvette", "config"), os.path.join(tree, "share", "cuvette", "config"))
shutil.copy2(cuvette, own)
module = os.path.join(tree, "lib", "cuvette", "finalizer.so")
built = os.path.join(build, "lib", "cuvette", "finalizer.so")
runs = Runs(own, scratch)

with open(cuvette, "rb") as f:
    runs.expect(b"libLLVM" not in f.read(), "the program is linked with LLVM")

hsail = os.path.join(dispatches, "saxpy.yaml")
text = os.path.join(dispatches, "..", "kernels", "saxpy.hsail")
runs.expect(subprocess.run([cuvette, "finalize", text, "-o", runs.path("saxpy.co")], check=False).returncode == 0,
            "the code object")
shutil.copy2(os.path.join(dispatches, "saxpy.expected.bin"), scratch)
with open(hsail, encoding="ascii") as f:
    machine_code = runs.write("machine_code.yaml", f.read().replace("../kernels/saxpy.hsail", "saxpy.co").replace("&", ""))


def check(what, code, pattern):
    """Everything that asks for the finalizer."""
    runs.check(f"{what}: run", code, pattern, "run", hsail, "--engine", "golden")
    output = runs.path("out.co")
    runs.check(f"{what}: finalize", code, pattern, "finalize", text, "-o", output)
    runs.expect(os.path.exists(output) == (code == 0), f"{what}: the output")
    status, out, err = runs.run("probe", input='{"id": 1, "target": "gfx908", "asm": ["s_mov_b32 s0, 7"]}\n')
    runs.expect(re.search(pattern, out + err), f"{what}: probe: {status}, {out}{err}")


if not os.path.exists(os.path.join(prefix, "lib", "cuvette", "finalizer.so")):
    check("no module", 2, r"finalizer\.so: (error: )?no such file, expected the finalizer: build the target cuvette_finalizer_module")
runs.check("the interpreter", 0, "passed on hsail", "run", hsail, "--engine", "hsail")
runs.check("machine code", 0, "passed on golden", "run", machine_code, "--engine", "golden")

os.makedirs(os.path.dirname(module))
with open(module, "w", encoding="ascii") as f:
    f.write("no module\n")
check("text for a module", 2, r"finalizer\.so: (error: )?not a shared module that can be loaded")
shutil.copy2(built, module)
check("the module", 0, "")
runs.end(12)
