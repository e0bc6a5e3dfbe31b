// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fp/env.h"
#include "hsa/launch_limits.h"
#include "hsail/lane_mask.h"
#include "hsail/layout.h"
#include "hsail/machine_model.h"
#include "hsail/matrix_table.h"
#include "hsail/memory_port.h"
#include "hsail/module.h"
#include "hsail/names.h"
#include "hsail/races.h"

/// The inside of the interpreter: decoded instructions and what their handlers work on.
///
/// Every register and every constant of a kernel has a slot of WAVESIZE values, one per lane, as
/// 64-bit words: $c 0 or 1, $s zero-extended, $d as it is, $q two slots (low first).
namespace cuvette::hsail {

/// A lane that none is: what concerns a wavefront as a whole.
constexpr unsigned kNoLane = kMostLanes;

struct ExecContext;
struct Op;
using Handler = void (*)(ExecContext&, const Op&);

/// Action of the wavefront besides calling the handler.
enum class Flow : uint8_t {
  kNext,
  kBranch,       ///< br
  kConditional,  ///< cbr
  kSwitch,       ///< sbr
  kReturn,       ///< ret
  kBarrier,      ///< barrier
  kWaveBarrier,  ///< wavebarrier
  kCall,         ///< call, scall, icall: Op::plan is the place in Program::calls
  kFbarrier,     ///< all but ldf
  kWait          ///< signal waits
};

/// One decoded instruction. The handler decides which fields count.
struct Op {
  Handler handler = nullptr;
  Flow flow = Flow::kNext;
  uint8_t count = 1;                 ///< vector elements of ld and st
  Segment segment = Segment::kNone;  ///< of the access or conversion
  Type type = Type::kNone;
  Type source_type = Type::kNone;
  Compare compare = Compare::kEq;
  Round round = Round::kNone;
  AtomicOp atomic = AtomicOp::kAdd;
  Width width = Width::kNone;
  uint8_t align_mask = 0;                ///< align(n): n - 1
  bool saturate = false;                 ///< integer results saturate
  bool nonull = false;                   ///< segment conversions: the source is not null
  bool relative_to_kernarg = false;      ///< address: the kernarg base is added
  bool relative_to_frame = false;        ///< address: the activation's private base is added
  bool has_register = false;             ///< address: `address_register` counts
  uint64_t address_mask = ~uint64_t{0};  ///< address arithmetic wraps at 32 or 64 bits
  fp::Env env;                           ///< rounding and flushing of float operations
  std::array<uint32_t, 4> dest{};        ///< slots
  std::array<uint32_t, 6> src{};         ///< slots
  uint32_t address_register = 0;         ///< slot
  uint64_t offset = 0;                   ///< address: variable plus displacement, bytes
  uint64_t literal = 0;                  ///< cmp: the value of true; ids: the dimension
  uint32_t plan = 0;                     ///< into Program::elements, calls, images or matrices
  uint32_t first_target = 0;             ///< into Program::targets
  uint32_t targets = 0;                  ///< number of them
  Opcode opcode = Opcode::kNop;
  uint8_t exceptions = 0;  ///< fp::Flag bits that it can generate and that some policy enables
  CodeRef ref = 0;         ///< the instruction in the module
};

/// Plan by which a packed instruction applies a scalar one to its elements. `op` works on the
/// scratch slots: the first is its destination, then come its sources.
struct ElementPlan {
  Op op;
  unsigned count = 1;                  ///< elements that are computed
  unsigned sources = 0;                ///< operands besides the destination
  unsigned broadcast = 0;              ///< sources whose low element is taken for all: a bit each
  std::array<Type, 3> source_types{};  ///< of the elements; kNone: the whole source for all
};
constexpr uint32_t kScratchSlots = 4;  ///< a destination and three sources

/// Mip level that an image instruction accesses (hsail_mipmap.md).
enum class ImageLevel : uint8_t {
  kFirst,
  kDetail,     ///< the level of detail is an operand
  kGradients,  ///< it follows from the steps of the coordinates
  kNumber      ///< its number is an operand
};

/// The slots and the kind of an image instruction.
struct ImagePlan {
  ImageGeometry geometry = ImageGeometry::k1d;
  Type type = Type::kNone;        ///< of the components
  Type coord_type = Type::kNone;  ///< of `coords`
  bool samples = false;           ///< reads through `sampler`
  ImageLevel level = ImageLevel::kFirst;
  unsigned components = 1;           ///< of `data` in use
  uint32_t image = 0;                ///< slot of the handle
  uint32_t sampler = 0;              ///< slot of the handle, with `samples`
  std::array<uint32_t, 4> data{};    ///< slots, read or written
  std::array<uint32_t, 3> coords{};  ///< slots: x, y, z; the array index is the last
  uint32_t level_slot = 0;           ///< kDetail, kNumber: slot of the operand
  std::array<std::array<uint32_t, 3>, 2> gradients{};  ///< kGradients: slots, along x and along y
};

/// The slots of a matrix instruction.
struct MatrixPlan {
  const MatrixInst* inst = nullptr;
  MatrixTarget target = MatrixTarget::kGfx908;
  MatrixModifiers modifiers;
  uint32_t a = 0;              ///< slot with a work-item's elements of A
  uint32_t b = 0;              ///< the same of B
  uint32_t index = 0;          ///< sparse ones alone
  std::vector<uint32_t> dest;  ///< one per result of a work-item
  std::vector<uint32_t> c;     ///< as many as `dest`, also when it is one constant
};

/// Work-items of the largest work-group.
constexpr uint32_t kMostItems = 1024;

/// A signal wait returns spuriously after so many turns (6.8.2).
constexpr unsigned kWaitTurns = 256;

/// Exceptions enabled by control directives (12.3, 13.5), as HSAIL numbers them (12.2).
struct ExceptionPolicies {
  unsigned detect = 0;  ///< bits, for exception_detected
  unsigned breaks = 0;  ///< bits, end the dispatch
};

/// The instructions of a kernel or function. Slots belong to an activation of it.
struct CodeBlock {
  CodeRef executable = 0;
  uint32_t first = 0;  ///< instruction number
  uint32_t end = 0;    ///< one past the last
  FunctionLayout layout;
  uint32_t slots = 0;               ///< registers, scratch and constants
  uint32_t scratch = 0;             ///< slot: the first of kScratchSlots
  uint32_t first_constant = 0;      ///< slot
  std::vector<uint64_t> constants;  ///< values of the slots from first_constant on
  ExceptionPolicies policies;       ///< of its own directives
};

/// A call: which functions, and the argument variables of the caller.
struct CallPlan {
  std::vector<uint32_t> blocks;  ///< into Program::blocks; icall: every indirect function
  std::vector<CodeRef> outputs;  ///< actual arguments: variables of the caller's arg blocks
  std::vector<CodeRef> inputs;   ///< the same
  CodeRef signature = 0;         ///< icall
};

/// A kernel ready to run, with the functions it can call.
struct Program {
  const Module* module = nullptr;
  MachineModel model = MachineModel::kLarge;
  FlatSpace flat = flat_space(MachineModel::kLarge);
  CodeRef kernel = 0;      ///< in `module`
  unsigned wavesize = 64;  ///< work-items of a wavefront
  KernelLayout layout;
  std::vector<CodeBlock> blocks;      ///< the kernel's first
  std::vector<Op> ops;                ///< by instruction number, block after block
  std::vector<ElementPlan> elements;  ///< of packed instructions
  std::vector<CallPlan> calls;
  std::vector<ImagePlan> images;
  std::vector<MatrixPlan> matrices;
  std::vector<uint32_t> targets;  ///< instruction numbers
  /// Per op: an instruction number, or the end of its block.
  std::vector<uint32_t> post_dominators;
  hsa::LaunchLimits limits;
  bool any_exceptions = false;   ///< some code block enables some
  bool private_to_flat = false;  ///< some instruction makes flat addresses of private ones
};

/// The exceptions of 12.2 as bits in HSAIL's order, from fp::Flag bits.
constexpr unsigned hsail_exceptions(unsigned flags) {
  return (flags & fp::kInvalid) | (flags & fp::kDivideByZero) >> 1 | (flags & fp::kOverflow) >> 1 |
         (flags & fp::kUnderflow) >> 1 | (flags & fp::kInexact) >> 1;
}

/// Addresses of global and readonly variables, by definition (Module::code index).
using VariableAddresses = std::map<CodeRef, uint64_t>;

/// `target`: whose matrix instructions the kernel may use. `wavesize`: what WAVESIZE stands for, a
/// power of two up to kMostLanes. Errors (with the place in the module): an instruction or variable
/// the interpreter does not support, a matrix instruction of other targets or of wavefronts that
/// are not of 64.
base::Result<Program> build_program(const Module& module, CodeRef kernel,
                                    const VariableAddresses& addresses, const std::string& target,
                                    unsigned wavesize);

/// A dispatch as all of its wavefronts see it.
struct DispatchState {
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint32_t, 3> workgroup{1, 1, 1};  ///< work-items
  std::array<uint32_t, 3> groups{1, 1, 1};     ///< work-groups, partial ones included
  unsigned dimensions = 1;
  uint64_t kernarg_address = 0;
  std::vector<uint8_t> kernarg;  ///< bytes of the segment
  uint64_t group_bytes = 0;      ///< static and dynamic, per work-group
  uint64_t completion_signal = 0;
  uint64_t packet_id = 0;
  uint32_t wave_slots = 0;  ///< wavefronts that can run at the same time
};

/// 9.2. Members and arrivals are wavefronts, by number in the work-group.
struct FbarrierState {
  std::map<uint32_t, CodeRef> members;  ///< wavefronts, and the joinfbar of each
  std::set<uint32_t> arrived;           ///< by arrivefbar or waitfbar, since it was satisfied last
  std::set<uint32_t> waiting;
  CodeRef initialised_at = 0;  ///< the initfbar
};

/// A work-group that runs.
struct GroupState {
  uint32_t number = 0;                         ///< in the dispatch
  std::array<uint32_t, 3> id{};                ///< by dimension
  std::array<uint32_t, 3> size{1, 1, 1};       ///< current size: smaller at the grid's upper edges
  std::vector<uint8_t> memory;                 ///< group segment, addresses from 0
  std::map<CodeRef, FbarrierState> fbarriers;  ///< the initialised ones
};

/// Bytes of each lane, at addresses from 0.
class LaneMemory {
 public:
  explicit LaneMemory(unsigned lanes = 0) : lanes_(lanes) {}
  uint8_t* at(unsigned lane, uint64_t address) { return bytes_.data() + lane * stride_ + address; }
  /// Makes room for addresses below `bytes`. Pointers from at() end here.
  void reserve(uint64_t bytes);

