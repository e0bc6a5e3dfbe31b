#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# our_rtl_test.sh BUILD_DIR: examples/our_rtl from the install tree that user_valu_test.sh has made: our cache and our
# crossbar in sizes that the program's own builds do not have, in a machine of these sizes, run kernels and random requests
# without breaking a rule; parameters and straps that the module does not have are refused by name.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/our_rtl
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/our_rtl" "$scratch/source"
cd "$scratch/source"
configure() {  # FOLDER
  cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/out" 2>&1
}
configure build || fail "the example is not configured"
cmake --build build >"$scratch/out" 2>&1 || fail "the example does not build"
module_shows_one_function build/large_l2.so

sed -e "s|^compute_units: {value: 1,|compute_units: {value: 2,|" -e "s|^  slices: {value: 1,|  slices: {value: 2,|" \
  -e "/^  slice:/,/^memory:/{s|bytes: {value: 262144,|bytes: {value: 524288,|;s|ways: {value: 16,|ways: {value: 8,|
s|hit_cycles: {value: 100,|hit_cycles: {value: 120,|;s|misses: {value: 64,|misses: {value: 32,|
s|^    line_bytes|    replacement: tree_plru\n&|}" "$prefix/share/cuvette/config/small.yaml" >large.yaml
"$prefix/bin/cuvette" machine check ./large.yaml >"$scratch/out" || fail "the machine cannot be built"
run 2 run "$repository/tests/dispatches/reduce.yaml" --engine ca --config ./large.yaml --lockstep l2
says "our RTL is built with"
sed -i -e "s|^implementations:|&\n  l2: {name: dut:large, library: build/large_l2.so}|" \
  -e "s|^  crossbar: tlm|  crossbar: {name: dut:two, library: build/two_by_two.so}|" large.yaml
for kernel in reduce histogram transpose; do
  run 0 run "$repository/tests/dispatches/$kernel.yaml" --engine ca --config ./large.yaml
  says "l2 dut:large in 2 places; .*[1-9][0-9]* crossbar values, .*[1-9][0-9]* l2 values compared, 0 mismatches"
  says "[1-9][0-9]* elements compared, 0 differ"
done
run 0 check-device cache --role l2 --library build/large_l2.so --requests 5000 --stalls
says "seed 1: 5000 answers in [0-9]* cycles: passed"

# What the modules do not have.
refused() {  # what CMakeLists.txt has in place of $1 for $2; message
  sed "s|$1|$2|" "$repository/examples/our_rtl/CMakeLists.txt" >CMakeLists.txt
  if configure wrong; then
    if cmake --build wrong --target two_by_two >"$scratch/out" 2>&1; then fail "$2 is not refused"; fi
  fi
  tr -s ' \n' ' ' <"$scratch/out" >"$scratch/line"
  mv "$scratch/line" "$scratch/out"
  says "$3"
}
refused "Sets=1024" "Lines=1024" "PARAMETERS Lines=1024, expected NAME=N with a parameter of cache.sv: UpPorts;Sets;Ways"
refused "ROLE l2" "ROLE l3" "expected ROLE l2, vector_l1, scalar_cache or instruction_cache"
refused "BLOCK cache ROLE l2" "BLOCK compute_unit" "there is no RTL of block 'compute_unit', expected valu"
refused "STRAPS last_slice_i=1" "" "last_slice_i is no port of the block, expected no further inputs but STRAPS"
refused "last_slice_i=1" "last_slice_i=2" "last_slice_i has 1 bits, too few for the strap 2"
refused "last_slice_i=1" "last_slice_i=1 first_i=0" "first_i is no strap, expected an input of 1 to 32 bits"
echo "$passed passed, 0 failed"
