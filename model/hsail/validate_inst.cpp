// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/validate_inst.h"

#include <set>

#include "hsail/gcn_table.h"
#include "hsail/matrix_table.h"

namespace cuvette::hsail {

namespace {

std::string text(std::string_view s) {
  return std::string(s);
}

class InstChecker {
 public:
  InstChecker(const Module& module, const ModuleHeader& header, const CodeEntry& entry)
      : m_(module), header_(header), entry_(entry), inst_(entry.as<Inst>()) {}

  Finding run() {
    const RowMatch match = match_row(entry_);
    if (match.row == nullptr) return {match.problem.rule, match.problem.what, entry_.at};
    if (const Problem p = version_problem(header_, inst_)) return here(p.rule, p.what);
    if (Finding f = form(*match.row)) return f;
    if (Finding f = operands(*match.row)) return f;
    if (Finding f = profile_rules(*match.row)) return f;
    if (entry_.kind == Kind::kInstImage || entry_.kind == Kind::kInstQueryImage)
      return check_image(m_, entry_);
    switch (inst_.opcode) {
      case Opcode::kCmp:
        return compare_rules();
      case Opcode::kCvt:
        return convert_rules();
      case Opcode::kLda:
      case Opcode::kLd:
      case Opcode::kSt:
      case Opcode::kAtomic:
      case Opcode::kAtomicNoRet:
      case Opcode::kMemFence:
      case Opcode::kSignal:
      case Opcode::kSignalNoRet:
      case Opcode::kAddQueueWriteIndex:
      case Opcode::kCasQueueWriteIndex:
      case Opcode::kLdQueueReadIndex:
      case Opcode::kLdQueueWriteIndex:
      case Opcode::kStQueueReadIndex:
      case Opcode::kStQueueWriteIndex:
      case Opcode::kGcnLd:
      case Opcode::kGcnSt:
      case Opcode::kGcnAtomic:
      case Opcode::kGcnAtomicNoRet:
        return check_memory(header_, entry_);
      case Opcode::kCombine:
      case Opcode::kExpand:
        return vector_rules();
      case Opcode::kSegmentP:
      case Opcode::kFtos:
      case Opcode::kStof:
        return segment_rules();
      case Opcode::kNullPtr:
        return null_rules();
      case Opcode::kIcall:
        if (header_.profile == Profile::kBase)
          return here(Rule::kBaseProfile, "the base profile has no icall");
        return code_handle();
      case Opcode::kJoinFbar:
      case Opcode::kWaitFbar:
      case Opcode::kArriveFbar:
      case Opcode::kLeaveFbar:
        // 9.2.2: multiples of WAVESIZE, which is the machine's; 64 is 2^6.
        if (inst_.width < static_cast<Width>(7)) {
          return Finding::of_machine(
              Rule::kFbarrierWidth,
              "the width of an fbarrier instruction is a multiple of WAVESIZE", entry_.at);
        }
        return {};
      case Opcode::kImageFence:
      case Opcode::kQuerySampler:
        if (has_extension(m_, "IMAGE")) return {};
        return here(Rule::kImageExtension, "image instructions need the extension \"IMAGE\"");
      case Opcode::kPack:
        return element_rules(inst_.type, inst_.source_type);
      case Opcode::kUnpack:
        return element_rules(inst_.source_type, inst_.type);
      case Opcode::kActiveLaneMask:
        if (m_.operand(inst_.operands[0]).elements.size() != 4) {
          return here(Rule::kVectorSize, "'activelanemask' needs _v4");
        }
        return {};
      case Opcode::kKernargBasePtr:
        if (type_bytes(inst_.type) != address_bytes(Segment::kKernarg, header_.machine_model)) {
          return here(Rule::kAddressSize,
                      "kernargbaseptr is u64 in the large and u32 in the small machine model");
        }
        return {};
      default:
        return {};
    }
  }

 private:
  Finding here(Rule rule, const std::string& what) const { return {rule, what, entry_.at}; }
  Finding at(Rule rule, const Operand& op, const std::string& what) const {
    return {rule, what, op.at.line != 0 ? op.at : entry_.at};
  }

