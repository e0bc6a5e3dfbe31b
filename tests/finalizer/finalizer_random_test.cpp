// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every scalar instruction form on random and edge operands: the constant that LLVM folds the
// finalizer's translation to must be what the interpreter of layer hsail computes. The two share no
// instruction semantics. Lanes whose value the HSAIL PRM leaves undefined are left out
// (decisions.md D25), any NaN equals any NaN.
#include <cstring>
#include <map>
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "finalizer_testing.h"
#include "hsail/machine.h"
#include "hsail_forms.h"

namespace {

namespace hsail = cuvette::hsail;
using cuvette::finalizer::optimised_ir;
using cuvette::finalizer::Options;
using cuvette::finalizer_testing::load;
using cuvette::hsail_forms::Form;
using cuvette::hsail_forms::is_nan;
using cuvette::hsail_forms::is_wide;
using cuvette::hsail_forms::Source;

constexpr uint64_t kSeed = 19870401;
constexpr unsigned kCasesPerForm = 40;

/// The text of a kernel that stores one result. Operands go through registers, so that upper bits
/// of narrow types are not zero.
std::string case_text(const Form& form, const std::string& name, Source& source) {
  std::string text = "prog kernel &" + name + "(kernarg_u64 %out)\n{\n";
  text += "ld_kernarg_align(8)_u64 $d0, [%out];\n";
  std::string arguments;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const char kind = form.operands[i];
    const bool wide = is_wide(kind);
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
  const bool wide = is_wide(form.result);
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

struct Totals {
  unsigned compared = 0, undefined = 0, unfolded = 0;
  std::set<std::string> compared_forms;
};

Totals compare(const std::vector<Form>& forms) {
  Totals totals;
  Source source(kSeed);
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
  const auto forms = cuvette::hsail_forms::integer_forms();
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Float) {
  const auto forms = cuvette::hsail_forms::float_forms();
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Compare) {
  const auto forms = cuvette::hsail_forms::compare_forms();
  expect_thorough(forms, compare(forms));
}

TEST(FinalizerRandom, Convert) {
  const auto forms = cuvette::hsail_forms::convert_forms();
  expect_thorough(forms, compare(forms));
}

}  // namespace
