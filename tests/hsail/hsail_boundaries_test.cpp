// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Where the language draws lines: segments and what reaches them, limits of dispatches and
// loading, libraries, indirect functions, conversions, tininess, post-dominators.
#include "hsail/control_flow.h"
#include "hsail/image_constant.h"
#include "hsail/link.h"
#include "hsail_case.h"
#include "image_oracle.h"

namespace cuvette::hsail {
namespace {

using testing::Kernarg;
using testing::Ledger;
using testing::TestMemory;

constexpr const char* kLargeModule = "module &m:1:0:$full:$large:$default;\n";

std::string error_of(const std::string& text) {
  const auto m = load_text(text, "t.hsail");
  return m.ok() ? "" : m.error().what;
}
bool accepts(const std::string& body, const std::string& before = "") {
  return error_of(kLargeModule + before + "prog kernel &k(kernarg_u64 %a)\n{\n" + body + "\n};\n")
      .empty();
}

// 2.8.4, 6.2.4: which segments are read, written and synchronised.
TEST(Boundaries, AccessesOfSegments) {
  struct Row {
    const char* segment;
    const char* address;
    bool stores, atomics;
  };
  const Row rows[] = {
      {"global", "[$d0]", true, true},     {"group", "[$s0]", true, true},
      {"private", "[$s0]", true, false},   {"kernarg", "[$d0]", false, false},
      {"readonly", "[$d0]", false, false}, {"spill", "[%s]", true, false},
      {"arg", "[%r]", true, false},
  };
  for (const Row& row : rows) {
    const std::string segment = row.segment;
    const auto in_place = [&](const std::string& instruction) {
      if (segment == "spill") return accepts("spill_u32 %s;\n" + instruction);
      if (segment != "arg") return accepts(instruction);
      return accepts("{\narg_u32 %r;\narg_u32 %x;\nst_arg_u32 1, [%x];\n" +
                         (instruction[0] == 's' ? "st_arg_u32 1, [%x];\ncall &f(%r)(%x);\n"
                                                : "call &f(%r)(%x);\n" + instruction) +
                         "\n}\n",
                     "function &f(arg_u32 %r)(arg_u32 %x)\n{\n};\n");
    };
    const std::string end = "_u32 $s1, " + std::string(row.address) + ";";
    EXPECT_TRUE(in_place("ld_" + segment + end)) << segment;
    EXPECT_EQ(in_place("st_" + segment + end), row.stores) << segment;
    for (const std::string name : {"atomic_add_", "atomic_ld_"}) {
      const bool adds = name == "atomic_add_";
      const std::string scope = segment == "global" ? "_agent" : "_wg";
      const std::string text = name + segment + "_rlx" + scope + (adds ? "_u32" : "_b32") +
                               " $s1, " + row.address + (adds ? ", 1;" : ";");
      EXPECT_EQ(in_place(text), row.atomics) << text;
    }
  }
  EXPECT_TRUE(accepts("atomic_add_scar_system_u32 $s1, [$d0], 1;"));
  if (!HasFailure()) Ledger::cover("HL-028 HL-199");
}

// 6.2.9: at a group address the scope is at most that of the work-group; memory is as it should be.
TEST(Boundaries, FlatAtomicsAtGroupAddresses) {
  const Module m = testing::module_of(
      "\tgroup_u32 %g;\n\tld_kernarg_u64 $d0, [%out];\n\tst_group_u32 5, [%g];\n"
      "\tlda_group_u32 $s0, [%g];\n\tstof_group_u64_u32 $d1, $s0;\n"
      "\tatomic_add_scar_system_u32 $s1, [$d1], 7;\n\tatomic_add_scar_agent_u32 $s2, [$d0], 3;\n"
      "\tld_group_u32 $s3, [%g];\n\tst_v3_global_u32 ($s1, $s2, $s3), [$d0+4];\n");
  TestMemory memory;
  const uint64_t out = memory.add_values<uint32_t>({40, 0, 0, 0});
  testing::run(m, memory, testing::dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{43, 5, 40, 12}));
  if (!HasFailure()) Ledger::cover("HL-204");
}

// 2.1: a dispatch that asks for more than there is does not start and completes nothing.
TEST(Boundaries, DispatchesThatCannotStart) {
  const Module m = testing::module_of(
      "\tgroup_u32 %g[16];\n\tld_kernarg_u64 $d0, [%out];\n\tst_group_u32 1, [%g];\n"
      "\tst_global_u32 1, [$d0];\n");
  TestMemory memory;
  const uint64_t out = memory.add(4);
  const uint64_t signal = memory.add_values<uint64_t>({1, 0});
  Dispatch d = testing::dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out));
  d.completion_signal = signal;
  for (const uint64_t dynamic : {uint64_t{65536 - 63}, uint64_t{1} << 40}) {
    d.dynamic_group_bytes = dynamic;
    Machine machine(m, memory, {});
    const auto status = machine.run(d);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().what, "more than 65536 bytes of group memory");
    EXPECT_EQ(machine.wavefronts(), 0u);
  }
  EXPECT_EQ(memory.values<uint32_t>(out), std::vector<uint32_t>{0});
  EXPECT_EQ(memory.values<uint64_t>(signal)[0], 1u);
  d.dynamic_group_bytes = 65536 - 64;
  testing::run(m, memory, d);
  EXPECT_EQ(memory.values<uint32_t>(out), std::vector<uint32_t>{1});
  if (!HasFailure()) Ledger::cover("HL-003");
}

