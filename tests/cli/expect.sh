# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of the program, which set `cuvette` to it: a scratch folder `dir`, runs of cuvette, the tally.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# check WHAT STATUS: one check, good when the status is 0.
check() {
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else echo "failed: $1"; failed=$((failed + 1)); fi
}

# expect STATUS PATTERN ARGUMENTS...: one check: the exit status within a minute, and a line of either output that
# matches. What is wrong with the input of `run` is said in one line on standard error.
expect() {
  wanted=$1
  pattern=$2
  shift 2
  timeout 60 "$cuvette" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  got=$?
  complaint=
  if [ "$got" -ne "$wanted" ]; then
    complaint="exit $got, expected $wanted"
  elif [ -n "$pattern" ] && ! cat "$dir/err" "$dir/out" | grep -q -- "$pattern"; then
    complaint="no line like '$pattern'"
  elif [ "$wanted" -eq 2 ] && [ "${1:-}" = run ] && [ "$(wc -l <"$dir/err")" -ne 1 ]; then
    complaint="expected one message"
  fi
  if [ -z "$complaint" ]; then passed=$((passed + 1)); else
    echo "cuvette $*: $complaint:"; cat "$dir/err" "$dir/out"; failed=$((failed + 1))
  fi
}

# tally: the last command of a test.
tally() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
