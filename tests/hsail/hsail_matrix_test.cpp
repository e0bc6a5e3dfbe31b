// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Extension cuvette:mfma (hsail_mfma.md) in text and BRIG: the instructions against the public
// list of matrix instructions (tests/oracles/mfma/instructions.csv), round trips, what is refused.
#include "hsail_matrix.h"

#include <algorithm>
#include <map>
#include <set>

#include "brig_support.h"
#include "csv.h"
#include "hsail/brig_layout.h"
#include "hsail/matrix_table.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using hsail_matrix::Form;
using hsail_matrix::Sum;

const auto* const kLedger =
    ::testing::AddGlobalTestEnvironment(new testing::Ledger("hsail_matrix_test"));

/// The columns of instructions.csv by name.
class Oracle {
 public:
  Oracle() : rows_(csv::read("oracles/mfma/instructions.csv")) {
    for (size_t i = 0; i < rows_[0].size(); ++i) columns_[rows_[0][i]] = i;
  }
  size_t size() const { return rows_.size() - 1; }
  std::string at(size_t row, const std::string& column) const {
    return rows_[row + 1][columns_.at(column)];
  }
  unsigned number(size_t row, const std::string& column) const {
    const std::string text = at(row, column);
    return text.empty() ? 0 : static_cast<unsigned>(std::stoul(text));
  }

 private:
  std::vector<csv::Row> rows_;
  std::map<std::string, size_t> columns_;
};

/// "FP16 (IEEE ...)" as HSAIL calls it.
std::string format_name(const std::string& text) {
  static const std::map<std::string, std::string> kNames = {
      {"FP32", "f32"}, {"FP64", "f64"}, {"FP16", "f16"}, {"BF16", "bf16"},
      {"int8", "s8"},  {"FP8", "fp8"},  {"BF8", "bf8"},  {"int32", "s32"}};
  return kNames.at(text.substr(0, text.find(' ')));
}

std::string name_of(const Oracle& o, size_t row) {
  // The list has one name for f32 and for the reduced one.
  const bool reduced = o.at(row, "mnemonic").find("xf32") != std::string::npos;
  const std::string a = reduced ? "xf32" : format_name(o.at(row, "src0"));
  const std::string b = format_name(o.at(row, "src1"));
  const std::string blocks = o.at(row, "blocks");
  std::string name = o.at(row, "sparse") == "True" ? "cuvette:smfmac_" : "cuvette:mfma_";
  name += o.at(row, "m") + "x" + o.at(row, "n") + "x" + o.at(row, "k");
  if (blocks != "1") name += "_" + blocks + "b";
  name += "_" + format_name(o.at(row, "vdst")) + "_" + a;
  if (a == "fp8" || a == "bf8") name += "_" + b;
  return name;
}

TEST(MatrixTable, IsThePublicListOfInstructions) {
  const Oracle o;
  ASSERT_EQ(o.size(), 93u);
  std::map<std::string, unsigned> targets;
  for (size_t i = 0; i < o.size(); ++i) {
    const std::string name = name_of(o, i);
    SCOPED_TRACE(o.at(i, "target") + " " + o.at(i, "mnemonic") + ": " + name);
    const auto opcode = find_opcode(name);
    ASSERT_TRUE(opcode.has_value());
    const MatrixInst* x = matrix_inst(*opcode);
    ASSERT_NE(x, nullptr);
    EXPECT_EQ(x->name, name);
    const MatrixTarget target = *find_matrix_target(o.at(i, "target"));
    EXPECT_TRUE(x->on(target));
    targets[name] |= 1u << static_cast<unsigned>(target);
    EXPECT_EQ(x->sparse, o.at(i, "sparse") == "True");
    EXPECT_EQ(type_bits(x->a_type()), 32 * o.number(i, "gprs_a"));
    EXPECT_EQ(type_bits(x->b_type()), 32 * o.number(i, "gprs_b"));
    EXPECT_EQ(x->results() * type_bits(x->result), 32 * o.number(i, "gprs_d"));
    EXPECT_EQ(x->broadcast, o.at(i, "cbsz_abid") == "True");
    // The list counts the signs of F64 as blgp.
    const bool signs = x->has_neg() && target == MatrixTarget::kGfx942;
    EXPECT_EQ(x->has_blgp(target) || signs, o.at(i, "blgp") == "True");
  }
  size_t rows = 0;
  for (const InstRow& row : matrix_rows()) {
    ++rows;
    EXPECT_EQ(targets[row.id], matrix_inst(row.opcode)->targets) << row.id;
    EXPECT_EQ(inst_rows(row.opcode).first, &row);
  }
  EXPECT_EQ(rows, targets.size());
  EXPECT_EQ(rows, 53u);
  EXPECT_EQ(matrix_inst(Opcode::kAdd), nullptr);
  EXPECT_EQ(matrix_inst(static_cast<Opcode>(0x8000)), nullptr);
}

