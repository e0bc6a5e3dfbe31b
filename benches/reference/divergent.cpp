// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Values that depend on the last bit are computed in the same precision and order as in the
// kernels, with the host's arithmetic; no product is contracted.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "case.h"

namespace {

using suite::Random;

struct Vector {
  float x, y, z;
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(float s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
  friend float operator*(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  Vector unit() const { return (1.0f / std::sqrt(*this * *this)) * *this; }
};

struct Sphere {
  Vector centre;
  float radius;
};

struct Ray {
  Vector from, way;
};

/// The nearest sphere in front, with its distance; the end when there is none.
std::pair<size_t, float> nearest(const Ray& ray, const std::vector<Sphere>& spheres) {
  std::pair<size_t, float> best{spheres.size(), 1e30f};
  for (size_t i = 0; i < spheres.size(); ++i) {
    const Vector to = spheres[i].centre - ray.from;
    const float along = to * ray.way;
    const float room = spheres[i].radius * spheres[i].radius - (to * to - along * along);
    if (along < 0 || room < 0) continue;
    const float distance = along - std::sqrt(room);
    if (distance > 0.001f && distance < best.second) best = {i, distance};
  }
  return best;
}

/// Adds the light that comes along a ray, itself with weight `strength`, to `sum`.
void trace(Ray ray, const std::vector<Sphere>& spheres, float strength, int left, float& sum) {
  if (left == 0) return;
  const Vector light = Vector{1.0f, 2.0f, -1.5f}.unit();
  const auto [hit, distance] = nearest(ray, spheres);
  Vector normal{0, 1, 0};
  float albedo = 0.7f;
  if (hit < spheres.size()) {
    ray.from = ray.from + distance * ray.way;
    normal = (1.0f / spheres[hit].radius) * (ray.from - spheres[hit].centre);
  } else if (ray.way.y < 0) {
    ray.from = ray.from + (-ray.from.y / ray.way.y) * ray.way;
    const bool dark =
        (std::lround(std::floor(ray.from.x)) + std::lround(std::floor(ray.from.z))) % 2 == 0;
    albedo = dark ? 0.3f : 0.9f;
  } else {
    sum += strength * (0.2f + 0.5f * ray.way.y);
    return;
  }
  const float facing = normal * light;
  const bool shadow = facing < 0 || nearest({ray.from, light}, spheres).first < spheres.size();
  sum += strength * albedo * (0.1f + 0.6f * (shadow ? 0.0f : facing));
  ray.way = ray.way - (2.0f * (ray.way * normal)) * normal;
  trace(ray, spheres, strength * 0.4f, left - 1, sum);
}

}  // namespace

SUITE_REFERENCE(mandelbrot) {
  const size_t width = c["width"];
  const size_t height = c["height"];
  const auto step = static_cast<float>(2.5 / static_cast<double>(height));
  std::vector<uint32_t> out;
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const float cr = std::fma(static_cast<float>(x), step, -2.0f);
      const float ci = std::fma(static_cast<float>(y), step, -1.25f);
      float zr = 0, zi = 0;
      uint32_t count = 0;
      while (count < c["limit"] && !(zr * zr + zi * zi > 4)) {
        const float real = zr * zr - zi * zi + cr;
        zi = std::fma(2 * zr, zi, ci);
        zr = real;
        ++count;
      }
      out.push_back(count);
    }
  }
  c.write("out.bin", out);
}

SUITE_REFERENCE(ray_spheres) {
  const auto width = static_cast<float>(c["width"]);
  const auto height = static_cast<float>(c["height"]);
  Random random(95);
  std::vector<Sphere> spheres;
  std::vector<float> numbers;
  for (size_t i = 0; i < c["spheres"]; ++i) {
    const auto radius = static_cast<float>(random.real(0.3, 0.7));
    const auto x = static_cast<float>(random.real(-2.5, 2.5));
    const auto z = static_cast<float>(random.real(-0.5, 4));
    spheres.push_back({{x, radius, z}, radius});
    numbers.insert(numbers.end(), {x, radius, z, radius});
  }
  std::vector<float> image;
  for (float y = 0; y < height; ++y) {
    for (float x = 0; x < width; ++x) {
      const Vector way{(x - 0.5f * width) / height, (0.5f * height - y) / height, 1.0f};
      float sum = 0;
      trace({{0, 1, -4}, way.unit()}, spheres, 1, 4, sum);
      image.push_back(sum);
    }
  }
  c.write("spheres.bin", numbers);
  c.write("image.bin", image);
}

SUITE_REFERENCE(string_search) {
  const std::vector<std::string> words{"aba", "abaab", "aaabab", "abababab", "bbbb", "aabaabaaba"};
  Random random(96);
  std::string text;
  while (text.size() < c["length"]) {
    const uint32_t what = random.below(8);
    if (what < words.size()) text += words[what];
    if (what >= words.size()) text += what == 6 ? "a" : "b";
  }
  text.resize(c["length"]);
  std::vector<uint8_t> found(text.size());
  std::vector<uint32_t> counts(words.size());
  std::string letters;
  for (size_t word = 0; word < words.size(); ++word) {
    letters += words[word];
    for (size_t at = text.find(words[word]); at != std::string::npos;
         at = text.find(words[word], at + 1)) {
      if (found[at] == 0) found[at] = static_cast<uint8_t>(word + 1);
      ++counts[word];
    }
  }
  c.write("text.bin", std::vector<uint8_t>(text.begin(), text.end()));
  c.write("letters.bin", std::vector<uint8_t>(letters.begin(), letters.end()));
  c.write("found.bin", found);
  c.write("counts.bin", counts);
}
