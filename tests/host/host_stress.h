// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Packets of every kind with random dependencies, from several threads, through the C interface.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "cuvette.h"
extern "C" {
#include "gpu_driver.h"
}

namespace stress {

enum class Kind : uint8_t { Dispatch, BarrierAnd, BarrierOr, Agent, BarrierValue, Pm4, Bad };
/// Fault of a Bad packet, and the bits its queue must stop with.
struct Fault {
  const char* name;
  uint64_t error;
  bool when_it_runs;  ///< later packets may have been taken
};
inline constexpr Fault kFaults[] = {
    {"unknown type", 32, false},
    {"grid of 0", 2, false},
    {"no kernel", 8, false},
    {"kernel in unmapped memory", 8, false},
    {"unknown vendor format", 256, false},
    {"misaligned signal", 32, false},
    {"too large a work-group", 64, false},
    {"wild store", 0x20000000, true},
};

struct Packet {
  Kind kind = Kind::Dispatch;
  uint8_t fault = 0;
  bool barrier = false;
  unsigned queue = 0;
  uint64_t index = 0;
  uint32_t group = 0;  ///< group whose signal it counts down
  std::array<uint64_t, 5> waits{};
};

struct Options {
  std::string engine = "lt", machine = "small", log;
  uint32_t packets = 2000, seed = 1;
  unsigned threads = 8;
  bool faults = false;
};

inline constexpr unsigned kQueues = 4;
inline constexpr uint64_t kItems = 64;  ///< each adds 1 to the cell of its packet

/// Reports an error of a check and ends; any thread.
[[noreturn]] void give_up(const std::string& what);
#define STRESS_EXPECT(condition, text)       \
  do {                                       \
    if (!(condition)) stress::give_up(text); \
  } while (0)

/// The memory of the test, by packet number and group number.
class Arena {
 public:
  void create(cuvette_machine* machine, uint32_t packets);
  uint64_t signal(uint32_t group) const { return signals_ + uint64_t{64} * group; }
  uint64_t cell(uint32_t packet) const { return cells_ + uint64_t{8} * packet; }
  uint64_t kernarg(uint32_t packet) const { return kernargs_ + uint64_t{16} * packet; }
  uint64_t pm4(uint32_t packet) const { return buffers_ + uint64_t{32} * packet; }
  uint64_t kernel() const { return kernel_; }
  uint64_t wild_kernarg() const { return wild_; }
  /// Value of the cell once the packet is done.
  static uint64_t done(const Packet& packet, uint32_t number);

 private:
  uint64_t signals_ = 0, cells_ = 0, kernargs_ = 0, buffers_ = 0, kernel_ = 0, wild_ = 0;
};

/// The 64 bytes of a packet.
void encode(const Packet& packet, uint32_t number, const Arena& arena, uint8_t* bytes);

uint64_t read64(cuvette_machine* machine, uint64_t address);

}  // namespace stress
