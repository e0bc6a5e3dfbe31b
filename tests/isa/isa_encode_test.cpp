// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every row on every target in every encoding: instructions are built from operands, encoded,
// printed, assembled by LLVM 19 from our text and disassembled by it from our words.
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/text.h"
#include "isa_support/builder.h"
#include "isa_support/differences.h"
#include "oracle/llvm_oracle_client.h"

namespace cuvette::isa {
namespace {

using oracle::LlvmOracle;
using test::Builder;

/// Instructions that LLVM's disassembler shows but its assembler does not take back, or not to the
/// same words. These are compared with the disassembler only.
bool one_way(const Instruction& in) {
  const Row& row = *in.row;
  // One spelling for all encodings of rows without operands.
  if (row.dst[0].role == Role::None && row.src[0].role == Role::None &&
      in.encoding != Encoding::Native) {
    return true;
  }
  // The assembler turns literals with the value of an inline constant into that.
  bool fixed_literal = false;
  for (const OperandSpec& spec : row.src) fixed_literal |= spec.role == Role::Imm32;
  if (in.encoding == Encoding::Literal && !fixed_literal && in.words[1] != test::kPlainLiteral &&
      in.words[1] != test::kPlainHalfLiteral) {
    return true;
  }
  if (row.semantic == SemanticId::s_cbranch_g_fork && in.encoding == Encoding::Literal) return true;
  // Negative offsets of scalar buffer accesses are shown, but only unsigned ones taken.
  if (row.format == Format::Smem && in.mem.offset < 0) return true;
  // Bits without meaning that are not shown.
  if ((row.format == Format::Vop3p || row.format == Format::Vop3pMai) &&
      row.src[2].role == Role::None && in.mod.op_sel_hi != 7 && (in.mod.op_sel_hi & 3) == 3) {
    return true;
  }
  if (row.format == Format::Vop3pMai && !row.has(kMatrix) && in.mod.op_sel_hi != 7) return true;
  if (row.semantic == SemanticId::ds_swizzle_b32 && in.mem.offset != 0) return true;
  if (row.format == Format::Exp && (in.mem.export_enable != 0xf || in.mem.export_compressed)) {
    return true;
  }
  // Rules of the assembler alone.
  if (in.mem.tfe && row.has(kStore)) return true;
  const bool gather = row.format == Format::Mimg && row.dst[0].dwords == 4;
  if (gather && (in.mem.dmask & (in.mem.dmask - 1)) != 0) return true;
  if (gather && in.mem.dmask == 0) return true;
  const bool dot = row.mnemonic.substr(0, 5) == "v_dot" && row.format == Format::Vop3p;
  if (dot && in.target == Target::Gfx942 && (in.mod.op_sel != 0 || in.mod.op_sel_hi != 7))
    return true;
  const bool fp8 = row.src[0].type == Type::Fp8 || row.src[0].type == Type::Bf8;
  if (in.encoding == Encoding::Sdwa && fp8 && in.mod.sext != 0) return true;
  // VCC and another scalar register are one too many for the constant bus.
  for (const OperandSpec& spec : row.src) {
    if (spec.role != Role::VccIn || in.encoding != Encoding::Sdwa) continue;
    if (in.src[0].kind == OperandKind::Sgpr || in.src[1].kind == OperandKind::Sgpr) return true;
  }
  return false;
}

struct Sample {
  Instruction in;
  std::string text;
};

class EveryRow : public testing::TestWithParam<Target> {
 protected:
  void collect(const Row& row, Encoding encoding) {
    const Builder builder(row, GetParam(), encoding);
    if (!builder.exists()) return;
    ++forms_;
    unsigned built = 0;
    for (Instruction& in : builder.instructions()) {
      const base::Status status = encode(in);
      if (!status.ok()) {
        fail(row_id(row) + ": " + status.error().what);
        continue;
      }
      const Decoded back = decode(GetParam(), in.words, in.length);
      if (back.status != DecodeStatus::Legal) {
        fail(row_id(row) + ": built something reserved: " + back.field + ": " + text(in));
        continue;
      }
      samples_.push_back({in, text(in)});
      ++built;
      for (const Instruction& variant : builder.variants(in, built == 1)) {
        samples_.push_back({variant, text(variant)});
      }
    }
    if (built == 0) fail(row_id(row) + ": nothing built");
  }

  void compare() {
    constexpr size_t kBatch = 20000;
    const std::string target(name_of(GetParam()));
    for (size_t first = 0; first < samples_.size(); first += kBatch) {
      const size_t last = std::min(first + kBatch, samples_.size());
      std::vector<std::string> texts;
      std::vector<std::vector<uint32_t>> cases;
      for (size_t i = first; i < last; ++i) {
        texts.push_back(samples_[i].text);
        const Instruction& in = samples_[i].in;
        cases.emplace_back(in.words, in.words + in.length);
      }
      const auto assembled = llvm_.assemble(target, texts);
      const auto disassembled = llvm_.disassemble(target, cases);
      for (size_t i = 0; i < texts.size(); ++i) {
        compare_one(samples_[first + i], cases[i], assembled[i], disassembled[i]);
      }
    }
  }

  void compare_one(const Sample& sample, const std::vector<uint32_t>& words,
                   const LlvmOracle::Assembly& assembled, const LlvmOracle::Disassembly& shown) {
    std::string theirs = shown.text;
    while (!theirs.empty() && theirs.back() == ' ') theirs.pop_back();
    theirs.erase(0, theirs.find_first_not_of(' '));
    if (theirs != sample.text || shown.bytes != 4u * words.size()) {
      fail("text: " + sample.text + "\n  LLVM shows " + theirs);
    }
    if (one_way(sample.in)) {
      ++one_way_;
    } else if (assembled.status != LlvmOracle::Status::Ok) {
      fail("assembler: " + sample.text + "\n  LLVM: " + assembled.message);
    } else if (assembled.words != words) {
      char hex[80];
      std::snprintf(hex, sizeof hex, "ours %08x %08x LLVM %08x %08x", words[0],
                    words.size() > 1 ? words[1] : 0, assembled.words[0],
                    assembled.words.size() > 1 ? assembled.words[1] : 0);
      fail("words: " + sample.text + "\n  " + hex);
    }
  }

  void fail(const std::string& what) {
    if (++failures_ <= limit()) ADD_FAILURE() << name_of(GetParam()) << ' ' << what;
  }
  static unsigned limit() { return std::getenv("CUVETTE_ISA_SHOW_ALL") != nullptr ? 1000000 : 20; }

  LlvmOracle llvm_;
  std::vector<Sample> samples_;
  unsigned forms_ = 0, failures_ = 0, one_way_ = 0;
};

TEST_P(EveryRow, EncodesAndPrintsAsLlvmDoes) {
  for (const Row& row : rows()) {
    for (Encoding e :
         {Encoding::Native, Encoding::Literal, Encoding::Vop3, Encoding::Sdwa, Encoding::Dpp}) {
      collect(row, e);
    }
  }
  compare();
  std::printf("%s: %u row encodings, %zu instructions (%u shown only), %u failures\n",
              std::string(name_of(GetParam())).c_str(), forms_, samples_.size(), one_way_,
              failures_);
  EXPECT_EQ(failures_, 0u);
  EXPECT_GT(forms_, 1700u);
}

INSTANTIATE_TEST_SUITE_P(AllTargets, EveryRow, testing::ValuesIn(kAllTargets),
                         [](const auto& entry) { return std::string(name_of(entry.param)); });

}  // namespace
}  // namespace cuvette::isa
