// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "compute_unit_harness.h"

// Instructions with more than one thing to fetch: data between memory and LDS (MI100 ISA 9.1.9),
// atomics whose operand is in LDS (Vega ISA 10.3), sampled images (MI100 ISA 9.4). Expected values
// by hand.
namespace cuvette::compute_unit::testing {
namespace {

constexpr char kTransferAt[] = "v_lshlrev_b32 v2, 2, v0";  // v2 = 4 * lane
constexpr char kAll[] = "s_waitcnt vmcnt(0) lgkmcnt(0)";

/// s0..s3: two pointers; s8..s11: a raw buffer of `bytes` bytes at `in`.
std::vector<uint32_t> with_buffer(uint64_t in, uint64_t out, uint32_t bytes) {
  std::vector<uint32_t> s = pointers({in, out});
  s.resize(8);
  s.insert(s.end(), {base::lo32(in), base::hi32(in), bytes, 4u << 15});
  return s;
}

void expect_clean(const Machine& m) {
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_FALSE(m.done[0].error) << m.cu->failure();
}

TEST(ComputeUnitTransfer, BufferLoadToLds) {
  for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
    Machine m({.clock = clock});
    const uint64_t in = m.buffer(256), out = m.buffer(512);
    for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 7000 + n);
    // Lanes 60 to 63 are beyond the buffer: their dwords of LDS become 0. Lane 5 is off.
    m.run_one(
        {kTransferAt, "v_mov_b32 v3, -1", "ds_write_b32 v2, v3 offset:64", kAll, "s_mov_b32 m0, 64",
         "s_mov_b64 exec, s[4:5]", "buffer_load_dword v2, s[8:11], 0 offen lds",
         "s_waitcnt vmcnt(0)", "s_mov_b64 exec, -1", "ds_read_b32 v4, v2 offset:64", kAll,
         "global_store_dword v2, v4, s[2:3]", "s_endpgm"},
        {.lds_bytes = 512, .sgpr = [&] {
           auto s = with_buffer(in, out, 240);
           s[4] = ~(1u << 5);
           s[5] = ~0u;
           return s;
         }()});
    expect_clean(m);
    for (uint32_t n = 0; n < 64; ++n) {
      EXPECT_EQ(m.word(out + 4 * n), n == 5 ? ~0u : n < 60 ? 7000 + n : 0) << n;
    }
  }
}

TEST(ComputeUnitTransfer, BytesAreExtendedAndOffsetsCountInBoth) {
  Machine m;
  const uint64_t in = m.buffer(512), out = m.buffer(512);
  for (uint32_t n = 0; n < 128; ++n) m.set(in + 4 * n, 0x01010101u * n | 0x80);
  // The instruction's offset moves the place in memory and the place in LDS (32 + 16 + 4 * lane).
  m.run_one({kTransferAt, "s_mov_b32 m0, 32",
             "buffer_load_sbyte v2, s[8:11], 0 offen offset:16 lds", "s_waitcnt vmcnt(0)",
             "ds_read_b32 v4, v2 offset:48", kAll, "global_store_dword v2, v4, s[2:3]", "s_endpgm"},
            {.lds_bytes = 512, .sgpr = with_buffer(in, out, 512)});
  expect_clean(m);
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), 0xffffff00u | (n + 4) | 0x80) << n;
  }
}

/// An access to LDS outside the allocation is an error of the wave, with the first such address.
TEST(ComputeUnitTransfer, AccessesBeyondTheAllocationAreErrors) {
  for (const char* access : {"ds_read_b32 v4, v2", "ds_write_b32 v2, v0", "ds_add_u32 v2, v0"}) {
    Machine m;
    m.run_one({kTransferAt, "s_mov_b32 m0, -1", access, kAll, "s_endpgm"}, {.lds_bytes = 128});
    ASSERT_EQ(m.done.size(), 1u);
    EXPECT_TRUE(m.done[0].error) << access;
    EXPECT_NE(std::string(m.cu->failure())
                  .find("access out of bounds at 0x80 (lanes 0xffffffff00000000)"),
              std::string::npos)
        << m.cu->failure();
  }
}

