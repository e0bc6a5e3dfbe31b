// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One dispatch from the producer's first step to the completion signal, through registers, doorbell
// and ring, with a kernel that writes down what it was given: rows of the ABI checklist by id.
#include <fmt/format.h>

#include "driver_bench.h"
#include "finalizer/assembler.h"
#include "hsa_ledger.h"

namespace cuvette::gpu {
namespace {

constexpr uint64_t kRecordBytes = 1024;  // per wave
constexpr unsigned kSgprs = 22;          // s0..s19, and two apertures behind them
constexpr uint32_t kPrivateBytes = 16, kGroupBytes = 512;
// Work-groups of 16 x 4 x 2 items (two waves, cut between z 0 and z 1), two in each direction.
constexpr unsigned kGroups = 8, kWaves = 2;

/// s0-3 private segment buffer, 4 dispatch, 6 queue, 8 kernarg, 10 dispatch id, 12 flat scratch
/// init, 14 private segment size; then work-group ids, info, wave offset.
std::vector<std::string> kernel_text() {
  std::vector<std::string> t{
      "s_load_dwordx2 s[24:25], s[8:9], 0x0",
      // Number of the record: ((z 2 + y) 2 + x) 2 + wave.
      "v_readfirstlane_b32 s30, v2",
      "s_lshl_b32 s31, s17, 1",
      "s_add_u32 s31, s31, s16",
      "s_lshl_b32 s31, s31, 1",
      "s_add_u32 s31, s31, s15",
      "s_lshl_b32 s31, s31, 1",
      "s_add_u32 s31, s31, s30",
      "s_lshl_b32 s31, s31, 10",
      "s_waitcnt lgkmcnt(0)",
      "s_add_u32 s26, s24, s31",
      "s_addc_u32 s27, s25, 0",
      // Work-item ids, by lane.
      "v_mbcnt_lo_u32_b32 v4, -1, 0",
      "v_mbcnt_hi_u32_b32 v4, -1, v4",
      "v_lshlrev_b32 v7, 2, v4",
      "v_lshlrev_b32 v5, 8, v1",
      "v_or_b32 v5, v5, v0",
      "v_lshlrev_b32 v6, 16, v2",
      "v_or_b32 v5, v5, v6",
      "global_store_dword v7, v5, s[26:27]",
      "s_mov_b64 s[32:33], src_shared_base",
      "s_mov_b64 s[34:35], src_private_base",
      "v_mov_b32 v6, 0",
  };
  for (unsigned n = 0; n < kSgprs; ++n) {
    const unsigned source = n < 20 ? n : n == 20 ? 33 : 35;
    t.push_back(fmt::format("v_mov_b32 v5, s{}", source));
    t.push_back(fmt::format("global_store_dword v6, v5, s[26:27] offset:{}", 256 + 4 * n));
  }
  for (const char* line : {
           // Group memory by its own instruction, then by a flat address.
           "v_add_u32 v8, 7, v4",
           "ds_write_b32 v7, v8 offset:64",
           "s_waitcnt lgkmcnt(0)",
           "v_add_u32 v10, 64, v7",
           "v_mov_b32 v11, s33",
           "flat_load_dword v12, v[10:11]",
           "s_waitcnt vmcnt(0) lgkmcnt(0)",
           "global_store_dword v7, v12, s[26:27] offset:512",
           // Private memory by a flat address, then by its own instruction.
           "s_add_u32 flat_scratch_lo, s12, s19",
           "s_addc_u32 flat_scratch_hi, s13, 0",
           "v_add_u32 v13, 0x64, v4",
           "v_mov_b32 v10, 4",
           "v_mov_b32 v11, s35",
           "s_nop 4",
           "flat_store_dword v[10:11], v13",
           "s_waitcnt vmcnt(0) lgkmcnt(0)",
           "scratch_load_dword v14, v10, off",
           "s_waitcnt vmcnt(0)",
           "global_store_dword v7, v14, s[26:27] offset:768",
           // Four bytes from an odd address.
           "global_load_dword v15, v6, s[26:27] offset:257 glc",
           "s_waitcnt vmcnt(0)",
           "global_store_dword v6, v15, s[26:27] offset:400",
           "s_endpgm",
       }) {
    t.push_back(line);
  }
  return t;
}

class Record {
 public:
  Record(hsa::DeviceMemory& memory, uint64_t at) : memory_(memory), at_(at) {}
  uint32_t word(uint64_t offset) const {
    uint32_t value = 0;
    EXPECT_TRUE(memory_.read_value(at_ + offset, &value));
    return value;
  }
  uint32_t sgpr(unsigned n) const { return word(256 + 4 * n); }
  uint64_t pair(unsigned n) const { return uint64_t{sgpr(n + 1)} << 32 | sgpr(n); }

