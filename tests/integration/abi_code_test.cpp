// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rules of the Compute ABI for a kernel's code: the sequences of its memory model, segments and
// addresses, waits for signals. HSAIL is finalized, its machine code read back; rows of the ABI
// checklist by id.
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engines.h"
#include "finalizer_testing.h"
#include "hsa/code_object.h"
#include "hsa_ledger.h"
#include "isa/decode.h"
#include "isa/text.h"
#include "small_text.h"

namespace {

namespace engines = cuvette::engines;
namespace hsa = cuvette::hsa;
namespace isa = cuvette::isa;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;

using Code = std::vector<std::string>;
using Names = std::vector<std::string>;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// Kernel &k with an array in group memory and the address of a buffer in $d0.
std::string kernel(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %out)\n{\n"
         "group_u32 %l[16];\nprivate_u32 %p;\nld_kernarg_align(8)_u64 $d0, [%out];\n" +
         body + "\nret;\n};\n";
}

/// The finalized kernel, an instruction a line, up to S_ENDPGM.
Code code_of(const std::string& body, const std::string& target) {
  const auto object = cuvette::finalizer::finalize(load(kernel(body)), {target, 4});
  if (!object) {
    ADD_FAILURE() << object.error().str() << "\n" << body;
    return {};
  }
  hsa::DeviceMemory memory;
  const auto machine = hsa::default_machine(hsa::parse_target(target)->processor);
  const auto loaded = hsa::load_code_object(*object, "k.co", memory, machine);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().str();
    return {};
  }
  Code out;
  uint64_t at = loaded->kernels.at(0).entry;
  while (out.empty() || out.back() != "s_endpgm") {
    uint32_t words[2] = {};
    if (!memory.read(at, words, sizeof words) || out.size() > 1000) {
      ADD_FAILURE() << "no s_endpgm: " << body;
      return out;
    }
    const isa::Decoded decoded = isa::decode(*isa::target_from_name(target), words, 2);
    out.push_back(isa::text(decoded.instruction));
    at += 4 * decoded.length;
  }
  return out;
}

/// `pattern`: the beginning of the mnemonic, then words the instruction has, or lacks with '-'.
bool fits(const std::string& line, const std::string& pattern) {
  std::istringstream in(pattern);
  std::string word;
  in >> word;
  if (line.rfind(word, 0) != 0) return false;
  const std::string padded = line + " ";
  while (in >> word) {
    const bool wanted = word[0] != '-';
    const std::string inner = wanted ? word : word.substr(1);
    const bool found = padded.find(" " + inner + " ") != std::string::npos;
    if (found != wanted) return false;
  }
  return true;
}

/// Number of `patterns` that are in `code` in this order before the first that is missing.
size_t matched(const Code& code, const Names& patterns) {
  size_t n = 0;
  for (const std::string& line : code) {
    if (n < patterns.size() && fits(line, patterns[n])) ++n;
  }
  return n;
}

void expect_order(const char* id, const Code& code, const Names& patterns) {
  const size_t n = matched(code, patterns);
  EXPECT_EQ(n, patterns.size()) << id << ": '" << (n < patterns.size() ? patterns[n] : "")
                                << "' is missing in\n"
                                << fmt::format("{}", fmt::join(code, "\n"));
}

void expect_none(const char* id, const Code& code, const std::string& pattern) {
  for (const std::string& line : code) EXPECT_FALSE(fits(line, pattern)) << id << ": " << line;
}

const Names kOlder = {"gfx900", "gfx906", "gfx908"};  // one L1 per compute unit, one L2
const Names kNarrow = {"wave", "wg"};
const Names kWide = {"agent", "system"};
constexpr const char* kWait = "s_waitcnt vmcnt(0)";
constexpr const char* kInvalidate = "buffer_wbinvl1_vol";
/// An access to global memory that is under way when the next instruction comes, and one that may
/// not come before it.
constexpr const char* kEarlier = "st_global_u32 7, [$d0+64];\n";
constexpr const char* kLater = "\nld_global_u32 $s9, [$d0+128];\nst_global_u32 $s9, [$d0+132];";
constexpr const char* kEarlierCode = "global_store_dword offset:64";
constexpr const char* kLaterCode = "global_load_dword offset:128";
// The access of the row itself, beside those around it.
constexpr const char* kOwnLoad = "global_load_dword -glc -offset:128";
constexpr const char* kOwnStore = "global_store_dword -glc -offset:64 -offset:132";

