#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The verb rerun on a file of transactions of the matrix core.
# usage: matrix_rerun_test.sh CUVETTE SCRATCH
set -eu
cuvette=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
  echo "matrix_rerun_test: $*" >&2
  exit 1
}

# Two instructions, the second offered while the first is under way.
python3 - "$scratch/good.jsonl" <<'END'
import json
import sys

lanes = lambda seed: ["0x%x" % ((seed * 2654435761 + 40503 * n) % 2**32 & 0x807fffff | 0x3f000000) for n in range(64)]
head = {"cuvette": "transactions", "schema": 2, "block": "matrix_core", "device": "rtl", "library": "", "target": "gfx908",
        "seed": 1, "compute_unit": 0, "simd": 0, "timing": "exact", "field": "d"}
with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write(json.dumps(head) + "\n")
    for number in range(2):
        start = 100 + 8 * number
        out.write(json.dumps({
            "id": number, "row": "VOP3P-MAI.v_mfma_f32_4x4x1f32", "cbsz": 1, "abid": number, "blgp": 3, "wave": 1,
            "pc": "0x1000", "offered": [start, start + 4], "answered": [start + 11, start + 15], "a": [lanes(1)],
            "b": [lanes(2)], "c": [lanes(n) for n in range(3, 7)], "index": [0] * 64,
            # The second one accumulates on what the first one gives.
            "forward": [3 * number] * 2, "forward_from": [0, 0], "forward_row": [0, 2]}) + "\n")
END
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
run 0 rerun good.jsonl --wave good.fst
says "2 transactions on block matrix_core (rtl) alone: passed"
says "2 instructions, 4 passes of results, 512 lanes"
[ -s "$scratch/good.fst" ] || fail "no waveforms"
run 2 rerun good.jsonl --library none.so
says "none.so: error: no such file, expected the shared module of a device"
# The recorded times count: with a rule that no result can keep, the difference is reported and told.
sed '1s/"exact"/"bounded(1,2)"/' "$scratch/good.jsonl" >"$scratch/late.jsonl"
run 1 rerun late.jsonl
says "alone: FAILED"
says "differs in timing"
says "v_mfma_f32_4x4x1f32 cbsz:1"
sed '2s/"blgp"/"blpg"/' "$scratch/good.jsonl" >"$scratch/bad.jsonl"
run 2 rerun bad.jsonl
says "bad.jsonl:2: error: key 'blgp' is missing"
sed '1s/matrix_core/lds/' "$scratch/good.jsonl" >"$scratch/bad.jsonl"
run 2 rerun bad.jsonl
says "bad.jsonl:1: error: expected a line with the block"
echo "matrix core: transactions run again"
