#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/develop/verification_plan.md are those of ip/coverage/coverage_plan.yaml, what is compiled is what the generator
writes, and plans with mistakes are refused by name.

usage: coverage_plan_test.py SOURCE_DIR GENERATED_DIR
"""

import filecmp
import os
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- ip/coverage/coverage_plan.yaml -->\n", "<!-- end -->\n"
# A plan that is right, and what one change makes of it.
RIGHT = "axes:\n  a: [x, y]\ngroups:\n  - {name: vrf.a, axes: [a], by: t, what: w}\n"
MISTAKES = [
    ("groups:\n", "group:\n", "expected axes and groups"),
    ("by: t, ", "", "expected name, axes, by, what"),
    ("axes: [a], by", "axes: [b], by", "no axis b"),
    ("[x, y]\n", "[x, y]\n  b: [z]\n", "axis b belongs to no group"),
    ("[x, y]\n", "{rows: valu, only: odd}\n", "unknown filter odd"),
    ("[x, y]\n", "{rows: lds}\n", "unknown set"),
    ("[x, y]\n", "7\n", "expected a list or a set"),
    ("vrf.a", "vrf", "expected another name"),
]


def generate(source, plan, output):
    tables = os.path.join(source, "model", "isa", "tables")
    return subprocess.run([sys.executable, os.path.join(source, "tools", "gen", "gen_coverage.py"), plan, tables,
                           os.path.join(source, "rtl", "valu", "valu_ops.csv"), output],
                          capture_output=True, text=True, check=False)


def main():
    source, generated = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        done = generate(source, os.path.join(source, "ip", "coverage", "coverage_plan.yaml"), folder)
        assert done.returncode == 0, done.stderr
        for name in ("coverage_groups.h", "coverage_plan.inc", "coverage_plan.md"):
            again, built = os.path.join(folder, "ip", name), os.path.join(generated, "ip", name)
            assert filecmp.cmp(again, built, shallow=False), f"{built} is out of date"
        with open(os.path.join(folder, "ip", "coverage_plan.md"), encoding="ascii") as file:
            table = file.read()
        with open(os.path.join(source, "docs", "develop", "verification_plan.md"), encoding="utf-8") as file:
            page = file.read()
        shown = page[page.index(BEGIN) + len(BEGIN):page.index(END)]
        assert shown == table, "docs/develop/verification_plan.md has other tables than the plan; copy coverage_plan.md"
        plan = os.path.join(folder, "plan.yaml")
        for old, new, message in [("", "", None)] + MISTAKES:
            assert old in RIGHT
            with open(plan, "w", encoding="ascii") as file:
                file.write(RIGHT.replace(old, new, 1))
            done = generate(source, plan, folder)
            if message is None:
                assert done.returncode == 0, done.stderr
            else:
                assert done.returncode != 0 and message in done.stderr, (new, done.stderr)
    print(f"{len(MISTAKES) + 4} checks passed")


if __name__ == "__main__":
    main()