/// A row of the memory model: `text` with ORDER and SCOPE filled in has `sequence` in it.
struct Rule {
  const char* id;
  Names targets, orders, scopes;
  const char* text;
  Names sequence;  ///< in this order
  Names absent;    ///< nowhere
};

std::string filled(std::string text, const std::string& order, const std::string& scope) {
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"ORDER", order}, {"SCOPE", scope}}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

constexpr const char* kLoad =
    "atomic_ld_global_ORDER_SCOPE_b32 $s0, [$d0];\nst_global_u32 $s0, [$d0+4];";
constexpr const char* kStore = "atomicnoret_st_global_ORDER_SCOPE_b32 [$d0], 5;";
constexpr const char* kModify = "atomicnoret_xor_global_ORDER_SCOPE_b32 [$d0], 5;";
constexpr const char* kGroupLoad =
    "atomic_ld_group_ORDER_SCOPE_b32 $s0, [%l];\nst_global_u32 $s0, [$d0+4];";
constexpr const char* kGroupStore = "atomicnoret_st_group_ORDER_SCOPE_b32 [%l], 5;";
constexpr const char* kGroupModify = "atomicnoret_xor_group_ORDER_SCOPE_b32 [%l], 5;";
constexpr const char* kFence = "memfence_ORDER_SCOPE;";

const Rule kRules[] = {
    {"A245",
     kOlder,
     {""},
     {""},
     "ld_global_u32 $s0, [$d0];\nst_global_u32 $s0, [$d0+4];",
     {"global_load_dword -glc"},
     {kInvalidate}},
    {"A246", kOlder, {"rlx", "scacq"}, kNarrow, kLoad, {kOwnLoad}, {kInvalidate}},
    {"A247", kOlder, {"rlx"}, kWide, kLoad, {"global_load_dword glc"}, {kInvalidate}},
    {"A248",
     kOlder,
     {"scacq"},
     kWide,
     kLoad,
     {kEarlierCode, "global_load_dword glc", kWait, kInvalidate, kLaterCode},
     {}},
    {"A249", kOlder, {""}, {""}, "st_global_u32 5, [$d0];", {"global_store_dword -glc"}, {kWait}},
    {"A250", kOlder, {"rlx", "screl"}, kNarrow, kStore, {kOwnStore}, {}},
    {"A251", kOlder, {"rlx"}, kWide, kStore, {kOwnStore}, {}},
    {"A252",
     kOlder,
     {"screl"},
     kWide,
     kStore,
     {kEarlierCode, kWait, "global_store_dword -glc", kWait, kLaterCode},
     {}},
    {"A253",
     kOlder,
     {"rlx", "scacq", "screl", "scar"},
     kNarrow,
     kModify,
     {"global_atomic_xor"},
     {kInvalidate}},
    {"A254", kOlder, {"rlx"}, kWide, kModify, {"global_atomic_xor"}, {kInvalidate}},
    {"A255",
     kOlder,
     {"scacq"},
     kWide,
     kModify,
     {"global_atomic_xor", kWait, kInvalidate, kLaterCode},
     {}},
    {"A256", kOlder, {"screl"}, kWide, kModify, {kEarlierCode, kWait, "global_atomic_xor"}, {}},
    {"A257",
     kOlder,
     {"scar"},
     kWide,
     kModify,
     {kEarlierCode, kWait, "global_atomic_xor", kWait, kInvalidate, kLaterCode},
     {}},
    {"A258",
     kOlder,
     {""},
     {""},
     "ld_group_u32 $s0, [%l];\nst_global_u32 $s0, [$d0+4];",
     {"ds_read_b32"},
     {kInvalidate}},
    {"A259", kOlder, {"rlx"}, kNarrow, kGroupLoad, {"ds_read_b32"}, {kInvalidate}},
    {"A260",
     kOlder,
     {"scacq"},
     kNarrow,
     kGroupLoad,
     {kEarlierCode, kWait, "ds_read_b32", kInvalidate, kLaterCode},
     {}},
    {"A261",
     kOlder,
     {""},
     {""},
     "st_group_u32 5, [%l];\nld_group_u32 $s0, [%l];\n",
     {"ds_write_b32"},
     {kInvalidate}},
    {"A262", kOlder, {"rlx"}, kNarrow, kGroupStore, {"ds_write_b32"}, {kInvalidate}},
    {"A263", kOlder, {"screl"}, kNarrow, kGroupStore, {kEarlierCode, kWait, "ds_write_b32"}, {}},
    {"A264",
     kOlder,
     {"scacq"},
     kNarrow,
     kGroupModify,
     {kEarlierCode, kWait, "ds_xor_b32", kInvalidate, kLaterCode},
     {}},
    {"A265", kOlder, {"screl"}, kNarrow, kGroupModify, {kEarlierCode, kWait, "ds_xor_b32"}, {}},
    // The second row of the document for scacq; the order it leaves out is scar.
    {"A266",
     kOlder,
     {"scar"},
     kNarrow,
     kGroupModify,
     {kEarlierCode, kWait, "ds_xor_b32", kInvalidate, kLaterCode},
     {}},
    {"A267", kOlder, {"scacq", "screl", "scar"}, kNarrow, kFence, {kEarlierCode}, {kInvalidate}},
    {"A268", kOlder, {"scacq"}, kWide, kFence, {kEarlierCode, kWait, kInvalidate, kLaterCode}, {}},
    {"A269", kOlder, {"screl"}, kWide, kFence, {kEarlierCode, kWait, kLaterCode}, {}},
    {"A270", kOlder, {"scar"}, kWide, kFence, {kEarlierCode, kWait, kInvalidate, kLaterCode}, {}},
    {"A273",
     kOlder,
     {"scacq"},
     {"wg"},
     "atomic_ld_ORDER_SCOPE_b32 $s0, [$d0];\nst_global_u32 $s0, [$d0+4];",
     {kEarlierCode, kWait, "flat_load_dword", kInvalidate, kLaterCode},
     {}},
    {"A275", kOlder, {"screl"}, {"wg"}, kGroupStore, {kEarlierCode, kWait, "ds_write_b32"}, {}},
    {"A277",
     {"gfx900", "gfx908"},
     {"scacq"},
     {"agent"},
     kLoad,
     {"global_load_dword glc", kWait, kInvalidate, kLaterCode},
     {}},
    {"A278",
     {"gfx900", "gfx908"},
     {"screl"},
     {"system"},
     kStore,
     {kEarlierCode, kWait, kOwnStore},
     {}},
    {"A279",
     {"gfx90a"},
     {"scacq"},
     {"agent"},
     kLoad,
     {"global_load_dword glc", kWait, kInvalidate, kLaterCode},
     {}},
    {"A280",
     {"gfx90a"},
     {"screl"},
     {"system"},
     kStore,
     {kEarlierCode, "buffer_wbl2", kWait, kOwnStore},
     {}},
    {"A281",
     {"gfx942"},
     {"scacq"},
     {"agent"},
     kLoad,
     {"global_load_dword sc1", kWait, "buffer_inv sc1", kLaterCode},
     {}},
    {"A282",
     {"gfx942"},
     {"screl"},
     {"agent"},
     kFence,
     {kEarlierCode, "buffer_wbl2 sc1", kWait, kLaterCode},
     {}},
    {"A283",
     {"gfx942"},
     {"screl"},
     {"system"},
     kStore,
     {kEarlierCode, "buffer_wbl2 sc0 sc1", kWait, "global_store_dword sc0 sc1"},
     {}},
};

