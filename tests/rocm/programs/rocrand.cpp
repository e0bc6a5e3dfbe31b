// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// rocRAND's Philox 4x32-10 against the algorithm as its paper has it (Salmon et al., SC11).
#include <array>
#include <cstdint>
#include <vector>

#include <rocrand/rocrand.h>

#include "check.h"

using Counter = std::array<uint32_t, 4>;

Counter philox(Counter c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53} * c[0], b = uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return c;
}

int main() {
  constexpr uint64_t kSeed = 0x123456789abcdefULL;
  const size_t n = 4096;
  unsigned* out;
  HIP_OK(hipMalloc(&out, n * 4));
  rocrand_generator generator;
  if (rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10) != 0) return 3;
  if (rocrand_set_seed(generator, kSeed) != 0) return 3;
  if (rocrand_generate(generator, out, n) != 0) return 3;
  std::vector<unsigned> found(n);
  HIP_OK(hipMemcpy(found.data(), out, n * 4, hipMemcpyDeviceToHost));
  Check check;
  // Word i of the sequence: element i % 4 of counter i / 4, in the order of the threads.
  for (size_t i = 0; i < n; ++i) {
    const Counter c = philox({static_cast<uint32_t>(i / 4), 0, 0, 0}, static_cast<uint32_t>(kSeed),
                             static_cast<uint32_t>(kSeed >> 32));
    check.equal("word", i, found[i], c[i % 4]);
  }
  rocrand_destroy_generator(generator);
  return check.status();
}
