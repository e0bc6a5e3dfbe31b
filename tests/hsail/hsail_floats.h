// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "hsail/text.h"

// Floating-point constants for the tests of printing.
namespace cuvette::hsail::testing {

inline const FloatNotation kNotations[] = {FloatNotation::kBits, FloatNotation::kC99,
                                           FloatNotation::kDecimal};

struct FloatType {
  const char* name;
  char letter;
  unsigned bits;
  unsigned fraction;  ///< bits of the fraction
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t infinity() const { return sign() - (uint64_t{1} << fraction); }
};
inline const FloatType kFloatTypes[] = {
    {"f16", 'h', 16, 10}, {"f32", 'f', 32, 23}, {"f64", 'd', 64, 52}};

inline std::string bit_pattern(const FloatType& type, uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "0%c%0*llx", type.letter, static_cast<int>(type.bits / 4),
                static_cast<unsigned long long>(bits));
  return text;
}

/// Zeros, the ends and neighbours of subnormal and normal numbers, powers of 2 with their
/// neighbours, infinities and NaNs, of both signs; numbers that decimals of two digits come near,
/// some halfway (3e10f, 1e23); then `count` random patterns, or every one of f16.
inline std::vector<uint64_t> float_values(const FloatType& type, size_t count) {
  std::vector<uint64_t> values;
  const uint64_t one = uint64_t{1} << type.fraction;
  const auto both = [&](uint64_t bits) {
    values.push_back(bits);
    values.push_back(bits | type.sign());
  };
  for (const uint64_t bits : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}}) both(bits);
  for (uint64_t power = one; power < type.infinity(); power += one) {
    for (const uint64_t bits : {power - 1, power, power + 1}) both(bits);
  }
  both(type.infinity() - 1);
  both(type.infinity());
  for (const uint64_t nan : {uint64_t{1}, one / 2, one - 1}) both(type.infinity() + nan);
  if (type.bits == 16) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) values.push_back(bits);
    return values;
  }
  for (int exponent = 5; exponent < 38; ++exponent) {
    for (int digits = 1; digits < 100; ++digits) {
      const double value =
          std::strtod((std::to_string(digits) + "e" + std::to_string(exponent)).c_str(), nullptr);
      const uint64_t bits = type.bits == 32 ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                            : std::bit_cast<uint64_t>(value);
      for (const uint64_t neighbour : {bits - 1, bits, bits + 1}) values.push_back(neighbour);
    }
  }
  std::mt19937_64 random(20261124);
  for (size_t i = 0; i < count; ++i) values.push_back(random() >> (64 - type.bits));
  return values;
}

/// A module 1:0 with the values as elements of an array, and the first ones in the other places
/// that constants have.
inline std::string floats_module(const FloatType& type, const std::vector<uint64_t>& values) {
  const std::string name = type.name;
  std::string array;
  for (const uint64_t v : values) array += (array.empty() ? "" : ", ") + bit_pattern(type, v);
  std::string text = "module &m:1:0:$full:$large:$default;\nglobal_" + name + " &array[" +
                     std::to_string(values.size()) + "] = " + name + "[](" + array + ");\n";
  std::string code, aggregate;
  const std::string bits = "b" + std::to_string(type.bits);
  const char* const reg = type.bits == 64 ? " $d0" : " $s0";
  for (size_t i = 0; i < 60; ++i) {
    const std::string value = bit_pattern(type, values[i * values.size() / 60]);
    const std::string n = std::to_string(i);
    text += "global_" + name + " &s" + n + " = " + value + ";\n";
    text += "readonly_" + bits + " &b" + n + " = " + value + ";\n";
    code += "\tadd_" + name + reg + "," + reg + ", " + value + ";\n";
    if (type.bits != 16) code += "\tmov_" + bits + reg + ", " + value + ";\n";
    aggregate += (i == 0 ? "" : ", ") + name + "(" + value + "), " + name + "[](" + value + ", " +
                 value + ")";
  }
  text += "pragma \"x\", " + bit_pattern(type, values[9]) + ", " + name + "[](" +
          bit_pattern(type, values[10]) + ");\nglobal_b8 &g[" +
          std::to_string(60 * 3 * type.bits / 8) + "] = {" + aggregate + "};\n";
  for (const unsigned size : {32u, 64u, 128u}) {
    if (size <= type.bits) continue;
    const unsigned count = size / type.bits;
    const std::string packed = name + "x" + std::to_string(count);
    std::string elements;
    for (unsigned i = 0; i < 8; ++i) {
      elements += (i == 0 ? "" : ", ") + packed + "(";
      for (unsigned k = 0; k < count; ++k) {
        elements +=
            (k == 0 ? "" : ", ") + bit_pattern(type, values[(i * count + k) % values.size()]);
      }
      elements += ")";
    }
    text += "global_" + packed + " &p" + std::to_string(size) + "[8] = " + packed + "[](" +
            elements + ");\n";
  }
  return text + "prog kernel &k()\n{\n" + code + "};\n";
}

/// The HSAIL texts of the source tree that are kernels.
inline std::vector<std::string> kernel_files() {
  std::vector<std::string> files;
  for (const char* folder : {"/tests/kernels", "/tests/random_kernels", "/examples"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CUVETTE_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".hsail") files.push_back(entry.path().string());
    }
  }
  return files;
}

}  // namespace cuvette::hsail::testing
