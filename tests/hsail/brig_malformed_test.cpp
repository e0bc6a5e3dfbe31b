// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// BRIG that is wrong: an error that says what and where, and never a crash.
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "brig_bytes.h"
#include "brig_support.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::brig_of;
using testing::Bytes;
using testing::entry_at;
using testing::get;
using testing::Ledger;
using testing::section_at;
using testing::set;

const std::string kText =
    "module &m:1:0:$full:$large:$default;\nglobal_u32 &x = 5;\ndecl prog function &f(arg_u32 "
    "%r)(arg_u32 %x);\nprog kernel &k(kernarg_u64 %a)\n{\n\tgroup_u32 %g[4];\n\tld_kernarg_u64 "
    "$d0, [%a];\n\tld_global_u32 $s0, [&x];\n@l:\n\tadd_u32 $s0, $s0, 1;\n\tcmp_lt_b1_u32 $c0, "
    "$s0, 9;\n\tcbr_b1 $c0, @l;\n\tst_v2_global_u32 ($s0, 7), [$d0+8];\n\t{\n\targ_u32 "
    "%r;\n\targ_u32 %x;\n\tst_arg_u32 $s0, [%x];\n\tcall &f(%r)(%x);\n\t}\n\tret;\n};\n";

std::string first_error(const Bytes& bytes) {
  const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
  return outcome.ok() ? "" : outcome.errors[0].str();
}

/// Section of a place and the offset in it as messages end.
std::string section_of(const Bytes& bytes, size_t place) {
  const char* const names[] = {"hsa_data", "hsa_code", "hsa_operand"};
  for (size_t i = 0; i < 3; ++i) {
    const size_t begin = section_at(bytes, i);
    if (place < begin || place >= begin + get(bytes, begin, 8)) continue;
    char offset[24];
    std::snprintf(offset, sizeof offset, "+0x%zx)", place - begin);
    return std::string(" (") + names[i] + offset;
  }
  return " (no section)";
}

/// An error that names the place it has to name, or a module that keeps its meaning.
void expect_judged(const Bytes& bytes, const std::string& what) {
  const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
  if (outcome.ok()) {
    const std::string problem = testing::brig_problem(outcome.module);
    EXPECT_EQ(problem, "") << what;
    return;
  }
  for (const base::Error& error : outcome.errors) {
    EXPECT_FALSE(error.what.empty()) << what;
    EXPECT_FALSE(error.id.empty()) << what;
    EXPECT_EQ(error.where.file, "m.brig") << what;
    EXPECT_LE(error.where.offset, bytes.size()) << what;
    // Only what concerns the file as a whole stands at offset 0.
    const bool whole = error.what.find("no module directive") != std::string::npos;
    EXPECT_TRUE(error.where.offset != 0 || whole) << what << ": " << error.what;
  }
}

TEST(BrigMalformed, EveryByteCorrupted) {
  const Bytes good = brig_of(kText);
  ASSERT_FALSE(good.empty());
  ASSERT_EQ(first_error(good), "");
  size_t refused = 0;
  size_t tried = 0;
  for (size_t i = 8; i < good.size(); ++i) {
    for (const unsigned value :
         {0u, 1u, 0x7fu, 0x80u, 0xffu, good[i] + 1u, good[i] - 1u, good[i] ^ 0x10u}) {
      Bytes bad = good;
      bad[i] = static_cast<uint8_t>(value);
      if (bad[i] == good[i]) continue;
      ++tried;
      expect_judged(bad, "byte " + std::to_string(i) + " = " + std::to_string(value));
      if (!first_error(bad).empty()) ++refused;
    }
    if (HasFailure()) return;
  }
  for (size_t i = 0; i < 8; ++i) {  // without its magic number it is taken for text
    Bytes bad = good;
    bad[i] ^= 1;
    EXPECT_NE(first_error(bad), "");
  }
  std::cout << "single bytes: " << tried << " corruptions, " << refused << " refused\n";
}

TEST(BrigMalformed, Truncations) {
  const Bytes good = brig_of(kText);
  for (size_t size = 0; size < good.size(); ++size) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(first_error(cut), "") << size;
  }
  Bytes longer = good;
  longer.resize(good.size() + 16);
  EXPECT_EQ(first_error(longer).substr(0, 8), "m.brig:+");
}

