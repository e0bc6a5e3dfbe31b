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


def number(value):
    """A word as the probe door takes it: an integer or text."""
    return int(value, 0) if isinstance(value, str) else value


def is_nan(word):
    return word & 0x7FFF_FFFF > 0x7F80_0000


def is_double_nan(low, high):
    return (high << 32 | low) & 0x7FFF_FFFF_FFFF_FFFF > 0x7FF0_0000_0000_0000


def differences(case, answer):
    """(register, lane, got, wanted) of each word that is neither the wanted one nor part of a NaN for a NaN."""
    double = "_f64" in case["asm"][0].split()[0]
    registers = case["read"]
    words, got = ({r: [number(w) for w in values[r]] for r in registers} for values in (case["want"], answer))
    any_nan = case.get("nan_any", ())
    found = []
    for index, register in enumerate(registers):
        low, high = registers[index & ~1], registers[index | 1] if double else None
        for lane, (g, w) in enumerate(zip(got[register], words[register], strict=True)):
            if g == w:
                continue
            if double:
                # The list names the high half of a NaN and leaves its low half open.
                free = w is None if register == low else register in any_nan
                wanted = is_double_nan(words[low][lane] or 0, words[high][lane])
                same = free and wanted and is_double_nan(got[low][lane], got[high][lane])
            else:
                same = register in any_nan and is_nan(g) and is_nan(w)
            if not same:
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
                  f"{got:#010x}, expected {want if want is None else hex(want)}")
    print(f"{engine}: {len(cases) - bad} of {len(cases)} cases, {words} words")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
