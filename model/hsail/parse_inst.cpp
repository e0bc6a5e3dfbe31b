// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "hsail/gcn_table.h"
#include "hsail/parser.h"

namespace cuvette::hsail {

namespace {

Position moved(Position at, size_t columns) {
  at.column += static_cast<uint32_t>(columns);
  return at;
}

/// The member of a set of one.
Type only_type(TypeSet set) {
  for (unsigned n = 1; n < 128; ++n) {
    const Type t = static_cast<Type>(n);
    if (!name(t).empty() && set == type_bit(t)) return t;
  }
  return Type::kNone;
}

std::optional<unsigned> vector_size(std::string_view text) {
  if (text.size() == 2 && text[0] == 'v' && text[1] >= '2' && text[1] <= '4') {
    return static_cast<unsigned>(text[1] - '0');
  }
  return std::nullopt;
}

}  // namespace

bool Parser::pieces(size_t mnemonic, Pieces* out) {
  for (bool more = true; more;) {
    const Token word = token();
    size_t start = out->empty() ? 0 : 1;  // continuations begin with "_"
    for (;;) {
      const size_t end = word.text.find('_', out->empty() ? mnemonic : start);
      Piece piece;
      piece.text = word.text.substr(start, end == std::string_view::npos ? end : end - start);
      piece.at = moved(word.at, start);
      out->push_back(piece);
      if (end == std::string_view::npos) break;
      start = end + 1;
    }
    skip();
    Piece& last = out->back();
    if (!at_punct('(') || (last.text != "align" && last.text != "equiv" && last.text != "width")) {
      return true;
    }
    skip();
    if (at_word("WAVESIZE") || at_word("all")) {
      last.argument = at_word("all") ? Piece::Argument::kAll : Piece::Argument::kWavesize;
      skip();
    } else {
      last.argument = Piece::Argument::kNumber;
      if (!number(&last.value, "a number after '" + std::string(last.text) + "('")) return false;
    }
    if (!expect(')', "after the argument of '" + std::string(last.text) + "'")) return false;
    more = token().kind == TokenKind::kWord && token().text[0] == '_' && token().text.size() > 1;
  }
  return true;
}

bool Parser::take_type(const Pieces& p, size_t* at, Opcode opcode, Type* type) {
  if (*at >= p.size()) {
    TypeSet first = 0;
    for (const InstRow& row : inst_rows(opcode)) first |= row.types;
    return fail(Rule::kTypeNotLegal, p.back().at,
                "'" + std::string(name(opcode)) + "' needs a type suffix here, expected one of: " +
                    list_types(types_like(first, Type::kNone)));
  }
  const Piece& piece = p[*at];
  const auto found = find_type(piece.text);
  if (!found) {
    return fail(Rule::kModifierNotLegal, piece.at,
                "'_" + std::string(piece.text) + "' is neither a modifier nor a type that '" +
                    std::string(name(opcode)) + "' takes here");
  }
  *type = *found;
  ++*at;
  return true;
}

bool Parser::width_argument(const Piece& piece, Width* width) {
  switch (piece.argument) {
    case Piece::Argument::kAll:
      *width = Width::kAll;
      return true;
    case Piece::Argument::kWavesize:
      *width = Width::kWavesize;
      return true;
    case Piece::Argument::kNumber:
      if (const auto w = find_width(piece.value)) {
        *width = *w;
        return true;
      }
      break;
    default:
      break;
  }
  return fail(Rule::kModifierValue, piece.at,
              "'width' takes a power of two up to 2147483648, WAVESIZE or all");
}

bool Parser::memory_modifiers(const Pieces& p, size_t* at, Inst* inst, unsigned* vector) {
  const auto is = [&p, at](std::string_view text) { return *at < p.size() && p[*at].text == text; };
  const bool load = inst->opcode == Opcode::kLd || inst->opcode == Opcode::kGcnLd;
  const bool region = is_gcn(inst->opcode);
  if (*at < p.size()) {
    if (const auto v = vector_size(p[*at].text)) {
      *vector = *v;
      ++*at;
    }
  }
  if (region && is("region")) {
    inst->segment = Segment::kRegion;
    ++*at;
  } else {
    segment_modifier(p, at, inst);
  }
  if (!align_modifier(p, at, inst)) return false;
  if (load && !region && is("const")) {
    inst->modifier |= kMemConst;
    ++*at;
  }
  if (is("equiv")) {
    if (p[*at].argument != Piece::Argument::kNumber || p[*at].value > 255) {
      return fail(Rule::kModifierValue, p[*at].at, "'equiv' takes a number from 0 to 255");
    }
    inst->equiv_class = static_cast<uint8_t>(p[*at].value);
    ++*at;
  }
  if (load) {
    inst->width = Width::k1;
    if (is("width")) {
      if (!width_argument(p[*at], &inst->width)) return false;
      ++*at;
    }
  }
  if (!region && is("nt")) {
    inst->modifier |= kMemNonTemporal;
    ++*at;
  }
  return true;
}

bool Parser::alu_modifiers(const Pieces& p, size_t* at, Inst* inst) {
  const auto is = [&p, at](std::string_view text) { return *at < p.size() && p[*at].text == text; };
  if (is("ftz")) {
    inst->modifier |= kAluFtz;
    ++*at;
  }
  if (*at < p.size()) {
    if (const auto round = find_round(p[*at].text)) {
      inst->round = *round;
      ++*at;
      if (*round >= Round::kIntNear && is("sat")) {
        inst->round = *find_round(std::string(p[*at - 1].text) + "_sat");
        ++*at;
      }
    }
  }
  if (*at < p.size()) {
    if (const auto pack = find_pack(p[*at].text)) {
      inst->pack = *pack;
      ++*at;
      if (is("sat")) {
        inst->pack = *find_pack(std::string(p[*at - 1].text) + "_sat");
        ++*at;
      }
    }
  }
  if (is("sat")) {
    inst->modifier |= kAluIntegerSat;
    ++*at;
  }
  return true;
}

bool Parser::atomic_modifiers(const Pieces& p, size_t* at, Inst* inst) {
  const auto found = *at < p.size() ? find_atomic_op(p[*at].text) : std::nullopt;
  if (!found) {
    return fail(Rule::kOperationUnknown, *at < p.size() ? p[*at].at : p.back().at,
                "expected an atomic operation (add, and, cas, exch, ld, max, min, or, st, sub, "
                "wrapdec, wrapinc, xor)");
  }
  inst->atomic_op = *found;
  ++*at;
  segment_modifier(p, at, inst);
  if (!memory_order(p, at, inst)) return false;
  const auto scope = *at < p.size() ? find_scope(p[*at].text) : std::nullopt;
  if (!scope) {
    return fail(Rule::kMemoryScope, *at < p.size() ? p[*at].at : p.back().at,
                "expected a memory scope (wave, wg, agent, system)");
  }
  inst->scope = *scope;
  ++*at;
  if (*at < p.size() && p[*at].text == "equiv") {
    if (p[*at].argument != Piece::Argument::kNumber || p[*at].value > 255) {
      return fail(Rule::kModifierValue, p[*at].at, "'equiv' takes a number from 0 to 255");
    }
    inst->equiv_class = static_cast<uint8_t>(p[*at].value);
    ++*at;
  }
  return true;
}

bool Parser::signal_modifiers(const Pieces& p, size_t* at, Inst* inst) {
  std::string operation(*at < p.size() ? p[*at].text : std::string_view{});
  const size_t first = (*at)++;
  if ((operation == "wait" || operation == "waittimeout") && *at < p.size()) {
    operation += "_" + std::string(p[(*at)++].text);
  }
  const auto found = find_atomic_op(operation);
  if (!found) {
    return fail(Rule::kOperationUnknown, p[std::min(first, p.size() - 1)].at,
                "expected a signal operation (add, and, cas, exch, ld, or, st, sub, xor, "
                "wait_<op>, waittimeout_<op> with eq, ne, lt or gte)");
  }
  inst->atomic_op = *found;
  return memory_order(p, at, inst);
}

bool Parser::memory_order(const Pieces& p, size_t* at, Inst* inst) {
  const auto order = *at < p.size() ? find_order(p[*at].text) : std::nullopt;
  if (!order) {
    return fail(Rule::kMemoryOrder, *at < p.size() ? p[*at].at : p.back().at,
                "expected a memory order (rlx, scacq, screl, scar)");
  }
  inst->order = *order;
  ++*at;
  return true;
}

bool Parser::align_modifier(const Pieces& p, size_t* at, Inst* inst) {
  inst->align = Alignment::k1;
  if (*at >= p.size() || p[*at].text != "align") return true;
  const auto found =
      p[*at].argument == Piece::Argument::kNumber ? find_alignment(p[*at].value) : std::nullopt;
  if (!found)
    return fail(Rule::kModifierValue, p[*at].at, "'align' takes a power of two from 1 to 256");
  inst->align = *found;
  ++*at;
  return true;
}

void Parser::segment_modifier(const Pieces& p, size_t* at, Inst* inst) {
  inst->segment = Segment::kFlat;
  if (*at >= p.size()) return;
  if (const auto s = find_segment(p[*at].text)) {
    inst->segment = *s;
    ++*at;
  }
}

bool Parser::modifiers(const Pieces& p, CodeEntry* entry, unsigned* vector) {
  Inst& inst = entry->as<Inst>();
  const InstRow& first_row = *inst_rows(inst.opcode).first;
  const Syntax syntax = first_row.syntax;
  size_t at = 1;
  bool type = true;
  bool second = false;
  Pack pack = Pack::kNone;  // of cvt
  switch (syntax) {
    case Syntax::kPlain:
      break;
    case Syntax::kArith:
      entry->kind = Kind::kInstMod;
      if (!alu_modifiers(p, &at, &inst)) return false;
      break;
    case Syntax::kTwoTypes:
      second = true;
      break;
    case Syntax::kVector: {
      const auto v = at < p.size() ? vector_size(p[at].text) : std::nullopt;
      if (!v)
        return fail(Rule::kVectorSize, p[0].at,
                    "'" + std::string(p[0].text) + "' needs _v2, _v3 or _v4");
      *vector = *v;
      ++at;
      second = true;
      break;
    }
    case Syntax::kCmp: {
      const auto compare = at < p.size() ? find_compare(p[at].text) : std::nullopt;
      if (!compare) {
        return fail(Rule::kOperationUnknown, at < p.size() ? p[at].at : p[0].at,
                    "expected a comparison (eq, ne, lt, ...)");
      }
      inst.compare = *compare;
      ++at;
      if (!alu_modifiers(p, &at, &inst)) return false;
      second = true;
      break;
    }
    case Syntax::kCvt:
      if (!alu_modifiers(p, &at, &inst)) return false;
      second = true;
      pack = inst.pack;
      // BRIG has no field for it: pp follows from the types, sat is a modifier (18.5.2.7).
      if (pack == Pack::kPpSat) inst.modifier |= kAluIntegerSat;
      inst.pack = Pack::kNone;
      break;
    case Syntax::kLoad:
    case Syntax::kStore:
      if (!memory_modifiers(p, &at, &inst, vector)) return false;
      break;
    case Syntax::kAddress:
      segment_modifier(p, &at, &inst);
      break;
    case Syntax::kSegment:
      segment_modifier(p, &at, &inst);
      if (at < p.size() && p[at].text == "nonull") {
        inst.modifier |= kSegCvtNoNull;
        ++at;
      }
      second = true;
      break;
    case Syntax::kAlloca:
      inst.segment = Segment::kPrivate;
      if (!align_modifier(p, &at, &inst)) return false;
      break;
    case Syntax::kSignal:
      if (!signal_modifiers(p, &at, &inst)) return false;
      second = true;
      break;
    case Syntax::kQueue:
      segment_modifier(p, &at, &inst);
      if (!memory_order(p, &at, &inst)) return false;
      break;
    case Syntax::kAtomic:
      if (!atomic_modifiers(p, &at, &inst)) return false;
      break;
    case Syntax::kFence: {
      const auto order = at < p.size() ? find_order(p[at].text) : std::nullopt;
      const auto scope = at + 1 < p.size() ? find_scope(p[at + 1].text) : std::nullopt;
      if (!order || !scope) {
        return fail(order ? Rule::kMemoryScope : Rule::kMemoryOrder, p[0].at,
                    "expected 'memfence_<order>_<scope>' with order scacq, screl or scar and "
                    "scope wave, wg, agent or system");
      }
      inst.order = *order;
      inst.scope = *scope;
      at += 2;
      type = false;
      break;
    }
    case Syntax::kLane:
      inst.width = Width::k1;
      if (at < p.size() && vector_size(p[at].text)) *vector = *vector_size(p[at++].text);
      if (at < p.size() && p[at].text == "width") {
        if (!width_argument(p[at], &inst.width)) return false;
        ++at;
      }
      second = inst_rows(inst.opcode).first->source_types != 0;
      break;
    case Syntax::kBranch:
    case Syntax::kBarrier:
    case Syntax::kFbarrier:
      inst.width = syntax == Syntax::kBarrier    ? Width::kAll
                   : syntax == Syntax::kFbarrier ? Width::kWavesize
                                                 : Width::k1;
      if (at < p.size() && p[at].text == "width") {
        if (!width_argument(p[at], &inst.width)) return false;
        ++at;
      }
      type = syntax == Syntax::kBranch;
      break;
    case Syntax::kImage:
    case Syntax::kQueryImage:
    case Syntax::kQuerySampler:
      if (!image_modifiers(p, &at, syntax, &inst, vector)) return false;
      second = syntax != Syntax::kQuerySampler;
      break;
    case Syntax::kUntyped:
      inst.type = only_type(first_row.types);
      type = false;
      break;
    case Syntax::kRegion:
      inst.segment = Segment::kRegion;
      break;
    case Syntax::kMatrix:  // vendor_instruction() reads these
    case Syntax::kBare:
      if (inst.opcode == Opcode::kBr || inst.opcode == Opcode::kCall) inst.width = Width::kAll;
      if (inst.opcode == Opcode::kWaveBarrier) inst.width = Width::kWavesize;
      type = false;
      break;
  }
  const size_t type_at = at;
  if (type && !take_type(p, &at, inst.opcode, &inst.type)) return false;
  if (second && !take_type(p, &at, inst.opcode, &inst.source_type)) return false;
  if (syntax == Syntax::kImage && !take_type(p, &at, inst.opcode, &inst.coord_type)) return false;
  if (at < p.size()) {
    return fail(Rule::kModifierNotLegal, p[at].at,
                "unexpected '_" + std::string(p[at].text) + "' after '" + inst_name(inst) + "'");
  }
  const bool paired = pack == Pack::kPp || pack == Pack::kPpSat;
  if (inst.opcode == Opcode::kCvt && (pack != Pack::kNone || is_packed(inst.type)) &&
      !(paired && is_packed(inst.type))) {
    return fail(is_packed(inst.type) ? Rule::kPackingControl : Rule::kModifierNotLegal, p[0].at,
                is_packed(inst.type) ? "'" + inst_name(inst) + "' needs the packing control '_pp'"
                                     : "modifier '_" + std::string(name(pack)) +
                                           "' is not valid for '" + inst_name(inst) + "'");
  }
  if (inst.opcode == Opcode::kCvt && inst.round == Round::kNone) inst.round = default_round(inst);
  const RowMatch match = match_row(*entry);
  const Problem problem =
      match.row == nullptr ? match.problem : version_problem(*out_.module.header(), inst);
  if (problem) return fail(problem.rule, p[std::min(type_at, p.size() - 1)].at, problem.what);
  if (entry->kind == Kind::kInstMod) {
    const bool plain = inst.modifier == 0 && inst.round == Round::kNone && inst.pack == Pack::kNone;
    if (plain) {
      entry->kind = Kind::kInstBasic;
    } else if (inst.round == Round::kNone && (match.row->modifiers & kModRound) != 0) {
      inst.round = Round::kFloatDefault;
    }
  }
  return true;
}

bool Parser::instruction() {
  if (peek(1).kind == TokenKind::kPunct && peek(1).text == ":") return vendor_instruction();
  const Position at = token().at;
  const std::string_view word = token().text;
  size_t length = std::min(word.find('_'), word.size());
  auto opcode = find_opcode(word.substr(0, length));
  if (!opcode) opcode = amd_opcode(word, &length);
  if (!opcode) return unknown_instruction(at, word);
  const std::string mnemonic(word.substr(0, length));
  const InstRows rows = inst_rows(*opcode);
  if (rows.first == rows.last)
    return fail(Rule::kInstructionUnknown, at, "instruction '" + mnemonic + "' is not supported");
  Pieces p;
  if (!pieces(length, &p)) return false;
  CodeEntry entry{rows.first->format, at, Inst{}};
  if (entry.kind == Kind::kInstMod) entry.kind = Kind::kInstBasic;
  entry.as<Inst>().opcode = *opcode;
  unsigned vector = 0;
  if (!modifiers(p, &entry, &vector)) return false;
  const RowMatch match = match_row(entry);
  const bool good = is_call(*opcode) ? call(&entry) : operands(*match.row, &entry, vector);
  if (!good) return false;
  if (!expect(';', "after '" + inst_name(entry.as<Inst>()) + "'")) return false;
  out_.module.code.push_back(std::move(entry));
  return true;
}

bool Parser::operands(const InstRow& row, CodeEntry* entry, unsigned vector_count) {
  Inst& inst = entry->as<Inst>();
  const std::string_view roles(row.operands);
  for (size_t i = 0; i < roles.size(); ++i) {
    const Role role = static_cast<Role>(roles[i]);
    if (i > 0 && role != Role::kLabels && !accept(',')) {
      return unexpected("',' ('" + inst_name(inst) + "' takes " + std::to_string(roles.size()) +
                        " operands)");
    }
    OperandRef ref = 0;
    bool good = false;
    switch (role) {
      case Role::kDest:
      case Role::kSource:
      case Role::kSourceOther:
      case Role::kSourceRegister:
      case Role::kImmediate:
      case Role::kTimeout:
      case Role::kSignal:
      case Role::kU32:
      case Role::kImage:
      case Role::kSampler:
      case Role::kDimension:
      case Role::kByte:
      case Role::kExceptions:
      case Role::kSelector:
      case Role::kCondition:
      case Role::kMatrixA:
      case Role::kMatrixB:
      case Role::kThreeBits:
      case Role::kFourBits:
        good = operand(operand_type(inst, i), &ref);
        break;
      case Role::kDestFour:
      case Role::kSourceFour:
        good = vector(operand_type(inst, i), 4, &ref);
        break;
      case Role::kFbarrier:
      case Role::kFbarrierName:
        good = fbarrier_operand(&ref);
        break;
      case Role::kCoordinates:
      case Role::kGradient:
        good = coordinates(inst, i, &ref);
        break;
      case Role::kDestMany:
      case Role::kSourceMany:
        good = vector_count == 0 ? operand(inst.type, &ref) : vector(inst.type, vector_count, &ref);
        break;
      case Role::kDestVector:
      case Role::kSourceVector:
        good = vector(operand_type(inst, i), vector_count, &ref);
        break;
      case Role::kMatrixDest:
      case Role::kMatrixC:
        good = accumulators(inst, role == Role::kMatrixDest, &ref);
        break;
      case Role::kAddress:
        good = address(&ref);
        break;
      case Role::kLabel:
        good = label(&ref);
        break;
      case Role::kLabels:
        good = label_list(&ref);
        break;
      case Role::kCallee:
      case Role::kRegister:
      case Role::kArguments:
      case Role::kFunctions:
      case Role::kSignature:
        break;  // call() reads these
    }
    if (!good) return false;
    inst.operands.push_back(ref);
  }
  return true;
}

bool Parser::executable_name(const std::string& what, CodeRef* ref) {
  if (token().kind != TokenKind::kGlobal) return unexpected(what);
  *ref = find_symbol(token().text);
  if (*ref == 0) {
    return fail(Rule::kNameUnknown, token().at,
                "'" + std::string(token().text) + "' is not declared");
  }
  skip();
  return true;
}

bool Parser::fbarrier_operand(OperandRef* ref) {
  if (token().kind == TokenKind::kDollar) return register_operand(ref);
  Operand op;
  op.kind = Kind::kOperandCodeRef;
  op.at = token().at;
  if (token().kind != TokenKind::kGlobal && token().kind != TokenKind::kLocal) {
    return unexpected("an fbarrier");
  }
  op.symbol = find_symbol(token().text);
  if (op.symbol == 0) {
    return fail(Rule::kNameUnknown, op.at, "'" + std::string(token().text) + "' is not declared");
  }
  if (out_.module.code[op.symbol].kind != Kind::kFbarrier) {
    return fail(Rule::kNameKind, op.at, "'" + std::string(token().text) + "' is not an fbarrier");
  }
  skip();
  *ref = add_operand(std::move(op));
  return true;
}

/// call &f (out)(in); scall_u32 src (out)(in) [&f, &g]; icall_u64 src (out)(in) &signature.
/// Operands are added in the order of the text and listed in BRIG's: out, callee, in, ... (18.7.6).
bool Parser::call(CodeEntry* entry) {
  Inst& inst = entry->as<Inst>();
  OperandRef callee = 0;
  if (inst.opcode == Opcode::kCall) {
    Operand op;
    op.kind = Kind::kOperandCodeRef;
    op.at = token().at;
    if (!executable_name("a function name (&name)", &op.symbol)) return false;
    callee = add_operand(std::move(op));
  } else if (!operand(inst.type, &callee)) {
    return false;
  }
  OperandRef out = 0;
  OperandRef in = 0;
  if (!argument_list(&out) || !argument_list(&in)) return false;
  inst.operands = {out, callee, in};
  Operand last;
  last.at = token().at;
  if (inst.opcode == Opcode::kScall) {
    last.kind = Kind::kOperandCodeList;
    if (!expect('[', "before the list of functions")) return false;
    do {
      CodeRef ref = 0;
      if (!executable_name("a function name (&name)", &ref)) return false;
      last.codes.push_back(ref);
    } while (accept(','));
    if (!expect(']', "after the list of functions")) return false;
    inst.operands.push_back(add_operand(std::move(last)));
  } else if (inst.opcode == Opcode::kIcall) {
    last.kind = Kind::kOperandCodeRef;
    if (!executable_name("a signature (&name)", &last.symbol)) return false;
    inst.operands.push_back(add_operand(std::move(last)));
  }
  return true;
}

}  // namespace cuvette::hsail
