#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_matrix_core_test.sh BUILD_DIR MATRIX_MODULE SIMD_MODULE VRF_MODULE: examples/user_matrix_core from the install
# tree that user_valu_test.sh has made: the device passes in lockstep, one with an error is caught, explained and
# reproduced. Then modules of every block in the machine by one line of its description.
set -eu
build=$1
matrix_module=$2
simd_module=$3
vrf_module=$4
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_matrix_core
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/user_matrix_core" "$scratch/source"
cd "$scratch/source"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "the example is not configured"; }
cmake --build build >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }
module_shows_one_function build/user_matrix_core.so

# Impossible parameters are reported when the module is configured.
refused() {  # ARGUMENTS, pattern
  mkdir -p refused
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(x C CXX)\nfind_package(cuvette REQUIRED)\ncuvette_add_dut(x %s)\n' \
    "TOP_MODULE m SOURCES m.sv $1" >refused/CMakeLists.txt
  ! cmake -S refused -B refused/build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/out" 2>&1 || fail "accepted: $1"
  tr '\n' ' ' <"$scratch/out" | tr -s ' ' >"$scratch/line" && mv "$scratch/line" "$scratch/out"
  says "$2"
}
refused "BLOCK l3" "there is no block 'l3', expected command_processor, compute_unit, spi, simd, valu, vrf, lds, matrix_core, gds, cache, crossbar or memory"
refused "BLOCK gds ROLE l2" "ROLE goes with block cache"
refused "BLOCK cache ROLE l3" "unknown role 'l3', expected l2, vector_l1, scalar_cache or instruction_cache"
refused "BLOCK gds PARAMETERS UpPorts=2" "PARAMETERS UpPorts=2, expected NAME=N with the names of block gds: ComputeUnits"
refused "BLOCK matrix_core MODIFIERS clamp" "MODIFIERS go with block valu"
refused "BLOCK vrf OPERATIONS v_mov_b32" "a vrf has no OPERATIONS"
refused "BLOCK valu TARGETS gfx908 gfx1030" "unknown target 'gfx1030', expected gfx900, gfx906, gfx908, gfx90a or gfx942"

# The user's device, by one line of the machine description.
run 0 run products.yaml --engine golden --target gfx908
machine user matrix_core "{name: dut:mine, library: build/user_matrix_core.so}"
run 0 run products.yaml --engine ca --config ./user.yaml
says "matrix_core dut:mine of all [0-9]* SIMDs: .*, 0 mismatches"
says "12 elements compared, 0 differ"
run 0 run products.yaml --engine ca --config ./user.yaml --lockstep-instances 1 --lockstep matrix_core:1/2
says "matrix_core dut:mine of compute unit 0 SIMD 0, tlm in the other [0-9]* SIMDs, sampled 1/2"
machine wrong matrix_core "{name: dut:mine, library: $vrf_module}"
run 2 run products.yaml --engine ca --config ./wrong.yaml
says "a device for block vrf, expected one for block matrix_core"
machine wrong matrix_core "dut:mine"
run 2 run products.yaml --engine ca --config ./wrong.yaml
says "block matrix_core: no library is given for 'dut:mine'"

# The one with an error.
machine bug matrix_core "{name: dut:mine, library: build/user_matrix_core_bug.so}"
run 1 run products.yaml --engine ca --config ./bug.yaml --wave out.fst
says "block matrix_core of compute unit 0 SIMD 0, cycle [0-9]*: result: field d, "
says "v_mfma_i32_4x4x4i8"
says "reproduce    cuvette rerun out.recording.jsonl --wave out.fst"
says "rerun        the block alone differs in d"
[ "$(wc -c <out.fst)" -gt 300 ] || fail "no waveforms"
run 1 rerun out.recording.jsonl --wave again.fst
says "result: field d, "
[ -s again.fst ] || fail "no waveforms of the rerun"
run 0 rerun out.recording.jsonl --library build/user_matrix_core.so
says "matrix_core of compute unit 0 SIMD 0 (dut:mine) alone: passed"
sed 's/"device":"dut:mine"/"device":"rtl"/' out.recording.jsonl >rtl.jsonl
run 0 rerun rtl.jsonl
says "alone: passed"

# Modules of the other blocks: our own RTL behind the table.
for entry in "simd $simd_module" "vrf $vrf_module"; do
  block=${entry%% *}
  machine "$block" "$block" "{name: dut:mine, library: ${entry#* }, timing: exact}"
  run 0 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config "./$block.yaml"
  says "$block dut:mine of all [0-9]* SIMDs: .*, 0 mismatches"
done
machine matrix matrix_core "{name: dut:mine, library: $matrix_module, timing: exact}"
run 0 run products.yaml --engine ca --config ./matrix.yaml
says "matrix_core dut:mine of all [0-9]* SIMDs: .*, 0 mismatches"
echo "$passed passed, 0 failed"
