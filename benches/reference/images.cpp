// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "case.h"

namespace {

using suite::Random;

/// Slopes, circles and noise, in bytes.
std::vector<uint8_t> picture(size_t width, size_t height, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> out(width * height);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t x = i % width % 61;
    const size_t y = i / width % 53;
    const bool inside =
        (x - 30) * (x - 30) + (y - 26) * (y - 26) < 400;  // unsigned squares are right
    out[i] = static_cast<uint8_t>((inside ? 60 : 150) + x + random.below(32));
  }
  return out;
}

}  // namespace

SUITE_REFERENCE(bilateral) {
  const auto width = static_cast<long>(c["width"]);
  const auto height = static_cast<long>(c["height"]);
  const auto in = picture(c["width"], c["height"], 71);
  std::vector<uint16_t> near, alike;
  for (long i = 0; i < 49; ++i) {
    const double dx = static_cast<double>(i % 7 - 3), dy = static_cast<double>(i / 7 - 3);
    near.push_back(static_cast<uint16_t>(std::lround(255 * std::exp(-(dx * dx + dy * dy) / 8))));
  }
  for (int i = 0; i < 256; ++i) {
    alike.push_back(static_cast<uint16_t>(std::lround(1023 * std::exp(-i * i / 800.0))));
  }
  std::vector<uint8_t> out;
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      const int centre = in[static_cast<size_t>(y * width + x)];
      uint64_t sum = 0, weights = 0;
      for (size_t tap = 0; tap < 49; ++tap) {
        const long at_x = std::min(std::max(x + static_cast<long>(tap % 7) - 3, 0L), width - 1);
        const long at_y = std::min(std::max(y + static_cast<long>(tap / 7) - 3, 0L), height - 1);
        const uint64_t pixel = in[static_cast<size_t>(at_y * width + at_x)];
        const auto off = static_cast<size_t>(std::abs(static_cast<int>(pixel) - centre));
        const uint64_t weight = uint64_t{near[tap]} * alike[off];
        sum += weight * pixel;
        weights += weight;
      }
      out.push_back(static_cast<uint8_t>((2 * sum + weights - weights % 2) / (2 * weights)));
    }
  }
  c.write("in.bin", in);
  c.write("near.bin", near);
  c.write("alike.bin", alike);
  c.write("out.bin", out);
}

SUITE_REFERENCE(sobel) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  const auto in = picture(width, height, 72);
  std::vector<uint8_t> out(in.size());
  // Both gradients as a smoothing across a difference.
  for (size_t y = 1; y + 1 < height; ++y) {
    for (size_t x = 1; x + 1 < width; ++x) {
      int gx = 0, gy = 0;
      for (size_t k = 0; k < 3; ++k) {
        const int smooth = k == 1 ? 2 : 1;
        const size_t row = (y + k - 1) * width;
        const size_t column = x + k - 1;
        gx += smooth * (in[row + x + 1] - in[row + x - 1]);
        gy += smooth * (in[(y + 1) * width + column] - in[(y - 1) * width + column]);
      }
      out[y * width + x] = static_cast<uint8_t>(std::min(std::abs(gx) + std::abs(gy), 255));
    }
  }
  c.write("in.bin", in);
  c.write("out.bin", out);
}

SUITE_REFERENCE(integral) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  const auto in = picture(width, height, 73);
  std::vector<uint32_t> out(in.size());
  const auto at = [&](size_t x, size_t y) {
    return x == 0 || y == 0 ? 0 : out[(y - 1) * width + x - 1];
  };
  for (size_t y = 1; y <= height; ++y) {
    for (size_t x = 1; x <= width; ++x) {
      out[(y - 1) * width + x - 1] =
          in[(y - 1) * width + x - 1] + at(x - 1, y) + at(x, y - 1) - at(x - 1, y - 1);
    }
  }
  c.write("in.bin", in);
  c.write("out.bin", out);
}
