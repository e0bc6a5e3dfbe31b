// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A shared module that is none of RTL.
extern "C" int something_else() {
  return 0;
}
