#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Variables from outside: what the program says when one is missing or does not fit, on every engine.

externals_test.py CUVETTE SCRATCH ENGINE...
"""
import os
import re
import sys

import yaml

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, scratch, *engines = sys.argv[1:]
runs = Runs(cuvette, scratch)
check, path, write = runs.check, runs.path, runs.write

MODULE = """module &m:1:0:$full:$large:$default;
decl prog global_u32 &x[4];
decl prog group_u32 &g;
global_u32 &own;
decl global_u32 &later;
global_u32 &later;
prog global_u32 &seen;
decl prog readonly_u64 &unused;
prog kernel &k(kernarg_u64 %out)
{
ld_kernarg_align(8)_u64 $d0, [%out];
ld_global_align(4)_u32 $s0, [&x][4];
st_global_align(4)_u32 $s0, [$d0];
};
"""
SECOND = """module &second:1:0:$full:$large:$default;
decl prog global_u32 &x[4];
prog function &last(arg_u32 %r)()
{
ld_global_align(4)_u32 $s0, [&x][12];
st_arg_align(4)_u32 $s0, [%r];
};
"""


def dispatch(externals, code=None, expected=21):
    document = {
        "buffers": {"b": {"type": "u32", "count": 8, "init": {"iota": {"start": 20}}}, "small": {"type": "u32", "count": 3},
                    "big": {"type": "u32", "count": 32, "init": {"iota": {"start": 20}}}},
        "code": code or {"hsail": MODULE},
        "kernel": "&k",
        "grid": [1],
        "workgroup": [1],
        "args": [{"buffer": {"name": "out", "type": "u32", "count": 1}}],
        "expect": [{"buffer": "out", "values": [expected]}],
    }
    if externals is not None:
        document["externals"] = externals
    return write("case.yaml", yaml.safe_dump(document, sort_keys=False))


MISSING = r"case\.yaml:\d+:\d+ \(inline\):2:\d+: error: variable '&x' has no definition in the program, expected one, or " \
          r"'externals' to say where it lies"
CASES = [
    ("as it should be", {"&x": "b"}, 0, "passed"),
    ("one that nothing refers to", {"&x": "b", "&unused": "b"}, 0, "passed"),
    ("missing", None, 2, MISSING),
    ("another one", {"&unused": "b"}, 2, MISSING),
    ("too small", {"&x": "small"}, 2, r"case\.yaml:\d+:\d+: error: external variable '&x' has 12 bytes there, expected 16"),
    ("the end of a buffer", {"&x": {"ref": "b", "offset": 20}}, 2,
     r"case\.yaml:\d+:\d+: error: external variable '&x' has 12 bytes there, expected 16"),
    ("a crooked address", {"&x": {"ref": "b", "offset": 2}}, 2,
     r"case\.yaml:\d+:\d+: error: external variable '&x' does not lie at a multiple of 4 bytes"),
    ("not declared", {"&x": "b", "&y": "b"}, 2,
     r"case\.yaml:\d+:\d+: error: '&y' cannot be an external variable: the program does not declare it, expected a declaration"),
    ("defined", {"&x": "b", "&seen": "b"}, 2, r"error: '&seen' cannot be an external variable: the program defines it"),
    ("of the module", {"&x": "b", "&own": "b"}, 2, r"error: '&own' cannot be an external variable: it has module linkage"),
    ("of the module, declared", {"&x": "b", "&later": "b"}, 2, r"error: '&later' cannot be an external variable: it has module"),
    ("group memory", {"&x": "b", "&g": "b"}, 2, r"error: '&g' cannot be an external variable: it is in segment 'group'"),
    ("a kernel", {"&x": "b", "&k": "b"}, 2, r"error: '&k' cannot be an external variable: it is no variable"),
    ("no buffer", {"&x": "c"}, 2, r"case\.yaml:\d+:\d+: error: no buffer is named 'c'"),
    ("beyond the buffer", {"&x": {"ref": "b", "offset": 33}}, 2, r"case\.yaml:\d+:\d+: error: .*33"),
    ("no reference", {"&x": {"offset": 4}}, 2, r"case\.yaml:\d+:\d+: error: .*'ref'"),
    ("an unknown key", {"&x": {"ref": "b", "size": 4}}, 2, r"case\.yaml:\d+:\d+: error: .*'size'"),
    ("a name without &", {"x": "b"}, 2, r"case\.yaml:\d+:\d+: error: 'x' is no name of a variable such as '&x'"),
    ("a list", ["b"], 2, r"case\.yaml:\d+:\d+: error: 'externals' must be a map of variables to buffers"),
]
for engine in engines:
    for what, externals, code, pattern in CASES:
        check(f"{what} on {engine}", code, pattern, "run", dispatch(externals), "--engine", engine)
    # Both modules refer to the same memory; each of their declarations has to fit.
    main = MODULE.replace("ld_global_align(4)_u32 $s0, [&x][4];",
                          "{\narg_u32 %r;\ncall &last(%r)();\nld_arg_align(4)_u32 $s0, [%r];\n}\n") \
        .replace("decl prog global_u32 &x[4];", "decl prog function &last(arg_u32 %r)();\ndecl prog global_u32 &x[];")
    files = [write("main.hsail", main), write("second.hsail", SECOND)]
    for order in (files, files[::-1]):
        check(f"two modules on {engine}", 0, "passed", "run", dispatch({"&x": "b"}, order, 23), "--engine", engine)
        check(f"two modules, too small on {engine}", 2, "'&x' has 12 bytes there, expected 16", "run",
              dispatch({"&x": "small"}, order), "--engine", engine)
        check(f"two modules, missing on {engine}", 2, r"second\.hsail:2:\d+: error: variable '&x' has no definition", "run",
              dispatch(None, order), "--engine", engine)

# The same through a code object: its undefined symbol knows its size.
if "golden" in engines:
    source, objects = write("k.hsail", MODULE), []
    for target, version in (("gfx908", "4"), ("gfx908", "5"), ("gfx900", "2"), ("gfx906", "2")):
        made = path(f"k.{target}.v{version}.co")
        check(f"finalize {target} v{version}", 0, "", "finalize", source, "--target", target, "--code-object", version, "-o", made)
        objects.append((made, target))
    for made, target in objects:
        name = os.path.basename(made)
        golden = ("--engine", "golden", "--target", target)
        check(f"{name}", 0, "passed", "run", dispatch({"&x": "b"}, made), *golden)
        check(f"{name}, missing", 2, rf"{re.escape(name)}:\+0x[0-9a-f]+: error: symbol 'x' is undefined, expected 'externals' "
              "to say where '&x' lies", "run", dispatch(None, made), *golden)
        check(f"{name}, too small", 2, r"case\.yaml:\d+:\d+: error: external variable '&x' has 12 bytes there, expected 16",
              "run", dispatch({"&x": "small"}, made), *golden)
        check(f"{name}, a crooked address", 2,
              r"case\.yaml:\d+:\d+: error: external variable '&x' does not lie at a multiple of 4 bytes",
              "run", dispatch({"&x": {"ref": "b", "offset": 2}}, made), *golden)
        check(f"{name}, not there", 2, r"case\.yaml:\d+:\d+: error: .* has no undefined symbol for external variable '&unused'",
              "run", dispatch({"&x": "b", "&unused": "b"}, made), *golden)
    # Declarations agree in alignment (4.3.8); the object knows it in either machine model.
    aligned = MODULE.replace("decl prog global_u32 &x[4];", "decl prog align(64) global_u32 &x[4];")
    source = write("aligned.hsail", aligned)
    made = path("aligned.co")
    check("finalize, alignments that differ", 2, r"aligned\.hsail:2:\d+: error: the declaration of '&x' does not match that at line 2 of",
          "finalize", write("plain.hsail", SECOND), source, "--target", "gfx908", "-o", made)
    second = write("second_aligned.hsail", SECOND.replace("decl prog global_u32 &x", "decl prog align(64) global_u32 &x"))
    check("finalize, aligned", 0, "", "finalize", second, source, "--target", "gfx908", "-o", made)
    check("aligned", 0, "passed", "run", dispatch({"&x": "b"}, made), "--engine", "golden")
    for offset in (4, 16, 32):
        check(f"not aligned, {offset}", 2, r"case\.yaml:\d+:\d+: error: external variable '&x' does not lie at a multiple of 64 bytes",
              "run", dispatch({"&x": {"ref": "big", "offset": offset}}, made), "--engine", "golden")
    check("aligned, behind", 0, "passed", "run", dispatch({"&x": {"ref": "big", "offset": 64}}, made, 37), "--engine", "golden")
    # A log has all that a replay needs.
    for code in ({"hsail": MODULE}, objects[0][0]):
        check("log", 0, "passed", "run", dispatch({"&x": "b"}, code), "--engine", "golden", "--log", path("k.log"))
        check("replay", 0, "", "replay", path("k.log"))

runs.end()
