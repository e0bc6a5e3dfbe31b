// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Products of matrices and convolutions have operands of few bits, whose sums are exact in any
// order: they are summed in whole numbers. The others are computed in double precision.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "case.h"

namespace {

using suite::Case;
using suite::Random;

/// Multiples of 1/8 as whole numbers.
std::vector<int64_t> whole(const std::vector<float>& x) {
  std::vector<int64_t> out(x.size());
  std::transform(x.begin(), x.end(), out.begin(), [](float v) { return std::lround(v * 8); });
  return out;
}

/// Adds a b to c, n by n, by rows of b.
void add_product(size_t n, const int64_t* a, const int64_t* b, int64_t* c) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) {
      const int64_t left = a[i * n + k];
      for (size_t j = 0; j < n; ++j) c[i * n + j] += left * b[k * n + j];
    }
  }
}

template <class T>
std::vector<T> in_units_of_64th(const std::vector<int64_t>& x) {
  std::vector<T> out(x.size());
  std::transform(x.begin(), x.end(), out.begin(), [](int64_t v) { return static_cast<T>(v) / 64; });
  return out;
}

/// The bits of a multiple of 1/8 below 2^8 in half precision.
uint16_t half_bits(float x) {
  if (x == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(x), &exponent);  // 0.5 to 1
  const auto mantissa = static_cast<uint16_t>(std::lround(std::ldexp(fraction, 11)) - 1024);
  return static_cast<uint16_t>((x < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | mantissa);
}

/// The same in bfloat16: the upper half of the number in single precision.
uint16_t bfloat16_bits(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

struct Product {
  std::vector<float> a, b;
  std::vector<int64_t> c;
};

Product product_of(size_t n, size_t batch, uint64_t seed) {
  Random random(seed);
  Product p{random.eighths(batch * n * n), random.eighths(batch * n * n), {}};
  p.c.resize(batch * n * n);
  const auto a = whole(p.a);
  const auto b = whole(p.b);
  for (size_t i = 0; i < p.c.size(); i += n * n) add_product(n, &a[i], &b[i], &p.c[i]);
  return p;
}

template <class T, class Convert>
void write_product(const Case& c, size_t batch, size_t n, uint64_t seed, Convert convert) {
  const Product p = product_of(n, batch, seed);
  std::vector<decltype(convert(0.0f))> a, b;
  for (float x : p.a) a.push_back(convert(x));
  for (float x : p.b) b.push_back(convert(x));
  c.write("a.bin", a);
  c.write("b.bin", b);
  c.write("c.bin", in_units_of_64th<T>(p.c));
}

}  // namespace

SUITE_REFERENCE(gemm_naive) {
  write_product<float>(c, 1, c["n"], 1, [](float x) { return x; });
}

SUITE_REFERENCE(gemm_tiled) {
  write_product<float>(c, 1, c["n"], 2, [](float x) { return x; });
}

SUITE_REFERENCE(gemm_mfma) {
  write_product<float>(c, 1, c["n"], 3, half_bits);
}

SUITE_REFERENCE(gemm_mfma_f64) {
  write_product<double>(c, 1, c["n"], 4, [](float x) { return static_cast<double>(x); });
}

SUITE_REFERENCE(gemm_bf16) {
  write_product<float>(c, 1, c["n"], 8, bfloat16_bits);
}

SUITE_REFERENCE(gemm_i8) {
  const size_t n = c["n"];
  Random random(9);
  const auto a = random.many<int8_t>(n * n, [](Random& r) { return r.next() >> 56; });
  const auto b = random.many<int8_t>(n * n, [](Random& r) { return r.next() >> 56; });
  std::vector<int64_t> left(a.begin(), a.end()), right(n * n), sums(n * n);
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < n; ++k) right[k * n + j] = b[j * n + k];  // B has its columns as rows
  }
  add_product(n, left.data(), right.data(), sums.data());
  c.write("a.bin", a);
  c.write("b.bin", b);
  c.write("c.bin", std::vector<int32_t>(sums.begin(), sums.end()));
}

SUITE_REFERENCE(gemm_batched) {
  write_product<float>(c, c["batch"], 16, 5, [](float x) { return x; });
}

