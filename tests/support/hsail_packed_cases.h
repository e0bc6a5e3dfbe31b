// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

/// Packed instructions with operands and, for each, the result by plain C++ written from the HSAIL
/// PRM (4.14, 5.2, 5.5, 5.9 to 5.11, 5.13, 5.15, 5.18, 5.19).
namespace cuvette::hsail_packed {

/// Up to 128 bits.
struct Value {
  uint64_t word[2] = {0, 0};
  bool operator==(const Value&) const = default;
  uint64_t get(unsigned bits, unsigned index) const {
    const unsigned at = bits * index;
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    return word[at / 64] >> (at % 64) & mask;
  }
  void set(unsigned bits, unsigned index, uint64_t value) {
    for (unsigned i = 0; i < bits; ++i) {
      const unsigned at = bits * index + i;
      const uint64_t bit = uint64_t{1} << (at % 64);
      word[at / 64] = (value >> i & 1) != 0 ? word[at / 64] | bit : word[at / 64] & ~bit;
    }
  }
};

enum class Domain : uint8_t {
  kAny,    ///< any bits, edges often
  kSmall,  ///< 0 to 100 in steps of an eighth, negative ones too when `is_signed`
};

/// A packed or scalar type: `count` elements.
struct Shape {
  char kind;  ///< u s f
  unsigned bits;
  unsigned count;
  unsigned total() const { return bits * count; }
  std::string text() const {
    return kind + std::to_string(bits) + (count == 1 ? "" : "x" + std::to_string(count));
  }
};

struct Case {
  std::string id;      ///< rows of the instruction checklist
  std::string opcode;  ///< with modifiers and types
  Shape result;
  std::vector<Shape> sources;
  std::string last;   ///< a literal operand behind the sources
  bool exact = true;  ///< false: any NaN for a NaN, either zero for a zero
  Domain domain = Domain::kAny;
  bool is_signed = true;  ///< of kSmall
  /// `before` is what the destination held.
  std::function<Value(const std::vector<Value>& sources, const Value& before)> expected;
};

std::vector<Case> cases();

/// Random operands of a shape.
Value random_value(const Shape& shape, const Case& c, std::mt19937_64& random);

/// "": equal as the case asks; otherwise what differs. f16 scalars: the low half counts.
std::string difference(const Case& c, const Value& expected, const Value& actual);

constexpr unsigned kLineBytes = 64;  ///< per work-item: three sources and the old destination
/// A kernel &name(in, out) that runs the case, work-item i on line i of `in`; 16 bytes per result.
std::string kernel_text(const Case& c, const std::string& name);

/// The lines of `count` work-items and what they give.
struct Data {
  std::vector<uint64_t> in;
  std::vector<Value> expected;
};
Data data_for(const Case& c, unsigned count, std::mt19937_64& random);

}  // namespace cuvette::hsail_packed