TEST(BrigMalformed, RandomCorruptions) {
  constexpr uint32_t kSeed = 18;
  constexpr size_t kCount = 20000;
  std::mt19937 random(kSeed);
  std::vector<Bytes> seeds;
  for (const char* name : {"saxpy", "reduce", "mixed"}) {
    auto text = base::read_text(testing::kernel_path(name));
    ASSERT_TRUE(text.ok());
    seeds.push_back(brig_of(*text));
  }
  seeds.push_back(brig_of(kText));
  seeds.push_back(*write_brig(parse_text(kText, "elf").module, BrigContainer::kElf32));
  seeds.push_back(*write_brig(parse_text(kText, "elf").module, BrigContainer::kElf64));
  size_t accepted = 0;
  for (size_t n = 0; n < kCount; ++n) {
    Bytes bad = seeds[random() % seeds.size()];
    const size_t changes = 1 + random() % 4;
    for (size_t c = 0; c < changes; ++c) {
      const size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0:
          bad[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          set(&bad, at / 4 * 4, random() % 64 * 4, 4);
          break;
        case 2: {  // a word from elsewhere
          const size_t from = random() % (bad.size() / 4) * 4;
          set(&bad, at / 4 * 4, get(bad, from, 4), 4);
          break;
        }
        default:
          bad[at] ^= static_cast<uint8_t>(1u << random() % 8);
          break;
      }
    }
    if (random() % 50 == 0) bad.resize(random() % bad.size());
    const Outcome outcome = parse_module(bad.data(), bad.size(), "m.brig");
    if (!outcome.ok()) {
      EXPECT_FALSE(outcome.errors[0].what.empty());
      EXPECT_FALSE(outcome.errors[0].id.empty());
      continue;
    }
    ++accepted;
    const std::string problem = testing::brig_problem(outcome.module);
    ASSERT_EQ(problem, "") << "seed " << kSeed << " case " << n;
  }
  std::cout << "random corruptions: " << kCount << ", " << accepted << " still valid\n";
}

