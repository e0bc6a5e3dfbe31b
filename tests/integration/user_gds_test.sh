#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_gds_test.sh BUILD_DIR: examples/user_gds from the install tree that user_valu_test.sh has made: a global data share
# unlike Cuvette's runs kernels of every target and random requests without a difference; one that loses an atomic
# operation and one whose barrier lets waves go too early are found by both, with what differs.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$build/tests/user_valu/moved
scratch=$build/tests/user_gds
. "$(dirname "$0")/user_device.sh"
[ -d "$prefix" ] || fail "no install tree, run user_valu_test first"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$repository/examples/user_gds" "$scratch/source"
cd "$scratch/source"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; fail "the example is not configured"; }
cmake --build build >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }
module_shows_one_function build/user_gds.so

four_units() {  # NAME, target, the text behind the block: the installed small machine of the target with four compute units
  file=small_$2
  [ "$2" != gfx908 ] || file=small
  sed "s|^  gds: .*|  gds: $3|; s|^compute_units: {value: 1,|compute_units: {value: 4,|" \
    "$prefix/share/cuvette/config/$file.yaml" >"$1.yaml"
  grep -qF "  gds: $3" "$1.yaml" && grep -q "^compute_units: {value: 4," "$1.yaml" || fail "$file.yaml has other lines"
}
passes() {  # NAME of the machine, dispatch file
  run 0 run "$2" --engine ca --config "./$1.yaml"
  says "gds dut:mine: [1-9][0-9]* gds responses, [1-9][0-9]* gds takens, .*[1-9][0-9]* gds values compared, 0 mismatches"
  says "[1-9][0-9]* elements compared, 0 differ"
}
meet=$build/tests/dispatches/gds/meet
gcn=$repository/tests/dispatches/gcn.yaml
for target in gfx900 gfx906; do
  four_units $target $target "{name: dut:mine, library: build/user_gds_64k.so}"
  passes $target "$gcn"
done
for target in gfx908 gfx90a; do
  four_units $target $target "{name: dut:mine, library: build/user_gds.so}"
done
passes gfx900 "$meet.gfx900.yaml"
for kernel in "$meet.gfx908.yaml" "$build/tests/dispatches/sync/sync.yaml" "$gcn"; do
  passes gfx908 "$kernel"
done
for target in gfx900 gfx906 gfx908 gfx90a; do  # the last one has global wave sync alone
  passes $target meet.yaml
done

# A sample, and times.
four_units sampled gfx908 "{name: dut:mine, library: build/user_gds.so, lockstep: 1/3}"
run 0 run "$meet.gfx908.yaml" --engine ca --config ./sampled.yaml
says "gds dut:mine, sampled 1/3: .* compared, 0 mismatches"
four_units bounded gfx908 "{name: dut:mine, library: build/user_gds.so, timing: 'bounded(1,200000)'}"
run 0 run "$meet.gfx908.yaml" --engine ca --config ./bounded.yaml
says "[1-9][0-9]* gds times, .* 0 mismatches"
four_units bounded gfx908 "{name: dut:mine, library: build/user_gds.so, timing: 'bounded(1,40)'}"
run 1 run "$meet.gfx908.yaml" --engine ca --config ./bounded.yaml
says "block gds, cycle [0-9]*: taken\[0\]: in cycle [0-9]*, expected 1 to 40"

# Another number of ports and another target are refused by name.
machine wrong gds "{name: dut:mine, library: build/user_gds.so}"
run 2 run "$meet.gfx908.yaml" --engine ca --config ./wrong.yaml
says "the device has 4 ports of channel request, the machine 1"
four_units wrong gfx908 "{name: dut:mine, library: build/user_gds_64k.so}"
run 2 run "$meet.gfx908.yaml" --engine ca --config ./wrong.yaml
says "the device is for gfx900, gfx906, the machine is of gfx908"

# Random requests.
check() {  # STATUS, target, device, further arguments
  wanted=$1 target=$2 device=$3
  shift 3
  run "$wanted" check-device gds --config "./$target.yaml" --library "build/$device.so" "$@"
}
for seed in 1 2; do
  check 0 gfx908 user_gds --seed $seed --requests 1200
  says "seed $seed: 1200 answers in [0-9]* cycles: passed"
  says "covered  *\([0-9]*\) of \1 points"
  check 0 gfx908 user_gds --seed $seed --requests 1200 --stalls
  says "seed $seed: 1200 answers in [0-9]* cycles: passed"
done
check 0 gfx900 user_gds_64k --seed 3 --requests 2000
says "2000 answers in [0-9]* cycles: passed"
check 0 gfx90a user_gds --seed 4 --requests 2000
says "2000 answers in [0-9]* cycles: passed"

# The ones with an error. The sum of all lanes' numbers is what a load behind the barrier is to give.
four_units bug gfx908 "{name: dut:mine, library: build/user_gds_bug.so}"
run 1 run "$meet.gfx908.yaml" --engine ca --config ./bug.yaml
says "block gds, cycle [0-9]*: response\[[0-3]\]: field data, row 0, lane 0: expected 0x1a37a5, the device gives 0x"
says '  asked .*"sync":0,.*"kind":0,'
says "last transactions:"
says "rerun  *the block alone differs in data, cycle"
check 1 gfx908 user_gds_bug --seed 1 --requests 3000
says "block gds, cycle [0-9]*: response\[[0-3]\]: field data, row [0-3], lane [0-9]*: expected 0x[0-9a-f]*, the device gives"
four_units early gfx90a "{name: dut:mine, library: build/user_gds_early.so}"
run 1 run meet.yaml --engine ca --config ./early.yaml
says "block gds, cycle [0-9]*: response\[[0-3]\]: a message that the reference does not give"
check 1 gfx90a user_gds_early --seed 1 --requests 3000
says "block gds, cycle [0-9]*: response\[[0-3]\]: a message that the reference does not give"
echo "$passed passed, 0 failed"
