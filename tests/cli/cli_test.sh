#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Every verb answers --help with 0; bad usage ends with 2. Usage: cli_test.sh PROGRAM [RTL 0|1]
cuvette=$1
. "$(dirname "$0")/expect.sh"

expect 0 "" --version
expect 0 "" --help
for verb in run asm disasm validate finalize isa probe replay rerun bench coverage report diff; do expect 0 "" $verb --help; done
expect 0 "" isa decode --help
expect 0 "" isa list --help
expect 2 ""
expect 2 "" frobnicate
expect 2 "" run
expect 2 "" run --engine warp x.yaml
expect 2 "" run --watchdog -1 x.yaml
expect 2 "" finalize x.hsail
expect 2 "" isa
expect 2 "" probe --engine fast
for engine in golden tlm; do expect 0 "" probe --engine $engine; done
if [ "${2:-1}" = 1 ]; then expect 0 "" probe --engine rtl; else expect 3 "" probe --engine rtl; fi
expect_probe() {  # STATUS ENGINE LINE PATTERN
  out=$(echo "$3" | "$cuvette" probe --engine "$2" 2>&1)
  got=$?
  [ "$got" -eq "$1" ] && echo "$out" | grep -q -- "$4"
  check "cuvette probe --engine $2: exit $got, expected $1 and '$4' in: $out" $?
}
# A failed case is no failure of the program; a line that is no JSON is.
expect_probe 0 tlm '{"id":1,"target":"gfx908","code":"7e000280","read":["v0"]}' '"status":"ok".*"executed_by":"tlm"'
expect_probe 0 tlm '{"id":1,"target":"gfx908","code":"ffffffff"}' '"status":"error"'
expect_probe 2 tlm '{"id":' 'not JSON'
# S_ENDPGM_ORDERED_PS_DONE ends the wave (decisions.md D35).
for engine in golden tlm; do
  expect_probe 0 $engine '{"id":1,"target":"gfx908","code":"bf9e0000"}' '"status":"ok"'
done
here=$(dirname "$0")/../dispatches
if [ "${2:-1}" = 1 ]; then
  # The RTL of simd has the other two inside: naming them beside it would compare nothing of them.
  for other in valu vrf; do
    expect 2 "" run "$here/saxpy.yaml" --engine ca --config small --lockstep simd:1/8,$other
  done
  expect 2 "" run "$here/saxpy.yaml" --engine ca --config small --impl simd=rtl --lockstep valu
  # Devices of one name in two blocks: each has its own file.
  sed -e 's|^  valu: tlm|  valu: {name: "dut:mine", library: first.so}|' \
    -e 's|^  matrix_core: tlm|  matrix_core: {name: "dut:mine", library: second.so}|' \
    "$here/../../config/small.yaml" >"$dir/two.yaml"
  expect 2 'two.yaml:[0-9]*:[0-9]*: error: .*first.so: no such file' run "$here/saxpy.yaml" --engine ca --config "$dir/two.yaml"
  # v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]
  expect_probe 0 rtl '{"id":1,"target":"gfx908","code":"d3c20000 04020300"}' '"status":"ok".*"executed_by":"rtl"'
  expect_probe 0 rtl '{"id":1,"target":"gfx90a","code":"d3c20000 04020300"}' '"status":"ok".*"executed_by":"rtl"'
  # v_pk_mul_f32 v[0:1], v[2:3], v[4:5]
  expect_probe 0 rtl '{"id":1,"target":"gfx90a","code":"d3b14000 18020902"}' '"status":"ok".*"executed_by":"rtl"'
else
  expect_probe 3 rtl '{"id":1,"target":"gfx908","code":"7e000280"}' 'not built'
fi
expect 2 "" bench no-such-benchmark
expect 0 "" bench golden-mixed
tally