/// Properties of a row that the tests' kernels need.
Form form_of(const InstRow& row) {
  const MatrixInst& x = *matrix_inst(row.opcode);
  Form f;
  f.name = row.id;
  f.a_words = type_bits(x.a_type()) / 32;
  f.b_words = type_bits(x.b_type()) / 32;
  f.results = x.results();
  f.f64 = x.result == Type::kF64;
  f.integer = x.result == Type::kS32;
  f.sparse = x.sparse;
  const std::string operands = row.operands;
  f.modifiers = static_cast<unsigned>(operands.size() - (x.sparse ? 5 : 4));
  return f;
}

Form form_of(const std::string& name) {
  return form_of(*inst_rows(*find_opcode(name)).first);
}

std::string all_errors(const std::string& text) {
  Outcome outcome = parse_text(text, "t.hsail");
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  std::string all;
  for (const base::Error& e : outcome.errors)
    all += (all.empty() ? "" : "\n") + testing::without_id(e);
  return all;
}

TEST(MatrixText, EveryInstructionComesBack) {
  for (const InstRow& row : matrix_rows()) {
    const Form f = form_of(row);
    for (const Sum sum : {Sum::kRegisters, Sum::kInPlace, Sum::kConstant}) {
      const std::string statement =
          hsail_matrix::statement(f, sum, std::vector<unsigned>(f.modifiers, 7));
      const std::string text = hsail_matrix::module_of(
          "prog kernel &k()\n{\n\trequirenopartialwavefronts;\n\t" + statement + "\n};\n");
      EXPECT_EQ(all_errors(text), "") << text;
      const Outcome parsed = parse_text(text, "t");
      if (!parsed.ok()) continue;
      // The printer puts a tab behind the name, otherwise the statement stays as it was.
      std::string printed =
          print_entry(parsed.module, static_cast<CodeRef>(parsed.module.code.size() - 1));
      printed.replace(printed.find('\t'), 1, " ");
      EXPECT_EQ(printed, statement);
      EXPECT_EQ(testing::brig_problem(parsed.module), "") << statement;
    }
  }
}

/// The last word of hsa_code is part of the one instruction, an hsa_brig_inst_basic_t.
TEST(MatrixBrig, VendorOpcodes) {
  const struct {
    const char* name;
    unsigned opcode;
  } cases[] = {
      {"cuvette:mfma_4x4x1_16b_f32_f32", 0x8040},    {"cuvette:mfma_32x32x2_f32_f32", 0x8300},
      {"cuvette:mfma_16x16x4_f64_f64", 0x8489},      {"cuvette:mfma_32x32x4_2b_s32_s8", 0x8564},
      {"cuvette:mfma_16x16x32_f32_bf8_fp8", 0x8abe}, {"cuvette:smfmac_16x16x64_s32_s8", 0x9ca4},
  };
  for (const auto& c : cases) {
    const Form f = form_of(std::string(c.name));
    const std::string statement =
        hsail_matrix::statement(f, Sum::kInPlace, std::vector<unsigned>(f.modifiers, 0));
    const auto brig = testing::brig_of(hsail_matrix::module_of(
        "prog kernel &k()\n{\n\trequirenopartialwavefronts;\n\t" + statement + "\n};\n"));
    ASSERT_FALSE(brig.empty()) << statement;
    // byte_count 12, kind 0x2002, opcode.
    const std::vector<uint8_t> wanted = {
        12, 0, 0x02, 0x20, static_cast<uint8_t>(c.opcode), static_cast<uint8_t>(c.opcode >> 8)};
    EXPECT_EQ(std::search(brig.begin(), brig.end(), wanted.begin(), wanted.end()) != brig.end(),
              true)
        << c.name;
    EXPECT_EQ(static_cast<unsigned>(*find_opcode(c.name)), c.opcode);
  }
  if (!HasFailure()) testing::Ledger::cover("HL-263");
}

