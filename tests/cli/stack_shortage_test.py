#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Private memory that runs out (HSAIL PRM 10.10): frames of functions and memory of alloca that would overlap end the dispatch
with the kernel's name and the sizes, on every engine, and what the message asks for is enough and not too much.

stack_shortage_test.py CUVETTE SCRATCH
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, scratch = (os.path.abspath(a) for a in sys.argv[1:3])
runs = Runs(cuvette, scratch)
ITEMS = 8
TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]

# &deep calls itself n times, each time with 256 bytes of its own, which it fills with n and adds up when the others are back.
FUNCTION = """function &deep(arg_u32 %r)(arg_u32 %n)
{
private_u32 %a[64];
ld_arg_align(4)_u32 $s0, [%n];
mov_b32 $s1, 0;
@fill:
st_private_align(4)_u32 $s0, [%a][$s1];
add_u32 $s1, $s1, 4;
cmp_lt_b1_u32 $c0, $s1, 256;
cbr_b1 $c0, @fill;
mov_b32 $s3, 0;
cmp_eq_b1_u32 $c0, $s0, 0;
cbr_b1 $c0, @end;
sub_u32 $s2, $s0, 1;
{
arg_u32 %x;
arg_u32 %y;
st_arg_align(4)_u32 $s2, [%x];
call &deep(%y)(%x);
ld_arg_align(4)_u32 $s3, [%y];
}
@end:
mov_b32 $s1, 0;
@sum:
ld_private_align(4)_u32 $s4, [%a][$s1];
add_u32 $s3, $s3, $s4;
add_u32 $s1, $s1, 4;
cmp_lt_b1_u32 $c0, $s1, 256;
cbr_b1 $c0, @sum;
st_arg_align(4)_u32 $s3, [%r];
};
"""
START = """ld_kernarg_align(8)_u64 $d0, [%out];
ld_kernarg_align(4)_u32 $s10, [%bytes];
ld_kernarg_align(4)_u32 $s11, [%depth];
workitemabsid_u32 $s12, 0;
mov_b32 $s5, 0;
"""
# The memory of alloca is filled with the work-item's number plus 7.
ALLOCATE = """add_u32 $s13, $s12, 7;
alloca_align(16)_u32 $s0, $s10;
mov_b32 $s1, 0;
@fill:
add_u32 $s2, $s0, $s1;
st_private_align(4)_u32 $s13, [$s2];
add_u32 $s1, $s1, 4;
cmp_lt_b1_u32 $c0, $s1, $s10;
cbr_b1 $c0, @fill;
"""
CALL = """{
arg_u32 %x;
arg_u32 %y;
st_arg_align(4)_u32 $s11, [%x];
call &deep(%y)(%x);
ld_arg_align(4)_u32 $s5, [%y];
}
"""
ADD_UP = """mov_b32 $s1, 0;
@sum:
add_u32 $s2, $s0, $s1;
ld_private_align(4)_u32 $s3, [$s2];
add_u32 $s5, $s5, $s3;
add_u32 $s1, $s1, 4;
cmp_lt_b1_u32 $c0, $s1, $s10;
cbr_b1 $c0, @sum;
"""
END = """shl_u32 $s12, $s12, 2;
cvt_u64_u32 $d1, $s12;
add_u64 $d0, $d0, $d1;
st_global_align(4)_u32 $s5, [$d0];
"""


def module(body, function=""):
    return (f"module &m:1:1:$full:$large:$default;\n{function}prog kernel &k(kernarg_u64 %out, kernarg_u32 %bytes, "
            f"kernarg_u32 %depth)\n{{\n{START}{body}{END}}};\n")


# name; text; bytes of alloca, depth of the calls; the results.
ALLOCATED = [5000 * (7 + i) for i in range(ITEMS)]
CALLED = sum(64 * n for n in range(71))
CASES = [
    ("alloca", module(ALLOCATE + ADD_UP), 20000, 0, ALLOCATED),
    ("alloca_then_calls", module(ALLOCATE + CALL + ADD_UP, FUNCTION), 20000, 70, [CALLED + a for a in ALLOCATED]),
    ("calls", module(CALL, FUNCTION), 0, 70, [CALLED] * ITEMS),
    ("more_than_all", module(ALLOCATE + ADD_UP), 2**32 - 4, 0, None),
]


