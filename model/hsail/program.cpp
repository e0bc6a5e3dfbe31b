// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bits.h"
#include "hsail/constant_expression.h"
#include "hsail/control_directives.h"
#include "hsail/control_flow.h"
#include "hsail/exec.h"
#include "hsail/gcn_table.h"
#include "hsail/inst_table.h"
#include "hsail/mipmap_table.h"
#include "hsail/text.h"

namespace cuvette::hsail {

namespace {

Flow flow_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBr:
      return Flow::kBranch;
    case Opcode::kCbr:
      return Flow::kConditional;
    case Opcode::kSbr:
      return Flow::kSwitch;
    case Opcode::kRet:
      return Flow::kReturn;
    case Opcode::kBarrier:
      return Flow::kBarrier;
    case Opcode::kWaveBarrier:
      return Flow::kWaveBarrier;
    case Opcode::kCall:
    case Opcode::kScall:
    case Opcode::kIcall:
      return Flow::kCall;
    case Opcode::kInitFbar:
    case Opcode::kJoinFbar:
    case Opcode::kWaitFbar:
    case Opcode::kArriveFbar:
    case Opcode::kLeaveFbar:
    case Opcode::kReleaseFbar:
      return Flow::kFbarrier;
    default:
      return Flow::kNext;
  }
}

