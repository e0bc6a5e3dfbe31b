#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Dispatches against what their kernels promise (HSAIL PRM 13.5): one that keeps to it runs and one that does not is
refused with status 2, on every engine, from text and from code objects of each version, and
from clang's objects with the keys that LLVM has for it.

launch_limits_test.py CUVETTE CLANG_OBJECTS SCRATCH
"""
import os
import subprocess
import sys

cuvette, objects, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(scratch, exist_ok=True)
ENGINES = ["hsail", "golden", "lt", "ca"]
CONFIG = {"lt": ["--config", "small"], "ca": ["--config", "small"]}
runs, failures = 0, []

# directives; then dispatches: grid, work-group, dynamic group bytes, and the message, or none where it has to run.
ROWS = [
    ("requiredworkgroupsize 32, 2, 1;", [
        ("[64, 4]", "[32, 2]", 0, None),
        ("[64, 4]", "[64, 1]", 0, "requiredworkgroupsize asks for 32, the dispatch has 64 in dimension 0"),
        ("[64, 4]", "[32, 1]", 0, "requiredworkgroupsize asks for 2, the dispatch has 1 in dimension 1")]),
    ("requiredworkgroupsize WAVESIZE, 1, 1;", [
        ("[64]", "[64]", 0, None),
        ("[64]", "[32]", 0, "requiredworkgroupsize asks for 64, the dispatch has 32 in dimension 0")]),
    ("requiredworkgroupsize 64, 32, 1;", [
        ("[64, 32]", "[64, 16]", 0, "requiredworkgroupsize asks for 32, the dispatch has 16 in dimension 1")]),
    ("requiredgridsize 96, 1, 1;", [
        ("[96]", "[32]", 0, None),
        ("[64]", "[32]", 0, "requiredgridsize asks for 96, the dispatch has 64 in dimension 0")]),
    ("requireddim 2;", [
        ("[64, 1]", "[64, 1]", 0, None),
        ("[64]", "[64]", 0, "requireddim asks for 2 dimensions, the dispatch has 1")]),
    ("maxflatworkgroupsize WAVESIZE;", [
        ("[64, 2]", "[32, 2]", 0, None),
        ("[64, 2]", "[64, 2]", 0, "maxflatworkgroupsize allows 64 work-items in a work-group, the dispatch has 128")]),
    ("maxflatgridsize 128;", [
        ("[64, 2]", "[64]", 0, None),
        ("[65, 2]", "[64]", 0, "maxflatgridsize allows 128 work-items in the grid, the dispatch has 130")]),
    ("requirenopartialworkgroups;", [
        ("[128]", "[64]", 0, None),
        ("[64, 3]", "[32, 2]", 0,
         "requirenopartialworkgroups asks for a multiple of 2 work-items in dimension 1, the dispatch has 3")]),
    ("requirenopartialwavefronts;", [
        ("[64, 3]", "[64, 2]", 0, None),
        ("[96]", "[64]", 0, "requirenopartialwavefronts asks for work-groups of a multiple of 64 work-items, the "
                            "dispatch has one of 32")]),
    ("maxdynamicgroupsize 8;", [
        ("[64]", "[64]", 8, None),
        ("[64]", "[64]", 12, "maxdynamicgroupsize allows 8 bytes of dynamic group memory, the dispatch has 12")]),
    ("maxdynamicgroupsize 0;", [
        ("[64]", "[64]", 0, None),
        ("[64]", "[64]", 4, "maxdynamicgroupsize allows 0 bytes of dynamic group memory, the dispatch has 4")]),
    ("requireddim 1; maxflatworkgroupsize 128; requirenopartialworkgroups;", [
        ("[256]", "[128]", 0, None),
        ("[100]", "[64]", 0, "requirenopartialworkgroups asks for a multiple of 64 work-items in dimension 0")]),
]


def write(name, text):
    path = os.path.join(scratch, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def expect(arguments, message, what):
    """One line on standard error and status 2 with a message, otherwise a run without complaint."""
    global runs
    runs += 1
    done = subprocess.run([cuvette] + arguments, capture_output=True, text=True, check=False)
    good = done.returncode == 0
    if message is not None:
        good = done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1
    if not good:
        failures.append(f"{what}: status {done.returncode}, expected {message or 'a run'}: {done.stderr}{done.stdout}")
    return good


def module(directives, function=""):
    body = "call &f()();" if function else ""
    before = f"function &f()()\n{{\n{function}\nret;\n}};\n" if function else ""
    block = f"{{ {body} }}" if body else ""
    return (f"module &m:1:1:$full:$large:$default;\n{before}prog kernel &k(kernarg_u64 %out)\n{{\n{directives}\n"
            "ld_kernarg_align(8)_u64 $d0, [%out];\nst_global_align(4)_u32 7, [$d0];\n"
            f"{block}\n}};\n")


def dispatch(name, code, grid, workgroup, group_bytes):
    return write(name, f"code: {code}\nkernel: \"&k\"\ngrid: {grid}\nworkgroup: {workgroup}\n"
                       f"group_bytes: {group_bytes}\nargs:\n- buffer: {{name: out, type: u32, count: 1}}\n"
                       "expect:\n- {buffer: out, values: [7]}\n")


def rows():
    for number, (directives, dispatches) in enumerate(ROWS):
        for where in ["kernel", "function"]:
            # 13.5 wants what is required of whole groups and wavefronts in the kernel too.
            if where == "function" and "nopartial" in directives:
                continue
            text = module(directives) if where == "kernel" else module("", directives)
            source = write(f"{where}{number}.hsail", text)
            forms = [(source, "hsail"), (source, "golden")]
            if where == "kernel":
                forms += [(source, "lt"), (source, "ca")]
                for version, target in [("2", "gfx900"), ("4", "gfx908"), ("5", "gfx90a")]:
                    out = os.path.join(scratch, f"{where}{number}.v{version}.co")
                    if expect(["finalize", source, "--target", target, "--code-object", version, "-o", out], None,
                              f"finalize {directives}"):
                        forms.append((out, f"golden --target {target}"))
            for code, engine in forms:
                for i, (grid, workgroup, group_bytes, message) in enumerate(dispatches):
                    path = dispatch(f"{where}{number}_{i}.yaml", code, grid, workgroup, group_bytes)
                    arguments = engine.split()
                    expect(["run", path, "--engine"] + arguments + CONFIG.get(engine, []), message,
                           f"{directives} in a {where}, {os.path.basename(code)} on {engine}, grid {grid}")


def clang():
    """Kernels of OpenCL C: reqd_work_group_size(256, 1, 1), the 256 work-items that clang promises for every kernel
    without it, and whole work-groups where it is told so (LLVM, AMDGPUUsage, code object v5 metadata)."""
    args = "args:\n- buffer: {name: in, type: s32, count: 2048}\n- buffer: {name: out, type: s32, count: 64}\n"
    local = "- local: 4096\n"
    cases = [
        ("reduce", "[512]", "[256]", "", None),
        ("reduce", "[512]", "[128]", "", "requiredworkgroupsize asks for 256, the dispatch has 128 in dimension 0"),
        ("reduce_dynamic", "[512]", "[256]", local, None),
        ("reduce_dynamic", "[1024]", "[512]", local,
         "maxflatworkgroupsize allows 256 work-items in a work-group, the dispatch has 512"),
        ("reduce_dynamic", "[100]", "[64]", local, None),
        ("uniform", "[128]", "[64]", local, None),
        ("uniform", "[100]", "[64]", local,
         "requirenopartialworkgroups asks for a multiple of 64 work-items in dimension 0, the dispatch has 100"),
    ]
    for i, (kernel, grid, workgroup, more, message) in enumerate(cases):
        code = os.path.join(objects, "reduce.gfx908.v5.co")
        if kernel == "uniform":
            code = os.path.join(objects, "reduce_uniform.gfx908.v5.co")
            kernel = "reduce_dynamic"
        path = write(f"clang{i}.yaml", f"code: {code}\nkernel: {kernel}\ngrid: {grid}\nworkgroup: {workgroup}\n"
                                       f"{args}{more}")
        for engine in ENGINES[1:]:
            expect(["run", path, "--engine", engine] + CONFIG.get(engine, []), message,
                   f"clang's {kernel} on {engine}, grid {grid}, work-group {workgroup}")


rows()
if os.path.isdir(objects):
    clang()
else:
    failures.append(f"no code objects in {objects}")
print(f"{runs} runs, {len(failures)} failed")
for failure in failures[:20]:
    print(failure)
sys.exit(1 if failures or runs < 200 else 0)
