// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Inputs of the kernels of benches/kernels and what must come out of them, computed on the host by
// another formulation than the kernel's.
namespace suite {

/// A kernel at one size: the numbers its row of suite.yaml gives, and the folder of its files.
class Case {
 public:
  Case(std::string folder, std::map<std::string, uint64_t> sizes)
      : folder_(std::move(folder)), sizes_(std::move(sizes)) {}

  /// Ends the program when the row does not have it.
  uint64_t operator[](const std::string& name) const;

  /// Raw little-endian elements.
  template <class T>
  void write(const std::string& name, const std::vector<T>& elements) const {
    write_bytes(name, elements.data(), elements.size() * sizeof(T));
  }

 private:
  void write_bytes(const std::string& name, const void* data, size_t size) const;

  std::string folder_;
  std::map<std::string, uint64_t> sizes_;
};

/// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// From 0 to n - 1.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  double real(double low, double high) {
    return low + static_cast<double>(next() >> 11) * 0x1p-53 * (high - low);
  }
  /// A multiple of 1/8 from -4 to 4: sums of many products of them are exact in single precision.
  float eighth() { return (static_cast<float>(below(65)) - 32.0f) / 8.0f; }

  template <class T, class Draw>
  std::vector<T> many(size_t n, Draw draw) {
    std::vector<T> out(n);
    for (T& x : out) x = static_cast<T>(draw(*this));
    return out;
  }
  std::vector<float> eighths(size_t n) {
    return many<float>(n, [](Random& r) { return r.eighth(); });
  }
  std::vector<float> reals(size_t n, double low, double high) {
    return many<float>(n, [=](Random& r) { return r.real(low, high); });
  }
  std::vector<uint32_t> words(size_t n) {
    return many<uint32_t>(n, [](Random& r) { return r.next(); });
  }
  std::vector<uint8_t> bytes(size_t n) {
    return many<uint8_t>(n, [](Random& r) { return r.next() >> 56; });
  }

 private:
  uint64_t state_;
};

/// Makes a function known by the name of its kernel.
struct Registration {
  Registration(const char* name, void (*make)(const Case&));
};

}  // namespace suite

/// SUITE_REFERENCE(kernel) { ...; } writes the files of a kernel; the case is `c`.
#define SUITE_REFERENCE(kernel)                                                      \
  static void make_##kernel(const ::suite::Case& c);                                 \
  static const ::suite::Registration registration_##kernel(#kernel, &make_##kernel); \
  static void make_##kernel(const ::suite::Case& c)
