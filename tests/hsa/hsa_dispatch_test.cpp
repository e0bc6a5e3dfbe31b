// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Initial register layout and the kernarg segment.
#include <algorithm>
#include <cctype>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa/dispatch.h"
#include "hsa/kernarg.h"
#include "hsa_ledger.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;

KernelInfo plain(Processor processor) {
  KernelInfo k;
  k.name = "k";
  k.target = default_machine(processor);
  k.vgpr_count = 8;
  k.sgpr_count = 32;
  return k;
}

std::vector<RegisterSlot> sgprs(const InitialLayout& layout) {
  std::vector<RegisterSlot> all = layout.user_sgprs;
  all.insert(all.end(), layout.system_sgprs.begin(), layout.system_sgprs.end());
  return all;
}

std::vector<LedgerRow> in_order(const char* group) {
  auto rows = Ledger::get().group(group);
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.order < b.order; });
  return rows;
}

TEST(HsaDispatch, AllSgprsInLedgerOrder) {
  KernelInfo k = plain(Processor::Gfx908);
  k.user_sgprs = {true, true, true, true, true, true, true, true, true, true};
  k.rsrc2.user_sgpr_count = 18;
  k.rsrc2.workgroup_id_x = k.rsrc2.workgroup_id_y = k.rsrc2.workgroup_id_z = true;
  k.rsrc2.workgroup_info = k.rsrc2.private_segment = true;
  const auto layout = initial_layout(k);
  ASSERT_TRUE(layout.ok()) << layout.error().str();
  const auto all = sgprs(*layout);
  const auto rows = in_order("sgpr_init");
  ASSERT_EQ(all.size(), rows.size());
  int next = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(name(all[i].what), rows[i].item);
    EXPECT_EQ(static_cast<int>(all[i].count), rows[i].registers) << rows[i].item;
    if (i == 10) next = 16;  // only 16 user SGPRs are real; the system ones follow these
    EXPECT_EQ(static_cast<int>(all[i].first), next) << rows[i].item;
    next += rows[i].registers;
  }
  Ledger::get().row("A020");
  Ledger::get().row("A022");
  EXPECT_EQ(layout->user_sgprs.size(), 10u) << "user SGPRs by CP, the rest by SPI";
  EXPECT_EQ(layout->system_sgprs.size(), 5u);
  // 4+2+2+2+2+2+1 = 15 before the counts: X is the 16th and last one written.
  EXPECT_EQ(layout->user_sgprs[7].written, 1);
  EXPECT_EQ(layout->user_sgprs[8].written, 0);
  EXPECT_EQ(layout->user_sgprs[9].written, 0);
}

TEST(HsaDispatch, DenseNumbering) {
  Ledger::get().row("A019");
  Ledger::get().row("A024");
  KernelInfo k = plain(Processor::Gfx900);
  k.user_sgprs.dispatch_ptr = true;
  k.user_sgprs.kernarg_segment_ptr = true;
  k.user_sgprs.private_segment_size = true;
  k.rsrc2.user_sgpr_count = 5;
  k.rsrc2.workgroup_id_z = true;
  k.rsrc2.private_segment = true;
  const auto layout = initial_layout(k);
  ASSERT_TRUE(layout.ok());
  const auto all = sgprs(*layout);
  ASSERT_EQ(all.size(), 5u);
  const std::vector<std::pair<InitialRegister, int>> expected = {
      {InitialRegister::DispatchPtr, 0},
      {InitialRegister::KernargSegmentPtr, 2},
      {InitialRegister::PrivateSegmentSize, 4},
      {InitialRegister::WorkgroupIdZ, 5},
      {InitialRegister::PrivateSegmentWaveByteOffset, 6}};
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].what, expected[i].first);
    EXPECT_EQ(static_cast<int>(all[i].first), expected[i].second);
  }
}

TEST(HsaDispatch, CountsThatDoNotMatch) {
  Ledger::get().row("A021");
  KernelInfo k = plain(Processor::Gfx908);
  k.user_sgprs.queue_ptr = k.user_sgprs.kernarg_segment_ptr = true;
  k.rsrc2.user_sgpr_count = 3;
  const auto few = initial_layout(k);
  ASSERT_FALSE(few.ok());
  EXPECT_THAT(few.error().what, HasSubstr("user_sgpr_count is 3, but 4"));
  // More than enabled is what an assembler may ask for: unnamed registers in between.
  k.rsrc2.user_sgpr_count = 6;
  k.rsrc2.workgroup_id_x = true;
  const auto more = initial_layout(k);
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(more->system_sgprs.at(0).first, 6);
}

