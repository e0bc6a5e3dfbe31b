# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Fails when a library other than the allowed one refers to LLVM or lld.

usage: isolation_check.py --nm NM --allowed LAYER layer=library...
Looks at the undefined symbols of each library, which is what decides whether a program needs libLLVM.
The allowed layer must refer to LLVM: that proves that the search finds such symbols at all.
"""
import argparse
import re
import subprocess
import sys

# Demangled C++ names in namespace llvm or lld, and LLVM's C interface.
FOREIGN = re.compile(r"(^|\W)(llvm|lld)::|^LLVM[A-Z]")


def foreign_symbols(nm, library):
    output = subprocess.run([nm, "--demangle", "--undefined-only", "--no-sort", library], check=True,
                            capture_output=True, text=True).stdout
    names = (line.strip()[2:] for line in output.splitlines() if line.strip().startswith("U "))
    return sorted({name for name in names if FOREIGN.search(name)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--allowed", required=True)
    parser.add_argument("libraries", nargs="+")
    arguments = parser.parse_args()
    failed = False
    for entry in arguments.libraries:
        layer, library = entry.split("=", 1)
        found = foreign_symbols(arguments.nm, library)
        if layer == arguments.allowed:
            if not found:
                print(f"{layer}: no LLVM symbol found, so this check sees nothing")
                failed = True
        elif found:
            print(f"{layer} needs LLVM: {', '.join(found[:5])}")
            failed = True
        else:
            print(f"{layer}: free of LLVM")
    return 1 if failed else 0


sys.exit(main())
