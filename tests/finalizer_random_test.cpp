// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every scalar instruction form on random and edge operands: the constant that LLVM folds the
// finalizer's translation to must be what the interpreter of layer hsail computes. The two share no
// instruction semantics. Lanes whose value the HSAIL PRM leaves undefined are left out
// (decisions.md D25), any NaN equals any NaN.
#include <cstring>
#include <map>
#include <random>
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "finalizer_testing.h"
#include "hsail/machine.h"

namespace {

namespace hsail = cuvette::hsail;
using cuvette::finalizer::optimised_ir;
using cuvette::finalizer::Options;
using cuvette::finalizer_testing::load;

constexpr uint64_t kSeed = 19870401;
constexpr unsigned kCasesPerForm = 40;

/// One instruction form. Operand letters: w a 32-bit register, q a 64-bit one, n a small count in a
/// 32-bit register, k and j 24-bit values without and with sign, f e d f16, f32 and f64 values, c a
/// b1.
struct Form {
  std::string opcode;    ///< with types
  char result;           ///< w q c, or f e d for floats
  std::string operands;  ///< one letter each
};

const std::vector<std::string> kInts = {"u32", "s32", "u64", "s64"};
const std::vector<std::string> kAllInts = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
const std::vector<std::string> kFloats = {"f16", "f32", "f64"};

char letter(const std::string& type) {
  if (type == "f16") return 'f';
  if (type == "f32") return 'e';
  if (type == "f64") return 'd';
  if (type == "b1") return 'c';
  return type.find("64") != std::string::npos ? 'q' : 'w';
}

void add_integer_forms(std::vector<Form>& forms) {
  auto form = [&](const std::string& opcode, char result, const std::string& operands) {
    forms.push_back({opcode, result, operands});
  };
  for (const std::string& t : kInts) {
    const char r = letter(t);
    const std::string one(1, r);
    const std::string two(2, r);
    for (const char* op :
         {"add", "sub", "mul", "mulhi", "min", "max", "div", "rem", "borrow", "carry"})
      form(op + ("_" + t), r, two);
    form("mad_" + t, r, two + one);
    form("shl_" + t, r, one + "n");
    form("shr_" + t, r, one + "n");
    form("bitextract_" + t, r, one + "nn");
    form("bitinsert_" + t, r, two + "nn");
    form("firstbit_u32_" + t, 'w', one);
    form("lastbit_u32_" + t, 'w', one);
    if (t[0] == 's') {
      form("abs_" + t, r, one);
      form("neg_" + t, r, one);
    }
  }
  for (const std::string& t : kAllInts) {
    const std::string two(2, letter(t));
    form("add_sat_" + t, two[0], two);
    form("sub_sat_" + t, two[0], two);
    form("mad_sat_" + t, two[0], two + two[0]);
  }
  for (const std::string t : {"b32", "b64"}) {
    const char r = letter(t);
    const std::string two(2, r);
    for (const char* op : {"and", "or", "xor"}) form(op + ("_" + t), r, two);
    form("not_" + t, r, std::string(1, r));
    form("bitselect_" + t, r, two + r);
    form("bitrev_" + t, r, std::string(1, r));
    form("bitmask_" + t, r, "nn");
    form("popcount_u32_" + t, 'w', std::string(1, r));
    form("cmov_" + t, r, "c" + two);
  }
  form("bitalign_b32", 'w', "wwn");
  form("bytealign_b32", 'w', "wwn");
  for (const std::string op : {"and_b1", "or_b1", "xor_b1"}) form(op, 'c', "cc");
  form("not_b1", 'c', "c");
}

void add_float_forms(std::vector<Form>& forms) {
  for (const std::string& t : kFloats) {
    const char r = letter(t);
    const std::string one(1, r);
    const std::string two(2, r);
    for (const std::string ftz : {"", "ftz_"}) {
      for (const char* op : {"add", "sub", "mul", "div", "min", "max"})
        forms.push_back({op + ("_" + ftz + t), r, two});
      for (const char* op : {"sqrt", "ceil", "floor", "trunc", "rint", "fract"})
        forms.push_back({op + ("_" + ftz + t), r, one});
      forms.push_back({"fma_" + ftz + t, r, two + one});
      forms.push_back({"mad_" + ftz + t, r, two + one});
    }
    forms.push_back({"abs_" + t, r, one});
    forms.push_back({"neg_" + t, r, one});
    forms.push_back({"copysign_" + t, r, two});
    forms.push_back({"class_b1_" + t, 'c', one + "w"});
  }
}

void add_compare_forms(std::vector<Form>& forms) {
  const std::vector<std::string> results = {"b1", "u32", "s32", "u64", "s64", "f16", "f32", "f64"};
  unsigned turn = 0;  // spreads the result types over the comparisons
  for (const std::string& t : kInts)
    for (const std::string op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      const std::string& to = results[turn++ % results.size()];
      forms.push_back({"cmp_" + op + "_" + to + "_" + t, letter(to), std::string(2, letter(t))});
    }
  for (const std::string& t : kFloats)
    for (const std::string op :
         {"eq",   "ne",   "lt",   "le",   "gt",   "ge",   "equ",  "neu", "ltu", "leu",
          "gtu",  "geu",  "num",  "nan",  "seq",  "sne",  "slt",  "sle", "sgt", "sge",
          "sequ", "sneu", "sltu", "sleu", "sgtu", "sgeu", "snum", "snan"}) {
      const std::string& to = results[turn++ % results.size()];
      forms.push_back({"cmp_" + op + "_" + (turn % 3 == 0 ? "ftz_" : "") + to + "_" + t, letter(to),
                       std::string(2, letter(t))});
    }
}

unsigned width(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(1)));
}

