// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/gcn_table.h"

#include <array>
#include <iterator>

namespace cuvette::hsail {

namespace {

constexpr TypeSet kB32 = type_bit(Type::kB32);
constexpr TypeSet kB64 = type_bit(Type::kB64);
constexpr TypeSet kU32 = type_bit(Type::kU32);
constexpr TypeSet kF32 = type_bit(Type::kF32);
constexpr TypeSet kF64 = type_bit(Type::kF64);
constexpr TypeSet kFloats = type_bit(Type::kF16) | kF32 | kF64;
constexpr TypeSet kWords = type_bit(Type::kS32) | kU32;
constexpr TypeSet kRegionAccess = type_bit(Type::kU8) | type_bit(Type::kU16) | kU32 |
                                  type_bit(Type::kU64) | type_bit(Type::kS8) |
                                  type_bit(Type::kS16) | type_bit(Type::kS32) |
                                  type_bit(Type::kS64) | kFloats | type_bit(Type::kB128);
constexpr Type kNone = Type::kNone;

using O = Opcode;
constexpr Kind kBasic = Kind::kInstBasic;
constexpr Kind kMod = Kind::kInstMod;

// By opcode.
// clang-format off
constexpr InstRow kRows[] = {
    {"HV-01", O::kGcnMadu, kBasic, Syntax::kUntyped, kB32, 0, "dsss", 0, AtomicOp::kAdd, 0, {Type::kU64, Type::kU32, Type::kU32, Type::kU64}},
    {"HV-02", O::kGcnMads, kBasic, Syntax::kUntyped, kB32, 0, "dsss", 0, AtomicOp::kAdd, 0, {Type::kS64, Type::kS32, Type::kS32, Type::kS64}},
    {"HV-03", O::kGcnMax3, kBasic, Syntax::kPlain, kWords | kF32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-04", O::kGcnMin3, kBasic, Syntax::kPlain, kWords | kF32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-05", O::kGcnMed3, kBasic, Syntax::kPlain, kWords | kF32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-06", O::kGcnFldexp, kMod, Syntax::kArith, kFloats, 0, "dss", kModFtz, AtomicOp::kAdd, 0, {kNone, kNone, Type::kS32}},
    {"HV-07", O::kGcnFrexpExp, kMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd, 0, {Type::kS32}},
    {"HV-08", O::kGcnFrexpMant, kMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd},
    {"HV-09", O::kGcnTrigPreop, kMod, Syntax::kArith, kF64, 0, "dss", kModFtz, AtomicOp::kAdd, 0, {kNone, kNone, Type::kU32}},
    {"HV-10", O::kGcnBfm, kBasic, Syntax::kPlain, kB32, 0, "dss", 0, AtomicOp::kAdd},
    {"HV-11", O::kGcnLd, Kind::kInstMem, Syntax::kLoad, kRegionAccess, 0, "Dm", 0, AtomicOp::kAdd},
    {"HV-12", O::kGcnSt, Kind::kInstMem, Syntax::kStore, kRegionAccess, 0, "Sm", 0, AtomicOp::kAdd},
    {"HV-13", O::kGcnAtomic, Kind::kInstAtomic, Syntax::kAtomic, kF32, 0, "dms", 0, AtomicOp::kAdd},
    {"HV-13", O::kGcnAtomic, Kind::kInstAtomic, Syntax::kAtomic, kF32 | kF64, 0, "dms", 0, AtomicOp::kMax},
    {"HV-13", O::kGcnAtomic, Kind::kInstAtomic, Syntax::kAtomic, kF32 | kF64, 0, "dms", 0, AtomicOp::kMin},
    {"HV-14", O::kGcnAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kF32, 0, "ms", 0, AtomicOp::kAdd},
    {"HV-14", O::kGcnAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kF32 | kF64, 0, "ms", 0, AtomicOp::kMax},
    {"HV-14", O::kGcnAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kF32 | kF64, 0, "ms", 0, AtomicOp::kMin},
    {"HV-15", O::kGcnSleep, kBasic, Syntax::kPlain, kU32, 0, "s", 0, AtomicOp::kAdd},
    {"HV-16", O::kGcnPriority, kBasic, Syntax::kPlain, kU32, 0, "s", 0, AtomicOp::kAdd},
    {"HV-17", O::kGcnRegionAlloc, kBasic, Syntax::kUntyped, kB32, 0, "l", 0, AtomicOp::kAdd, 0, {Type::kU32}},
    {"HV-18", O::kGcnMsad, kBasic, Syntax::kPlain, kB32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-19", O::kGcnQsad, kBasic, Syntax::kPlain, kB64, 0, "dsss", 0, AtomicOp::kAdd, 0, {kNone, kNone, Type::kB32}},
    {"HV-20", O::kGcnMqsad, kBasic, Syntax::kPlain, kB64, 0, "dssR", 0, AtomicOp::kAdd, 0, {kNone, kNone, Type::kB32}},
    {"HV-21", O::kGcnMqsad4, kBasic, Syntax::kUntyped, kB32, 0, "OssI", 0, AtomicOp::kAdd, 0, {kNone, Type::kB64}},
    {"HV-22", O::kGcnSadw, kBasic, Syntax::kPlain, kB32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-23", O::kGcnSadd, kBasic, Syntax::kPlain, kB32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HV-24", O::kGcnAtomicConsume, Kind::kInstAddr, Syntax::kRegion, kU32, 0, "dm", 0, AtomicOp::kAdd},
    {"HV-25", O::kGcnAtomicAppend, Kind::kInstAddr, Syntax::kRegion, kU32, 0, "dm", 0, AtomicOp::kAdd},
    {"HV-26", O::kGcnB4xchg, kBasic, Syntax::kPlain, kB32, 0, "dRl", 0, AtomicOp::kAdd},
    {"HV-27", O::kGcnB32xchg, kBasic, Syntax::kPlain, kB32, 0, "dRl", 0, AtomicOp::kAdd},
    {"HV-28", O::kGcnMax, kBasic, Syntax::kPlain, kWords | kFloats, 0, "dss", 0, AtomicOp::kAdd},
    {"HV-29", O::kGcnMin, kBasic, Syntax::kPlain, kWords | kFloats, 0, "dss", 0, AtomicOp::kAdd},
    {"HV-30", O::kGcnDivRelaxed, kMod, Syntax::kArith, kF32, 0, "dss", kModFtz, AtomicOp::kAdd},
    {"HV-31", O::kGcnDivRelaxedNarrow, kBasic, Syntax::kPlain, kF32, 0, "dss", 0, AtomicOp::kAdd},
};
// clang-format on

constexpr size_t place_of(Opcode opcode) {
  return static_cast<size_t>(opcode) - static_cast<size_t>(Opcode::kGcnMadu);
}
constexpr size_t kCount = place_of(Opcode::kGcnDivRelaxedNarrow) + 1;

}  // namespace

InstRows gcn_rows() {
  return {std::begin(kRows), std::end(kRows)};
}

InstRows gcn_rows(Opcode opcode) {
  static const std::array<InstRows, kCount> kByOpcode = [] {
    std::array<InstRows, kCount> all{};
    for (const InstRow& row : kRows) {
      InstRows& rows = all[place_of(row.opcode)];
      if (rows.first == nullptr) rows.first = &row;
      rows.last = &row + 1;
    }
    return all;
  }();
  return kByOpcode[place_of(opcode)];
}

bool accesses_region(Opcode opcode) {
  return opcode == Opcode::kGcnLd || opcode == Opcode::kGcnSt ||
         opcode == Opcode::kGcnAtomicConsume || opcode == Opcode::kGcnAtomicAppend ||
         opcode == Opcode::kGcnRegionAlloc;
}

uint64_t region_alloc_bytes(const Module& module, const Inst& inst) {
  constexpr uint64_t kWavesize = 64;
  const bool constant = module.operand(inst.operands[0]).kind == Kind::kOperandConstantBytes;
  return constant ? module.constant(inst.operands[0]) : kWavesize;
}

uint64_t region_limit(std::string_view target) {
  const std::string_view processor = target.substr(0, target.find(':'));
  if (processor == "gfx908") return 4096;
  // M0 says how many bytes instructions may access, in 16 bits.
  return processor == "gfx900" || processor == "gfx906" ? 65535 : 0;
}

std::string gcn_target_problem(const Module& module, const Inst& inst, std::string_view target) {
  if (!accesses_region(inst.opcode)) return {};
  const uint64_t most = region_limit(target);
  const std::string what =
      "'" + inst_name(inst) + "': target " + std::string(target.substr(0, target.find(':')));
  if (most == 0) return what + " has no region memory";
  if (inst.opcode != Opcode::kGcnRegionAlloc || region_alloc_bytes(module, inst) <= most) return {};
  return what + " has " + std::to_string(most) + " bytes of region memory";
}

}  // namespace cuvette::hsail
