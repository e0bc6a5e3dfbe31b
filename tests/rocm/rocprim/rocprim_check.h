// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include <rocprim/rocprim.hpp>

#include "../programs/check.h"

/// Brain float of the host; the values of the tests are whole numbers that it holds exactly.
struct HostBfloat16 {
  uint16_t bits = 0;
  HostBfloat16() = default;
  explicit HostBfloat16(float value) {
    uint32_t all;
    std::memcpy(&all, &value, sizeof all);
    bits = static_cast<uint16_t>(all >> 16);
  }
  explicit operator float() const {
    const uint32_t all = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &all, sizeof value);
    return value;
  }
};

/// Structure with members of two sizes, added member by member.
struct Pair {
  int64_t first;
  int32_t second;
  __host__ __device__ friend bool operator==(const Pair& a, const Pair& b) {
    return a.first == b.first && a.second == b.second;
  }
};

/// Type of the host with the bits of a type of the device.
template <class T>
struct HostType {
  using type = T;
};
template <>
struct HostType<rocprim::half> {
  using type = _Float16;
};
template <>
struct HostType<rocprim::bfloat16> {
  using type = HostBfloat16;
};
template <class T>
using Host = typename HostType<T>::type;

template <class T>
constexpr bool kSmallFloat =
    std::is_same_v<T, rocprim::half> || std::is_same_v<T, rocprim::bfloat16>;
template <class T>
constexpr bool kFloat = kSmallFloat<T> || std::is_floating_point_v<T>;

/// Sum on the device: of the two bytes of a small integer, of single members of a structure.
template <class T>
struct Sum {
  __device__ T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, Pair>) {
      return Pair{a.first + b.first, a.second + b.second};
    } else {
      return static_cast<T>(a + b);
    }
  }
};

/// The same on the host. Integers wrap around.
template <class T>
Host<T> host_sum(const Host<T>& a, const Host<T>& b) {
  if constexpr (std::is_same_v<T, Pair>) {
    return Pair{a.first + b.first, a.second + b.second};
  } else if constexpr (kSmallFloat<T>) {
    return Host<T>(static_cast<float>(a) + static_cast<float>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using Wide = uint64_t;
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
}

/// Addends whose sum over any range is exact: floats are small whole numbers, chosen so that the
/// sums of all ranges stay within 200.
template <class T>
std::vector<Host<T>> addends(size_t count, std::mt19937_64& random) {
  std::vector<Host<T>> values(count);
  int sum = 0;
  for (auto& value : values) {
    int step = static_cast<int>(random() % 3) - 1;
    if (sum >= 100) step = -1;
    if (sum <= -100) step = 1;
    sum += step;
    if constexpr (std::is_same_v<T, Pair>) {
      value = Pair{static_cast<int64_t>(random() % 1000) - 500, step};
    } else if constexpr (kFloat<T>) {
      value = Host<T>(static_cast<float>(step));
    } else if constexpr (std::is_signed_v<T> && sizeof(T) >= 4) {
      value = static_cast<T>(random() % 2001) - 1000;  // no overflow
    } else {
      value = static_cast<T>(random());
    }
  }
  return values;
}

/// Keys of the whole range of integers, or floats of any finite size and sign, without zeros.
template <class T>
std::vector<Host<T>> keys(size_t count, std::mt19937_64& random) {
  std::vector<Host<T>> values(count);
  for (auto&& value : values) {
    if constexpr (std::is_same_v<T, bool>) {
      value = random() % 2 != 0;
    } else if constexpr (kFloat<T>) {
      const float size =
          static_cast<float>(1 + random() % 127) * static_cast<float>(1u << random() % 9);
      value = Host<T>(random() % 2 == 0 ? size : -size);
    } else {
      value = static_cast<T>(random());
    }
  }
  return values;
}

/// Order of keys.
template <class T>
bool less(const Host<T>& a, const Host<T>& b) {
  if constexpr (kSmallFloat<T>) {
    return static_cast<float>(a) < static_cast<float>(b);
  } else {
    return a < b;
  }
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Pair>) {
    return a == b;
  } else {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
}

/// Array on the device.
template <class T>
class Array {
 public:
  explicit Array(size_t count) : count_(count) {
    HIP_OK(hipMalloc(&data_, std::max<size_t>(count, 1) * sizeof(T)));
  }
  explicit Array(const std::vector<Host<T>>& values) : Array(values.size()) {
    static_assert(sizeof(T) == sizeof(Host<T>));
    std::vector<unsigned char> bytes(count_ * sizeof(T));
    for (size_t i = 0; i < count_; ++i) {
      const Host<T> value = values[i];
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    HIP_OK(hipMemcpy(data_, bytes.data(), bytes.size(), hipMemcpyHostToDevice));
  }
  ~Array() { HIP_OK(hipFree(data_)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() { return data_; }
  std::vector<Host<T>> values() const {
    std::vector<unsigned char> bytes(count_ * sizeof(T));
    if (count_ != 0) HIP_OK(hipMemcpy(bytes.data(), data_, bytes.size(), hipMemcpyDeviceToHost));
    std::vector<Host<T>> values(count_);
    for (size_t i = 0; i < count_; ++i) {
      Host<T> value;
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = value;
    }
    return values;
  }

 private:
  size_t count_;
  T* data_ = nullptr;
};

/// The two calls that every algorithm wants: how much memory, then the work.
template <class Function>
void with_storage(Function&& function) {
  size_t bytes = 0;
  HIP_OK(function(nullptr, bytes));
  Array<unsigned char> storage(bytes);
  HIP_OK(function(storage.data(), bytes));
  HIP_OK(hipDeviceSynchronize());
}

template <class T>
void compare(Check& check, const char* what, const std::vector<T>& found,
             const std::vector<T>& expected) {
  check.equal(what, expected.size(), found.size(), expected.size());
  for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    check.equal(what, i, same(found[i], expected[i]), true);
  }
}

/// Calls `function` with a null pointer of each type.
template <class... Types, class Function>
void for_types(Function&& function) {
  (function(static_cast<Types*>(nullptr)), ...);
}
template <class Function>
void for_numbers(Function&& function) {
  for_types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, rocprim::half,
            rocprim::bfloat16, float, double>(function);
}

/// Runs `function` with a type and each size of the command line; the status of the program.
template <class Function>
int run_sizes(int argc, char** argv, Function&& function) {
  Check check;
  for (int i = 1; i < argc; ++i) {
    const size_t size = std::strtoull(argv[i], nullptr, 10);
    std::mt19937_64 random(size);
    function(check, size, random);
  }
  return check.status();
}
