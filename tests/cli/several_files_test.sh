#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Several dispatch files in one command: on lt and ca each runs in a process of its own. One summary
# and one line of --results per file, in order; the worst status is the command's.
# Usage: several_files_test.sh PROGRAM DISPATCHES_DIR SCRATCH_DIR
cuvette=$1
dispatches=$2
scratch=$3
failed=0
expect() {  # WHAT FOUND EXPECTED
  if [ "$2" != "$3" ]; then
    echo "$1: found '$2', expected '$3'"
    failed=$((failed + 1))
  fi
}
field() { sed -n "$1p" "$results" | sed "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/"; }

rm -rf "$scratch"
mkdir -p "$scratch"
results=$scratch/results.jsonl
wrong=$scratch/wrong.yaml
stuck=$scratch/stuck.yaml
cat > "$wrong" <<'EOF'
code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &k(kernarg_u64 %p)
    {
      ld_kernarg_u64 $d0, [%p];
      st_global_u32 7, [$d0];
      ret;
    };
grid: [1]
workgroup: [1]
args:
  - buffer: {name: b, type: u32, count: 1}
expect:
  - {buffer: b, index: 0, values: [8]}
EOF
echo 'code: {hsail: 7}' > "$stuck"
first=$dispatches/saxpy.yaml
last=$dispatches/reduce.yaml
for engine in golden lt ca; do
  config="--config small"
  alone=$("$cuvette" run "$first" --engine $engine $config | grep executed)
  out=$("$cuvette" run "$first" "$wrong" "$last" --engine $engine $config --results "$results" 2>/dev/null)
  expect "$engine: status" $? 1
  expect "$engine: summaries" "$(echo "$out" | grep -c "on $engine")" 3
  expect "$engine: first as alone" "$(echo "$out" | grep executed | head -1)" "$alone"
  expect "$engine: result lines" "$(wc -l < "$results" | tr -d ' ')" 3
  expect "$engine: first file" "$(field 1 file)" "$first"
  expect "$engine: second file" "$(field 2 file)" "$wrong"
  expect "$engine: third file" "$(field 3 file)" "$last"
  expect "$engine: first status" "$(field 1 status) $(field 1 exit)" "passed 0"
  expect "$engine: second status" "$(field 2 status) $(field 2 exit)" "failed 1"
  expect "$engine: third status" "$(field 3 status) $(field 3 exit)" "passed 0"
  instructions=$(echo "$alone" | sed 's/ *executed *\([0-9]*\) instructions.*/\1/')
  expect "$engine: instructions of the first" "$(field 1 instructions)" "$instructions"
  cycles=$(echo "$alone" | sed -n 's/.*, \([0-9]*\) cycles/\1/p')
  expect "$engine: cycles of the first" "$(field 1 cycles)" "${cycles:-0}"
  # Bad input in the middle: its own status, the others still run.
  "$cuvette" run "$first" "$stuck" "$last" --engine $engine $config --results "$results" >/dev/null 2>&1
  expect "$engine: status with bad input" $? 2
  expect "$engine: bad input" "$(field 2 status) $(field 2 exit)" "failed 2"
  expect "$engine: after bad input" "$(field 3 status) $(field 3 exit)" "passed 0"
done
echo "$failed failed"
[ "$failed" -eq 0 ]