def dispatch(name, code, size, depth, stack, expected):
    values = "" if expected is None else f"expect:\n- {{buffer: out, values: {expected}}}\n"
    return runs.write(name + ".yaml",
                      f"code: {code}\nkernel: \"&k\"\ngrid: [{ITEMS}]\nworkgroup: [{ITEMS}]\nstack_bytes: {stack}\nargs:\n"
                      f"- buffer: {{name: out, type: u32, count: {ITEMS}}}\n- u32: {size}\n- u32: {depth}\n{values}")


MESSAGE = re.compile(r"kernel '&?k': a work-item needs (\d+) bytes of private memory or more, the dispatch has (\d+) "
                     r"\((\d+) of the kernel and 'stack_bytes: (\d+)'\)")


def stops(name, code, size, depth, expected, *engine):
    """On ca the word that says how much lacks may still be in L2 when the wavefront stops."""
    runs.check(f"{name} on {' '.join(engine)}", 1, MESSAGE.pattern + "|trap|halted itself", "run",
               dispatch(name, code, size, depth, 0, expected), *engine)


def on(engine, name, code, size, depth, expected):
    """From no stack on, what the messages ask for until it is enough."""
    stack = 0
    what = f"{name} on {' '.join(engine)}"
    step = 0 if depth == 0 else 2048  # frames are missed one after the other
    for _ in range(40):
        status, out, err = runs.run("run", dispatch(name, code, size, depth, stack, expected), *engine)
        if status == 0:
            break
        found = MESSAGE.search(out + err)
        if not found and "access out of bounds" in out:
            stack += 512  # all scratch there is ends within the frame, which is stored to before it is checked
            continue
        if not runs.expect(status == 1 and found, f"{what}, stack {stack}: status {status}: {out}{err}"):
            return
        needs, has, kernel, given = map(int, found.groups())
        if not runs.expect(has == kernel + given and given == stack and needs > has, f"{what}: {found.group()}"):
            return
        if expected is None:
            runs.expect(needs >= size, f"{what}: {found.group()}")
            return
        stack = needs - kernel + step
    runs.expect(status == 0 and expected is not None, f"{what}: never enough: {stack}")
    if stack >= 16 and step == 0:
        status, out, err = runs.run("run", dispatch(name, code, size, depth, stack - 16, expected), *engine)
        runs.expect(status == 1 and MESSAGE.search(out + err), f"{what}, stack {stack - 16}: status {status}: {out}{err}")


for case, text, size, depth, expected in CASES:
    source = runs.write(case + ".hsail", text)
    for target in TARGETS:
        on(["--engine", "golden", "--target", target], case, source, size, depth, expected)
    on(["--engine", "lt", "--config", "small"], case, source, size, depth, expected)
    if case != "calls":
        stops(case, source, size, depth, expected, "--engine", "ca", "--config", "small")
    objects = [("4", "gfx908"), ("5", "gfx942")] + ([("2", "gfx900")] if case == "alloca" else [])
    for version, target in objects:
        code = runs.path(f"{case}.v{version}.co")
        if runs.check(f"finalize {case}", 0, "", "finalize", source, "--target", target, "--code-object", version, "-o", code):
            on(["--engine", "golden", "--target", target], f"{case} v{version}", code, size, depth, expected)
    # The interpreter keeps the two apart; it has 1 MiB for each work-item.
    path = dispatch(case, source, size, depth, 0, expected)
    if expected is not None:
        runs.check(f"{case} on hsail", 0, "", "run", path, "--engine", "hsail")
    else:
        runs.check(f"{case} on hsail", 1, rf"kernel '&k': alloca of {size} bytes behind 0 in use makes more than "
                   r"1048576 bytes of private memory", "run", path, "--engine", "hsail")
runs.end(100)
