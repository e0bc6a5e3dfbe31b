// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Program-scope data reached through pointers in memory: the object needs relocations.
__global int values[4] = {10, 20, 30, 40};
__global int* __constant where[2] = {&values[1], &values[3]};

__kernel void tables(__global int* out, uint index) {
  out[0] = *where[index & 1];
  values[0] = 11;
}
