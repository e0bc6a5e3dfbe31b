// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/kernel_info.h"

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr uint32_t kMaxSgprs = 112;  // 102, VCC, FLAT_SCRATCH and XNACK_MASK, rounded up to 16

constexpr const char* kArgKinds[] = {
    "by_value",
    "global_buffer",
    "dynamic_shared_pointer",
    "sampler",
    "image",
    "pipe",
    "queue",
    "hidden_block_count_x",
    "hidden_block_count_y",
    "hidden_block_count_z",
    "hidden_group_size_x",
    "hidden_group_size_y",
    "hidden_group_size_z",
    "hidden_remainder_x",
    "hidden_remainder_y",
    "hidden_remainder_z",
    "hidden_global_offset_x",
    "hidden_global_offset_y",
    "hidden_global_offset_z",
    "hidden_grid_dims",
    "hidden_none",
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_multigrid_sync_arg",
    "hidden_heap_v1",
    "hidden_dynamic_lds_size",
    "hidden_private_base",
    "hidden_shared_base",
    "hidden_queue_ptr",
};
static_assert(sizeof kArgKinds / sizeof *kArgKinds == static_cast<size_t>(ArgKind::Unknown));

}  // namespace

uint32_t Rsrc1::mode() const {
  return static_cast<uint32_t>(round_32) | static_cast<uint32_t>(round_16_64) << 2 |
         static_cast<uint32_t>(denorm_32) << 4 | static_cast<uint32_t>(denorm_16_64) << 6 |
         uint32_t{dx10_clamp} << 8 | uint32_t{ieee} << 9 | uint32_t{fp16_ovfl} << 23;
}

Rsrc1 decode_rsrc1(uint32_t word) {
  Rsrc1 r;
  r.raw = word;
  r.vgpr_granules = static_cast<uint8_t>(base::bits(word, 5, 0));
  r.sgpr_granules = static_cast<uint8_t>(base::bits(word, 9, 6));
  r.priority = static_cast<uint8_t>(base::bits(word, 11, 10));
  r.round_32 = static_cast<FloatRound>(base::bits(word, 13, 12));
  r.round_16_64 = static_cast<FloatRound>(base::bits(word, 15, 14));
  r.denorm_32 = static_cast<FloatDenorm>(base::bits(word, 17, 16));
  r.denorm_16_64 = static_cast<FloatDenorm>(base::bits(word, 19, 18));
  r.priv = base::bit(word, 20);
  r.dx10_clamp = base::bit(word, 21);
  r.debug_mode = base::bit(word, 22);
  r.ieee = base::bit(word, 23);
  r.bulky = base::bit(word, 24);
  r.cdbg_user = base::bit(word, 25);
  r.fp16_ovfl = base::bit(word, 26);
  return r;
}

Rsrc2 decode_rsrc2(uint32_t word) {
  Rsrc2 r;
  r.raw = word;
  r.private_segment = base::bit(word, 0);
  r.user_sgpr_count = static_cast<uint8_t>(base::bits(word, 5, 1));
  r.trap_handler = base::bit(word, 6);
  r.workgroup_id_x = base::bit(word, 7);
  r.workgroup_id_y = base::bit(word, 8);
  r.workgroup_id_z = base::bit(word, 9);
  r.workgroup_info = base::bit(word, 10);
  r.workitem_id = static_cast<uint8_t>(base::bits(word, 12, 11));
  r.lds_granules = static_cast<uint16_t>(base::bits(word, 23, 15));
  r.exceptions = static_cast<uint16_t>(base::bits(word, 30, 24) | base::bits(word, 14, 13) << 7);
  return r;
}

Rsrc3 decode_rsrc3(uint32_t word) {
  Rsrc3 r;
  r.raw = word;
  r.accum_offset = static_cast<uint8_t>(base::bits(word, 5, 0));
  r.tg_split = base::bit(word, 16);
  return r;
}

UserSgprs decode_user_sgprs(uint32_t properties) {
  UserSgprs u;
  u.private_segment_buffer = base::bit(properties, 0);
  u.dispatch_ptr = base::bit(properties, 1);
  u.queue_ptr = base::bit(properties, 2);
  u.kernarg_segment_ptr = base::bit(properties, 3);
  u.dispatch_id = base::bit(properties, 4);
  u.flat_scratch_init = base::bit(properties, 5);
  u.private_segment_size = base::bit(properties, 6);
  u.grid_workgroup_count_x = base::bit(properties, 7);
  u.grid_workgroup_count_y = base::bit(properties, 8);
  u.grid_workgroup_count_z = base::bit(properties, 9);
  return u;
}

void decode_kernarg_preload(uint16_t word, KernelInfo& info) {
  info.kernarg_preload_dwords = static_cast<uint8_t>(base::bits(word, 6, 0));
  info.kernarg_preload_offset = static_cast<uint16_t>(base::bits(word, 15, 7));
}

const char* arg_kind_name(ArgKind kind) {
  return kind == ArgKind::Unknown ? "unknown" : kArgKinds[static_cast<size_t>(kind)];
}

ArgKind arg_kind(const std::string& snake_name) {
  for (size_t i = 0; i < static_cast<size_t>(ArgKind::Unknown); ++i) {
    if (snake_name == kArgKinds[i]) return static_cast<ArgKind>(i);
  }
  return ArgKind::Unknown;
}

base::Status set_register_counts(KernelInfo& info) {
  const ProcessorFacts& processor = facts(info.target.processor);
  info.vgpr_count = (info.rsrc1.vgpr_granules + 1u) * processor.vgpr_granule;
  info.sgpr_count = (info.rsrc1.sgpr_granules / 2 + 1u) * 16;
  info.accum_offset = processor.unified_vgprs ? (info.rsrc3.accum_offset + 1u) * 4 : 0;
  if (info.sgpr_count > kMaxSgprs) {
    return base::Error(fmt::format("{} SGPRs, at most {} expected", info.sgpr_count, kMaxSgprs));
  }
  if (info.accum_offset > info.vgpr_count) {
    return base::Error(fmt::format("accumulation VGPRs start at {} of {} registers",
                                   info.accum_offset, info.vgpr_count));
  }
  return {};
}

}  // namespace cuvette::hsa
