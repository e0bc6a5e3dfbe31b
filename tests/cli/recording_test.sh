#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# usage: recording_test.sh CUVETTE LDS.yaml MATRIX.yaml
# Recordings of passing runs: written, run again on the blocks alone, shown as waveforms of a window of cycles.
set -eu
cuvette=$1
lds=$2
matrix=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
status() {
  want=$1
  shift
  got=0
  "$@" >out 2>err || got=$?
  [ "$got" -eq "$want" ] || { cat out err >&2; fail "$* ended with $got, not $want"; }
}
says() { grep -qE -- "$1" out err || { cat out err >&2; fail "does not say: $1"; }; }
run() { "$cuvette" run "$1" --engine ca --config small --lockstep "$2" $3; }

status 0 run "$lds" lds "--record lds.jsonl"
says 'lds\.jsonl: recording of [1-9][0-9]* events'
status 0 "$cuvette" rerun lds.jsonl
says 'lds\.jsonl: [1-9][0-9]* messages on lds of compute unit 0 \(rtl\) alone: passed'
status 0 run "$matrix" matrix_core "--wave both.fst --window 0:100000"
says 'both\.recording\.jsonl: recording of '
says 'both\.fst: waveforms of '
[ -s both.fst ] || fail "no waveforms"
status 0 "$cuvette" rerun both.recording.jsonl --wave again.fst
says 'matrix_core of compute unit 0 SIMD 0 \(rtl\) alone: passed'
[ -s again.fst ] || fail "no waveforms of the rerun"

# Messages that no machine sends are refused with their line.
sed '0,/"row":/s//"row":9/' both.recording.jsonl >bad.jsonl
status 2 "$cuvette" rerun bad.jsonl
says "bad\.jsonl:[0-9]+: error: .*'row'"

status 2 run "$lds" lds "--wave late.fst --window 90000000:90000001"
says 'no waveforms: no block in lockstep was used in these cycles'
# What the writer of waveforms would unlink first.
mkfifo pipe
status 2 run "$lds" lds "--wave pipe"
says 'pipe: error: cannot be replaced, expected the name of a regular file'
status 2 "$cuvette" rerun both.recording.jsonl --wave pipe
[ -p pipe ] || fail "the pipe is gone"
for block in valu vrf simd; do
  status 0 run "$lds" $block "--lockstep-instances 1 --record $block.jsonl"
  says "$block\\.jsonl: recording of [1-9][0-9]* events"
  status 0 "$cuvette" rerun $block.jsonl
  says "messages on $block of compute unit 0 SIMD 0 \\(rtl\\) alone: passed"
  status 2 "$cuvette" rerun $block.jsonl --library none.so
  says 'none\.so: error: no such file'
done
sed '0,/"op":/s//"op":9/' valu.jsonl >bad.jsonl
status 2 "$cuvette" rerun bad.jsonl
says "bad\\.jsonl:[0-9]+: error: .*'op'"
status 2 "$cuvette" run "$lds" --engine ca --config small --record none.jsonl
says '\-\-record is of a block in lockstep, expected \-\-lockstep or a device with it'
status 2 run "$lds" lds "--window 1:2"
says 'goes with --trace, --transactions, --wave or --record'
status 2 run "$lds" lds "--record x.jsonl --window 5:1"
says "expects FIRST:LAST in cycles, found '5:1'"
status 2 run "$lds" lds "--record nowhere/x.jsonl"
status 2 "$cuvette" run "$lds" --record x.jsonl
says 'need --engine ca'
echo passed
