#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_lds_test.sh BUILD_DIR: examples/user_lds from the install tree that user_valu_test.sh has made: a device unlike
# Cuvette's own passes in lockstep in kernels that use group memory, one that loses a store is caught with its place.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_lds
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/user_lds" "$scratch/source"
cd "$scratch/source"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "the example is not configured"; }
cmake --build build >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }
module_shows_one_function build/user_lds.so

machine user lds "{name: dut:mine, library: build/user_lds.so}"
for kernel in group_memory reduce transpose sgemm; do
  run 0 run "$repository/tests/dispatches/$kernel.yaml" --engine ca --config ./user.yaml
  says "lds dut:mine of compute unit 0: .* lds values compared, 0 mismatches"
  says "elements compared, 0 differ"
done
machine bounded lds "{name: dut:mine, library: build/user_lds.so, timing: 'bounded(1,40)'}"
run 1 run "$repository/tests/dispatches/reduce.yaml" --engine ca --config ./bounded.yaml
says "block lds of compute unit 0, cycle [0-9]*: response: in cycle [0-9]*, expected 1 to 40"

# The one with an error.
machine bug lds "{name: dut:mine, library: build/user_lds_bug.so}"
run 1 run "$repository/tests/dispatches/transpose.yaml" --engine ca --config ./bug.yaml
says "block lds of compute unit 0, cycle [0-9]*: response: field data, row 0, lane [0-9]*: expected"
says '"kind":0'
says "last transactions:"
echo "$passed passed, 0 failed"
