#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""usage: sizes.py [REVISION...]   default: HEAD

Prints, for each folder of sources and revision of the repository, the number of files, their median length and the
largest one, in lines. Folders of layers are counted with their subfolders. Then the lines of parts of several folders.
"""
import collections
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {".cpp", ".h", ".sv", ".svh", ".py", ".sh", ".c"}
DEEP = {"model", "rtl", "tests", "ip"}  # a row for each folder inside
PARTS = {
    "golden": ("model/wave", "model/golden"),
    "ca and lt": ("model/compute_unit", "model/gpu", "model/simd"),
    "lockstep of valu, vrf, simd, matrix_core": ("ip/valu", "ip/vrf", "ip/simd", "ip/matrix_core"),
    "lockstep of every block": ("ip/lockstep", "ip/common"),
    "lockstep of the other blocks": ("ip/cache", "ip/command_processor", "ip/compute_unit", "ip/crossbar", "ip/gds",
                                     "ip/lds", "ip/memory", "ip/spi"),
}


def git(*arguments, **options):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, **options).stdout


def lengths(revision):
    """Lines of each source file by path."""
    names = [path for path in git("ls-tree", "-r", "--name-only", "-z", revision, text=True).split("\0")
             if pathlib.Path(path).suffix in KINDS]
    asked = "".join(f"{revision}:{name}\n" for name in names).encode()
    out, found, at = git("cat-file", "--batch", input=asked), {}, 0
    for name in names:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        found[name] = out[end + 1:end + 1 + size].count(b"\n")
        at = end + 1 + size + 1
    return found


def folder(path):
    parts = pathlib.PurePosixPath(path).parts
    if len(parts) == 1:
        return None
    return "/".join(parts[:2]) if parts[0] in DEEP and len(parts) > 2 else parts[0]


def by_folder(revision):
    """Lines and path of each file, by folder."""
    folders = collections.defaultdict(list)
    for path, lines in lengths(revision).items():
        if folder(path) is not None:
            folders[folder(path)].append((lines, path))
    return folders


def rows(folders):
    return {name: (len(files), int(statistics.median(lines for lines, _ in files)), *max(files))
            for name, files in folders.items()}


def main():
    revisions = sys.argv[1:] or ["HEAD"]
    trees = [by_folder(revision) for revision in revisions]
    tables = [rows(folders) for folders in trees]
    for name in sorted(set().union(*tables)):
        cells = []
        for table in tables:
            files, median, most, path = table.get(name, (0, 0, 0, ""))
            cells.append(f"{files} files, median {median}, largest {most} ({pathlib.PurePosixPath(path).name})"
                         if files else "-")
        print(f"{name:<28} " + " | ".join(cells))
    for part, names in PARTS.items():
        totals = [sum(lines for name in names for lines, _ in folders.get(name, ())) for folders in trees]
        print(f"{part}: " + " | ".join(f"{total:,} lines" for total in totals))


main()
