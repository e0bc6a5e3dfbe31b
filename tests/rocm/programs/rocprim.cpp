// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocPRIM: inclusive scan, radix sort of pairs, reduction, against the host's own.
#include <algorithm>
#include <numeric>
#include <vector>

#include <rocprim/rocprim.hpp>

#include "check.h"

template <class T>
T* to_device(const std::vector<T>& values) {
  T* p;
  HIP_OK(hipMalloc(&p, values.size() * sizeof(T)));
  HIP_OK(hipMemcpy(p, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> to_host(const T* p, size_t count) {
  std::vector<T> values(count);
  HIP_OK(hipMemcpy(values.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
  return values;
}

/// The two calls that every algorithm wants: how much memory, then the work.
template <class Function>
void with_storage(Function&& function) {
  size_t bytes = 0;
  HIP_OK(function(nullptr, bytes));
  void* storage;
  HIP_OK(hipMalloc(&storage, std::max<size_t>(bytes, 1)));
  HIP_OK(function(storage, bytes));
  HIP_OK(hipDeviceSynchronize());
  HIP_OK(hipFree(storage));
}

int main() {
  Check check;
  for (const size_t n : {1, 1000, 20'000}) {
    std::vector<unsigned> keys(n), ranks(n);
    for (size_t i = 0; i < n; ++i) keys[i] = static_cast<unsigned>(i * 2654435761u) >> 3;
    std::iota(ranks.begin(), ranks.end(), 0u);
    unsigned *dk = to_device(keys), *dr = to_device(ranks), *ok = to_device(keys),
             *orank = to_device(ranks);
    with_storage([&](void* storage, size_t& bytes) {
      return rocprim::inclusive_scan(storage, bytes, dk, ok, n, rocprim::plus<unsigned>());
    });
    std::vector<unsigned> sums(n);
    std::partial_sum(keys.begin(), keys.end(), sums.begin());
    const auto scanned = to_host(ok, n);
    for (size_t i = 0; i < n; ++i) check.equal("scan", i, scanned[i], sums[i]);

    with_storage([&](void* storage, size_t& bytes) {
      return rocprim::reduce(storage, bytes, dk, ok, 0u, n, rocprim::maximum<unsigned>());
    });
    check.equal("maximum", n, to_host(ok, 1)[0], *std::max_element(keys.begin(), keys.end()));

    with_storage([&](void* storage, size_t& bytes) {
      return rocprim::radix_sort_pairs(storage, bytes, dk, ok, dr, orank, n);
    });
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    const auto sorted = to_host(orank, n);
    for (size_t i = 0; i < n; ++i) check.equal("sort", i, sorted[i], ranks[i]);
  }
  return check.status();
}
