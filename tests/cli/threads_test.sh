#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Dispatch files on golden with 1, 2, 3 and 8 host threads: the same buffers, to the last byte, and
# the same summary apart from what only several threads tell.
# Usage: threads_test.sh PROGRAM SCRATCH_DIR TARGET FILE...
cuvette=$1
scratch=$2
target=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"
files=0
failed=0
restarted=0
for file in "$@"; do
  # Named where they are passed, or in a list at the beginning of the file.
  names=$(grep -oE '(buffer: [{]name: |^  )[A-Za-z_0-9]+(,|: [{]type:)' "$file" |
    sed -e 's/buffer: {name: //' -e 's/[,:].*//' | sort -u)
  if [ -z "$names" ]; then
    echo "$file: no buffers found"
    failed=$((failed + 1))
    continue
  fi
  files=$((files + 1))
  for threads in 1 2 3 8; do
    dir=$scratch/$(basename "$file" .yaml).$threads
    mkdir -p "$dir"
    dumps=
    for name in $names; do dumps="$dumps --dump $name=$dir/$name.bin"; done
    # shellcheck disable=SC2086
    if ! "$cuvette" run "$file" --engine golden --target "$target" --threads $threads $dumps > "$dir/all"; then
      echo "$file: fails with $threads threads"
      cat "$dir/all"
      failed=$((failed + 1))
    fi
    if grep -q '^  restarted' "$dir/all"; then restarted=$((restarted + 1)); fi
    # The races are the lines from "races" to "fallbacks".
    sed -e '/^  restarted/d' -e '/^  races/,/^  fallbacks/{/^  fallbacks/!d}' "$dir/all" > "$dir/summary"
    if [ $threads = 1 ]; then
      one=$dir
      if ! cmp -s "$dir/all" "$dir/summary"; then
        echo "$file: one thread tells of several"
        failed=$((failed + 1))
      fi
    fi
    rm "$dir/all"
    if ! diff -r "$one" "$dir"; then
      echo "$file: $threads threads differ from one"
      failed=$((failed + 1))
    fi
  done
done
echo "$files files, $failed failed, $restarted runs done over by one thread"
[ "$failed" -eq 0 ] && [ "$files" -gt 0 ]