  /// The format and the fields that text cannot get wrong and BRIG can (18.5.2, 18.7).
  Finding form(const InstRow& row) const {
    const bool short_form = row.format == Kind::kInstMod && entry_.kind == Kind::kInstBasic;
    const std::string misfit = entry_.kind == Kind::kInstMod ? wrong_mod_form(row, inst_)
                               : entry_.kind != row.format && !short_form
                                   ? "has another instruction format"
                                   : "";
    if (!misfit.empty())
      return here(Rule::kBrigInstruction, "'" + inst_name(inst_) + "' " + misfit);
    Width width = inst_.width;  // what it has to be
    bool good = true;
    switch (row.syntax) {
      case Syntax::kStore:
        width = Width::kNone;
        good = inst_.align != Alignment::kNone && inst_.segment != Segment::kNone &&
               (inst_.modifier & kMemConst) == 0;
        break;
      case Syntax::kLoad:
        good = inst_.align != Alignment::kNone && inst_.segment != Segment::kNone &&
               inst_.width != Width::kNone;
        break;
      case Syntax::kAddress:
      case Syntax::kSegment:
      case Syntax::kRegion:
        good = inst_.segment != Segment::kNone;
        break;
      case Syntax::kAlloca:
        width = Width::kNone;
        good = inst_.align != Alignment::kNone && inst_.segment == Segment::kPrivate &&
               inst_.modifier == 0 && inst_.equiv_class == 0;
        break;
      case Syntax::kSignal:
        good = inst_.order != MemoryOrder::kNone;
        break;
      case Syntax::kQueue:
        good = inst_.segment != Segment::kNone && inst_.order != MemoryOrder::kNone;
        break;
      case Syntax::kAtomic:
        good = inst_.segment != Segment::kNone && inst_.order != MemoryOrder::kNone &&
               inst_.scope >= MemoryScope::kWave;
        break;
      case Syntax::kFence:
        good = inst_.scope >= MemoryScope::kWave;
        break;
      case Syntax::kLane:
      case Syntax::kBranch:
      case Syntax::kBarrier:
      case Syntax::kFbarrier:
        good = inst_.width != Width::kNone;
        break;
      case Syntax::kBare:
        if (entry_.kind != Kind::kInstBr) break;
        width = inst_.opcode == Opcode::kWaveBarrier ? Width::kWavesize : Width::kAll;
        break;
      default:
        break;
    }
    const bool of_region = is_gcn(inst_.opcode) && accesses_region(inst_.opcode);
    if (!of_region) good = good && inst_.segment != Segment::kRegion;
    if (row.syntax == Syntax::kRegion) good = good && inst_.segment == Segment::kRegion;
    if (good && width == inst_.width) return {};
    return here(
        Rule::kBrigInstruction,
        "'" + inst_name(inst_) +
            "' has a field (segment, align, width, order, scope or modifier) that is not valid");
  }

  Finding operands(const InstRow& row) const {
    const std::string_view roles(row.operands);
    if (inst_.operands.size() != roles.size()) {
      return here(Rule::kOperandCount, "'" + inst_name(inst_) + "' takes " +
                                           std::to_string(roles.size()) + " operands, found " +
                                           std::to_string(inst_.operands.size()));
    }
    for (size_t i = 0; i < roles.size(); ++i) {
      const Operand& op = m_.operand(inst_.operands[i]);
      if (Finding f = operand(op, static_cast<Role>(roles[i]), operand_type(inst_, i))) return f;
    }
    return {};
  }

