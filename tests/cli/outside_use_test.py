#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Cases met by users of the program: the inputs and right results of tests/outside_use/cases.yaml, one
line of result per case and engine.

outside_use_test.py CUVETTE CLANG DEVICE_LIBRARIES SCRATCH WITH_RTL BUILD_DIR|none

BUILD_DIR: where ctest knows the tests that cover a case elsewhere; none does not look.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import yaml

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, clang, libraries, scratch = (os.path.abspath(a) for a in sys.argv[1:5])
with_rtl = sys.argv[5] == "1"
build = sys.argv[6]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside_use")
shutil.rmtree(scratch, ignore_errors=True)
shutil.copytree(source, scratch)
runs = Runs(cuvette, scratch)
with open(os.path.join(source, "cases.yaml"), encoding="ascii") as f:
    cases = yaml.safe_load(f)


def make(name, file, target, *options):
    if file.endswith(".s"):
        language = ["-x", "assembler"]
    else:
        language = ["-x", "cl", "-cl-std=CL2.0", "-O2", f"--rocm-device-lib-path={libraries}"]
    subprocess.run([clang, *language, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-mcode-object-version=5", *options,
                    file, "-o", name], cwd=scratch, check=True)


def move_relocation(name, other, place):
    """Gives the last dynamic relocation another place. The offset of its entry in the file."""
    with open(runs.path(name), "rb") as f:
        code = bytearray(f.read())
    sections, count = struct.unpack_from("<Q", code, 0x28)[0], struct.unpack_from("<H", code, 0x3c)[0]
    headers = [struct.unpack_from("<IIQQQQ", code, sections + 0x40 * i) for i in range(count)]
    entry = [offset + size - 24 for _, kind, _, _, offset, size in headers if kind == 4][-1]  # SHT_RELA
    struct.pack_into("<q", code, entry, place)
    runs.write(other, bytes(code))
    return entry


def lanes(text):
    """Values of "7*2 0*62" in order; None for other text."""
    parts = [re.fullmatch(r"(0x[0-9a-f]+|\d+)(?:\*(\d+))?", part) for part in text.split()]
    values = [int(p[1], 0) for p in parts if p for _ in range(int(p[2] or 1))] if all(parts) else []
    return values if len(values) == 64 else None


def probe(case, engine):
    """Errors in the answers."""
    with open(runs.path(case["probe"]), encoding="ascii") as f:
        status, out, err = runs.run("probe", "--engine", engine, stdin=f)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    wrong = [] if status == 0 and answers.keys() == case["values"].keys() else [f"status {status}, {list(answers)}: {err}"]
    for name, values in case["values"].items():
        answer = answers.get(name, {})
        for place, value in values.items():
            expected = [f"0x{v:08x}" for v in ([value] * 64 if isinstance(value, int) else lanes(value) or [])] or value
            found = answer.get(place, answer)
            if found == expected:
                continue
            if isinstance(found, list) and isinstance(expected, list):
                lane = [f != e for f, e in zip(found, expected)].index(True)
                place, found, expected = f"{place} of lane {lane}", found[lane], expected[lane]
            wrong.append(f"{name}: {place} is {found}, expected {expected}")
    return wrong


def commands(case, engine, entry):
    """Errors in the runs."""
    wrong = []
    executed = None
    for step in case["run"]:
        command = step["command"].split() + (["--engine", engine] if engine else [])
        status, out, err = runs.run(*command, cwd=scratch)
        says = [text.replace("{entry}", f"{entry:#x}") for text in step["says"]]
        missing = [text for text in says if not re.search(text, out + err)]
        if status != step["status"] or missing:
            wrong.append(f"{step['command']}: status {status}, expected {step['status']} and {missing}: {out}{err}")
        count = re.search(r"executed +(\d+) instructions", out)
        if "more_instructions" in step and (not count or not executed or int(count[1]) > int(executed[1])):
            wrong.append(f"{step['command']}: {count and count[0]}, expected at most {executed and executed[0]}")
        executed = count
    return wrong


def registered(test):
    """True if ctest knows a test, or cases of it."""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True).stdout
    known = [test["name"] for test in json.loads(listed)["tests"]]
    return any(test in name for name in known)


for case in cases:
    name = case["name"]
    if not runs.expect(case["source"], f"{name}: no source of the right value"):
        continue
    if "test" in case:
        if build != "none" and (with_rtl or not case.get("rtl")):
            runs.expect(registered(case["test"]), f"{name}: ctest has no test {case['test']}")
        continue
    for file, text in case.get("files", {}).items():
        runs.write(file, bytes.fromhex(text))
    for file, (text, target, *options) in case.get("make", {}).items():
        make(file, text, target, *options)
    entry = 0
    if "move_relocation" in case:
        entry = move_relocation(*case["move_relocation"].values())
    for engine in case.get("engines", [None]):
        if engine == "rtl" and not with_rtl:
            continue
        wrong = probe(case, engine) if "probe" in case else commands(case, engine, entry)
        what = f"{name} on {engine}" if engine else name
        print("FAILED" if wrong else "passed", what)
        runs.expect(not wrong, f"{what}: " + "\n".join(wrong))
runs.end(least=45)
