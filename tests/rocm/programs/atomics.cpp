// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Atomic operations of every kind that HIP has on device memory, and a histogram.
#include <vector>

#include "check.h"

__global__ void histogram(const unsigned* values, unsigned* bins, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&bins[values[i] % 64], 1u);
}

__global__ void operate(unsigned* u, int* s, unsigned long long* w, float* f, double* d) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&u[0], i);
  atomicSub(&u[1], i);
  atomicMax(&u[2], i * 77 % 1000);
  atomicMin(&u[3], i * 77 % 1000 + 5);
  atomicAnd(&u[4], ~(1u << (i % 7)));
  atomicOr(&u[5], 1u << (i % 31));
  atomicXor(&u[6], i);
  atomicInc(&u[7], 99u);
  atomicMax(&s[0], static_cast<int>(i) - 500);
  atomicMin(&s[1], 300 - static_cast<int>(i));
  atomicAdd(&w[0], static_cast<unsigned long long>(i) << 20);
  atomicMax(&w[1], static_cast<unsigned long long>(i) << 33);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  for (unsigned seen = u[8];;) {  // one after the other
    const unsigned before = atomicCAS(&u[8], seen, seen + 3);
    if (before == seen) break;
    seen = before;
  }
}

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

int main() {
  Check check;
  const int n = 5000;
  std::vector<unsigned> values(n), expected(64);
  for (int i = 0; i < n; ++i) {
    values[i] = static_cast<unsigned>(i) * 2654435761u >> 7;
    ++expected[values[i] % 64];
  }
  unsigned* bins = to_device(std::vector<unsigned>(64));
  histogram<<<(n + 127) / 128, 128>>>(to_device(values), bins, n);
  const auto found = to_host(bins, 64);
  for (size_t i = 0; i < 64; ++i) check.equal("bins", i, found[i], expected[i]);

  const unsigned items = 1024;
  std::vector<unsigned> u{7, 7, 7, 7, ~0u, 0, 0, 0, 1};
  std::vector<int> s{-1000, 1000};
  std::vector<unsigned long long> w{1, 1};
  std::vector<float> f{1};
  std::vector<double> d{1};
  unsigned* du = to_device(u);
  int* ds = to_device(s);
  unsigned long long* dw = to_device(w);
  float* df = to_device(f);
  double* dd = to_device(d);
  operate<<<items / 256, 256>>>(du, ds, dw, df, dd);
  for (unsigned i = 0; i < items; ++i) {
    u[0] += i;
    u[1] -= i;
    u[2] = std::max(u[2], i * 77 % 1000);
    u[3] = std::min(u[3], i * 77 % 1000 + 5);
    u[4] &= ~(1u << (i % 7));
    u[5] |= 1u << (i % 31);
    u[6] ^= i;
    u[7] = u[7] >= 99 ? 0 : u[7] + 1;
    u[8] += 3;
    s[0] = std::max(s[0], static_cast<int>(i) - 500);
    s[1] = std::min(s[1], 300 - static_cast<int>(i));
    w[0] += static_cast<unsigned long long>(i) << 20;
    w[1] = std::max(w[1], static_cast<unsigned long long>(i) << 33);
    f[0] += 0.5f;
    d[0] += 0.25;
  }
  const auto hu = to_host(du, u.size());
  for (size_t i = 0; i < u.size(); ++i) check.equal("u", i, hu[i], u[i]);
  const auto hs = to_host(ds, s.size());
  for (size_t i = 0; i < s.size(); ++i) check.equal("s", i, hs[i], s[i]);
  const auto hw = to_host(dw, w.size());
  for (size_t i = 0; i < w.size(); ++i) check.equal("w", i, hw[i], w[i]);
  check.equal("f", 0, to_host(df, 1)[0], f[0]);
  check.equal("d", 0, to_host(dd, 1)[0], d[0]);
  return check.status();
}
