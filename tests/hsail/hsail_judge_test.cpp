// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The language against machines (decisions.md D71), what versions of HSAIL have (D62), null
// signal handles (D72), vendor extensions (D73), and numbers beyond the range of their type.
#include "brig_bytes.h"
#include "brig_support.h"
#include "hsail/warnings.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::brig_of;
using testing::Bytes;
using testing::get;
using testing::section_at;
using testing::set;

std::string module_text(const std::string& text, const char* version = "1:1",
                        const char* profile = "full") {
  return std::string("module &m:") + version + ":$" + profile + ":$large:$default;\n" + text;
}
/// The first line of `body` is line 4, behind as many as `before` has.
std::string kernel_text(const std::string& body, const std::string& before = "",
                        const char* version = "1:1", const char* profile = "full") {
  return module_text(before + "prog kernel &k()\n{\n" + body + "\n};\n", version, profile);
}

Outcome judged_text(const Bytes& bytes, Rules by) {
  return parse_module(bytes.data(), bytes.size(), "t", by);
}
Outcome judged_text(const std::string& text, Rules by = Rules::kMachine) {
  return judged_text(Bytes(text.begin(), text.end()), by);
}
std::string first_error(const Outcome& outcome) {
  return outcome.ok() ? "accepted" : outcome.errors[0].str();
}

struct MachineCase {
  const char* id;
  std::string text;
  uint32_t line, column;
};

const std::string kImageModule = "extension \"IMAGE\";\n";
std::string image(const std::string& sizes, const std::string& channel, const std::string& order) {
  return kImageModule + "readonly_roimg &x = roimg(geometry = 2d, " + sizes +
         ", channel_type = " + channel + ", channel_order = " + order + ");\n";
}

/// All cases that D71 names. hsail_asm_refused_test checks that HSAILasm takes them, too.
std::vector<MachineCase> machine_cases() {
  return {
      // Sizes.
      {"limit", module_text("global_u8 &x[1073741825];\n"), 2, 1},
      {"limit", module_text("group_u64 &x[4294967296];\n"), 2, 1},
      {"limit", module_text("prog kernel &k(kernarg_u8 %a[4294967296])\n{\n};\n"), 2, 16},
      {"limit", kernel_text("private_u8 %x[4294967296];"), 4, 1},
      {"limit", module_text("global_b8 &x[] = {u8(1), zero(1073741825)};\n"), 2, 1},
      // Images: order and type that no table has, sizes of more than 32 bits.
      {"image-constant", module_text(image("width = 4, height = 4", "float", "srgb")), 3, 1},
      {"image-constant", module_text(image("width = 4, height = 4", "unorm_int24", "r")), 3, 1},
      {"image-constant", module_text(image("width = 4294967296, height = 4", "float", "r")), 3, 1},
      // Control directives, of one code block and along calls.
      {"control-conflict", kernel_text("requireddim 1;\nrequireddim 2;"), 5, 1},
      {"control-conflict", kernel_text("requireddim 1;\nrequiredgridsize 10, 10, 1;"), 5, 1},
      {"control-conflict", kernel_text("maxflatgridsize 10;\nmaxflatgridsize 20;"), 5, 1},
      {"control-kernel",
       kernel_text("{\ncall &f()();\n}", "function &f()()\n{\nrequirenopartialworkgroups;\n};\n"),
       4, 1},
      // Exception policies of the base profile.
      {"base-profile", kernel_text("enablebreakexceptions 1;", "", "1:1", "base"), 4, 1},
      {"base-profile", kernel_text("enabledetectexceptions 31;", "", "1:1", "base"), 4, 1},
      // Extensions, which the finalizer has or not (13.1).
      {"extension-name", module_text("extension \"foo:bar\":0:1;\n"), 2, 1},
      {"extension-version", module_text("extension \"IMAGE\":2:0;\n"), 2, 1},
      // 9.2.2: WAVESIZE is the machine's.
      {"fbarrier-width", kernel_text("fbarrier %b;\nwaitfbar_width(32) %b;"), 5, 1},
      // Addresses where only the finalizer knows what lies (4.3.10).
      {"address-unnamed", kernel_text("ld_spill_u32 $s0, [$s1];"), 4, 19},
      {"address-unnamed", kernel_text("st_spill_u32 $s0, [$s1+4];"), 4, 19},
      {"address-unnamed", kernel_text("ld_arg_u32 $s0, [8];"), 4, 17},
      {"address-unnamed", kernel_text("st_arg_u32 $s0, [$s1];"), 4, 17},
  };
}