void add_convert_forms(std::vector<Form>& forms) {
  auto form = [&](const std::string& modifiers, const std::string& to, const std::string& from) {
    forms.push_back(
        {"cvt_" + modifiers + to + "_" + from, letter(to), std::string(1, letter(from))});
  };
  for (const std::string& to : kAllInts) {
    for (const std::string& from : kAllInts) {
      if (to == from) continue;
      if (width(to) != width(from)) form("", to, from);
      if (width(to) <= width(from)) form("sat_", to, from);
    }
    form("", to, "b1");
    form("", "b1", to);
    for (const std::string& from : kFloats) {
      for (const char* round : {"", "upi_", "downi_", "zeroi_", "neari_", "supi_", "sdowni_",
                                "szeroi_", "sneari_", "ftz_upi_"})
        form(round, to, from);
      for (const char* round : {"upi_sat_", "downi_sat_", "zeroi_sat_", "neari_sat_"})
        form(round, to, from);
    }
  }
  for (const std::string& to : kFloats) {
    for (const std::string& from : kAllInts) form("", to, from);
    for (const std::string& from : kFloats)
      if (to != from) {
        form("", to, from);
        form("ftz_", to, from);
      }
    form("", to, "b1");
    form("", "b1", to);
    form("ftz_", "b1", to);
  }
}

