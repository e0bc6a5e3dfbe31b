// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Addresses in initial values: the object has relocations of its data.
global int values[4] = {1, 2, 3, 4};
global int* global pointers[3] = {&values[0], &values[2], &values[1]};

kernel void follow(global int* out) {
  uint item = get_global_id(0);
  out[item] = *pointers[item % 3];
}