TEST(BrigMalformed, WhatAndWhere) {
  const Bytes good = brig_of(kText);
  const size_t data = section_at(good, 0);
  const size_t variable = entry_at(good, 1, 0x100e);
  const size_t kernel = entry_at(good, 1, 0x1008);
  const size_t load = entry_at(good, 1, 0x2008);
  const size_t label = entry_at(good, 1, 0x1009);
  const size_t constant = entry_at(good, 2, 0x3004);
  const size_t address = entry_at(good, 2, 0x3000, 1);
  const struct {
    size_t at, size;
    uint64_t value;
    const char* message;  ///< part of it
    size_t place;
  } cases[] = {
      {8, 4, 2, "BRIG version 2:0 is not supported", 8},
      {12, 4, 3, "BRIG version 1:3 is not supported", 8},
      {16, 8, 32, "byte_count 32 is not valid", 16},
      {16, 8, good.size() + 16, "is not valid, the file has", 16},
      {88, 4, 1, "reserved field of the module header", 88},
      {92, 4, 2, "2 sections, expected at least 3", 92},
      {92, 4, 0x40000000, "the section index", 96},
      {96, 8, 101, "the section index", 96},
      {104, 8, 8, "section 0 at 8", 104},
      {112, 8, data, "wrong name, expected 'hsa_code'", data + 16},
      {data, 8, uint64_t{1} << 40, "the header of section 0", data},
      {data + 8, 4, 18, "header_byte_count 18 is not valid, expected a multiple of 4", data + 8},
      {data + 12, 4, 1000, "the header of section 0", data},
      {data + 16, 1, 'H', "wrong name, expected 'hsa_data'", data + 16},
      {data + 32, 4, 0xfffffff0, "goes beyond its section", data + 32},
      {variable, 2, 30, "byte_count 30", variable},
      {variable, 2, 8, "hsa_brig_directive_variable_t has 8 bytes", variable},
      {variable + 2, 2, 0x1010, "is no kind of entry of hsa_code", variable + 2},
      {variable + 2, 2, 0x3000, "is no kind of entry of hsa_code", variable + 2},
      {variable + 4, 4, 5, "name 5 is not valid, expected the offset of an entry of hsa_data",
       variable + 4},
      {variable + 8, 4, 6, "init 6 is not valid, expected the offset of an entry of hsa_operand",
       variable + 8},
      {variable + 12, 2, 0x1f, "type 31 is not valid, expected a type", variable + 12},
      {variable + 14, 1, 9, "segment 9 is not valid, expected 0 to 8", variable + 14},
      {variable + 15, 1, 10, "align 10 is not valid", variable + 15},
      {variable + 24, 1, 4, "modifier 4 is not valid", variable + 24},
      {variable + 27, 1, 1, "reserved field 1 is not valid", variable + 27},
      {variable + 25, 1, 3, "the linkage is not valid", variable},
      {variable + 26, 1, 3, "the allocation of '&x'", variable},
      {kernel + 8, 2, 1, "are not where its entry says", kernel},
      {kernel + 20, 4, 4, "next_module_entry 4 is not valid", kernel + 20},
      {load + 4, 2, 139, "opcode 139 is not valid", load + 4},
      {load + 12, 1, 3, "is in segment 'kernarg'", load},
      {load + 2, 2, 0x2006, "hsa_ext_brig_inst_image_t: coord_type 256 is not valid", load + 14},
      {label + 2, 2, 0x100c, "list", label + 4},
      {constant + 4, 2, 0x10, "is not the type of a constant", constant},
      {constant + 4, 2, 4, "are no constant of type 'u64'", constant},
      {address + 4, 4, variable - section_at(good, 1) + 4, "symbol", address + 4},
      {address + 4, 4, kernel - section_at(good, 1), "no variable", address},
  };
  for (const auto& c : cases) {
    Bytes bad = good;
    set(&bad, c.at, c.value, c.size);
    const std::string error = first_error(bad);
    char place[32];
    std::snprintf(place, sizeof place, "m.brig:+0x%zx: ", c.place);
    EXPECT_EQ(error.substr(0, std::strlen(place)), place) << error;
    EXPECT_NE(error.find(c.message), std::string::npos) << error << "\nexpected " << c.message;
    // Headers that are wrong give no sections to name.
    const bool header = &c < &cases[14];
    const std::string section = header ? " [" : section_of(good, c.place) + " [";
    EXPECT_NE(error.find(section), std::string::npos) << error << "\nexpected " << section;
    EXPECT_EQ(error.find(" (hsa_") == std::string::npos, header) << error;
  }
}

/// Messages of `validate` for BRIG name the section too, in ELF files with the same offset in it;
/// those for text do not.
TEST(BrigMalformed, RulesOfTheLanguageNameTheSection) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n\tworkitemid_u32 $s0, 7;\n\t"
      "requireddim 9;\n};\n";
  const Outcome parsed = parse_text(text, "t");
  ASSERT_TRUE(parsed.ok());
  const std::vector<base::Error> of_text = validate(parsed.module);
  const Bytes raw = *write_brig(parsed.module);
  for (const auto container : {BrigContainer::kRaw, BrigContainer::kElf32, BrigContainer::kElf64}) {
    const Bytes bytes = *write_brig(parsed.module, container);
    const size_t base = container == BrigContainer::kRaw ? 0 : 64;
    const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
    ASSERT_EQ(outcome.errors.size(), of_text.size());
    ASSERT_FALSE(of_text.empty());
    for (size_t i = 0; i < of_text.size(); ++i) {
      const base::Error& error = outcome.errors[i];
      EXPECT_EQ(error.what, of_text[i].what + section_of(raw, error.where.offset - base));
      EXPECT_EQ(error.what.find(" (hsa_"), error.what.rfind(" (hsa_"));
    }
    const auto loaded = load_module(bytes.data(), bytes.size(), "m.brig");
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().str(), outcome.errors[0].str());
  }
  Bytes bad = raw;
  const size_t code = section_at(bad, 1);
  set(&bad, code + get(bad, code + 8, 4), 2, 2);  // byte_count of the first entry
  const auto read = read_brig(bad.data(), bad.size(), "m.brig");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().str(), first_error(bad));
  EXPECT_NE(read.error().what.find(" (hsa_code+0x20)"), std::string::npos) << read.error().str();
}

