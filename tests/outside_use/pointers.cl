// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A table of pointers, which the loader relocates; the kernel does not read the last one. The test moves one relocation out of
// the object.
global uint squares[6] = {1, 4, 9, 16, 25, 36};
global uint* global order[4] = {&squares[5], &squares[0], &squares[4], &squares[1]};
kernel void pick(global uint* out) {
  size_t n = get_global_id(0);
  out[n] = *order[n % 3];
}
