// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that is rewritten between two packets, code or descriptor: by the host, by somebody else
// on the memory while the machine runs, and by another kernel's store. The next dispatch sees it,
// whatever the engine kept of the one before. Machine code by hand (MI100 ISA 12, 13.1).
#include <gtest/gtest.h>

#include "base/bits.h"
#include "hsa/kernel_descriptor.h"
#include "queue_rig.h"

namespace cuvette {
namespace {

using testing_support::FenceScope;
using testing_support::QueueRig;

constexpr uint64_t kCode = 256, kOtherCode = 512;                // from the descriptor on
constexpr uint32_t kVmov = 0x7e000200;                           // v_mov_b32 v0, SRC0
constexpr uint32_t kLiteral = 0xff, kS0 = 0, kS2 = 2, kS4 = 4;   // SRC0
constexpr uint32_t kKernargPtr = 1 << 3, kDispatchPtr = 1 << 1;  // kernel_code_properties
constexpr uint32_t kTwoUserSgprs = 2 << 1, kWorkgroupX = 1 << 7,
                   kWorkgroupInfo = 1 << 10;  // COMPUTE_PGM_RSRC2
constexpr uint32_t kFloatMode = 12;           // COMPUTE_PGM_RSRC1, lowest bit

class Kernel {
 public:
  explicit Kernel(QueueRig& rig) : rig_(rig), out_(rig.allocate(64)) {
    hsa::DeviceMemory::Options options;
    options.permitted = hsa::Access::All;
    object_ = *rig.memory.allocate(1024, options);
    descriptor.kernel_code_entry_byte_offset = kCode;
    descriptor.kernel_code_properties = kKernargPtr;
    descriptor.compute_pgm_rsrc2 = kTwoUserSgprs;
    write(descriptor);
    store_at(kCode, kLiteral, 1);
  }

  /// Code that stores SRC0 (MODE is in s4) into the dword result() reads.
  void store_at(uint64_t offset, uint32_t source, uint32_t literal = 0) {
    store_at(offset, source, literal, out_);
  }
  void store_at(uint64_t offset, uint32_t source, uint32_t literal, uint64_t address) {
    std::vector<uint32_t> words = {0xb884f801, kVmov | source};  // s_getreg_b32 s4, MODE
    if (source == kLiteral) words.push_back(literal);
    words.insert(words.end(), {0x7e0402ff, base::lo32(address),  // v_mov_b32 v2, lo
                               0x7e0602ff, base::hi32(address),  // v_mov_b32 v3, hi
                               0xdc708000, 0x007f0002,           // global_store_dword v[2:3], v0
                               0xbf8c0f70, 0xbf810000});         // s_waitcnt vmcnt(0), s_endpgm
    ASSERT_TRUE(rig_.memory.write(object_ + offset, words.data(), 4 * words.size()));
  }
  void write(const hsa::KernelDescriptor& d) { ASSERT_TRUE(rig_.memory.write_value(object_, d)); }
  /// Address of the literal of the code at kCode.
  uint64_t literal() const { return object_ + kCode + 8; }
  uint64_t object() const { return object_; }

  hsa::KernelDispatchPacket packet() {
    hsa::KernelInfo info;
    info.descriptor = object_;
    const uint64_t nothing = 0;
    auto p = rig_.packet(info, 1, 1, &nothing, sizeof nothing);
    p.header = hsa::encode(
        {hsa::PacketType::KernelDispatch, true, FenceScope::System, FenceScope::System});
    return p;
  }
  /// One packet, alone; what it stores.
  uint32_t run() {
    last = packet();
    rig_.submit(0, last);
    rig_.run();
    return result();
  }
  uint32_t result() { return rig_.read<uint32_t>(out_); }

  hsa::KernelDescriptor descriptor;
  hsa::KernelDispatchPacket last;

