#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Dispatches against what their kernels promise (HSAIL PRM 13.5): one that keeps to it runs and one that does not is
refused with status 2, on every engine, from text and from code objects of each version, and
from clang's objects with the keys that LLVM has for it.

launch_limits_test.py CUVETTE CLANG_OBJECTS SCRATCH
"""
import os
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, objects, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
runs = Runs(cuvette, scratch)
ENGINES = ["hsail", "golden", "lt", "ca"]
CONFIG = {"lt": ["--config", "small"], "ca": ["--config", "small"]}


def size(directive, asked, found, dimension):
    return f"{directive} asks for {asked}, the dispatch has {found} in dimension {dimension}"


def flat_workgroup(most, found):
    return f"maxflatworkgroupsize allows {most} work-items in a work-group, the dispatch has {found}"


def multiple(of, found, dimension):
    return f"requirenopartialworkgroups asks for a multiple of {of} work-items in dimension {dimension}, the dispatch has {found}"


def dynamic_group(most, found):
    return f"maxdynamicgroupsize allows {most} bytes of dynamic group memory, the dispatch has {found}"


# directives; then dispatches: grid, work-group, the message, or none where it has to run, dynamic group bytes if any.
ROWS = [
    ("requiredworkgroupsize 32, 2, 1;", [
        ([64, 4], [32, 2], None),
        ([64, 4], [64, 1], size("requiredworkgroupsize", 32, 64, 0)),
        ([64, 4], [32, 1], size("requiredworkgroupsize", 2, 1, 1))]),
    ("requiredworkgroupsize WAVESIZE, 1, 1;", [
        ([64], [64], None),
        ([64], [32], size("requiredworkgroupsize", 64, 32, 0))]),
    ("requiredworkgroupsize 64, 32, 1;", [
        ([64, 32], [64, 16], size("requiredworkgroupsize", 32, 16, 1))]),
    ("requiredgridsize 96, 1, 1;", [
        ([96], [32], None),
        ([64], [32], size("requiredgridsize", 96, 64, 0))]),
    ("requireddim 2;", [
        ([64, 1], [64, 1], None),
        ([64], [64], "requireddim asks for 2 dimensions, the dispatch has 1")]),
    ("maxflatworkgroupsize WAVESIZE;", [
        ([64, 2], [32, 2], None),
        ([64, 2], [64, 2], flat_workgroup(64, 128))]),
    ("maxflatgridsize 128;", [
        ([64, 2], [64], None),
        ([65, 2], [64], "maxflatgridsize allows 128 work-items in the grid, the dispatch has 130")]),
    ("requirenopartialworkgroups;", [
        ([128], [64], None),
        ([64, 3], [32, 2], multiple(2, 3, 1))]),
    ("requirenopartialwavefronts;", [
        ([64, 3], [64, 2], None),
        ([96], [64], "requirenopartialwavefronts asks for work-groups of a multiple of 64 work-items, the dispatch has "
                     "one of 32")]),
    ("maxdynamicgroupsize 8;", [
        ([64], [64], None, 8),
        ([64], [64], dynamic_group(8, 12), 12)]),
    ("maxdynamicgroupsize 0;", [
        ([64], [64], None),
        ([64], [64], dynamic_group(0, 4), 4)]),
    ("requireddim 1; maxflatworkgroupsize 128; requirenopartialworkgroups;", [
        ([256], [128], None),
        ([100], [64], multiple(64, 100, 0))]),
]


def expect(arguments, message, what):
    """One line on standard error and status 2 with a message, otherwise a run without complaint."""
    status, out, err = runs.run(*arguments)
    good = status == 0 if message is None else status == 2 and message in err and err.count("\n") == 1
    return runs.expect(good, f"{what}: status {status}, expected {message or 'a run'}: {err}{out}")


def module(directives, function=""):
    body = "call &f()();" if function else ""
    before = f"function &f()()\n{{\n{function}\nret;\n}};\n" if function else ""
    block = f"{{ {body} }}" if body else ""
    return (f"module &m:1:1:$full:$large:$default;\n{before}prog kernel &k(kernarg_u64 %out)\n{{\n{directives}\n"
            "ld_kernarg_align(8)_u64 $d0, [%out];\nst_global_align(4)_u32 7, [$d0];\n"
            f"{block}\n}};\n")


def dispatch(name, code, grid, workgroup, group_bytes=0):
    return runs.write(name, f"code: {code}\nkernel: \"&k\"\ngrid: {grid}\nworkgroup: {workgroup}\n"
                            f"group_bytes: {group_bytes}\nargs:\n- buffer: {{name: out, type: u32, count: 1}}\n"
                            "expect:\n- {buffer: out, values: [7]}\n")


def rows():
    for number, (directives, dispatches) in enumerate(ROWS):
        for where in ["kernel", "function"]:
            # 13.5 wants what is required of whole groups and wavefronts in the kernel too.
            if where == "function" and "nopartial" in directives:
                continue
            text = module(directives) if where == "kernel" else module("", directives)
            source = runs.write(f"{where}{number}.hsail", text)
            forms = [(source, "hsail"), (source, "golden")]
            if where == "kernel":
                forms += [(source, "lt"), (source, "ca")]
                for version, target in [("2", "gfx900"), ("4", "gfx908"), ("5", "gfx90a")]:
                    out = runs.path(f"{where}{number}.v{version}.co")
                    if expect(["finalize", source, "--target", target, "--code-object", version, "-o", out], None,
                              f"finalize {directives}"):
                        forms.append((out, f"golden --target {target}"))
            for code, engine in forms:
                for i, (grid, workgroup, message, *group_bytes) in enumerate(dispatches):
                    path = dispatch(f"{where}{number}_{i}.yaml", code, grid, workgroup, *group_bytes)
                    arguments = engine.split()
                    expect(["run", path, "--engine"] + arguments + CONFIG.get(engine, []), message,
                           f"{directives} in a {where}, {os.path.basename(code)} on {engine}, grid {grid}")


def clang():
    """Kernels of OpenCL C: reqd_work_group_size(256, 1, 1), the 256 work-items that clang promises for every kernel
    without it, and whole work-groups where it is told so (LLVM, AMDGPUUsage, code object v5 metadata)."""
    args = "args:\n- buffer: {name: in, type: s32, count: 2048}\n- buffer: {name: out, type: s32, count: 64}\n"
    cases = [
        ("reduce", "reduce", [512], [256], None),
        ("reduce", "reduce", [512], [128], size("requiredworkgroupsize", 256, 128, 0)),
        ("reduce", "reduce_dynamic", [512], [256], None),
        ("reduce", "reduce_dynamic", [1024], [512], flat_workgroup(256, 512)),
        ("reduce", "reduce_dynamic", [100], [64], None),
        ("reduce_uniform", "reduce_dynamic", [128], [64], None),
        ("reduce_uniform", "reduce_dynamic", [100], [64], multiple(64, 100, 0)),
    ]
    for i, (file, kernel, grid, workgroup, message) in enumerate(cases):
        code = os.path.join(objects, f"{file}.gfx908.v5.co")
        more = "- local: 4096\n" if kernel == "reduce_dynamic" else ""
        path = runs.write(f"clang{i}.yaml", f"code: {code}\nkernel: {kernel}\ngrid: {grid}\nworkgroup: {workgroup}\n"
                                            f"{args}{more}")
        for engine in ENGINES[1:]:
            expect(["run", path, "--engine", engine] + CONFIG.get(engine, []), message,
                   f"{file}, clang's {kernel} on {engine}, grid {grid}, work-group {workgroup}")


def machine():
    """Launches that no machine can start: status 2, the same words at the same key of the dispatch file, on every engine."""
    def told(what, text, message, engines=ENGINES, options=()):
        """The key's value begins where the text has @@."""
        before = text[:text.index("@@")]
        place = f":{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}: error: "
        path = runs.write("machine.yaml", text.replace("@@", ""))
        for engine in engines:
            status, out, err = runs.run("run", path, "--engine", engine, *(options or CONFIG.get(engine, [])))
            runs.expect(status == 2 and err == path + place + message + "\n",
                        f"{what} on {engine}: status {status}, expected 2 and {place}{message}: {err}{out}")

    own = "group_u32 %few[4];\n"
    runs.write("plain.hsail", module(""))
    runs.write("group.hsail", module("group_u8 %many[40000];\nlda_group_u32 $s0, [%many];\nst_group_u8 0, [%many];\n"))
    runs.write("few.hsail", module(own + "st_group_u32 0, [%few];\n"))
    rest = "args:\n- buffer: {name: out, type: u32, count: 1}\n"
    plain = "code: plain.hsail\nkernel: \"&k\"\n"
    big = 4294967295
    told("too many work-groups", f"{plain}grid: @@[{big}, {big}, {big}]\nworkgroup: [1]\n{rest}",
         f"{big} x {big} x {big} work-groups, expected at most 68719476736")
    told("one row of work-groups too many", f"{plain}grid: @@[65536, 65536, 1088]\nworkgroup: [1, 1, 64]\n{rest}",
         "65536 x 65536 x 17 work-groups, expected at most 68719476736")
    told("a grid of 0", f"{plain}grid: [64, @@0]\nworkgroup: [64]\n{rest}",
         "expected an integer from 1 to 4294967295, found '0'")
    told("a work-group that is too wide", f"{plain}grid: [4096]\nworkgroup: [@@2048]\n{rest}",
         "expected an integer from 1 to 1024, found '2048'")
    told("too many work-items", f"{plain}grid: [64, 64]\nworkgroup: @@[64, 32]\n{rest}",
         "work-group of 2048 work-items, expected at most 1024")
    unit = "expected at most {}, what a compute unit has"
    told("group memory of the dispatch", f"{plain}grid: [64]\nworkgroup: [64]\ngroup_bytes: @@65540\n{rest}",
         "kernel 'k' has 65540 bytes of group memory (0 of its own, 65540 of the dispatch), " + unit.format(65536))
    told("group memory of both", "code: few.hsail\nkernel: \"&k\"\ngrid: [64]\nworkgroup: [64]\n"
         f"group_bytes: @@65536\n{rest}",
         "kernel 'k' has 65552 bytes of group memory (16 of its own, 65536 of the dispatch), " + unit.format(65536))
    # A machine with half of it.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config", "small.yaml")) as f:
        half = runs.write("half.yaml", f.read().replace("lds_bytes: {value: 65536", "lds_bytes: {value: 32768"))
    told("group memory of the kernel", f"code: group.hsail\nkernel: @@\"&k\"\ngrid: [64]\nworkgroup: [64]\n{rest}",
         "kernel 'k' has 40000 bytes of group memory (40000 of its own, 0 of the dispatch), " + unit.format(32768),
         options=["--config", half])
    reduce = os.path.join(objects, "reduce.gfx908.v5.co")
    more = "args:\n- buffer: {name: in, type: s32, count: 64}\n- buffer: {name: out, type: s32, count: 1}\n- "
    told("group memory of an argument", f"code: {reduce}\nkernel: reduce_dynamic\ngrid: [64]\nworkgroup: [64]\n"
         f"{more}@@local: 40000\n",
         "kernel 'reduce_dynamic' has 40000 bytes of group memory (0 of its own, 40000 of the dispatch), " +
         unit.format(32768), ENGINES[1:], ["--config", half])
    wide = f"code: {os.path.join(objects, 'wide.gfx908.co')}\n"
    told("registers", f"{wide}kernel: wide_registers\ngrid: [1024]\nworkgroup: @@[1024]\n",
         "a work-group of 16 waves of kernel 'wide_registers' with 128 VGPRs and 16 SGPRs each, expected at most 8 waves, "
         "what a compute unit has registers and wave slots for", ENGINES[1:])
    told("scratch of a work-item", f"{wide}kernel: @@wide_scratch\ngrid: [64]\nworkgroup: [64]\n",
         "kernel 'wide_scratch' has 131060 bytes of scratch for a work-item (131060 of its own, 0 of stack_bytes), "
         "expected at most 131056", ENGINES[1:])
    told("scratch of all", f"{wide}kernel: some_scratch\ngrid: @@[1048577]\nworkgroup: [256]\n",
         "16388 waves with 262144 bytes of scratch each, expected at most 4294967296 together", ENGINES[1:])
    # A launch that just fits runs.
    fits = runs.write("fits.yaml", f"{wide}kernel: wide_registers\ngrid: [512]\nworkgroup: [512]\n")
    most = runs.write("most.yaml", f"{plain}grid: [64]\nworkgroup: [64]\ngroup_bytes: 65536\n{rest}")
    for engine in ENGINES:
        expect(["run", most, "--engine", engine] + CONFIG.get(engine, []), None, f"all group memory on {engine}")
        if engine != "hsail":
            expect(["run", fits, "--engine", engine] + CONFIG.get(engine, []), None, f"all registers on {engine}")


rows()
if os.path.isdir(objects):
    clang()
    machine()
else:
    runs.expect(False, f"no code objects in {objects}")
runs.end(least=240)
