// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rings of PM4 packets for the driver bench. Packets are written out by the numbers of
// tests/ledger/gfx9_packets.csv.
#include "driver_bench.h"

namespace cuvette::gpu {

using Words = std::vector<uint32_t>;

inline constexpr uint32_t kRingDwords = 256;
inline constexpr uint32_t kRsrc1 = 0x00ac0040, kRsrc2 = 0x84;  // 2 user SGPRs, work-group id x

inline uint32_t low(uint64_t v) {
  return static_cast<uint32_t>(v);
}
inline uint32_t high(uint64_t v) {
  return static_cast<uint32_t>(v >> 32);
}
inline Words packet(uint32_t opcode, const Words& body) {
  Words words{3u << 30 | static_cast<uint32_t>(body.size() - 1) << 16 | opcode << 8};
  words.insert(words.end(), body.begin(), body.end());
  return words;
}
/// SET_SH_REG by the byte offset of the register.
inline Words set_sh(uint32_t offset, const Words& values) {
  Words body{offset / 4 - 0x2c00};
  body.insert(body.end(), values.begin(), values.end());
  return packet(0x76, body);
}
/// Writes back the L2, writes 64 bits, interrupts with a context.
inline Words release(uint64_t to, uint64_t value, uint32_t context) {
  return packet(0x49, {0x528 | 1 << 15, 2u << 29 | 2u << 24, low(to), high(to), low(value),
                       high(value), context});
}

/// A ring of PM4 packets as a driver has it.
template <class G>
struct Ring {
  typename Bench<G>::UserQueue slot;
  uint64_t base = 0, report = 0, poll = 0, write = 0;

  Ring(Bench<G>& b, unsigned me, unsigned pipe, unsigned queue, uint32_t doorbell,
       uint32_t vmid = kVmid)
      : slot{me, pipe, queue, doorbell, nullptr, 0, 0} {
    base = *b.memory.allocate(4 * kRingDwords);
    report = *b.memory.allocate(8);
    poll = *b.memory.allocate(8);
    slot.mqd = *b.memory.allocate(2048);
    const auto set = [&](const char* name, uint64_t value) {
      ASSERT_EQ(b.dwords.count(name), 1u) << name;
      EXPECT_TRUE(
          b.memory.write_value(slot.mqd + 4 * b.dwords.at(name), static_cast<uint32_t>(value)));
    };
    b.enable_units(slot.mqd);
    set("header", 0xc0310800);
    set("cp_mqd_base_addr_lo", slot.mqd);
    set("cp_mqd_base_addr_hi", slot.mqd >> 32);
    set("cp_hqd_vmid", vmid);
    set("cp_hqd_pq_base_lo", base >> 8);
    set("cp_hqd_pq_base_hi", base >> 40);
    set("cp_hqd_pq_rptr_report_addr_lo", report);
    set("cp_hqd_pq_rptr_report_addr_hi", report >> 32);
    set("cp_hqd_pq_wptr_poll_addr_lo", poll);
    set("cp_hqd_pq_wptr_poll_addr_hi", poll >> 32);
    set("cp_hqd_pq_doorbell_control", doorbell * 2 << 2);
    set("cp_hqd_pq_control", 7 | 5 << 8);  // log2(256 dwords) - 1
    set("cp_mqd_control", 0x100);
  }
  void put(Bench<G>& b, const Words& words) {
    for (const uint32_t w : words) {
      EXPECT_TRUE(b.memory.write_value(base + 4 * (write++ % kRingDwords), w));
    }
  }
  void ring(Bench<G>& b) { b.ring(slot.doorbell, write); }
};

/// The kernel of the bench as a program of PM4 packets.
template <class G>
struct Program {
  uint64_t entry = 0, kernarg = 0, out = 0;
  uint32_t factor = 0;

  Program(Bench<G>& b, uint32_t by, const Words& code = {std::begin(kCode), std::end(kCode)})
      : factor(by) {
    hsa::DeviceMemory::Options executable;
    executable.permitted = hsa::Access::All;
    entry = *b.memory.allocate(4 * code.size() + 256, executable);
    EXPECT_TRUE(b.memory.write(entry, code.data(), 4 * code.size()));
    out = *b.memory.allocate(4 * 1024);
    kernarg = *b.memory.allocate(16);
    EXPECT_TRUE(b.memory.write_value(kernarg, out));
    EXPECT_TRUE(b.memory.write_value(kernarg + 8, factor));
  }
  Words state(uint32_t threads = 64) const {
    Words all;
    for (const Words& w :
         {set_sh(CUVETTE_REG_COMPUTE_PGM_LO, {low(entry >> 8), high(entry >> 8)}),
          set_sh(CUVETTE_REG_COMPUTE_PGM_RSRC1, {kRsrc1, kRsrc2}),
          set_sh(CUVETTE_REG_COMPUTE_NUM_THREAD_X, {threads, 1, 1}),
          set_sh(CUVETTE_REG_COMPUTE_USER_DATA_0, {low(kernarg), high(kernarg)})}) {
      all.insert(all.end(), w.begin(), w.end());
    }
    return all;
  }
  /// Items [first, end) were written, the others up to 512 were not.
  void check(Bench<G>& b, uint32_t first, uint32_t end) const {
    for (uint32_t i = 0; i < 512; ++i) {
      uint32_t value = 0;
      ASSERT_TRUE(b.memory.read_value(out + 4 * i, &value));
      ASSERT_EQ(value, i >= first && i < end ? i * factor : 0) << i;
    }
  }
};

template <class G>
uint64_t wide(Bench<G>& b, uint64_t at) {
  uint64_t value = 0;
  EXPECT_TRUE(b.memory.read_value(at, &value));
  return value;
}

/// Dispatches a kernel of this code in an AQL queue and rings; returns its completion signal.
template <class G>
uint64_t dispatch(Bench<G>& b, typename Bench<G>::UserQueue& q, const Words& code,
                  const std::vector<uint64_t>& arguments, uint32_t items, uint16_t group = 64) {
  hsa::KernelDescriptor d;
  d.kernarg_size = static_cast<uint32_t>(8 * arguments.size());
  d.compute_pgm_rsrc1 = kRsrc1;
  d.compute_pgm_rsrc2 = kRsrc2;
  d.kernel_code_properties = 8;
  const uint64_t kernarg = arguments.empty() ? 0 : *b.memory.allocate(8 * arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    EXPECT_TRUE(b.memory.write_value(kernarg + 8 * i, arguments[i]));
  }
  const uint64_t signal = hsa::Signal::create(b.memory, 1)->handle();
  const auto p = Bench<G>::packet(b.load_kernel(d, code), kernarg, signal, items, group);
  b.ring(q.doorbell, *q.ring->submit(&p));
  return signal;
}

}  // namespace cuvette::gpu
