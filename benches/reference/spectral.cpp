// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <numbers>

#include "case.h"

using suite::Random;

namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

/// The sum of the definition, for points, a power of two: even and odd indices apart, by recursion.
std::vector<Complex> transform(const std::vector<Complex>& x) {
  const size_t n = x.size();
  if (n == 1) return x;
  std::vector<Complex> half[2];
  for (size_t i = 0; i < n; ++i) half[i % 2].push_back(x[i]);
  const auto even = transform(half[0]);
  const auto odd = transform(half[1]);
  std::vector<Complex> out(n);
  for (size_t k = 0; k < n; ++k) {
    const double angle = -2 * kPi * static_cast<double>(k) / static_cast<double>(n);
    out[k] = even[k % (n / 2)] + std::polar(1.0, angle) * odd[k % (n / 2)];
  }
  return out;
}

}  // namespace

SUITE_REFERENCE(fft512) {
  constexpr size_t kPoints = 512;
  const auto in = Random(31).reals(c["batch"] * 2 * kPoints, -1, 1);
  std::vector<float> roots, out;
  for (size_t k = 0; k < kPoints; ++k) {
    const Complex root = std::polar(1.0, -2 * kPi * static_cast<double>(k) / kPoints);
    roots.push_back(static_cast<float>(root.real()));
    roots.push_back(static_cast<float>(root.imag()));
  }
  for (size_t first = 0; first < in.size(); first += 2 * kPoints) {
    std::vector<Complex> x;
    for (size_t i = 0; i < kPoints; ++i) x.emplace_back(in[first + 2 * i], in[first + 2 * i + 1]);
    for (const Complex& y : transform(x)) {
      out.push_back(static_cast<float>(y.real()));
      out.push_back(static_cast<float>(y.imag()));
    }
  }
  c.write("in.bin", in);
  c.write("roots.bin", roots);
  c.write("out.bin", out);
}

SUITE_REFERENCE(dct8x8) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  Random random(32);
  std::vector<uint8_t> image(width * height);
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<uint8_t>(i % width / 2 + i / width + random.below(32));
  }
  std::vector<float> basis, inverse_step;
  std::vector<double> exact;
  for (unsigned i = 0; i < 64; ++i) {
    const double scale = i / 8 == 0 ? std::sqrt(0.125) : 0.5;
    exact.push_back(scale * std::cos((2.0 * (i % 8) + 1) * (i / 8) * kPi / 16));
    inverse_step.push_back(static_cast<float>(1.0 / (8 + i / 8 * 3 + i % 8 * 2)));
  }
  basis.assign(exact.begin(), exact.end());
  // Each coefficient as one sum over the 64 pixels of its block.
  std::vector<double> products(64 * 64);
  for (size_t i = 0; i < products.size(); ++i) {
    const size_t u = i / 64;
    const size_t p = i % 64;
    products[i] = exact[u / 8 * 8 + p / 8] * exact[u % 8 * 8 + p % 8] * double{inverse_step[u]};
  }
  std::vector<float> coefficients(image.size());
  for (size_t at = 0; at < image.size(); ++at) {
    const size_t corner = at / width / 8 * 8 * width + at % width / 8 * 8;
    const size_t u = at / width % 8 * 8 + at % width % 8;
    double sum = 0;
    for (size_t p = 0; p < 64; ++p) {
      sum += products[u * 64 + p] * (image[corner + p / 8 * width + p % 8] - 128.0);
    }
    coefficients[at] = static_cast<float>(sum);
  }
  c.write("image.bin", image);
  c.write("basis.bin", basis);
  c.write("inverse_step.bin", inverse_step);
  c.write("coefficients.bin", coefficients);
}
