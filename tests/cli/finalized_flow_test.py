#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Finalized code where LLVM knows less than HSAIL says: lanes that part around communication operations meet at the immediate
post-dominator (HSAIL PRM 2.12), and nothing depends on registers that the launch does not set.

finalized_flow_test.py CUVETTE DISPATCHES SCRATCH ENGINE...
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
engines = sys.argv[4:]
runs = Runs(cuvette, scratch)
TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]
ITEMS = 100
HEAD = "module &m:1:0:$full:$large:$default;\n"

# Each adds its number plus one to out[1] while it holds the lock out[0]: the loop goes on for those that did not get it.
LOCKED = """ld_global_u32 $s3, [$d0+4];
add_u32 $s3, $s3, $s1;
add_u32 $s3, $s3, 1;
st_global_u32 $s3, [$d0+4];
"""
BODIES = {
    "a lock": """@again:
atomic_cas_global_scar_agent_b32 $s2, [$d0], 0, 1;
cmp_ne_b1_u32 $c1, $s2, 0;
cbr_b1 $c1, @meet;
""" + LOCKED + """atomicnoret_st_global_screl_agent_b32 [$d0], 0;
mov_b32 $s5, 1;
@meet:
cmp_eq_b1_u32 $c2, $s5, 0;
cbr_b1 $c2, @again;
""",
    "a lock in a function": """@again:
{
arg_u32 %taken;
arg_u64 %at;
st_arg_u64 $d0, [%at];
call &take(%taken)(%at);
ld_arg_u32 $s2, [%taken];
}
cmp_ne_b1_u32 $c1, $s2, 0;
cbr_b1 $c1, @meet;
""" + LOCKED + """{
arg_u64 %at;
st_arg_u64 $d0, [%at];
call &give()(%at);
}
mov_b32 $s5, 1;
@meet:
cmp_eq_b1_u32 $c2, $s5, 0;
cbr_b1 $c2, @again;
""",
    "a lock with fences": """@again:
atomic_cas_global_rlx_agent_b32 $s2, [$d0], 0, 1;
cmp_ne_b1_u32 $c1, $s2, 0;
cbr_b1 $c1, @meet;
memfence_scacq_agent;
""" + LOCKED + """memfence_screl_agent;
atomicnoret_st_global_rlx_agent_b32 [$d0], 0;
mov_b32 $s5, 1;
@meet:
cmp_eq_b1_u32 $c2, $s5, 0;
cbr_b1 $c2, @again;
"""}
FUNCTIONS = """function &take(arg_u32 %taken)(arg_u64 %at)
{
ld_arg_u64 $d0, [%at];
atomic_cas_global_scar_agent_b32 $s0, [$d0], 0, 1;
st_arg_u32 $s0, [%taken];
};
function &give()(arg_u64 %at)
{
ld_arg_u64 $d0, [%at];
atomicnoret_st_global_screl_agent_b32 [$d0], 0;
};
"""
for name, body in BODIES.items():
    text = HEAD + FUNCTIONS + "prog kernel &k(kernarg_u64 %o)\n{\nld_kernarg_u64 $d0, [%o];\nworkitemabsid_u32 $s1, 0;\n" \
        "mov_b32 $s5, 0;\n" + body + "};\n"
    code = runs.write(name.replace(" ", "_") + ".hsail", text)
    file = runs.write(name.replace(" ", "_") + ".yaml", f"code: {os.path.basename(code)}\ngrid: [{ITEMS}]\nworkgroup: [{ITEMS}]\n"
                      "args:\n- buffer: {name: out, type: u32, count: 2}\n"
                      f"expect:\n- {{buffer: out, values: [0, {ITEMS * (ITEMS + 1) // 2}]}}\n")
    for engine in engines:
        for target in TARGETS if engine == "golden" else [""]:
            more = ["--target", target] if target else ["--config", "small"]
            runs.check(f"{name} on {engine} {target}", 0, " 0 differ", "run", file, "--engine", engine, "--watchdog", "3000000",
                       *(more if engine != "hsail" else []))

# Private memory of a size that the kernel checks when it begins: alloca, recursion, an indirect call.
STACKS = {
    "alloca": "alloca_align(4)_u32 $s1, 16;\nst_private_u32 7, [$s1];\nld_private_u32 $s2, [$s1];\n",
    "recursion": "{\narg_u32 %r;\narg_u32 %n;\nst_arg_u32 7, [%n];\ncall &down(%r)(%n);\nld_arg_u32 $s2, [%r];\n}\n",
    "icall": "ld_kernarg_u64 $d2, [%f];\n{\narg_u32 %r;\nicall_u64 $d2(%r)() &number;\nld_arg_u32 $s2, [%r];\n}\n"}
CALLED = """decl function &down(arg_u32 %r)(arg_u32 %n);
function &down(arg_u32 %r)(arg_u32 %n)
{
ld_arg_u32 $s0, [%n];
mov_b32 $s1, 0;
cmp_eq_b1_u32 $c0, $s0, 0;
cbr_b1 $c0, @end;
sub_u32 $s0, $s0, 1;
{
arg_u32 %x;
arg_u32 %y;
st_arg_u32 $s0, [%x];
call &down(%y)(%x);
ld_arg_u32 $s1, [%y];
}
add_u32 $s1, $s1, 1;
@end:
st_arg_u32 $s1, [%r];
};
signature &number(arg_u32 %r)();
prog indirect function &seven(arg_u32 %r)()
{
st_arg_u32 7, [%r];
};
"""
for name, body in STACKS.items():
    code = runs.write(name + ".hsail", HEAD + CALLED + "prog kernel &k(kernarg_u64 %o, kernarg_u64 %f)\n{\nld_kernarg_u64 $d0, [%o];\n" + body +
                      "st_global_u32 $s2, [$d0];\n};\n")
    file = runs.write(name + ".yaml", f"code: {os.path.basename(code)}\ngrid: [1]\nworkgroup: [1]\nargs:\n"
                      "- buffer: {name: out, type: u32, count: 1}\n- function: '&seven'\nexpect:\n- {buffer: out, values: [7]}\n")
    for engine in engines:
        for target in TARGETS if engine == "golden" else [""]:
            more = ["--target", target] if target else ["--config", "small"]
            runs.check(f"{name} on {engine} {target}", 0, " 0 differ", "run", file, "--engine", engine,
                       *([*more, "--poison"] if engine != "hsail" else []))

# Whatever passes does so when registers and memory that nothing sets hold a pattern.
for file in sorted(glob.glob(os.path.join(dispatches, "*.yaml"))):
    with open(file, encoding="utf-8") as f:
        if re.search(r"\.(co|brig|cl)\b", f.read()):
            continue
    status, out, err = runs.run("run", file, "--engine", "golden")
    again = runs.run("run", file, "--engine", "golden", "--poison")
    runs.expect((status, out) == again[:2], f"{os.path.basename(file)}: {status} without --poison, with it {again}")
runs.end(50)
