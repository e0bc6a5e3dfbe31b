#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# core_seats_test.sh CUVETTE BUILD_DIR COMPUTE_UNIT COMMAND_PROCESSOR: the modules of examples/user_compute_unit and
# user_command_processor in their seats: kernels of every kind pass, buffers as expected; each error is refused by the name
# of the rule it breaks.
set -eu
cuvette=$1
build=$2
compute_unit=$3
command_processor=$4
repository=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$build/tests/core_seats
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
passed=0
fail() {
  echo "FAILED: $1"
  [ -f out ] && cat out
  exit 1
}
says() {  # PATTERN
  grep -q -e "$1" out || fail "no line like '$1'"
  passed=$((passed + 1))
}
run() {  # STATUS, BUG, arguments of cuvette run
  wanted=$1
  bug=$2
  shift 2
  got=0
  USER_BUG=$bug "$cuvette" run "$@" --engine ca >out 2>&1 || got=$?
  [ "$got" -eq "$wanted" ] || fail "cuvette run $*: exit $got, expected $wanted"
}
for seat in "compute_unit $compute_unit" "command_processor $command_processor"; do
  block=${seat% *}
  sed "s|^  $block: tlm|  $block: {name: dut:mine, library: ${seat#* }}|" "$repository/config/small.yaml" >"$block.yaml"
  grep -q "dut:mine" "$block.yaml" || fail "small.yaml has no line for $block"
  for kernel in vector_add saxpy reduce transpose histogram sgemm mfma_gemm image two_kernels program group_memory externals \
    flat_segments/flat_segments sync/barriers; do
    file=$repository/tests/dispatches/$kernel.yaml
    [ -f "$file" ] || continue
    run 0 0 "$file" --config "./$block.yaml"
    says "$block dut:mine.*: .*[1-9][0-9]* $block values.* compared, 0 mismatches"
  done
  [ "$passed" -ge 10 ] || fail "only $passed kernels"
done
broken() {  # BLOCK, BUG, kernel, rule
  run 1 "$2" "$repository/tests/dispatches/$3.yaml" --config "./$1.yaml"
  says "rule $4: "
  says "last transactions:"
}
broken compute_unit 1 vector_add store
broken compute_unit 2 vector_add record
broken compute_unit 3 vector_add wave
broken compute_unit 4 reduce record
broken compute_unit 5 vector_add translation
broken command_processor 1 vector_add acquire
broken command_processor 2 vector_add release
broken command_processor 3 vector_add fields
broken command_processor 4 vector_add signal
broken command_processor 5 vector_add "read index"
echo "$passed passed, 0 failed"