  Finding operand(const Operand& op, Role role, Type type) const {
    switch (role) {
      case Role::kDest:
        return destination(op, type);
      case Role::kSource:
      case Role::kSourceOther:
      case Role::kU32:
      case Role::kTimeout:
      case Role::kCondition:
      case Role::kMatrixA:
      case Role::kMatrixB:
        return source(op, type);
      case Role::kSourceRegister:
        return destination(op, type, "the source");
      case Role::kImmediate:
        if (op.kind == Kind::kOperandConstantBytes || op.kind == Kind::kOperandWavesize)
          return source(op, type);
        return at(Rule::kOperandKind, op,
                  "expected a constant of type '" + text(name(type)) + "' or WAVESIZE");
      case Role::kDestFour:
      case Role::kSourceFour:
        if (op.kind == Kind::kOperandOperandList && op.elements.size() == 4)
          return elements(op, type, role == Role::kDestFour);
        return at(Rule::kVectorSize, op, "expected four values in brackets");
      case Role::kRegister:
        return destination(op, inst_.type, "the handle");
      case Role::kSignal:
        return destination(op, inst_.source_type, "the signal");
      case Role::kImage:
        return destination(op, inst_.source_type, "the image");
      case Role::kSampler:
        return destination(op, Type::kSamp, "the sampler");
      case Role::kCoordinates:
        return coordinates(op, type, image_coordinates(inst_.geometry), " coordinates");
      case Role::kGradient:
        return coordinates(op, type, image_dimensions(inst_.geometry), " steps of coordinates");
      case Role::kFbarrier:
        if (op.kind == Kind::kOperandRegister) return register_fits(op, Type::kU32);
        return fbarrier(op);
      case Role::kFbarrierName:
        return fbarrier(op);
      case Role::kExceptions:
        if (op.kind != Kind::kOperandConstantBytes) {
          return at(Rule::kOperandKind, op, "the exceptions are a constant of type 'u32'");
        }
        return constant(op, Type::kU32);
      case Role::kMatrixDest:
      case Role::kMatrixC:
        return accumulators(op, role == Role::kMatrixDest);
      case Role::kThreeBits:
      case Role::kFourBits:
        return literal(op, role == Role::kThreeBits ? 7 : 15);
      case Role::kDestMany:
        return op.kind == Kind::kOperandOperandList ? list(op, inst_.type, true)
                                                    : destination(op, inst_.type);
      case Role::kSourceMany:
        return op.kind == Kind::kOperandOperandList ? list(op, inst_.type, false)
                                                    : source(op, inst_.type);
      case Role::kDestVector:
        return list(op, inst_.type, true);
      case Role::kSourceVector:
        return list(op, inst_.source_type, false);
      case Role::kAddress:
        return address(op);
      case Role::kDimension:
        if (op.kind != Kind::kOperandConstantBytes || constant_value(op) > 2) {
          return at(Rule::kOperandLiteral, op, "the dimension is a literal 0, 1 or 2");
        }
        return constant(op, Type::kU32);
      case Role::kByte:
        if (op.kind != Kind::kOperandConstantBytes || constant_value(op) > 3) {
          return at(Rule::kOperandLiteral, op, "the element is a literal from 0 to 3");
        }
        return constant(op, Type::kU32);
      case Role::kSelector:
        if (op.kind != Kind::kOperandConstantBytes) {
          return at(Rule::kOperandKind, op, "the selectors are a constant of type 'b32'");
        }
        return constant(op, Type::kB32);
      case Role::kSignature:
      case Role::kLabel:
      case Role::kCallee:
        return op.kind == Kind::kOperandCodeRef
                   ? Finding{}
                   : at(Rule::kOperandKind, op, "expected a reference");
      case Role::kLabels:
      case Role::kFunctions:
        if (op.kind == Kind::kOperandCodeList && op.codes.empty()) {
          return at(Rule::kOperandKind, op, "the list is empty, expected something to choose from");
        }
        [[fallthrough]];
      case Role::kArguments:
        return op.kind == Kind::kOperandCodeList ? Finding{}
                                                 : at(Rule::kOperandKind, op, "expected a list");
    }
    return {};
  }

  Finding destination(const Operand& op, Type type,
                      const std::string& what = "the destination") const {
    if (op.kind != Kind::kOperandRegister)
      return at(Rule::kOperandKind, op, what + " must be a register");
    return register_fits(op, type);
  }

  Finding fbarrier(const Operand& op) const {
    if (op.kind == Kind::kOperandCodeRef && m_.code[op.symbol].kind == Kind::kFbarrier) return {};
    return at(Rule::kNameKind, op, "expected an fbarrier");
  }

  /// 4.16.2: the register has the size of the type; smaller integers and f16 live in $s.
  Finding register_fits(const Operand& op, Type type) const {
    if (op.reg_kind == register_kind(type)) return {};
    return at(Rule::kRegisterSize, op,
              std::string("a $") + register_letter(op.reg_kind) + " register cannot hold type '" +
                  text(name(type)) + "', expected $" + register_letter(register_kind(type)));
  }

