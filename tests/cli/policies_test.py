#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Policies of a machine description (docs/howto/add_policy.md) on engine ca: misses of the vector L1 as worked out by
hand for each replacement; for every policy of every cache and of the compute unit the same buffers as by default, the
same cycles for any number of host threads, and other cycles than by default.

policies_test.py CUVETTE SOURCE SCRATCH
"""
import json
import os
import struct
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
runs = Runs(cuvette, scratch)
KERNELS = os.path.join(source, "tests", "kernels")

# A walk along links: all lanes read an offset, which says where to read next. Each writes where the walk ended;
# work-groups begin `step` bytes after each other.
WALK = """module &walk_module:1:0:$full:$large:$default;
prog kernel &walk(kernarg_u64 %links, kernarg_u64 %out, kernarg_u32 %count, kernarg_u32 %step)
{
	ld_kernarg_width(all)_u64	$d0, [%links];
	ld_kernarg_width(all)_u64	$d1, [%out];
	ld_kernarg_width(all)_u32	$s0, [%count];
	ld_kernarg_width(all)_u32	$s1, [%step];
	workgroupid_u32	$s2, 0;
	mul_u32	$s3, $s2, $s1;
@next:
	cvt_u64_u32	$d2, $s3;
	add_u64	$d2, $d0, $d2;
	ld_global_u32	$s3, [$d2];
	sub_u32	$s0, $s0, 1;
	cmp_ne_b1_u32	$c0, $s0, 0;
	cbr_b1	$c0, @next;
	workitemabsid_u32	$s4, 0;
	cvt_u64_u32	$d2, $s4;
	shl_u64	$d2, $d2, 2;
	add_u64	$d2, $d1, $d2;
	st_global_u32	$s3, [$d2];
};
"""
runs.write("walk.hsail", WALK)


def write_walk(name, order, count, groups=1, step=0):
    """Through blocks of 64 bytes in an order, over and over."""
    words = [0] * (16 * (max(order) + 1))
    for block, after in zip(order, order[1:] + order[:1]):
        words[16 * block] = 64 * after
    runs.write(name + ".bin", struct.pack(f"<{len(words)}I", *words))
    return runs.write(name + ".yaml", f"""code: walk.hsail
kernel: "&walk"
grid: [{64 * groups}]
workgroup: [64]
args:
  - buffer: {{name: links, type: u32, count: {len(words)}, init: {{file: {name}.bin}}}}
  - buffer: {{name: out, type: u32, count: {64 * groups}}}
  - u32: {count}
  - u32: {step}
