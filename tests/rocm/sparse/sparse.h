// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of the host, copies on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../programs/check.h"

/// Memory of the device that holds the elements of a vector of the host.
template <class T>
class Device {
 public:
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    HIP_OK(hipMemcpy(p_, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  explicit Device(size_t count) : count_(count) {
    HIP_OK(hipMalloc(&p_, std::max<size_t>(count, 1) * sizeof(T)));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { (void)hipFree(p_); }
  operator T*() const { return p_; }
  std::vector<T> host() const {
    std::vector<T> values(count_);
    HIP_OK(hipMemcpy(values.data(), p_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }

 private:
  T* p_ = nullptr;
  size_t count_;
};

/// A sequence of pseudorandom numbers: the upper bits of a linear congruential generator modulo
/// 2^64 (Knuth's MMIX).
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  int below(int n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(n));
  }
  /// An integer whose sums of products are exact in float, so that their order does not matter.
  template <class T>
  T small() {
    return static_cast<T>(below(17) - 8);
  }
  /// A number in (-1, 1) with as many bits as T has.
  template <class T>
  T real() {
    return (static_cast<T>(below(1 << 30)) / static_cast<T>(1 << 29)) - T{1};
  }

 private:
  uint64_t state_;
};

/// A matrix in compressed rows, from index 0, columns ascending.
template <class T>
struct Csr {
  int rows = 0, columns = 0;
  std::vector<int> start{0}, column;
  std::vector<T> value;

  int entries() const { return static_cast<int>(column.size()); }
  /// Appends a row.
  void add(const std::vector<std::pair<int, T>>& row) {
    for (const auto& [c, v] : row) {
      column.push_back(c);
      value.push_back(v);
    }
    start.push_back(entries());
    ++rows;
  }
  std::vector<T> dense() const {  // column by column
    std::vector<T> all(static_cast<size_t>(rows) * columns);
    for_each([&](int r, int c, T v) { all[static_cast<size_t>(c) * rows + r] = v; });
    return all;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int r = 0; r < rows; ++r) {
      for (int i = start[r]; i < start[r + 1]; ++i) visit(r, column[i], value[i]);
    }
  }
};

/// Rows of all lengths: most are short, some empty, every 97th is long.
template <class T, class Value>
Csr<T> ragged(int rows, int columns, Draw& draw, Value&& value) {
  Csr<T> m;
  m.columns = columns;
  std::vector<char> used(static_cast<size_t>(columns));
  for (int r = 0; r < rows; ++r) {
    int want = r % 97 == 5 ? columns / 2 : draw.below(12);
    std::fill(used.begin(), used.end(), 0);
    for (; want > 0; --want) used[static_cast<size_t>(draw.below(columns))] = 1;
    std::vector<std::pair<int, T>> row;
    for (int c = 0; c < columns; ++c) {
      if (used[static_cast<size_t>(c)] != 0) row.emplace_back(c, value());
    }
    m.add(row);
  }
  return m;
}

/// A matrix without zeros among its entries: what a conversion from a dense matrix has to find
/// again.
template <class T>
Csr<T> whole_numbers(int rows, int columns, Draw& draw) {
  return ragged<T>(rows, columns, draw, [&] {
    const T v = draw.small<T>();
    return v == T{0} ? T{9} : v;
  });
}

/// The same matrix with rows and columns exchanged.
template <class T>
Csr<T> transposed(const Csr<T>& m) {
  std::vector<std::vector<std::pair<int, T>>> rows(static_cast<size_t>(m.columns));
  m.for_each([&](int r, int c, T v) { rows[static_cast<size_t>(c)].emplace_back(r, v); });
  Csr<T> t;
  t.columns = m.rows;
  for (const auto& row : rows) t.add(row);
  return t;
}

template <class T>
void equal(Check& check, const char* what, const std::vector<T>& found,
           const std::vector<T>& expected) {
  check.equal(what, expected.size(), found.size(), expected.size());
  for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    check.equal(what, i, found[i], expected[i]);
  }
}

/// A matrix of the device.
template <class T>
struct DeviceCsr {
  explicit DeviceCsr(const Csr<T>& m) : start(m.start), column(m.column), value(m.value) {}
  Device<int> start, column;
  Device<T> value;
};
