#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The vector ALU of every target in the machine: kernels give what they should on tlm, on rtl and in lockstep, with
# the same number of instructions.
# usage: valu_run_test.sh CUVETTE SCRATCH DISPATCH...
set -eu
cuvette=$1
scratch=$2
shift 2
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
  echo "valu_run_test: $*" >&2
  exit 1
}

# executed FILE OPTION...: the number of instructions of a run that passes.
executed() {
  file=$1
  shift
  "$cuvette" run "$file" --engine ca "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$file $*"; }
  grep -q ': passed on ca$' "$scratch/out" || { cat "$scratch/out"; fail "did not pass: $file $*"; }
  sed -n 's/^ *executed *\([0-9]* instructions\).*/\1/p' "$scratch/out"
}

for target in gfx900 gfx906 gfx90a gfx942; do
  config=small_$target
  for file in "$@"; do
    tlm=$(executed "$file" --config "$config")
    rtl=$(executed "$file" --config "$config" --impl valu=rtl)
    [ -n "$tlm" ] && [ "$tlm" = "$rtl" ] || fail "$file on $target: $rtl, tlm has $tlm"
    for options in "" "--impl valu=rtl-check --lockstep-instances 1"; do
      # shellcheck disable=SC2086  # options are words
      lockstep=$(executed "$file" --config "$config" --lockstep valu $options)
      [ "$tlm" = "$lockstep" ] || fail "$file on $target in lockstep: $lockstep, tlm has $tlm"
      grep -q 'valu of .*[1-9][0-9]* valu values.* 0 mismatches' "$scratch/out" ||
        { cat "$scratch/out"; fail "$file on $target $options: compared nothing"; }
    done
  done
done
echo "valu_run_test: passed"