TEST(HsaDispatch, Vgprs) {
  Ledger::get().row("A023");
  const auto rows = in_order("vgpr_init");
  for (uint8_t id = 0; id < 3; ++id) {
    KernelInfo k = plain(Processor::Gfx908);
    k.rsrc2.workitem_id = id;
    const auto layout = initial_layout(k);
    ASSERT_TRUE(layout.ok());
    ASSERT_EQ(layout->vgprs.size(), id + 1u);
    for (unsigned i = 0; i <= id; ++i) {
      EXPECT_EQ(name(layout->vgprs[i].what), rows.at(i).item);
      EXPECT_EQ(layout->vgprs[i].first, i);
    }
  }
  KernelInfo bad = plain(Processor::Gfx908);
  bad.rsrc2.workitem_id = 3;
  EXPECT_FALSE(initial_layout(bad).ok());
  Ledger::get().row("A344");
  for (Processor p : {Processor::Gfx90a, Processor::Gfx942}) {
    KernelInfo k = plain(p);
    k.rsrc2.workitem_id = 2;
    const auto layout = initial_layout(k);
    ASSERT_EQ(layout->vgprs.size(), 1u);
    EXPECT_EQ(layout->vgprs[0].what, InitialRegister::PackedWorkitemId);
  }
}

TEST(HsaDispatch, ArchitectedScratch) {
  Ledger::get().row("A064");
  KernelInfo k = plain(Processor::Gfx942);
  k.rsrc2.private_segment = true;
  k.rsrc2.workgroup_id_x = true;
  const auto layout = initial_layout(k);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->system_sgprs.size(), 1u) << "no wave offset";
  k.user_sgprs.private_segment_buffer = true;
  k.rsrc2.user_sgpr_count = 4;
  EXPECT_FALSE(initial_layout(k).ok());
  k.user_sgprs.private_segment_buffer = false;
  k.user_sgprs.flat_scratch_init = true;
  EXPECT_FALSE(initial_layout(k).ok());
}

TEST(HsaDispatch, KernargPreloadComesLast) {
  KernelInfo k = plain(Processor::Gfx90a);
  k.user_sgprs.kernarg_segment_ptr = true;
  k.kernarg_preload_dwords = 3;
  k.rsrc2.user_sgpr_count = 5;
  const auto layout = initial_layout(k);
  ASSERT_TRUE(layout.ok());
  ASSERT_EQ(layout->user_sgprs.size(), 2u);
  EXPECT_EQ(layout->user_sgprs[1].what, InitialRegister::KernargPreload);
  EXPECT_EQ(layout->user_sgprs[1].first, 2);
  EXPECT_EQ(layout->user_sgprs[1].count, 3);
}

TEST(HsaDispatch, RegisterCounts) {
  Ledger::get().row("A345");
  auto counts = [](Processor p, uint32_t rsrc1, uint32_t rsrc3) {
    KernelInfo k = plain(p);
    k.rsrc1 = decode_rsrc1(rsrc1);
    k.rsrc3 = decode_rsrc3(rsrc3);
    EXPECT_TRUE(set_register_counts(k).ok());
    return k;
  };
  // 6 blocks of 4; SGPR field 2 is 3 blocks of 8, allocated as 32.
  const KernelInfo old = counts(Processor::Gfx908, 5 | 2 << 6, 0);
  EXPECT_EQ(old.vgpr_count, 24u);
  EXPECT_EQ(old.sgpr_count, 32u);
  EXPECT_EQ(old.accum_offset, 0u);
  // 6 blocks of 8; accumulation registers from (9 + 1) * 4.
  const KernelInfo unified = counts(Processor::Gfx90a, 5, 9);
  EXPECT_EQ(unified.vgpr_count, 48u);
  EXPECT_EQ(unified.sgpr_count, 16u);
  EXPECT_EQ(unified.accum_offset, 40u);
  EXPECT_EQ(counts(Processor::Gfx942, 63, 63).vgpr_count, 512u);
  KernelInfo bad = plain(Processor::Gfx90a);
  bad.rsrc3 = decode_rsrc3(2);  // starts at 12, only 8 allocated
  EXPECT_FALSE(set_register_counts(bad).ok());
  bad.rsrc3 = decode_rsrc3(0);
  bad.rsrc1 = decode_rsrc1(15 << 6);  // 128 SGPRs
  EXPECT_FALSE(set_register_counts(bad).ok());
}

