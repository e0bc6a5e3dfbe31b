#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Equal names of different things in HSAIL programs of one and several modules: every engine gives the same results.

names_test.py CUVETTE SCRATCH ENGINE...
"""
import sys

import yaml

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, scratch, *engines = sys.argv[1:]
runs = Runs(cuvette, scratch)


def module(name, body):
    return f"module &{name}:1:2:$full:$large:$default;\n{body}"


def reads(*addresses):
    """A kernel's body that stores what lies at each of the addresses."""
    text = "ld_kernarg_align(8)_u64 $d0, [%out];\n"
    for i, address in enumerate(addresses):
        segment = "readonly" if "readonly" in address else "global"
        text += f"ld_{segment}_align(4)_u32 $s0, [{address}];\nst_global_align(4)_u32 $s0, [$d0+{4 * i}];\n"
    return text


def kernel(name, body, linkage="prog "):
    return f"{linkage}kernel {name}(kernarg_u64 %out)\n{{\n{body}}};\n"


def calls(*functions):
    text = ""
    for i, f in enumerate(functions):
        text += f"{{\narg_u32 %r;\ncall {f}(%r)();\nld_arg_align(4)_u32 $s0, [%r];\n}}\n"
        text += f"st_global_align(4)_u32 $s0, [$d0+{4 * i}];\n"
    return "ld_kernarg_align(8)_u64 $d0, [%out];\n" + text


def function(name, variable, own="", linkage="", kind="function"):
    return f"{linkage}{kind} {name}(arg_u32 %r)()\n{{\n{own}ld_global_align(4)_u32 $s0, [{variable}];\n" \
           "st_arg_align(4)_u32 $s0, [%r];\n};\n"


