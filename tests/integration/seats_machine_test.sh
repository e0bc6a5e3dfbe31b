#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# seats_machine_test.sh CUVETTE BUILD_DIR BLOCK=MODULE...: our models as users' modules (seat_module.cpp) in the machine,
# each in its seat: kernels pass, something is compared, nothing differs.
set -eu
cuvette=$1
build=$2
shift 2
repository=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$build/tests/seats_machine
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
run() {  # STATUS, arguments of cuvette run
  wanted=$1
  shift
  got=0
  "$cuvette" run "$@" --engine ca >out 2>&1 || got=$?
  [ "$got" -eq "$wanted" ] || fail "cuvette run $*: exit $got, expected $wanted"
}
for seat in "$@"; do
  block=${seat%%=*}
  module=${seat#*=}
  # A line of the block, or of a role beside the one of all caches.
  sed "/^  $block: tlm/d; s|^implementations:|&\n  $block: {name: dut:mine, library: $module}|" \
    "$repository/config/small.yaml" >"$block.yaml"
  kernels="vector_add reduce transpose histogram two_kernels program"
  if [ "$block" = gds ]; then kernels="gds/meet.gfx908"; fi
  for kernel in $kernels; do
    file=$repository/tests/dispatches/$kernel.yaml
    [ "$block" != gds ] || file=$build/tests/dispatches/$kernel.yaml
    [ -f "$file" ] || fail "no $file"
    case "$block/$kernel" in lds/vector_add | lds/histogram | lds/two_kernels | lds/program) continue ;; esac
    run 0 "$file" --config "./$block.yaml"
    says "$block dut:mine.*: .*[1-9][0-9]* $block values.* compared, 0 mismatches"
  done
done
# Recorded messages of the pins, served to the module alone; recordings with wrong numbers end it with a word, not a
# crash.
for seat in "$@"; do
  block=${seat%%=*}
  case $block in
    gds) file=$build/tests/dispatches/gds/meet.gfx908.yaml ;;
    lds) file=$repository/tests/dispatches/reduce.yaml ;;
    *) file=$repository/tests/dispatches/vector_add.yaml ;;
  esac
  run 0 "$file" --config "./$block.yaml" --record "$block.jsonl"
  got=0
  "$cuvette" rerun "$block.jsonl" >out 2>&1 || got=$?
  [ "$got" -eq 0 ] || fail "rerun of $block: exit $got"
  says "messages on $block.* (dut:mine) alone: passed"
  python3 "$repository/tests/support/mutate_recording.py" "$cuvette" "$block.jsonl" 12 >out 2>&1 || fail "$block"
done
# A module for another role, or with other ports, is refused by name.
for seat in "$@"; do
  case $seat in l2=*) module=${seat#*=} ;; esac
done
sed "s|^implementations:|&\n  vector_l1: {name: dut:mine, library: $module}|" "$repository/config/small.yaml" >role.yaml
run 2 "$repository/tests/dispatches/vector_add.yaml" --config ./role.yaml
says "a device for block l2, expected one for block cache, in role vector_l1 or in any"
sed "s|^implementations:|&\n  l2: {name: dut:mine, library: $module, lockstep: 1/2}|" "$repository/config/small.yaml" >share.yaml
run 2 "$repository/tests/dispatches/vector_add.yaml" --config ./share.yaml
says "block l2: its rules are checked whole, expected no share"
sed "s|^implementations:|&\n  l2: {name: dut:mine, library: $module, timing: exact}|" "$repository/config/small.yaml" >exact.yaml
run 2 "$repository/tests/dispatches/vector_add.yaml" --config ./exact.yaml
says "block l2: no exact timing of a device, expected bounded(min,max) or ignore"
echo "$passed passed, 0 failed"
