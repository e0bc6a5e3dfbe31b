// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The shared SystemC library refers to sc_main even in programs with a main of their own. Programs
// with their own sc_main do not link this file.
extern "C" int sc_main(int, char**) {
  return 0;
}