LATER = module("later", "decl global_u32 &g;\n" + function("&of_later", "&g", linkage="prog ") + "global_u32 &g = 11;\n")
# Modules, kernel, variables from outside (numbers in a buffer that counts from 20), what the kernel stores.
CASES = {
    "a variable of a kernel and one from outside": (
        [module("m", "decl prog global_u32 &g;\n" + kernel("&k", "global_u32 %g = 5;\n" + reads("%g", "&g")))], "&k", {"&g": 3}, [5, 23]),
    "a variable of a kernel and one of the program": (
        [module("m", kernel("&k", "global_u32 %g = 5;\n" + reads("%g")) + "prog global_u32 &g = 7;\n" + kernel("&l", reads("&g")))],
        "&l", {}, [7]),
    "a variable of a module before one of the program": (
        [module("a", "global_u32 &g = 5;\n" + kernel("&k", reads("&g"))), module("b", "prog global_u32 &g = 6;\n")], "&k", {}, [5]),
    "three modules with a variable": (
        [module("a", "global_u32 &g = 5;\n" + function("&of_a", "&g", linkage="prog ")),
         module("b", "prog global_u32 &g = 6;\n" + function("&of_b", "&g", linkage="prog ")),
         module("c", "global_u32 &g = 8;\ndecl prog function &of_a(arg_u32 %r)();\ndecl prog function &of_b(arg_u32 %r)();\n"
                     + function("&of_c", "&g") + kernel("&k", calls("&of_a", "&of_b", "&of_c")))], "&k", {}, [5, 6, 8]),
    "declared before it is defined, beside another module's": (
        [module("a", "global_u32 &g = 5;\ndecl prog function &of_later(arg_u32 %r)();\n" + function("&of_a", "&g")
                + kernel("&k", calls("&of_a", "&of_later"))), LATER], "&k", {}, [5, 11]),
    "a variable of a module and one from outside": (
        [module("a", "global_u32 &g = 5;\n" + function("&of_a", "&g", linkage="prog ")),
         module("b", "decl prog global_u32 &g;\ndecl prog function &of_a(arg_u32 %r)();\n" + function("&of_b", "&g")
                + kernel("&k", calls("&of_a", "&of_b")))], "&k", {"&g": 2}, [5, 22]),
    "variables of functions and kernels": (
        [module("m", function("&f", "%g", "global_u32 %g = 1;\n") + function("&h", "%g", "global_u32 %g = 2;\n")
                + "global_u32 &g = 3;\n" + function("&i", "&g") + kernel("&k", "global_u32 %g = 4;\n" + calls("&f", "&h", "&i")))],
        "&k", {}, [1, 2, 3]),
    "functions of two modules": (
        [module("a", "global_u32 &g = 5;\n" + function("&f", "&g") + function("&of_a", "&g", linkage="prog ")),
         module("b", "global_u32 &g = 6;\n" + function("&f", "&g")
                + "decl prog function &of_a(arg_u32 %r)();\n" + kernel("&k", calls("&f", "&of_a")))], "&k", {}, [6, 5]),
    "a kernel and its variable": ([module("m", kernel("&k", "global_u32 %k = 5;\n" + reads("%k")))], "&k", {}, [5]),
    "a kernel and a module's variable": (
        [module("a", "global_u32 &k = 5;\n" + function("&f", "&k", linkage="prog ")),
         module("b", "decl prog function &f(arg_u32 %r)();\n" + kernel("&k", calls("&f")))], "&k", {}, [5]),
    "a kernel of the program behind one of a module": (
        [module("a", "global_u32 &g = 5;\n" + kernel("&k", reads("&g"), "")),
         module("b", "global_u32 &g = 6;\n" + kernel("&k", reads("&g")))], "&k", {}, [6]),
    "kernels of two modules": (
        [module("a", "global_u32 &g = 5;\n" + kernel("&k", reads("&g"), "")),
         module("b", "global_u32 &g = 6;\n" + kernel("&k", reads("&g"), ""))], "&k", {}, [5]),
    "a variable like a descriptor": (
        [module("m", "prog global_u32 &k.kd = 6;\nprog global_u32 &x.kd = 7;\n" + kernel("&k", reads("&k.kd", "&x.kd")))],
        "&k", {}, [6, 7]),
    "one from outside like a descriptor": (
        [module("m", "decl prog global_u32 &k.kd;\n" + kernel("&k", reads("&k.kd")))], "&k", {"&k.kd": 4}, [24]),
    "a kernel like a descriptor": (
        [module("m", kernel("&k", "global_u32 %g = 1;\n" + reads("%g")) + kernel("&k.kd", "global_u32 %g = 2;\n" + reads("%g")))],
        "&k.kd", {}, [2]),
    "the one beside it": (
        [module("m", kernel("&k.kd", "global_u32 %g = 2;\n" + reads("%g")) + kernel("&k", "global_u32 %g = 1;\n" + reads("%g")))],
        "&k", {}, [1]),
    "what LLVM gives a meaning": (
        [module("m", "prog global_u32 &llvm.used = 6;\nprog global_u32 &llvm.global.ctors = 7;\n"
                + kernel("&llvm.amdgcn.s.barrier", reads("&llvm.used", "&llvm.global.ctors")))], "&llvm.amdgcn.s.barrier", {}, [6, 7]),
    "the marks of layer hsa": (
        [module("m", "prog global_u32 &cuvette.handles = 6;\nprog global_u32 &cuvette.small.model = 7;\n"
                "prog global_u32 &cuvette.small_model = 8;\n"
                + kernel("&k", reads("&cuvette.handles", "&cuvette.small.model", "&cuvette.small_model")))], "&k", {}, [6, 7, 8]),
    "what the linker defines": (
        [module("m", "prog global_u32 &_DYNAMIC = 6;\nprog global_u32 &_GLOBAL_OFFSET_TABLE_ = 7;\ndecl prog global_u32 &end;\n"
                "decl prog global_u32 &_etext;\n" + kernel("&edata", reads("&_DYNAMIC", "&_GLOBAL_OFFSET_TABLE_", "&end", "&_etext")))],
        "&edata", {"&end": 5, "&_etext": 6}, [6, 7, 25, 26]),
    "addresses of what has equal names": (
        [module("a", "global_u32 &g = 5;\nalloc(agent) global_u64 &at = addr(&g);\nprog global_u32 &at2 = 1;\n"
                + kernel("&k", "global_u32 %at = 9;\n" + "ld_global_align(8)_u64 $d1, [&at];\n" + reads("$d1", "%at"))),
         module("b", "prog global_u32 &g = 6;\n")], "&k", {}, [5, 9]),
}


def dispatch(code, name, externals, expected):
    document = {
        "buffers": {"b": {"type": "u32", "count": 8, "init": {"iota": {"start": 20}}}},
        "code": code,
        "kernel": name,
        "grid": [1],
        "workgroup": [1],
        "args": [{"buffer": {"name": "out", "type": "u32", "count": len(expected)}}],
        "expect": [{"buffer": "out", "values": expected}],
    }
    if externals:
        document["externals"] = {variable: {"ref": "b", "offset": 4 * at} for variable, at in externals.items()}
    return runs.write("case.yaml", yaml.safe_dump(document, sort_keys=False))


for what, (modules, name, externals, expected) in CASES.items():
    files = [runs.write(f"{i}.hsail", text) for i, text in enumerate(modules)]
    for engine in engines:
        runs.check(f"{what} on {engine}", 0, "passed", "run",
                   dispatch(files if len(files) > 1 else files[0], name, externals, expected), "--engine", engine)
    if "golden" in engines:
        for target, version in (("gfx900", "2"), ("gfx908", "5")):
            made = runs.path("names.co")
            if runs.check(f"finalize {what}, v{version}", 0, "", "finalize", *files, "--target", target, "--code-object", version,
                          "-o", made):
                runs.check(f"{what}, v{version}", 0, "passed", "run", dispatch(made, name, externals, expected),
                           "--engine", "golden", "--target", target)

runs.end()
