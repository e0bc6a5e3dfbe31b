// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every row of the opcode ledger is in the tables, on the targets the ledger names, and its example
// bytes decode to its example text.
#include <array>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "csv.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/text.h"
#include "isa_support/differences.h"

namespace cuvette::isa {
namespace {

struct LedgerRow {
  std::map<std::string, std::string> cells;
  const std::string& at(const std::string& column) const { return cells.at(column); }
};

std::vector<LedgerRow> read_ledger() {
  std::vector<LedgerRow> out;
  std::vector<std::string> header;
  for (const csv::Row& fields : csv::read("ledger/isa_opcodes.csv")) {
    if (header.empty()) {
      header = fields;
      continue;
    }
    LedgerRow row;
    for (size_t i = 0; i < header.size(); ++i)
      row.cells[header[i]] = i < fields.size() ? fields[i] : "";
    out.push_back(row);
  }
  return out;
}

const Row* find(const LedgerRow& ledger) {
  std::string mnemonic = ledger.at("mnemonic");
  for (char& c : mnemonic) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (unsigned f = 0; f < kFormats; ++f) {
    if (name_of(static_cast<Format>(f)) == ledger.at("format")) {
      return find_row(mnemonic, static_cast<Format>(f));
    }
  }
  return nullptr;
}

std::string id(const LedgerRow& ledger) {
  return ledger.at("format") + '.' + ledger.at("opcode") + '.' + ledger.at("mnemonic");
}

bool named(const std::string& targets, Target target) {
  return targets.find(name_of(target)) != std::string::npos;
}

std::vector<uint32_t> words_of(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 8);
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    const auto byte = static_cast<uint32_t>(std::stoul(bytes.substr(2 * i, 2), nullptr, 16));
    words[i / 4] |= byte << 8 * (i % 4);
  }
  return words;
}

TEST(Ledger, RowsAndTargets) {
  const std::vector<LedgerRow> ledger = read_ledger();
  ASSERT_EQ(ledger.size(), 1311u);
  EXPECT_EQ(rows().count, ledger.size());
  unsigned found = 0;
  std::array<unsigned, kTargets> present{}, expected{};
  for (const LedgerRow& line : ledger) {
    const Row* row = find(line);
    ASSERT_NE(row, nullptr) << id(line);
    EXPECT_EQ(row_id(*row), id(line));
    ++found;
    for (Target t : kAllTargets) {
      const std::string& cell = line.at("llvm_" + std::string(name_of(t)));
      EXPECT_EQ(row->on(t), cell != "n") << id(line) << ' ' << name_of(t);
      expected[index_of(t)] += cell != "n";
      present[index_of(t)] += row->on(t);
      if (row->on(t)) {
        EXPECT_EQ(std::to_string(row->opcode[index_of(t)]), line.at("opcode")) << id(line);
      }
      if (cell != "n" && cell != "y") {
        EXPECT_EQ(row->mnemonic_on(t), cell) << id(line);
      }
      EXPECT_EQ(row->vop3_opcode[index_of(t)] != kAbsent, named(line.at("vop3_targets"), t))
          << id(line);
      EXPECT_EQ((row->sdwa_targets >> index_of(t) & 1) != 0, named(line.at("sdwa_targets"), t))
          << id(line);
      EXPECT_EQ((row->dpp_targets >> index_of(t) & 1) != 0, named(line.at("dpp_targets"), t))
          << id(line);
    }
  }
  std::printf("ledger isa_opcodes: %u of %zu rows", found, ledger.size());
  for (Target t : kAllTargets) {
    std::printf("; %s %u of %u", std::string(name_of(t)).c_str(), present[index_of(t)],
                expected[index_of(t)]);
  }
  std::printf("\n");
  constexpr std::array<unsigned, kTargets> kCounts{1177, 1186, 1217, 1135, 1154};
  EXPECT_EQ(present, kCounts);
}

TEST(Ledger, ExampleBytesDecodeToTheExampleText) {
  unsigned decoded = 0;
  for (const LedgerRow& line : read_ledger()) {
    const std::string& bytes = line.at("example_bytes_memory_order");
    if (bytes.empty()) continue;
    const auto target = target_from_name(line.at("example_target"));
    ASSERT_TRUE(target.has_value()) << id(line);
    const std::vector<uint32_t> words = words_of(bytes);
    const Decoded out = decode(*target, words.data(), words.size());
    ASSERT_TRUE(out.status == DecodeStatus::Legal || out.status == DecodeStatus::Reserved)
        << id(line) << ": " << out.reason;
    EXPECT_EQ(out.length, words.size()) << id(line);
    EXPECT_EQ(out.instruction.row, find(line)) << id(line);
    EXPECT_EQ(text(out.instruction), line.at("example_text")) << id(line);
    ++decoded;
  }
  std::printf("ledger isa_opcodes: %u examples decoded\n", decoded);
  EXPECT_EQ(decoded, 1309u);  // two documented rows exist on no target
}