 private:
  QueueRig& rig_;
  uint64_t out_, object_ = 0;
};

void by_the_host(const char* engine) {
  QueueRig rig(engine, 1);
  Kernel k(rig);
  EXPECT_EQ(k.run(), 1u);
  EXPECT_EQ(k.run(), 1u);
  ASSERT_TRUE(rig.memory.write_value(k.literal(), uint32_t{2}));
  EXPECT_EQ(k.run(), 2u);

  // The entry.
  k.store_at(kOtherCode, kLiteral, 3);
  EXPECT_EQ(k.run(), 2u);
  k.descriptor.kernel_code_entry_byte_offset = kOtherCode;
  k.write(k.descriptor);
  EXPECT_EQ(k.run(), 3u);

  // Contents of s[0:1]: the kernel arguments, the packet.
  k.store_at(kOtherCode, kS0);
  EXPECT_EQ(k.run(), base::lo32(k.last.kernarg_address));
  const uint64_t ring =
      rig.read<hsa::AmdQueue>(rig.queues[0].ring->address()).hsa_queue.base_address;
  k.descriptor.kernel_code_properties = kDispatchPtr;
  k.write(k.descriptor);
  const uint64_t index = *rig.queues[0].ring->load_write_index();
  EXPECT_EQ(k.run(), base::lo32(ring + index * hsa::kPacketBytes));

  // s2: the packet's number behind the packet, as long as COMPUTE_PGM_RSRC2 does not have the
  // work-group there.
  k.store_at(kOtherCode, kS2);
  k.descriptor.kernel_code_properties = kDispatchPtr | 1 << 4;
  k.descriptor.compute_pgm_rsrc2 = 4 << 1;
  k.write(k.descriptor);
  EXPECT_EQ(k.run(), index + 1);
  k.descriptor.kernel_code_properties = kDispatchPtr;
  k.descriptor.compute_pgm_rsrc2 = kTwoUserSgprs | kWorkgroupX;
  k.write(k.descriptor);
  EXPECT_EQ(k.run(), 0u);
  // Nothing but COMPUTE_PGM_RSRC2: first wave of a work-group of one.
  k.descriptor.compute_pgm_rsrc2 = kTwoUserSgprs | kWorkgroupInfo;
  k.write(k.descriptor);
  EXPECT_EQ(k.run(), 0x80000001u);

  // MODE: rounding and denormals are FLOAT_MODE of COMPUTE_PGM_RSRC1.
  k.store_at(kOtherCode, kS4);
  for (const uint32_t mode : {0x00u, 0xf0u, 0x05u, 0xf0u}) {
    k.descriptor.compute_pgm_rsrc1 = mode << kFloatMode;
    k.write(k.descriptor);
    EXPECT_EQ(k.run() & 0xff, mode);
  }
}

/// At the interrupt of the first packet, while a barrier packet waits: past the command processor
/// and the compute units, into physical memory.
void by_an_outsider(const char* engine) {
  QueueRig rig(engine, 1);
  Kernel k(rig);
  k.store_at(kOtherCode, kS4);
  EXPECT_EQ(k.run(), 1u);
  struct Step {
    uint64_t at;
    std::vector<uint8_t> bytes;
    uint32_t result;
  };
  k.descriptor.kernel_code_entry_byte_offset = kOtherCode;
  k.descriptor.compute_pgm_rsrc1 = 7 << kFloatMode;  // in MODE, which is what that code stores
  const auto* d = reinterpret_cast<const uint8_t*>(&k.descriptor);
  for (const Step& step :
       {Step{k.literal(), {5, 0, 0, 0}, 5}, Step{k.object(), {d, d + sizeof k.descriptor}, 7}}) {
    auto first = hsa::Signal::create(rig.memory, 1);
    ASSERT_TRUE(first && first->set_event(rig.allocate(8), 9).ok());
    const uint64_t written = rig.signal(1);
    const uint32_t before = k.result();
    rig.gpu->on_interrupt([&](const command_processor::Interrupt&) {
      EXPECT_EQ(k.result(), before);
      EXPECT_TRUE(rig.memory.backing().write(step.at, step.bytes.data(), step.bytes.size()));
      EXPECT_TRUE(hsa::Signal(rig.memory, written).store(0).ok());
    });
    auto p = k.packet();
    p.completion_signal = first->handle();
    hsa::BarrierPacket barrier;
    barrier.header =
        hsa::encode({hsa::PacketType::BarrierAnd, true, FenceScope::System, FenceScope::System});
    barrier.dep_signal[0] = written;
    rig.submit(0, p);
    rig.submit(0, barrier);
    rig.submit(0, k.packet());
    rig.run();
    EXPECT_EQ(k.result(), step.result);
  }
}

/// Three packets, one behind the other: the second kernel stores into the code, or the descriptor,
/// of the first one.
void by_another_kernel(const char* engine) {
  QueueRig rig(engine, 1);
  Kernel k(rig);
  k.store_at(kOtherCode, kS4);
  Kernel writer(rig);
  EXPECT_EQ(k.run(), 1u);
  const uint64_t entry =
      k.object() + offsetof(hsa::KernelDescriptor, kernel_code_entry_byte_offset);
  const uint64_t rsrc1 = k.object() + offsetof(hsa::KernelDescriptor, compute_pgm_rsrc1);
  const std::pair<uint64_t, uint32_t> stores[] = {
      {k.literal(), 6}, {entry, kOtherCode}, {rsrc1, 7 << kFloatMode}};
  const uint32_t results[] = {6, 0, 7};  // MODE in the last two
  for (unsigned i = 0; i < 3; ++i) {
    writer.store_at(kCode, kLiteral, stores[i].second, stores[i].first);
    rig.submit(0, k.packet());
    rig.submit(0, writer.packet());
    rig.submit(0, k.packet());
    rig.run();
    EXPECT_EQ(k.result(), results[i]);
  }
}

TEST(CodeChange, ByTheHostLt) {
  by_the_host("lt");
}
TEST(CodeChange, ByTheHostCa) {
  by_the_host("ca");
}
TEST(CodeChange, ByTheHostGolden) {
  by_the_host("golden");
}
TEST(CodeChange, ByAnOutsiderLt) {
  by_an_outsider("lt");
}
TEST(CodeChange, ByAnOutsiderCa) {
  by_an_outsider("ca");
}
TEST(CodeChange, ByAnotherKernelLt) {
  by_another_kernel("lt");
}
TEST(CodeChange, ByAnotherKernelCa) {
  by_another_kernel("ca");
}

}  // namespace
}  // namespace cuvette
