// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: run-length encoding of every type, of all runs and of those with several elements.
// Arguments: sizes.
#include "rocprim_check.h"

template <class T>
void encode(Check& check, size_t size, std::mt19937_64& random) {
  // Neighbours differ: -1, 0 and 1 in turn, for unsigned types the largest number in place of -1.
  std::vector<Host<T>> in(size), values;
  std::vector<unsigned> lengths, long_begins, long_lengths;
  int number = 0;
  for (size_t i = 0; i < size; number = (number + 1) % 3) {
    const size_t length = std::min<size_t>(random() % 4 == 0 ? random() % 300 + 1 : 1, size - i);
    Host<T> value;
    if constexpr (kFloat<T>) {
      value = Host<T>(static_cast<float>(number - 1));
    } else {
      value = static_cast<T>(number - 1);
    }
    std::fill_n(in.begin() + static_cast<ptrdiff_t>(i), length, value);
    values.push_back(value);
    lengths.push_back(static_cast<unsigned>(length));
    if (length > 1) {
      long_begins.push_back(static_cast<unsigned>(i));
      long_lengths.push_back(static_cast<unsigned>(length));
    }
    i += length;
  }
  Array<T> from(in), unique(size);
  Array<unsigned> counts(size), begins(size), runs(1);
  const auto first = [](auto all, size_t count) {
    all.resize(count);
    return all;
  };
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::run_length_encode(storage, bytes, from.data(), static_cast<unsigned>(size),
                                      unique.data(), counts.data(), runs.data());
  });
  compare(check, "runs", runs.values(), {static_cast<unsigned>(values.size())});
  compare(check, "values", first(unique.values(), values.size()), values);
  compare(check, "lengths", first(counts.values(), values.size()), lengths);
  with_storage([&](void* storage, size_t& bytes) {
    return rocprim::run_length_encode_non_trivial_runs(storage, bytes, from.data(),
                                                       static_cast<unsigned>(size), begins.data(),
                                                       counts.data(), runs.data());
  });
  compare(check, "long runs", runs.values(), {static_cast<unsigned>(long_begins.size())});
  compare(check, "begins", first(begins.values(), long_begins.size()), long_begins);
  compare(check, "lengths", first(counts.values(), long_begins.size()), long_lengths);
}

int main(int argc, char** argv) {
  return run_sizes(argc, argv, [](Check& check, size_t size, std::mt19937_64& random) {
    for_numbers(
        [&](auto* type) { encode<std::remove_pointer_t<decltype(type)>>(check, size, random); });
  });
}