TEST(HsaTarget, TextAndCompatibility) {
  EXPECT_EQ(default_machine(Processor::Gfx900).str(), "gfx900:xnack-");
  EXPECT_EQ(default_machine(Processor::Gfx906).str(), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(default_machine(Processor::Gfx908).str(), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(default_machine(Processor::Gfx90a).str(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(default_machine(Processor::Gfx942).str(), "gfx942:sramecc+:xnack-");
  const TargetId machine = default_machine(Processor::Gfx908);
  const std::pair<const char*, bool> cases[] = {{"gfx908", true},
                                                {"gfx908:xnack-", true},
                                                {"gfx908:xnack+", false},
                                                {"gfx908:sramecc+", true},
                                                {"gfx908:sramecc-", false},
                                                {"gfx906", false},
                                                {"gfx90a", false},
                                                {"gfx908:sramecc+:xnack-", true},
                                                {"gfx908:xnack-:sramecc+", true}};
  for (const auto& [text, fits] : cases) {
    const auto target = parse_target(text);
    ASSERT_TRUE(target.ok()) << text;
    EXPECT_EQ(compatible(*target, machine), fits) << text;
  }
  EXPECT_EQ(*parse_target("amdgcn-amd-amdhsa--gfx90a:xnack+"), *parse_target("gfx90a:xnack+"));
  for (const char* bad : {"", "gfx1030", "gfx908:", "gfx908:xnack", "gfx908:xnack+:xnack+",
                          "gfx900:sramecc+", "gfx908:foo+", "gfx908:+"}) {
    EXPECT_FALSE(parse_target(bad).ok()) << bad;
  }
}

TEST(HsaTarget, ElfFlags) {
  // Numbers as llvm-readelf-19 prints them for clang's objects.
  auto text = [](uint32_t flags, uint8_t abi) {
    auto t = target_from_flags(flags, abi);
    return t.ok() ? t->str() : t.error().what;
  };
  EXPECT_EQ(text(0x530, 2), "gfx908");                  // any, any
  EXPECT_EQ(text(0xe30, 3), "gfx908:sramecc+:xnack-");  // on, off
  EXPECT_EQ(text(0xb30, 4), "gfx908:sramecc-:xnack+");  // off, on
  EXPECT_EQ(text(0x330, 1), "gfx908:sramecc+:xnack+");  // v3: two single bits
  EXPECT_EQ(text(0x030, 1), "gfx908:sramecc-:xnack-");
  EXPECT_EQ(text(0x12c, 2), "gfx900");
  EXPECT_EQ(text(0x54c, 3), "gfx942");
  EXPECT_THAT(text(0x036, 2), HasSubstr("code for gfx1030"));
  EXPECT_THAT(text(0x0ff, 2), HasSubstr("unknown processor 0xff"));
}

// ---- kernarg ----

KernelArg arg(const char* kind, uint64_t offset, uint64_t size) {
  KernelArg a;
  a.kind_name = kind;
  a.kind = arg_kind(kind);
  a.offset = offset;
  a.size = size;
  return a;
}

TEST(HsaKernarg, EveryHiddenKind) {
  KernelInfo k = plain(Processor::Gfx908);
  k.has_metadata = true;
  k.kernarg_bytes = 256;
  const struct {
    const char* kind;
    uint64_t size;
    uint64_t value;
  } cases[] = {
      // grid 1000 x 30 x 7, groups of 64 x 8 x 4
      {"hidden_block_count_x", 4, 15},
      {"hidden_block_count_y", 4, 3},
      {"hidden_block_count_z", 4, 1},
      {"hidden_group_size_x", 2, 64},
      {"hidden_group_size_y", 2, 8},
      {"hidden_group_size_z", 2, 4},
      {"hidden_remainder_x", 2, 40},
      {"hidden_remainder_y", 2, 6},
      {"hidden_remainder_z", 2, 3},
      {"hidden_global_offset_x", 8, 0x1111111111},
      {"hidden_global_offset_y", 8, 0x2222222222},
      {"hidden_global_offset_z", 8, 0x3333333333},
      {"hidden_grid_dims", 2, 3},
      {"hidden_none", 8, 0},
      {"hidden_printf_buffer", 8, 0xa1},
      {"hidden_hostcall_buffer", 8, 0xa2},
      {"hidden_default_queue", 8, 0xa3},
      {"hidden_completion_action", 8, 0xa4},
      {"hidden_multigrid_sync_arg", 8, 0xa5},
      {"hidden_heap_v1", 8, 0xa6},
      {"hidden_dynamic_lds_size", 4, 0xa7},
      {"hidden_private_base", 4, 0xa8},
      {"hidden_shared_base", 4, 0xa9},
      {"hidden_queue_ptr", 8, 0xaa},
  };
  uint64_t offset = 0;
  for (const auto& c : cases) {
    offset = (offset + c.size - 1) / c.size * c.size;
    k.args.push_back(arg(c.kind, offset, c.size));
    offset += c.size;
  }
  HiddenValues h;
  h.grid[0] = 1000, h.grid[1] = 30, h.grid[2] = 7;
  h.workgroup[0] = 64, h.workgroup[1] = 8, h.workgroup[2] = 4;
  h.dimensions = 3;
  h.global_offset[0] = 0x1111111111, h.global_offset[1] = 0x2222222222;
  h.global_offset[2] = 0x3333333333;
  h.printf_buffer = 0xa1, h.hostcall_buffer = 0xa2, h.default_queue = 0xa3;
  h.completion_action = 0xa4, h.multigrid_sync = 0xa5, h.heap_v1 = 0xa6, h.dynamic_lds_bytes = 0xa7;
  h.private_base_hi = 0xa8, h.shared_base_hi = 0xa9, h.queue_ptr = 0xaa;
  auto value = [&k](const std::vector<uint8_t>& segment, size_t i) {
    uint64_t v = 0;
    for (uint64_t b = k.args[i].size; b-- > 0;) v = v << 8 | segment[k.args[i].offset + b];
    return v;
  };
  const auto segment = fill_kernarg(k, {}, h, {});
  ASSERT_TRUE(segment.ok()) << segment.error().str();
  ASSERT_EQ(segment->size(), 256u);
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(value(*segment, i), cases[i].value) << cases[i].kind;
  }
  const auto changed = fill_kernarg(k, {}, h, {{"hidden_group_size_y", 77}, {"hidden_none", 5}});
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(value(*changed, 4), 77u);
  EXPECT_EQ(value(*changed, 13), 5u);
  EXPECT_FALSE(fill_kernarg(k, {}, h, {{"hidden_group_size_y", 0x10000}}).ok()) << "2 bytes";
  EXPECT_FALSE(fill_kernarg(k, {}, h, {{"hidden_bogus", 1}}).ok());
}

TEST(HsaKernarg, ExplicitArgumentsAndErrors) {
  KernelInfo k = plain(Processor::Gfx908);
  k.kernarg_bytes = 24;
  k.args = {arg("by_value", 0, 2), arg("global_buffer", 8, 8),
            arg("dynamic_shared_pointer", 16, 4)};
  const std::vector<std::vector<uint8_t>> good = {
      {0x34, 0x12}, {1, 2, 3, 4, 5, 6, 7, 8}, {0xaa, 0xbb, 0xcc, 0xdd}};
  EXPECT_FALSE(fill_kernarg(k, good, {}, {}).ok()) << "no metadata";
  k.has_metadata = true;
  const auto segment = fill_kernarg(k, good, {}, {});
  ASSERT_TRUE(segment.ok());
  const std::vector<uint8_t> expected = {0x34, 0x12, 0, 0, 0,    0,    0,    0,    1, 2, 3, 4,
                                         5,    6,    7, 8, 0xaa, 0xbb, 0xcc, 0xdd, 0, 0, 0, 0};
  EXPECT_EQ(*segment, expected);
  EXPECT_THAT(fill_kernarg(k, {good[0], good[1]}, {}, {}).error().what,
              HasSubstr("2 arguments given, 3 expected"));
  EXPECT_THAT(fill_kernarg(k, {good[0], good[2], good[2]}, {}, {}).error().what,
              HasSubstr("argument 1: 4 bytes given, 8 expected"));
  KernelInfo unknown = k;
  unknown.args.push_back(arg("hidden_from_the_future", 20, 4));
  EXPECT_THAT(fill_kernarg(unknown, good, {}, {}).error().what,
              HasSubstr("unknown argument kind 'hidden_from_the_future'"));
  KernelInfo outside = k;
  outside.args[2].offset = 22;
  EXPECT_THAT(fill_kernarg(outside, good, {}, {}).error().what, HasSubstr("outside"));
  outside.args[2].offset = ~uint64_t{0};
  EXPECT_FALSE(fill_kernarg(outside, good, {}, {}).ok());
}

}  // namespace
}  // namespace cuvette::hsa
