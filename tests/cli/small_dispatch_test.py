#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The dispatch files of the HSAIL kernels in the small machine model, on every engine: their code translated to 32-bit
addresses, their data and expectations as they are.

small_dispatch_test.py CUVETTE TRANSLATOR DISPATCHES SCRATCH
"""
import os
import subprocess
import sys

import yaml

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, translator, dispatches, scratch = (os.path.abspath(a) for a in sys.argv[1:])
runs = Runs(cuvette, scratch)
TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]
MATRIX = ["gfx908", "gfx90a", "gfx942"]
FILES = ["histogram", "mixed", "reduce", "saxpy", "sgemm", "stencil", "transpose", "vector_add", "mfma_gemm",
         "program", "image", "image_rows", "constants", "externals"]


def translated(text, what):
    done = subprocess.run([translator], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{what} has no text in the small machine model")
    return done.stdout


def small_file(path):
    with open(path, encoding="ascii") as f:
        return runs.write(os.path.basename(path), translated(f.read(), path))


def small_code(code):
    if isinstance(code, dict):
        return {"hsail": translated(code["hsail"], "a text in a dispatch file")}
    if isinstance(code, list):
        return [small_file(os.path.join(dispatches, one)) for one in code]
    return small_file(os.path.join(dispatches, code))


def small_dispatch(name):
    with open(os.path.join(dispatches, name + ".yaml"), encoding="ascii") as f:
        document = yaml.safe_load(f)
    for part in [document] + document.get("dispatches", []):
        if "code" in part:
            part["code"] = small_code(part["code"])
    for expectation in document.get("expect", []):
        if "file" in expectation:
            expectation["file"] = os.path.join(dispatches, expectation["file"])
    return runs.write(name + ".yaml", yaml.safe_dump(document, sort_keys=False))


for name in FILES:
    path = small_dispatch(name)
    targets = MATRIX if name == "mfma_gemm" else TARGETS
    ways = [["--engine", "hsail"]] + [["--engine", "golden", "--target", t] for t in targets]
    ways += [["--engine", "ca", "--config", c] for c in ("small", "mi100")] + [["--engine", "lt", "--config", "small"]]
    for way in ways:
        runs.check(f"{name} {' '.join(way)}", 0, "passed", "run", path, *way)

LARGE = """module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %out, kernarg_sig64 %s)
{
	ld_kernarg_align(8)_u64 $d0, [%out];
	st_global_align(4)_u32 1, [$d0];
};
"""
# The signal falls by a Fibonacci number, which goes through a flat address of private memory.
RECURSION = """module &m:1:0:$full:$small:$default;
decl function &fib(arg_u32 %r)(arg_u32 %x);
function &fib(arg_u32 %r)(arg_u32 %x)
{
	private_u32 %kept;
	ld_arg_align(4)_u32 $s0, [%x];
	cmp_lt_b1_u32 $c0, $s0, 2;
	cbr_b1 $c0, @leaf;
	{
		arg_u32 %y;
		arg_u32 %a;
		sub_u32 $s1, $s0, 1;
		st_arg_align(4)_u32 $s1, [%a];
		call &fib(%y)(%a);
		ld_arg_align(4)_u32 $s1, [%y];
	}
	lda_private_u32 $s4, [%kept];
	stof_private_u32_u32 $s4, $s4;
	st_align(4)_u32 $s1, [$s4];
	{
		arg_u32 %y;
		arg_u32 %a;
		sub_u32 $s2, $s0, 2;
		st_arg_align(4)_u32 $s2, [%a];
		call &fib(%y)(%a);
		ld_arg_align(4)_u32 $s2, [%y];
	}
	ld_align(4)_u32 $s1, [$s4];
	add_u32 $s0, $s1, $s2;
@leaf:
	st_arg_align(4)_u32 $s0, [%r];
};
prog kernel &k(kernarg_u32 %n, kernarg_sig32 %s)
{
	ld_kernarg_align(4)_u32 $s0, [%n];
	ld_global_align(4)_u32 $s0, [$s0];
	{
		arg_u32 %y;
		arg_u32 %a;
		st_arg_align(4)_u32 $s0, [%a];
		call &fib(%y)(%a);
		ld_arg_align(4)_u32 $s0, [%y];
	}
	ld_kernarg_align(8)_sig32 $d0, [%s];
	signalnoret_sub_screl_s32_sig32 $d0, $s0;
};
"""
SMALL = translated(LARGE, "the kernel of the errors")


def errors(parts, value, signal, stack):
    first = {"kernel": "&k", "grid": [1], "workgroup": [1], "stack_bytes": stack,
             "args": [{"buffer": {"name": "out", "type": "u32", "count": 1, "init": {"fill": 6}}}, {"signal": {"name": "s", "value": value}}]}
    second = dict(first, args=[{"ref": "out"}, {"signal": {"name": "s", "value": value}}])
    codes = [{"hsail": text} for text in parts]
    if stack > 65536:
        # Version 4 says nothing of dynamic stacks (docs/reference/finalizer.md), so that they come as code objects of version 5.
        codes[0] = runs.path("stack.co")
        runs.check("finalize the recursion", 0, "", "finalize", runs.write("stack.hsail", parts[0]), "--target", "gfx908",
                   "--code-object", "5", "-o", codes[0])
    document = {"dispatches": [dict(first if i == 0 else second, code=code) for i, code in enumerate(codes)],
                "expect": [{"signal": "s", "value": signal}]}
    return runs.write("errors.yaml", yaml.safe_dump(document, sort_keys=False))


ONE_SIZE = r"of the file's first code: a process has one address size"
CASES = [
    ([SMALL, SMALL], 5, 5, 4096, 0, "passed"),
    ([SMALL, LARGE], 5, 5, 4096, 2, r"errors\.yaml:\d+:\d+: error: code of the large machine model, expected the small one "
     + ONE_SIZE),
    ([LARGE, SMALL], 5, 5, 4096, 2, r"errors\.yaml:\d+:\d+: error: code of the small machine model, expected the large one "
     + ONE_SIZE),
    ([SMALL], 1 << 31, 1, 4096, 2, r"errors\.yaml:\d+:\d+: error: signal 's' starts with 2147483648, expected -2\^31 to 2\^31-1"),
    ([SMALL], -(1 << 31), -(1 << 31), 4096, 0, "passed"),
    # The value is the low word, with sign.
    ([RECURSION], 3, -5, 4096, 0, "passed"),
]
WHERE = [["--engine", "hsail"], ["--engine", "golden"], ["--engine", "lt", "--config", "small"], ["--engine", "ca", "--config", "small"]]
STACK = ([RECURSION], 3, -5, 70000, 2, r"errors\.yaml:\d+:\d+: error: kernel 'k' has \d+ bytes of private memory with its stack, expected at most 65536")
for way in WHERE:
    for parts, value, signal, stack, code, pattern in CASES + ([STACK] if "hsail" not in way else []):
        runs.check(f"errors {' '.join(way)}", code, pattern, "run", errors(parts, value, signal, stack), *way)

runs.end()
