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

cuvette, translator, dispatches, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]
MATRIX = ["gfx908", "gfx90a", "gfx942"]
FILES = ["histogram", "mixed", "reduce", "saxpy", "sgemm", "stencil", "transpose", "vector_add", "mfma_gemm",
         "program", "image", "image_rows", "constants", "externals"]
runs, failures = 0, []


def translated(text, what):
    done = subprocess.run([translator], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{what} has no text in the small machine model")
    return done.stdout


def small_file(path):
    out = os.path.join(scratch, os.path.basename(path))
    with open(path, encoding="ascii") as f, open(out, "w", encoding="ascii") as g:
        g.write(translated(f.read(), path))
    return out


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
    out = os.path.join(scratch, name + ".yaml")
    with open(out, "w", encoding="ascii") as f:
        yaml.safe_dump(document, f, sort_keys=False)
    return out


for name in FILES:
    path = small_dispatch(name)
    targets = MATRIX if name == "mfma_gemm" else TARGETS
    ways = [["--engine", "hsail"]] + [["--engine", "golden", "--target", t] for t in targets]
    ways += [["--engine", "ca", "--config", c] for c in ("small", "mi100")] + [["--engine", "lt", "--config", "small"]]
    for way in ways:
        runs += 1
        done = subprocess.run([cuvette, "run", path, *way], capture_output=True, text=True, check=False)
        if done.returncode != 0 or "passed" not in done.stdout + done.stderr:
            failures.append(f"{name} {' '.join(way)}: exit {done.returncode}\n{(done.stdout + done.stderr)[:600]}")

print(f"{runs} runs, {len(failures)} failed")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