""")


def run(dispatch, settings, threads=1, buffers=()):
    """Statistics of the dispatch, and buffers afterwards."""
    options = [o for s in settings for o in ("--set", s)]
    files = [runs.path(f"dump.{b}") for b in buffers]
    dumps = [o for b, f in zip(buffers, files) for o in ("--dump", f"{b}={f}")]
    stats = runs.path("stats.json")
    status, out, err = runs.run("run", dispatch, "--engine", "ca", "--config", "small", "--threads", str(threads),
                                "--stats", stats, *options, *dumps)
    if not runs.expect(status == 0, f"{dispatch} with {settings} and {threads} threads: status {status}: {out}{err}"):
        return None, []
    with open(stats) as f:
        found = json.load(f)["dispatches"][0]
    contents = []
    for file in files:
        with open(file, "rb") as f:
            contents.append(f.read())
    return found, contents


# Five blocks in turn, ten loads, in one set of four ways; a load is a request for every 16 lanes, of which the first
# one asks below. LRU never has the next block. The tree gives up A for E, C for A, D for C, E for D and A for E, so that
# B is there once. 1234567 draws the ways 1 and 0 first: E comes in place of B, B in place of A, and the others stay.
five = write_walk("five", [0, 1, 2, 3, 4], 10)
ONE_SET = ["vector_l1.bytes=256", "vector_l1.ways=4"]
for policy, misses in ((["lru"], 10), (["tree_plru"], 9), (["random", "1234567"], 6)):
    settings = [f"vector_l1.{key}={value}" for key, value in zip(("replacement", "replacement_seed"), policy)]
    found, _ = run(five, ONE_SET + settings)
    if found:
        total = found["blocks"]["vector_l1"]["total"]
        runs.expect(total["reads"] == 40 and total["fills"] == misses,
                    f"{policy}: expected {misses} fills for 40 reads, found {total}")
found, _ = run(five, ONE_SET)
default, _ = run(five, ONE_SET + ["vector_l1.replacement=lru"])
runs.expect(found and default and found == default, "lru is not the default replacement")

# Ten compute units; caches so small that what a kernel uses does not fit.
TEN = ["compute_units=10", "scalar_cache.shared_by=3", "instruction_cache.shared_by=3"]
walks = write_walk("walks", [7 * n % 40 for n in range(40)], 200, groups=13, step=192)
# Arguments of nine blocks, which every wave loads by the scalar cache.
COUNT = 72
runs.write("arguments.hsail", "module &arguments:1:0:$full:$large:$default;\nprog kernel &sum(" +
           ", ".join(["kernarg_u64 %out"] + [f"kernarg_u64 %a{n}" for n in range(1, COUNT)]) + ")\n{\n" +
           "	mov_b64	$d1, 0;\n" +
           "".join(f"	ld_kernarg_width(all)_u64	$d0, [%a{n}];\n	add_u64	$d1, $d1, $d0;\n" for n in range(1, COUNT)) +
           """	ld_kernarg_width(all)_u64	$d0, [%out];
	workitemabsid_u32	$s0, 0;
	cvt_u64_u32	$d2, $s0;
	add_u64	$d1, $d1, $d2;
	shl_u64	$d2, $d2, 3;
	add_u64	$d0, $d0, $d2;
	st_global_u64	$d1, [$d0];
};
""")
arguments = runs.write("arguments.yaml", """code: arguments.hsail
kernel: "&sum"
grid: [8192]
workgroup: [64]
args:
  - buffer: {name: out, type: u64, count: 8192}
""" + "".join(f"  - u64: {n * n}\n" for n in range(1, COUNT)))
DISPATCHES = os.path.join(source, "tests", "dispatches")
CASES = [  # what is small, the section, dispatch, buffers
    (["vector_l1.bytes=2048", "vector_l1.ways=8"], "vector_l1", walks, ["out"]),
    (["vector_l1.bytes=256", "vector_l1.ways=4", "l2.slice.bytes=2048", "l2.slice.ways=8"], "l2.slice", walks, ["out"]),
    (["compute_unit.waves_per_simd=1", "scalar_cache.bytes=512", "scalar_cache.ways=8"], "scalar_cache", arguments,
     ["out"]),
    (["instruction_cache.bytes=512", "instruction_cache.ways=8"], "instruction_cache", "sgemm", ["c"]),
    ([], "compute_unit", "sgemm", ["c"]),
]
REPLACEMENTS = [["tree_plru"], ["random", "1"], ["random", "2"]]
for small, section, dispatch, buffers in CASES:
    if not os.path.isabs(dispatch):
        dispatch = os.path.join(DISPATCHES, dispatch + ".yaml")
    if section == "compute_unit":
        keys, policies = ["issue_order"], [["round_robin"], ["greedy_then_oldest"]]
    else:
        keys, policies = ["replacement", "replacement_seed"], REPLACEMENTS
    default, wanted = run(dispatch, TEN + small, 1, buffers)
    seen = {default["cycles"]: "the default"} if default else {}
    for policy in policies:
        settings = TEN + small + [f"{section}.{key}={value}" for key, value in zip(keys, policy)]
        first = None
        for threads in (1, 2, 4):
            found, contents = run(dispatch, settings, threads, buffers)
            if not found:
                continue
            what = f"{section} {policy} with {threads} threads"
            runs.expect(contents == wanted and wanted, f"{what}: other buffers than by default")
            if first is None:
                first = found
                runs.expect(found["cycles"] not in seen, f"{what}: {found['cycles']} cycles as of {seen}")
                seen[found["cycles"]] = policy
            runs.expect(found == first, f"{what}: other statistics than with one")
    print(section, seen)
runs.end(least=90)