const std::string kFour = "($s10, $s11, $s12, $s13)";
const std::string kSmall = "cuvette:mfma_4x4x1_16b_f32_f32 ";

/// In a module with the extension and its control directive.
std::string with(const std::string& statement) {
  return hsail_matrix::module_of("kernel &k()\n{\n\trequirenopartialwavefronts;\n\t" + statement +
                                 "\n};\n");
}

TEST(MatrixText, WhatIsRefused) {
  const struct {
    std::string statement;
    std::string error;
  } cases[] = {
      // Names and types.
      {"cuvette:mfma_32x32x2_f64_f32 $s0;",
       "t.hsail:6:2: error: unknown instruction 'cuvette:mfma_32x32x2_f64_f32'; with this shape: "
       "cuvette:mfma_32x32x2_f32_f32, cuvette:mfma_32x32x2_2b_f32_bf16"},
      {"cuvette:mfma_8x8x4_f32_f32 $s0;",
       "t.hsail:6:2: error: unknown instruction 'cuvette:mfma_8x8x4_f32_f32'"},
      {"cuvette: mfma_4x4x1_16b_f32_f32 $s0;",
       "t.hsail:6:2: error: unknown instruction 'cuvette:'"},
      {"other:mfma_4x4x1_16b_f32_f32 $s0;",
       "t.hsail:6:2: error: unknown instruction 'other:mfma_4x4x1_16b_f32_f32'; the only vendor "
       "with "
       "instructions here is 'cuvette'"},
      {"mfma_4x4x1_16b_f32_f32 $s0;",
       "t.hsail:6:2: error: unknown instruction 'mfma_4x4x1_16b_f32_f32'"},
      // Operand count.
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 0;",
       "t.hsail:6:99: error: expected ',' ('cuvette:mfma_4x4x1_16b_f32_f32' takes 7 operands), "
       "found ';'"},
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 0, 0, 0;",
       "t.hsail:6:102: error: expected ';' after the operands of 'cuvette:mfma_4x4x1_16b_f32_f32', "
       "found ','"},
      {kSmall + "($s10, $s11, $s12), $s0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:50: error: expected a vector of 4 operands, found ')'"},
      {kSmall + kFour + ", $s0, $s1, ($s10, $s11, $s12, $s13, $s14), 0, 0, 0;",
       "t.hsail:6:92: error: expected ')' after a vector of 4 operands, found ','"},
      {kSmall + "$s10, $s0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:33: error: expected '(' before a vector of 4 operands, found '$s10'"},
      // Operand kinds.
      {kSmall + kFour + ", $d0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:59: error: a $d register cannot hold type 'f32', expected $s"},
      {"cuvette:mfma_4x4x4_16b_f32_f16 " + kFour + ", $d0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:64: error: a $s register cannot hold type 'b64', expected $d"},
      {"cuvette:smfmac_16x16x32_f32_f16 " + kFour + ", $d0, $d1, " + kFour + ", $s0, 0, 0;",
       "t.hsail:6:65: error: a $d register cannot hold type 'b128', expected $q"},
      {kSmall + "($s10, $s11, $s12, $d13), $s0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:52: error: a $d register cannot hold type 'f32', expected $s"},
      {kSmall + "($s10, $s11, $s12, $s10), $s0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:52: error: the destinations of a vector must be different registers"},
      {kSmall + "($s10, $s11, $s12, 0f00000000), $s0, $s1, " + kFour + ", 0, 0, 0;",
       "t.hsail:6:52: error: the destination must be a register"},
      {kSmall + kFour + ", $s0, $s1, $s10, 0, 0, 0;",
       "t.hsail:6:69: error: expected 4 values of type 'f32' in brackets or one constant"},
      {kSmall + kFour + ", $s0, $s1, 0d0000000000000000, 0, 0, 0;",
       "t.hsail:6:69: error: a constant of type 'f64' is not valid here, expected type 'f32'"},
      {"cuvette:smfmac_16x16x32_f32_f16 " + kFour + ", $d0, $q0, " + kFour + ", $d5, 0, 0;",
       "t.hsail:6:96: error: a $d register cannot hold type 'u32', expected $s"},
      // Modifiers.
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 8, 0, 0;",
       "t.hsail:6:95: error: expected a literal from 0 to 7"},
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 16, 0;",
       "t.hsail:6:98: error: expected a literal from 0 to 15"},
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 0, 8;",
       "t.hsail:6:101: error: expected a literal from 0 to 7"},
      {kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 0, $s2;",
       "t.hsail:6:101: error: expected a literal from 0 to 7"},
      {"cuvette:mfma_16x16x4_f64_f64 ($d0, $d1, $d2, $d3), $d4, $d5, ($d0, $d1, $d2, $d3), 8;",
       "t.hsail:6:85: error: expected a literal from 0 to 7"},
  };
  for (const auto& c : cases) EXPECT_EQ(all_errors(with(c.statement)), c.error) << c.statement;
}

