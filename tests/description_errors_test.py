#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine description asks for and no machine can be: status 2 and one message at file, line and column, the
same on every engine, whether the engine would have used that part or not (docs/machine_description.md).

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
BLOCKS = "RTL and devices are for simd, valu, vrf, matrix_core and lds"


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
told("a placement", "placement: round_robin", "placement: @@best_fit",
     "unknown placement 'best_fit', expected round_robin or first_fit")
told("a target", "target: gfx908", "target: @@gfx1030",
     "unknown target 'gfx1030', expected gfx900, gfx906, gfx908, gfx90a or gfx942")
told("registers of another target", "target: gfx908", "target: @@gfx90a",
     "machine description 'small': target gfx90a has vgpr_rows 512 and accvgpr_rows 0, found 256 and 256")
told("an implementation", "  simd: tlm", "  simd: @@fpga",
     "unknown implementation 'fpga' of block simd, expected tlm, rtl, rtl-check, lockstep, lockstep-check or dut:NAME")
told("an implementation as a map", "  valu: tlm", "  valu: @@{name: fpga}",
     "unknown implementation 'fpga' of block valu, expected tlm, rtl, rtl-check, lockstep, lockstep-check or dut:NAME")
told("a block", "  cache: tlm", "  l3: @@tlm",
     "unknown block 'l3', expected one of command_processor, spi, compute_unit, simd, valu, vrf, lds, matrix_core, gds, "
     "cache, memory")
for block in ["command_processor", "spi", "compute_unit", "gds", "cache", "memory"]:
    for name in ["dut:mine", "rtl", "lockstep"]:
        told(f"{name} as {block}", f"  {block}: tlm", f"  {block}: @@{name}",
             f"block {block} is tlm only, found '{name}'; {BLOCKS}")
told("a device with its library", "  cache: tlm", "  cache: @@{name: dut:mine, library: mine.so}",
     f"block cache is tlm only, found 'dut:mine'; {BLOCKS}")
# From the command line: the option is the place.
for option, choice in [("--impl", "cache=dut:mine"), ("--impl", "memory=rtl"), ("--lockstep", "gds")]:
    block = choice.split("=")[0]
    found = choice.split("=")[1] if "=" in choice else "lockstep"
    status, out, err = runs.run("run", dispatch, "--engine", "ca", "--config", "small", option, choice)
    runs.expect(status == 2 and err == f"error: {option} {choice}: block {block} is tlm only, found '{found}'; {BLOCKS}\n",
                f"{option} {choice}: status {status}, {err}{out}")
status, out, err = runs.run("run", dispatch, "--engine", "ca", "--config", "small", "--impl", "simd=fpga")
runs.expect(status == 2 and err.startswith("error: --impl simd=fpga: unknown implementation 'fpga' of block simd"),
            f"--impl simd=fpga: status {status}, {err}{out}")
if with_rtl:
    told("a device without a library", "  valu: tlm", "  valu: @@dut:mine",
         "block valu: no library is given for 'dut:mine', expected {name: dut:mine, library: FILE} in the machine "
         "description", ["ca"])
    library = os.path.join(scratch, "missing.so")
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
