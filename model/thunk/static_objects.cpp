// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Static objects of this library are never destroyed: its thread uses them until the very end,
// behind the destructors of the libraries above it. Hides the C library's function from this
// library alone.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
