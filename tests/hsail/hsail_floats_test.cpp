// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The notations of floating-point constants that print() has.
#include "hsail_floats.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "brig_support.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::bit_pattern;
using testing::FloatType;
using testing::kFloatTypes;
using testing::kNotations;

/// Every notation of the module means the same module and the same BRIG.
void reads_back(const std::string& text) {
  const Outcome first = parse_text(text, "first");
  ASSERT_TRUE(first.ok()) << first.errors[0].str();
  const auto brig = write_brig(first.module);
  ASSERT_TRUE(brig.ok());
  EXPECT_EQ(print(first.module), print(first.module, FloatNotation::kBits));
  for (const FloatNotation floats : kNotations) {
    const std::string printed = print(first.module, floats);
    const Outcome second = parse_text(printed, "printed");
    ASSERT_TRUE(second.ok()) << second.errors[0].str();
    EXPECT_TRUE(same_module(first.module, second.module));
    EXPECT_EQ(print(second.module, floats), printed);
    const auto again = write_brig(second.module);
    EXPECT_TRUE(again.ok() && *again == *brig);
  }
}

/// The elements of the array as they are printed.
std::vector<std::string> printed_array(const FloatType& type, const std::vector<uint64_t>& values,
                                       FloatNotation floats) {
  std::string text = "module &m:1:0:$full:$large:$default;\nglobal_" + std::string(type.name) +
                     " &a[" + std::to_string(values.size()) + "] = " + type.name + "[](";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : ", ") + bit_pattern(type, values[i]);
  const std::string printed = print(parse_text(text + ");\n", "t").module, floats);
  std::vector<std::string> elements;
  for (size_t at = printed.find("[](") + 3, end = 0; end != printed.find(");"); at = end + 2) {
    end = printed.find_first_of(",)", at);
    elements.push_back(printed.substr(at, end - at));
  }
  return elements;
}

uint64_t library_bits(const FloatType& type, const std::string& text) {
  if (type.bits == 32) return std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr));
  return std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
}

/// A decimal without sign and suffix as digits * 10^exponent, without zeros at either end.
struct Decimal {
  std::string digits;
  int exponent = 0;
};
Decimal decimal_of(const std::string& text) {
  Decimal d;
  const size_t e = text.find('e');
  if (e != std::string::npos) d.exponent = std::atoi(text.c_str() + e + 1);
  bool fraction = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      fraction = true;
    } else {
      d.digits += c;
      d.exponent -= fraction ? 1 : 0;
    }
  }
  d.digits.erase(0, std::min(d.digits.find_first_not_of('0'), d.digits.size()));
  for (; !d.digits.empty() && d.digits.back() == '0'; d.digits.pop_back()) ++d.exponent;
  return d;
}

/// The interval of numbers that round to an f16, in units of 2^-25. Its ends do not count: who
/// rounds halves away from zero reads them as another number.
struct HalfInterval {
  int64_t low, high;
};
HalfInterval half_interval(uint64_t bits) {
  const auto units = [](uint64_t b) {  // of a pattern, in 2^-25
    const auto fraction = static_cast<int64_t>(b & 1023);
    const auto exponent = static_cast<int>(b >> 10);
    return exponent == 0 ? fraction << 1 : (fraction + 1024) << exponent;
  };
  // The pattern of infinity stands for 2^16 here, as rounding has it.
  return {(units(bits - 1) + units(bits)) / 2, (units(bits) + units(bits + 1)) / 2};
}
/// True if a multiple of 10^exponent lies in the interval of that f16; `digits` names the only one
/// to try.
bool half_has(uint64_t bits, int exponent, int64_t digits = -1) {
  const HalfInterval i = half_interval(bits);
  // A number n * 10^exponent: n * unit against the interval * scale.
  int64_t scale = 1, unit = int64_t{1} << 25;
  for (int n = exponent; n > 0; --n) unit *= 10;
  for (int n = exponent; n < 0; ++n) scale *= 10;
  const auto inside = [&](int64_t n) {
    return n * unit > i.low * scale && n * unit < i.high * scale;
  };
  return inside(digits >= 0 ? digits : i.low * scale / unit + 1);
}

TEST(Floats, EveryNotationReadsBack) {
  for (const FloatType& type : kFloatTypes) {
    SCOPED_TRACE(type.name);
    reads_back(testing::floats_module(type, testing::float_values(type, 10000)));
  }
}

TEST(Floats, KernelsReadBack) {
  const std::vector<std::string> files = testing::kernel_files();
  EXPECT_GE(files.size(), 20u);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto text = base::read_text(file);
    ASSERT_TRUE(text.ok());
    reads_back(*text);
  }
}

/// Halfway between two numbers goes to the even one, and what is a little beyond to its side.
TEST(Floats, HalfwayDecimals) {
  const struct {
    const char* given;
    const char* decimal;
  } cases[] = {{"2049.0h", "2048.0h"},
               {"2049.0000001h", "2050.0h"},
               {"2051.0h", "2052.0h"},
               {"65519.0h", "65500.0h"},
               {"16777217.0f", "16777216.0f"},
               {"16777217.000001f", "16777218.0f"},
               {"16777219.0f", "16777220.0f"},
               {"9007199254740993.0d", "9007199254740992.0d"},
               {"9007199254740995.0d", "9007199254740996.0d"},
               {"2.98023223876953125e-8h", "0.0h"},
               {"2.98023223876953126e-8h", "6e-08h"},
               {"7.0064923216240854e-46f", "1e-45f"},
               {"-0.0f", "-0.0f"},
               {"-0.1d", "-0.1d"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.given);
    const std::string given = c.given;
    const std::string type = given.back() == 'h' ? "f16" : given.back() == 'f' ? "f32" : "f64";
    const std::string text =
        "module &m:1:0:$full:$large:$default;\nglobal_" + type + " &x = " + given + ";\n";
    reads_back(text);
    const std::string printed = print(parse_text(text, "t").module, FloatNotation::kDecimal);
    EXPECT_NE(printed.find(std::string("= ") + c.decimal + ";"), std::string::npos) << printed;
  }
}

