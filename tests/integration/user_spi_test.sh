#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_spi_test.sh BUILD_DIR: examples/user_spi, in C++, from the install tree that user_valu_test.sh has made: work-groups
# in other places than Cuvette's run kernels without breaking a rule; two that overlap in the LDS are refused by its name.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_spi
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/user_spi" "$scratch/source"
cd "$scratch/source"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "the example is not configured"; }
cmake --build build >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }
module_shows_one_function build/user_spi.so

machine user spi "{name: dut:mine, library: build/user_spi.so}"
for kernel in vector_add saxpy reduce transpose sgemm group_memory two_kernels; do
  run 0 run "$repository/tests/dispatches/$kernel.yaml" --engine ca --config ./user.yaml
  says "spi dut:mine: .*[1-9][0-9]* spi values.* compared, 0 mismatches"
done
# The one with an error: waves of two work-groups that have the same bytes.
machine bug spi "{name: dut:mine, library: build/user_spi_bug.so}"
run 1 run "$repository/tests/dispatches/transpose.yaml" --engine ca --config ./bug.yaml
says "block spi, cycle [0-9]*: rule lds: launch\[0\]: wave 0 of work-group 1 of dispatch [0-9]*: bytes [0-9]* to [0-9]*, which overlap bytes [0-9]* to [0-9]* of work-group 0"
says "last transactions:"
echo "$passed passed, 0 failed"
