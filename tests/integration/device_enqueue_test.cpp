// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// HSAIL programs that put packets into queues themselves (HSAIL PRM 11.1 to 11.3; Compute ABI, AQL
// packets): into the queue they came from and into another one, with queue instructions, signals
// and kernel arguments made on the device. A wave has no doorbell here: a barrier packet that waits
// for a signal keeps the queue awake.
#include <gtest/gtest.h>

#include "queue_rig.h"

namespace cuvette {
namespace {

using testing_support::FenceScope;
using testing_support::header;
using testing_support::QueueRig;

constexpr uint32_t kDepth = 40;  // 82 packets in a ring of 64
constexpr uint32_t kSignalBytes = 64, kArgumentBytes = 64;

/// Each work-item adds 1 to out[depth]; the first one writes down the packet's number and
/// completion signal. Above depth 0 it then puts two packets into the queue, its own kernel with
/// depth - 1 and a barrier-AND that waits for the signal of depth - 1, and lowers the signal of its
/// own depth.
constexpr const char* kKernel = R"(module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %queue, kernarg_u64 %arguments, kernarg_u64 %out,
               kernarg_u64 %signals, kernarg_u64 %done, kernarg_u64 %object, kernarg_u32 %depth)
{
  ld_kernarg_align(8)_u64 $d0, [%queue];
  ld_kernarg_align(8)_u64 $d1, [%arguments];
  ld_kernarg_align(8)_u64 $d2, [%out];
  ld_kernarg_align(8)_u64 $d3, [%signals];
  ld_kernarg_align(8)_u64 $d4, [%done];
  ld_kernarg_align(8)_u64 $d5, [%object];
  ld_kernarg_align(4)_u32 $s0, [%depth];
  // An entry of out: count, 0, packet number, signal.
  mul_u32 $s1, $s0, 24;
  cvt_u64_u32 $d6, $s1;
  add_u64 $d6, $d2, $d6;
  atomicnoret_add_global_rlx_agent_u32 [$d6], 1;
  workitemabsid_u32 $s2, 0;
  cmp_ne_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @end;
  packetid_u64 $d7;
  st_global_align(8)_u64 $d7, [$d6+8];
  packetcompletionsig_sig64 $d7;
  st_global_align(8)_sig64 $d7, [$d6+16];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;

  // The child's arguments.
  sub_u32 $s3, $s0, 1;
  mul_u32 $s4, $s3, 64;
  cvt_u64_u32 $d8, $s4;
  add_u64 $d9, $d1, $d8;
  st_global_align(8)_u64 $d0, [$d9];
  st_global_align(8)_u64 $d1, [$d9+8];
  st_global_align(8)_u64 $d2, [$d9+16];
  st_global_align(8)_u64 $d3, [$d9+24];
  st_global_align(8)_u64 $d4, [$d9+32];
  st_global_align(8)_u64 $d5, [$d9+40];
  st_global_align(4)_u32 $s3, [$d9+48];

  // Two slots of the ring.
  addqueuewriteindex_global_scar_u64 $d10, [$d0], 2;
  ld_global_align(8)_u64 $d11, [$d0+8];
  ld_global_align(4)_u32 $s5, [$d0+24];
  sub_u32 $s5, $s5, 1;
  cvt_u32_u64 $s6, $d10;
  and_b32 $s7, $s6, $s5;
  mul_u32 $s7, $s7, 64;
  cvt_u64_u32 $d12, $s7;
  add_u64 $d12, $d11, $d12;
  add_u32 $s6, $s6, 1;
  and_b32 $s7, $s6, $s5;
  mul_u32 $s7, $s7, 64;
  cvt_u64_u32 $d13, $s7;
  add_u64 $d13, $d11, $d13;

  // The dispatch: 64 work-items in a group; the last of the chain has no barrier behind it.
  st_global_align(4)_u32 0x00010040, [$d12+4];
  st_global_align(4)_u32 1, [$d12+8];
  st_global_align(4)_u32 64, [$d12+12];
  st_global_align(4)_u32 1, [$d12+16];
  st_global_align(4)_u32 1, [$d12+20];
  st_global_align(8)_u64 0, [$d12+24];
  st_global_align(8)_u64 $d5, [$d12+32];
  st_global_align(8)_u64 $d9, [$d12+40];
  st_global_align(8)_u64 0, [$d12+48];
  add_u64 $d14, $d4, $d8;
  st_global_align(8)_u64 $d14, [$d12+56];
  add_u64 $d14, $d3, $d8;
  cmp_eq_b1_u32 $c0, $s3, 0;
  cmov_b64 $d14, $c0, 0, $d14;
  st_global_align(4)_u32 0, [$d13+4];
  st_global_align(8)_u64 $d14, [$d13+8];
  st_global_align(8)_u64 0, [$d13+16];
  st_global_align(8)_u64 0, [$d13+24];
  st_global_align(8)_u64 0, [$d13+32];
  st_global_align(8)_u64 0, [$d13+40];
  st_global_align(8)_u64 0, [$d13+48];
  st_global_align(8)_u64 0, [$d13+56];
  // Headers last: types 3 and 2, fences of system scope.
  atomicnoret_st_global_screl_system_b32 [$d13], 0x00001403;
  atomicnoret_st_global_screl_system_b32 [$d12], 0x00011402;

  // The barrier that the queue waits at.
  mul_u32 $s4, $s0, 64;
  cvt_u64_u32 $d8, $s4;
  add_u64 $d14, $d3, $d8;
  signalnoret_sub_screl_s64_sig64 $d14, 1;
@end:
  ret;
};
)";