SUITE_REFERENCE(attention) {
  constexpr size_t kDepth = 32;
  const size_t length = c["length"];
  const size_t heads = c["heads"];
  Random random(6);
  const auto q = random.reals(heads * length * kDepth, -2, 2);
  const auto k = random.reals(q.size(), -2, 2);
  const auto v = random.reals(q.size(), -1, 1);
  std::vector<float> out(q.size());
  std::vector<double> weight(length);
  for (size_t row = 0; row < heads * length; ++row) {
    const size_t head = row / length * length;
    double total = 0;
    for (size_t j = 0; j < length; ++j) {
      double score = 0;
      for (size_t i = 0; i < kDepth; ++i) {
        score += double{q[row * kDepth + i]} * double{k[(head + j) * kDepth + i]};
      }
      weight[j] = std::exp(score * double{0.17677669f});
      total += weight[j];
    }
    for (size_t i = 0; i < kDepth; ++i) {
      double sum = 0;
      for (size_t j = 0; j < length; ++j) sum += weight[j] * double{v[(head + j) * kDepth + i]};
      out[row * kDepth + i] = static_cast<float>(sum / total);
    }
  }
  c.write("q.bin", q);
  c.write("k.bin", k);
  c.write("v.bin", v);
  c.write("out.bin", out);
}

SUITE_REFERENCE(layer_norm) {
  const size_t rows = c["rows"];
  const size_t width = c["width"];
  Random random(7);
  const auto x = random.reals(rows * width, -1, 3);
  const auto gain = random.reals(width, 0.5, 1.5);
  const auto bias = random.reals(width, -1, 1);
  std::vector<float> y(x.size());
  for (size_t row = 0; row < rows; ++row) {
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < width; ++i) {
      const double value = x[row * width + i];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / static_cast<double>(width);
    const double variance = squares / static_cast<double>(width) - mean * mean;
    const double scale = 1 / std::sqrt(variance + double{1e-5f});
    for (size_t i = 0; i < width; ++i) {
      y[row * width + i] = static_cast<float>(
          (double{x[row * width + i]} - mean) * scale * double{gain[i]} + double{bias[i]});
    }
  }
  c.write("x.bin", x);
  c.write("gain.bin", gain);
  c.write("bias.bin", bias);
  c.write("y.bin", y);
}

SUITE_REFERENCE(convolution) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  const size_t channels = c["channels"];
  const size_t filters = c["filters"];
  Random random(8);
  const auto in = random.eighths(channels * height * width);
  const auto weights = random.eighths(filters * channels * 9);
  const auto pixels = whole(in);
  const auto factors = whole(weights);
  std::vector<int64_t> out(filters * height * width);
  // Every pixel of the input is given to the nine results that it is part of.
  for (size_t f = 0; f < filters; ++f) {
    for (size_t ch = 0; ch < channels; ++ch) {
      for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) {
          const int64_t pixel = pixels[(ch * height + y) * width + x];
          for (size_t tap = 0; tap < 9; ++tap) {
            const size_t to_y = y + 1 - tap / 3;
            const size_t to_x = x + 1 - tap % 3;
            if (to_y >= height || to_x >= width) continue;  // also below 0
            out[(f * height + to_y) * width + to_x] +=
                pixel * factors[(f * channels + ch) * 9 + tap];
          }
        }
      }
    }
  }
  c.write("in.bin", in);
  c.write("weights.bin", weights);
  c.write("out.bin", in_units_of_64th<float>(out));
}

SUITE_REFERENCE(lu_batched) {
  constexpr size_t kSize = 32;
  Random random(9);
  std::vector<float> matrices, factors;
  for (size_t batch = 0; batch < c["batch"]; ++batch) {
    auto m = random.reals(kSize * kSize, -1, 1);
    for (size_t i = 0; i < kSize; ++i) m[i * kSize + i] += kSize;  // no pivot needed
    matrices.insert(matrices.end(), m.begin(), m.end());
    // Crout's order: element by element from sums of products.
    std::vector<double> lu(kSize * kSize);
    for (size_t i = 0; i < kSize; ++i) {
      for (size_t j = 0; j < kSize; ++j) {
        double sum = m[i * kSize + j];
        for (size_t k = 0; k < std::min(i, j); ++k) sum -= lu[i * kSize + k] * lu[k * kSize + j];
        lu[i * kSize + j] = j < i ? sum / lu[j * kSize + j] : sum;
      }
    }
    factors.insert(factors.end(), lu.begin(), lu.end());
  }
  c.write("matrices.bin", matrices);
  c.write("factors.bin", factors);
}
