// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: inclusive and exclusive scans of every type. Arguments: sizes.
#include "rocprim_check.h"

template <class T>
void scan(Check& check, size_t size, std::mt19937_64& random) {
  const auto in = addends<T>(size, random);
  const Host<T> first = in[0];
  T initial;
  std::memcpy(&initial, &first, sizeof initial);
  std::vector<Host<T>> inclusive(size), exclusive(size);
  Host<T> sum{};
  Host<T> before = first;
  for (size_t i = 0; i < size; ++i) {
    sum = i == 0 ? in[0] : host_sum<T>(sum, in[i]);
    inclusive[i] = sum;
    exclusive[i] = before;
    before = host_sum<T>(before, in[i]);
  }
  Array<T> from(in), to(size);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, from.data(), to.data(), size, Sum<T>());
  });
  compare(check, "inclusive", to.values(), inclusive);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::exclusive_scan(storage, bytes, from.data(), to.data(), initial, size, Sum<T>());
  });
  compare(check, "exclusive", to.values(), exclusive);
}

int main(int argc, char** argv) {
  return run_sizes(argc, argv, [](Check& check, size_t size, std::mt19937_64& random) {
    for_numbers(
        [&](auto* type) { scan<std::remove_pointer_t<decltype(type)>>(check, size, random); });
    scan<Pair>(check, size, random);
  });
}
