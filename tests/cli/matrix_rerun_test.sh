#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The verb rerun on a recording of the matrix core.
# usage: matrix_rerun_test.sh CUVETTE SCRATCH
set -eu
cuvette=$1
scratch=$2
dispatch=$(cd "$(dirname "$0")/.." && pwd)/dispatches/mfma_gemm.yaml
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
  echo "matrix_rerun_test: $*" >&2
  exit 1
}

run() {
  expected=$1
  shift
  status=0
  (cd "$scratch" && "$cuvette" "$@") >"$scratch/out" 2>&1 || status=$?
  [ "$status" = "$expected" ] || { cat "$scratch/out"; fail "status $status, expected $expected: $*"; }
}
says() {
  grep -q "$1" "$scratch/out" || { cat "$scratch/out"; fail "not said: $1"; }
}
run 0 run "$dispatch" --engine ca --config small --lockstep matrix_core --lockstep-instances 1 --record good.jsonl
run 0 rerun good.jsonl --wave good.fst
says "messages on matrix_core of compute unit 0 SIMD 0 (rtl) alone: passed"
says "compared     [1-9][0-9]* matrix_core results, [1-9][0-9]* matrix_core times, [1-9][0-9]* matrix_core values"
[ -s "$scratch/good.fst" ] || fail "no waveforms"
run 2 rerun good.jsonl --library none.so
says "none.so: error: no such file, expected the shared module of a device"
# The recorded times count: with a rule that no result can keep, the difference is reported and told.
sed '1s/"exact"/"bounded(1,2)"/' "$scratch/good.jsonl" >"$scratch/late.jsonl"
run 1 rerun late.jsonl
says "alone: FAILED"
says "cycle [0-9]*: .*allowed are 1 to 2"
says "last transactions:"
sed '2s/"blgp"/"blpg"/' "$scratch/good.jsonl" >"$scratch/bad.jsonl"
run 2 rerun bad.jsonl
says "bad.jsonl:2: error: key 'blgp' is missing"
sed '1s/matrix_core/lds/' "$scratch/good.jsonl" >"$scratch/bad.jsonl"
run 2 rerun bad.jsonl
says "bad.jsonl:1: error: key 'latency_cycles' is missing"
echo "matrix core: a recording run again"
