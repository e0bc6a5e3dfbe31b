# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of users' devices, which set `prefix` (the install tree) and `scratch` (their folder): running
# cuvette, looking at what it says, descriptions of machines. Files are written to the working directory.
passed=0
fail() {
  echo "FAILED: $1"
  [ -f "$scratch/out" ] && cat "$scratch/out"
  exit 1
}
run() {  # STATUS, arguments of cuvette
  wanted=$1
  shift
  got=0
  "$prefix/bin/cuvette" "$@" >"$scratch/out" 2>&1 || got=$?
  [ "$got" -eq "$wanted" ] || fail "cuvette $*: exit $got, expected $wanted"
}
says() {  # PATTERN
  grep -q -e "$1" "$scratch/out" || fail "no line like '$1'"
  passed=$((passed + 1))
}
machine() {  # NAME, block, the text behind the block: the installed small machine with this line edited
  sed "s|^  $2: .*|  $2: $3|" "$prefix/share/cuvette/config/small.yaml" >"$1.yaml"
  grep -qF "  $2: $3" "$1.yaml" || fail "small.yaml has no line for $2"
}
module_shows_one_function() {  # FILE
  shown=$(nm -D --defined-only "$1" | awk '{print $3}')
  [ "$shown" = cuvette_dut ] || fail "the module shows $shown"
  passed=$((passed + 1))
}
