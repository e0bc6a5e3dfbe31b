#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Kernels finalized to code object v2: what LLVM's tool reads in them, and their dispatch files with the
# object in place of the text, on engine golden.
# Usage: code_object_v2_test.sh PROGRAM TESTS_DIR SCRATCH_DIR READELF
cuvette=$1
tests=$2
scratch=$3
readelf=$4
failed=0
complain() {
  echo "$1"
  failed=$((failed + 1))
}

rm -rf "$scratch"
mkdir -p "$scratch/dispatches"
cp "$tests"/dispatches/*.bin "$scratch/dispatches"
for target in gfx900 gfx906; do
  for source in "$tests"/kernels/*.hsail; do
    kernel=$(basename "$source" .hsail)
    grep -q '^extension "cuvette:mfma"' "$source" && continue  # these targets have no matrix core
    object=$scratch/$kernel.$target.co
    dispatch=$scratch/dispatches/$kernel.$target.yaml
    "$cuvette" finalize "$source" --target "$target" --code-object 2 -o "$object" ||
      { complain "$kernel $target: finalize failed"; continue; }
    "$cuvette" finalize "$source" --target "$target" --code-object 2 -o - | cmp -s - "$object" ||
      complain "$kernel $target: two runs differ"
    "$readelf" -h -s --notes "$object" > "$scratch/elf" 2>&1 || complain "$kernel $target: $readelf failed"
    grep -iE 'warning|corrupt|invalid' "$scratch/elf" && complain "$kernel $target: $readelf complains"
    for wanted in 'ABI Version: *0$' 'AMDGPU_HSA_KERNEL GLOBAL PROTECTED' 'Major: 2, Minor: 1' \
      "Major: 9, Minor: 0, Stepping: ${target#gfx90}" "Name: *'$kernel'" 'KernargSegmentSize: [1-9]'; do
      grep -qE "$wanted" "$scratch/elf" || complain "$kernel $target: no '$wanted'"
    done
    sed "s|^code: .*|code: ../$kernel.$target.co|; s|^kernel: \"&|kernel: \"|" \
      "$tests/dispatches/$kernel.yaml" > "$dispatch"
    grep -q "^code: ../$kernel.$target.co" "$dispatch" || complain "$kernel: no code in its dispatch file"
    "$cuvette" run "$dispatch" --engine golden --target "$target" > "$scratch/run" 2>&1 ||
      { complain "$kernel $target: does not pass"; cat "$scratch/run"; }
  done
done
[ "$failed" -eq 0 ] && echo "$(ls "$scratch"/*.co | wc -l) code objects v2 ran"
exit "$failed"
