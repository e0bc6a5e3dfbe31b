// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "isa/row.h"
#include "machine/core.h"
#include "memory/memory_messages.h"

namespace cuvette::run {

/// An instruction at its place in the program, once for all of its issues.
struct TraceCode {
  uint32_t number = 0;  ///< from 0, in the order of first issues
  uint64_t pc = 0;      ///< byte address
  const isa::Row* row = nullptr;
  std::string text;  ///< as the assembler spells it
};

/// Parts of the machine that a trace has tracks of.
enum class TraceBlock : uint8_t {
  CommandProcessor,
  Spi,
  ComputeUnit,
  VectorL1,
  ScalarCache,
  InstructionCache,
  L2,
  Memory,
};
inline constexpr unsigned kTraceBlocks = 8;
/// "command_processor", ..., "memory".
const char* name_of(TraceBlock block);
/// "read", "write", "atomic", "invalidate", "write-back".
const char* name_of(memory::MemOp op);

/// Something that happens in the machine, in the form in which writers of traces get it. Times are
/// cycles since reset.
struct TraceEvent {
  enum class Kind : uint8_t {
    Packet,         ///< a step of the packet `number` of queue `unit`
    DispatchBegin,  ///< at the spi
    DispatchEnd,
    WaveBegin,
    WaveEnd,
    Issue,
    Retire,   ///< of an instruction that was issued with `until` kNever
    Request,  ///< of an instruction to a cache
    Answer,
    Fetch,  ///< of instructions, to a cache
    Fetched,
    Stall,   ///< cycles [until - cycles, until) of a wave's residency; none of issues
    Hit,     ///< of a cache
    Miss,    ///< of a cache
    Reply,   ///< of a cache to another one
    Access,  ///< of the memory, whose channel is taken until `until`
  };
  Kind kind = Kind::Packet;
  TraceBlock block = TraceBlock::CommandProcessor;
  /// Place of the wave in its compute unit.
  uint8_t simd = 0, slot = 0;
  bool begun = true;    ///< WaveBegin: launched now, and no earlier
  bool stalled = true;  ///< Stall: no cycles of an issue
  compute_unit::Stall stall = compute_unit::Stall::Fetch;  ///< Stall
  memory::MemOp op = memory::MemOp::Read;                  ///< Request, Hit, Miss, Reply, Access
  command_processor::CommandProcessor::Stage stage{};      ///< Packet
  uint16_t requester = 0;                                  ///< Hit, Miss, Reply, Access: MemReq::cu
  uint32_t unit = 0;                                       ///< number among those of its block
  uint32_t dispatch = 0, workgroup = 0;                    ///< numbers as in spi::WaveLaunch
  uint32_t requests = 0;                                   ///< Issue: requests that will be sent
  uint32_t bytes = 0;                                      ///< Fetch: size, from `number` on
  uint32_t sequence = 0;                                   ///< MemReq::sequence
  uint32_t order = 0;                      ///< among those that are told of its cycle
  machine::Cycle time = 0;                 ///< when it happens
  machine::Cycle until = machine::kNever;  ///< Issue: first cycle with results; Stall, Access
  machine::Cycle cycles = 0;               ///< Stall
  uint64_t wave = 0;                       ///< spi::WaveLaunch::id
  /// Number of an instruction in its wave; Packet: its index; Fetch: address of the first
  /// instruction.
  uint64_t number = 0;
  uint64_t address = 0;                 ///< Request, Fetch, Hit, Miss, Reply, Access: byte address
  const TraceCode* code = nullptr;      ///< Issue
  const std::string* kernel = nullptr;  ///< WaveBegin; what it is called, "" when nobody knows
};

}  // namespace cuvette::run
