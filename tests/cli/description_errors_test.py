#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Machine descriptions that no machine can be made of: status 2 and one message at file, line and column, the
same on every engine, whether the engine would have used that part or not (docs/reference/machine_description.md).

description_errors_test.py CUVETTE SOURCE SCRATCH WITH_RTL
"""
import os
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch = (os.path.abspath(a) for a in sys.argv[1:4])
with_rtl = sys.argv[4] == "1"
runs = Runs(cuvette, scratch)
with open(os.path.join(source, "config", "small.yaml")) as f:
    GOOD = f.read()
with open(os.path.join(source, "config", "small_gfx90a.yaml")) as f:
    OTHER = f.read()
dispatch = runs.write("dispatch.yaml", "code: {hsail: \"module &m:1:1:$full:$large:$default;\\nprog kernel &k() {};\\n\"}\n"
                      "grid: [64]\nworkgroup: [64]\n")
RTL = "expected tlm or dut:NAME; simd, valu, vrf, matrix_core, lds, gds, memory, caches, crossbar and spi have"


def told(what, old, new, message, engines=("hsail", "golden", "lt", "ca"), text=GOOD, options=()):
    """The value of the changed line begins where it has @@."""
    if not runs.expect(old in text, f"{what}: no '{old}' in the description"):
        return
    marked = text.replace(old, new, 1)
    before = marked[:marked.index("@@")]
    place = f":{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}: error: "
    path = runs.write("machine.yaml", marked.replace("@@", ""))
    for engine in engines:
        status, out, err = runs.run("run", dispatch, "--engine", engine, "--config", path, *options)
        runs.expect(status == 2 and err == path + place + message + "\n",
                    f"{what} on {engine}: status {status}, expected 2 and {place}{message}: {err}{out}")


for engine in ("hsail", "golden", "lt", "ca"):
    runs.check(f"the description itself on {engine}", 0, "passed on", "run", dispatch, "--engine", engine, "--config",
               os.path.join(source, "config", "small.yaml"))
told("a source that is a list", "clock_mhz: {value: 1502, source: published}",
     "clock_mhz: {value: 1502, source: @@[published]}", "expected a word or a number")
told("a placement", "placement: round_robin", "placement: @@best_fit",
     "unknown placement 'best_fit', expected round_robin, first_fit or least_loaded")
told("an issue order", "compute_unit:\n", "compute_unit:\n  issue_order: @@youngest_first\n",
     "unknown issue_order 'youngest_first', expected oldest_first, round_robin or greedy_then_oldest")
for cache, section in [("vector_l1", "vector_l1:\n"), ("scalar_cache", "scalar_cache:\n"),
                       ("instruction_cache", "instruction_cache:\n"), ("l2.slice", "  slice:\n")]:
    key = section + ("    " if cache == "l2.slice" else "  ")
    told(f"a replacement of {cache}", section, f"{key}replacement: @@mru\n",
         "unknown replacement 'mru', expected lru, tree_plru or random")
    told(f"a seed of {cache} for lru", section, f"{key}replacement_seed: @@3\n",
         "replacement 'lru' draws nothing, expected no replacement_seed")
told("a tree of three ways", "  ways: {value: 4, source: assumed}", "  ways: 3\n  replacement: @@tree_plru",
     "replacement 'tree_plru' expects a power of two as the number of ways, found 3",
     text=GOOD.replace("bytes: {value: 16384, source: published}\n  ways: {value: 4", "bytes: 12288\n  ways: {value: 4"))
told("a seed that is no number", "vector_l1:\n", "vector_l1:\n  replacement: random\n  replacement_seed: @@-1\n",
     "expected an integer from 0 to 18446744073709551615, found '-1'")
told("a target", "target: gfx908", "target: @@gfx1030",
     "unknown target 'gfx1030', expected gfx900, gfx906, gfx908, gfx90a or gfx942")
told("registers of another target", "target: gfx908", "target: @@gfx90a",
     "machine description 'small': target gfx90a has vgpr_rows 512 and accvgpr_rows 0, found 256 and 256")
with open(os.path.join(source, "config", "small_gfx900.yaml")) as f:
    told("a feature that the target lacks", "sramecc: false", "sramecc: @@true", "target gfx900 has no sramecc, expected false",
         text=f.read())
told("slices", "slices: {value: 1,", "slices: {value: @@3,", "'slices' must be a power of two, found 3")
for key, value in (("timing", "ignore"), ("lockstep", "1/2")):
    told(f"{key} of our model", "  valu: tlm", f"  valu: {{name: tlm, {key}: @@{value}}}",
         f"'{key}' goes with RTL and devices, found the name tlm")
# Features of the description are those of the machine, whatever the engine.
for engine in ("golden", "lt", "ca"):
    runs.check(f"features on {engine}", 0, "passed", "run", dispatch, "--engine", engine, "--config", "small", "--set",
               "sramecc=false", "--set", "xnack=true")
runs.check("a clock of 0", 2, "expected a number from 0.001 to 1000000, found '0'", "machine", "check", "small", "--set", "clock_mhz=0")
# Settings are named, also where they do not fit what stands in the file.
for settings, message in (
        (["l2.slices=3"], r"^--set l2.slices=3: error: 'slices' must be a power of two, found 3$"),
        (["compute_unit.valu_cycles=1000"], r"'valu_latency_cycles' is \d+, expected at least the 1000 of 'valu_cycles', with --set "
         r"compute_unit.valu_cycles=1000$"),
        (["vector_l1.ways=3", "clock_mhz=1000"], r"of 3 ways .*, with --set vector_l1.ways=3 --set clock_mhz=1000$")):
    options = [o for s in settings for o in ("--set", s)]
    runs.check(f"settings {settings}", 2, message, "run", dispatch, "--config", "small", *options)
told("an implementation", "  simd: tlm", "  simd: @@fpga",
     "unknown implementation 'fpga' of block simd, expected tlm, rtl, rtl-check, lockstep, lockstep-check or dut:NAME")
told("an implementation as a map", "  valu: tlm", "  valu: @@{name: fpga}",
     "unknown implementation 'fpga' of block valu, expected tlm, rtl, rtl-check, lockstep, lockstep-check or dut:NAME")
told("a block", "  cache: tlm", "  l3: @@tlm",
     "unknown block 'l3', expected one of command_processor, spi, compute_unit, simd, valu, vrf, lds, matrix_core, gds, "
     "cache, crossbar, memory, l2, vector_l1, scalar_cache, instruction_cache")
for block in ["command_processor", "compute_unit"]:
    for name in ["rtl", "lockstep"]:
        told(f"{name} as {block}", f"  {block}: tlm", f"  {block}: @@{name}",
             f"block {block} has no RTL of ours, found '{name}', {RTL}")
# From the command line: the option is the place.
for option, choice in [("--impl", "command_processor=lockstep"), ("--impl", "compute_unit=rtl"), ("--lockstep", "compute_unit")]:
    block = choice.split("=")[0]
    found = choice.split("=")[1] if "=" in choice else "lockstep"
    status, out, err = runs.run("run", dispatch, "--engine", "ca", "--config", "small", option, choice)
    wanted = f"error: {option} {choice}: block {block} has no RTL of ours, found '{found}', {RTL}\n"
    runs.expect(status == 2 and err == wanted,
                f"{option} {choice}: status {status}, {err}{out}")
status, out, err = runs.run("run", dispatch, "--engine", "ca", "--config", "small", "--impl", "simd=fpga")
runs.expect(status == 2 and err.startswith("error: --impl simd=fpga: unknown implementation 'fpga' of block simd"),
            f"--impl simd=fpga: status {status}, {err}{out}")
if with_rtl:
    told("RTL for fewer compute units", "  gds: tlm", "  gds: @@lockstep",
         "block gds: our RTL has ports for 1 to 4 compute units, the machine has 5", ["ca"],
         GOOD.replace("compute_units: {value: 1,", "compute_units: {value: 5,"))
    told("exact times of the RTL", "  gds: tlm", "  gds: @@{name: rtl, timing: exact}",
         "block gds: no exact timing, because our RTL has gds.bytes_per_cycle 128, the machine 64; "
         "expected bounded(min,max) or ignore", ["ca"],
         GOOD.replace("bytes_per_cycle: {value: 128,", "bytes_per_cycle: {value: 64,"))
    told("RTL of a memory with another latency", "  memory: tlm", "  memory: @@rtl",
         "block memory: our RTL is built with latency_cycles 350, the machine has 200", ["ca"],
         GOOD.replace("latency_cycles: {value: 350,", "latency_cycles: {value: 200,"))
    told("exact times of the RTL of the memory", "  memory: tlm", "  memory: @@{name: rtl, timing: exact}",
         "block memory: no exact timing, expected bounded(min,max) or ignore", ["ca"])
    told("RTL of a crossbar with another latency", "  crossbar: tlm", "  crossbar: @@rtl",
         "block crossbar: our RTL is built with crossbar_cycles 16, the machine has 17", ["ca"],
         GOOD.replace("crossbar_cycles: {value: 16,", "crossbar_cycles: {value: 17,"))
    told("RTL of a crossbar for more compute units", "  crossbar: tlm", "  crossbar: @@lockstep",
         "block crossbar: our RTL is built with sources up to 13, the machine has 16", ["ca"],
         GOOD.replace("compute_units: {value: 1,", "compute_units: {value: 5,"))
    told("RTL of a crossbar with more slices", "  crossbar: tlm", "  crossbar: @@lockstep",
         "block crossbar: our RTL is built for 1, 2 or 4 slices, the machine has 8", ["ca"],
         GOOD.replace("slices: {value: 1,", "slices: {value: 8,"))
    told("a lookahead beyond RTL", "  crossbar: tlm", "  crossbar: @@lockstep",
         "lookahead of 4 cycles, expected at most 1, what a crossbar on pins allows: its requests come as they are sent",
         ["ca"], GOOD.replace("lookahead_cycles: {value: 0,", "lookahead_cycles: {value: 4,"))
    told("RTL of another cache", "  cache: tlm", "  l2: @@rtl", "block l2: our RTL is built with ways 16, the machine has 8",
         ["ca"], GOOD.replace("ways: {value: 16,", "ways: {value: 8,"))
    told("RTL of a cache with another replacement", "  cache: tlm", "  vector_l1: @@lockstep",
         "block vector_l1: our RTL is built with replacement lru, the machine has tree_plru", ["ca"],
         GOOD.replace("vector_l1:\n", "vector_l1:\n  replacement: tree_plru\n"))
    told("RTL of a cache for more compute units", "  cache: tlm", "  cache: @@lockstep",
         "block scalar_cache: our RTL is built with shared_by up to 3, the machine has 4", ["ca"],
         GOOD.replace("shared_by: {value: 1,", "shared_by: {value: 4,"))
    told("times of the RTL of a cache", "  cache: tlm", "  vector_l1: @@{name: rtl, timing: exact}",
         "block vector_l1: its times are not checked, expected ignore", ["ca"])
    told("a share of the RTL of a cache", "  cache: tlm", "  l2: @@{name: lockstep, lockstep: 1/4}",
         "block l2: its rules are checked whole, expected no share", ["ca"])
    told("a device without a library", "  valu: tlm", "  valu: @@dut:mine",
         "block valu: no library is given for 'dut:mine', expected {name: dut:mine, library: FILE} in the machine "
         "description", ["ca"])
    library = os.path.join(scratch, "missing.so")
    for block in ["lds", "gds", "memory", "cache", "crossbar", "spi"]:
        told(f"a device for {block}", f"  {block}: tlm", f"  {block}: @@{{name: dut:mine, library: missing.so}}",
             f"{library}: no such file, expected the shared module of a device", ["ca"])
    for role in ["l2", "vector_l1", "scalar_cache", "instruction_cache"]:
        told(f"a device in role {role}", "  cache: tlm", f"  cache: tlm\n  {role}: @@{{name: dut:mine, library: missing.so}}",
             f"{library}: no such file, expected the shared module of a device", ["ca"])
    told("a library that is missing", "  valu: tlm", "  valu: @@{name: dut:mine, library: missing.so}",
         f"{library}: no such file, expected the shared module of a device", ["ca"])
    told("one of all blocks", "implementations:\n", "devices:\n  mine: @@missing.so\nimplementations:\n",
         f"{library}: no such file, expected the shared module of a device", ["ca"],
         GOOD.replace("  valu: tlm", "  valu: dut:mine"))
    told("RTL of another target", "  simd: tlm", "  simd: @@rtl",
         "block simd: the RTL is for gfx908 with 256 rows of either kind, found gfx90a with 512 and 0", ["ca"], OTHER)
    told("a rule that a block lacks", "  vrf: tlm", "  vrf: @@{name: lockstep, timing: \"bounded(1,2)\"}",
         "block vrf: no bounded timing, expected exact or ignore", ["ca"])
runs.end(least=100)
