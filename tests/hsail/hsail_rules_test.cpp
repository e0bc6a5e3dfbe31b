// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rules of the language for memory, calls and dispatches, on the interpreter.
#include "hsa/image.h"
#include "hsail_case.h"

namespace cuvette::hsail {
namespace {

using testing::Kernarg;
using testing::Ledger;
using testing::TestMemory;

constexpr const char* kRulesModule = "module &m:1:0:$full:$large:$default;\n";

struct Shape {
  uint32_t grid = 1;
  uint32_t group = 1;
  uint64_t dynamic_group = 0;
};

/// The words that kernel &k(kernarg_u64 %out) leaves; each work-item has its own at $d0.
std::vector<uint32_t> words(const std::string& before, const std::string& body, Shape shape = {},
                            const std::string& header = kRulesModule) {
  const std::string text =
      header + before + "prog kernel &k(kernarg_u64 %out)\n{\n" + body + "\n};\n";
  const auto module = load_text(text, "rules.hsail");
  EXPECT_TRUE(module.ok()) << text << (module.ok() ? "" : module.error().str());
  if (!module.ok()) return std::vector<uint32_t>(shape.grid);
  TestMemory memory;
  const uint64_t out = memory.add(4 * shape.grid);
  Dispatch d =
      testing::dispatch(*module, "&k", {shape.grid, 1, 1}, {shape.group, 1, 1}, Kernarg().add(out));
  d.dynamic_group_bytes = shape.dynamic_group;
  VariableAddresses addresses;
  for (const ModuleVariable& v : module_variables(*module)) {
    std::vector<uint8_t> bytes(v.initial.begin(), v.initial.end());
    bytes.resize(v.bytes);
    addresses[v.variable] = memory.add_values(bytes);
  }
  Machine machine(*module, memory, addresses);
  const auto status = machine.run(d);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().str());
  EXPECT_TRUE(machine.undefined_uses().empty());
  return memory.values<uint32_t>(out);
}

/// Work-item in $s0, its address in $d0.
const std::string kItem =
    "\tld_kernarg_u64 $d0, [%out];\n\tworkitemabsid_u32 $s0, 0;\n\tshl_u32 $s1, $s0, 2;\n"
    "\tcvt_u64_u32 $d1, $s1;\n\tadd_u64 $d0, $d0, $d1;\n";

/// The same private address is other storage in each work-item, the same group address in each
/// work-group (2.8.2).
TEST(Rules, StorageOfWorkItemsAndGroups) {
  const auto out = words(
      "group_u32 &g;\n",
      "\tprivate_u32 %p;\n" + kItem +
          "\tst_private_u32 $s0, [%p];\n\tworkgroupid_u32 $s2, 0;\n\tst_group_u32 $s2, [&g];\n"
          "\tbarrier;\n\tld_private_u32 $s3, [%p];\n\tld_group_u32 $s4, [&g];\n"
          "\tmad_u32 $s3, $s4, 1000, $s3;\n\tlda_private_u32 $s5, [%p];\n"
          "\tlda_group_u32 $s6, [&g];\n\tmad_u32 $s3, $s5, 100000, $s3;\n"
          "\tmad_u32 $s3, $s6, 100000, $s3;\n\tst_global_u32 $s3, [$d0];",
      {16, 4});
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], out[0] + i / 4 * 1000 + i) << i;
  if (!HasFailure()) Ledger::cover("HL-025 HL-029");
}

/// A flat address leads to group, private or global memory, and back; a global one is its own flat
/// address (2.8.3).
TEST(Rules, FlatAddresses) {
  const auto out = words(
      "group_u32 &g[2];\nglobal_u32 &v = 5;\n",
      "\tprivate_u32 %p[2];\n" + kItem +
          "\tlda_group_u32 $s2, [&g][4];\n\tstof_group_u64_u32 $d2, $s2;\n\tst_u32 11, [$d2];\n"
          "\tlda_private_u32 $s3, [%p][4];\n\tstof_private_u64_u32 $d3, $s3;\n"
          "\tst_u32 200, [$d3];\n\tlda_global_u64 $d4, [&v];\n\tld_u32 $s4, [$d4];\n"
          "\tmul_u32 $s4, $s4, 1000;\n\tld_group_u32 $s5, [&g][4];\n\tadd_u32 $s4, $s4, $s5;\n"
          "\tld_private_u32 $s5, [%p][4];\n\tadd_u32 $s4, $s4, $s5;\n"
          "\tftos_group_u32_u64 $s6, $d2;\n\tcmp_eq_u32_u32 $s6, $s6, $s2;\n"
          "\tftos_private_u32_u64 $s7, $d3;\n\tcmp_eq_u32_u32 $s7, $s7, $s3;\n"
          "\tand_b32 $s6, $s6, $s7;\n\tand_b32 $s4, $s4, $s6;\n\tst_u32 $s4, [$d0];");
  EXPECT_EQ(out[0], 5211u);
  if (!HasFailure()) Ledger::cover("HL-026 HL-027 HL-030");
}