 private:
  unsigned lanes_;
  uint64_t stride_ = 0;
  std::vector<uint8_t> bytes_;
};

/// A kernel or function in execution by some lanes of a wavefront.
struct Activation {
  uint32_t block = 0;         ///< into Program::blocks
  uint64_t storage = 0;       ///< its first word of Wave::storage
  uint64_t private_base = 0;  ///< address of its variables in LaneFrames::private_segment
  uint64_t spill_base = 0;    ///< address in LaneFrames::frames, as arg_base
  uint64_t arg_base = 0;      ///< of its formal arguments, then of the variables of arg blocks
  uint64_t arg_bytes = 0;     ///< of its formal and actual arguments
  // State that ends with it:
  uint64_t private_before = 0;  ///< private_top before it
  uint64_t frames_before = 0;   ///< frames_top before it
  LaneMask mask;                ///< lanes that called
  uint32_t call = 0;            ///< instruction number of the call
  uint32_t caller = 0;          ///< activation, into Wave::activations
  ExceptionPolicies policies;
};

/// The memory that grows with calls and alloca.
struct LaneFrames {
  explicit LaneFrames(unsigned lanes = 0) : private_segment(lanes), frames(lanes) {}
  LaneMemory private_segment;  ///< variables and alloca
  uint64_t private_top = 0;    ///< bytes in use of each lane
  LaneMemory frames;           ///< spill and arg variables of the activations
  uint64_t frames_top = 0;     ///< the same of `frames`
  uint64_t limit = 0;          ///< bytes of each of the two, per lane
};

/// The handler's view of one wavefront executing one instruction.
struct ExecContext {
  const Program* program = nullptr;
  const DispatchState* dispatch = nullptr;
  GroupState* group = nullptr;
  MemoryPort* port = nullptr;
  std::vector<uint8_t>* region = nullptr;                     ///< amd:gcn: of the dispatch
  uint64_t* storage = nullptr;                                ///< slots of the activation
  unsigned lanes = 0;                                         ///< WAVESIZE
  LaneMask everyone;                                          ///< all of them
  LaneMask mask;                                              ///< active lanes
  uint32_t first_item = 0;                                    ///< current flat id of lane 0
  const std::array<std::vector<uint32_t>, 3>* ids = nullptr;  ///< work-item ids by dimension
  LaneFrames* frames = nullptr;
  const CodeBlock* block = nullptr;
  const Activation* activation = nullptr;
  uint64_t clock = 0;               ///< instructions executed before this one
  std::string failure;              ///< set: the dispatch stops
  unsigned failed_lane = 0;         ///< with `failure`; kNoLane: the wavefront
  bool unsatisfied = false;         ///< set: a lane's signal wait goes on
  bool out_of_turns = false;        ///< a signal wait ends now, whatever its lanes see
  unsigned raised = 0;              ///< fp::Flag bits of this instruction, in any lane
  unsigned* detected = nullptr;     ///< exception_detected of the wavefront (11.2.3)
  uint32_t wave_slot = 0;           ///< result of waveid
  const char* undefined = nullptr;  ///< set: a lane computed what the PRM leaves undefined
  LaneMask undefined_lanes;
  bool goes_on = false;  ///< note_undefined() in place of fail() when memory cannot be accessed
  RaceWatch* races = nullptr;
  RaceWatch::Access access;                ///< of this instruction
  uint32_t raced_with = RaceWatch::kNone;  ///< set: what RaceWatch::access() has found
  unsigned raced_lane = 0;                 ///< with `raced_with`