TEST(Judge, LanguageTakesWhatMachinesRefuse) {
  for (const MachineCase& c : machine_cases()) {
    SCOPED_TRACE(c.text);
    const Outcome language = judged_text(c.text, Rules::kLanguage);
    ASSERT_TRUE(language.ok()) << first_error(language);
    ASSERT_EQ(language.warnings.size(), 1u);
    EXPECT_EQ(language.warnings[0].id, c.id) << language.warnings[0].str();
    EXPECT_EQ(language.warnings[0].where.line, c.line) << language.warnings[0].str();
    EXPECT_EQ(language.warnings[0].where.column, c.column) << language.warnings[0].str();
    const Outcome machine = judged_text(c.text);
    ASSERT_EQ(machine.errors.size(), 1u);
    EXPECT_EQ(machine.errors[0].str(), language.warnings[0].str());
    EXPECT_TRUE(machine.warnings.empty());
    // An accepted module is written, read and printed like all others.
    const auto brig = write_brig(language.module);
    ASSERT_TRUE(brig.ok()) << brig.error().str();
    const Outcome read = judged_text(*brig, Rules::kLanguage);
    ASSERT_TRUE(read.ok()) << first_error(read);
    ASSERT_EQ(read.warnings.size(), 1u);
    EXPECT_EQ(read.warnings[0].id, c.id);
    EXPECT_NE(read.warnings[0].where.offset, 0u);
    EXPECT_FALSE(judged_text(*brig, Rules::kMachine).ok());
    const auto again = write_brig(judged_text(print(read.module), Rules::kLanguage).module);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *brig);
  }
}

TEST(Judge, LanguageIsStrictBesideThat) {
  // 4.10: the initialiser is wrong, whatever the machine thinks of its image.
  const std::string text = module_text(kImageModule +
                                       "global_roimg &x = roimg(geometry = 2d, width = 4, "
                                       "height = 4, channel_type = float, channel_order = "
                                       "srgb);\n");
  const Outcome outcome = judged_text(text, Rules::kLanguage);
  ASSERT_EQ(outcome.errors.size(), 1u);
  EXPECT_EQ(outcome.errors[0].id, "initialiser-agent");
  for (const char* wrong :
       {"requireddim 4;", "requiredworkgroupsize 0, 1, 1;", "ld_spill_u32 $d0, [$s1];"}) {
    EXPECT_FALSE(judged_text(kernel_text(wrong), Rules::kLanguage).ok()) << wrong;
  }
  // 2^64 bytes fit into no address space.
  EXPECT_EQ(judged_text(module_text("global_u64 &x[2305843009213693952];\n"), Rules::kLanguage)
                .errors[0]
                .id,
            "array-size");
  // 7.1.7: a depth image has a depth order, and no other image has.
  const std::string depth = module_text(image("width = 4, height = 4", "unorm_int16", "depth"));
  EXPECT_EQ(judged_text(depth, Rules::kLanguage).errors[0].id, "image-constant");
}

// --- Versions ---

