#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# coverage_test.sh CUVETTE FOLDER SCRATCH PROGRAM...: the counts that the programs left in FOLDER hit every planned bin
# together and none without its program; files that are no counts are refused by name and place.
set -eu
cuvette=$1
folder=$2
scratch=$3
shift 3
passed=0
rm -rf "$scratch"
mkdir -p "$scratch"
fail() {
  echo "FAILED: $1"
  tail -n 40 "$scratch/out"
  exit 1
}
run() {  # STATUS, arguments of cuvette coverage
  wanted=$1
  shift
  got=0
  "$cuvette" coverage "$@" >"$scratch/out" 2>&1 || got=$?
  [ "$got" -eq "$wanted" ] || fail "cuvette coverage $*: exit $got, expected $wanted"
  passed=$((passed + 1))
}
says() {
  grep -q -e "$1" "$scratch/out" || fail "no line like '$1'"
  passed=$((passed + 1))
}
files=
for program in "$@"; do files="$files $folder/$program.coverage.json"; done
run 0 $files --bins 100 --missed
cat "$scratch/out"
# Each program hits something that no other one does.
for program in "$@"; do
  others=
  for other in "$@"; do
    [ "$other" = "$program" ] || others="$others $folder/$other.coverage.json"
  done
  run 1 $others --bins 100 --missed
  says "^    missed "
  says "^FAILED: planned bins: [0-9.]* %, expected at least 100"
done
# Files are added up, and what is not a file of counts is said.
bad() {  # TEXT, pattern
  printf '%s\n' "$1" >"$scratch/bad.json"
  run 2 "$scratch/bad.json"
  says "bad.json.*: error: $2"
}
bad '{' 'not a coverage file'
bad '{"schema": 2, "hits": {}}' 'not a coverage file'
bad '{"schema": 1, "hits": {"valu.colour": {}}}' "the plan has no group 'valu.colour'"
bad '{"schema": 1, "hits": {"vrf.held": {"read 9": 1}}}' "group 'vrf.held' has no bin 'read 9'"
bad '{"schema": 1, "hits": {"vrf.held": {"read 7": 0}}}' "group 'vrf.held' bin 'read 7': expected a positive number"
bad '{"schema": 1, "hits": {"vrf.held": {"read 7": "many"}}}' "group 'vrf.held' bin 'read 7': expected a positive number"
run 2 "$scratch/missing.json"
printf '{"schema": 1, "hits": {"vrf.held": {"read 7": 1, "read 3": 5}}}' >"$scratch/two.json"
printf '{"schema": 1, "hits": {"vrf.held": {"read 7": 2, "read 0": 1}}}' >"$scratch/more.json"
run 0 "$scratch/two.json" "$scratch/more.json"
says "vrf.held  *3 of  *8  *37.50 %"
# Counters as Verilator writes them: two instances and two files of one module, lines by range, a branch, two toggles, three cover
# properties.
point() {  # FILE, LINE, COLUMN, KIND, WHAT, LINES, COUNT
  printf "C '\001f\002/somewhere/rtl/x/x.sv\001l\002%s\001n\002%s\001page\002%s/x\001o\002%s\001S\002%s\001h\002TOP.x' %s\n" \
    "$2" "$3" "$4" "$5" "$6" "$7" >>"$scratch/$1"
}
for name in a.dat b.dat; do echo '# SystemC::Coverage-3' >"$scratch/$name"; done
point a.dat 4 5 v_line block 4,6-7 0
point b.dat 4 5 v_line block 4,6-7 3
point a.dat 9 5 v_branch if 9-10 0
point a.dat 9 6 v_branch else "" 2
point a.dat 2 9 v_toggle 'data[0]' "" 0
point a.dat 2 9 v_toggle 'data[1]' "" 8
point a.dat 2 9 v_toggle 'data[10]' "" 0
point b.dat 2 9 v_toggle 'data[10]' "" 0
point a.dat 2 9 v_toggle 'data[2]' "" 0
point b.dat 2 9 v_toggle 'data[3]' "" 0
point a.dat 2 9 v_toggle 'data[3]' "" 1
point a.dat 1 9 v_toggle 'rose:0->1' "" 4
point a.dat 1 9 v_toggle 'rose:1->0' "" 0
point a.dat 10 9 v_toggle ready "" 0
point a.dat 3 9 v_user Stalls_C "" 0
point b.dat 3 9 v_user Stalls_C "" 2
point a.dat 5 9 v_user Full_C "" 0
point b.dat 6 9 v_user Empty_C "" 1
run 0 "$scratch/a.dat" "$scratch/b.dat"
says "rtl/x/x.sv  *3 of  *5  *60.00 %  *1 of  *2  *50.00 %  *3 of  *8  *37.50 %  *2 of  *3  *66.67 %"
if grep -q missed "$scratch/out"; then fail "something missed is named unasked"; fi
run 1 "$scratch/a.dat" "$scratch/b.dat" --lines 61
run 1 "$scratch/a.dat" --bins 1
mkdir -p "$scratch/rtl/x"
printf '1\n2\n3\n4\n5\n6\n7\n8\n  if (never, ever)\n    stop;\n' >"$scratch/rtl/x/x.sv"
printf 'file,text,reason\nrtl/x/x.sv,"if (never, ever)",it never is\nrtl/x/x.sv,4,an old one\n' >"$scratch/reasons.csv"
run 0 "$scratch/a.dat" "$scratch/b.dat" --source "$scratch" --reasons "$scratch/reasons.csv" --missed
says "missed 9: if (never, ever)  .it never is"
says "missed 10: stop;  .no reason given"
says "missed property 5 Full_C"
# Toggles by line, signal, bit and, where the counter has one, direction; in this order, none that changed in one of the files.
printf '%s\n' '1 rose 1->0' '2 data[0]' '2 data[2]' '2 data[10]' '10 ready' >"$scratch/toggles"
sed -n 's/^    missed toggle //p' "$scratch/out" | diff "$scratch/toggles" - || fail "other toggles are named"
passed=$((passed + 1))
says "lines not executed: 2, 1 of them with a reason"
says "no longer needed: rtl/x/x.sv: 4"
# Files without counts reach no percentage, and are no coverage.
echo '# SystemC::Coverage-3' >"$scratch/none.dat"
printf '{"schema": 1, "hits": {}}' >"$scratch/none.json"
for none in "$scratch/none.dat" "$scratch/none.json"; do
  run 1 "$none"
  says "^FAILED: nothing was counted"
