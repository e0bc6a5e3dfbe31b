#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""usage: verilate.py VERILATOR PREFIX FOLDER ARGUMENTS...

Runs Verilator with the arguments in the current folder. FOLDER gets its C++ and

  PREFIX.fast.cpp, PREFIX.slow.cpp  which include what is run in every cycle, and at the start or end
  PREFIX.d                          the sources that Verilator read, for the first of them, as a makefile has it

Two files for the compiler instead of four per package: a small one costs a second for the runtime's headers.
"""
import pathlib
import re
import subprocess
import sys

verilator, prefix, folder, *arguments = sys.argv[1:]
folder = pathlib.Path(folder).resolve()
folder.mkdir(parents=True, exist_ok=True)
command = [verilator, "--cc", "--prefix", prefix, "--Mdir", str(folder), *arguments]
done = subprocess.run(command, check=False, capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def words(text):
    """Words behind the first colon or assignment of the lines of a makefile, which may go on in the next line."""
    return re.split(r"\s+", text.replace("\\\n", " ").strip())


# Names of the C++ files, in Verilator's order.
names = [word for word in words((folder / f"{prefix}_classes.mk").read_text()) if re.fullmatch(rf"{prefix}\w*", word)]
if len(names) < 2:
    sys.exit(f"error: {folder}/{prefix}_classes.mk: expected names of C++ files, found {names}")
for kind in "fast", "slow":
    text = "".join(f'#include "{name}.cpp"\n' for name in names if bool(re.search("__(Slow|Syms)$", name)) == (kind == "slow"))
    (folder / f"{prefix}.{kind}.cpp").write_text(text)

_, sources = (folder / f"{prefix}__ver.d").read_text().split(" : ")
read = dict.fromkeys(str(pathlib.Path(word).resolve()) for word in words(sources))
(folder / f"{prefix}.d").write_text(f"{folder}/{prefix}.fast.cpp: {' '.join(read)}\n")
