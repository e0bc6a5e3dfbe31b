#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# user_valu_test.sh BUILD_DIR: installs the build tree, builds examples/user_valu from the install tree alone,
# and checks the worked example of docs/howto/bring_your_rtl.md: a user's valu passes in lockstep, one with an error is
# caught, explained and reproduced, and modules that do not fit are refused by name. $CXX is the compiler.
set -eu
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$build/tests/user_valu
prefix=$scratch/prefix
. "$(dirname "$0")/user_device.sh"

rm -rf "$scratch"
mkdir -p "$scratch/runs"
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || fail "cmake --install: build everything first"
! grep -rlF "$repository" "$prefix/lib/cmake" "$prefix/share/cuvette" || fail "the install tree names the source tree"
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
cp -r "$repository/examples/user_valu" "$scratch/source"
cmake -S "$scratch/source" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/configure.log"
cmake --build "$scratch/build" >"$scratch/build.log" || { cat "$scratch/build.log"; fail "the example does not build"; }

# One function crosses the border.
module_shows_one_function "$scratch/build/user_valu.so"

# Modules that do not fit, each a small C file.
module() {  # NAME, C text
  printf '#include "ip/dut.h"\n%s\n' "$2" >"$scratch/$1.c"
  cc -shared -fPIC -I "$prefix/include/cuvette" "$scratch/$1.c" -o "$scratch/build/$1.so"
}
table() {  # MEMBERS
  echo "static const cuvette_dut_table t = {$1}; const cuvette_dut_table* cuvette_dut(void) { return &t; }"
}
module no_symbol "int nothing;"
module version "$(table '.version = 99, .size = sizeof t')"
module short "$(table '.version = CUVETTE_DUT_VERSION, .size = 8')"
module empty "$(table '.version = CUVETTE_DUT_VERSION, .size = sizeof t')"
functions='
#ifndef DEVICE
#define DEVICE 0
#define READY 0
#endif
static cuvette_dut_instance* create(const char* a, uint64_t b) { return (cuvette_dut_instance*)DEVICE; }
static void d(cuvette_dut_instance* i) {} static void r(cuvette_dut_instance* i, int a) {}
static int im(cuvette_dut_instance* i, const char* m, uint32_t x) { return 1; }
static void dr(cuvette_dut_instance* i, uint32_t c, const uint8_t* x) {}
static void ac(cuvette_dut_instance* i, uint32_t c, int x) {}
static int re(cuvette_dut_instance* i, uint32_t c) { return READY; }
static int sa(cuvette_dut_instance* i, uint32_t c, uint8_t* x) { return 0; }
static const char* fa(cuvette_dut_instance* i) { return 0; }
static int tr(cuvette_dut_instance* i, const char* f) { return -1; }
static const char* const none[] = {0};
static const char* const names[] = {NAMES 0};
static const cuvette_dut_channel ch[] = {{"request", 4216, 1}, {"response", BITS, 0}};'
members='.version = CUVETTE_DUT_VERSION, .size = sizeof t, .name = "x", .channel_count = 2, .channels = ch,
.create = create, .destroy = d, .reset = r, .implements = im, .drive = dr, .accept = ac, .ready = re, .sample = sa,
.clock = d, .failure = fa, .trace = tr'
lists='.operations = none, .targets = none'
module block "#define BITS 1099
#define NAMES
$functions $(table ".block = \"lds\", $members, $lists")"
module bits "#define BITS 1098
#define NAMES
$functions $(table ".block = \"valu\", $members, $lists")"
module no_lists "#define BITS 1099
#define NAMES
$functions $(table ".block = \"valu\", $members")"
module operation "#define BITS 1099
#define NAMES \"v_mov_b32\", \"v_add_u23\",
$functions $(table ".block = \"valu\", $members, .operations = names, .targets = none")"
module target "#define BITS 1099
#define NAMES \"gfx908\", \"gfx909\",
$functions $(table ".block = \"valu\", $members, .operations = none, .targets = names")"
module other "#define BITS 1099
#define NAMES \"gfx906\", \"gfx90a\",
$functions $(table ".block = \"valu\", $members, .operations = none, .targets = names")"

# Takes every request and never answers.
module silent "#define BITS 1099
#define NAMES
#define DEVICE 1
#define READY (c == 0)
$functions $(table ".block = \"valu\", $members, $lists")"

cd "$scratch/runs"
cp "$scratch/source/subtract.yaml" .
refused() {  # FILE, pattern
  machine refused valu "{name: dut:mine, library: ../build/$1}"
  run 2 run subtract.yaml --engine ca --config refused.yaml
  says "$2"
}
refused missing.so "refused.yaml:[0-9]*:[0-9]*: error: .*missing.so: no such file, expected the shared module of a device"
refused no_symbol.so "the module has no function cuvette_dut"
refused version.so "the device table is of version 99, expected 3"
refused short.so "the device table has 8 bytes"
refused empty.so "the device table has empty members"
refused block.so "a device for block lds, expected one for block valu"
refused bits.so "channel 1 of the device is response with 1098 bits from the device, expected response with 1099"
refused no_lists.so "the device table has empty members"
refused operation.so "operation.so: the device names 'v_add_u23', expected mnemonics"
refused target.so "the device names the target 'gfx909', expected gfx900, gfx906, gfx908, gfx90a or gfx942"
refused other.so "other.so: the device is for gfx906, gfx90a, the machine is of gfx908"
machine refused valu "dut:mine"
run 2 run subtract.yaml --engine ca --config refused.yaml
says "block valu: no library is given for 'dut:mine'"
machine refused valu "{name: dut:mine, library: ../build/user_valu.so, timing: sometimes}"
run 2 run subtract.yaml --engine ca --config refused.yaml
says "refused.yaml:.*expected exact, ignore or bounded(MIN,MAX)"

