// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// How long a HIP program takes on the host: launches of an empty kernel in a stream, or a radix
// sort of rocPRIM.
//
// speed launches COUNT | speed sort KEYS: prints the seconds, from the first call to the end of
// hipDeviceSynchronize(), without the start of the runtime and the loading of code.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include <rocprim/rocprim.hpp>

#include "../../tests/rocm/programs/check.h"

__global__ void empty() {}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int launches(int count) {
  empty<<<1, 64>>>();
  HIP_OK(hipDeviceSynchronize());
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) empty<<<1, 64>>>();
  HIP_OK(hipDeviceSynchronize());
  std::printf("seconds %.6f\n", seconds_since(begin));
  return 0;
}

int sort(size_t count) {
  std::vector<unsigned> keys(count), found(count);
  for (size_t i = 0; i < count; ++i) keys[i] = static_cast<unsigned>(i * 2654435761u) >> 1;
  const size_t bytes = count * sizeof(unsigned);
  unsigned *in, *out;
  HIP_OK(hipMalloc(&in, bytes));
  HIP_OK(hipMalloc(&out, bytes));
  HIP_OK(hipMemcpy(in, keys.data(), bytes, hipMemcpyHostToDevice));
  size_t room = 0;
  void* storage = nullptr;
  HIP_OK(rocprim::radix_sort_keys(nullptr, room, in, out, count));
  HIP_OK(hipMalloc(&storage, room));
  empty<<<1, 64>>>();
  HIP_OK(hipDeviceSynchronize());
  const auto begin = Clock::now();
  HIP_OK(rocprim::radix_sort_keys(storage, room, in, out, count));
  HIP_OK(hipDeviceSynchronize());
  const double seconds = seconds_since(begin);
  HIP_OK(hipMemcpy(found.data(), out, bytes, hipMemcpyDeviceToHost));
  std::sort(keys.begin(), keys.end());
  if (found != keys) {
    std::fprintf(stderr, "speed: wrong order\n");
    return 1;
  }
  std::printf("seconds %.6f\n", seconds);
  return 0;
}

int main(int argc, char** argv) {
  const long count = argc == 3 ? std::atol(argv[2]) : 0;
  if (count > 0 && std::strcmp(argv[1], "launches") == 0) return launches(static_cast<int>(count));
  if (count > 0 && std::strcmp(argv[1], "sort") == 0) return sort(static_cast<size_t>(count));
  std::fprintf(stderr, "speed: error: expected launches COUNT or sort KEYS\n");
  return 2;
}
