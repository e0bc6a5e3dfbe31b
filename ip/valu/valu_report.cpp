// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_report.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "isa/decode.h"
#include "isa/text.h"

namespace cuvette::ip {
namespace {

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

const isa::Row& row_of(const valu::Request& request) {
  return *(isa::rows().begin() + request.row);
}

/// A register as the instruction reads it: floats and integers by the type of the operand.
std::string decoded(uint64_t bits, isa::Type type) {
  char text[40];
  switch (type) {
    case isa::Type::F32: {
      const auto word = static_cast<uint32_t>(bits);
      float value;
      std::memcpy(&value, &word, sizeof value);
      std::snprintf(text, sizeof text, " (%.9g)", static_cast<double>(value));
      return text;
    }
    case isa::Type::F64: {
      double value;
      std::memcpy(&value, &bits, sizeof value);
      std::snprintf(text, sizeof text, " (%.17g)", value);
      return text;
    }
    case isa::Type::I32:
      std::snprintf(text, sizeof text, " (%" PRId32 ")", static_cast<int32_t>(bits));
      return text;
    case isa::Type::I64:
      std::snprintf(text, sizeof text, " (%" PRId64 ")", static_cast<int64_t>(bits));
      return text;
    case isa::Type::U32:
    case isa::Type::U64:
      std::snprintf(text, sizeof text, " (%" PRIu64 ")", bits);
      return text;
    default:
      return "";
  }
}

std::string describe(const valu::Request& r, isa::Target target) {
  std::string text = "id " + std::to_string(r.id) + " beat " + std::to_string(r.beat) + " pass " +
                     std::to_string(r.pass) + " wave " + hex(r.wave) + " pc " + hex(r.pc) +
                     " exec " + hex(r.exec) + " mask_in " + hex(r.mask_in) + " mode " +
                     hex(r.mode) + ": " + instruction_text(r, target);
  const isa::Modifiers& m = r.modifiers;
  if (m.abs != 0) text += " [abs " + hex(m.abs) + "]";
  if (m.neg != 0) text += " [neg " + hex(m.neg) + "]";
  if (m.neg_hi != 0) text += " [neg_hi " + hex(m.neg_hi) + "]";
  if (m.op_sel != 0) text += " [op_sel " + hex(m.op_sel) + "]";
  if (m.op_sel_hi != 0) text += " [op_sel_hi " + hex(m.op_sel_hi) + "]";
  if (m.omod != 0) text += " [omod " + std::to_string(m.omod) + "]";
  if (m.clamp) text += " [clamp]";
  if (valu::encoding_of(m) == isa::Encoding::Sdwa) {
    const auto number = [](auto select) { return std::to_string(static_cast<unsigned>(select)); };
    text += " [sdwa src " + number(m.sdwa_src[0]) + " " + number(m.sdwa_src[1]) + " dst " +
            number(m.sdwa_dst) + " unused " + number(m.sdwa_unused) + " sext " + hex(m.sext) + "]";
  }
  return text;
}

std::string lane_text(const valu::Request& q, unsigned lane, const valu::Response& want,
                      const valu::Response& got) {
  const isa::Row& row = row_of(q);
  std::string text = std::to_string(lane) + ":";
  for (unsigned s = 0; s < 3; ++s) {
    if (row.src[s].type == isa::Type::None) continue;
    text += " src" + std::to_string(s) + " " + hex(q.src[s][lane]) +
            decoded(q.src[s][lane], row.src[s].type);
  }
  text += " old " + hex(q.old[lane]);
  const auto side = [&](const char* name, const valu::Response& r) {
    text += std::string(", ") + name;
    if ((r.write >> lane & 1) != 0) {
      text += " " + hex(r.dst[lane]) + decoded(r.dst[lane], row.dst[0].type);
    }
    if (r.has_mask) text += " mask " + std::to_string(r.mask >> lane & 1);
  };
  side("expected", want);
  side("got", got);
  return text;
}

std::string summary(const valu::Response& r) {
  return "write " + hex(r.write) + " mask " + (r.has_mask ? hex(r.mask) : "none") + " flags " +
         hex(r.flags);
}

}  // namespace

std::string instruction_text(const valu::Request& request, isa::Target target) {
  if (request.length != 0) {
    const isa::Decoded decoded = isa::decode(target, request.words.data(), request.length);
    const bool known =
        decoded.status == isa::DecodeStatus::Legal || decoded.status == isa::DecodeStatus::Reserved;
    if (known) return isa::text(decoded.instruction);
  }
  return std::string(row_of(request).mnemonic);
}

std::string difference_text(const valu::Request& request, isa::Target target,
                            const valu::Response& want, const valu::Response& got) {
  std::string text = "transaction  " + describe(request, target) + "\n  expected     " +
                     summary(want) + "\n  got          " + summary(got) +
                     "\n  lanes of the beat (wave lane = 16 * beat + lane):";
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    if ((request.exec >> l & 1) == 0) continue;
    const bool differs = want.dst[l] != got.dst[l] || ((want.mask ^ got.mask) >> l & 1) != 0;
    text += std::string(differs ? "\n  > " : "\n    ") + lane_text(request, l, want, got);
  }
  return text;
}

}  // namespace cuvette::ip