/// Loads and stores work at any address (6.1.3).
TEST(Rules, UnalignedAccess) {
  const auto out = words("global_b8 &v[16] = {u64(0x0807060504030201), u64(0x100f0e0d0c0b0a09)};\n",
                         kItem +
                             "\tlda_global_u64 $d2, [&v];\n\tld_global_u32 $s2, [$d2+3];\n"
                             "\tst_global_u32 0x44332211, [$d2+5];\n\tld_global_u16 $s3, [$d2+7];\n"
                             "\tadd_u32 $s2, $s2, $s3;\n\tst_global_u32 $s2, [$d0];");
  EXPECT_EQ(out[0], 0x07060504u + 0x4433u);
  if (!HasFailure()) Ledger::cover("HL-192");
}

/// Registers keep their values over a call, and each activation has variables of its own (4.7,
/// 4.11).
TEST(Rules, CallsKeepRegistersAndVariables) {
  const std::string function =
      "function &sum(arg_u32 %r)(arg_u32 %n)\n{\n\tprivate_u32 %mine;\n\tspill_u32 %kept;\n"
      "\tld_arg_u32 $s0, [%n];\n\tst_private_u32 $s0, [%mine];\n\tst_spill_u32 $s0, [%kept];\n"
      "\tcmp_eq_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @none;\n\tsub_u32 $s1, $s0, 1;\n\t{\n"
      "\t\targ_u32 %r2;\n\t\targ_u32 %n2;\n\t\tst_arg_u32 $s1, [%n2];\n\t\tcall &sum(%r2)(%n2);\n"
      "\t\tld_arg_u32 $s2, [%r2];\n\t}\n\tld_private_u32 $s3, [%mine];\n"
      "\tld_spill_u32 $s4, [%kept];\n\tcmp_ne_b1_u32 $c1, $s3, $s4;\n\tcmov_b32 $s3, $c1, 10000, "
      "$s3;\n\tcmp_ne_b1_u32 $c1, $s3, $s0;\n\tcmov_b32 $s3, $c1, 10000, $s3;\n"
      "\tadd_u32 $s2, $s2, $s3;\n\tst_arg_u32 $s2, [%r];\n\tret;\n@none:\n"
      "\tst_arg_u32 0, [%r];\n};\n";
  const auto out = words(function, kItem +
                                       "\tmov_b64 $d5, 77;\n\tmov_b32 $s9, 1000;\n\t{\n\t\targ_u32 "
                                       "%r;\n\t\targ_u32 %n;\n\t\tst_arg_u32 10, [%n];\n"
                                       "\t\tcall &sum(%r)(%n);\n\t\tld_arg_u32 $s2, [%r];\n\t}\n"
                                       "\tadd_u32 $s2, $s2, $s9;\n\tcvt_u32_u64 $s3, $d5;\n"
                                       "\tadd_u32 $s2, $s2, $s3;\n\tst_global_u32 $s2, [$d0];");
  EXPECT_EQ(out[0], 55u + 1000 + 77);
  if (!HasFailure()) Ledger::cover("HL-112 HL-140 HL-238");
}