/// A literal is no array of one element, which text cannot say either.
TEST(BrigMalformed, ArraysAsLiterals) {
  constexpr uint64_t kU32 = 3, kArray = 1 << 7;
  for (const char* instruction :
       {"workitemid_u32 $s0, 1;", "gridsize_u32 $s0, 1;", "add_u32 $s0, $s1, 1;",
        "unpackcvt_f32_u8x4 $s0, $s1, 1;", "cleardetectexcept_u32 1;"}) {
    Bytes bytes = brig_of("module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n\t" +
                          std::string(instruction) + "\n};\n");
    const size_t constant = entry_at(bytes, 2, 0x3004);
    ASSERT_EQ(get(bytes, constant + 4, 2), kU32) << instruction;
    set(&bytes, constant + 4, kU32 | kArray, 2);
    const std::string error = first_error(bytes);
    EXPECT_NE(error.find("a constant of type 'u32[]' is not valid here, expected type 'u32'"),
              std::string::npos)
        << instruction << ": " << error;
  }
}

/// Text has no empty list of labels, and nothing could be chosen from it (8.1).
TEST(BrigMalformed, ListsToChooseFrom) {
  std::ifstream file(CUVETTE_SOURCE_DIR "/tests/fuzz/corpus/brig/sbr_without_labels.brig",
                     std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(bytes.empty());
  const std::string error = first_error(Bytes(bytes.begin(), bytes.end()));
  EXPECT_NE(error.find("the list is empty"), std::string::npos) << error;
}

/// 18.6.1: where an integer type is wanted, a constant has it or, since 1:1, another of its size.
TEST(BrigMalformed, SignOfIntegerConstants) {
  constexpr uint64_t kU32 = 3, kS32 = 7, kF32 = 10;
  const struct {
    char minor;
    const char* place;
    const char* value;
    uint64_t type;
    bool good;
  } cases[] = {{'0', "u32", "1", kU32, true},   {'0', "u32", "1", kS32, false},
               {'0', "s32", "1", kS32, true},   {'0', "s32", "1", kU32, false},
               {'0', "s32", "-1", kU32, false}, {'1', "u32", "1", kU32, true},
               {'1', "u32", "1", kS32, true},   {'1', "u32", "-1", kS32, true},
               {'1', "u32", "-1", kU32, true},  {'1', "s32", "1", kU32, true},
               {'1', "s32", "1", kS32, true},   {'1', "s32", "-1", kS32, true},
               {'1', "s32", "-1", kU32, true},  {'1', "u32", "1", kF32, false}};
  for (const auto& c : cases) {
    const std::string place = c.place;
    for (const std::string& code :
         {"readonly_" + place + " &v = " + c.value + ";\n",
          "prog kernel &k()\n{\n\tadd_" + place + " $s0, $s1, " + c.value + ";\n};\n"}) {
      Bytes bytes =
          brig_of(std::string("module &m:1:") + c.minor + ":$full:$large:$default;\n" + code);
      ASSERT_FALSE(bytes.empty()) << code;
      set(&bytes, entry_at(bytes, 2, 0x3004) + 4, c.type, 2);
      const std::string error = first_error(bytes), what = code + c.minor + error;
      EXPECT_EQ(error.empty(), c.good) << what;
      if (c.good) {
        expect_judged(bytes, what);
      } else {
        EXPECT_NE(error.find("is not valid here"), std::string::npos) << what;
      }
    }
  }
}

TEST(BrigMalformed, ElfFiles) {
  for (const bool wide : {false, true}) {
    const auto good = *write_brig(parse_text(kText, "t").module,
                                  wide ? BrigContainer::kElf64 : BrigContainer::kElf32);
    EXPECT_TRUE(is_brig(good.data(), good.size()));
    EXPECT_EQ(first_error(good), "");
    for (size_t size = 4; size < good.size(); size += 3) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(first_error(cut), "") << size;
    }
    Bytes other = good;
    const std::string name = ".brig";
    const auto at = std::search(other.begin(), other.end(), name.begin(), name.end());
    *at = 'x';
    EXPECT_FALSE(is_brig(other.data(), other.size()));
    EXPECT_NE(first_error(other).find("the ELF file has no section .brig"), std::string::npos);
    // Offsets count from the start of the ELF file: the module begins at 64.
    Bytes version = good;
    version[64 + 8] = 7;
    EXPECT_EQ(first_error(version).substr(0, 14), "m.brig:+0x48: ");
  }
}

