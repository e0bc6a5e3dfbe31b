// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: partition and selection of every type by flags. Arguments: sizes.
#include "rocprim_check.h"

template <class T>
void partition(Check& check, size_t size, std::mt19937_64& random) {
  const auto in = addends<T>(size, random);
  std::vector<unsigned char> flags(size);
  for (auto& flag : flags) flag = random() % 3 == 0;
  // Those that are chosen, then the others from the end.
  std::vector<Host<T>> chosen, parts(size);
  size_t others = 0;
  for (size_t i = 0; i < size; ++i) {
    if (flags[i] != 0) {
      chosen.push_back(in[i]);
    } else {
      parts[size - ++others] = in[i];
    }
  }
  std::copy(chosen.begin(), chosen.end(), parts.begin());
  Array<T> from(in), to(size);
  Array<unsigned char> marks(flags);
  Array<unsigned> count(1);
  const std::vector<unsigned> number{static_cast<unsigned>(chosen.size())};
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::partition(storage, bytes, from.data(), marks.data(), to.data(), count.data(),
                              size);
  });
  compare(check, "partition", to.values(), parts);
  compare(check, "count", count.values(), number);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::select(storage, bytes, from.data(), marks.data(), to.data(), count.data(),
                           size);
  });
  auto selected = to.values();
  selected.resize(chosen.size());
  compare(check, "select", selected, chosen);
  compare(check, "count", count.values(), number);
}

int main(int argc, char** argv) {
  return run_sizes(argc, argv, [](Check& check, size_t size, std::mt19937_64& random) {
    for_numbers(
        [&](auto* type) { partition<std::remove_pointer_t<decltype(type)>>(check, size, random); });
    partition<Pair>(check, size, random);
  });
}