/// Dynamic group memory begins behind the static part (4.20).
TEST(Rules, DynamicGroupMemory) {
  const auto out = words(
      "group_u32 &fixed[3];\n",
      kItem +
          "\tgroupbaseptr_u32 $s2;\n\tgroupstaticsize_u32 $s3;\n\tadd_u32 $s2, $s2, $s3;\n"
          "\tgrouptotalsize_u32 $s4;\n\tst_group_u32 9, [&fixed][8];\n"
          "\tst_group_u32 41, [$s2];\n\tst_group_u32 42, [$s2+60];\n\tld_group_u32 $s5, "
          "[&fixed][8];\n"
          "\tld_group_u32 $s6, [$s2];\n\tadd_u32 $s5, $s5, $s6;\n\tld_group_u32 $s6, [$s2+60];\n"
          "\tadd_u32 $s5, $s5, $s6;\n\tsub_u32 $s4, $s4, $s3;\n\tmad_u32 $s5, $s4, 1000, $s5;\n"
          "\tmad_u32 $s5, $s3, 1000000, $s5;\n\tst_global_u32 $s5, [$d0];",
      {1, 1, 64});
  EXPECT_EQ(out[0], 12u * 1000000 + 64 * 1000 + 92);
  if (!HasFailure()) Ledger::cover("HL-176 HL-177 HL-063");
}

/// An offset behind the static part given as an argument (4.20, second way).
TEST(Rules, GroupOffsetsAsArguments) {
  const auto module = load_text(
      kRulesModule +
          std::string("group_u32 &fixed;\nprog kernel &k(kernarg_u64 %out, kernarg_u32 %at)\n"
                      "{\n\tld_kernarg_u64 $d0, [%out];\n\tld_kernarg_u32 $s0, [%at];\n"
                      "\tst_group_u32 1, [&fixed];\n\tst_group_u32 7, [$s0];\n"
                      "\tld_group_u32 $s1, [$s0];\n\tld_group_u32 $s2, [&fixed];\n"
                      "\tmad_u32 $s1, $s2, 100, $s1;\n\tst_global_u32 $s1, [$d0];\n};\n"),
      "t.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(4);
  Dispatch d =
      testing::dispatch(*module, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out).add(uint32_t{16}));
  d.dynamic_group_bytes = 32;
  testing::run(*module, memory, d);
  EXPECT_EQ(memory.values<uint32_t>(out)[0], 107u);
  if (!HasFailure()) Ledger::cover("HL-178");
}

/// 32 fbarriers at least, none of them another one's (9.2.1, appendix A).
TEST(Rules, ManyFbarriers) {
  std::string before;
  std::string body = kItem + "\tcmp_ne_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @made;\n";
  std::string joins;
  std::string leaves;
  std::string releases;
  for (int i = 0; i < 32; ++i) {
    const std::string name = "&fb" + std::to_string(i);
    before += "fbarrier " + name + ";\n";
    body += "\tinitfbar " + name + ";\n";
    joins += "\tjoinfbar " + name + ";\n";
    leaves += "\twaitfbar " + name + ";\n\tleavefbar " + name + ";\n";
    releases += "\treleasefbar " + name + ";\n";
  }
  body += "@made:\n\tbarrier;\n" + joins + "\tbarrier;\n" + leaves +
          "\tbarrier;\n\tcbr_b1 $c0, @done;\n" + releases +
          "@done:\n\tldf_u32 $s2, &fb31;\n\tldf_u32 $s3, &fb30;\n\tcmp_ne_u32_u32 $s2, $s2, $s3;\n"
          "\tst_global_u32 $s2, [$d0];\n";
  for (const uint32_t word : words(before, body, {128, 128})) EXPECT_EQ(word, 0xffffffffu);
  if (!HasFailure()) Ledger::cover("HL-352 HL-235");
}

/// Branch widths are hints: results do not depend on them when the promise holds (2.12.1).
TEST(Rules, WidthsAreHints) {
  for (const std::string width : {"", "_width(1)", "_width(2)", "_width(WAVESIZE)"}) {
    const auto out =
        words("",
              kItem + "\tshr_u32 $s2, $s0, 6;\n\tcmp_eq_b1_u32 $c0, $s2, 1;\n\tcbr" + width +
                  "_b1 $c0, @odd;\n\tst_global_u32 5, [$d0];\n\tret;\n"
                  "@odd:\n\tst_global_u32 6, [$d0];",
              {128, 128});
    for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], i < 64 ? 5u : 6u) << width << i;
  }
  if (!HasFailure()) Ledger::cover("HL-050 HL-051 HL-043 HL-044");
}