TEST(MemoryModel, SequencesAreThoseOfTheTables) {
  for (const Rule& rule : kRules) {
    hsa::Ledger::get().row(rule.id);
    const bool alone = rule.orders.front().empty();  // an ordinary access
    for (const std::string& target : rule.targets) {
      for (const std::string& order : rule.orders) {
        for (const std::string& scope : rule.scopes) {
          SCOPED_TRACE(target + " " + order + " " + scope);
          const std::string text = filled(rule.text, order, scope);
          const Code code = code_of(alone ? text : kEarlier + text + kLater, target);
          expect_order(rule.id, code, rule.sequence);
          for (const std::string& pattern : rule.absent) expect_none(rule.id, code, pattern);
        }
      }
    }
  }
}

TEST(MemoryModel, EveryOrderAndScopeHasCodeOnEveryTarget) {
  // Work-item scope is no choice in text: it is what an ordinary access has (A245, A249).
  for (const char* target : kTargets) {
    for (const char* scope : {"wave", "wg", "agent", "system"}) {
      hsa::Ledger::get().row("A271");
      for (const char* order : {"rlx", "scacq", "screl", "scar"}) {
        hsa::Ledger::get().row("A272");
        const Code code = code_of(filled(kModify, order, scope), target);
        expect_order("A272", code, {"global_atomic_xor"});
      }
    }
  }
}