TEST(Judge, QueriesOf64Bits) {
  for (const char* query : {"workitemabsid_u64 $d0, 0;", "gridsize_u64 $d0, 2;"}) {
    for (const char* version : {"1:0", "1:1"}) {
      const Outcome outcome = judged_text(kernel_text(query, "", version));
      ASSERT_TRUE(outcome.ok()) << first_error(outcome);
      EXPECT_EQ(testing::brig_problem(outcome.module), "");
    }
    const Outcome refused = judged_text(kernel_text(query, "", "1:2"));
    ASSERT_EQ(refused.errors.size(), 1u) << query;
    EXPECT_EQ(refused.errors[0].id, "type-not-legal");
    EXPECT_NE(refused.errors[0].what.find("HSAIL 1:2"), std::string::npos);
    // BRIG that says it is of 1:2.
    Bytes brig = brig_of(kernel_text(query, "", "1:1"));
    set(&brig, 12, 2, 4);
    set(&brig, testing::entry_at(brig, 1, 0x100b) + 12, 2, 4);
    const Outcome in_brig = judged_text(brig, Rules::kMachine);
    ASSERT_FALSE(in_brig.ok());
    EXPECT_EQ(in_brig.errors[0].id, "type-not-legal") << in_brig.errors[0].str();
  }
  for (const char* other : {"workitemid_u64 $d0, 0;", "workgroupsize_u64 $d0, 0;",
                            "gridgroups_u64 $d0, 0;", "workgroupid_u64 $d0, 0;"}) {
    EXPECT_FALSE(judged_text(kernel_text(other, "", "1:0")).ok()) << other;
  }
}

TEST(Judge, PragmasWithoutName) {
  for (const char* operands :
       {"1", "&k", "@l", "$s0", "WAVESIZE, \"a\"", "1.0f", "u32[](1, 2)", "-1, $c1"}) {
    const std::string body = "pragma " + std::string(operands) + ";\n@l:";
    for (const char* version : {"1:0", "1:1"}) {
      const Outcome outcome = judged_text(kernel_text(body, "", version));
      ASSERT_TRUE(outcome.ok()) << body << first_error(outcome);
      EXPECT_EQ(testing::brig_problem(outcome.module), "") << body;
    }
    const Outcome refused = judged_text(kernel_text(body, "", "1:2"));
    ASSERT_FALSE(refused.ok()) << body;
    EXPECT_EQ(refused.errors[0].where.line, 4u);
    EXPECT_EQ(refused.errors[0].where.column, 8u);
  }
  EXPECT_FALSE(judged_text(module_text("pragma ;\n", "1:0")).ok());
}

// --- Null signal handles ---

TEST(Judge, NullSignalHandles) {
  for (const char* body :
       {"st_global_sig64 sig64(0), [$d0];", "mov_sig64 $d0, sig64(0);",
        "st_v2_global_sig64 (sig64(0), $d1), [$d0];", "st_private_sig64 sig64(0), [$s0];"}) {
    const Outcome outcome = judged_text(kernel_text(body));
    ASSERT_TRUE(outcome.ok()) << body << first_error(outcome);
    EXPECT_EQ(testing::brig_problem(outcome.module), "") << body;
  }
  const std::string small =
      "module &m:1:1:$full:$small:$default;\nprog kernel &k()\n{\n"
      "st_global_sig32 sig32(0), [$s0];\n};\n";
  EXPECT_EQ(first_error(judged_text(small)), "accepted");
  // 4.8.5: no number, and no handle for another type; 6.8: the signal that is used is a register.
  for (const char* body :
       {"st_global_sig64 0, [$d0];", "st_global_sig64 sig64(1), [$d0];",
        "st_global_u64 sig64(0), [$d0];", "mov_b64 $d0, sig64(0);",
        "st_global_sig64 WAVESIZE, [$d0];", "signal_ld_rlx_b64_sig64 $d0, sig64(0);",
        "signalnoret_st_rlx_b64_sig64 sig64(0), 1;", "st_global_sig32 sig32(0), [$d0];"}) {
    EXPECT_FALSE(judged_text(kernel_text(body)).ok()) << body;
  }
}

// --- Vendor extensions ---

