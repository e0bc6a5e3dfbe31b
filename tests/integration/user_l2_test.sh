#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_l2_test.sh BUILD_DIR: examples/user_l2 from the install tree that user_valu_test.sh has made: an L2 slice unlike
# Cuvette's runs kernels without breaking a rule; one that loses a store is caught with address, requester and serial.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_l2
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/user_l2" "$scratch/source"
cd "$scratch/source"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "the example is not configured"; }
cmake --build build >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }
module_shows_one_function build/user_l2.so

role() {  # NAME, role, the text behind it: a machine with a device in this role of the cache
  sed "s|^implementations:|&\n  $2: $3|" "$prefix/share/cuvette/config/small.yaml" >"$1.yaml"
}
role user l2 "{name: dut:mine, library: build/user_l2.so}"
for kernel in vector_add saxpy reduce transpose histogram stencil two_kernels program; do
  run 0 run "$repository/tests/dispatches/$kernel.yaml" --engine ca --config ./user.yaml
  says "l2 dut:mine slice 0: .*[1-9][0-9]* l2 values compared, 0 mismatches"
done
# In another role, and with another number of ports, it is refused by name.
role wrong scalar_cache "{name: dut:mine, library: build/user_l2.so}"
run 2 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config ./wrong.yaml
says "a device for block l2, expected one for block cache, in role scalar_cache or in any"
sed -i 's/ROLE l2/ROLE l2 PARAMETERS UpPorts=3/' CMakeLists.txt
cmake -S . -B build3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "three ports are not configured"; }
cmake --build build3 --target user_l2 >"$scratch/build.log" || { cat "$scratch/build.log"; fail "three ports do not build"; }
role wrong l2 "{name: dut:mine, library: build3/user_l2.so}"
run 2 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config ./wrong.yaml
says "the device has 3 ports of channel up_request, the machine 2"

# The one with an error.
role bug l2 "{name: dut:mine, library: build/user_l2_bug.so}"
run 1 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config ./bug.yaml
says "block l2 slice 0, cycle [0-9]*: rule lost write: up_response\[1\]: answers Writeback"
says "of block 0x[0-9a-f]* are not below, written by compute unit 0 wave [0-9]* sequence [0-9]*, serial [1-9][0-9]*"
says "last transactions:"
echo "$passed passed, 0 failed"
