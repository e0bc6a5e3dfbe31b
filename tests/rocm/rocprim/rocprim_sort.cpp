// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: radix sorts of keys of every type with their places, ascending; of those of four bytes
// also alone, descending.
// Arguments: sizes.
#include <numeric>

#include "rocprim_check.h"

template <class T>
void sort(Check& check, size_t size, std::mt19937_64& random) {
  const auto in = keys<T>(size, random);
  std::vector<unsigned> places(size);
  std::iota(places.begin(), places.end(), 0u);
  Array<T> from(in), to(size);
  Array<unsigned> before(places), after(size);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_pairs(storage, bytes, from.data(), to.data(), before.data(),
                                     after.data(), size);
  });
  std::stable_sort(places.begin(), places.end(),
                   [&](unsigned a, unsigned b) { return less<T>(in[a], in[b]); });
  std::vector<Host<T>> sorted(size);
  for (size_t i = 0; i < size; ++i) sorted[i] = in[places[i]];
  compare(check, "places", after.values(), places);
  compare(check, "keys", to.values(), sorted);
  if constexpr (sizeof(T) == 4) {
    with_storage([&](void* storage, size_t& bytes) {
      return rocprim::radix_sort_keys_desc(storage, bytes, from.data(), to.data(), size);
    });
    std::reverse(sorted.begin(), sorted.end());
    compare(check, "descending", to.values(), sorted);
  }
}

int main(int argc, char** argv) {
  return run_sizes(argc, argv, [](Check& check, size_t size, std::mt19937_64& random) {
    for_numbers(
        [&](auto* type) { sort<std::remove_pointer_t<decltype(type)>>(check, size, random); });
    sort<bool>(check, size, random);
  });
}