TEST(Judge, VendorInstructions) {
  const std::string declared = "extension \"amd:gcn\";\n";
  const std::string undeclared = " 'extension \"amd:gcn\";' before the first module statement";
  const std::string mipmaps = "extension \"IMAGE\";\nextension \"amd:mipmap\";\n";
  const auto only = [](const std::string& text) {
    const Outcome outcome = judged_text(text);
    EXPECT_EQ(outcome.errors.size(), 1u) << text;
    return outcome.errors.empty() ? "" : outcome.errors[0].what;
  };
  EXPECT_TRUE(judged_text(kernel_text("amd_gcn_min_f32 $s0, $s1, $s2;", declared)).ok());
  EXPECT_EQ(only(kernel_text("amd_gcn_min3_f32 $s0, $s1, $s2, $s3;")),
            "'amd_gcn_min3_f32' needs" + undeclared);
  EXPECT_EQ(only(kernel_text("gcn_min3_f32 $s0, $s1, $s2, $s3;", declared)),
            "'gcn_min3_f32' is an old spelling, expected 'amd_gcn_min3_f32'");
  EXPECT_EQ(only(kernel_text("gcn_min3_f32 $s0, $s1, $s2, $s3;")),
            "'gcn_min3_f32' is an old spelling, expected 'amd_gcn_min3_f32', and" + undeclared);
  EXPECT_EQ(only(kernel_text("amd_gcn_foo_u32 $s0;", declared)),
            "unknown instruction 'amd_gcn_foo_u32'; extension \"amd:gcn\" has no such instruction");
  const std::string query = "mipmap_queryimage_2d_nummiplevels_u32_roimg";
  EXPECT_TRUE(judged_text(kernel_text("amd_" + query + " $s0, $d1;", mipmaps)).ok());
  EXPECT_EQ(
      only(kernel_text("amd_" + query + " $s0, $d1;", kImageModule)),
      "'amd_" + query + "' needs 'extension \"amd:mipmap\";' before the first module statement");
  EXPECT_EQ(only(kernel_text(query + " $s0, $d1;", mipmaps)),
            "'" + query + "' is an old spelling, expected 'amd_" + query + "'");
  EXPECT_EQ(only(kernel_text(query + " $s0, $d1;", kImageModule)),
            "'" + query + "' is an old spelling, expected 'amd_" + query +
                "', and 'extension \"amd:mipmap\";' before the first module statement");
  EXPECT_EQ(only(kernel_text("amd_" + query + " $s0, $d1;", "extension \"amd:mipmap\";\n")),
            "type 'roimg' needs the extension \"IMAGE\"");
  EXPECT_EQ(only(kernel_text("queryimage_2d_nummiplevels_u32_roimg $s0, $d1;", mipmaps)),
            "expected an image property (width, height, depth, array, channelorder, channeltype)");
  EXPECT_EQ(only(kernel_text("xyz:max3_f32 $s0, $s1, $s2, $s3;", "extension \"xyz:newext\";\n")),
            "unknown instruction 'xyz:max3_f32'; the instructions of extension \"xyz:newext\" are "
            "not supported");
  // One message, however many there are; what else is wrong is told.
  for (const char* statements : {"amd_gcn_sleep_u32 1;\namd_gcn_bfm_b32 $s0, $s1, $s2;\n",
                                 "gcn_sleep_u32 1;\ngcn_max_f32 $s0, $s1, $s2;\n"}) {
    const Outcome many = judged_text(kernel_text(statements + std::string("add_u32 $d0, $s0, 1")));
    ASSERT_EQ(many.errors.size(), 2u);
    EXPECT_EQ(many.errors[0].where.line, 4u);
    EXPECT_EQ(many.errors[1].where.line, 6u + 1u);
  }
}

