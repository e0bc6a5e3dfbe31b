#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The verbs on BRIG: asm, disasm, validate, finalize, run. Usage: brig_cli_test.sh PROGRAM TESTS [ENGINE...]
set -u
cuvette=$1
tests=$2
shift 2
engines=${*:-hsail}
. "$(dirname "$0")/expect.sh"

mkdir "$dir/kernels"
cp "$tests"/kernels/*.hsail "$dir/kernels"
expect 0 "" asm "$dir"/kernels/*.hsail
for text in "$dir"/kernels/*.hsail; do
  name=$(basename "$text" .hsail)
  brig="$dir/kernels/$name.brig"
  expect 0 "" validate "$brig"
  expect 0 "" disasm "$brig" -o "$dir/$name.hsail"
  expect 0 "" asm "$dir/$name.hsail" -o "$dir/$name.brig"
  cmp -s "$brig" "$dir/$name.brig"
  check "$name: text of BRIG gives the same BRIG" $?
  for container in elf32 elf64; do
    expect 0 "" asm --container $container "$text" -o "$dir/$name.elf"
    expect 0 "" validate "$dir/$name.elf"
    "$cuvette" disasm "$dir/$name.elf" -o - | cmp -s - "$dir/$name.hsail"
    check "$name: text from $container" $?
  done
  for engine in $engines; do
    sed -e "s|^code: .*|code: $brig|" -e "s|file: |file: $tests/dispatches/|" \
      "$tests/dispatches/$name.yaml" >"$dir/$name.yaml"
    expect 0 "" run --engine "$engine" "$dir/$name.yaml"
    sed "s|^code: .*|code: $dir/$name.elf|" "$dir/$name.yaml" >"$dir/elf.yaml"
    [ "$name" != saxpy ] || expect 0 "" run --engine "$engine" "$dir/elf.yaml"
  done
done
saxpy="$dir/kernels/saxpy.brig"
case " $engines " in *" golden "*)
  expect 0 "" finalize "$saxpy" -o "$dir/brig.co"
  expect 0 "" finalize "$dir/kernels/saxpy.hsail" -o "$dir/text.co"
  cmp -s "$dir/brig.co" "$dir/text.co"
  check "the code objects of text and BRIG are equal" $?
  ;;
esac
expect 0 "HSA BRIG" asm "$dir/kernels/saxpy.hsail" -o -

expect 2 "this is BRIG, expected HSAIL text" asm "$saxpy"
expect 2 "not BRIG, expected BRIG, raw or in an ELF file" disasm "$dir/kernels/saxpy.hsail"
expect 2 "not BRIG" disasm "$cuvette"
expect 2 "-o names one output" asm "$dir/kernels/saxpy.hsail" "$dir/kernels/mixed.hsail" -o "$dir/x.brig"
expect 2 "cannot open" asm "$dir/missing.hsail"
expect 2 "" asm --container tar "$dir/kernels/saxpy.hsail"
expect 2 "two outputs have this name" disasm "$saxpy" "$saxpy"
head -c 512 "$saxpy" >"$dir/cut.brig"
expect 2 "cut.brig:+0x10: error: the module's byte_count" validate "$dir/cut.brig"
expect 2 '"severity":"error","message":"the module.s byte_count.*","id":"brig-header","offset":16' \
  validate --diagnostics json "$dir/cut.brig"
expect 2 "cut.brig:+0x10: error" disasm "$dir/cut.brig"
sed "s|^code: .*|code: $dir/cut.brig|" "$dir/saxpy.yaml" >"$dir/cut.yaml"
for engine in $engines; do expect 2 "cut.brig:+0x10: error" run --engine "$engine" "$dir/cut.yaml"; done
tally
