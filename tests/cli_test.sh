#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Every verb answers --help with 0; bad usage ends with 2. Usage: cli_test.sh PROGRAM
cuvette=$1
failed=0
passed=0
expect() {  # STATUS ARGUMENTS...
  wanted=$1
  shift
  "$cuvette" "$@" >/dev/null 2>&1 </dev/null
  got=$?
  if [ "$got" -eq "$wanted" ]; then passed=$((passed + 1)); else
    echo "cuvette $*: exit $got, expected $wanted"
    failed=$((failed + 1))
  fi
}
expect 0 --version
expect 0 --help
for verb in run asm disasm validate finalize isa probe replay bench; do expect 0 $verb --help; done
expect 0 isa decode --help
expect 0 isa list --help
expect 2
expect 2 frobnicate
expect 2 run
expect 2 run --engine warp x.yaml
expect 2 finalize x.hsail
expect 2 isa
expect 2 probe --engine fast
expect 2 bench no-such-benchmark
expect 0 bench golden-mixed
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