TEST(Judge, VendorInstructionsInBrig) {
  const std::string text =
      kernel_text("nop;", "extension \"amd:gcn\";\nextension \"amd:mipmap\";\n");
  Bytes brig = brig_of(text);
  const size_t at = testing::entry_at(brig, 1, 0x2002) + 4;
  const auto with = [&](uint64_t opcode) {
    set(&brig, at, opcode, 2);
    const Outcome outcome = judged_text(brig, Rules::kMachine);
    EXPECT_EQ(outcome.errors.size(), 1u);
    return outcome.errors[0].what;
  };
  // BRIG of nop has no type.
  EXPECT_NE(with(0x8003).find("type '' is not valid for 'amd_gcn_min3'"), std::string::npos)
      << with(0x8003);
  EXPECT_NE(with(0x8023).find("property 'width' is not valid for 'amd_mipmap_queryimage'"),
            std::string::npos)
      << with(0x8023);
  EXPECT_NE(with(0x8024).find("is not valid, expected 0 to 138"), std::string::npos);
  // One message where the module does not declare the extension.
  Bytes undeclared = brig_of(
      kernel_text("amd_gcn_sleep_u32 1;\namd_gcn_sleep_u32 2;", "extension \"amd:gcn\";\n"));
  const std::string name = "amd:gcn";
  const auto found = std::search(undeclared.begin(), undeclared.end(), name.begin(), name.end());
  ASSERT_NE(found, undeclared.end());
  std::copy_n("xyz:gcn", 7, found);
  const Outcome outcome = judged_text(undeclared, Rules::kLanguage);
  ASSERT_EQ(outcome.errors.size(), 1u);
  EXPECT_EQ(outcome.errors[0].id, "gcn-extension");
  Bytes mipmap = brig_of(kernel_text("amd_mipmap_queryimage_2d_nummiplevels_u32_roimg $s0, $d1;",
                                     kImageModule + "extension \"amd:mipmap\";\n"));
  const std::string other = "amd:mipmap";
  const auto place = std::search(mipmap.begin(), mipmap.end(), other.begin(), other.end());
  ASSERT_NE(place, mipmap.end());
  std::copy_n("xyz", 3, place);
  const Outcome without = judged_text(mipmap, Rules::kLanguage);
  ASSERT_EQ(without.errors.size(), 1u);
  EXPECT_EQ(without.errors[0].id, "mipmap-extension");
}

// --- Sections ---

/// 18.3.25: sizes of sections are multiples of 4, those of debuggers, too.
TEST(Judge, SectionsOfDebuggers) {
  Brig brig;
  brig.module = judged_text(kernel_text("ret;")).module;
  std::vector<uint8_t> bytes(32 + 12, 0x5a);
  set(&bytes, 0, bytes.size(), 8);
  set(&bytes, 8, 32, 4);
  set(&bytes, 12, 9, 4);
  const std::string name = "hsa_debug";
  std::copy(name.begin(), name.end(), bytes.begin() + 16);
  std::fill(bytes.begin() + 25, bytes.begin() + 32, uint8_t{0});
  brig.sections.push_back({name, bytes});
  const auto good = write_brig(brig, BrigContainer::kRaw);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(first_error(judged_text(*good, Rules::kMachine)), "accepted");
  const size_t at = section_at(*good, 3);
  ASSERT_EQ(get(*good, at, 8), bytes.size());
  const auto with = [&](size_t offset, uint64_t value, size_t size) {
    Bytes broken = *good;
    set(&broken, at + offset, value, size);
    const Outcome outcome = judged_text(broken, Rules::kMachine);
    EXPECT_EQ(outcome.errors.size(), 1u);
    EXPECT_EQ(outcome.errors[0].id, "brig-section");
    EXPECT_EQ(outcome.errors[0].where.offset, at + offset);
    return outcome.errors[0].what;
  };
  EXPECT_EQ(with(0, 43, 8),
            "section 3 'hsa_debug': byte_count 43 is not valid, expected a multiple of 4");
  EXPECT_EQ(with(8, 30, 4),
            "section 3 'hsa_debug': header_byte_count 30 is not valid, expected a multiple of 4");
}

// --- Numbers ---

struct RangeCase {
  const char* literal;
  Type type;
  uint64_t bits;
  bool told;
};

