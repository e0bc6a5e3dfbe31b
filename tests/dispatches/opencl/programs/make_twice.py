#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the data of the OpenCL programs once more, with another hash seed, and compares every byte with what the
build made: make_twice.py DATA -- ARGUMENTS OF make_matrix.py [-- ...]."""
import filecmp
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(script, arguments):
    environment = dict(os.environ, PYTHONHASHSEED="4711")
    subprocess.run([sys.executable, os.path.join(HERE, script)] + arguments, env=environment, check=True)


def compare(made, again):
    names = sorted(name for name in os.listdir(again) if name.endswith((".bin", ".yaml")))
    missing = {n for n in os.listdir(made) if n.endswith((".bin", ".yaml"))} ^ set(names)
    _, different, errors = filecmp.cmpfiles(made, again, names, shallow=False)
    for name in sorted(missing) + different + errors:
        print("differs: %s" % os.path.join(made, name))
    return len(names), bool(missing or different or errors)


def main():
    data, matrices, failed, count = sys.argv[1], [], False, 0
    for argument in sys.argv[2:]:
        if argument == "--":
            matrices.append([])
        else:
            matrices[-1].append(argument)
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "programs")
        run("make_programs.py", [again])
        pairs = [(data, again)]
        for arguments in matrices:
            again = os.path.join(folder, arguments[0])
            run("make_matrix.py", arguments[:2] + [again] + arguments[3:])
            pairs.append((arguments[2], again))
        for made, again in pairs:
            files, differ = compare(made, again)
            count, failed = count + files, failed or differ
    print("%d files compared" % count)
    return 1 if failed or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