struct Arguments {
  uint64_t queue, arguments, out, signals, done, object;
  uint32_t depth, padding;
};
struct Entry {
  uint32_t count, padding;
  uint64_t packet, signal;
};

class DeviceEnqueue : public testing::TestWithParam<const char*> {
 protected:
  DeviceEnqueue() {
    rig_.add_queue(true);
    rig_.add_queue(true);
    kernel_ = rig_.kernel(kKernel);
    a_.arguments = rig_.allocate((kDepth + 1) * kArgumentBytes);
    a_.out = rig_.allocate((kDepth + 1) * sizeof(Entry));
    a_.signals = signals();
    a_.done = signals();
    a_.object = kernel_.descriptor;
    a_.depth = kDepth;
  }
  /// One of value 1 for each depth.
  uint64_t signals() {
    const uint64_t at = rig_.allocate_shared((kDepth + 1) * kSignalBytes);
    hsa::AmdSignal one;
    one.kind = static_cast<int64_t>(hsa::SignalKind::User);
    one.value = 1;
    for (uint32_t d = 0; d <= kDepth; ++d) {
      EXPECT_TRUE(rig_.memory.write_value(at + d * kSignalBytes, one));
    }
    return at;
  }
  uint64_t address(unsigned queue) { return rig_.queues[queue].ring->address(); }

  /// The first kernel into queue `from`; it and its children put theirs into queue `to`, which
  /// waits at a barrier for it.
  void chain(unsigned from, unsigned to) {
    a_.queue = address(to);
    auto p = rig_.packet(kernel_, 64, 64, &a_, sizeof a_);
    p.completion_signal = a_.done + kDepth * kSignalBytes;
    hsa::BarrierPacket barrier;
    barrier.header =
        header(hsa::PacketType::BarrierAnd, false, FenceScope::System, FenceScope::System);
    barrier.dep_signal[0] = a_.signals + kDepth * kSignalBytes;
    if (from != to) rig_.submit(to, barrier);
    rig_.submit(from, p);
    if (from == to) rig_.submit(to, barrier);
    rig_.run();
  }
  void check(unsigned from, unsigned to) {
    const uint64_t first = from == to ? 2 : 1;  // of the children's packets in `to`
    for (uint32_t d = 0; d <= kDepth; ++d) {
      const auto e = rig_.read<Entry>(a_.out + d * sizeof(Entry));
      EXPECT_EQ(e.count, 64u) << d;
      EXPECT_EQ(e.packet, d == kDepth ? 0 : first + 2 * (kDepth - 1 - d)) << d;
      EXPECT_EQ(e.signal, a_.done + d * kSignalBytes) << d;
      EXPECT_EQ(rig_.value(a_.done + d * kSignalBytes), 0) << d;
      EXPECT_EQ(rig_.value(a_.signals + d * kSignalBytes), d == 0 ? 1 : 0) << d;
    }
    EXPECT_EQ(rig_.error(from), 0);
    EXPECT_EQ(rig_.error(to), 0);
    EXPECT_EQ(*rig_.queues[to].ring->load_read_index(), first + 2 * kDepth);
    EXPECT_EQ(*rig_.queues[to].ring->load_write_index(), first + 2 * kDepth);
    for (uint64_t slot = 0; slot < rig_.queues[to].ring->size(); ++slot) {
      EXPECT_EQ(rig_.queues[to].ring->header(slot)->type, hsa::PacketType::Invalid) << slot;
    }
  }

  QueueRig rig_{GetParam(), 0};
  hsa::KernelInfo kernel_;
  Arguments a_{};
};

TEST_P(DeviceEnqueue, IntoItsOwnQueue) {
  chain(0, 0);
  check(0, 0);
}

TEST_P(DeviceEnqueue, IntoAnotherQueue) {
  chain(0, 1);
  check(0, 1);
  EXPECT_EQ(*rig_.queues[0].ring->load_read_index(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Engines, DeviceEnqueue, testing::Values("ca", "lt", "golden"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace cuvette
