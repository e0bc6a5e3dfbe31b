#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Dispatch files on engine ca with one host thread and with several, on a machine of ten compute
# units: the same buffers, summary, statistics, trace and, with --log, retirement log, to the last
# byte.
# Usage: ca_threads_test.sh PROGRAM DESCRIPTION SCRATCH_DIR [--log] FILE...
# CUVETTE_CA_OPTIONS: more options of `cuvette run`. CUVETTE_THREADS: numbers of threads, 1 the first; 1 to 4 if not set.
cuvette=$1
description=$2
scratch=$3
shift 3
with_log=
if [ "$1" = --log ]; then
  with_log=yes
  shift
fi
rm -rf "$scratch"
mkdir -p "$scratch"
sed -e 's/^compute_units: .*/compute_units: 10/' -e 's/shared_by: {value: 1,/shared_by: {value: 3,/' \
  "$description" > "$scratch/machine.yaml"
files=0
failed=0
for file in "$@"; do
  # Named where they are passed, or in a list at the beginning of the file.
  names=$(grep -oE '(buffer: [{]name: |^  )[A-Za-z_0-9]+(,|: [{]type:)' "$file" |
    sed -e 's/buffer: {name: //' -e 's/[,:].*//' | sort -u)
  files=$((files + 1))
  one=
  for threads in ${CUVETTE_THREADS:-1 2 3 4}; do
    dir=$scratch/$(basename "$file" .yaml).$threads
    mkdir -p "$dir"
    dumps=
    for name in $names; do dumps="$dumps --dump $name=$dir/$name.bin"; done
    if [ -n "$with_log" ]; then dumps="$dumps --log $dir/log"; fi
    # shellcheck disable=SC2086
    if ! "$cuvette" run "$file" --engine ca --config "$scratch/machine.yaml" --threads $threads \
      $dumps $CUVETTE_CA_OPTIONS --stats "$dir/stats.json" --trace "$dir/trace.json" --hazards report \
      > "$dir/summary"; then
      echo "$file: fails with $threads threads"
      cat "$dir/summary"
      failed=$((failed + 1))
    fi
    sed -i "s:$dir::" "$dir/summary"
    if [ -z "$one" ]; then
      one=$dir
    elif ! diff -rq "$one" "$dir"; then
      echo "$file: $threads threads differ from one"
      failed=$((failed + 1))
    else
      rm -r "$dir"
    fi
  done
  rm -r "$one"
done
echo "$files files, $failed failed"
[ "$failed" -eq 0 ] && [ "$files" -gt 0 ]