  Finding source(const Operand& op, Type type) const {
    switch (op.kind) {
      case Kind::kOperandRegister:
        return register_fits(op, type);
      case Kind::kOperandWavesize:
        if ((is_integer(type) || is_bit(type)) && type_bits(type) <= 64) return {};
        return at(Rule::kConstantType, op,
                  "WAVESIZE cannot stand for type '" + text(name(type)) + "'");
      case Kind::kOperandConstantBytes:
        return constant(op, type);
      case Kind::kOperandConstantExpression:
        if (const Problem p = operand_problem(m_, op, type)) return at(p.rule, op, p.what);
        return {};
      default:
        return at(Rule::kOperandKind, op,
                  "expected a register or a constant of type '" + text(name(type)) + "'");
    }
  }

  Finding constant(const Operand& op, Type type) const {
    bool good = !op.is_array && op.bytes.size() == type_bytes(op.type) &&
                is_opaque(op.type) == is_opaque(type);
    if (is_signal(type)) {
      // 4.8.3, 4.16: the null handle is an immediate value like others.
      good = good && op.type == type && constant_value(op) == 0;
    } else if (type == Type::kB1) {
      good = good && op.type == Type::kU8 && constant_value(op) <= 1;
    } else if (is_bit(type)) {
      good = good && type_bits(op.type) == type_bits(type);
    } else if (is_integer(type)) {
      good = good && integer_fits(m_, op, type);
    } else {
      good = good && op.type == type;
    }
    if (good) return {};
    if (is_signal(type) && op.type == type)
      return at(Rule::kSignalConstant, op, "the only signal constant is 0");
    if (is_opaque(type))
      return at(Rule::kConstantType, op,
                "a source of type '" + text(name(type)) + "' must be a register" +
                    (is_signal(type) ? " or '" + text(name(type)) + "(0)'" : ""));
    return at(Rule::kConstantType, op,
              "a constant of type '" + text(name(op.type)) + (op.is_array ? "[]" : "") +
                  "' is not valid here, expected type '" + text(name(type)) + "'");
  }

  Finding list(const Operand& op, Type type, bool destinations) const {
    if (op.kind != Kind::kOperandOperandList)
      return at(Rule::kOperandKind, op, "expected a list in brackets");
    if (op.elements.size() < 2 || op.elements.size() > 4) {
      return at(Rule::kVectorSize, op, "a vector has 2, 3 or 4 elements");
    }
    return elements(op, type, destinations);
  }

  /// C and D of a matrix instruction.
  Finding accumulators(const Operand& op, bool destinations) const {
    const unsigned count = matrix_inst(inst_.opcode)->results();
    if (count == 1) return destinations ? destination(op, inst_.type) : source(op, inst_.type);
    const bool bracketed = op.kind == Kind::kOperandOperandList;
    if (!bracketed && !destinations && op.kind != Kind::kOperandRegister)
      return source(op, inst_.type);
    if (bracketed && op.elements.size() == count) return elements(op, inst_.type, destinations);
    return at(Rule::kVectorSize, op,
              "expected " + std::to_string(count) + " values of type '" + text(name(inst_.type)) +
                  "' in brackets" + (destinations ? "" : " or one constant"));
  }

  Finding literal(const Operand& op, uint64_t most) const {
    if (op.kind == Kind::kOperandConstantBytes && constant_value(op) <= most) {
      return constant(op, Type::kU32);
    }
    return at(Rule::kOperandLiteral, op, "expected a literal from 0 to " + std::to_string(most));
  }

  Finding elements(const Operand& op, Type type, bool destinations) const {
    std::set<uint16_t> seen;
    for (const OperandRef ref : op.elements) {
      const Operand& element = m_.operand(ref);
      if (Finding f = destinations ? destination(element, type) : source(element, type)) return f;
      if (destinations && !seen.insert(element.reg_num).second) {
        return at(Rule::kVectorDestinations, element,
                  "the destinations of a vector must be different registers");
      }
    }
    return {};
  }

