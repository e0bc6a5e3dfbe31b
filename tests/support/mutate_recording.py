#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a recording again with numbers changed at random: the program ends with a status of its own, every time.

usage: mutate_recording.py CUVETTE RECORDING COUNT [SEED]
"""
import pathlib
import random
import re
import subprocess
import sys

NUMBER = re.compile(r'(?<=[:\[,])("0x[0-9a-f]+"|\d+)(?=[,\]}])')
VALUES = ["0", "1", "2", "3", "7", "255", "65535", '"0xffffffff"', '"0xffffffffffffffff"']


def changed(text, places, source):
    """Up to ten numbers of the text, the last one first so that places stay."""
    chosen = source.sample(places, source.choice([1, 1, 3, 10]))
    for start, end in sorted(chosen, reverse=True):
        value = source.choice([*VALUES, str(source.getrandbits(8)), str(source.getrandbits(16))])
        text = text[:start] + value + text[end:]
    return text


def main():
    program, recording, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    source = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    text = recording.read_text(encoding="utf-8")
    places = [m.span() for m in NUMBER.finditer(text)]
    wrong = recording.with_suffix(".changed.jsonl")
    failed = 0
    for number in range(count):
        wrong.write_text(changed(text, places, source), encoding="utf-8")
        ended = subprocess.run([program, "rerun", wrong], capture_output=True, timeout=300, check=False)
        if ended.returncode not in (0, 1, 2):
            failed += 1
            kept = recording.with_suffix(f".{number}.jsonl")
            wrong.rename(kept)
            print(f"{kept}: status {ended.returncode}: {ended.stderr[-300:]}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