TEST(ComputeUnitTransfer, PlacesBeyondTheAllocationAreNotTouched) {
  Machine m;
  const uint64_t in = m.buffer(256), out = m.buffer(512);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 1 + n);
  // The work-group has 128 bytes: lanes 0 to 15 find a place behind m0 = 64, the others none.
  m.run_one({kTransferAt, "s_mov_b32 m0, 64", "buffer_load_dword v2, s[8:11], 0 offen lds",
             "v_mov_b32 v4, 0", "s_waitcnt vmcnt(0)", "s_mov_b32 exec_hi, 0", "ds_read_b32 v4, v2",
             kAll, "s_mov_b32 exec_hi, -1", "global_store_dword v2, v4, s[2:3]", "s_endpgm"},
            {.lds_bytes = 128, .sgpr = with_buffer(in, out, 256)});
  expect_clean(m);
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), n >= 16 && n < 32 ? n - 15 : 0) << n;
  }
  EXPECT_EQ(m.vector.reads, 1u) << "one block for the 16 lanes";
}

TEST(ComputeUnitTransfer, BufferStoreFromLds) {
  for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
    Machine m({.target = isa::Target::Gfx900, .clock = clock});
    const uint64_t out = m.buffer(256);
    m.run_one({kTransferAt, "v_add_u32 v3, 0x300, v0", "ds_write_b32 v2, v3 offset:16", kAll,
               "s_mov_b32 m0, 16", "buffer_store_lds_dword s[8:11], 0 lds", "s_waitcnt vmcnt(0)",
               "s_endpgm"},
              {.lds_bytes = 512, .sgpr = [&] {
                 auto s = with_buffer(out, out, 256);
                 // A stride of 4 and TID_ENABLE: every lane has its own dword. The data format is
                 // the upper part of the stride then (Vega ISA 8.1.5).
                 s[9] |= 4u << 16;
                 s[11] = 1u << 23;
                 s[10] = 64;
                 return s;
               }()});
    expect_clean(m);
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(m.word(out + 4 * n), 0x300 + n) << n;
  }
}

/// A later access of the wave goes to the cache behind the store, while the store's data comes from
/// LDS.
TEST(ComputeUnitTransfer, NothingOvertakesABufferStoreFromLds) {
  for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
    Machine m({.target = isa::Target::Gfx906, .clock = clock});
    const uint64_t in = m.buffer(256), out = m.buffer(256);
    // A raw buffer without a stride: every lane has the address of the first one.
    m.run_one({kTransferAt, "v_mov_b32 v3, 0x11", "ds_write_b32 v2, v3", kAll, "s_mov_b32 m0, 0",
               "v_mov_b32 v4, 0x22", "v_mov_b32 v5, 0", "buffer_store_lds_dword s[8:11], 0 lds",
               "global_load_dword v6, v5, s[0:1]", "global_store_dword v5, v4, s[0:1]",
               "s_waitcnt vmcnt(0)", "global_store_dword v5, v6, s[2:3]", "s_endpgm"},
              {.exec = 1, .lds_bytes = 512, .sgpr = with_buffer(in, out, 256)});
    expect_clean(m);
    EXPECT_EQ(m.word(in), 0x22u) << "the younger store";
    EXPECT_EQ(m.word(out), 0x11u) << "a load between the two";
  }
}

TEST(ComputeUnitTransfer, OperandsFromLds) {
  Machine m({.target = isa::Target::Gfx900});
  const uint64_t out = m.buffer(512);
  // LDS[4 * lane] = lane, LDS[256 + 4 * lane] = 1000 * lane; the operand is 64 dwords behind.
  m.run_one({kTransferAt, "v_mul_u32_u24 v3, 1000, v0", "ds_write_b32 v2, v0",
             "ds_write_b32 v2, v3 offset:256", kAll, "ds_add_src2_u32 v2 offset:64", kAll,
             "ds_read_b32 v4, v2", kAll, "global_store_dword v2, v4, s[2:3]", "s_endpgm"},
            {.exec = 0xffffffff, .lds_bytes = 512, .sgpr = pointers({out, out})});
  expect_clean(m);
  for (uint32_t n = 0; n < 32; ++n) EXPECT_EQ(m.word(out + 4 * n), 1001 * n) << n;
}

TEST(ComputeUnitTransfer, AnOperandBeyondTheAllocationIsAnError) {
  Machine m({.target = isa::Target::Gfx900});
  m.run_one({kTransferAt, "ds_write_src2_b32 v2 offset:128", kAll, "s_endpgm"},
            {.exec = 0xffffffff, .lds_bytes = 512});
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_TRUE(m.done[0].error);
}