  Finding address(const Operand& op) const {
    if (op.kind != Kind::kOperandAddress) return at(Rule::kOperandKind, op, "expected an address");
    const unsigned bytes = address_bytes(inst_.segment, header_.machine_model);
    if (op.symbol != 0) {
      const Variable& v = m_.code[op.symbol].as<Variable>();
      if (inst_.segment == Segment::kFlat)
        return at(Rule::kAddressSegment, op, "a flat address cannot name a variable");
      if (v.segment != inst_.segment) {
        return at(Rule::kAddressSegment, op,
                  "'" + v.name + "' is in segment '" + text(name(v.segment)) +
                      "', the instruction accesses '" + text(name(inst_.segment)) + "'");
      }
      const bool aggregate = v.is_array && is_bit(v.type);  // of any fields, handles too (4.8.4)
      const bool handle = is_opaque(v.type) || (is_opaque(inst_.type) && !aggregate);
      if (handle && inst_.opcode != Opcode::kLda && v.type != inst_.type) {
        return at(
            Rule::kHandleAccess, op,
            "'" + v.name + "' must be accessed with its own type '" + text(name(v.type)) + "'");
      }
    }
    if (op.reg != 0) {
      const Operand& reg = m_.operand(op.reg);
      const RegisterKind wanted = bytes == 8 ? RegisterKind::kDouble : RegisterKind::kSingle;
      if (reg.kind != Kind::kOperandRegister || reg.reg_kind != wanted) {
        return at(Rule::kAddressSize, reg,
                  "an address in segment '" + text(name(inst_.segment)) + "' has " +
                      std::to_string(8 * bytes) + " bits, expected a $" + register_letter(wanted) +
                      " register");
      }
    }
    return {};
  }

  /// 16.2.1.
  Finding profile_rules(const InstRow& row) const {
    for (const Type t : {inst_.type, inst_.source_type}) {
      if (const Problem p = type_problem(m_, t)) return here(p.rule, p.what);
    }
    for (const OperandRef ref : inst_.operands) {
      if (const Problem p = constant_type_problem(m_, ref)) return here(p.rule, p.what);
    }
    if (header_.profile == Profile::kFull) return {};
    if (inst_.round >= Round::kFloatNear && inst_.round <= Round::kFloatDown) {
      return here(Rule::kBaseProfile, "a rounding modifier is not allowed in the base profile");
    }
    const bool to_zero = inst_.round == Round::kIntZero || inst_.round == Round::kIntZeroSat ||
                         inst_.round == Round::kIntSignalZero ||
                         inst_.round == Round::kIntSignalZeroSat;
    if (inst_.round >= Round::kIntNear && !to_zero) {
      return here(Rule::kBaseProfile,
                  "the base profile converts to integers with zeroi, zeroi_sat, szeroi and "
                  "szeroi_sat only");
    }
    const bool computes_float =
        is_float(element_type(inst_.type)) || is_float(element_type(inst_.source_type));
    const bool ftz = entry_.kind != Kind::kInstBasic && (inst_.modifier & kAluFtz) != 0;
    if (computes_float && (row.modifiers & kModFtz) != 0 && !ftz) {
      return here(Rule::kBaseProfile, "the base profile needs the modifier '_ftz' here");
    }
    return {};
  }

  /// 5.18.1.
  Finding compare_rules() const {
    const Type t = element_type(inst_.source_type);
    if (is_packed(inst_.source_type)) {
      Inst shape;
      shape.type = inst_.source_type;
      if (inst_.type != condition_type(shape)) {
        return here(Rule::kComparison,
                    "the result of a packed cmp is '" + text(name(condition_type(shape))) +
                        "' for sources of type '" + text(name(shape.type)) + "'");
      }
    }
    const bool ftz = (inst_.modifier & kAluFtz) != 0;
    const bool equality = inst_.compare == Compare::kEq || inst_.compare == Compare::kNe;
    if (is_bit(t) && !equality)
      return here(Rule::kComparison, "bit types compare with eq and ne only");
    if (is_integer(t) && inst_.compare > Compare::kGe) {
      return here(Rule::kComparison, "integers compare with eq, ne, lt, le, gt and ge only");
    }
    if (ftz && !is_float(t)) return here(Rule::kComparison, "'_ftz' needs a floating-point source");
    return {};
  }

  /// 5.19.3 to 5.19.6.
  Finding convert_rules() const {
    if (inst_.type == inst_.source_type)
      return here(Rule::kConversion, "cvt between equal types does not exist");
    if (element_count(inst_.type) != element_count(inst_.source_type)) {
      return here(Rule::kConversion, "a packed cvt keeps the number of elements");
    }
    const Type to = element_type(inst_.type);
    const Type from = element_type(inst_.source_type);
    const bool sat = (inst_.modifier & kAluIntegerSat) != 0;
    if (is_integer(to) && is_integer(from) && type_bits(to) == type_bits(from) && !sat) {
      return here(Rule::kSaturation, "cvt between integers of one size needs '_sat'");
    }
    if (sat && type_bits(to) > type_bits(from))
      return here(Rule::kSaturation, "a widening cvt takes no '_sat'");
    const Round standard = default_round(inst_);
    if (inst_.round == Round::kNone) {
      return standard == Round::kNone ? Finding{}
                                      : here(Rule::kRounding, "this cvt needs a rounding mode");
    }
    const bool float_round = inst_.round <= Round::kFloatDown;
    if (standard == Round::kNone || float_round != (standard == Round::kFloatDefault)) {
      return here(Rule::kRounding, "rounding '_" + text(name(inst_.round)) +
                                       "' is not valid for '" + inst_name(inst_) + "'");
    }
    return {};
  }