// 4.2.1: kernel arguments beyond what an implementation holds.
TEST(Boundaries, KernargLimit) {
  const auto m =
      load_text(std::string(kLargeModule) +
                    "prog kernel &k(kernarg_u8 %a[0x30000000], kernarg_u8 %b[0x20000000])"
                    "\n{\n};\n",
                "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  const auto layout = kernel_layout(*m, m->find_kernel("&k"));
  ASSERT_FALSE(layout.ok());
  EXPECT_EQ(layout.error().what, "the segment grows above 1 GiB here");
  EXPECT_EQ(layout.error().where.line, 2u);
  if (!HasFailure()) Ledger::cover("HL-060");
}

// 4.2.2: versions and extensions are looked at before anything runs.
TEST(Boundaries, VersionsAndExtensions) {
  for (const char* version : {"1:0", "1:1", "1:2"}) {
    EXPECT_EQ(error_of("module &m:" + std::string(version) + ":$full:$large:$default;\n"), "");
  }
  for (const char* version : {"0:99", "1:3", "2:0"}) {
    EXPECT_NE(error_of("module &m:" + std::string(version) + ":$full:$large:$default;\n"), "")
        << version;
  }
  const std::string header = "module &m:1:2:$full:$large:$default;\n";
  EXPECT_EQ(error_of(header + "extension \"cuvette:mfma\":1:0;\n"), "");
  EXPECT_NE(error_of(header + "extension \"cuvette:mfma\":2:0;\n"), "");
  if (!HasFailure()) Ledger::cover("HL-062");
}

// 4.3.10: group, private, spill, arg and kernarg variables come and go by themselves.
TEST(Boundaries, AutomaticAllocation) {
  for (const char* segment : {"group", "private"}) {
    const std::string variable = std::string(segment) + "_u32 &v;\n";
    EXPECT_EQ(error_of(kLargeModule + variable), "") << segment;
    EXPECT_NE(error_of(kLargeModule + ("alloc(agent) " + variable)), "") << segment;
  }
  EXPECT_TRUE(accepts("spill_u32 %v;"));
  EXPECT_FALSE(accepts("alloc(agent) spill_u32 %v;"));
  const auto m = load_text(std::string(kLargeModule) +
                               "group_u32 &g;\nprivate_u32 &p;\nglobal_u32 &x;\n"
                               "alloc(agent) global_u32 &y;\nreadonly_u32 &r;\n"
                               "prog kernel &k(kernarg_u64 %a)\n{\nspill_u32 %s;\n};\n",
                           "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  std::map<std::string, Allocation> allocation;
  for (const CodeEntry& e : m->code) {
    if (const auto* v = std::get_if<Variable>(&e.body)) allocation[v->name] = v->allocation;
  }
  for (const char* name : {"&g", "&p", "%a", "%s"}) {
    EXPECT_EQ(allocation[name], Allocation::kAutomatic) << name;
  }
  EXPECT_EQ(allocation["&x"], Allocation::kProgram);
  EXPECT_EQ(allocation["&y"], Allocation::kAgent);
  EXPECT_EQ(allocation["&r"], Allocation::kAgent);
  if (!HasFailure()) Ledger::cover("HL-091");
}

// 4.16.1: the type of an address expression is that of the value in memory; addresses have the
// size of their segment.
TEST(Boundaries, TypesOfAddressExpressions) {
  for (const char* type : {"u8", "s16", "u32", "u64", "f16", "f32", "f64"}) {
    const std::string t = type;
    const std::string value = t == "u64" || t == "f64" ? "$d1" : "$s1";
    EXPECT_TRUE(accepts("ld_global_" + t + " " + value + ", [$d0];")) << t;
    EXPECT_FALSE(accepts("ld_global_" + t + " " + value + ", [$s0];")) << t;
    EXPECT_TRUE(accepts("ld_group_" + t + " " + value + ", [$s0];")) << t;
    EXPECT_FALSE(accepts("ld_group_" + t + " " + value + ", [$d0];")) << t;
  }
  EXPECT_TRUE(accepts("lda_global_u64 $d1, [$d0];"));
  EXPECT_FALSE(accepts("lda_global_u32 $s1, [$d0];"));
  EXPECT_TRUE(accepts("lda_group_u32 $s1, [$s0];"));
  EXPECT_FALSE(accepts("lda_group_u64 $d1, [$s0];"));
  if (!HasFailure()) Ledger::cover("HL-156");
}

// 4.19.2: a result that is tiny before rounding and not after it. Tininess is the same thing for
// all instructions.
TEST(Boundaries, TininessIsUniform) {
  const auto flags = [](const std::string& instruction) {
    const Module m = testing::module_of(
        "\tenabledetectexceptions 31;\n\tld_kernarg_u64 $d0, [%out];\n\t" + instruction +
        "\n\tgetdetectexcept_u32 $s8;\n\tst_v2_global_u32 ($s7, $s8), [$d0];\n");
    TestMemory memory;
    const uint64_t out = memory.add(8);
    testing::run(m, memory, testing::dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
    const auto words = memory.values<uint32_t>(out);
    EXPECT_EQ(words[0], 0x00800000u) << instruction;  // 2^-126
    return words[1];
  };
  // (1 + 2^-13) 2^-63 times (1 - 2^-13) 2^-63; 2^-126 - 2^-75 * 2^-76; 2^-126 (1 - 2^-36).
  const uint32_t product = flags("mul_f32 $s7, 0f20000400, 0f1ffff800;");
  const uint32_t fused = flags("fma_f32 $s7, 0f1a000000, 0f99800000, 0f00800000;");
  const uint32_t converted = flags("cvt_near_f32_f64 $s7, 0d380fffffffff0000;");
  constexpr uint32_t kUnderflow = 8;
  EXPECT_EQ(fused & kUnderflow, product & kUnderflow);
  EXPECT_EQ(converted & kUnderflow, product & kUnderflow);
  if (!HasFailure()) Ledger::cover("HL-166");
}

// 10.2: arguments are stored on every way to the call, the last store counts.
TEST(Boundaries, StoresBeforeTheCall) {
  const auto m =
      load_text(std::string(kLargeModule) +
                    "function &twice(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_u32 $s0, [%x];\n"
                    "shl_u32 $s0, $s0, 1;\nst_arg_u32 $s0, [%r];\n};\n"
                    "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_u64 $d0, [%out];\n"
                    "workitemabsid_u32 $s1, 0;\ncvt_u64_u32 $d1, $s1;\nshl_u64 $d1, $d1, 2;\n"
                    "add_u64 $d0, $d0, $d1;\nand_b32 $s2, $s1, 1;\ncmp_eq_b1_u32 $c0, $s2, 0;\n"
                    "{\narg_u32 %r;\narg_u32 %x;\nst_arg_u32 7, [%x];\ncbr_b1 $c0, @even;\n"
                    "st_arg_u32 100, [%x];\nbr @there;\n@even:\nst_arg_u32 $s1, [%x];\n@there:\n"
                    "call &twice(%r)(%x);\nld_arg_u32 $s3, [%r];\nld_arg_u32 $s4, [%r];\n}\n"
                    "add_u32 $s3, $s3, $s4;\nst_global_u32 $s3, [$d0];\n};\n",
                "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(4 * 6);
  testing::run(*m, memory, testing::dispatch(*m, "&k", {6, 1, 1}, {6, 1, 1}, Kernarg().add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{0, 400, 8, 400, 16, 400}));
  if (!HasFailure()) Ledger::cover("HL-242");
}

// 10.8: what an indirect function and the functions it calls must not have.
TEST(Boundaries, IndirectFunctions) {
  const std::string before =
      std::string(kLargeModule) +
      "group_u32 &g;\nprivate_u32 &p;\nglobal_u32 &x;\nfbarrier &b;\nreadonly_u32 &r;\n";
  const auto indirect = [&](const std::string& body) {
    return error_of(before + "indirect function &f()()\n{\n" + body + "\n};\n");
  };
  for (const char* body :
       {"ld_global_u32 $s0, [&x];", "ld_readonly_u32 $s0, [&r];",
        "private_u32 %p;\nst_private_u32 1, [%p];", "spill_u32 %s;\nst_spill_u32 1, [%s];",
        "ld_group_u32 $s0, [$s1];", "joinfbar_width(64) $s1;"}) {
    EXPECT_EQ(indirect(body), "") << body;
  }
  const std::string rule =
      ": indirect functions and what they call have no group variables, no fbarriers and no "
      "private variables of module scope";
  EXPECT_EQ(indirect("ld_group_u32 $s0, [&g];"), "'&f' refers to '&g'" + rule);
  EXPECT_EQ(indirect("lda_private_u32 $s0, [&p];"), "'&f' refers to '&p'" + rule);
  EXPECT_EQ(indirect("joinfbar &b;"), "'&f' refers to '&b'" + rule);
  EXPECT_EQ(indirect("ldf_u32 $s0, &b;"), "'&f' refers to '&b'" + rule);
  EXPECT_EQ(indirect("group_u32 %own;"), "'&f' defines group variable '%own'" + rule);
  EXPECT_EQ(indirect("fbarrier %own;"), "'&f' defines fbarrier '%own'" + rule);
  // In what it calls, over two functions and in lists; not in what others call.
  const std::string deep =
      "function &leaf()()\n{\nst_group_u32 1, [&g];\n};\n"
      "function &middle()()\n{\n{\ncall &leaf()();\n}\n};\n";
  EXPECT_EQ(error_of(before + deep + "function &h()()\n{\n{\ncall &middle()();\n}\n};\n"), "");
  EXPECT_EQ(error_of(before + deep + "indirect function &h()()\n{\n{\ncall &middle()();\n}\n};\n"),
            "'&leaf' refers to '&g'" + rule);
  EXPECT_EQ(error_of(before + deep +
                     "indirect function &h()()\n{\n{\nscall_u32 0 ()() [&middle];\n}\n};\n"),
            "'&leaf' refers to '&g'" + rule);
  // Over modules it shows when they are linked.
  const auto one = load_text(
      "module &one:1:0:$full:$large:$default;\ndecl prog function &far()();\n"
      "prog indirect function &f()()\n{\n{\ncall &far()();\n}\n};\n",
      "one.hsail");
  const auto two = load_text(
      "module &two:1:0:$full:$large:$default;\ngroup_u32 &g;\n"
      "prog function &far()()\n{\nst_group_u32 1, [&g];\n};\n",
      "two.hsail");
  ASSERT_TRUE(one.ok() && two.ok());
  const auto linked = link({&*one, &*two});
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().what, "'&far' refers to '&g'" + rule);
  EXPECT_EQ(linked.error().where.file, "two.hsail");
  EXPECT_EQ(linked.error().where.line, 5u);
  if (!HasFailure()) Ledger::cover("HL-247");
}

// 15.1: what a library offers has program linkage, the rest is its own.
TEST(Boundaries, Libraries) {
  const std::string library =
      "module &library:1:0:$full:$large:$default;\n"
      "function &inner(arg_u32 %r)()\n{\nst_arg_u32 42, [%r];\n};\n"
      "prog function &outer(arg_u32 %r)()\n{\n{\narg_u32 %x;\ncall &inner(%x)();\n"
      "ld_arg_u32 $s0, [%x];\n}\nst_arg_u32 $s0, [%r];\n};\n";
  const auto user = [&](const std::string& linkage, const std::string& function) {
    return "module &user:1:0:$full:$large:$default;\n" + linkage + " function " + function +
           "(arg_u32 %r)();\nprog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_u64 $d0, [%out];\n"
           "{\narg_u32 %r;\ncall " +
           function + "(%r)();\nld_arg_u32 $s0, [%r];\n}\nst_global_u32 $s0, [$d0];\n};\n";
  };
  const auto run = [&](const std::string& text, std::vector<uint32_t>* words) -> std::string {
    const auto one = load_text(text, "user.hsail");
    const auto two = load_text(library, "library.hsail");
    EXPECT_TRUE(two.ok());
    if (!one.ok()) return one.error().what;
    const auto program = link({&*one, &*two});
    if (!program.ok()) return program.error().what;
    TestMemory memory;
    const uint64_t out = memory.add(4);
    Machine machine(*program, memory, {});
    const auto status =
        machine.run(testing::dispatch(*program, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
    *words = memory.values<uint32_t>(out);
    return status.ok() ? "" : status.error().what;
  };
  std::vector<uint32_t> words;
  EXPECT_EQ(run(user("decl prog", "&outer"), &words), "");
  EXPECT_EQ(words, std::vector<uint32_t>{42});
  EXPECT_EQ(run(user("decl prog", "&inner"), &words), "function '&inner' is not defined");
  EXPECT_EQ(run(user("decl", "&outer"), &words),
            "'&outer' of module linkage is declared and not defined in the module");
  if (!HasFailure()) Ledger::cover("HL-322");
}

// 17.10: addresses that are not null convert alike with and without nonull.
TEST(Boundaries, ConversionsWithoutNull) {
  const Module m = testing::module_of(
      "\tgroup_u32 %g[2];\n\tprivate_u32 %p[2];\n\tld_kernarg_u64 $d0, [%out];\n"
      "\tlda_group_u32 $s0, [%g][4];\n\tlda_private_u32 $s1, [%p][4];\n"
      "\tstof_group_u64_u32 $d1, $s0;\n\tstof_group_nonull_u64_u32 $d2, $s0;\n"
      "\tcmp_eq_u32_u64 $s2, $d1, $d2;\n"
      "\tstof_private_u64_u32 $d3, $s1;\n\tstof_private_nonull_u64_u32 $d4, $s1;\n"
      "\tcmp_eq_u32_u64 $s3, $d3, $d4;\n"
      "\tftos_group_u32_u64 $s4, $d1;\n\tftos_group_nonull_u32_u64 $s5, $d1;\n"
      "\tcmp_eq_u32_u32 $s4, $s4, $s5;\n"
      "\tsegmentp_private_nonull_b1_u64 $c0, $d3;\n\tcvt_u32_b1 $s5, $c0;\n"
      "\tst_v4_global_u32 ($s2, $s3, $s4, $s5), [$d0];\n");
  TestMemory memory;
  const uint64_t out = memory.add(16);
  testing::run(m, memory, testing::dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
  constexpr uint32_t kTrue = 0xffffffff;
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{kTrue, kTrue, kTrue, 1}));
  if (!HasFailure()) Ledger::cover("HL-328");
}

// 7.1.5: 118 formats in six geometries and five in the two of depth, and no others.
TEST(Boundaries, ImageCombinations) {
  size_t legal = 0;
  for (unsigned g = 0; g < 8; ++g) {
    const auto geometry = static_cast<ImageGeometry>(g);
    const bool depth = geometry == ImageGeometry::k2dDepth || geometry == ImageGeometry::k2daDepth;
    const auto formats = image_oracle::formats(depth);
    for (unsigned o = 0; o < 20; ++o) {
      for (unsigned t = 0; t < 16; ++t) {
        const auto order = static_cast<ChannelOrder>(o);
        const auto type = static_cast<ChannelType>(t);
        const bool expected = std::any_of(
            formats.begin(), formats.end(),
            [&](const image_oracle::Format& f) { return f.order == order && f.channel == type; });
        EXPECT_EQ(is_image_format(geometry, order, type), expected)
            << "geometry " << g << " order " << o << " type " << t;
        if (expected) ++legal;
      }
    }
  }
  EXPECT_EQ(legal, 6u * 118 + 2 * 5);
  if (!HasFailure()) Ledger::cover("HL-224");
}

/// A small machine model: global addresses of 32 bits.
std::vector<float> run_small(const std::string& kernel, const std::vector<float>& a,
                             const std::vector<float>& b, uint32_t items) {
  const auto m = load_text("module &small:1:0:$full:$small:$default;\n" + kernel, "small.hsail");
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().str());
  if (!m.ok()) return {};
  TestMemory memory(0x10000);
  const auto low = [](uint64_t address) { return static_cast<uint32_t>(address); };
  Kernarg kernarg;
  kernarg.add(low(memory.add_values(a)));
  if (!b.empty()) kernarg.add(low(memory.add_values(b)));
  const uint64_t out = memory.add(4 * a.size());
  kernarg.add(low(out));
  testing::run(*m, memory, testing::dispatch(*m, "&k", {items, 1, 1}, {64, 1, 1}, kernarg));
  return memory.values<float>(out);
}

// Chapter 3: the two programs that the manual opens with, in our words: a sum of vectors, and a
// transposition through group memory.
TEST(Boundaries, FirstPrograms) {
  const std::string place = "workitemabsid_u32 $s0, 0;\nshl_u32 $s1, $s0, 2;\n";
  std::vector<float> a(200), b(200), sums(200);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i) / 4;
    b[i] = 100 - static_cast<float>(i);
    sums[i] = 100 - 3 * static_cast<float>(i) / 4;
  }
  const std::string sum =
      "prog kernel &k(kernarg_u32 %a, kernarg_u32 %b, kernarg_u32 %c)\n{\n" + place +
      "ld_kernarg_u32 $s2, [%a];\nadd_u32 $s2, $s2, $s1;\nld_kernarg_u32 $s3, [%b];\n"
      "add_u32 $s3, $s3, $s1;\nld_kernarg_u32 $s4, [%c];\nadd_u32 $s4, $s4, $s1;\n"
      "ld_global_f32 $s5, [$s2];\nld_global_f32 $s6, [$s3];\nadd_f32 $s5, $s5, $s6;\n"
      "st_global_f32 $s5, [$s4];\n};\n";
  EXPECT_EQ(run_small(sum, a, b, 200), sums);
  std::vector<float> square(64), transposed(64);
  for (size_t i = 0; i < 64; ++i) {
    square[i] = static_cast<float>(i);
    transposed[i] = static_cast<float>(i % 8 * 8 + i / 8);
  }
  const std::string transpose =
      "prog kernel &k(kernarg_u32 %in, kernarg_u32 %out)\n{\ngroup_f32 %tile[64];\n" + place +
      "ld_kernarg_u32 $s2, [%in];\nadd_u32 $s2, $s2, $s1;\nld_global_f32 $s3, [$s2];\n"
      "st_group_f32 $s3, [%tile][$s1];\nmemfence_screl_wg;\nbarrier;\nmemfence_scacq_wg;\n"
      "and_b32 $s4, $s0, 7;\nshl_u32 $s4, $s4, 5;\nshr_u32 $s5, $s0, 3;\nshl_u32 $s5, $s5, 2;\n"
      "add_u32 $s4, $s4, $s5;\nld_group_f32 $s3, [%tile][$s4];\nld_kernarg_u32 $s6, [%out];\n"
      "add_u32 $s6, $s6, $s1;\nst_global_f32 $s3, [$s6];\n};\n";
  EXPECT_EQ(run_small(transpose, square, {}, 64), transposed);
  // 2.9: the sum of address and offset has 32 bits.
  const std::string wraps =
      "prog kernel &k(kernarg_u32 %in, kernarg_u32 %out)\n{\nld_kernarg_u32 $s2, [%in];\n"
      "add_u32 $s2, $s2, 0x80000000;\nld_global_f32 $s3, [$s2+0x80000004];\n"
      "ld_kernarg_u32 $s6, [%out];\nst_global_f32 $s3, [$s6+4];\n};\n";
  EXPECT_EQ(run_small(wraps, {3, 5}, {}, 1), (std::vector<float>{0, 5}));
  if (!HasFailure()) Ledger::cover("HL-054");
}

// 2.12.3, graphs and answers by hand; the end is the number of nodes.
TEST(Boundaries, PostDominators) {
  using Graph = std::vector<std::vector<uint32_t>>;
  using Answer = std::vector<uint32_t>;
  // A chain; a branch that meets in 3; a branch to the end.
  EXPECT_EQ(immediate_post_dominators(Graph{{1}, {2}, {3}}), (Answer{1, 2, 3}));
  EXPECT_EQ(immediate_post_dominators(Graph{{1, 2}, {3}, {3}, {4}}), (Answer{3, 3, 3, 4}));
  EXPECT_EQ(immediate_post_dominators(Graph{{1, 3}, {2}, {3}}), (Answer{3, 2, 3}));
  // A loop: 1 goes back or on; a branch inside another.
  EXPECT_EQ(immediate_post_dominators(Graph{{1}, {0, 2}, {3}}), (Answer{1, 2, 3}));
  EXPECT_EQ(immediate_post_dominators(Graph{{1, 4}, {2, 3}, {5}, {5}, {6}, {6}, {7}}),
            (Answer{6, 5, 5, 5, 6, 6, 7}));
  // 1 never ends.
  EXPECT_EQ(immediate_post_dominators(Graph{{1, 2}, {1}, {3}}), (Answer{2, 3, 3}));
  if (!HasFailure()) Ledger::cover("HL-052");
}

struct Integer {
  const char* name;
  unsigned bits;
  bool is_signed;
};
constexpr Integer kIntegers[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                                 {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                                 {"u64", 64, false}, {"s64", 64, true}};

/// The low bits of a value, extended as its type says.
uint64_t as(const Integer& type, uint64_t value) {
  const unsigned shift = 64 - type.bits;
  value <<= shift;
  return type.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value) >> shift)
                        : value >> shift;
}