/// Work-items beyond the grid take part in nothing: partial wavefronts count their lanes (2.12.1).
TEST(Rules, PartialWavefronts) {
  const auto out = words("",
                         kItem +
                             "\tactivelanecount_u32_b1 $s2, 1;\n\tcurrentworkgroupsize_u32 $s3, "
                             "0;\n\tmad_u32 $s2, $s3, 1000, $s2;\n\tst_global_u32 $s2, [$d0];",
                         {150, 100});
  for (uint32_t i = 0; i < 150; ++i) {
    const uint32_t size = i < 100 ? 100 : 50;
    const uint32_t in_group = i % 100;
    const uint32_t lanes = std::min(64u, size - in_group / 64 * 64);
    ASSERT_EQ(out[i], size * 1000 + lanes) << i;
  }
  if (!HasFailure()) Ledger::cover("HL-049");
}

/// The kernarg segment holds the arguments one behind the other at their alignments (4.21), the
/// same for the whole grid.
TEST(Rules, KernargLayout) {
  const auto module = load_text(
      kRulesModule +
          std::string("prog kernel &k(kernarg_u8 %a, kernarg_u64 %out, kernarg_u16 %b, align(16) "
                      "kernarg_u32 %c[2])\n{\n\tlda_kernarg_u64 $d1, [%a];\n"
                      "\tkernargbaseptr_u64 $d2;\n\tsub_u64 $d1, $d1, $d2;\n"
                      "\tlda_kernarg_u64 $d3, [%c];\n\tsub_u64 $d3, $d3, $d2;\n"
                      "\tmad_u64 $d1, $d1, 1000, $d3;\n\tcvt_u32_u64 $s1, $d1;\n"
                      "\tld_kernarg_u32 $s2, [%c][4];\n\tld_kernarg_u16 $s3, [%b];\n"
                      "\tmad_u32 $s1, $s2, 10000, $s1;\n\tmad_u32 $s1, $s3, 1000000, $s1;\n"
                      "\tld_kernarg_u64 $d0, [%out];\n\tst_global_u32 $s1, [$d0];\n};\n"),
      "t.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(4);
  std::vector<uint8_t> kernarg(48);
  std::memcpy(kernarg.data() + 8, &out, 8);
  kernarg[16] = 3;  // %b
  kernarg[36] = 7;  // %c[1]
  Dispatch d = testing::dispatch(*module, "&k", {1, 1, 1}, {1, 1, 1}, {});
  d.kernarg = kernarg;
  testing::run(*module, memory, d);
  EXPECT_EQ(memory.values<uint32_t>(out)[0], 3u * 1000000 + 7 * 10000 + 32);
  if (!HasFailure()) Ledger::cover("HL-181 HL-094");
}

/// Work-groups have flattened ids x + y * X + z * X * Y and start in their order (2.2.2, 2.2.3).
TEST(Rules, WorkGroupsStartInOrder) {
  const auto module = load_text(
      kRulesModule +
          std::string("prog kernel &k(kernarg_u64 %out)\n{\n\tld_kernarg_u64 $d0, [%out];\n"
                      "\tworkgroupid_u32 $s0, 0;\n\tworkgroupid_u32 $s1, 1;\n"
                      "\tworkgroupid_u32 $s2, 2;\n\tgridgroups_u32 $s3, 0;\n"
                      "\tgridgroups_u32 $s4, 1;\n\tmad_u32 $s1, $s2, $s4, $s1;\n"
                      "\tmad_u32 $s0, $s1, $s3, $s0;\n"
                      "\tatomic_add_global_rlx_agent_u32 $s5, [$d0], 1;\n"
                      "\tshl_u32 $s0, $s0, 2;\n\tcvt_u64_u32 $d1, $s0;\n"
                      "\tadd_u64 $d0, $d0, $d1;\n\tst_global_u32 $s5, [$d0+4];\n};\n"),
      "t.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(4 * 25);
  Machine::Options options;
  options.resident_groups = 1;
  Machine machine(*module, memory, {}, options);
  ASSERT_TRUE(
      machine.run(testing::dispatch(*module, "&k", {6, 6, 4}, {2, 2, 2}, Kernarg().add(out))).ok());
  const auto order = memory.values<uint32_t>(out);
  for (uint32_t i = 0; i < 18; ++i) {
    EXPECT_GE(order[i + 1], 8 * i) << i;
    EXPECT_LT(order[i + 1], 8 * i + 8) << i;
  }
  if (!HasFailure()) Ledger::cover("HL-007");
}

/// Results are quiet NaNs made of an operand (4.19.4); bit operations pass signaling ones on.
TEST(Rules, NaNs) {
  const struct {
    const char* body;
    uint64_t in;
    uint64_t expected;
  } cases[] = {
      {"add_f32 $s8, $s0, 0f3f800000;", 0x7fa12345, 0x7fe12345},
      {"mul_f32 $s8, 0f3f800000, $s0;", 0xffa12345, 0xffe12345},
      {"sqrt_f32 $s8, $s0;", 0x7fc54321, 0x7fc54321},
      {"cvt_f32_f16 $s8, $s0;", 0x7e01, 0x7fc02000},
      {"cvt_f16_f32 $s8, $s0;", 0x7fc02000, 0x7e01},
      {"neg_f32 $s8, $s0;", 0x7fa12345, 0xffa12345},
      {"mov_b32 $s8, $s0;", 0x7fa12345, 0x7fa12345},
  };
  for (const auto& c : cases) {
    const auto r = testing::execute(c.body, {c.in});
    EXPECT_EQ(r.out[0] & 0xffffffff, c.expected) << c.body;
  }
  if (!HasFailure()) Ledger::cover("HL-172 HL-173 HL-164");
}

/// Global memory that is not there: the dispatch stops (12.2).
TEST(Rules, InvalidAddresses) {
  const auto module = load_text(
      kRulesModule + std::string("prog kernel &k()\n{\n\tst_global_u32 1, [16];\n};\n"), "t.hsail");
  ASSERT_TRUE(module.ok());
  TestMemory memory;
  Machine machine(*module, memory, {});
  const auto status = machine.run(testing::dispatch(*module, "&k", {1, 1, 1}, {1, 1, 1}, {}));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().str().find("t.hsail:4:2"), std::string::npos) << status.error().str();
  if (!HasFailure()) Ledger::cover("HL-254");
}

/// The two machine models run the same kernel, with addresses of 32 and 64 bits (2.9).
TEST(Rules, SmallModel) {
  const auto module = load_text(
      "module &m:1:0:$full:$small:$default;\nreadonly_u32 &three = 3;\n"
      "prog kernel &k(kernarg_u32 %out)\n{\n\tld_kernarg_u32 $s0, [%out];\n"
      "\tworkitemabsid_u32 $s1, 0;\n\tld_readonly_u32 $s2, [&three];\n\tmul_u32 $s2, $s2, $s1;\n"
      "\tshl_u32 $s1, $s1, 2;\n\tadd_u32 $s0, $s0, $s1;\n\tst_global_u32 $s2, [$s0];\n"
      "\tld_u32 $s3, [$s0];\n\tadd_u32 $s3, $s3, 1;\n\tst_u32 $s3, [$s0];\n};\n",
      "small.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  struct LowMemory : MemoryPort {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(8192);
    bool in(uint64_t a, size_t n) const { return a >= 4096 && a + n <= 4096 + bytes.size(); }
    bool read(uint64_t a, void* out, size_t n) override {
      if (in(a, n)) std::memcpy(out, bytes.data() + (a - 4096), n);
      return in(a, n);
    }
    bool write(uint64_t a, const void* data, size_t n) override {
      if (in(a, n)) std::memcpy(bytes.data() + (a - 4096), data, n);
      return in(a, n);
    }
    bool update(uint64_t, unsigned, const std::function<uint64_t(uint64_t)>&, uint64_t*) override {
      return false;
    }
  } memory;
  const uint32_t three = 3;
  std::memcpy(memory.bytes.data() + 4096, &three, 4);
  VariableAddresses addresses;
  for (const ModuleVariable& v : module_variables(*module)) addresses[v.variable] = 8192;
  Machine machine(*module, memory, addresses);
  const auto status = machine.run(
      testing::dispatch(*module, "&k", {64, 1, 1}, {64, 1, 1}, Kernarg().add(uint32_t{4096})));
  ASSERT_TRUE(status.ok()) << status.error().str();
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, memory.bytes.data() + 4 * i, 4);
    ASSERT_EQ(word, 3 * i + 1);
  }
}