TEST(MatrixText, ExtensionAndFullWavefronts) {
  const std::string good = kSmall + kFour + ", $s0, $s1, " + kFour + ", 0, 0, 0;";
  const auto module = [&](const std::string& extension, const std::string& control) {
    return "module &m:1:0:$full:$large:$default;\n" + extension + "\nkernel &k()\n{\n\t" + control +
           "\n\t" + good + "\n};\n";
  };
  const std::string control = "requirenopartialwavefronts;";
  EXPECT_EQ(all_errors(module("extension \"cuvette:mfma\";", control)), "");
  for (const char* version : {"1:0", "1:1", "1:2"}) {
    EXPECT_EQ(
        all_errors(module("extension \"cuvette:mfma\":" + std::string(version) + ";", control)),
        "");
  }
  EXPECT_EQ(
      all_errors(module("extension \"cuvette:mfma\":2:0;", control)),
      "t.hsail:2:1: error: version 2:0 of extension \"cuvette:mfma\" is not supported, expected "
      "1:0, 1:1 or 1:2");
  for (const char* other : {"", "extension \"cuvette:other\";", "extension \"IMAGE\";"}) {
    const std::string unknown =
        "\nt.hsail:2:1: error: extension \"cuvette:other\" is not supported, "
        "expected CORE, IMAGE, amd:gcn, amd:mipmap or cuvette:mfma";
    // Errors of the language come first, then those of the machine.
    EXPECT_EQ(all_errors(module(other, control)),
              "t.hsail:6:2: error: 'cuvette:mfma_4x4x1_16b_f32_f32' needs the extension "
              "\"cuvette:mfma\"" +
                  (std::string(other).find("other") != std::string::npos ? unknown : ""));
  }
  EXPECT_EQ(all_errors(module("extension \"cuvette:mfma\";", "")),
            "t.hsail:6:2: error: a code block with matrix instructions needs "
            "'requirenopartialwavefronts'");
  // CORE excludes every other extension (13.1.1).
  EXPECT_EQ(all_errors("module &m:1:0:$full:$large:$default;\nextension \"CORE\";\n"
                       "extension \"cuvette:mfma\":1:0;\nextension \"amd:gcn\";\n"),
            "t.hsail:3:1: error: extension \"cuvette:mfma\" cannot stand beside extension "
            "\"CORE\"\n"
            "t.hsail:4:1: error: extension \"amd:gcn\" cannot stand beside extension \"CORE\"");
  EXPECT_EQ(all_errors("module &m:1:0:$full:$large:$default;\nextension \"CORE\":1:0;\n"),
            "t.hsail:2:1: error: extension \"CORE\" has no version");
  // The promise stands in the code block of the instruction, also of a function.
  EXPECT_EQ(all_errors(hsail_matrix::module_of("function &f()()\n{\n\t" + good +
                                               "\n};\nkernel &k()\n{\n\t" + control +
                                               "\n\t{\n\t\tcall &f()();\n\t}\n};\n")),
            "t.hsail:5:2: error: a code block with matrix instructions needs "
            "'requirenopartialwavefronts'");
}