/// Operands: half edge values, half random bits.
class Source {
 public:
  uint64_t value(char kind) {
    switch (kind) {
      case 'n':
        return random_() % 70;
      case 'c':
        return random_() % 2;
      case 'f':
        return pick({0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00,
                     0x3e00, 0x4248, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfd01,
                     0x5640, 0x57f8, 0x3800, 0xd800, 0x4100, 0xb800}) &
               0xffff;
      case 'e':
        return pick({0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
                     0xbf800000, 0x3fc00000, 0x40490fdb, 0x7f7fffff, 0x7f800000, 0xff800000,
                     0x7fc00000, 0xff800001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff,
                     0x437f8000, 0x42ff0000, 0x3f000000, 0x5effffff, 0x5f000000, 0x33800000,
                     0x40200000, 0xbf000000}) &
               0xffffffff;
      case 'd':
        return pick({0,
                     0x8000000000000000,
                     1,
                     0x800fffffffffffff,
                     0x0010000000000000,
                     0x3ff0000000000000,
                     0xbff8000000000000,
                     0x400921fb54442d18,
                     0x7fefffffffffffff,
                     0x7ff0000000000000,
                     0xfff0000000000000,
                     0x7ff8000000000000,
                     0xfff0000000000001,
                     0x41dfffffffc00000,
                     0x41e0000000000000,
                     0xc1e0000000000000,
                     0x41efffffffe00000,
                     0x43dfffffffffffff,
                     0x43e0000000000000,
                     0x3e70000000000000,
                     0x36a0000000000000,
                     0x47efffffe0000000,
                     0x47effffff0000000,
                     0x40effc0000000000});
      case 'q':
        return pick({0, 1, ~uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0} >> 1, 0x80000000, 255, 7});
      default:
        return pick({0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 128, 255, 0xffff8000, 7}) &
               0xffffffff;
    }
  }

 private:
  uint64_t pick(std::initializer_list<uint64_t> edges) {
    const uint64_t r = random_();
    if (r % 2 == 0) return edges.begin()[(r / 2) % edges.size()];
    return random_();
  }
  std::mt19937_64 random_{kSeed};
};

/// The text of a kernel that stores one result. Operands go through registers, so that upper bits
/// of narrow types are not zero.
std::string case_text(const Form& form, const std::string& name, Source& source) {
  std::string text = "prog kernel &" + name + "(kernarg_u64 %out)\n{\n";
  text += "ld_kernarg_align(8)_u64 $d0, [%out];\n";
  std::string arguments;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const char kind = form.operands[i];
    const bool wide = kind == 'q' || kind == 'd';
    const std::string number = std::to_string(i + 1);
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(source.value(kind)));
    if (kind == 'c') {
      text += "mov_b1 $c" + number + ", " + std::string(hex + 2) + ";\n";
      arguments += ", $c" + number;
    } else {
      text += (wide ? "mov_b64 $d" : "mov_b32 $s") + number + ", " + hex + ";\n";
      arguments += (wide ? ", $d" : ", $s") + number;
    }
  }
  const bool wide = form.result == 'q' || form.result == 'd';
  const char* destination = form.result == 'c' ? "$c0" : wide ? "$d9" : "$s0";
  text += form.opcode + " " + destination + arguments + ";\n";
  if (form.result == 'c') text += "cvt_u32_b1 $s0, $c0;\n";
  if (form.result == 'f') text += "and_b32 $s0, $s0, 0xffff;\n";
  text += wide ? "st_global_align(8)_u64 $d9, [$d0];\n" : "st_global_align(4)_u32 $s0, [$d0];\n";
  return text + "ret;\n};\n";
}

/// Eight bytes at kAddress.
class SmallMemory : public hsail::MemoryPort {
 public:
  static constexpr uint64_t kAddress = 0x1000;
  bool read(uint64_t, void*, size_t) override { return false; }
  bool write(uint64_t address, const void* data, size_t bytes) override {
    if (address != kAddress || bytes > 8) return false;
    std::memcpy(&value, data, bytes);
    return true;
  }
  bool update(uint64_t, unsigned, const std::function<uint64_t(uint64_t)>&, uint64_t*) override {
    return false;
  }
  uint64_t value = 0;
};

struct Interpreted {
  bool ok = false, undefined = false;
  uint64_t value = 0;
};

Interpreted interpret(const hsail::Module& module, const std::string& name) {
  SmallMemory memory;
  hsail::Machine machine(module, memory, {});
  hsail::Dispatch dispatch;
  dispatch.kernel = module.find_kernel("&" + name);
  dispatch.kernarg.resize(16);
  const uint64_t out = SmallMemory::kAddress;
  std::memcpy(dispatch.kernarg.data(), &out, 8);
  const auto status = machine.run(dispatch);
  if (!status) {
    ADD_FAILURE() << status.error().str();
    return {};
  }
  return {true, !machine.undefined_uses().empty(), memory.value};
}

