#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Bad input: one clear message and the documented exit status. Usage: bad_input_test.sh PROGRAM KERNELS [hsail]
set -u
cuvette=$1
kernels=$2
. "$(dirname "$0")/expect.sh"

# good: a dispatch file on saxpy, with what the variables code, kernel, grid ... replace.
cp "$kernels"/*.hsail "$dir"
default_args='  - u32: 64
  - f32: 2.0
  - buffer: {name: x, type: f32, count: 64}'
good() {
  printf 'code: %s\nkernel: "%s"\ngrid: %s\nworkgroup: %s\nargs:\n' "${code:-saxpy.hsail}" \
    "${kernel:-&saxpy}" "${grid:-[64]}" "${workgroup:-[64]}"
  printf '%s\n' "${args:-$default_args}"
  [ -n "${args:-}" ] || printf '  - buffer: {name: y, type: f32, count: 64%s}\n' "${init:-}"
  printf '%s\n' "${extra:-}"
}

good >"$dir/good.yaml"
expect 0 "passed on golden" run "$dir/good.yaml"
kernel="&nothing" good >"$dir/kernel.yaml"
expect 2 "nothing" run "$dir/kernel.yaml"
grid="[0]" good >"$dir/grid.yaml"
expect 2 "grid.yaml:3:8: error: expected an integer from 1" run "$dir/grid.yaml"
workgroup="[64, 32]" good >"$dir/group.yaml"
expect 2 "group.yaml:4:12: error: work-group of 2048 work-items, expected at most 1024" run "$dir/group.yaml"
workgroup="[2000]" good >"$dir/group2.yaml"
expect 2 "group2.yaml:4:13: error: expected an integer from 1 to 1024" run "$dir/group2.yaml"
extra="colour: red" good >"$dir/key.yaml"
expect 2 "unknown key 'colour'" run "$dir/key.yaml"
code="missing.hsail" good >"$dir/file.yaml"
expect 2 "no such file" run "$dir/file.yaml"
init=", init: {file: short.bin}" good >"$dir/short.yaml"
printf 'abc' >"$dir/short.bin"
expect 2 "has 3 bytes, expected at least 256" run "$dir/short.yaml"
args="  - u32: 64" good >"$dir/count.yaml"
expect 2 "takes 4 arguments, found 1" run "$dir/count.yaml"
args="  - f32: 64
  - f32: 2.0
  - buffer: {name: x, type: f32, count: 64}
  - buffer: {name: y, type: f32, count: 64}" good >"$dir/type.yaml"
expect 2 "expects u32, found f32" run "$dir/type.yaml"
expect 2 "unknown machine description 'mi1000'" run "$dir/good.yaml" --config mi1000
expect 2 "unknown processor\|unknown target" run "$dir/good.yaml" --target gfx1100
expect 2 "need --engine ca" run "$dir/good.yaml" --lockstep valu
for instances in 1 all; do
  expect 2 "error: --lockstep-instances says where blocks in lockstep stand, expected --lockstep or a device with it" \
    run "$dir/good.yaml" --engine ca --config small --lockstep-instances $instances
done
for engine in hsail golden; do
  expect 2 "error: --allow-fallback goes with the engines lt and ca" run "$dir/good.yaml" --engine $engine --allow-fallback
done
for engine in lt ca; do
  expect 0 "passed on $engine" run "$dir/good.yaml" --engine $engine --config small --allow-fallback
done
expect 2 "cannot open" run "$dir/nonexistent.yaml"
printf 'a: [1, 2' >"$dir/broken.yaml"
expect 2 "broken.yaml:" run "$dir/broken.yaml"

head -c 300 "$dir/saxpy.hsail" >"$dir/truncated.hsail"
code=truncated.hsail good >"$dir/t.yaml"
expect 2 "truncated.hsail:[0-9]*:[0-9]*: error" run "$dir/t.yaml"
head -c 4096 /dev/urandom | tr -d '\000' >"$dir/noise.hsail"
code=noise.hsail good >"$dir/n.yaml"
expect 2 "noise.hsail:[0-9]*:[0-9]*: error" run "$dir/n.yaml"
sed 's/fma_f32/fnord_f32/' "$dir/saxpy.hsail" >"$dir/mnemonic.hsail"
code=mnemonic.hsail good >"$dir/m.yaml"
expect 2 "mnemonic.hsail:[0-9]*:[0-9]*: error: .*fnord" run "$dir/m.yaml"
sed 's/fma_f32/fma_u32/' "$dir/saxpy.hsail" >"$dir/suffix.hsail"
code=suffix.hsail good >"$dir/s.yaml"
expect 2 "suffix.hsail:[0-9]*:[0-9]*: error" run "$dir/s.yaml"
printf '\177ELF\002\001\001' >"$dir/truncated.co"
code=truncated.co good >"$dir/elf.yaml"
expect 2 "truncated.co" run "$dir/elf.yaml"
code="$cuvette" good >"$dir/foreign.yaml"
expect 2 "error: " run "$dir/foreign.yaml"

expect 0 "" validate "$dir/saxpy.hsail" "$dir/sgemm.hsail"
expect 2 "truncated.hsail:[0-9]*:[0-9]*: error" validate "$dir/truncated.hsail"
expect 2 '"severity":"error"' validate --diagnostics json "$dir/mnemonic.hsail"
expect 2 '"id":"instruction-unknown"' validate --diagnostics json "$dir/mnemonic.hsail"
expect 2 "mnemonic.hsail:[0-9]*:[0-9]*: error: .*fnord.* \\[instruction-unknown\\]$" validate "$dir/mnemonic.hsail"
expect 2 "cannot open" validate "$dir/nonexistent.hsail"
expect 0 "" finalize "$dir/saxpy.hsail" --target gfx942 -o "$dir/saxpy.co"
expect 2 "unknown target\|gfx1100" finalize "$dir/saxpy.hsail" --target gfx1100 -o "$dir/x.co"
for target in gfx908 gfx90a gfx942; do
  expect 2 "^$dir/saxpy.hsail: error: code object v2 has no $target, expected gfx900 or gfx906" \
    finalize "$dir/saxpy.hsail" --target $target --code-object 2 -o "$dir/x.co"
done

# More of what a dispatch file can get wrong.
printf '# a comment\n, file: x}\n' >"$dir/comma.yaml"
expect 2 "comma.yaml:2:1: error: more than one YAML document" run "$dir/comma.yaml"
extra="---" good >"$dir/documents.yaml"
printf 'a: 1\n' >>"$dir/documents.yaml"
expect 2 "documents.yaml:[0-9]*:1: error: more than one YAML document" run "$dir/documents.yaml"
grid="[1, 1, 1, 1]" good >"$dir/grid4.yaml"
expect 2 "grid4.yaml:3:7: error: expected a list of 1 to 3 sizes" run "$dir/grid4.yaml"
init=", init: {file: missing.bin}" good >"$dir/init.yaml"
expect 2 "init.yaml:9:58: error: file .missing.bin.: cannot open" run "$dir/init.yaml"
extra="expect: [{buffer: y, file: missing.bin}]" good >"$dir/expect.yaml"
expect 2 "expect.yaml:10:28: error: file .missing.bin.: cannot open" run "$dir/expect.yaml"
extra="expect: [{buffer: y, file: short.bin}]" good >"$dir/expect3.yaml"
expect 2 "expect3.yaml:10:28: error: file 'short.bin' has 3 bytes, expected 256, those of 64 elements of f32" run "$dir/expect3.yaml"
extra="expect: [{buffer: q, values: [1]}]" good >"$dir/expect_name.yaml"
expect 2 "expect_name.yaml:10:19: error: no buffer is named 'q'" run "$dir/expect_name.yaml"
# Results that the PRM leaves undefined are noted with their place.
cat >"$dir/divide.hsail" <<'EOF'
module &m:1:1:$full:$large:$default;
prog kernel &k()
{
  workitemabsid_u32 $s0, 0;
  and_b32 $s1, $s0, 3;
  div_u32 $s2, 100, $s1; rem_u32 $s2, 100, $s1;
};
EOF
printf 'code: divide.hsail\nkernel: "&k"\ngrid: [64]\nworkgroup: [64]\nargs: []\n' >"$dir/divide.yaml"
expect 0 "divide.hsail:6:3: undefined by the PRM in 16 lanes: integer division by zero" run "$dir/divide.yaml" --engine hsail
expect 0 "divide.hsail:6:26: undefined by the PRM in 16 lanes" run "$dir/divide.yaml" --engine hsail
"$cuvette" asm "$dir/divide.hsail" -o "$dir/divide.brig"
printf 'code: divide.brig\nkernel: "&k"\ngrid: [64]\nworkgroup: [64]\nargs: []\n' >"$dir/divide_brig.yaml"
expect 0 "divide.brig:+0x[0-9a-f]*: undefined by the PRM in 16 lanes" run "$dir/divide_brig.yaml" --engine hsail

# Expectations that would pass whatever the kernel does, or can hold for nothing, are found before it runs.
: >"$dir/empty.bin"
extra="expect: [{buffer: y, file: empty.bin}]" good >"$dir/expect_empty.yaml"
expect 2 "expect_empty.yaml:10:28: error: file 'empty.bin' has 0 bytes, expected 256, those of 64 elements" run "$dir/expect_empty.yaml"
# A file is compared with all of the buffer from its index on: nothing is left unjudged.
head -c 252 /dev/zero >"$dir/most.bin"
extra="expect: [{buffer: y, file: most.bin}]" good >"$dir/expect_most.yaml"
expect 2 "expect_most.yaml:10:28: error: file 'most.bin' has 252 bytes, expected 256, those of 64 elements of f32 from element 0" \
  run "$dir/expect_most.yaml"
extra="expect: [{buffer: y, index: 2, file: most.bin}]" good >"$dir/expect_long.yaml"
expect 2 "expect_long.yaml:10:38: error: file 'most.bin' has 252 bytes, expected 248, those of 62 elements of f32 from element 2" \
  run "$dir/expect_long.yaml"
for tolerance in "ulp: inf" "abs: inf" "rel: .inf" "abs: nan" "abs: -1"; do
  extra="expect: [{buffer: y, values: [1], $tolerance}]" good >"$dir/tolerance.yaml"
  expect 2 "tolerance.yaml:10:[0-9]*: error: expected a \(finite \)\?number" run "$dir/tolerance.yaml"
done
extra="expect: [{signal: bell, value: 0}]" good >"$dir/expect_signal.yaml"
expect 2 "expect_signal.yaml:10:19: error: no signal is named 'bell'" run "$dir/expect_signal.yaml"
# No tolerance makes a number of an infinity.
for tolerance in "rel: 0.5" "abs: 1000"; do
  extra="expect: [{buffer: y, values: [inf], $tolerance}]" good >"$dir/infinity.yaml"
  expect 1 "y\[0\]: expected inf" run "$dir/infinity.yaml"
done
# A tolerance counts beside a file and beside values written as bits; a NaN of these stays what it is. y[0] is 0.
{ printf '\000\000\200\063'; head -c 252 /dev/zero; } >"$dir/near.bin"
{ printf '\001\000\300\177'; head -c 252 /dev/zero; } >"$dir/nan.bin"
for given in "file: near.bin" "values: [0x33800000]"; do  # 2^-24
  for tolerance in "abs: 0.000001" "rel: 1" "ulp: 1000000000"; do
    extra="expect: [{buffer: y, $given, $tolerance}]" good >"$dir/near.yaml"
    expect 0 "passed on golden" run "$dir/near.yaml"
  done
  for tolerance in "" ", abs: 0.00000001" ", rel: 0.5" ", ulp: 1"; do
    extra="expect: [{buffer: y, $given$tolerance}]" good >"$dir/far.yaml"
    expect 1 "y\[0\]: expected 5.96" run "$dir/far.yaml"
  done
done
for given in "file: nan.bin" "values: [0x7fc00001]"; do
  extra="expect: [{buffer: y, $given, abs: 1000}]" good >"$dir/nan.yaml"
  expect 1 "y\[0\]: expected nan (0x7fc00001)" run "$dir/nan.yaml"
done
nan_args='  - u32: 64
  - f32: nan
  - buffer: {name: x, type: f32, count: 64}
  - buffer: {name: y, type: f32, count: 64}'
for tolerance in "ulp: 1e300" "abs: 1e30" "rel: 1e30"; do
  args="$nan_args" extra="expect: [{buffer: y, values: [1], $tolerance}]" good >"$dir/made_nan.yaml"
  expect 1 "y\[0\]: expected 1 (0x3f800000), got nan\|y\[0\]: expected 1.* got -nan" run "$dir/made_nan.yaml"
done
init=", init: {random: {seed: 1, low: 2, high: 1}}" good >"$dir/random.yaml"
expect 2 "random.yaml:9:60: error: expected low to be at most high" run "$dir/random.yaml"
printf 'Dear reader,\n' >"$dir/letter.hsail"
code=letter.hsail good >"$dir/letter.yaml"
expect 2 "letter.hsail:1:1: error: .*expected" run "$dir/letter.yaml"
code=other.co good >"$dir/other.yaml"
cp "$dir/saxpy.co" "$dir/other.co"  # of gfx942
expect 2 "other.co.*gfx942.*gfx908\|other.co.*gfx908.*gfx942" run "$dir/other.yaml"
printf 'name: broken\ncolour: red\n' >"$dir/machine.yaml"
expect 2 "machine.yaml:[0-9]*:[0-9]*: error: " run "$dir/good.yaml" --engine ca --config "$dir/machine.yaml"

# A store behind the end of its buffer, and a kernel that does not end.
cat >"$dir/store.hsail" <<'EOF'
module &store_module:1:0:$full:$large:$default;
prog kernel &store(kernarg_u64 %y)
{
	workitemabsid_u32 $s0, 0;
	ld_kernarg_u64 $d0, [%y];
	cvt_u64_u32 $d1, $s0;
	mad_u64 $d0, $d1, 4, $d0;
	st_global_u32 $s0, [$d0];
};
EOF
cat >"$dir/wild.yaml" <<'EOF'
code: store.hsail
grid: [64]
workgroup: [64]
args:
  - buffer: {name: y, type: u32, count: 32}
EOF
cat >"$dir/endless.hsail" <<'EOF'
module &endless_module:1:0:$full:$large:$default;
prog kernel &endless()
{
@again:
	br @again;
};
EOF
cat >"$dir/endless.yaml" <<'EOF'
code: endless.hsail
grid: [64]
workgroup: [64]
EOF
behind="right behind the end of buffer y (0x[0-9a-f]*, 128 bytes)"
expect 1 "store.hsail:8:2: error: store of 4 bytes to unmapped or read-only address 0x[0-9a-f]*, $behind" \
  run "$dir/wild.yaml" --engine hsail
expect 1 "endless.hsail:5:2: error: instruction limit of 20000 reached" \
  run "$dir/endless.yaml" --engine hsail --watchdog 20000
wild="pc 0x[0-9a-f]*: global_store_dword .* unmapped address 0x[0-9a-f]*.*: store of 4 bytes, $behind"
expect 1 "$wild" run "$dir/wild.yaml"
expect 1 "watchdog: more than 20000 instructions" run "$dir/endless.yaml" --watchdog 20000
expect 1 "wave 0 pc 0x[0-9a-f]*" run "$dir/endless.yaml" --watchdog 20000
for engine in lt ca; do
  expect 1 "$wild" \
    run "$dir/wild.yaml" --engine $engine --config small
  expect 1 "watchdog: not done after 20000 cycles" \
    run "$dir/endless.yaml" --engine $engine --config small --watchdog 20000
  expect 1 "simd 0 slot 0 wave 0x[0-9a-f]* pc 0x[0-9a-f]*" \
    run "$dir/endless.yaml" --engine $engine --config small --watchdog 20000
done

# Errors of the input are reported on every engine, with the same status.
for engine in "hsail" "lt --config small" "ca --config small"; do
  while read -r file pattern; do
    # shellcheck disable=SC2086
    expect 2 "$pattern" run "$dir/$file" --engine $engine
  done <<'EOF'
kernel.yaml nothing
count.yaml takes 4 arguments, found 1
type.yaml expects u32, found f32
grid.yaml grid.yaml:3:8: error: expected an integer from 1
group.yaml group.yaml:4:12: error: work-group of 2048
short.yaml has 3 bytes, expected at least 256
t.yaml truncated.hsail:[0-9]*:[0-9]*: error
m.yaml mnemonic.hsail:[0-9]*:[0-9]*: error: .*fnord
s.yaml suffix.hsail:[0-9]*:[0-9]*: error
letter.yaml letter.hsail:1:1: error: .*expected
elf.yaml truncated.co
foreign.yaml error: 
EOF
done
for engine in "lt --config small" "ca --config small"; do
  # shellcheck disable=SC2086
  expect 2 "other.co.*gfx942.*gfx908\|other.co.*gfx908.*gfx942" run "$dir/other.yaml" --engine $engine
done

# A machine of 1 MiB (memory.bytes): what does not fit is said with the place that asked for it.
sed '/^memory:/,/^$/s/bytes: {value: 0x40000000,/bytes: {value: 0x100000,/' \
  "$(dirname "$0")/../../config/small.yaml" >"$dir/tiny.yaml"
cat >"$dir/private.hsail" <<'EOF'
module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %y)
{
  private_u32 %p[256];
  workitemabsid_u32 $s0, 0;
  and_b32 $s1, $s0, 255;
  shl_u32 $s1, $s1, 2;
  st_private_u32 $s0, [%p][$s1];
  mul_u32 $s3, $s0, 28;
  and_b32 $s3, $s3, 1020;
  ld_private_u32 $s2, [%p][$s3];
  ld_kernarg_u64 $d0, [%y];
  cvt_u64_u32 $d1, $s0;
  mad_u64 $d0, $d1, 4, $d0;
  st_global_u32 $s2, [$d0];
};
EOF
sized() {  # FILE X Y: saxpy with buffers of so many floats
  args="  - u32: 64
  - f32: 2.0
  - buffer: {name: x, type: f32, count: $2}
  - buffer: {name: y, type: f32, count: $3}" good >"$dir/$1.yaml"
}
sized room 131072 65536  # 256 KiB for everything else
sized second 131072 131073
sized first 262145 1
sized full 131072 131072
args="  - u32: 64
  - f32: 2.0
  - buffer: {name: x, type: f32, count: 64}
  - queue: {name: q, size: 16384}" good >"$dir/ring.yaml"
for waves in 15 16; do  # of 64 KiB each
  printf 'code: private.hsail\nkernel: "&k"\ngrid: [%d]\nworkgroup: [64]\nargs:\n' $((64 * waves)) >"$dir/w$waves.yaml"
  printf '  - buffer: {name: y, type: u32, count: 1024}\n' >>"$dir/w$waves.yaml"
done
cat >"$dir/twice.yaml" <<'EOF'  # the second one takes over the scratch of the first
code: private.hsail
dispatches:
  - {kernel: "&k", grid: [960], workgroup: [64], args: [{buffer: {name: y, type: u32, count: 1024}}]}
  - {kernel: "&k", grid: [960], workgroup: [64], args: [{ref: y}]}
EOF
for engine in golden lt ca hsail; do
  tiny="--engine $engine --config $dir/tiny.yaml"
  while read -r status file pattern; do
    # shellcheck disable=SC2086
    expect "$status" "$pattern" run "$dir/$file.yaml" $tiny
  done <<'EOF'
0 room passed on
2 second second.yaml:9:13: error: buffer 'y': 524292 bytes do not fit: of 1048576 bytes of memory 524288 are left
2 first first.yaml:8:13: error: buffer 'x': 1048580 bytes do not fit: of 1048576 bytes of memory 1048576 are left
2 full \(saxpy.hsail\|full.yaml:1:1\): error: [0-9]* bytes do not fit: of 1048576 bytes of memory 0 are left
2 ring ring.yaml:9:[0-9]*: error: [0-9]* bytes do not fit
0 w15 passed on
0 twice passed on
EOF
  [ $engine = hsail ] || expect 2 "w16.yaml:1:1: error: scratch: [0-9]* bytes do not fit" \
    run "$dir/w16.yaml" --engine $engine --config "$dir/tiny.yaml"
  expect 0 "passed on" run "$dir/w16.yaml" --engine $engine --config small
done

tally
