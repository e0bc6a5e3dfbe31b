// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/decode.h"

#include <cinttypes>
#include <cstdio>

#include "isa/decode_parts.h"
#include "isa/registers.h"

namespace cuvette::isa {
namespace {

using base::bits;

struct Place {
  Space space;
  unsigned opcode;
  bool known = true;
};

/// The format from the leading bits (Vega ISA 13.1).
Place place_of(uint32_t w) {
  const auto at = [w](Space space, unsigned hi, unsigned lo) {
    return Place{space, static_cast<unsigned>(bits(w, hi, lo))};
  };
  if (w >> 31 == 0) {
    const auto op = bits(w, 30, 25);
    if (op == 0x3f) return at(Space::Vop1, 16, 9);
    if (op == 0x3e) return at(Space::Vopc, 24, 17);
    return at(Space::Vop2, 30, 25);
  }
  if (w >> 30 == 2) {
    switch (bits(w, 29, 23)) {
      case 0x7d:
        return at(Space::Sop1, 15, 8);
      case 0x7e:
        return at(Space::Sopc, 22, 16);
      case 0x7f:
        return at(Space::Sopp, 22, 16);
      default:
        return w >> 28 == 0xb ? at(Space::Sopk, 27, 23) : at(Space::Sop2, 29, 23);
    }
  }
  switch (w >> 26) {
    case 0x30:
      return at(Space::Smem, 25, 18);
    case 0x31:
      return {Space::Exp, 0};
    case 0x34:
      return w >> 23 == 0x1a7 ? at(Space::Vop3p, 22, 16) : at(Space::Vop3, 25, 16);
    case 0x35:
      return at(Space::Vintrp, 17, 16);
    case 0x36:
      return at(Space::Ds, 24, 17);
    case 0x37:
      switch (bits(w, 15, 14)) {
        case 0:
          return at(Space::Flat, 24, 18);
        case 1:
          return at(Space::Scratch, 24, 18);
        case 2:
          return at(Space::Global, 24, 18);
        default:
          break;
      }
      break;
    case 0x38:
      return at(Space::Mubuf, 24, 18);
    case 0x3a:
      return at(Space::Mtbuf, 18, 15);
    case 0x3c:
      return at(Space::Mimg, 24, 18);
    default:
      break;
  }
  return {Space::Exp, 0, false};
}

bool is_two_dwords(Space space) {
  return space == Space::Smem || space >= Space::Vop3;
}

/// A source field of this short encoding asks for a literal, or the row always has one.
bool has_literal(const Row& row, uint32_t w) {
  for (const OperandSpec& spec : row.src) {
    if (spec.role == Role::Imm32) return true;
    if (spec.role == Role::Ssrc0 && bits(w, 7, 0) == kLiteral) return true;
    if (spec.role == Role::Ssrc1 && bits(w, 15, 8) == kLiteral) return true;
    if (spec.role == Role::Src0 && row.format != Format::Vintrp && bits(w, 8, 0) == kLiteral) {
      return true;
    }
  }
  return false;
}

/// SDWA and DPP are announced by the code of source 0. A row without sources ignores the code,
/// except that V_NOP has an SDWA form with all controls zero.
Form extended_form(const Row& row, Space space, Target target, const uint32_t* words,
                   size_t count) {
  if (space != Space::Vop1 && space != Space::Vop2 && space != Space::Vopc) return Form::Native;
  const auto source = bits(words[0], 8, 0);
  if (source != kSdwa && source != kDpp) return Form::Native;
  const Form form = source == kSdwa ? Form::Sdwa : Form::Dpp;
  if (row.src[0].role == Role::Src0) return form;
  const FieldRule* rule = rule_of(row, target, form);
  if (rule == nullptr || count < 2) return Form::Native;
  const uint64_t raw = base::join32(words[0], words[1]);
  return (raw & rule->mask) == rule->value ? form : Form::Native;
}

void refuse(Decoded& out, const char* reason, DecodeStatus status = DecodeStatus::Illegal) {
  out.status = status;
  out.reason = reason;
}

Encoding encoding_of(Form form, bool literal) {
  switch (form) {
    case Form::Vop3:
      return Encoding::Vop3;
    case Form::Sdwa:
      return Encoding::Sdwa;
    case Form::Dpp:
      return Encoding::Dpp;
    case Form::Native:
      break;
  }
  return literal ? Encoding::Literal : Encoding::Native;
}

void decode_into(Decoded& out, Target target, const uint32_t* words, size_t count) {
  if (count == 0) return refuse(out, "no word", DecodeStatus::Truncated);
  const Place place = place_of(words[0]);
  if (!place.known) return refuse(out, "reserved encoding");
  const Row* row = look_up(target, place.space, place.opcode);
  if (row == nullptr) return refuse(out, "no such opcode on this target");

  Form form = extended_form(*row, place.space, target, words, count);
  const bool promoted =
      place.space == Space::Vop3 && row->format != Format::Vop3a && row->format != Format::Vop3b;
  if (promoted) form = Form::Vop3;
  const FieldRule* rule = rule_of(*row, target, form);
  if (rule == nullptr) {
    return refuse(out, form == Form::Sdwa ? "no SDWA form" : "no DPP form");
  }
  const bool two = form != Form::Native || is_two_dwords(place.space);
  const bool literal = !two && has_literal(*row, words[0]);
  const size_t length = two || literal ? 2 : 1;
  if (count < length) return refuse(out, "the second dword is missing", DecodeStatus::Truncated);
  const uint64_t raw = base::join32(words[0], length == 2 ? words[1] : 0);
  if ((raw & rule->mask) != rule->value) return refuse(out, "a field must be zero");

  Instruction& in = out.instruction;
  in.row = row;
  in.target = target;
  in.encoding = encoding_of(form, literal);
  in.length = static_cast<uint8_t>(length);
  for (size_t i = 0; i < length; ++i) in.words[i] = words[i];
  parts::copy_specs(in);

  Findings findings;
  if ((raw & rule->ignored) != 0) findings.reserve("unused bits", "ignored");
  const parts::Work work{in,
                         findings,
                         raw & ~rule->ignored,
                         literal ? &words[1] : nullptr,
                         form,
                         layout_of(*row, form)};
  if (place.space <= Space::Sopp) {
    parts::decode_scalar(work);
  } else if (place.space >= Space::Ds || place.space == Space::Smem) {
    parts::decode_memory(work);
  } else {
    parts::decode_vector(work);
  }
  if (findings.illegal != nullptr) {
    in = Instruction{};
    return refuse(out, findings.illegal);
  }
  out.length = in.length;
  out.status = DecodeStatus::Legal;
  if (findings.field != nullptr) {
    out.status = DecodeStatus::Reserved;
    out.field = findings.field;
    out.treatment = findings.treatment;
  }
}

}  // namespace

Decoded decode(Target target, const uint32_t* words, size_t count) {
  Decoded out;
  if (count != 0) out.word = words[0];
  decode_into(out, target, words, count);
  return out;
}

std::string refusal(const Decoded& decoded) {
  char word[16];
  std::snprintf(word, sizeof word, "0x%08" PRIx32, decoded.word);
  return std::string("illegal instruction ") + word + ": " + decoded.reason;
}

}  // namespace cuvette::isa
