// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A null pointer of the kernel's own. Without optimization clang declares all hidden arguments.
kernel void null_pointer(global int* out) { *(global int*)(ulong)out[0] = 3; }