TEST(Row, LookupByNameAndPosition) {
  const Row* add = find_row("v_add_f32", Format::Vop2);
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(row_id(*add), "VOP2.1.V_ADD_F32");
  EXPECT_EQ(rows().first + index_of(*add), add);
  EXPECT_EQ(find_row("v_add_f32", Format::Vop1), nullptr);
  EXPECT_EQ(find_row("global_load_dword", Format::Global)->semantic, SemanticId::flat_load_dword);
  EXPECT_EQ(find_row("global_atomic_add_f32", Format::Global)->semantic,
            SemanticId::flat_atomic_add_f32);
}

TEST(Decode, TruncatedInput) {
  const uint32_t vop3[] = {0xd1ff0004};
  EXPECT_EQ(decode(Target::Gfx908, vop3, 1).status, DecodeStatus::Truncated);
  EXPECT_EQ(decode(Target::Gfx908, vop3, 0).status, DecodeStatus::Truncated);
  const uint32_t literal[] = {0xbe8400ff};
  EXPECT_EQ(decode(Target::Gfx908, literal, 1).status, DecodeStatus::Truncated);
}

/// Values of constants: MI100 ISA table 23, and decisions for packed and 64-bit operands.
TEST(Decode, ConstantsHaveTheBitsTheOperandSees) {
  struct Case {
    std::vector<uint32_t> words;
    unsigned source;
    uint64_t value;
  };
  const Case cases[] = {
      {{0x7e0802f2}, 0, 0x3f800000},                      // v_mov_b32 v4, 1.0
      {{0x7e083081}, 0, 1},                               // v_ceil_f64 v[4:5], 1: a denormal
      {{0x7e0830f2}, 0, 0x3ff0000000000000},              // v_ceil_f64 v[4:5], 1.0
      {{0x7e0830ff, 0x40080000}, 0, 0x4008000000000000},  // literal: upper half of an F64
      {{0x3e0810f8}, 0, 0x3118},                          // v_add_f16 v4, 1/2pi, v8
      {{0xbe8401ff, 0xffffffff}, 0, 0xffffffff},          // s_mov_b64: zero-extended literal
      {{0xbe8401c1}, 0, 0xffffffffffffffff},              // s_mov_b64 s[4:5], -1
      {{0xd3824040, 0x180210c1}, 0, 0xffffffff},          // v_pk_add_i16 v64, -1, v8
      {{0xd38f4040, 0x180210f2}, 0, 0x3c00},              // v_pk_add_f16 v64, 1.0, v8
      {{0xd3824040, 0x180210f2}, 0, 0x3f800000},          // v_pk_add_i16 v64, 1.0, v8
  };
  for (const Case& c : cases) {
    const Decoded out = decode(Target::Gfx908, c.words.data(), c.words.size());
    ASSERT_EQ(out.status, DecodeStatus::Legal) << std::hex << c.words[0] << out.reason;
    EXPECT_EQ(out.instruction.src[c.source].value, c.value) << std::hex << c.words[0];
  }
}

TEST(Encode, SaysWhatDoesNotFit) {
  Instruction in;
  EXPECT_FALSE(encode(in).ok());
  in.row = find_row("v_mfma_f32_4x4x1f32", Format::Vop3pMai);
  in.target = Target::Gfx900;
  EXPECT_EQ(encode(in).error().what, "v_mfma_f32_4x4x1f32 does not exist on gfx900");
  in.row = find_row("v_mac_f32", Format::Vop2);
  in.encoding = Encoding::Sdwa;
  EXPECT_EQ(encode(in).error().what, "v_mac_f32 has no such encoding on gfx900");
  in.row = find_row("s_mov_b32", Format::Sop1);
  in.encoding = Encoding::Native;
  in.dst[0].kind = OperandKind::Sgpr;
  in.dst[0].index = 200;
  in.src[0].kind = OperandKind::Sgpr;
  EXPECT_FALSE(encode(in).ok());
  in.dst[0].index = 4;
  ASSERT_TRUE(encode(in).ok());
  EXPECT_EQ(in.words[0], 0xbe840000u);
}

}  // namespace
}  // namespace cuvette::isa
