// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fp/env.h"
#include "hsail/layout.h"
#include "hsail/memory_port.h"
#include "hsail/module.h"
#include "hsail/names.h"

/// The inside of the interpreter: decoded instructions and what their handlers work on.
///
/// Every register and every constant of a kernel has a slot of 64 values, one per lane, as 64-bit
/// words: $c 0 or 1, $s zero-extended, $d as it is, $q two slots (low first).
namespace cuvette::hsail {

constexpr unsigned kLanes = 64;  ///< WAVESIZE of this engine

struct ExecContext;
struct Op;
using Handler = void (*)(ExecContext&, const Op&);

/// What the wavefront does besides calling the handler.
enum class Flow : uint8_t {
  kNext,
  kBranch,
  kConditional,
  kSwitch,
  kReturn,
  kBarrier,
  kWaveBarrier
};

/// One decoded instruction. Which fields count depends on the handler.
struct Op {
  Handler handler = nullptr;
  Flow flow = Flow::kNext;
  uint8_t count = 1;  ///< vector elements of ld and st
  Segment segment = Segment::kNone;
  Type type = Type::kNone;
  Type source_type = Type::kNone;
  Compare compare = Compare::kEq;
  Round round = Round::kNone;
  AtomicOp atomic = AtomicOp::kAdd;
  Width width = Width::kNone;
  uint8_t align_mask = 0;  ///< align(n): n - 1
  bool saturate = false;
  bool relative_to_kernarg = false;  ///< address: the kernarg base is added
  bool has_register = false;         ///< address: `address_register` counts
  bool address64 = true;             ///< address arithmetic wraps at 64 bits, else at 32
  fp::Env env;                       ///< rounding and flushing of float operations
  std::array<uint32_t, 4> dest{};    ///< slots
  std::array<uint32_t, 4> src{};     ///< slots
  uint32_t address_register = 0;     ///< slot
  uint64_t offset = 0;               ///< address: variable plus displacement
  uint64_t literal = 0;              ///< cmp: the value of true; ids: the dimension
  uint32_t first_target = 0;         ///< into Program::targets
  uint32_t targets = 0;
  CodeRef ref = 0;  ///< the instruction in the module
};

/// A kernel ready to run.
struct Program {
  const Module* module = nullptr;
  CodeRef kernel = 0;
  KernelLayout layout;
  std::vector<Op> ops;
  std::vector<uint32_t> targets;             ///< instruction numbers
  std::vector<uint32_t> post_dominators;     ///< per op
  uint32_t slots = 0;                        ///< registers and constants
  uint32_t first_constant = 0;               ///< slot
  std::vector<uint64_t> constants;           ///< values of the slots from first_constant on
  std::array<uint32_t, 3> required_group{};  ///< 0: free
  std::array<uint64_t, 3> required_grid{};
  uint32_t required_dim = 0;
};

/// Addresses of global and readonly variables, by definition (Module::code index).
using VariableAddresses = std::map<CodeRef, uint64_t>;

/// Errors (with the place in the module): an instruction or variable the interpreter does not
/// support.
base::Result<Program> build_program(const Module& module, CodeRef kernel,
                                    const VariableAddresses& addresses);

struct DispatchState {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> workgroup{1, 1, 1};
  std::array<uint32_t, 3> groups{1, 1, 1};
  unsigned dimensions = 1;
  uint64_t kernarg_address = 0;
  std::vector<uint8_t> kernarg;
  uint64_t group_bytes = 0;  ///< static and dynamic
};

struct GroupState {
  std::array<uint32_t, 3> id{};
  std::array<uint32_t, 3> size{1, 1, 1};  ///< current size: smaller at the grid's upper edges
  std::vector<uint8_t> memory;
};

/// The handler's view of one wavefront executing one instruction.
struct ExecContext {
  const Program* program = nullptr;
  const DispatchState* dispatch = nullptr;
  GroupState* group = nullptr;
  MemoryPort* port = nullptr;
  uint64_t* storage = nullptr;                                       ///< slots
  uint64_t mask = 0;                                                 ///< active lanes
  uint32_t first_item = 0;                                           ///< current flat id of lane 0
  const std::array<std::array<uint32_t, kLanes>, 3>* ids = nullptr;  ///< work-item ids by dimension
  std::vector<uint8_t>* private_memory = nullptr;  ///< kLanes times (private, then spill)
  std::string failure;                             ///< set: the dispatch stops
  unsigned failed_lane = 0;
  const char* undefined = nullptr;  ///< set: a lane computed what the PRM leaves undefined
  uint64_t undefined_lanes = 0;

  uint64_t* slot(uint32_t index) const { return storage + uint64_t{index} * kLanes; }
  bool fail(unsigned lane, std::string what) {
    if (failure.empty()) {
      failure = std::move(what);
      failed_lane = lane;
    }
    return false;
  }
  void note_undefined(unsigned lane, const char* why) {
    undefined = why;
    undefined_lanes |= uint64_t{1} << lane;
  }

  template <class F>
  void each_lane(F f) const {
    if (mask == ~uint64_t{0}) {
      for (unsigned lane = 0; lane < kLanes; ++lane) f(lane);
      return;
    }
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      f(static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
};

// The handler of an instruction by topic; nullptr when the topic does not have it.
Handler integer_handler(const Inst& inst);
Handler bit_handler(const Inst& inst);
Handler float_handler(const Inst& inst);
Handler convert_handler(const Inst& inst);  ///< cmp, cvt, class
Handler memory_handler(const Inst& inst);
Handler id_handler(const Inst& inst);
Handler lane_handler(const Inst& inst);

/// A value of `t` as it lies in a register: 8- and 16-bit integers extended to 32 bits by their
/// signedness (4.16.2), everything else zero-extended.
inline uint64_t register_value(Type t, uint64_t value) {
  switch (t) {
    case Type::kS8:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(value)));
    case Type::kS16:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(value)));
    case Type::kU8:
    case Type::kB8:
      return value & 0xff;
    case Type::kU16:
    case Type::kF16:
    case Type::kB16:
      return value & 0xffff;
    case Type::kB1:
      return value & 1;
    default:
      return type_bits(t) <= 32 ? value & 0xffffffff : value;
  }
}

}  // namespace cuvette::hsail
