#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_device_faults_test.sh BUILD_DIR: devices that break off or do not fit, built like examples/user_valu from the
# install tree that user_valu_test has made. A device that ends itself ($finish, a loop that does not settle) fails the
# run with a report, and the files that come after it are run; ports that are not those of docs/reference/valu.md are told by name.
# $CXX is the compiler.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_device_faults
. "$(dirname "$0")/user_device.sh"
rm -rf "$scratch"
mkdir -p "$scratch/runs"

# variant NAME SED_EXPRESSION...: the example's module, edited, as a device of that name.
projects="$scratch/source"
mkdir -p "$projects"
cat >"$projects/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(faults LANGUAGES C CXX)
find_package(cuvette REQUIRED)
set(operations v_mov_b32 v_add_u32 v_sub_u32 v_subrev_u32 v_lshlrev_b32 v_lshrrev_b32 v_and_b32 v_or_b32
    v_add_lshl_u32)
END
variant() {
  name=$1
  shift
  sed "$@" "$repository/examples/user_valu/user_valu.sv" >"$projects/$name.sv"
  ! cmp -s "$projects/$name.sv" "$repository/examples/user_valu/user_valu.sv" || fail "$name: nothing was edited"
  echo "cuvette_add_dut($name BLOCK valu TOP_MODULE user_valu SOURCES $name.sv OPERATIONS \${operations}
    VERILATOR_ARGS -Wno-fatal)" >>"$projects/CMakeLists.txt"
}
variant finish 's|^  assign response_valid_o .*|  always_ff @(posedge clk_i) if (rst_ni \&\& request_valid_i \&\& request_ready_o) $finish;\n&|'
variant unsettled -e 's|^  assign response_valid_o .*|  logic loop;\n  assign loop = request_valid_i \& ~loop;\n&|' \
  -e "s|^    flags:    '0,|    flags:    {6'b0, loop},|"
# Other widths under the same names: one bit less in, one more out.
variant widths -e 's|request_i\b|request|g' -e 's|response_o\b|response|g' \
  -e 's|^  input  valu_pkg::request_t  request,|  input  logic [4214:0] request_i,|' \
  -e 's|^  output valu_pkg::response_t response$|  output logic [1099:0] response_o|' \
  -e 's|^  function automatic logic \[31:0\] subtract.*|  valu_pkg::request_t request;\n  valu_pkg::response_t response;\n  assign request = {1'"'"'b0, request_i};\n  assign response_o = {1'"'"'b0, response};\n\n&|'
variant extra 's|^  output valu_pkg::response_t response_o|  input  logic              mode_i,\n&|'
cmake -S "$projects" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  >"$scratch/configure.log" 2>&1 || { cat "$scratch/configure.log"; fail "configuring"; }
cmake --build "$scratch/build" --target finish unsettled >"$scratch/build.log" 2>&1 ||
  { cat "$scratch/build.log"; fail "devices that break off do not build"; }

# Ports by name, at build.
misfit() {  # NAME
  ! cmake --build "$scratch/build" --target "$1" >"$scratch/out" 2>&1 || fail "$1 builds"
  [ ! -e "$scratch/build/$1.so" ] || fail "$1 left a module"
}
misfit widths
says "request_i is an input of 4215 bits, expected an input of 4216"
says "response_o is an output of 1100 bits, expected an output of 1099"
misfit extra
says "mode_i is no port of the block, expected no further inputs"

cd "$scratch/runs"
cp "$repository/examples/user_valu/subtract.yaml" .
cp subtract.yaml again.yaml
breaks_off() {  # NAME, PATTERN
  machine "$1" valu "{name: dut:$1, library: ../build/$1.so}"
  run 1 run subtract.yaml again.yaml --engine ca --config "$1.yaml" --results "$1.jsonl"
  says "$2"
  says "subtract.yaml: FAILED on ca"
  says "again.yaml: FAILED on ca"
  [ "$(grep -c '"exit":1' "$1.jsonl")" -eq 2 ] || fail "$1.jsonl has no line with status 1 for each file"
}
breaks_off finish 'the device called $finish at .*finish.sv:'
breaks_off unsettled "did not converge"
echo "$passed passed, 0 failed"
