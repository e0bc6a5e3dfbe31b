#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The generator of HSAIL's matrix instructions gives the same bytes every time, those of the build, and refuses
tables it has no names for.

usage: hsail_matrix_generator_test.py SOURCE_DIR GENERATED_DIR
"""

import os
import subprocess
import sys
import tempfile


def generate(generator, table, out, hash_seed="1"):
    env = dict(os.environ, PYTHONHASHSEED=hash_seed)
    return subprocess.run([sys.executable, generator, table, out], env=env, capture_output=True, text=True, check=False)


def generated(folder):
    with open(os.path.join(folder, "hsail", "matrix_instructions.inc"), "rb") as file:
        return file.read()


def main():
    source, built = sys.argv[1:]
    generator = os.path.join(source, "tools", "gen", "gen_hsail_matrix.py")
    table = os.path.join(source, "model", "isa", "tables", "vop3p_mai.csv")
    with open(table, encoding="ascii") as file:
        good = file.read()
    with tempfile.TemporaryDirectory() as work:
        outputs = []
        for seed in ("1", "2"):
            out = os.path.join(work, seed)
            result = generate(generator, table, out, seed)
            assert result.returncode == 0, result.stderr
            outputs.append(generated(out))
        assert outputs[0] == outputs[1], "two runs differ"
        assert outputs[0] == generated(built), "the build tree holds something else"

        row = next(line for line in good.splitlines() if line.startswith("v_mfma_f32_32x32x2f32,"))
        for wrong, message in (
                (row.replace(",32,32,2,1,", ",64,64,2,1,"), "v_mfma_f32_32x32x2f32: a shape without opcode"),
                (row.replace(",F32,F32,F32,0,1", ",PkF16,F32,F32,0,1"), "v_mfma_f32_32x32x2f32: a format without name"),
                # Two instructions of one shape on one target.
                (row + "\n" + row.replace("32x32x2f32", "other"), "cannot be one HSAIL instruction")):
            assert wrong != row
            broken = os.path.join(work, "broken.csv")
            with open(broken, "w", encoding="ascii") as file:
                file.write(good.replace(row, wrong))
            result = generate(generator, broken, os.path.join(work, "out"))
            assert result.returncode != 0 and message in result.stderr, (message, result.stderr)
    print("generator: deterministic, refuses 3 broken tables")


if __name__ == "__main__":
    main()
