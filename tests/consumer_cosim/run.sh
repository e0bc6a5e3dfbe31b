#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR VERILATOR|none: installs the build tree, then uses libcuvette_cosim from there
# alone: a C99 program, and a SystemVerilog top that is master of its simulation, with a good and a
# broken device.
set -eu
build=$1
verilator=$2
source=$(cd "$(dirname "$0")" && pwd)
scratch=$build/tests/consumer_cosim
prefix=$scratch/prefix
fail() {
  echo "FAILED: $1"
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$prefix" > "$scratch/install.log" ||
  fail "cmake --install: build everything first"
library=$(find "$prefix" -name libcuvette_cosim.so)
library_dir=$(dirname "$library")
header_dir=$(dirname "$(find "$prefix" -name cuvette_cosim.h)")
package=$(find "$prefix" -name cuvette_cosim_pkg.sv)

# Its dependencies and symbols.
ldd "$library" > "$scratch/needed"
! grep -iE 'systemc|llvm|lld|verilat' "$scratch/needed" || fail "the library needs one of these"
nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^CUVETTE_COSIM_1' > "$scratch/shown"
! grep -vE '^(cuvette_cosim_|cuvette_dpi_)' "$scratch/shown" || fail "the library shows these"
! nm -D "$library" | grep -iE 'sc_core|llvm|Verilated' || fail "the library refers to these"

cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$header_dir" "$source/header.c" \
  -L"$library_dir" -lcuvette_cosim -Wl,-rpath,"$library_dir" -o "$scratch/header"
"$scratch/header" || fail "the C program"

if [ "$verilator" = none ]; then
  echo "skipped: SystemVerilog, no Verilator in this build"
  exit 0
fi
for broken in 0 1; do
  "$verilator" --binary -Wno-fatal --top-module top -GBROKEN=$broken --Mdir "$scratch/obj$broken" \
    -O0 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" \
    "$package" "$source/tiny_gpu.sv" "$source/top.sv" \
    -LDFLAGS "-L$library_dir -lcuvette_cosim -Wl,-rpath,$library_dir" -o simulation \
    > "$scratch/verilator$broken.log" 2>&1 || {
      cat "$scratch/verilator$broken.log"
      fail "verilator"
    }
  "$scratch/obj$broken/simulation" | tee "$scratch/run$broken.log"
done
grep -q '^PASSED: 8 instructions, 256 lanes, 128 accesses, 1 loads determined' "$scratch/run0.log" ||
  fail "the good device"
grep -q '^MISMATCH: retire: .*: v2 lane 5: expected 0x10004, found 0x4$' "$scratch/run1.log" ||
  fail "the broken device is not caught"
! grep -q PASSED "$scratch/run1.log" || fail "the broken device passes"