 private:
  hsa::DeviceMemory& memory_;
  uint64_t at_;
};

void whole_dispatch(Bench<Gpu>& b) {
  b.start();
  // The queue of the agent: a slot, with scratch memory and apertures in its object (A028).
  constexpr uint32_t kSharedHi = 0x10000, kPrivateHi = 0x20000;  // of the machine description
  const uint64_t scratch = *b.memory.allocate(uint64_t{64} * 1024);
  auto q = b.make_queue(1, 0, 0, 12);
  const uint64_t object = q.ring->address();
  const uint32_t descriptor_words[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};
  const auto set = [&](size_t offset, const auto& value) {
    EXPECT_TRUE(b.memory.write_value(object + offset, value));
  };
  set(offsetof(hsa::AmdQueue, scratch_resource_descriptor), descriptor_words);
  set(offsetof(hsa::AmdQueue, scratch_backing_memory_location), scratch);
  set(offsetof(hsa::AmdQueue, scratch_backing_memory_byte_size), uint64_t{64} * 1024);
  set(offsetof(hsa::AmdQueue, scratch_workitem_byte_size), kPrivateBytes);
  set(offsetof(hsa::AmdQueue, group_segment_aperture_base_hi), kSharedHi);
  set(offsetof(hsa::AmdQueue, private_segment_aperture_base_hi), kPrivateHi);
  b.activate(q);
  sc_core::wait(20, sc_core::SC_US);  // the look at what was there before is over

  // A kernel, and its arguments where it will read them (A029, A030).
  const auto code = finalizer::assemble(kernel_text(), "gfx908");
  ASSERT_TRUE(code.ok()) << code.error().str();
  hsa::KernelDescriptor k;
  k.kernel_code_entry_byte_offset = kCodeOffset;
  k.compute_pgm_rsrc1 = 0x00ac0000 | 5 << 6 | 3;  // 48 SGPRs, 16 VGPRs
  k.compute_pgm_rsrc2 = 1 | 15 << 1 | 7 << 7 | 1 << 10 | 2 << 11;
  k.kernel_code_properties = 0x7f;
  k.private_segment_fixed_size = 4;  // the packet's number counts (A067)
  const uint64_t kernel = b.load_kernel(k, *code);
  const uint64_t out = *b.memory.allocate(kGroups * kWaves * kRecordBytes);
  const uint64_t kernarg = *b.memory.allocate(8);
  ASSERT_TRUE(b.memory.write_value(kernarg, out));
  // gfx9 calls it ADDRESS_MODE; start() leaves it 0 and asks for unaligned accesses.
  EXPECT_GT(out, 0xffffffffu) << "64-bit addresses: "
                              << "A027 ";

  // One packet before it, so that its number is not 0.
  hsa::BarrierPacket nothing;
  nothing.header = hsa::encode(
      {hsa::PacketType::BarrierAnd, false, hsa::FenceScope::None, hsa::FenceScope::None});
  ASSERT_EQ(*q.ring->submit(&nothing), 0u);
  hsa::KernelDispatchPacket p;
  p.header = hsa::encode(
      {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
  p.setup = 3;
  p.workgroup_size_x = 16;
  p.workgroup_size_y = 4;
  p.workgroup_size_z = 2;
  p.grid_size_x = 32;
  p.grid_size_y = 8;
  p.grid_size_z = 4;
  p.private_segment_size = kPrivateBytes;
  p.group_segment_size = kGroupBytes;
  p.kernel_object = kernel;
  p.kernarg_address = kernarg;
  hsa::Signal done = *hsa::Signal::create(b.memory, 1);
  p.completion_signal = done.handle();
  const uint64_t index = *q.ring->submit(&p);
  ASSERT_EQ(index, 1u);
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_EQ(*done.load(), 1) << "nobody looks before the doorbell: "
                             << "A034 ";
  b.ring(q.doorbell, index);
  b.until([&] { return *done.load() == 0; }, "completion");
  EXPECT_EQ(*done.load(), 0) << "A039 ";
  EXPECT_EQ(*q.ring->load_read_index(), 2u) << "A035 "
                                            << "A285 ";

  std::set<uint32_t> wave_offsets;
  for (unsigned n = 0; n < kGroups * kWaves; ++n) {
    const Record r(b.memory, out + n * kRecordBytes);
    SCOPED_TRACE(fmt::format("work-group {} wave {}", n / kWaves, n % kWaves));
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(r.sgpr(i), descriptor_words[i]) << "A001 ";
    EXPECT_EQ(r.word(400), 0x22111111u) << "A026 ";
    EXPECT_EQ(r.pair(4), q.ring->packet_address(index)) << "A002 ";
    EXPECT_EQ(r.pair(6), object) << "A003 "
                                 << "A028 ";
    EXPECT_EQ(r.pair(8), kernarg) << "A004 "
                                  << "A030 ";
    EXPECT_EQ(r.pair(10), index) << "A005 ";
    EXPECT_EQ(r.pair(12), scratch) << "A006 ";
    EXPECT_EQ(r.sgpr(14), kPrivateBytes) << "A007 "
                                         << "A067 ";
    EXPECT_EQ(r.sgpr(15), n / kWaves % 2) << "A011 ";
    EXPECT_EQ(r.sgpr(16), n / kWaves / 2 % 2) << "A012 ";
    EXPECT_EQ(r.sgpr(17), n / kWaves / 4) << "A013 ";
    EXPECT_EQ(r.sgpr(18), (n % kWaves == 0 ? 0x80000000u : 0u) | kWaves) << "A014 ";
    const uint32_t offset = r.sgpr(19);
    EXPECT_EQ(offset % 1024, 0u) << "A015 ";
    wave_offsets.insert(offset);
    EXPECT_EQ(r.sgpr(20), kSharedHi) << "A049 ";
    EXPECT_EQ(r.sgpr(21), kPrivateHi) << "A050 ";
    for (uint32_t lane = 0; lane < 64; ++lane) {
      const uint32_t x = lane % 16;
      const uint32_t y = lane / 16;
      const uint32_t z = n % kWaves;
      EXPECT_EQ(r.word(4 * lane), x | y << 8 | z << 16) << "A016 "
                                                        << "A017 "
                                                        << "A018 ";
      EXPECT_EQ(r.word(512 + 4 * lane), lane + 7) << "A045 "
                                                  << "A053 ";
      EXPECT_EQ(r.word(768 + 4 * lane), lane + 100) << "A046 "
                                                    << "A054 ";
      // In the backing memory: dwords of one offset lie side by side, lane after lane.
      uint32_t stored = 0;
      EXPECT_TRUE(b.memory.read_value(scratch + offset + 256 + 4 * lane, &stored));
      EXPECT_EQ(stored, lane + 100) << "A043 "
                                    << "A062 ";
    }
  }
  EXPECT_FALSE(wave_offsets.empty());
  // Every wave began with its registers and ran its own prolog to the end.
  unsigned written = 0;
  for (unsigned n = 0; n < kGroups * kWaves; ++n) {
    const Record r(b.memory, out + n * kRecordBytes);
    if (r.pair(8) == kernarg && r.word(768 + 4 * 63) == 163) ++written;
  }
  EXPECT_EQ(written, kGroups * kWaves) << "A029 "
                                       << "A036 "
                                       << "A037 "
                                       << "A038 ";
  EXPECT_TRUE(b.gpu->take_errors().empty());
  b.remove(q);
  // The rows named above.
  for (const char* id : {"A001", "A002", "A003", "A004", "A005", "A006", "A007", "A011", "A012",
                         "A013", "A014", "A015", "A016", "A017", "A018", "A026", "A027", "A028",
                         "A029", "A030", "A034", "A035", "A036", "A037", "A038", "A039", "A043",
                         "A045", "A046", "A049", "A050", "A053", "A054", "A062", "A067", "A285"}) {
    hsa::Ledger::get().row(id);
  }
}

TEST(AbiDispatch, WholeSequenceThroughRegistersDoorbellAndRing) {
  Bench<Gpu>::go(whole_dispatch);
}

[[maybe_unused]] const auto* const kCount = hsa::count_rows("abi_dispatch_test");

}  // namespace
}  // namespace cuvette::gpu
