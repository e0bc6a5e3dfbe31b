#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# usage: machine_verb_test.sh CUVETTE DISPATCH.yaml [ENGINE...]
# Machine descriptions on the command line: fields shown, compared and changed; a changed one changes the run.
set -eu
cuvette=$1
dispatch=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
# status N COMMAND...: output to $work/out, errors to $work/err.
status() {
  want=$1
  shift
  got=0
  "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" -eq "$want" ] || { cat "$work/out" "$work/err" >&2; fail "$* ended with $got, not $want"; }
}
says() { grep -qE -- "$1" "$work/out" "$work/err" || { cat "$work/out" "$work/err" >&2; fail "does not say: $1"; }; }

status 0 "$cuvette" machine show mi100
says '^l2\.slices +32$'
says '^compute_unit\.simds +4$'
status 0 "$cuvette" machine show mi100 --provenance --set l2.slice.ways=8
says '^l2\.slice\.ways +8 +--set$'
says '^compute_unit\.simds +4 +MI100 ISA 1\.1$'
status 0 "$cuvette" machine check small
says '^small: [0-9]+ fields, nothing wrong$'
status 2 "$cuvette" machine check small --set l2.slice.ways=3
says 'whole number of 3 ways'
status 2 "$cuvette" machine check small --set front_end.placement=somewhere
says "^--set front_end.placement=somewhere: error: "
status 2 "$cuvette" machine show nowhere
says "unknown machine description 'nowhere'"
status 2 "$cuvette" machine
status 0 "$cuvette" machine diff small small
[ ! -s "$work/out" ] || fail "a machine differs from itself"
status 1 "$cuvette" machine diff small mi100
says '^compute_units +1 -> 120$'
says '^name +small -> mi100$'

# A slower memory, more cycles on each engine with time.
for engine in "$@"; do
  status 0 "$cuvette" run "$dispatch" --engine $engine --config small --stats "$work/a.json"
  status 0 "$cuvette" run "$dispatch" --engine $engine --config small --stats "$work/b.json" \
    --set memory.latency_cycles=5000 --set memory.latency_cycles=4000
  cycles() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["dispatches"][0]["cycles"])' "$1"; }
  [ "$(cycles "$work/b.json")" -gt $(($(cycles "$work/a.json") + 3000)) ] || fail "--set changes nothing on $engine"
done
status 2 "$cuvette" run "$dispatch" --set l2.slice.wayz=4
says "^--set l2.slice.wayz=4: error: unknown key 'wayz', did you mean 'ways'\?"
status 2 "$cuvette" run "$dispatch" --set l2.slice.ways
says "error: --set expects PATH=VALUE, found 'l2.slice.ways'"
echo passed