TEST(MemoryModel, WaitsOnlyWhereSomethingIsUnderWay) {
  hsa::Ledger::get().row("A274");
  hsa::Ledger::get().row("A276");
  for (const std::string& target : kOlder) {
    // LDS is sequentially consistent: nothing between two accesses, a wait where data is used.
    const Code group = code_of(
        "atomicnoret_st_group_rlx_wg_b32 [%l], 5;\natomic_ld_group_rlx_wg_b32 $s0, [%l];\n"
        "st_global_u32 $s0, [$d0];",
        target);
    expect_order("A274", group,
                 {"ds_write_b32", "ds_read_b32", "s_waitcnt lgkmcnt(0)", "global_store_dword"});
    expect_none("A274", group, kWait);
    // Nothing of vector memory comes before this store.
    const Code first = code_of(filled(kStore, "screl", "agent"), target);
    const auto store = std::find_if(first.begin(), first.end(), [](const std::string& line) {
      return fits(line, "global_store_dword");
    });
    expect_none("A276", Code(first.begin(), store), kWait);
  }
}

TEST(Segments, EachHasItsInstructions) {
  for (const char* id : {"A040", "A042", "A066"}) hsa::Ledger::get().row(id);
  for (const char* target : kTargets) {
    const Code code = code_of(
        "ld_global_u32 $s0, [$d0+8];\nld_align(4)_u32 $s1, [$d0+16];\nst_group_u32 $s1, [%l];\n"
        "barrier;\nld_group_u32 $s2, [%l];\nadd_u32 $s0, $s0, $s2;\nst_global_u32 $s0, [$d0];",
        target);
    expect_order("A042", code, {"s_load_dwordx2"});
    expect_order("A040", code, {"global_load_dword offset:8"});
    // The offset is part of the address that FLAT tests for apertures (decision D54).
    expect_order("A040", code, {"s_add_u32", "flat_load_dword"});
    for (const std::string& line : code) {
      if (line.starts_with("flat_")) EXPECT_THAT(line, Not(HasSubstr("offset"))) << target;
    }
    expect_order("A066", code, {"ds_write_b32"});
    EXPECT_THAT(code, Each(Not(HasSubstr("m0")))) << "A066 " << target;
  }
}

TEST(Registers, FlatScratchIsCode102) {
  hsa::Ledger::get().row("A063");
  const uint32_t low = 0xbee60080, high = 0xbee70080;  // S_MOV_B32 with SDST 102 and 103
  for (const auto target : {isa::Target::Gfx900, isa::Target::Gfx908}) {
    EXPECT_EQ(isa::text(isa::decode(target, &low, 1).instruction), "s_mov_b32 flat_scratch_lo, 0");
    EXPECT_EQ(isa::text(isa::decode(target, &high, 1).instruction), "s_mov_b32 flat_scratch_hi, 0");
  }
}

TEST(Signals, AWaitLooksSleepsAndTimesOut) {
  hsa::Ledger::get().row("A226");
  // HSAIL names four conditions; gt and le are lt and gte with the operands exchanged.
  for (const char* target : kTargets) {
    for (const char* condition : {"eq", "ne", "lt", "gte"}) {
      for (const char* wait : {"wait", "waittimeout"}) {
        const bool timed = std::string(wait) == "waittimeout";
        const Code code = code_of(
            fmt::format("ld_global_u64 $d1, [$d0];\nsignal_{}_{}_scacq_s64_sig64 $d2, $d1, 7{};\n"
                        "st_global_u64 $d2, [$d0+8];",
                        wait, condition, timed ? ", 100" : ""),
            target);
        expect_order("A226", code, {"s_memrealtime", "s_memrealtime", "s_sleep", "s_cbranch"});
      }
    }
  }
}

/// Dwords of the buffer after one work-item ran `body`, equal on the interpreter and on golden for
/// every target.
std::vector<uint32_t> results(const std::string& body, size_t count, bool small = false) {
  const auto module =
      load(small ? cuvette::small_text::small_text(kernel(body)).value() : kernel(body));
  engines::Launch launch;
  launch.kernel = "&k";
  launch.arguments = {engines::buffer(0)};
  launch.buffers = {engines::Bytes(256)};
  const engines::Outcome expected = engines::run_interpreter(module, launch);
  EXPECT_EQ(expected.error, "");
  for (const char* target : kTargets) {
    const engines::Outcome golden = engines::run_golden(module, launch, target);
    EXPECT_EQ(golden.error, "") << target;
    EXPECT_EQ(golden.buffers, expected.buffers) << target;
  }
  std::vector<uint32_t> out(count);
  std::memcpy(out.data(), expected.buffers.at(0).data(), 4 * count);
  return out;
}

