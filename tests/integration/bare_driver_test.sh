#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# bare_driver_test.sh BARE_DRIVER CUVETTE SAXPY.hsail TRANSLATOR FOLDER: the C driver of tb/bare_driver on every engine with code
# of both machine models, twice with the same log, and the log replayed; what --replay-host takes and refuses. The
# translator makes the small model's text of the large one's.
set -eu
bare_driver=$1
cuvette=$2
kernel=$3
translator=$4
folder=$5
fail() {
  echo "FAILED: $1"
  exit 1
}
# expect STATUS TEXT COMMAND...: the exit status, and a line of what it prints
expect() {
  status=$1
  text=$2
  shift 2
  found=0
  "$@" > "$folder/out" 2>&1 || found=$?
  [ "$found" -eq "$status" ] || { cat "$folder/out"; fail "status $found, expected $status: $*"; }
  grep -q -- "$text" "$folder/out" || { cat "$folder/out"; fail "no '$text': $*"; }
}

rm -rf "$folder"
mkdir -p "$folder"
"$cuvette" finalize "$kernel" --target gfx908 -o "$folder/saxpy.co"
for engine in lt ca golden; do
  for run in 1 2; do
    expect 0 '^PASSED: ' "$bare_driver" $engine small "$folder/saxpy.co" "$folder/$engine$run.log"
    grep -q 'fault at page 0x65432100$' "$folder/out" || fail "no fault"
  done
  cmp "$folder/${engine}1.log" "$folder/${engine}2.log" || fail "two runs on $engine differ"
  expect 0 '^PASSED: reproduced' "$cuvette" run --replay-host "$folder/${engine}1.log"
done
log=$folder/lt1.log
"$translator" < "$kernel" > "$folder/small.hsail"
"$cuvette" finalize "$folder/small.hsail" --target gfx908 -o "$folder/small.co"
for engine in lt ca golden; do
  expect 0 '^PASSED: ' "$bare_driver" $engine small "$folder/small.co" "$folder/$engine-small.log"
  grep -q 'fault at page 0x76543$' "$folder/out" || fail "no fault with addresses of 32 bits"
  expect 0 '^PASSED: reproduced' "$cuvette" run --replay-host "$folder/$engine-small.log"
done

# A run that does not come out as the log says.
grep -n '^I ' "$log" > /dev/null || fail "no interrupt in the log"
sed -e '0,/^I /s/^I \([^ ]*\) [^ ]*/I \1 1/' -e 's/^E \([^ ]*\) .*/E \1 -/' "$log" > "$folder/other.log"
expect 1 'other.log:[0-9]*: error: the run differs: expected cycle of an interrupt 0x1, found' \
  "$cuvette" run --replay-host "$folder/other.log"
expect 1 'watchdog' "$cuvette" run --replay-host "$log" --watchdog 1500

# A log in which the host does nothing proves nothing; memory is as it is at the beginning.
empty() {  # FINGERPRINT
  { head -n 1 "$log"; grep -m 1 '^H ' "$log"; echo "Z 0 $1"; echo 'E 2 -'; } > "$folder/empty.log"
}
empty 1
expect 1 'expected fingerprint of memory 0x1, found' "$cuvette" run --replay-host "$folder/empty.log"
empty "$(sed -n 's/.*fingerprint of memory 0x1, found \(0x[0-9a-f]*\).*/\1/p' "$folder/out")"
expect 1 '^FAILED: nothing was compared' "$cuvette" run --replay-host "$folder/empty.log"

# Bad files and bad usage.
sed 's/^d /D /' "$log" > "$folder/bad.log"
expect 2 "bad.log:[0-9]*: error: unknown event 'D'" "$cuvette" run --replay-host "$folder/bad.log"
head -n 20 "$log" > "$folder/cut.log"
expect 2 'cut.log:[0-9]*: error: the log is truncated' "$cuvette" run --replay-host "$folder/cut.log"
expect 2 'error' "$cuvette" run --replay-host "$folder/none.log"
expect 2 'takes no dispatch file' "$cuvette" run --replay-host "$log" x.yaml
expect 2 'nothing else' "$cuvette" run --replay-host "$log" --engine ca
expect 2 'expected a dispatch file' "$cuvette" run

# Calls that the driver itself refuses.
expect 2 'no_such' "$bare_driver" golden no_such "$folder/saxpy.co"
printf 'junk' > "$folder/junk.co"
expect 1 'not an ELF file' "$bare_driver" golden small "$folder/junk.co"
echo "PASSED: bare_driver"