  /// Values of a slot, one per lane.
  uint64_t* slot(uint32_t index) const { return storage + uint64_t{index} * lanes; }
  /// Stops the dispatch with a message; the first one counts. Gives false.
  bool fail(unsigned lane, std::string what) {
    if (failure.empty()) {
      failure = std::move(what);
      failed_lane = lane;
    }
    return false;
  }
  /// Notes that a lane has computed what the PRM leaves undefined; `why` lives for the whole
  /// program.
  void note_undefined(unsigned lane, const char* why) {
    undefined = why;
    undefined_lanes.set(lane);
  }

  /// An access that no memory answers.
  void refuse(unsigned lane, const char* why, const std::string& what) {
    if (goes_on) {
      note_undefined(lane, why);
    } else {
      fail(lane, what);
    }
  }

  template <class F>
  /// f(lane) for the active lanes, in rising order.
  void each_lane(F f) const {
    if (mask == everyone) {
      for (unsigned lane = 0; lane < lanes; ++lane) f(lane);
      return;
    }
    mask.each(f);
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
Handler signal_handler(const Inst& inst);  ///< signals and queues
Handler packed_handler(const Inst& inst);  ///< shuffle, pack, lerp, ...
Handler image_handler(const Inst& inst);   ///< images and samplers
Handler matrix_handler(const Inst& inst);
Handler gcn_handler(const Inst& inst);  ///< but memory
/// The fp::Flag bits that an instruction can generate (chapter 5). The native ones may generate any
/// and generate none here.
unsigned exceptions_of(const Inst& inst);
/// All of them. For packed instructions see ElementPlan.
Handler scalar_handler(const Inst& inst);
/// Op::plan says what to do.
void apply_to_elements(ExecContext& c, const Op& op);

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
