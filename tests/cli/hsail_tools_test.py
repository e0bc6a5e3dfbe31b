#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Modules that asm, disasm and validate take with a warning and finalize and run refuse (docs/reference/decisions.md
D71), vendor instructions (D73), and input that is nested or chained without end: one clear message and a documented status, never a crash.

hsail_tools_test.py CUVETTE SCRATCH
"""
import os
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, scratch = (os.path.abspath(a) for a in sys.argv[1:3])
runs = Runs(cuvette, scratch)


def module(body, before="", profile="full", version="1:0"):
    return f"module &m:{version}:${profile}:$large:$default;\n{before}prog kernel &k()\n{{\n{body}\n}};\n"


def dispatch(name, code):
    return runs.write(name + ".yaml", f"code: {code}\nkernel: \"&k\"\ngrid: [1]\nworkgroup: [1]\nargs: []\n")


IMAGE = ("extension \"IMAGE\";\nreadonly_roimg &i = roimg(geometry = 2d, width = 4, height = 4, channel_type = float, "
         "channel_order = srgb);\n")
# Name, text, place and identifier.
MACHINE = [
    ("size", module("ret;", "global_u8 &x[1073741825];\n"), "2:1", "limit"),
    ("image", module("ret;", IMAGE), "3:1", "image-constant"),
    ("directives", module("requireddim 1;\nrequireddim 2;"), "5:1", "control-conflict"),
    ("exceptions", module("enablebreakexceptions 1;", profile="base"), "4:1", "base-profile"),
    ("extension", module("ret;", "extension \"foo:bar\";\n"), "2:1", "extension-name"),
    ("address", module("ld_spill_u32 $s0, [8];"), "4:19", "address-unnamed"),
    ("fbarrier", module("fbarrier %b;\nwaitfbar_width(4) %b;"), "5:1", "fbarrier-width"),
]
for name, text, place, rule in MACHINE:
    source = runs.write(name + ".hsail", text)
    brig = runs.path(name + ".brig")
    warning = rf"{name}\.hsail:{place}: warning: .*\[{rule}\]\n"
    error = rf"{name}\.hsail:{place}: error: .*\[{rule}\]\n"
    runs.check(f"{name}: validate", 0, warning, "validate", source)
    runs.check(f"{name}: asm", 0, warning, "asm", source, "-o", brig)
    runs.check(f"{name}: asm -w", 0, "^$", "asm", "-w", source, "-o", brig)
    runs.check(f"{name}: disasm", 0, rf"{name}\.brig:\+0x[0-9a-f]+: warning: .*\[{rule}\]\n", "disasm", brig, "-o",
               runs.path("back.hsail"))
    runs.check(f"{name}: finalize", 2, error, "finalize", source, "--target", "gfx908", "-o", runs.path("x.co"))
    runs.check(f"{name}: finalize BRIG", 2, rf"{name}\.brig:\+0x[0-9a-f]+: error: .*\[{rule}\]\n", "finalize", brig, "--target",
               "gfx908", "-o", runs.path("x.co"))
    for engine in ["hsail", "golden", "lt", "ca"]:
        runs.check(f"{name}: run on {engine}", 2, error, "run", "--engine", engine, dispatch(name, source))

GCN = module("amd_gcn_min_f32 $s0, $s1, $s2;\namd_gcn_sleep_u32 1;")
gcn = runs.write("gcn.hsail", GCN)
SAYS = (r"^[^\n]*gcn\.hsail:\d+:1: error: 'amd_gcn_min_f32' needs 'extension \"amd:gcn\";' before the first module statement "
        r"\[gcn-extension\]\n$")
for verb in [["validate"], ["asm", "-o", runs.path("x.brig")], ["finalize", "--target", "gfx908", "-o", runs.path("x.co")]]:
    runs.check("amd:gcn: " + verb[0], 2, SAYS, *verb, gcn)

# Nested and chained without end.
DEEP = 100000
for name, text in [
        ("braces", module("{" * DEEP)),
        ("closed braces", module("{" * DEEP + "}" * DEEP)),
        ("brackets", module("mov_b32 $s0, " + "(" * DEEP + "1" + ")" * DEEP + ";")),
        ("constants", module("ret;", "global_u32 &x[] = " + "u32[](" * DEEP + "1" + ")" * DEEP + ";\n", version="1:1")),
        ("aggregates", module("ret;", "global_b8 &x[] = " + "{" * DEEP + "u8(1)" + "}" * DEEP + ";\n", version="1:1")),
        ("addresses", module("ld_global_u32 $s0, " + "[" * DEEP + "$d0" + "]" * DEEP + ";")),
        ("expressions", module("ret;", "global_u64 &x = " + "addr(" * DEEP + "&x" + ")" * DEEP + ";\n", version="1:1")),
        ("comments", module("/*" * DEEP)),
        ("signs", module("mov_b32 $s0, " + "-" * DEEP + "1;"))]:
    runs.check(f"{name} to no end", 2, r"deep\.hsail:\d+:\d+: error: ", "validate", runs.write("deep.hsail", text))

# Each function calls the next one: right, and long.
CHAIN = 20000
chain = "".join(f"decl function &f{i}()();\n" for i in range(CHAIN))
chain += "".join(f"function &f{i}()()\n{{\n{{ call &f{i + 1}()(); }}\n}};\n" for i in range(CHAIN - 1))
chain += f"function &f{CHAIN - 1}()()\n{{\nret;\n}};\n"
source = runs.write("chain.hsail", module("{ call &f0()(); }", chain))
runs.check("a chain of calls: validate", 0, "", "validate", source)
runs.check("a chain of calls: asm", 0, "", "asm", source, "-o", runs.path("chain.brig"))
runs.check("a chain of calls: disasm", 0, "", "disasm", runs.path("chain.brig"), "-o", runs.path("back.hsail"))
runs.check("a chain of calls: hsail", 1, "more than 4096 nested calls", "run", "--engine", "hsail", dispatch("chain", source))
status, out, err = runs.run("finalize", source, "--target", "gfx908", "-o", runs.path("chain.co"))
runs.expect(status == 0 or (status == 2 and "error: " in err), f"a chain of calls: finalize: status {status}: {err}")
runs.end(80)
