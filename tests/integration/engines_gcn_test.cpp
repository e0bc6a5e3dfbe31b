// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Extension amd:gcn (hsail_gcn.md): every instruction with random operands on the interpreter
// and, finalized, on golden of every target. CUVETTE_TEST_OPERANDS: work-items of each (256).
#include <bit>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

#include "engines_vendor.h"
#include "hsail/gcn_table.h"

namespace cuvette::engines {
namespace {

using finalizer_testing::kTargets;
using finalizer_testing::load;
using hsail::InstRow;
using hsail::Opcode;
using hsail::Role;
using hsail::Syntax;
using hsail::Type;

constexpr size_t kRecord = 64;  // bytes of a work-item's operands: one at every 8
constexpr size_t kResult = 16;  // bytes of its result

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new VendorLedger);

/// One instruction and the types of its operands.
struct Case {
  const InstRow* row;
  std::string name;    ///< of the instruction, with its types
  std::string kernel;  ///< "&k7"
  std::string body;
  std::vector<Type> sources;
};

std::string reg(Type t, unsigned n) {
  return std::string("$") + register_letter(register_kind(t)) + std::to_string(n);
}
std::string at(const std::string& address, size_t offset) {
  return "[" + address + "+" + std::to_string(offset) + "]";
}
/// Bit types are loaded and stored as unsigned ones.
std::string memory_type(Type t) {
  if (t == Type::kB32) return "u32";
  return t == Type::kB64 ? "u64" : std::string(name(t));
}

/// Loads the sources into registers from 10 on, executes the instruction, stores its results.
Case make_case(const InstRow& row, Type type, const std::string& modifier, size_t number,
               const std::string& immediate = "") {
  hsail::Inst inst;
  inst.opcode = row.opcode;
  inst.type = type;
  Case c{&row, std::string(name(row.opcode)) + modifier, "&k" + std::to_string(number), "", {}};
  if (row.syntax != Syntax::kUntyped) c.name += "_" + std::string(name(type));
  std::string loads;
  std::string stores;
  std::string operands;
  size_t offset = 0;
  unsigned next = 10;
  const auto source = [&](Type t) {
    loads += "ld_global_align(8)_" + memory_type(t) + " " + reg(t, next) + ", " +
             at("$d1", offset) + ";\n";
    offset += 8;
    c.sources.push_back(t);
    return reg(t, next++);
  };
  size_t stored = 0;
  const auto result = [&](Type t, unsigned n) {
    stores += "st_global_" + memory_type(t) + " " + reg(t, n) + ", " + at("$d2", stored) + ";\n";
    stored += 4;
    return reg(t, n);
  };
  for (size_t i = 0; row.operands[i] != 0; ++i) {
    operands += i == 0 ? " " : ", ";
    const Type t = operand_type(inst, i);
    switch (static_cast<Role>(row.operands[i])) {
      case Role::kDest:
        operands += result(t, 5);
        break;
      case Role::kDestFour:
        operands += "(" + result(t, 5) + ", " + result(t, 6) + ", " + result(t, 7) + ", " +
                    result(t, 8) + ")";
        break;
      case Role::kSourceFour:
        operands += "(" + source(t) + ", " + source(t) + ", " + source(t) + ", " + source(t) + ")";
        break;
      case Role::kImmediate:
        operands += immediate;
        break;
      default:
        operands += source(t);
        break;
    }
  }
  c.body = loads + c.name + operands + ";\n" + stores;
  if (!immediate.empty()) c.name += " " + immediate;
  return c;
}

/// Every type and flushing of every instruction that works on registers.
std::vector<Case> make_cases() {
  std::vector<Case> all;
  for (const InstRow& row : hsail::gcn_rows()) {
    if (row.syntax == Syntax::kLoad || row.syntax == Syntax::kStore ||
        row.syntax == Syntax::kAtomic || row.syntax == Syntax::kRegion ||
        row.opcode == Opcode::kGcnRegionAlloc ||
        (row.operands[0] != 'd' && row.operands[0] != 'O')) {
      continue;
    }
    std::vector<std::string> immediates{""};
    if (row.opcode == Opcode::kGcnB4xchg) immediates = {"0x1b", "0xb1", "0", "0x1e4", "WAVESIZE"};
    if (row.opcode == Opcode::kGcnB32xchg)
      immediates = {"0x1f", "0x401f", "0x7c1f", "0x3e0", "0x8155", "WAVESIZE", "0x2c36"};
    for (unsigned n = 1; n < 128; ++n) {
      const Type t = static_cast<Type>(n);
      if (name(t).empty() || (row.types & type_bit(t)) == 0) continue;
      for (const char* modifier : {"", "_ftz"}) {
        if (*modifier != 0 && (row.modifiers & hsail::kModFtz) == 0) continue;
        for (const std::string& immediate : immediates) {
          all.push_back(make_case(row, t, modifier, all.size(), immediate));
        }
      }
    }
  }
  return all;
}

std::string module_of(const std::vector<Case>& cases) {
  std::string text = "module &m:1:0:$full:$large:$default;\nextension \"amd:gcn\";\n";
  for (const Case& c : cases) {
    text += "prog kernel " + c.kernel + "(kernarg_u64 %in, kernarg_u64 %out)\n{\n" +
            "workitemabsid_u32 $s0, 0;\ncvt_u64_u32 $d0, $s0;\n"
            "ld_kernarg_align(8)_u64 $d1, [%in];\nld_kernarg_align(8)_u64 $d2, [%out];\n"
            "shl_u64 $d3, $d0, 6;\nadd_u64 $d1, $d1, $d3;\n"
            "shl_u64 $d3, $d0, 4;\nadd_u64 $d2, $d2, $d3;\n" +
            c.body + "ret;\n};\n";
  }
  return text;
}

/// Random bits, half of the time a value where something changes: special numbers, subnormals,
/// ends of the range, small integers.
uint64_t random_value(Type t, std::mt19937_64& random) {
  const uint64_t bits = random();
  if (random() % 2 == 0) return bits;
  const unsigned width = hsail::type_bits(t);
  if (!hsail::is_float(t)) {
    switch (random() % 4) {
      case 0:
        return bits % 64;
      case 1:
        return ~(bits % 300) + 1;
      case 2:
        return uint64_t{1} << bits % width;
      default:
        return bits & 0x00ff00ff00ff00ff;  // bytes of 0
    }
  }
  const unsigned fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  const uint64_t sign = (bits & 1) << (width - 1);
  const uint64_t largest = (uint64_t{1} << (width - 1 - fraction)) - 1;
  const auto exponent = [&](uint64_t e) { return sign | e << fraction; };
  const uint64_t low = bits >> 1 & ((uint64_t{1} << fraction) - 1);
  switch (random() % 7) {
    case 0:
      return exponent(0);
    case 1:
      return exponent(largest);
    case 2:
      return exponent(largest) | low | 1;  // NaN, quiet or signaling
    case 3:
      return exponent(0) | low;
    case 4:
      return exponent(random() % 3) | low;
    case 5:
      return exponent(largest - 1 - random() % 3) | low;
    default:
      return exponent(largest / 2 + random() % 4) | (random() % 2 == 0 ? 0 : low);
  }
}

Bytes operands_of(const Case& c, uint32_t items, std::mt19937_64& random) {
  Bytes bytes(items * kRecord);
  for (uint32_t i = 0; i < items; ++i) {
    for (size_t k = 0; k < c.sources.size(); ++k) {
      const uint64_t value = random_value(c.sources[k], random);
      std::memcpy(bytes.data() + i * kRecord + 8 * k, &value, 8);
    }
  }
  return bytes;
}

class EnginesGcn : public ::testing::TestWithParam<const char*> {};

TEST_P(EnginesGcn, RandomOperands) {
  const std::vector<Case> cases = make_cases();
  const hsail::Module module = load(module_of(cases));
  finalizer::Options options;
  options.target = GetParam();
  const auto object = finalizer::finalize(module, options);
  ASSERT_TRUE(object.ok()) << object.error().str();
  const uint32_t items = item_count();
  std::mt19937_64 random(3501);
  std::set<std::string> rows;
  for (const Case& c : cases) {
    const Launch launch{c.kernel,
                        {items, 1, 1},
                        {64, 1, 1},
                        {buffer(0), buffer(1)},
                        {operands_of(c, items, random), Bytes(items * kResult)}};
    const Outcome expected = run_interpreter(module, launch, GetParam());
    ASSERT_EQ(expected.error, "") << c.name;
    const Outcome golden = run_golden_object(module, *object, launch, GetParam());
    ASSERT_EQ(golden.error, "") << c.name;
    rows.insert(c.row->id);
    for (uint32_t i = 0; i < items; ++i) {
      const auto words = [&](const Bytes& b, size_t size) {
        return values_of<uint32_t>(Bytes(b.begin() + static_cast<ptrdiff_t>(i * size),
                                         b.begin() + static_cast<ptrdiff_t>((i + 1) * size)));
      };
      ASSERT_EQ(words(golden.buffers[1], kResult), words(expected.buffers[1], kResult))
          << c.name << " of " << ::testing::PrintToString(words(launch.buffers[0], kRecord));
    }
    VendorLedger::ran(c.row->id, GetParam(), items);
  }
  std::cout << GetParam() << ": " << cases.size() << " forms of " << rows.size()
            << " instructions, " << items << " operands each\n";
  EXPECT_EQ(rows.size(), 22u);
}

/// |result - exact| in units of the last place of the exact quotient.
double error_of(uint32_t result, uint32_t a, uint32_t b) {
  const double exact =
      double{std::bit_cast<float>(a)} / double{std::bit_cast<float>(b)};  // to 53 bits
  const int place = std::max(std::ilogb(exact), -126) - 23;
  return std::abs(std::ldexp(double{std::bit_cast<float>(result)} - exact, -place));
}

/// hsail_gcn.md, "Relaxed division": the errors that it promises, for normal and subnormal
/// divisors and quotients.
TEST(EnginesGcnDivision, Accuracy) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nextension \"amd:gcn\";\n"
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
      "workitemabsid_u32 $s0, 0;\nshl_u32 $s0, $s0, 3;\ncvt_u64_u32 $d0, $s0;\n"
      "ld_kernarg_align(8)_u64 $d1, [%in];\nld_kernarg_align(8)_u64 $d2, [%out];\n"
      "add_u64 $d1, $d1, $d0;\nadd_u64 $d2, $d2, $d0;\n"
      "ld_v2_global_f32 ($s1, $s2), [$d1];\namd_gcn_divrelaxed_f32 $s3, $s1, $s2;\n"
      "amd_gcn_divrelaxednarrow_f32 $s4, $s1, $s2;\nst_v2_global_f32 ($s3, $s4), "
      "[$d2];\nret;\n};\n";
  constexpr uint32_t kItems = 65536;
  std::mt19937_64 random(96);
  std::vector<uint32_t> in(2 * kItems);
  for (uint32_t& v : in) {
    do {
      v = static_cast<uint32_t>(random());
      if (random() % 8 == 0) v &= 0x807fffff;
    } while ((v & 0x7f800000) == 0x7f800000 || (v & 0x7fffffff) == 0);
  }
  const Launch launch{
      "&k", {kItems, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(in), Bytes(8 * kItems)}};
  const auto out = values_of<uint32_t>(run_both(text, launch, "gfx906")[1]);
  constexpr double kLeast = 0x1p-126;
  constexpr double kMost = 0x1.fffffep127;
  double relaxed = 0;
  double subnormal = 0;
  double narrow = 0;
  for (uint32_t i = 0; i < kItems; ++i) {
    const uint32_t a = in[2 * i];
    const uint32_t b = in[2 * i + 1];
    const double divisor = std::abs(double{std::bit_cast<float>(b)});
    const double quotient = std::abs(double{std::bit_cast<float>(a)}) / divisor;
    if (quotient > kMost) continue;
    double& worst = quotient < kLeast ? subnormal : relaxed;
    worst = std::max(worst, error_of(out[2 * i], a, b));
    if (quotient >= kLeast && divisor >= kLeast && divisor <= 0x1p126)
      narrow = std::max(narrow, error_of(out[2 * i + 1], a, b));
  }
  std::cout << "largest errors in ULP: relaxed " << relaxed << ", of subnormal quotients "
            << subnormal << ", narrow " << narrow << "\n";
  EXPECT_LE(relaxed, 1.5);
  EXPECT_LE(subnormal, 1.5);
  EXPECT_LE(narrow, 1.5);
  EXPECT_GT(subnormal, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesGcn, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace cuvette::engines
