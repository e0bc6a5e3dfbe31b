// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that trap, one behind the other: what clang emits behind s_trap is the next one's.
__kernel void aborts(__global uint* x) {
  x[0] = 1;
  __builtin_trap();
}
__kernel void aborts_in_a_lane(__global uint* x) {
  x[get_global_id(0)] = 1;
  if (get_global_id(0) == 69) __builtin_trap();
}
__kernel void breaks(__global uint* x) {
  x[0] = 1;
  __builtin_debugtrap();
  x[1] = 1;
}
__kernel void behind(__global uint* x) { x[2] = 1; }