TEST(Floats, Examples) {
  const auto one = [](const FloatType& type, uint64_t bits) {
    std::string all;
    for (const FloatNotation floats : kNotations) {
      all += (all.empty() ? "" : " ") + printed_array(type, {bits}, floats).at(0);
    }
    return all;
  };
  const auto& [half, single, wide] = kFloatTypes;
  EXPECT_EQ(one(single, 0x3f9e0419), "0f3f9e0419 0x1.3c0832p+0f 1.2345f");
  EXPECT_EQ(one(single, 0), "0f00000000 0x0p+0f 0.0f");
  EXPECT_EQ(one(single, 0x80000000), "0f80000000 -0x0p+0f -0.0f");
  EXPECT_EQ(one(single, 0x7f7fffff), "0f7f7fffff 0x1.fffffep+127f 3.4028235e+38f");
  EXPECT_EQ(one(single, 0x00800000), "0f00800000 0x1p-126f 1.1754944e-38f");
  EXPECT_EQ(one(single, 0x7fc00001), "0f7fc00001 0f7fc00001 0f7fc00001");
  EXPECT_EQ(one(single, 0xff800000), "0fff800000 0fff800000 0fff800000");
  // Hexadecimal subnormals would be misread by HSAILasm.
  EXPECT_EQ(one(single, 1), "0f00000001 0f00000001 1e-45f");
  EXPECT_EQ(one(half, 0x3c00), "0h3c00 0x1p+0h 1.0h");
  EXPECT_EQ(one(half, 0xbdff), "0hbdff -0x1.7fcp+0h -1.499h");
  EXPECT_EQ(one(half, 0x7bff), "0h7bff 0x1.ffcp+15h 65500.0h");
  EXPECT_EQ(one(wide, 0x3fb999999999999a), "0d3fb999999999999a 0x1.999999999999ap-4d 0.1d");
  EXPECT_EQ(one(wide, 0x4480f0cf064dd592), "0d4480f0cf064dd592 0x1.0f0cf064dd592p+73d 1e+22d");
}

/// A printed number means the number by the library's reading too, and no shorter decimal does.
TEST(Floats, DecimalsAreShortest) {
  for (const FloatType& type : kFloatTypes) {
    SCOPED_TRACE(type.name);
    const std::vector<uint64_t> values = testing::float_values(type, 10000);
    const auto decimals = printed_array(type, values, FloatNotation::kDecimal);
    const auto hexadecimals = printed_array(type, values, FloatNotation::kC99);
    ASSERT_EQ(decimals.size(), values.size());
    ASSERT_EQ(hexadecimals.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t magnitude = values[i] & (type.sign() - 1);
      const bool negative = magnitude != values[i];
      const bool finite = magnitude < type.infinity();
      const bool subnormal = magnitude < uint64_t{1} << type.fraction && magnitude != 0;
      EXPECT_EQ(decimals[i] == bit_pattern(type, values[i]), !finite) << decimals[i];
      EXPECT_EQ(hexadecimals[i] == bit_pattern(type, values[i]), !finite || subnormal)
          << hexadecimals[i];
      if (!finite) continue;
      ASSERT_EQ(decimals[i].back(), type.letter);
      ASSERT_EQ(decimals[i][0] == '-', negative) << decimals[i];
      const std::string text =
          decimals[i].substr(negative ? 1 : 0, decimals[i].size() - (negative ? 2 : 1));
      EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
      const Decimal d = decimal_of(text);
      if (magnitude == 0) {
        EXPECT_EQ(d.digits, "");
      } else if (type.bits == 16) {
        EXPECT_TRUE(half_has(magnitude, d.exponent, std::atoll(d.digits.c_str()))) << text;
        EXPECT_FALSE(half_has(magnitude, d.exponent + 1)) << text;
      } else {
        EXPECT_EQ(library_bits(type, text), magnitude) << text;
        if (!subnormal) {
          const std::string hex = hexadecimals[i].substr(negative ? 1 : 0);
          EXPECT_EQ(library_bits(type, hex.substr(0, hex.size() - 1)), magnitude) << hex;
        }
        // An integer has all its digits where an exponent would take more room.
        std::string shortest;
        for (int digits = 0; library_bits(type, shortest) != magnitude; ++digits) {
          char shorter[40];
          std::snprintf(shorter, sizeof shorter, "%.*e", digits,
                        std::strtod(text.c_str(), nullptr));
          shortest = shorter;
        }
        const bool integer = text.find(".0") == text.size() - 2;
        EXPECT_LE(text.size() - (integer ? 2 : 0), shortest.size()) << text << " " << shortest;
        EXPECT_TRUE(integer || d.digits.size() <= decimal_of(shortest).digits.size())
            << text << " " << shortest;
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::hsail
