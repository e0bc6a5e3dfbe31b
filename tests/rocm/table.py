#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of ROCm programs and of the libraries under them, from the rows that tests with label rocm have left.

table.py BUILD [--page FILE]

Every test leaves a row for its last run in BUILD/tests/rocm/rows. Prints the tables, or writes them into a page between
`<!-- rocm: NAME -->` and `<!-- end -->`. Fails when a row has a mismatch or a failure.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

# What is tested, and the Debian packages whose versions are told.
GROUPS = {
    "hsa": ("HSA runtime with the finalizer extension", ["libhsa-runtime64-1"]),
    "hip": ("HIP", ["libamdhip64-5"]),
    "rocprim": ("rocPRIM", ["librocprim-dev"]),
    "rocrand": ("rocRAND", ["librocrand1"]),
    "rocsparse": ("rocSPARSE", ["librocsparse0"]),
    "hipsparse": ("hipSPARSE", ["libhipsparse0"]),
    "clang": ("OpenMP of clang", ["libomp5-19", "libomp-19-dev"]),
    "gcc": ("OpenMP and OpenACC of GCC", ["gcc-12-offload-amdgcn"]),
}
ENGINES = ["golden", "lt", "ca", "ca, lockstep"]


def engine_of(row):
    return "ca, lockstep" if row["lockstep"] else row["engine"]


def version_of(packages):
    for package in packages:
        found = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package],
                               capture_output=True, text=True, check=False)
        if found.returncode == 0 and found.stdout.startswith("installed "):
            return found.stdout.split()[1]
    return "not installed"


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def programs(rows):
    def place(row):
        return (list(GROUPS).index(row["group"]), row["program"], ENGINES.index(engine_of(row)), row["lockstep"],
                row["machine"], row["arguments"])

    cells = []
    for row in sorted(rows, key=place):
        engine = f"{row['engine']} ({row['machine']})"
        if row["lockstep"]:
            engine += ", lockstep: " + row["lockstep"]
        # Files have no meaning for the reader: the numbers of the command line do.
        arguments = [a for a in row["arguments"] if re.fullmatch(r"[\w-]+", a)]
        result = f"{row['differ']} differ" if row["passed"] else "failed"
        cells.append([" ".join([row["program"], *arguments]), engine, row["checks"], result, row["instructions"],
                      row["seconds"]])
    return table(["program", "engine (machine)", "checks", "result", "wave instructions", "seconds"], cells)


def libraries(rows):
    cells = []
    for group, (name, packages) in GROUPS.items():
        own = [row for row in rows if row["group"] == group]
        if not own:
            continue
        counts = []
        for engine in ENGINES:
            runs = [row for row in own if engine_of(row) == engine]
            passed = sum(row["passed"] for row in runs)
            counts.append(f"{passed} of {len(runs)}" if runs else "-")
        cells.append([name, version_of(packages), len({row["program"] for row in own}), *counts,
                      sum(row["checks"] for row in own), sum(row["differ"] for row in own)])
    return table(["library", "Debian's version", "programs", *(f"passed on {engine}" for engine in ENGINES), "checks",
                  "differ"], cells)


def summary(rows):
    counts = []
    for engine in ENGINES:
        # A program that is compiled for several targets by several compilers is one program.
        names = {re.sub(r"_(clang|gcc)_gfx\w+$", "", row["program"]) for row in rows
                 if engine_of(row) == engine and row["passed"]}
        counts.append(f"{len(names)} on {engine}")
    return ["Different programs passed: " + ", ".join(counts) + "."]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder of a build, as build/release")
    parser.add_argument("--page", help="page to write the tables into")
    args = parser.parse_args()
    rows = []
    for name in sorted(glob.glob(os.path.join(args.build, "tests/rocm/rows/*.json"))):
        with open(name, encoding="utf-8") as file:
            rows.append(json.load(file))
    if not rows:
        sys.exit(f"table.py: error: {args.build}: no rows of tests; expected a build whose tests ctest -L rocm has run")
    parts = {"libraries": libraries(rows), "programs": programs(rows), "summary": summary(rows)}
    if args.page:
        with open(args.page, encoding="utf-8") as file:
            text = file.read()
        for name, lines in parts.items():
            text, count = re.subn(rf"(<!-- rocm: {name} -->\n).*?(<!-- end -->)",
                                  lambda match, lines=lines: "{}\n{}\n\n{}".format(match[1], "\n".join(lines), match[2]),
                                  text, flags=re.DOTALL)
            if count != 1:
                sys.exit(f"table.py: error: {args.page}: '<!-- rocm: {name} -->' is there {count} times, expected once")
        with open(args.page, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print("\n\n".join("\n".join(lines) for lines in parts.values()))
    bad = [row for row in rows if not row["passed"] or row["differ"]]
    for row in bad:
        print(f"table.py: failed: {row['program']} on {engine_of(row)}", file=sys.stderr)
    sys.exit(1 if bad else 0)


main()
