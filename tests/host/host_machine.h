// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine behind cuvette.h, for tests.
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "cuvette.h"
#include "cuvette_registers.h"

namespace cuvette_test {

inline cuvette_options options(const char* engine) {
  cuvette_options o{};
  o.size = sizeof o;
  o.engine = engine;
  o.machine = "small";
  return o;
}

/// A machine for one test.
class Machine {
 public:
  explicit Machine(cuvette_options o) {
    EXPECT_EQ(cuvette_open(&o, &machine_), CUVETTE_OK) << cuvette_error_text();
  }
  explicit Machine(const char* engine) : Machine(options(engine)) {}
  ~Machine() { cuvette_close(machine_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  operator cuvette_machine*() const { return machine_; }  // NOLINT: as the C functions want it

  uint64_t cycle() const {
    uint64_t value = 0;
    EXPECT_EQ(cuvette_cycle(machine_, &value), CUVETTE_OK);
    return value;
  }
  uint64_t allocate(uint64_t bytes, uint32_t flags = 0) const {
    uint64_t address = 0;
    EXPECT_EQ(cuvette_memory_allocate(machine_, bytes, 0, flags, &address), CUVETTE_OK);
    return address;
  }
  uint64_t read64(uint64_t address) const {
    uint64_t value = 0;
    EXPECT_EQ(cuvette_memory_read(machine_, address, &value, 8), CUVETTE_OK);
    return value;
  }
  void write64(uint64_t address, uint64_t value) const {
    EXPECT_EQ(cuvette_memory_write(machine_, address, &value, 8), CUVETTE_OK);
  }
  void write(uint32_t offset, uint32_t value) const {
    EXPECT_EQ(cuvette_register_write(machine_, offset, value), CUVETTE_OK) << cuvette_error_text();
  }
  /// Any doorbell in range is heard; one without a queue raises an interrupt.
  void hear_doorbells() const {
    write(CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK);
  }
  /// A ring of 4 packets as queue 0 of pipe 0, doorbell 10, with this packet in it.
  void run_packet(const uint8_t (&packet)[64]) const {
    const uint64_t ring = allocate(256);
    const uint64_t queue = allocate(256, CUVETTE_MEMORY_WITHIN_4GIB);
    uint8_t slots[256] = {};
    for (const size_t at : {0, 64, 128, 192}) slots[at] = 1;
    std::memcpy(slots, packet, sizeof packet);
    EXPECT_EQ(cuvette_memory_write(machine_, ring, slots, sizeof slots), CUVETTE_OK);
    write64(queue + 8, ring);
    write64(queue + 24, 4);
    write64(queue + 136, 128);
    write(CUVETTE_REG_CP_MEC_CNTL, 0);
    hear_doorbells();
    write(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT);
    write(CUVETTE_REG_CP_HQD_PQ_BASE, static_cast<uint32_t>(ring >> 8));
    write(CUVETTE_REG_CP_HQD_PQ_BASE_HI, static_cast<uint32_t>(ring >> 40));
    write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, static_cast<uint32_t>(queue + 128));
    write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, static_cast<uint32_t>((queue + 128) >> 32));
    write(CUVETTE_REG_CP_HQD_PQ_CONTROL, 5u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
    write(CUVETTE_REG_CP_HQD_AQL_CONTROL, 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
    write(CUVETTE_REG_CP_HQD_ACTIVE, 1);
    write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }

 private:
  cuvette_machine* machine_ = nullptr;
};

}  // namespace cuvette_test