/// The bits of one in a type, for true of cmp (5.18.2).
uint64_t truth(Type type) {
  switch (type) {
    case Type::kB1:
      return 1;
    case Type::kF16:
      return 0x3c00;
    case Type::kF32:
      return 0x3f800000;
    case Type::kF64:
      return 0x3ff0000000000000;
    default:
      return type_bits(type) == 64 ? ~uint64_t{0} : 0xffffffff;
  }
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Module& module, CodeRef kernel, const VariableAddresses& addresses,
                 const std::string& target, unsigned wavesize)
      : m_(module), addresses_(addresses), target_(target) {
    p_.wavesize = wavesize;
    p_.module = &module;
    p_.model = module.machine_model();
    p_.flat = flat_space(p_.model);
    p_.kernel = kernel;
  }

  base::Result<Program> run() {
    auto layout = kernel_layout(m_, p_.kernel);
    if (!layout.ok()) return layout.error();
    p_.layout = std::move(*layout);
    auto limits = launch_limits(m_, p_.kernel, p_.wavesize);
    if (!limits.ok()) return limits.error();
    p_.limits = *limits;
    auto executables = reachable(m_, p_.kernel);
    if (!executables.ok()) return executables.error();
    for (uint32_t i = 0; i < executables->size(); ++i) block_of_[(*executables)[i]] = i;
    for (const CodeRef executable : *executables) {
      const ExceptionPolicies own = policies(executable);
      p_.any_exceptions = p_.any_exceptions || (own.detect | own.breaks) != 0;
    }
    for (const CodeRef executable : *executables) {
      if (!code_block(executable)) return error_;
    }
    return std::move(p_);
  }

 private:
  void fail(CodeRef ref, const std::string& what) {
    if (failed_) return;
    failed_ = true;
    base::Location where;
    where.file = m_.file_of(m_.code[ref].at);
    where.line = m_.code[ref].at.line;
    where.column = m_.code[ref].at.column;
    where.offset = m_.code[ref].at.offset;
    error_ = base::Error(what, where);
  }

  bool code_block(CodeRef executable) {
    const Executable& x = m_.code[executable].as<Executable>();
    auto layout = function_layout(m_, executable);
    if (!layout.ok()) {
      error_ = layout.error();
      return false;
    }
    block_ = {};
    block_.executable = executable;
    block_.layout = std::move(*layout);
    block_.policies = policies(executable);
    block_.first = static_cast<uint32_t>(p_.ops.size());
    singles_.clear();
    pairs_.clear();
    count_registers(x);
    number_labels(x);
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const CodeEntry& e = m_.code[i];
      if (!is_instruction(e.kind)) continue;
      decode(i);
      if (failed_) return false;
    }
    block_.end = static_cast<uint32_t>(p_.ops.size());
    block_.slots = block_.first_constant + static_cast<uint32_t>(block_.constants.size());
    find_post_dominators();
    p_.blocks.push_back(std::move(block_));
    return true;
  }

  ExceptionPolicies policies(CodeRef executable) const {
    const Executable& x = m_.code[executable].as<Executable>();
    ExceptionPolicies found;
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const auto* c = std::get_if<Control>(&m_.code[i].body);
      if (c == nullptr || c->operands.empty()) continue;
      unsigned* set = c->control == ControlDirective::kEnableDetectExceptions  ? &found.detect
                      : c->control == ControlDirective::kEnableBreakExceptions ? &found.breaks
                                                                               : nullptr;
      // WAVESIZE is not allowed here; bits but five are ignored (HSAIL PRM 13.5).
      if (set != nullptr) *set |= static_cast<unsigned>(m_.constant(c->operands[0])) & 0x1f;
    }
    return found;
  }

  void count_registers(const Executable& x) {
    uint32_t count[4] = {0, 0, 0, 0};
    const auto see = [&](const Operand& op) {
      auto& n = count[static_cast<size_t>(op.reg_kind)];
      if (op.kind == Kind::kOperandRegister) n = std::max(n, op.reg_num + 1u);
    };
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      if (!is_instruction(m_.code[i].kind)) continue;
      for (const OperandRef ref : m_.code[i].as<Inst>().operands) {
        const Operand& op = m_.operand(ref);
        see(op);
        if (op.kind == Kind::kOperandAddress && op.reg != 0) see(m_.operand(op.reg));
        for (const OperandRef element : op.elements) see(m_.operand(element));
      }
    }
    first_slot_[0] = 0;
    for (size_t k = 1; k < 4; ++k) first_slot_[k] = first_slot_[k - 1] + count[k - 1];
    block_.scratch = first_slot_[3] + 2 * count[3];
    block_.first_constant = block_.scratch + kScratchSlots;
  }

  void number_labels(const Executable& x) {
    uint32_t next = block_.first;
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      if (m_.code[i].kind == Kind::kLabel) labels_[i] = next;
      if (is_instruction(m_.code[i].kind)) ++next;
    }
  }

  uint32_t constant_slot(uint64_t low, uint64_t high, bool pair) {
    const auto key = std::make_pair(low, pair ? high : uint64_t{0});
    auto& known = pair ? pairs_ : singles_;
    const auto [it, fresh] = known.emplace(key, 0);
    if (fresh) {
      it->second = block_.first_constant + static_cast<uint32_t>(block_.constants.size());
      block_.constants.push_back(low);
      if (pair) block_.constants.push_back(high);
    }
    return it->second;
  }

  uint32_t slot(CodeRef ref, OperandRef operand, Type type) {
    const Operand& op = m_.operand(operand);
    switch (op.kind) {
      case Kind::kOperandRegister: {
        const auto k = static_cast<size_t>(op.reg_kind);
        return first_slot_[k] + op.reg_num * (k == 3 ? 2u : 1u);
      }
      case Kind::kOperandWavesize:
        // As b1 it is true: it is not 0 (docs/reference/decisions.md D61).
        return constant_slot(type == Type::kB1 ? 1 : p_.wavesize, 0, false);
      case Kind::kOperandConstantBytes: {
        uint64_t high = 0;
        for (size_t i = 8; i < op.bytes.size() && i < 16; ++i) {
          high |= uint64_t{static_cast<uint8_t>(op.bytes[i])} << (8 * (i - 8));
        }
        return constant_slot(register_value(type, m_.constant(operand)), high,
                             type_bits(type) == 128);
      }
      case Kind::kOperandConstantExpression: {
        const auto value = expression_value(m_, op, addresses_);
        if (value) return constant_slot(register_value(type, *value), 0, false);
        fail(ref, "the interpreter has no value for " + expression_text(m_, op));
        return 0;
      }
      default:
        fail(ref, "the interpreter does not support this operand");
        return 0;
    }
  }

  void address(CodeRef ref, const Inst& inst, const Operand& a, Op* op) {
    op->segment = inst.segment;
    op->address_mask = address_mask(inst.segment, p_.model);
    op->offset = a.offset;
    if (a.reg != 0) {
      op->has_register = true;
      op->address_register = slot(ref, a.reg, Type::kNone);
    }
    if (a.symbol == 0) return;
    if (!in_segment(inst.segment)) return global(ref, a.symbol, op);
    // Variables of an activation, then those that exist once.
    const SegmentLayout* own = inst.segment == Segment::kArg       ? &block_.layout.arg
                               : inst.segment == Segment::kPrivate ? &block_.layout.private_segment
                                                                   : &block_.layout.spill;
    const SegmentLayout* shared = inst.segment == Segment::kKernarg ? &p_.layout.kernarg
                                  : inst.segment == Segment::kGroup ? &p_.layout.group
                                                                    : &p_.layout.private_segment;
    const Place* place = own->find(a.symbol);
    op->relative_to_frame = place != nullptr && inst.segment == Segment::kPrivate;
    if (place == nullptr) place = shared->find(a.symbol);
    if (place == nullptr) {
      return fail(ref, "variable '" + m_.code[a.symbol].as<Variable>().name + "' is not defined");
    }
    op->offset += place->offset;
    op->relative_to_kernarg = inst.segment == Segment::kKernarg;
  }

  static bool in_segment(Segment s) {
    return s == Segment::kKernarg || s == Segment::kGroup || s == Segment::kPrivate ||
           s == Segment::kSpill || s == Segment::kArg || s == Segment::kRegion;
  }

  void global(CodeRef ref, CodeRef symbol, Op* op) {
    const auto found = addresses_.find(symbol);
    if (found == addresses_.end()) {
      fail(ref, "variable '" + m_.code[symbol].as<Variable>().name + "' has no address");
      return;
    }
    op->offset += found->second;
  }

  void operands(CodeRef ref, const Inst& inst, const InstRow& row, Op* op) {
    const std::string_view roles(row.operands);
    size_t dests = 0;
    size_t sources = 0;
    const auto take = [&](const Operand& o, OperandRef operand, Type type, bool dest) {
      const bool list = o.kind == Kind::kOperandOperandList;
      for (size_t n = 0; n < (list ? o.elements.size() : 1); ++n) {
        const uint32_t s = slot(ref, list ? o.elements[n] : operand, type);
        if (dest && dests < 4) op->dest[dests++] = s;
        if (!dest && sources < op->src.size()) op->src[sources++] = s;
      }
      if (list) op->count = static_cast<uint8_t>(o.elements.size());
    };
    for (size_t i = 0; i < roles.size() && i < inst.operands.size(); ++i) {
      const OperandRef operand = inst.operands[i];
      const Operand& o = m_.operand(operand);
      switch (static_cast<Role>(roles[i])) {
        case Role::kDest:
        case Role::kDestMany:
        case Role::kDestVector:
        case Role::kDestFour:
          take(o, operand, operand_type(inst, i), true);
          break;
        case Role::kSource:
        case Role::kSourceMany:
        case Role::kSourceOther:
        case Role::kSourceVector:
        case Role::kSourceFour:
        case Role::kSourceRegister:
        case Role::kImmediate:
        case Role::kRegister:
        case Role::kCondition:
        case Role::kU32:
        case Role::kSelector:
          take(o, operand, operand_type(inst, i), false);
          break;
        case Role::kSignal:
        case Role::kTimeout:
        case Role::kImage:
        case Role::kSampler:
          take(o, operand, Type::kU64, false);
          break;
        case Role::kFbarrier:
        case Role::kFbarrierName:
          // The value that ldf gives is the number of the definition.
          if (o.kind == Kind::kOperandRegister) {
            take(o, operand, Type::kU32, false);
          } else {
            op->src[sources++] = constant_slot(o.symbol, 0, false);
          }
          break;
        case Role::kAddress:
          address(ref, inst, o, op);
          break;
        case Role::kLabel:
          op->first_target = static_cast<uint32_t>(p_.targets.size());
          op->targets = 1;
          p_.targets.push_back(labels_[o.symbol]);
          break;
        case Role::kLabels:
          op->first_target = static_cast<uint32_t>(p_.targets.size());
          op->targets = static_cast<uint32_t>(o.codes.size());
          for (const CodeRef c : o.codes) p_.targets.push_back(labels_[c]);
          break;
        case Role::kDimension:
        case Role::kByte:
        case Role::kExceptions:
          op->literal = m_.constant(operand);
          break;
        case Role::kCoordinates:  // image_plan
        case Role::kGradient:
        case Role::kMatrixDest:  // matrix_plan
        case Role::kMatrixA:
        case Role::kMatrixB:
        case Role::kMatrixC:
        case Role::kThreeBits:
        case Role::kFourBits:
        case Role::kCallee:
        case Role::kArguments:
        case Role::kFunctions:
        case Role::kSignature:
          break;  // call_plan
      }
    }
    if (row.format == Kind::kInstAtomic || row.format == Kind::kInstSignal ||
        row.format == Kind::kInstQueue) {
      op->count = static_cast<uint8_t>(sources);
      if (dests == 0) op->dest[0] = UINT32_MAX;
    }
  }

  fp::Env environment(const CodeEntry& e) const {
    const Inst& inst = e.as<Inst>();
    fp::Env env;
    // $default resolves to near even here; only zero and near are possible (4.2.1).
    const Round standard = m_.header()->default_round;
    const Round round =
        inst.round == Round::kNone || inst.round == Round::kFloatDefault ? standard : inst.round;
    env.round = is_gcn(inst.opcode)          ? fp::Round::NearestEven
                : round == Round::kFloatZero ? fp::Round::Zero
                : round == Round::kFloatUp   ? fp::Round::PlusInf
                : round == Round::kFloatDown ? fp::Round::MinusInf
                                             : fp::Round::NearestEven;
    const bool alu =
        e.kind == Kind::kInstMod || e.kind == Kind::kInstCmp || e.kind == Kind::kInstCvt;
    env.flush_in = env.flush_out = alu && (inst.modifier & kAluFtz) != 0;
    return env;
  }

  void decode(CodeRef ref) {
    const CodeEntry& e = m_.code[ref];
    const Inst& inst = e.as<Inst>();
    const RowMatch match = match_row(e);
    if (match.row == nullptr) return fail(ref, match.problem.what);
    Op op;
    op.ref = ref;
    op.opcode = inst.opcode;
    op.flow = flow_of(inst.opcode);
    if (match.row->format == Kind::kInstSignal && inst.atomic_op >= AtomicOp::kWaitEq) {
      op.flow = Flow::kWait;
    }
    op.type = inst.type;
    op.source_type = inst.source_type;
    op.compare = inst.compare;
    op.round = inst.round;
    op.atomic = inst.atomic_op;
    op.width = inst.width;
    op.align_mask = static_cast<uint8_t>(std::max(1u, alignment_bytes(inst.align)) - 1);
    // cvt keeps saturation of integer results in its rounding mode (18.3.23).
    const bool round_saturates =
        (inst.round >= Round::kIntNearSat && inst.round <= Round::kIntDownSat) ||
        inst.round >= Round::kIntSignalNearSat;
    op.saturate =
        round_saturates || ((match.row->format == Kind::kInstMod || e.kind == Kind::kInstCvt) &&
                            (inst.modifier & kAluIntegerSat) != 0);
    op.nonull = e.kind == Kind::kInstSegCvt && (inst.modifier & kSegCvtNoNull) != 0;
    if (e.kind == Kind::kInstSeg || e.kind == Kind::kInstSegCvt) op.segment = inst.segment;
    if (inst.opcode == Opcode::kStof && inst.segment == Segment::kPrivate)
      p_.private_to_flat = true;
    op.env = environment(e);
    if (is_gcn(inst.opcode)) {
      const std::string problem = gcn_target_problem(m_, inst, target_);
      if (!problem.empty()) return fail(ref, problem);
    }
    if (p_.any_exceptions) {
      op.exceptions = static_cast<uint8_t>(exceptions_of(inst));
    }
    if (e.kind == Kind::kInstImage) {
      image_plan(ref, inst, &op);
    } else if (is_matrix(inst.opcode)) {
      matrix_plan(ref, inst, &op);
    } else {
      operands(ref, inst, *match.row, &op);
    }
    if (inst.opcode == Opcode::kCmp) op.literal = truth(inst.type);
    if (op.flow == Flow::kCall) call_plan(inst, &op);
    if (op.flow == Flow::kNext || op.flow == Flow::kWait) {
      op.handler =
          applies_to_elements(inst) ? element_plan(inst, *match.row, &op) : scalar_handler(inst);
      if (op.handler == nullptr) {
        return fail(ref, "the interpreter does not support '" + inst_name(inst) + "'");
      }
    }
    p_.ops.push_back(op);
  }

  void image_plan(CodeRef ref, const Inst& inst, Op* op) {
    ImagePlan plan;
    plan.geometry = inst.geometry;
    plan.type = inst.type;
    plan.coord_type = inst.coord_type;
    plan.samples = samples_image(inst.opcode);
    size_t next = 0;
    const auto values = [&](auto* slots, Type type) {
      const OperandRef operand = inst.operands[next++];
      const Operand& o = m_.operand(operand);
      const bool list = o.kind == Kind::kOperandOperandList;
      const size_t count = std::min(list ? o.elements.size() : 1, slots->size());
      for (size_t i = 0; i < count; ++i) {
        (*slots)[i] = slot(ref, list ? o.elements[i] : operand, type);
      }
      return static_cast<unsigned>(count);
    };
    plan.components = values(&plan.data, inst.type);
    plan.image = slot(ref, inst.operands[next++], Type::kU64);
    if (plan.samples) plan.sampler = slot(ref, inst.operands[next++], Type::kU64);
    values(&plan.coords, inst.coord_type);
    if (inst.opcode == Opcode::kMipmapRdImageGrad) {
      plan.level = ImageLevel::kGradients;
      for (auto& gradient : plan.gradients) values(&gradient, Type::kF32);
    } else if (is_mipmap(inst.opcode)) {
      plan.level = plan.samples ? ImageLevel::kDetail : ImageLevel::kNumber;
      plan.level_slot = slot(ref, inst.operands[next], operand_type(inst, next));
    }
    op->plan = static_cast<uint32_t>(p_.images.size());
    p_.images.push_back(plan);
  }

  void matrix_plan(CodeRef ref, const Inst& inst, Op* op) {
    std::string problem = matrix_target_problem(m_, inst, target_);
    if (problem.empty() && p_.wavesize != 64) {
      problem = "matrix instructions need a WAVESIZE of 64, not " + std::to_string(p_.wavesize);
    }
    if (!problem.empty()) return fail(ref, problem);
    MatrixPlan plan;
    plan.inst = matrix_inst(inst.opcode);
    plan.target = *find_matrix_target(target_);
    plan.modifiers = matrix_modifiers(m_, inst);
    const auto value = [&](size_t i) { return slot(ref, inst.operands[i], operand_type(inst, i)); };
    const auto values = [&](size_t i) {
      const Operand& o = m_.operand(inst.operands[i]);
      if (o.elements.empty()) return std::vector<uint32_t>(plan.inst->results(), value(i));
      std::vector<uint32_t> slots;
      for (const OperandRef element : o.elements) slots.push_back(slot(ref, element, inst.type));
      return slots;
    };
    plan.dest = values(0);
    plan.a = value(1);
    plan.b = value(2);
    plan.c = values(3);
    if (plan.inst->sparse) plan.index = value(4);
    op->plan = static_cast<uint32_t>(p_.matrices.size());
    p_.matrices.push_back(std::move(plan));
  }

  /// The plan of a packed instruction, its number in `op`; nullptr when there is no scalar one.
  Handler element_plan(const Inst& inst, const InstRow& row, Op* op) {
    const Inst scalar = element_inst(inst);
    const PackControl control = pack_control(inst.pack);
    ElementPlan plan;
    plan.op = *op;
    plan.op.handler = scalar_handler(scalar);
    if (plan.op.handler == nullptr) return nullptr;
    plan.op.type = scalar.type;
    plan.op.source_type = scalar.source_type;
    plan.op.saturate = plan.op.saturate || control.saturates;
    if (inst.opcode == Opcode::kCmp) plan.op.literal = base::low_mask(type_bits(scalar.type));
    plan.op.dest[0] = block_.scratch;
    plan.count = control.low_only ? 1 : type_bits(inst.type) / type_bits(scalar.type);
    plan.broadcast = (control.broadcast_src0 ? 1u : 0u) | (control.broadcast_src1 ? 2u : 0u);
    for (const char* role = row.operands + 1; *role != 0; ++role, ++plan.sources) {
      plan.op.src[plan.sources] = block_.scratch + 1 + plan.sources;
      Type& type = plan.source_types[plan.sources];
      switch (static_cast<Role>(*role)) {
        case Role::kU32:  // the count of a shift
          plan.op.src[plan.sources] = op->src[plan.sources];
          break;
        case Role::kCondition:
          type = element_type(condition_type(inst));
          break;
        case Role::kSourceOther:
          type = scalar.source_type;
          break;
        default:
          type = scalar.type;
          break;
      }
    }
    op->plan = static_cast<uint32_t>(p_.elements.size());
    p_.elements.push_back(plan);
    return apply_to_elements;
  }

  /// reachable() has checked the definitions.
  void call_plan(const Inst& inst, Op* op) {
    CallPlan plan;
    plan.outputs = m_.operand(inst.operands[0]).codes;
    plan.inputs = m_.operand(inst.operands[2]).codes;
    if (inst.opcode == Opcode::kCall) {
      plan.blocks.push_back(block_of_[m_.operand(inst.operands[1]).symbol]);
    } else if (inst.opcode == Opcode::kScall) {
      for (const CodeRef f : m_.operand(inst.operands[3]).codes)
        plan.blocks.push_back(block_of_[f]);
    } else {
      plan.signature = m_.operand(inst.operands[3]).symbol;
      for (const auto& [f, block] : block_of_) {
        if (m_.code[f].kind == Kind::kIndirectFunction) plan.blocks.push_back(block);
      }
    }
    op->plan = static_cast<uint32_t>(p_.calls.size());
    p_.calls.push_back(std::move(plan));
  }

  void find_post_dominators() {
    const uint32_t first = block_.first;
    const uint32_t end = block_.end - first;
    std::vector<std::vector<uint32_t>> successors(end);
    for (uint32_t i = 0; i < end; ++i) {
      const Op& op = p_.ops[first + i];
      if (op.flow == Flow::kReturn) {
        successors[i].push_back(end);
        continue;
      }
      for (uint32_t t = 0; t < op.targets; ++t) {
        successors[i].push_back(p_.targets[op.first_target + t] - first);
      }
      if (op.flow != Flow::kBranch && op.flow != Flow::kSwitch) successors[i].push_back(i + 1);
    }
    for (const uint32_t d : immediate_post_dominators(successors)) {
      p_.post_dominators.push_back(first + d);
    }
  }

  const Module& m_;
  const VariableAddresses& addresses_;
  const std::string& target_;
  Program p_;
  CodeBlock block_;  ///< being built
  std::map<CodeRef, uint32_t> block_of_;
  uint32_t first_slot_[4] = {0, 0, 0, 0};
  std::map<CodeRef, uint32_t> labels_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> singles_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> pairs_;
  bool failed_ = false;
  base::Error error_;
};

}  // namespace

Handler scalar_handler(const Inst& inst) {
  for (const auto find :
       {float_handler, convert_handler, integer_handler, bit_handler, memory_handler, id_handler,
        lane_handler, signal_handler, packed_handler, image_handler, matrix_handler, gcn_handler}) {
    if (const Handler handler = find(inst)) return handler;
  }
  return nullptr;
}

base::Result<Program> build_program(const Module& module, CodeRef kernel,
                                    const VariableAddresses& addresses, const std::string& target,
                                    unsigned wavesize) {
  return ProgramBuilder(module, kernel, addresses, target, wavesize).run();
}

}  // namespace cuvette::hsail