/// Bytes of a BRIG changed at the place of the instruction.
TEST(MatrixBrig, MalformedIsRefused) {
  const auto brig = testing::brig_of(
      with("cuvette:mfma_16x16x4_f32_f32 " + kFour + ", $s0, $s1, " + kFour + ", 0;"));
  const std::vector<uint8_t> start = {12, 0, 0x02, 0x20, 0x80, 0x84};
  const auto found = std::search(brig.begin(), brig.end(), start.begin(), start.end());
  ASSERT_NE(found, brig.end());
  const auto at = static_cast<size_t>(found - brig.begin());
  const auto error = [&](size_t offset, uint16_t value) {
    auto changed = brig;
    changed[at + offset] = static_cast<uint8_t>(value);
    changed[at + offset + 1] = static_cast<uint8_t>(value >> 8);
    const Outcome outcome = parse_module(changed.data(), changed.size(), "b");
    if (outcome.ok()) return std::string();
    const std::string what = outcome.errors[0].what;
    const size_t section = what.rfind(" (hsa_code+0x6");
    EXPECT_NE(section, std::string::npos) << what;
    return what.substr(0, section);
  };
  EXPECT_EQ(error(4, 0x8480), "");
  EXPECT_EQ(error(4, 139), "hsa_brig_inst_basic_t: opcode 139 is not valid, expected 0 to 138");
  for (const unsigned opcode : {0x8481u, 0xffffu}) {
    EXPECT_EQ(error(4, static_cast<uint16_t>(opcode)),
              "hsa_brig_inst_basic_t: opcode " + std::to_string(opcode) +
                  " is not valid, expected 0 to 138 or one of an extension that the module names");
  }
  // The first opcode of amd:gcn, which the module does not name.
  EXPECT_EQ(error(4, 0x8000).substr(0, 40), "type 'f32' is not valid for 'amd_gcn_mad");
  EXPECT_EQ(error(6, 11),
            "type 'f64' is not valid for 'cuvette:mfma_16x16x4_f32_f32', expected one of: f32");
  // Another instruction: its operands are others.
  EXPECT_EQ(error(4, 0x8040), "'cuvette:mfma_4x4x1_16b_f32_f32' takes 7 operands, found 5");
  EXPECT_EQ(error(4, 0x8300), "expected 16 values of type 'f32' in brackets");
  // Another format: kind 0x200a is an hsa_brig_inst_mod_t, which is longer.
  EXPECT_NE(error(2, 0x200a), "");
}

Dispatch dispatch_of(const Module& m, uint32_t grid, uint32_t group) {
  return testing::dispatch(m, "&k", {grid, 1, 1}, {group, 1, 1}, testing::Kernarg());
}

std::string run_error(const std::string& text, uint32_t grid, uint32_t group,
                      const std::string& target = "gfx908") {
  const auto module = load_text(text, "t.hsail");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().str());
  testing::TestMemory memory;
  Machine::Options options;
  options.target = target;
  Machine machine(*module, memory, {}, options);
  const auto status = machine.run(dispatch_of(*module, grid, group));
  return status.ok() ? "" : status.error().str();
}

TEST(MatrixRun, WavefrontsHaveToBeWhole) {
  const std::string good = "cuvette:mfma_16x16x4_f32_f32 " + kFour + ", $s0, $s1, 0f00000000, 0;";
  EXPECT_EQ(run_error(with(good), 128, 128), "");
  EXPECT_EQ(run_error(with(good), 128, 64), "");
  // The promise that the kernel makes (13.5) is looked at before it starts.
  const std::string partial =
      "t.hsail:3:1: error: requirenopartialwavefronts asks for work-groups of a multiple of 64 "
      "work-items, the dispatch has one of ";
  EXPECT_EQ(run_error(with(good), 96, 96), partial + "96");
  EXPECT_EQ(run_error(with(good), 100, 64), partial + "36");
  const std::string divergent =
      "workitemid_u32 $s2, 0; cmp_ge_b1_u32 $c0, $s2, 40; cbr_b1 $c0, @out;\n\t" + good + "\n@out:";
  const std::string error = run_error(with(divergent), 64, 64);
  EXPECT_EQ(error.substr(0, 12), "t.hsail:7:2:");
  EXPECT_NE(error.find("work-item (40,0,0), kernel"), std::string::npos) << error;
}

TEST(MatrixRun, TargetsOfTheInterpreter) {
  const std::string bf16 =
      "cuvette:mfma_4x4x2_16b_f32_bf16 " + kFour + ", $s0, $s1, 0f00000000, 0, 0, 0;";
  EXPECT_EQ(run_error(with(bf16), 64, 64, "gfx908"), "");
  EXPECT_EQ(run_error(with(bf16), 64, 64, "gfx90a:sramecc+:xnack-"), "");
  const std::string name = "t.hsail:6:2: error: 'cuvette:mfma_4x4x2_16b_f32_bf16'";
  EXPECT_EQ(run_error(with(bf16), 64, 64, "gfx942"),
            name + " is not an instruction of target gfx942");
  EXPECT_EQ(run_error(with(bf16), 64, 64, "gfx906"),
            name + ": target gfx906 has no matrix instructions");
}

}  // namespace
}  // namespace cuvette::hsail