/// 4.8.2: nearest even of 4.19.2, which makes infinities and zeros; bits by hand.
TEST(Judge, FloatsBeyondTheirRange) {
  const std::string nines(400, '9');
  const std::string huge = nines + ".0";
  const RangeCase cases[] = {
      {huge.c_str(), Type::kF64, 0x7ff0000000000000, true},
      {".1e40F", Type::kF32, 0x7f800000, true},
      {"3.4028235e38f", Type::kF32, 0x7f7fffff, false},
      {"3.4028236e38f", Type::kF32, 0x7f800000, true},
      {"65519.9h", Type::kF16, 0x7bff, false},
      {"65520.0h", Type::kF16, 0x7c00, true},
      {"1.0e309", Type::kF64, 0x7ff0000000000000, true},
      {"0x1.8p+2147483648", Type::kF64, 0x7ff0000000000000, true},
      {"0x1.8p+99999999999999999999", Type::kF64, 0x7ff0000000000000, true},
      {"0x1.fffffffffffffp+1023", Type::kF64, 0x7fefffffffffffff, false},
      {"0x1.0p+128f", Type::kF32, 0x7f800000, true},
      {"-0x1.0p+16h", Type::kF16, 0xfc00, true},
      {"1.0e-46f", Type::kF32, 0, true},
      {"-1.0e-46f", Type::kF32, 0x80000000, true},
      {"1.0e-40f", Type::kF32, 0x116c2, false},
      {"0x1.0p-1075", Type::kF64, 0, true},
      {"0x1.8p-1075", Type::kF64, 1, false},
      {"0x1.0p-2147483649", Type::kF64, 0, true},
      {"0.0e99999999999", Type::kF64, 0, false},
      {"0x0.0p+99999999999", Type::kF64, 0, false},
      {"0f7f800000", Type::kF32, 0x7f800000, false},
      {"0d0000000000000000", Type::kF64, 0, false},
  };
  for (const RangeCase& c : cases) {
    const std::string type(name(c.type));
    const Outcome outcome =
        judged_text(kernel_text("st_global_" + type + " " + c.literal + ", [$d0];"));
    ASSERT_TRUE(outcome.ok()) << c.literal << first_error(outcome);
    EXPECT_EQ(outcome.warnings.size(), c.told ? 1u : 0u) << c.literal;
    for (const base::Error& w : outcome.warnings) {
      EXPECT_EQ(w.id, "constant-range");
      EXPECT_EQ(w.where.line, 4u);
      EXPECT_EQ(w.where.column, 12 + type.size()) << w.str();
    }
    bool found = false;
    for (const CodeEntry& e : outcome.module.code) {
      const auto* const inst = std::get_if<Inst>(&e.body);
      if (inst == nullptr) continue;
      EXPECT_EQ(outcome.module.constant(inst->operands[0]), c.bits) << c.literal;
      found = true;
    }
    EXPECT_TRUE(found);
  }
  // In every place that has a number.
  for (const char* text :
       {"global_f32 &x = 1.0e60f;\n", "global_f32 &x[2] = f32[](1.0f, 1.0e60f);\n",
        "global_b8 &x[] = {f32(1.0e60f)};\n", "pragma \"a\", 1.0e60f;\n",
        "global_f16x2 &x = f16x2(1.0h, 1.0e9h);\n"}) {
    const Outcome outcome = judged_text(module_text(text));
    ASSERT_TRUE(outcome.ok()) << text << first_error(outcome);
    EXPECT_EQ(outcome.warnings.size(), 1u) << text;
  }
}

/// 7.1.9: what is loaded as a handle of an image or sampler came from a variable of that type.
TEST(Judge, HandlesOfOtherVariables) {
  const auto warned = [](const std::string& body, const std::string& before) {
    const Outcome outcome = judged_text(kernel_text(body, kImageModule + before));
    EXPECT_TRUE(outcome.ok()) << first_error(outcome);
    std::string all;
    for (const base::Error& w : find_warnings(outcome.module))
      if (w.id == "handle-type")
        all += std::to_string(w.where.line) + ":" + std::to_string(w.where.column) + " ";
    return all;
  };
  for (const char* type : {"rwimg", "roimg", "woimg", "samp"}) {
    const std::string load = "ld_global_" + std::string(type) + " $d0, [&x];";
    EXPECT_EQ(warned(load, "global_b8 &x[64];\n"), type[0] == 's' ? "6:21 " : "6:22 ");
    EXPECT_EQ(warned(load, "global_" + std::string(type) + " &x;\n"), "");
  }
  EXPECT_EQ(warned("ld_global_sig64 $d0, [&x];", "global_b8 &x[64];\n"), "");
}

}  // namespace
}  // namespace cuvette::hsail