TEST(ComputeUnitTransfer, OperandsFromLdsOf64Bits) {
  Machine m({.target = isa::Target::Gfx900});
  const uint64_t out = m.buffer(512);
  m.run_one({"v_lshlrev_b32 v2, 3, v0", "v_mov_b32 v3, -1", "v_mov_b32 v4, v0", "v_mov_b32 v5, 1",
             "v_mov_b32 v6, 0", "ds_write_b64 v2, v[3:4]", "ds_write_b64 v2, v[5:6] offset:256",
             kAll, "ds_add_src2_u64 v2 offset:64", kAll, "ds_read_b64 v[8:9], v2", kAll,
             "global_store_dwordx2 v2, v[8:9], s[2:3]", "s_endpgm"},
            {.exec = 0xffffffff, .lds_bytes = 512, .sgpr = pointers({out, out})});
  expect_clean(m);
  for (uint32_t n = 0; n < 32; ++n) {
    EXPECT_EQ(m.word(out + 8 * n), 0u) << n;
    EXPECT_EQ(m.word(out + 8 * n + 4), n + 1) << n;
  }
}

/// An 8 x 8 image of F32, a row of it 64 bytes apart: s[8:15], and a sampler in s[16:19].
std::vector<uint32_t> with_image(uint64_t texels, uint64_t out, bool linear) {
  std::vector<uint32_t> s = pointers({texels, out});
  s.resize(8);
  s.insert(s.end(), {static_cast<uint32_t>(texels >> 8),
                     static_cast<uint32_t>(texels >> 40) | 4u << 20 | 7u << 26, 7u | 7u << 14,
                     4u | 5u << 3 | 6u << 6 | 7u << 9 | 9u << 28, 15u << 13, 0, 0, 0});
  // Clamp to the last texel, unnormalized coordinates.
  s.insert(s.end(), {2u | 2u << 3 | 2u << 6 | 1u << 15, 0, linear ? 1u << 20 | 1u << 22 : 0, 0});
  return s;
}

TEST(ComputeUnitTransfer, SampledImages) {
  for (const bool linear : {false, true}) {
    for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
      Machine m({.clock = clock});
      const uint64_t texels = m.buffer(64 * 8), out = m.buffer(256);
      for (uint32_t n = 0; n < 64; ++n) {
        const auto value = static_cast<float>(16 * (n / 8) + 2 * (n % 8));
        m.set(texels + 64 * (n / 8) + 4 * (n % 8), std::bit_cast<uint32_t>(value));
      }
      // x = lane % 8 + 1, y = lane / 8 + 0.5: between two texels of a row, in the middle of it.
      m.run_one(
          {kTransferAt, "v_and_b32 v4, 7, v0", "v_cvt_f32_u32 v4, v4", "v_add_f32 v4, 1.0, v4",
           "v_lshrrev_b32 v5, 3, v0", "v_cvt_f32_u32 v5, v5", "v_add_f32 v5, 0.5, v5",
           "image_sample_lz v6, v[4:5], s[8:15], s[16:19] dmask:0x1 unorm", kAll,
           "global_store_dword v2, v6, s[2:3]", "s_endpgm"},
          {.sgpr = with_image(texels, out, linear)});
      expect_clean(m);
      for (uint32_t n = 0; n < 64; ++n) {
        const auto row = static_cast<float>(16 * (n / 8));
        const auto x = static_cast<float>(2 * (n % 8));
        // At the right border both texels are the last one.
        const float between = n % 8 == 7 ? 14 : linear ? x + 1 : x + 2;
        EXPECT_EQ(std::bit_cast<float>(m.word(out + 4 * n)), row + between) << n;
      }
      // Two rows of eight lanes in a window of the coalescer: a block each.
      EXPECT_EQ(m.vector.reads, 8u);
    }
  }
}

TEST(ComputeUnitTransfer, ASampledImageThatIsNotThereIsAFault) {
  Machine m;
  const uint64_t out = m.buffer(256);
  const uint64_t nowhere = uint64_t{0x7000} << 28;
  m.run_one({"v_mov_b32 v4, 0", "v_mov_b32 v5, 0",
             "image_sample_lz v6, v[4:5], s[8:15], s[16:19] dmask:0x1 unorm", "s_endpgm"},
            {.sgpr = with_image(nowhere, out, false)});
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_TRUE(m.done[0].error);
  EXPECT_EQ(m.done[0].error_address, nowhere);
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
