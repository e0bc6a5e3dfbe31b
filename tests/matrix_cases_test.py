#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions through the probe door against tests/oracles/mfma/cases.jsonl.gz (README.md beside it): every
case on the engine answers ok, with the wanted words.

usage: matrix_cases_test.py CUVETTE CASES ENGINE"""
import gzip
import json
import subprocess
import sys

TARGETS = {"gfx908": 110, "gfx90a": 162, "gfx942": 316}


def is_nan(word, double):
    if double:
        return word & 0x7FFF_FFFF_FFFF_FFFF > 0x7FF0_0000_0000_0000
    return word & 0x7FFF_FFFF > 0x7F80_0000


def differences(case, answer):
    """(register, lane, got, wanted) of each word that is neither the wanted one nor a NaN for a NaN."""
    double = "_f64" in case["asm"][0].split()[0]
    registers = case["read"]
    words = {r: [int(w, 16) for w in case["want"][r]] for r in registers}
    got = {r: [int(w, 16) for w in answer[r]] for r in registers}
    found = []
    for index, register in enumerate(registers):
        any_nan = register in case.get("nan_any", ())
        # A register pair holds a double: NaN or not is a question of both.
        low = registers[index & ~1] if double else register
        high = registers[index | 1] if double else register
        for lane, (g, w) in enumerate(zip(got[register], words[register], strict=True)):
            if g == w:
                continue
            if any_nan and double:
                pair = [values[high][lane] << 32 | values[low][lane] for values in (got, words)]
                if all(is_nan(v, True) for v in pair):
                    continue
            elif any_nan and is_nan(g, False) and is_nan(w, False):
                continue
            found.append((register, lane, g, w))
    return found


def main():
    cuvette, path, engine = sys.argv[1:]
    with gzip.open(path, "rt") as file:
        cases = [json.loads(line) for line in file]
    counts = {t: sum(c["target"] == t for c in cases) for t in TARGETS}
    if counts != TARGETS or sum(counts.values()) != len(cases):
        print(f"cases by target: {counts}, expected {TARGETS}")
        return 1
    asked = "".join(json.dumps({k: v for k, v in c.items() if k not in ("want", "nan_any")}) + "\n" for c in cases)
    run = subprocess.run([cuvette, "probe", "--engine", engine], input=asked, text=True, capture_output=True,
                         check=False)
    if run.returncode != 0:
        print(f"status {run.returncode}: {run.stderr[-2000:]}")
        return 1
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if [a.get("id") for a in answers] != [c["id"] for c in cases]:
        print(f"{len(answers)} answers, or others than those asked for")
        return 1
    bad = words = 0
    for case, answer in zip(cases, answers, strict=True):
        if answer["status"] != "ok":
            bad += 1
            print(f"{case['id']}: {answer['status']}: {answer.get('error', '')}")
            continue
        if set(case["want"]) != set(case["read"]):
            bad += 1
            print(f"{case['id']}: registers wanted are not those read")
            continue
        words += 64 * len(case["want"])
        found = differences(case, answer)
        if found:
            bad += 1
            register, lane, got, want = found[0]
            print(f"{case['id']}: {case['asm'][0]}: {len(found)} words differ, {register} lane {lane} is "
                  f"{got:#010x}, expected {want:#010x}")
    print(f"{engine}: {len(cases) - bad} of {len(cases)} cases, {words} words")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
