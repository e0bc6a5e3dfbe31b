// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: sums and largest values of every type, whole and by segments. Arguments: sizes.
#include "rocprim_check.h"

template <class T>
struct Larger {
  __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

template <class T>
void reduce(Check& check, size_t size, std::mt19937_64& random) {
  const auto in = addends<T>(size, random);
  Host<T> sum = in[0];
  for (size_t i = 1; i < size; ++i) sum = host_sum<T>(sum, in[i]);
  // Segments of 1, 2, 3, ... elements, a last one of what is left.
  std::vector<unsigned> begins, ends;
  std::vector<Host<T>> sums;
  for (size_t begin = 0, length = 1; begin < size; begin += length++) {
    const size_t end = std::min(begin + length, size);
    Host<T> part = in[begin];
    for (size_t i = begin + 1; i < end; ++i) part = host_sum<T>(part, in[i]);
    begins.push_back(static_cast<unsigned>(begin));
    ends.push_back(static_cast<unsigned>(end));
    sums.push_back(part);
  }
  Array<T> from(in), to(1), parts(sums.size());
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, from.data(), to.data(), size, Sum<T>());
  });
  compare(check, "sum", to.values(), {sum});
  Array<unsigned> first(begins), last(ends);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::segmented_reduce(storage, bytes, from.data(), parts.data(),
                                     static_cast<unsigned>(sums.size()), first.data(), last.data(),
                                     Sum<T>());
  });
  compare(check, "segments", parts.values(), sums);
  if constexpr (!std::is_same_v<T, Pair>) {
    const auto numbers = keys<T>(size, random);
    const Host<T> most = *std::max_element(numbers.begin(), numbers.end(), less<T>);
    Array<T> all(numbers);
    with_storage([&](void* storage, size_t& bytes) {
      return rocprim::reduce(storage, bytes, all.data(), to.data(), size, Larger<T>());
    });
    compare(check, "largest", to.values(), {most});
  }
}

int main(int argc, char** argv) {
  return run_sizes(argc, argv, [](Check& check, size_t size, std::mt19937_64& random) {
    for_numbers(
        [&](auto* type) { reduce<std::remove_pointer_t<decltype(type)>>(check, size, random); });
    reduce<Pair>(check, size, random);
  });
}