  /// One value alone, otherwise a list of as many as the geometry has.
  Finding coordinates(const Operand& op, Type type, unsigned count, const std::string& what) const {
    if (count == 1) return source(op, type);
    if (op.kind != Kind::kOperandOperandList || op.elements.size() != count) {
      return at(Rule::kImageCoordinates, op,
                "a " + text(name(inst_.geometry)) + " image has " + std::to_string(count) + what +
                    ", expected them in brackets");
    }
    return list(op, type, false);
  }

  /// Table 2-3; 10.8.1.
  Finding code_handle() const {
    const unsigned bytes = address_bytes(Segment::kGlobal, header_.machine_model);
    const std::string what = "a handle of an indirect function has " + std::to_string(8 * bytes);
    return type_bytes(inst_.type) == bytes ? Finding{} : here(Rule::kAddressSize, what + " bits");
  }

  Finding address_size(Type type, Segment segment) const {
    const unsigned bytes = address_bytes(segment, header_.machine_model);
    if (type_bytes(type) == bytes) return {};
    return here(Rule::kAddressSize, "an address in segment '" + text(name(segment)) + "' has " +
                                        std::to_string(8 * bytes) + " bits");
  }

  /// 5.16, 5.17.
  Finding segment_rules() const {
    const Segment s = inst_.segment;
    const bool test = inst_.opcode == Opcode::kSegmentP;
    if (s != Segment::kGroup && s != Segment::kPrivate && !(test && s == Segment::kGlobal)) {
      return here(Rule::kSegmentAccess,
                  test ? "segmentp tests for global, group and private memory"
                       : "segment conversions are for group and private memory");
    }
    const Type flat = inst_.opcode == Opcode::kStof ? inst_.type : inst_.source_type;
    return address_size(flat, Segment::kFlat);
  }

  Finding null_rules() const {
    const Segment s = inst_.segment;
    if (s != Segment::kFlat && s != Segment::kGroup && s != Segment::kPrivate &&
        s != Segment::kKernarg) {
      return here(Rule::kSegmentAccess,
                  "nullptr is for flat, group, private and kernarg addresses");
    }
    return address_size(inst_.type, s);
  }

  static unsigned element_count(Type t) { return type_bits(t) / type_bits(element_type(t)); }

  /// 5.9.2: the scalar of pack and unpack is the element, integers widened to 32 bits.
  Finding element_rules(Type packed, Type scalar) const {
    const Type element = element_type(packed);
    const bool good = is_float(element) || type_bits(element) >= 32
                          ? scalar == element
                          : scalar == (is_signed(element) ? Type::kS32 : Type::kU32);
    if (good) return {};
    return here(Rule::kElementType, "'" + text(name(scalar)) +
                                        "' is not the type of an element of '" +
                                        text(name(packed)) + "' in a register");
  }

  Finding vector_rules() const {
    const bool combine = inst_.opcode == Opcode::kCombine;
    const Operand& vector = m_.operand(inst_.operands[combine ? 1 : 0]);
    const Type whole = combine ? inst_.type : inst_.source_type;
    const Type part = combine ? inst_.source_type : inst_.type;
    if (vector.elements.size() * type_bits(part) == type_bits(whole)) return {};
    return here(Rule::kVectorSize, "'" + inst_name(inst_) + "' needs _v" +
                                       std::to_string(type_bits(whole) / type_bits(part)));
  }

  const Module& m_;
  const ModuleHeader& header_;
  const CodeEntry& entry_;
  const Inst& inst_;
};

}  // namespace

Finding check_inst(const Module& module, const ModuleHeader& header, const CodeEntry& entry) {
  return InstChecker(module, header, entry).run();
}

}  // namespace cuvette::hsail