# The user's device, by one line of the machine description.
machine user valu "{name: dut:mine, library: ../build/user_valu.so, timing: \"bounded(1,1)\"}"
run 0 run subtract.yaml --engine ca --config user.yaml
says "valu dut:mine of all 4 SIMDs: .*, 0 mismatches"
says "7 elements compared, 0 differ"
run 0 run subtract.yaml --engine ca --config user.yaml --lockstep-instances 1 --lockstep valu:1/4
says "valu dut:mine of compute unit 0 SIMD 0, tlm in the other 3 SIMDs, sampled 1/4"
# Operations that it lacks are refused without --allow-fallback and counted with it.
run 1 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config user.yaml
says "valu implementation 'dut:mine' does not have it, and fallbacks to ours are not allowed (--allow-fallback)"
run 0 run "$repository/tests/dispatches/saxpy.yaml" --engine ca --config user.yaml --allow-fallback
says "fallbacks      [1-9]"
# A timing it does not keep.
machine slow valu "{name: dut:mine, library: ../build/user_valu.so, timing: exact}"
run 1 run subtract.yaml --engine ca --config slow.yaml
says "block valu of compute unit 0 SIMD 0, cycle [0-9]*: a request is taken\|block valu of compute unit 0 SIMD 0, cycle [0-9]*: a response "
[ ! -e out.fst ] || fail "waves that nobody asked for"
# A device that stops is named, with a file, and its rerun ends.
machine silent valu "{name: dut:mine, library: ../build/silent.so}"
run 1 run subtract.yaml --engine ca --config silent.yaml
says "block valu of compute unit 0 SIMD 0, cycle [0-9]*: no message in 10000 cycles, the reference has given a response"
says "rerun        the block alone differs in missing"
run 1 rerun cuvette_lockstep.recording.jsonl
says "no message in 10000 cycles"

# The one with an error: caught at the first wrong lane, with everything needed to go on.
machine bug valu "{name: dut:mine, library: ../build/user_valu_bug.so}"
run 1 run subtract.yaml --engine ca --config bug.yaml --wave out.fst
says "block valu of compute unit 0 SIMD 0, cycle [0-9]*: response: field dst, lane 0: expected 0xff80, the device gives 0x1ff80"
says "wave 0x.* pc 0x.*: v_sub_u32_e32 v[0-9]*, v[0-9]*, v[0-9]*"
says "> 0: src0 0x10000 (65536) src1 0x80 (128).*expected 0xff80 (65408), got 0x1ff80 (130944)"
says "last transactions:"
says "reproduce    cuvette rerun out.recording.jsonl --wave out.fst"
says "rerun        the block alone differs in dst"
[ "$(od -An -tx1 -N1 out.fst | tr -d ' ')" = 00 ] && [ "$(wc -c <out.fst)" -gt 300 ] || fail "no waveforms"
mv out.fst first.fst
# The command it prints does what it says: with the error it fails again, without it passes.
command=$(sed -n 's/^.*reproduce *cuvette //p' "$scratch/out")
run 1 $command
says "field dst, lane 0"
[ -s out.fst ] || fail "no waveforms of the rerun"
run 0 rerun out.recording.jsonl --library "$scratch/build/user_valu.so"
says "alone: passed"
# Our own RTL has no such error.
sed '1s/"device":"dut:mine"/"device":"rtl"/' out.recording.jsonl >rtl.jsonl
run 0 rerun rtl.jsonl --wave rtl.fst
says "alone: passed"
# An operation that the device has not is refused with its line.
sed '2,$s/"op":[0-9]*/"op":1023/' out.recording.jsonl >op.jsonl
run 2 rerun op.jsonl
says "op.jsonl:[0-9]*: error: 'op' is no operation of the device"
# Without --wave: the recording, no waveforms.
rm -f *.fst
run 1 run subtract.yaml --engine ca --config bug.yaml
says "reproduce    cuvette rerun cuvette_lockstep.recording.jsonl --wave cuvette_lockstep.fst"
says "waves        none, --wave was not given"
[ -s cuvette_lockstep.recording.jsonl ] || fail "no recording"
[ -z "$(ls *.fst 2>/dev/null)" ] || fail "waveforms that nobody asked for"
# A recording of a run that passes, and its rerun.
run 0 run subtract.yaml --engine ca --config user.yaml --record good.jsonl
run 0 rerun good.jsonl
says "compared     [1-9][0-9]* valu responses, [1-9][0-9]* valu times, [1-9][0-9]* valu values"
printf 'nonsense\n' >bad.jsonl
run 2 rerun bad.jsonl
says "bad.jsonl:1: error: expected a JSON object"
run 2 run subtract.yaml --engine ca --config small --wave x.fst
says "wave shows the pins of a block in lockstep"
echo "$passed passed, 0 failed"