/// The constant each kernel of the IR text stores; kernels without one are absent.
std::map<std::string, uint64_t> stored_constants(const std::string& ir) {
  std::map<std::string, uint64_t> result;
  const std::string start = "define protected amdgpu_kernel void @";
  const std::regex store("store i(32|64) (-?[0-9]+), ptr addrspace\\(1\\)");
  for (size_t at = ir.find(start); at != std::string::npos; at = ir.find(start, at + 1)) {
    const size_t name = at + start.size();
    const std::string body = ir.substr(at, ir.find("\n}", at) - at);
    std::smatch match;
    if (!std::regex_search(body, match, store)) continue;
    const auto value = static_cast<uint64_t>(std::stoll(match[2].str()));
    result[ir.substr(name, ir.find('(', name) - name)] =
        match[1].str() == "32" ? value & 0xffffffff : value;
  }
  return result;
}

bool is_nan(char kind, uint64_t v) {
  switch (kind) {
    case 'f':
      return (v & 0x7fff) > 0x7c00;
    case 'e':
      return (v & 0x7fffffff) > 0x7f800000;
    case 'd':
      return (v & ~(uint64_t{1} << 63)) > 0x7ff0000000000000;
    default:
      return false;
  }
}

struct Totals {
  unsigned compared = 0, undefined = 0, unfolded = 0;
  std::set<std::string> compared_forms;
};

Totals compare(const std::vector<Form>& forms) {
  Totals totals;
  Source source;
  for (size_t first = 0; first < forms.size(); first += 50) {
    std::string text = "module &m:1:0:$full:$large:$default;\n";
    std::vector<std::pair<std::string, const Form*>> cases;
    for (size_t f = first; f < std::min(forms.size(), first + 50); ++f)
      for (unsigned i = 0; i < kCasesPerForm; ++i) {
        cases.emplace_back("k" + std::to_string(f) + "_" + std::to_string(i), &forms[f]);
        text += case_text(forms[f], cases.back().first, source);
      }
    const hsail::Module module = load(text);
    auto ir = optimised_ir({&module}, Options{});
    if (!ir) {
      ADD_FAILURE() << ir.error().str();
      return totals;
    }
    const auto constants = stored_constants(*ir);
    for (const auto& [name, form] : cases) {
      const Interpreted expected = interpret(module, name);
      const auto found = constants.find(name);
      if (!expected.ok) continue;
      if (expected.undefined) {
        ++totals.undefined;
      } else if (found == constants.end()) {
        ++totals.unfolded;
      } else {
        ++totals.compared;
        totals.compared_forms.insert(form->opcode);
        const bool nans =
            is_nan(form->result, expected.value) && is_nan(form->result, found->second);
        const size_t at = text.find("&" + name + "(");
        EXPECT_TRUE(nans || expected.value == found->second)
            << std::hex << "interpreter " << expected.value << ", finalizer " << found->second
            << " seed " << kSeed << "\n"
            << text.substr(at, text.find("};", at) - at);
      }
    }
  }
  return totals;
}

void expect_thorough(const std::vector<Form>& forms, const Totals& totals) {
  const size_t cases = forms.size() * kCasesPerForm;
  EXPECT_EQ(totals.compared_forms.size(), forms.size()) << "forms that never folded";
  EXPECT_GT(totals.compared, cases * 6 / 10);
  // LLVM leaves the quieting of a constant signaling NaN to code generation.
  EXPECT_LT(totals.unfolded, cases / 8);
  std::printf("%zu forms: %u compared, %u undefined, %u not folded\n", forms.size(),
              totals.compared, totals.undefined, totals.unfolded);
}

TEST(FinalizerRandom, Integer) {
  std::vector<Form> forms;
  add_integer_forms(forms);
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Float) {
  std::vector<Form> forms;
  add_float_forms(forms);
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Compare) {
  std::vector<Form> forms;
  add_compare_forms(forms);
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Convert) {
  std::vector<Form> forms;
  add_convert_forms(forms);
  expect_thorough(forms, compare(forms));
}

}  // namespace
