#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: options that take one value each, and JSON output of names that are no UTF-8.

command_line_test.py CUVETTE DISPATCHES SCRATCH
"""
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
file = os.path.join(dispatches, "saxpy.yaml")
# The word behind the value is a dispatch file, not another value.
runs.check("--config-dir DIR FILE", 0, "passed", "run", "--engine", "hsail", "--config-dir", scratch, file)
dump = runs.path("y.out")
runs.check("--dump NAME=FILE FILE", 0, "passed", "run", "--engine", "hsail", "--dump", f"y={dump}", file)
runs.expect(os.path.getsize(dump) > 0, "an empty dump")
runs.check("--impl BLOCK=NAME FILE", 0, "passed", "run", "--engine", "ca", "--config", "small", "--impl", "valu=tlm", file)
runs.check("machine check --config-dir DIR NAME", 0, "", "machine", "check", "--config-dir", scratch, "small")
# Each may come again.
runs.check("options given twice", 0, "passed", "run", file, "--engine", "hsail", "--dump", f"y={dump}",
           "--dump", f"x={runs.path('again.out')}", "--config-dir", scratch, "--config-dir", dispatches)

# A dump has what was stored before the run failed, on ca too, where the L2 has it; lt says what its time is.
fault = runs.write("fault.yaml", """code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &k(kernarg_u64 %p) {
      ld_kernarg_u64 $d0, [%p];
      st_global_u32 77, [$d0+4];
      st_global_u32 1, [$d0+65536];
      ret;
    };
kernel: "&k"
grid: [1]
workgroup: [1]
args:
  - buffer: {name: b, type: u32, count: 2}
""")
for engine in "golden", "lt", "ca":
    dump = runs.path(f"{engine}.out")
    runs.check(f"a fault on {engine}", 1, "unmapped", "run", fault, "--engine", engine, "--config", "small",
               "--dump", f"b={dump}")
    with open(dump, "rb") as f:
        runs.expect(f.read() == bytes([0, 0, 0, 0, 77, 0, 0, 0]), f"the dump after a fault on {engine}")
status, out, err = runs.run("run", file, "--engine", "lt")
runs.expect(status == 0 and "\n  time           loosely timed, " in out, f"the time of lt: {out + err}")

# File names are bytes.
odd = os.path.join(os.fsencode(scratch), b"odd\xff.yaml")
with open(file, "rb") as source, open(odd, "wb") as copy:
    folder = os.fsencode(os.path.abspath(dispatches))
    copy.write(source.read().replace(b"../kernels", folder + b"/../kernels")
               .replace(b"saxpy.expected.bin", folder + b"/saxpy.expected.bin"))
results = runs.path("results.jsonl")
status, out, err = runs.run("run", odd, "--engine", "hsail", "--results", results, text=False)
runs.expect(status == 0, f"a file name that is no UTF-8: exit {status}: {out + err}")
with open(results, encoding="utf-8") as lines:
    for line in lines:
        runs.expect(json.loads(line), "an empty result")
module = os.path.join(os.fsencode(scratch), b"odd\xff.hsail")
with open(module, "wb") as f:
    f.write(b"module &m:1:0:$full:$large:$default;\nnonsense\n")
status, out, err = runs.run("validate", module, "--diagnostics", "json", text=False)
good = status in (1, 2) and err != b""
for line in err.decode("utf-8", errors="strict").splitlines():
    good = good and isinstance(json.loads(line), dict)
runs.expect(good, f"diagnostics in JSON: exit {status}: {out + err}")

# Notations of floating-point constants; all mean the same BRIG.
floats = runs.write("floats.hsail", "module &m:1:0:$full:$large:$default;\n"
                    "global_f32x2 &x[] = f32x2[](f32x2(0f3f9e0419, 0f7f800001));\nglobal_f16 &h = -0.5h;\n")
brig = runs.path("floats.brig")
runs.check("asm", 0, "", "asm", floats)
with open(brig, "rb") as f:
    binary = f.read()
for notation, words in [("bits", ["0f3f9e0419", "0f7f800001", "0hb800"]),
                        ("c99", ["0x1.3c0832p+0f", "0f7f800001", "-0x1p-1h"]),
                        ("decimal", ["1.2345f", "0f7f800001", "-0.5h"])]:
    status, out, err = runs.run("disasm", brig, "--floats", notation, "-o", "-")
    runs.expect(status == 0 and all(w in out for w in words), f"--floats {notation}: exit {status}: {out + err}")
    runs.expect(notation != "bits" or runs.run("disasm", brig, "-o", "-")[1] == out, "--floats bits is not the default")
    again = runs.write("again.hsail", out)
    runs.check("asm", 0, "", "asm", again)
    with open(runs.path("again.brig"), "rb") as f:
        runs.expect(f.read() == binary, f"--floats {notation}: another BRIG")

runs.end()