// 5.19.1, Table 5-28: which pairs of types convert, and how those of integers do.
TEST(Boundaries, ConversionMatrix) {
  const char* const all[] = {"b1",  "u8",  "s8",  "u16", "s16", "u32",
                             "s32", "u64", "s64", "f16", "f32", "f64"};
  const auto reg = [](const std::string& type, unsigned number) {
    const char kind = type == "b1" ? 'c' : type.find("64") != std::string::npos ? 'd' : 's';
    return "$" + std::string(1, kind) + std::to_string(number);
  };
  for (const std::string to : all) {
    for (const std::string from : all) {
      const bool same_length = to.substr(1) == from.substr(1);
      const bool integers = to[0] != 'f' && from[0] != 'f' && to != "b1" && from != "b1";
      // The same length is no conversion of integers; with saturation it is.
      const bool legal = to != from && !(integers && same_length);
      const std::string text =
          "cvt_" + to + "_" + from + " " + reg(to, 1) + ", " + reg(from, 2) + ";";
      EXPECT_EQ(accepts(text), legal) << text;
      if (integers && to != from) {
        const std::string saturating =
            "cvt_sat_" + to + "_" + from + " " + reg(to, 1) + ", " + reg(from, 2) + ";";
        // The table has it for chop and isat: where the result is not the longer one.
        const bool fits = std::stoi(to.substr(1)) <= std::stoi(from.substr(1));
        EXPECT_EQ(accepts(saturating), fits) << saturating;
      }
    }
  }
  const std::string sources = "\tld_kernarg_u64 $d9, [%out];\n\tmov_u64 $d2, 0x8899aabbccddeef3;\n";
  for (const Integer& to : kIntegers) {
    for (const Integer& from : kIntegers) {
      if (to.bits == from.bits) continue;
      const std::string type = from.name;
      const std::string load =
          from.bits == 64 ? "\tmov_b64 $d3, $d2;\n" : "\tcvt_u32_u64 $s3, $d2;\n";
      const std::string convert = std::string("\tcvt_") + to.name + "_" + type + " " +
                                  reg(to.name, 4) + ", " + reg(type, 3) + ";\n";
      const std::string store =
          to.bits == 64 ? "\tst_global_u64 $d4, [$d9];\n" : "\tst_global_u32 $s4, [$d9];\n";
      const Module m = testing::module_of(sources + load + convert + store);
      TestMemory memory;
      const uint64_t out = memory.add(8);
      testing::run(m, memory, testing::dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
      uint64_t expected = as(to, as(from, 0x8899aabbccddeef3));
      if (to.bits < 64) expected &= 0xffffffff;
      EXPECT_EQ(memory.values<uint64_t>(out)[0], expected) << convert;
    }
  }
  if (!HasFailure()) Ledger::cover("HL-186");
}

}  // namespace
}  // namespace cuvette::hsail
