#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The matrix core in the machine: same cycles and instructions on tlm, rtl and lockstep.
# usage: matrix_cycles_test.sh CUVETTE SCRATCH "CONFIG..." DISPATCH...
set -eu
cuvette=$1
scratch=$2
configs=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
  echo "matrix_cycles_test: $*" >&2
  exit 1
}

# executed FILE OPTION...: the line of the summary with instructions and cycles.
executed() {
  file=$1
  shift
  "$cuvette" run "$file" --engine ca "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$file $*"; }
  grep '^ *executed .* cycles$' "$scratch/out" || fail "no cycles: $file $*"
}

for file in "$@"; do
  for config in $configs; do
    tlm=$(executed "$file" --config "$config")
    for options in "--impl matrix_core=rtl" "--lockstep matrix_core" \
        "--lockstep matrix_core --impl matrix_core=rtl-check --lockstep-instances 1"; do
      # shellcheck disable=SC2086  # options are words
      other=$(executed "$file" --config "$config" $options)
      [ "$tlm" = "$other" ] || fail "$file on $config $options: $other, tlm has $tlm"
    done
  done
done

echo "matrix core: same cycles on all implementations"
