#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Hidden arguments that no runtime serves here: what needs one says so, what only declares them runs.
# Usage: printf_test.sh PROGRAM KERNELS
set -u
cuvette=$1
kernels=$2
. "$(dirname "$0")/expect.sh"

# file KERNEL OBJECT HIDDEN: a dispatch file.
file() {
  printf 'code: %s\nkernel: %s\ngrid: [64]\nworkgroup: [64]\nargs:\n  - buffer: {name: out, type: s32, count: 64}\n%s\n' \
    "$kernels/$2" "$1" "$3" >"$dir/$1.yaml"
}
engines="golden --target gfx908;lt --config small;ca --config small"
run_all() {  # STATUS PATTERN FILE
  old=$IFS
  IFS=';'
  for engine in $engines; do
    IFS=$old
    # shellcheck disable=SC2086  # words
    expect "$1" "$2" run "$3" --engine $engine
  done
  IFS=$old
}
for object in printf.gfx908.v5.co printf_o0.gfx908.v5.co; do
  file prints $object ""
  run_all 1 "error *address 0x[0-9a-f]* lies behind a null pointer; kernel 'prints' takes hidden arguments that are null, for no runtime serves them here: hidden_printf_buffer (printf of OpenCL needs a printf or host-call buffer)\$" \
    "$dir/prints.yaml"
  file quiet $object "expect: [{buffer: out, index: 60, values: [2, 2, 2, 2]}]"
  run_all 0 "64 elements\|4 elements compared, 0 differ" "$dir/quiet.yaml"
done
# Without printf in the object, all that a kernel takes are named; one that takes none has a null pointer of its own.
for kernel in "null.gfx908.v5.co" "null_o0.gfx908.v5.co"; do
  file null_pointer $kernel ""
  run_all 1 "address 0x0" "$dir/null_pointer.yaml"
  said=$(grep -c "lies behind a null pointer" "$dir/out")
  hostcall=$(grep -c "hidden_hostcall_buffer (printf, assert and malloc need a host-call buffer)" "$dir/out")
  case $kernel in
    null_o0*) check "all hidden arguments are named" $((said != 1 || hostcall != 1)) ;;
    *) check "no hidden argument is named" "$said" ;;
  esac
done
tally
