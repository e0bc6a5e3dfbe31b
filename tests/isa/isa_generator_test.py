#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The table generator gives the same bytes every time, those of the build, and refuses broken tables.

usage: isa_generator_test.py SOURCE_DIR GENERATED_DIR
"""

import os
import shutil
import subprocess
import sys
import tempfile


def generate(generator, tables, out, hash_seed):
    env = dict(os.environ, PYTHONHASHSEED=hash_seed)
    return subprocess.run([sys.executable, generator, tables, out], env=env, capture_output=True,
                          text=True, check=False)


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def main():
    source, built = sys.argv[1:]
    generator = os.path.join(source, "tools", "gen", "gen_isa.py")
    tables = os.path.join(source, "model", "isa", "tables")
    with tempfile.TemporaryDirectory() as work:
        outputs = []
        for seed in ("1", "2"):
            out = os.path.join(work, seed)
            result = generate(generator, tables, out, seed)
            assert result.returncode == 0, result.stderr
            outputs.append(contents(out))
        assert len(outputs[0]) == 3, sorted(outputs[0])
        assert outputs[0] == outputs[1], "two runs differ"
        assert outputs[0] == contents(built), "the build tree holds something else"

        broken = os.path.join(work, "broken")
        shutil.copytree(tables, broken)
        with open(os.path.join(broken, "sop2.csv"), "a", encoding="ascii") as table:
            table.write("s_add_u32,99,all,,,Salu,,s_add_u32\n")
        result = generate(generator, broken, os.path.join(work, "out"), "1")
        assert result.returncode != 0 and "sop2.csv:55: s_add_u32 is already at" in result.stderr, result.stderr
    print(f"generator: {len(outputs[0])} files, deterministic")


if __name__ == "__main__":
    main()