// Kernarg addresses of the large machine model have 64 bits; the document's -1 speaks of 32. They
// are global addresses and have their null.
TEST(Segments, NullAddresses) {
  hsa::Ledger::get().row("A048");
  const std::string body =
      "nullptr_group_u32 $s0;\nst_global_u32 $s0, [$d0];\n"
      "nullptr_private_u32 $s0;\nst_global_u32 $s0, [$d0+4];\n"
      "nullptr_u64 $d1;\nst_global_u64 $d1, [$d0+8];\n"
      "nullptr_kernarg_u64 $d1;\nst_global_u64 $d1, [$d0+16];";
  EXPECT_THAT(results(body, 6), ::testing::ElementsAre(~0u, ~0u, 0, 0, 0, 0));
  EXPECT_THAT(results(body, 6, true), ::testing::ElementsAre(~0u, ~0u, 0, 0, ~0u, 0));
}

TEST(Segments, NullStaysNullThroughConversions) {
  hsa::Ledger::get().row("A059");
  const std::string body =
      "nullptr_group_u32 $s0;\nstof_group_u64_u32 $d1, $s0;\n"
      "st_global_u64 $d1, [$d0];\n"
      "nullptr_private_u32 $s0;\nstof_private_u64_u32 $d1, $s0;\n"
      "st_global_u64 $d1, [$d0+8];\n"
      "nullptr_u64 $d1;\nftos_group_u32_u64 $s0, $d1;\n"
      "st_global_u32 $s0, [$d0+16];\n"
      "ftos_private_u32_u64 $s0, $d1;\nst_global_u32 $s0, [$d0+20];";
  EXPECT_THAT(results(body, 6), ::testing::ElementsAre(0, 0, 0, 0, ~0u, ~0u));
  EXPECT_THAT(results(body, 6, true), ::testing::ElementsAre(0, 0, 0, 0, ~0u, ~0u));
}

// The apertures of 64 KiB: their base is what the large model has in the upper half (A049, A050).
TEST(Segments, SmallModelConversions) {
  const std::string body =
      "st_group_u32 5, [%l][8];\nlda_group_u32 $s0, [%l][8];\nstof_group_u64_u32 $d1, $s0;\n"
      "st_global_u64 $d1, [$d0];\nftos_group_u32_u64 $s1, $d1;\nsub_u32 $s1, $s1, $s0;\n"
      "st_global_u32 $s1, [$d0+8];\nld_u32 $s1, [$d1];\nst_global_u32 $s1, [$d0+12];\n"
      "stof_private_u64_u32 $d1, 0x40;\nst_global_u64 $d1, [$d0+16];\n"
      "ftos_private_u32_u64 $s1, $d1;\nst_global_u32 $s1, [$d0+24];";
  const auto out = results(body, 7, true);
  EXPECT_EQ(out[0] & 0xffff0000, 0x10000u);
  EXPECT_THAT(std::vector<uint32_t>(out.begin() + 1, out.end()),
              ::testing::ElementsAre(0, 0, 5, 0x20040, 0, 0x40));
}

TEST(Segments, TestsAndGlobalAddresses) {
  for (const char* id : {"A052", "A056", "A057", "A058"}) hsa::Ledger::get().row(id);
  const std::string store = "cvt_u32_b1 $s1, $c0;\nst_global_u32 $s1, ";
  std::string body =
      "lda_group_u32 $s0, [%l][8];\nstof_group_u64_u32 $d1, $s0;\n"
      "lda_private_u32 $s0, [%p];\nstof_private_u64_u32 $d2, $s0;\n"
      "mov_b64 $d3, $d0;\n";
  // Rows: an address in group, private and global memory. Columns: the tests.
  unsigned at = 0;
  for (const char* address : {"$d1", "$d2", "$d3"}) {
    for (const char* segment : {"group", "private", "global"}) {
      body +=
          fmt::format("segmentp_{}_b1_u64 $c0, {};\n{}[$d0+{}];\n", segment, address, store, at);
      at += 4;
    }
  }
  // A global address is a flat one as it stands.
  body += "st_u32 77, [$d0+36];\nld_global_u32 $s0, [$d0+36];\nst_global_u32 $s0, [$d0+40];\n";
  for (const bool small : {false, true})
    EXPECT_THAT(results(body, 11, small),
                ::testing::ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1, 77, 77));
}

[[maybe_unused]] const auto* const kCount = hsa::count_rows("abi_code_test");

}  // namespace
