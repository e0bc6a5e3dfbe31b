// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/gcn_table.h"
#include "hsail/validate_inst.h"

// Rules of lda, loads, stores, atomics, signals and queues beyond those of their operands (HSAIL
// PRM chapter 6 and 11.3).
namespace cuvette::hsail {

namespace {

class MemoryChecker {
 public:
  MemoryChecker(const ModuleHeader& header, const CodeEntry& entry)
      : header_(header), entry_(entry), inst_(entry.as<Inst>()) {}

  Finding run() const {
    switch (entry_.kind) {
      case Kind::kInstMem:
        return memory_rules();
      case Kind::kInstAddr:
        return lda_rules();
      case Kind::kInstAtomic:
        return atomic_rules();
      case Kind::kInstMemFence:
        if (inst_.order < MemoryOrder::kAcquire)
          return here(Rule::kMemoryOrder, "memfence needs scacq, screl or scar");
        return {};
      case Kind::kInstSignal:
        return signal_rules();
      default:
        return queue_rules();
    }
  }

 private:
  static std::string text(std::string_view s) { return std::string(s); }
  Finding here(Rule rule, const std::string& what) const { return {rule, what, entry_.at}; }

  Finding lda_rules() const {
    const Segment s = inst_.segment;
    if (s == Segment::kArg || s == Segment::kSpill) {
      return here(Rule::kSegmentAccess,
                  "the address of a variable in segment '" + text(name(s)) + "' cannot be taken");
    }
    if (type_bytes(inst_.type) != address_bytes(s, header_.machine_model)) {
      return here(Rule::kAddressSize,
                  "an address in segment '" + text(name(s)) + "' has " +
                      std::to_string(8 * address_bytes(s, header_.machine_model)) + " bits");
    }
    return {};
  }

  /// Memory orders that a load, a store or an update may ask for (6.6, 6.8, 11.3).
  Finding one_sided_order(bool load, bool store) const {
    if (!load && !store) return {};
    const MemoryOrder side = load ? MemoryOrder::kAcquire : MemoryOrder::kRelease;
    if (inst_.order == MemoryOrder::kRelaxed || inst_.order == side) return {};
    return here(Rule::kMemoryOrder,
                "'" + inst_name(inst_) + "' takes rlx or " + (load ? "scacq" : "screl"));
  }

  /// 6.8.
  Finding signal_rules() const {
    if (type_bits(inst_.type) != (inst_.source_type == Type::kSig64 ? 64u : 32u)) {
      return here(Rule::kSignalType, "the value of a '" + text(name(inst_.source_type)) +
                                         "' is not of type '" + text(name(inst_.type)) + "'");
    }
    const AtomicOp op = inst_.atomic_op;
    return one_sided_order(op == AtomicOp::kLd || op >= AtomicOp::kWaitEq, op == AtomicOp::kSt);
  }

  /// 11.3.
  Finding queue_rules() const {
    if (inst_.segment != Segment::kGlobal && inst_.segment != Segment::kFlat) {
      return here(Rule::kSegmentAccess, "queues are in global or flat memory");
    }
    return one_sided_order(
        inst_.opcode == Opcode::kLdQueueReadIndex || inst_.opcode == Opcode::kLdQueueWriteIndex,
        inst_.opcode == Opcode::kStQueueReadIndex || inst_.opcode == Opcode::kStQueueWriteIndex);
  }

  Finding memory_rules() const {
    const Segment s = inst_.segment;
    if (is_gcn(inst_.opcode)) {
      if (s != Segment::kRegion)
        return here(Rule::kSegmentAccess, "'" + text(name(inst_.opcode)) +
                                              "' accesses segment region: write '" +
                                              text(name(inst_.opcode)) + "_region_...'");
      if (inst_.modifier == 0) return {};
      return here(Rule::kModifierNotLegal, "region memory has neither '_const' nor '_nt' accesses");
    }
    if (inst_.opcode == Opcode::kSt && (s == Segment::kKernarg || s == Segment::kReadonly)) {
      return here(Rule::kSegmentAccess, "segment '" + text(name(s)) + "' cannot be stored to");
    }
    const bool handle = is_image(inst_.type) || inst_.type == Type::kSamp;
    if (inst_.opcode == Opcode::kSt && handle && s != Segment::kArg) {
      return here(Rule::kSegmentAccess,
                  "image and sampler handles are stored to segment 'arg' only");
    }
    if ((inst_.modifier & kMemConst) != 0 && s != Segment::kGlobal && s != Segment::kFlat &&
        s != Segment::kReadonly) {
      return here(Rule::kSegmentAccess, "'_const' is for global, readonly and flat loads");
    }
    return {};
  }

  /// 6.5 to 6.7.
  Finding atomic_rules() const {
    const Segment s = inst_.segment;
    if (is_gcn(inst_.opcode) && s != Segment::kGroup) {
      return here(Rule::kSegmentAccess, "floating-point atomics access group memory");
    }
    if (s != Segment::kGlobal && s != Segment::kGroup && s != Segment::kFlat) {
      return here(Rule::kSegmentAccess, "atomics access global, group or flat memory");
    }
    const bool group = s == Segment::kGroup;
    if (group && inst_.scope > MemoryScope::kWorkGroup) {
      return here(Rule::kMemoryScope, "the scope of a group atomic is 'wave' or 'wg'");
    }
    const bool load = inst_.atomic_op == AtomicOp::kLd;
    const bool store = inst_.atomic_op == AtomicOp::kSt;
    const bool one_sided = load || store;
    const MemoryOrder side = load ? MemoryOrder::kAcquire : MemoryOrder::kRelease;
    if (one_sided && inst_.order != MemoryOrder::kRelaxed && inst_.order != side) {
      return here(Rule::kMemoryOrder,
                  load ? "atomic_ld takes rlx or scacq" : "atomicnoret_st takes rlx or screl");
    }
    if (!is_gcn(inst_.opcode) && type_bits(inst_.type) == 64 &&
        header_.machine_model == MachineModel::kSmall) {
      return here(Rule::kMachineModel, "64-bit atomics need the large machine model");
    }
    return {};
  }

  const ModuleHeader& header_;
  const CodeEntry& entry_;
  const Inst& inst_;
};

}  // namespace

Finding check_unnamed_address(const Module& module, const CodeEntry& entry) {
  const Inst& inst = entry.as<Inst>();
  if (inst.segment != Segment::kArg && inst.segment != Segment::kSpill) return {};
  for (const OperandRef ref : inst.operands) {
    const Operand& op = module.operand(ref);
    if (op.kind != Kind::kOperandAddress || op.symbol != 0) continue;
    return Finding::of_machine(
        Rule::kAddressUnnamed,
        "an address in segment '" + std::string(name(inst.segment)) +
            "' names no variable, and nothing says where variables lie there",
        op.at.line != 0 ? op.at : entry.at);
  }
  return {};
}

Finding check_memory(const ModuleHeader& header, const CodeEntry& entry) {
  return MemoryChecker(header, entry).run();
}

}  // namespace cuvette::hsail