done
echo '# SystemC::Coverage-3' >"$scratch/toggle.dat"
point toggle.dat 2 9 v_toggle 'data[0]' "" 1
run 0 "$scratch/toggle.dat"
run 1 "$scratch/toggle.dat" --lines 1
says "^FAILED: lines: 0.00 %, expected at least 1 %"
echo "nothing" >>"$scratch/a.dat"
run 2 "$scratch/a.dat"
says "a.dat:15: error: expected a counter of Verilator"
point c.dat 3 9 v_other Stalls_C "" 0
sed -i '1i # SystemC::Coverage-3' "$scratch/c.dat"
run 2 "$scratch/c.dat"
says "c.dat:2: error: a counter of kind 'v_other', expected lines, branches, toggles or properties"
bad_counter() {  # the arguments of point, pattern
  echo '# SystemC::Coverage-3' >"$scratch/d.dat"
  point d.dat "$1" 9 "$2" "$3" "$4" "$5"
  run 2 "$scratch/d.dat" --missed
  says "d.dat:2: error: $6"
}
nameless='a counter of toggles without a name, expected a signal and its bit'
bad_counter 2 v_toggle "" "" 0 "$nameless"
bad_counter 2 v_toggle ":0->1" "" 0 "$nameless"
bad_counter 2x v_toggle 'data[0]' "" 0 "a counter at line '2x', expected a number"
bad_counter "" v_toggle 'data[0]' "" 0 "a counter at line '', expected a number"
bad_counter 2 v_toggle 'data[0]' 9-4 0 'expected a counter of Verilator'
bad_counter 2 v_toggle 'data[0]' "" -1 'expected a counter of Verilator'
bad_counter 2 v_toggle 'data[0]' "" 99999999999999999999 'expected a counter of Verilator'
bad_counter 2 v_toggle 'data[0]' "" "" 'expected a counter of Verilator'
printf 'file,text,reason\nrtl/x/x.sv\n' >"$scratch/reasons.csv"
run 2 "$scratch/b.dat" --reasons "$scratch/reasons.csv"
says "reasons.csv:2: error: expected file,text,reason"
echo "$passed passed, 0 failed"
