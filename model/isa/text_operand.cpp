// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "base/bits.h"
#include "isa/registers.h"
#include "isa/sources.h"
#include "isa/text_parts.h"

namespace cuvette::isa::parts {
namespace {

constexpr std::array<const char*, 9> kFloats{"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                             "-2.0", "4.0",  "-4.0", "0.15915494"};
constexpr const char* kInv2PiDouble = "0.15915494309189532";

void append_register(std::string& out, const char* prefix, unsigned first, unsigned dwords) {
  out += prefix;
  if (dwords == 1) {
    out += std::to_string(first);
    return;
  }
  out += '[';
  out += std::to_string(first);
  out += ':';
  out += std::to_string(first + dwords - 1);
  out += ']';
}

const char* special_register(unsigned code, bool pair) {
  switch (code) {
    case kFlatScratchLo:
      return pair ? "flat_scratch" : "flat_scratch_lo";
    case kFlatScratchLo + 1:
      return "flat_scratch_hi";
    case kXnackMaskLo:
      return pair ? "xnack_mask" : "xnack_mask_lo";
    case kXnackMaskLo + 1:
      return "xnack_mask_hi";
    case kVccLo:
      return pair ? "vcc" : "vcc_lo";
    case kVccHi:
      return "vcc_hi";
    case kM0:
      return "m0";
    case kM0 + 1:
      return "null";
    case kExecLo:
      return pair ? "exec" : "exec_lo";
    case kExecHi:
      return "exec_hi";
    case kSharedBase:
      return "src_shared_base";
    case kSharedLimit:
      return "src_shared_limit";
    case kPrivateBase:
      return "src_private_base";
    case kPrivateLimit:
      return "src_private_limit";
    case kPopsExitingWaveId:
      return "src_pops_exiting_wave_id";
    case kVccz:
      return "src_vccz";
    case kExecz:
      return "src_execz";
    case kScc:
      return "src_scc";
    case kLdsDirect:
      return "src_lds_direct";
    default:
      return "?";
  }
}

bool is_integer16(Type type) {
  return type == Type::I16 || type == Type::U16 || type == Type::B16;
}
bool is_wide(Type type) {
  return type == Type::B64 || type == Type::I64 || type == Type::U64 || type == Type::F64 ||
         type == Type::Mask;
}

/// Position of a float bit pattern among the inline constants, 9 when it is none.
unsigned float_constant(uint64_t bits, Type type) {
  for (unsigned i = 0; i < kFloats.size(); ++i) {
    if (bits == inline_value(kInlineHalf + i, type)) return i;
  }
  return static_cast<unsigned>(kFloats.size());
}

/// A literal is printed as an inline constant when it has the value of one.
void append_literal(std::string& out, const Operand& operand) {
  const auto low = static_cast<uint32_t>(operand.value);
  int64_t number = static_cast<int32_t>(low);
  uint64_t pattern = low;
  uint64_t hex = low;
  Type float_type = Type::F32;
  if (operand.type == Type::F16) {
    number = static_cast<int16_t>(low);
    pattern = hex = low & 0xffff;
    float_type = Type::F16;
  } else if (operand.type == Type::PkF16) {
    float_type = Type::PkF16;
  } else if (is_integer16(operand.type)) {
    hex = low & 0xffff;  // the number is all 32 bits
  } else if (is_wide(operand.type)) {
    // Integers are shown before sign extension.
    pattern = operand.type == Type::F64 ? operand.value : low;
    number = static_cast<int64_t>(pattern);
    hex = operand.type == Type::F64 ? operand.value >> 32 : low;
    float_type = Type::F64;
  }
  if (number >= -16 && number <= 64) {
    out += std::to_string(number);
    return;
  }
  const unsigned constant = float_constant(pattern, float_type);
  if (constant < kFloats.size()) {
    out += constant == 8 && float_type == Type::F64 ? kInv2PiDouble : kFloats[constant];
    return;
  }
  append_hex(out, hex);
}

void append_inline(std::string& out, const Operand& operand) {
  const unsigned code = operand.index;
  if (is_inline_integer(code)) {
    const int value = code <= kInline64 ? static_cast<int>(code) - kInlineZero
                                        : kInline64 - static_cast<int>(code);
    out += std::to_string(value);
    return;
  }
  if (is_integer16(operand.type)) {  // LLVM shows the F16 pattern
    append_hex(out, inline_value(code, Type::F16));
    return;
  }
  const unsigned i = code - kInlineHalf;
  out += i == 8 && is_wide(operand.type) ? kInv2PiDouble : kFloats[i];
}

struct Named {
  unsigned id;
  const char* name;
  Target first = Target::Gfx900;
};

constexpr Named kHwregs[] = {{1, "MODE"},
                             {2, "STATUS"},
                             {3, "TRAPSTS"},
                             {4, "HW_ID"},
                             {5, "GPR_ALLOC"},
                             {6, "LDS_ALLOC"},
                             {7, "IB_STS"},
                             {15, "SH_MEM_BASES"},
                             {16, "TBA_LO"},
                             {17, "TBA_HI"},
                             {18, "TMA_LO"},
                             {19, "TMA_HI"},
                             {20, "XCC_ID", Target::Gfx942},
                             {21, "SQ_PERF_SNAPSHOT_DATA", Target::Gfx942},
                             {22, "SQ_PERF_SNAPSHOT_DATA1", Target::Gfx942},
                             {23, "SQ_PERF_SNAPSHOT_PC_LO", Target::Gfx942},
                             {24, "SQ_PERF_SNAPSHOT_PC_HI", Target::Gfx942}};

constexpr Named kMessages[] = {{1, "INTERRUPT"},       {2, "GS"},
                               {3, "GS_DONE"},         {4, "SAVEWAVE"},
                               {5, "STALL_WAVE_GEN"},  {6, "HALT_WAVES"},
                               {7, "ORDERED_PS_DONE"}, {8, "EARLY_PRIM_DEALLOC"},
                               {9, "GS_ALLOC_REQ"},    {10, "GET_DOORBELL"},
                               {15, "SYSMSG"}};
constexpr const char* kGsOperations[] = {"NOP", "CUT", "EMIT", "EMIT_CUT"};
constexpr Named kSysOperations[] = {{1, "ECC_ERR_INTERRUPT"}, {2, "REG_RD"}, {4, "TTRACE_PC"}};

template <size_t N>
const char* find_name(const Named (&table)[N], unsigned id, Target target) {
  for (const Named& entry : table) {
    if (entry.id == id && target >= entry.first) return entry.name;
  }
  return nullptr;
}

void append_hwreg(std::string& out, Target target, uint32_t value) {
  const auto id = static_cast<unsigned>(base::bits(value, 5, 0));
  const auto offset = static_cast<unsigned>(base::bits(value, 10, 6));
  const auto width = static_cast<unsigned>(base::bits(value, 15, 11)) + 1;
  out += "hwreg(";
  if (const char* name = find_name(kHwregs, id, target)) {
    out += "HW_REG_";
    out += name;
  } else {
    out += std::to_string(id);
  }
  if (offset != 0 || width != 32) {
    out += ", " + std::to_string(offset) + ", " + std::to_string(width);
  }
  out += ')';
}

/// Operation and stream of a message as LLVM wants them; empty when it takes them for invalid.
std::string message_text(unsigned id, unsigned operation, unsigned stream, Target target) {
  const char* name = find_name(kMessages, id, target);
  if (name == nullptr) return {};
  std::string text = std::string("MSG_") + name;
  if (id == 2 || id == 3) {
    if (operation > 3 || (operation == 0 && (id == 2 || stream != 0))) return {};
    text += std::string(", GS_OP_") + kGsOperations[operation];
    if (operation != 0) text += ", " + std::to_string(stream);
    return text;
  }
  if (id == 15) {
    const char* system = find_name(kSysOperations, operation, target);
    if (system == nullptr || stream != 0) return {};
    return text + ", SYSMSG_OP_" + system;
  }
  return operation == 0 && stream == 0 ? text : std::string();
}

void append_message(std::string& out, Target target, uint32_t value) {
  const auto id = static_cast<unsigned>(base::bits(value, 3, 0));
  const auto operation = static_cast<unsigned>(base::bits(value, 6, 4));
  const auto stream = static_cast<unsigned>(base::bits(value, 9, 8));
  const std::string text = message_text(id, operation, stream, target);
  if (!text.empty()) {
    out += "sendmsg(" + text + ')';
  } else if ((id | operation << 4 | stream << 8) == value) {
    out += "sendmsg(" + std::to_string(id) + ", " + std::to_string(operation) + ", " +
           std::to_string(stream) + ')';
  } else {
    out += std::to_string(value);
  }
}

void append_waitcnt(std::string& out, uint32_t value) {
  const auto vm = base::bits(value, 3, 0) | base::bits(value, 15, 14) << 4;
  const auto exp = base::bits(value, 6, 4);
  const auto lgkm = base::bits(value, 11, 8);
  // Counters that are not waited for are left out, unless that leaves nothing.
  const bool all = vm == 63 && exp == 7 && lgkm == 15;
  const char* space = "";
  const auto counter = [&](const char* name, uint64_t count, bool print) {
    if (!print) return;
    out += space;
    out += name;
    out += '(' + std::to_string(count) + ')';
    space = " ";
  };
  counter("vmcnt", vm, all || vm != 63);
  counter("expcnt", exp, all || exp != 7);
  counter("lgkmcnt", lgkm, all || lgkm != 15);
}

void append_gpr_idx(std::string& out, uint32_t value) {
  if (value > 0xf) {
    append_hex(out, value);
    return;
  }
  constexpr const char* kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  out += "gpr_idx(";
  bool first = true;
  for (unsigned i = 0; i < 4; ++i) {
    if (!base::bit(value, i)) continue;
    if (!first) out += ',';
    out += kNames[i];
    first = false;
  }
  out += ')';
}

}  // namespace

void append_hex(std::string& out, uint64_t value) {
  char buffer[16];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  out += "0x";
  out.append(buffer, end);
}

void append_signed_hex(std::string& out, int64_t value) {
  if (value < 0) out += '-';
  append_hex(out, static_cast<uint64_t>(value < 0 ? -value : value));
}

void append_operand(std::string& out, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::None:
      break;
    case OperandKind::Vgpr:
      append_register(out, "v", operand.index, operand.dwords);
      break;
    case OperandKind::Agpr:
      append_register(out, "a", operand.index, operand.dwords);
      break;
    case OperandKind::Sgpr:
      if (operand.index <= kLastSgpr) {
        append_register(out, "s", operand.index, operand.dwords);
      } else if (operand.index >= kTtmp0 && operand.index <= kTtmp15) {
        append_register(out, "ttmp", operand.index - kTtmp0, operand.dwords);
      } else {
        out += special_register(operand.index, operand.dwords == 2);
      }
      break;
    case OperandKind::Special:
      out += special_register(operand.index, false);
      break;
    case OperandKind::Inline:
      append_inline(out, operand);
      break;
    case OperandKind::Literal:
      append_literal(out, operand);
      break;
    case OperandKind::Immediate:
      append_hex(out, operand.value);
      break;
    case OperandKind::Off:
      out += "off";
      break;
  }
}

void append_immediate(std::string& out, const Instruction& in, Role role, uint32_t value) {
  switch (role) {
    case Role::Label:
      out += std::to_string(value);
      break;
    case Role::Hwreg:
      append_hwreg(out, in.target, value);
      break;
    case Role::Message:
      append_message(out, in.target, value);
      break;
    case Role::Waitcnt:
      append_waitcnt(out, value);
      break;
    case Role::GprIdx:
      append_gpr_idx(out, value);
      break;
    default:
      // SOPK shows hexadecimal always, others small values in decimal.
      if (in.row->has(kEndsProgram) || (in.row->format != Format::Sopk && value <= 64)) {
        out += std::to_string(value);
      } else {
        append_hex(out, value);
      }
      break;
  }
}

}  // namespace cuvette::isa::parts