// Names that the small machine model cannot have, and places that its flat addresses do not reach.
TEST(Rules, SmallModelAddresses) {
  const auto module = load_text(
      "module &m:1:0:$full:$small:$default;\nreadonly_u32 &three = 3;\n"
      "prog kernel &k(kernarg_u32 %a)\n{\n\tld_readonly_u32 $s2, [&three];\n"
      "\tld_kernarg_u32 $s0, [%a];\n\tstof_group_u32_u32 $s1, $s0;\n"
      "\tftos_private_u32_u32 $s1, $s0;\n};\n",
      "small.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  struct NoMemory : MemoryPort {
    bool read(uint64_t, void* out, size_t n) override { return std::memset(out, 0, n) != nullptr; }
    bool write(uint64_t, const void*, size_t) override { return false; }
    bool update(uint64_t, unsigned, const std::function<uint64_t(uint64_t)>&, uint64_t*) override {
      return false;
    }
  } memory;
  const auto outcome = [&](uint64_t variable, uint64_t kernarg, uint32_t argument,
                           size_t* undefined) {
    VariableAddresses addresses;
    for (const ModuleVariable& v : module_variables(*module)) addresses[v.variable] = variable;
    Machine machine(*module, memory, addresses);
    auto d = testing::dispatch(*module, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(argument));
    d.kernarg_address = kernarg;
    const auto status = machine.run(d);
    *undefined = machine.undefined_uses().size();
    return status.ok() ? std::string() : status.error().str();
  };
  size_t undefined = 0;
  EXPECT_EQ(outcome(0xfffff000, 0xffff0000, 0x20004, &undefined), "");
  EXPECT_EQ(undefined, 1u);  // no group address
  EXPECT_EQ(outcome(0xfffff000, 0xffff0000, 0xfffc, &undefined), "");
  EXPECT_EQ(undefined, 1u);  // no flat address of private memory
  EXPECT_EQ(outcome(uint64_t{1} << 32, 4096, 0, &undefined),
            "small.hsail:2:1: error: variable '&three' lies at or above 4 GiB, expected 32-bit "
            "addresses (small machine model)");
  EXPECT_EQ(outcome(8192, uint64_t{1} << 32, 0, &undefined),
            "small.hsail:3:6: error: the kernarg segment lies at or above 4 GiB, expected 32-bit "
            "addresses (small machine model)");
}

