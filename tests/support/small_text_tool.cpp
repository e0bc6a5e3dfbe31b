// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// small_text_tool < LARGE.hsail > SMALL.hsail: exit status 1 when the small machine model has no
// such text (small_text.h).
#include <iostream>
#include <iterator>

#include "small_text.h"

int main() {
  const std::string large{std::istreambuf_iterator<char>(std::cin), {}};
  const auto small = cuvette::small_text::small_text(large);
  if (!small) return 1;
  std::cout << *small;
  return 0;
}