/// 18.5.1.1: a reference to the declaration of something that is defined.
TEST(BrigMalformed, ReferenceToDeclaration) {
  Ledger::cover("BR-215");
  Bytes bytes = brig_of(
      "module &m:1:0:$full:$large:$default;\ndecl prog global_u32 &g;\nprog kernel &k()\n{\n\t"
      "ld_global_u32 $s0, [&g];\n};\nprog global_u32 &g;\n");
  const size_t declaration = entry_at(bytes, 1, 0x100e, 0) - section_at(bytes, 1);
  const size_t definition = entry_at(bytes, 1, 0x100e, 1) - section_at(bytes, 1);
  const size_t address = entry_at(bytes, 2, 0x3000);
  EXPECT_EQ(get(bytes, address + 4, 4), definition);
  set(&bytes, address + 4, declaration, 4);
  EXPECT_NE(first_error(bytes).find("'&g', which is not visible here or has a definition"),
            std::string::npos);
}

std::string kernel(const std::string& statement) {
  return "module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n\t" + statement + "\n};\n";
}

/// `bytes` is refused at `place` with that rule.
void expect_refused(const Bytes& bytes, const char* id, size_t place, const std::string& what) {
  const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
  ASSERT_FALSE(outcome.ok()) << what;
  EXPECT_EQ(outcome.errors[0].id, id) << what << outcome.errors[0].str();
  EXPECT_EQ(outcome.errors[0].where.offset, place) << what << outcome.errors[0].str();
}

/// 18.7.1: which opcodes have the form MOD; 18.3.23: its rounding where none is asked for.
TEST(BrigMalformed, FormWithModifiers) {
  constexpr unsigned kBasic = 0x2002, kMod = 0x200a, kRoundAt = 13;
  constexpr uint64_t kModBytes = 16;
  const struct {
    const char* instruction;
    bool none, standard;  ///< whether that rounding is valid
  } cases[] = {
      {"ret;", false, false},
      {"nop;", false, false},
      {"rem_u32 $s0, $s1, $s2;", false, false},
      {"and_b32 $s0, $s1, $s2;", false, false},
      {"nsqrt_f32 $s0, $s1;", false, false},
      {"add_u32 $s0, $s1, $s2;", true, false},
      {"div_u32 $s0, $s1, $s2;", true, false},
      {"abs_s64 $d0, $d1;", true, false},
      {"max_f32 $s0, $s1, $s2;", true, false},
      {"ceil_f64 $d0, $d1;", true, false},
      {"copysign_f32 $s0, $s1, $s2;", true, false},
      {"add_f32 $s0, $s1, $s2;", false, true},
      {"div_f64 $d0, $d1, $d2;", false, true},
      {"mad_f16 $s0, $s1, $s2, $s3;", false, true},
  };
  for (const auto& c : cases) {
    const Bytes good = brig_of(kernel(c.instruction));
    // The words behind the short form are those of a pad, which the long form takes.
    Bytes bytes = brig_of(kernel(std::string(c.instruction) + "\npad 0;"));
    const size_t at = entry_at(bytes, 1, kBasic);
    set(&bytes, at, kModBytes, 2);
    set(&bytes, at + 2, kMod, 2);
    set(&bytes, at + 12, 0, 4);
    for (const bool standard : {false, true}) {
      const std::string what = c.instruction + std::string(standard ? " default" : " none");
      set(&bytes, at + kRoundAt, standard ? 1 : 0, 1);
      if (!(standard ? c.standard : c.none)) {
        expect_refused(bytes, "brig-instruction", at, what);
        continue;
      }
      const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
      ASSERT_TRUE(outcome.ok()) << what << outcome.errors[0].str();
      EXPECT_EQ(*write_brig(outcome.module), good) << what;
    }
  }
}

