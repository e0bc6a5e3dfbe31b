#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Kernels that do not depend on WAVESIZE have the expected buffers with every one of them.
# Usage: wavesize_test.sh PROGRAM DISPATCHES
set -u
cuvette=$1
dispatches=$2
. "$(dirname "$0")/expect.sh"

for size in 1 2 4 8 16 32 64 128 256; do
  for name in histogram reduce saxpy sgemm stencil transpose vector_add mixed program constants; do
    expect 0 "passed on hsail" run "$dispatches/$name.yaml" --engine hsail --wavesize $size
  done
done
# 5,120 work-items in wavefronts of one.
expect 0 "5120 waves" run "$dispatches/reduce.yaml" --engine hsail --wavesize 1
for size in 0 3 48 512 x; do
  expect 2 "--wavesize" run "$dispatches/saxpy.yaml" --engine hsail --wavesize $size
done
expect 2 "--wavesize goes with engine hsail" run "$dispatches/saxpy.yaml" --wavesize 32
expect 2 "--poison goes with the engines golden, lt and ca" run "$dispatches/saxpy.yaml" --engine hsail --poison
expect 2 "--wavesize goes with engine hsail" run "$dispatches/saxpy.yaml" --engine ca --config small --wavesize 128

tally