/// A work-item reads back what another one wrote: imagefence, barrier, imagefence (7.1.10).
TEST(Rules, ImageFences) {
  const std::string text = kRulesModule + std::string(R"(extension "IMAGE";
prog kernel &k(kernarg_rwimg %i, kernarg_u64 %out)
{
	ld_kernarg_rwimg $d1, [%i];
	ld_kernarg_u64 $d2, [%out];
	workitemid_u32 $s0, 0;
	stimage_v4_1d_u32_rwimg_u32 ($s0, 0, 0, 0), $d1, $s0;
	imagefence;
	barrier;
	imagefence;
	sub_u32 $s1, 127, $s0;
	ldimage_v4_1d_u32_rwimg_u32 ($s4, $s5, $s6, $s7), $d1, $s1;
	shl_u32 $s2, $s0, 2;
	cvt_u64_u32 $d3, $s2;
	add_u64 $d2, $d2, $d3;
	st_global_u32 $s4, [$d2];
};
)");
  const auto module = load_text(text, "fence.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  hsa::Image image{0,
                   static_cast<uint8_t>(ChannelOrder::kR),
                   static_cast<uint8_t>(ChannelType::kUnsigned8),
                   128,
                   1,
                   1,
                   1,
                   0,
                   128,
                   128};
  image.data = memory.add(128);
  const auto object = hsa::image_object(image);
  const uint64_t handle = memory.add_values(std::vector<uint32_t>(object.begin(), object.end()));
  const uint64_t out = memory.add(512);
  testing::run(
      *module, memory,
      testing::dispatch(*module, "&k", {128, 1, 1}, {128, 1, 1}, Kernarg().add(handle).add(out)));
  const auto words = memory.values<uint32_t>(out);
  for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(words[i], 127 - i);
  Ledger::cover("HI-247 HL-234 HL-017");
}

}  // namespace
}  // namespace cuvette::hsail