/// Table 4-1, 18.6.1: handles initialise variables of their own type only.
TEST(BrigMalformed, HandlesInBitTypes) {
  constexpr uint64_t kB64 = number(Type::kB64);
  for (const char* handle :
       {"readonly_samp &v = samp(coord = normalized, filter = linear, addressing = repeat);\n",
        "readonly_roimg &v = roimg(geometry = 1d, width = 4, channel_type = unorm_int8, "
        "channel_order = r);\n",
        "readonly_sig64 &v = sig64(0);\n"}) {
    Bytes bytes = brig_of("module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n" +
                          std::string(handle));
    ASSERT_EQ(first_error(bytes), "") << handle;
    const size_t variable = entry_at(bytes, 1, 0x100e);
    set(&bytes, variable + 12, kB64, 2);
    expect_refused(bytes, "initialiser-type", variable, handle);
  }
}

/// 18.6.2: the offset of a 32-bit address has no high word.
TEST(BrigMalformed, OffsetsOf32BitAddresses) {
  const struct {
    const char* model;
    const char* load;
    bool narrow;
  } cases[] = {{"large", "ld_group_u32 $s0, [%g];", true},
               {"large", "ld_private_u32 $s0, [$s1+4];", true},
               {"large", "ld_group_u32 $s0, [$s1-4];", true},
               {"large", "atomic_ld_group_rlx_wg_b32 $s0, [0];", true},
               {"large", "lda_group_u32 $s0, [%g];", true},
               {"large", "ld_global_u32 $s0, [$d1+4];", false},
               {"small", "ld_global_u32 $s0, [$s1+4];", true}};
  for (const auto& c : cases) {
    Bytes bytes =
        brig_of("module &m:1:0:$full:$" + std::string(c.model) +
                ":$default;\nprog kernel &k()\n{\n\tgroup_u32 %g;\n\t" + c.load + "\n};\n");
    ASSERT_EQ(first_error(bytes), "") << c.load;
    const size_t high = entry_at(bytes, 2, 0x3000) + 16;
    ASSERT_EQ(get(bytes, high, 4), 0u) << c.load;
    set(&bytes, high, 1, 4);
    if (c.narrow) {
      expect_refused(bytes, "brig-field", high, c.load);
    } else {
      expect_judged(bytes, c.load);
      EXPECT_EQ(first_error(bytes), "");
    }
  }
}

/// 18.2: what stands between the parts of a module, and behind the last one, is 0.
TEST(BrigMalformed, PaddingBetweenSections) {
  size_t gaps = 0;
  for (const char* name : {"&m", "&mo", "&mod", "&modu", "&modul", "&module_of_that_name"}) {
    const Bytes good = brig_of("module " + std::string(name) +
                               ":1:0:$full:$large:$default;\nglobal_u8 &g;\nglobal_u8 &h;\n");
    for (size_t i = 0; i < 3; ++i) {
      const size_t end = section_at(good, i) + get(good, section_at(good, i), 8);
      const size_t next = i < 2 ? section_at(good, i + 1) : good.size();
      for (size_t at = end; at < next; ++at, ++gaps) {
        Bytes bad = good;
        bad[at] = 0x5a;
        expect_refused(bad, "brig-field", at, name);
      }
    }
    Bytes longer = good;
    longer.resize(good.size() + 16);
    set(&longer, 16, longer.size(), 8);
    EXPECT_EQ(first_error(longer), "");
    longer.back() = 1;
    expect_refused(longer, "brig-field", longer.size() - 1, name);
  }
  EXPECT_GT(gaps, 40u);
}

/// 18.6.8: elements that are all numbers are one string of bytes.
TEST(BrigMalformed, ListsOfNumbers) {
  Bytes bytes = brig_of(
      "module &m:1:2:$full:$large:$default;\nglobal_u64 &g = 1;\n"
      "global_u64 &a[2] = u64[](addr(&g), 2);\n");
  const size_t number = entry_at(bytes, 2, 0x3004) - section_at(bytes, 2);
  const size_t list = entry_at(bytes, 2, 0x3007);
  ASSERT_EQ(first_error(bytes), "");
  set(&bytes, section_at(bytes, 0) + get(bytes, list + 8, 4) + 4, number, 4);
  expect_refused(bytes, "brig-operand", list, "array");
}

}  // namespace
}  // namespace cuvette::hsail
