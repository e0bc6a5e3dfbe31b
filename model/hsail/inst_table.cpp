// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/inst_table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "hsail/gcn_table.h"
#include "hsail/matrix_table.h"
#include "hsail/mipmap_table.h"

namespace cuvette::hsail {

namespace {

constexpr TypeSet kB1 = type_bit(Type::kB1);
constexpr TypeSet kB32 = type_bit(Type::kB32);
constexpr TypeSet kB64 = type_bit(Type::kB64);
constexpr TypeSet kB128 = type_bit(Type::kB128);
constexpr TypeSet kU32 = type_bit(Type::kU32);
constexpr TypeSet kU64 = type_bit(Type::kU64);
constexpr TypeSet kS32 = type_bit(Type::kS32);
constexpr TypeSet kS64 = type_bit(Type::kS64);
constexpr TypeSet kF16 = type_bit(Type::kF16);
constexpr TypeSet kF32 = type_bit(Type::kF32);
constexpr TypeSet kF64 = type_bit(Type::kF64);
constexpr TypeSet kSignals = type_bit(Type::kSig32) | type_bit(Type::kSig64);
constexpr TypeSet kOpaque = kSignals | type_bit(Type::kSamp) | type_bit(Type::kRoimg) |
                            type_bit(Type::kWoimg) | type_bit(Type::kRwimg);
constexpr TypeSet kImages =
    type_bit(Type::kRoimg) | type_bit(Type::kWoimg) | type_bit(Type::kRwimg);
constexpr TypeSet kReadableImages = type_bit(Type::kRoimg) | type_bit(Type::kRwimg);
constexpr TypeSet kWritableImages = type_bit(Type::kWoimg) | type_bit(Type::kRwimg);
constexpr TypeSet kSigned = kS32 | kS64;
constexpr TypeSet kUnsigned = kU32 | kU64;
constexpr TypeSet kInts = kSigned | kUnsigned;
constexpr TypeSet kSmallInts =
    type_bit(Type::kU8) | type_bit(Type::kS8) | type_bit(Type::kU16) | type_bit(Type::kS16);
constexpr TypeSet kFloats = kF16 | kF32 | kF64;
constexpr TypeSet kImageAccess = kU32 | kS32 | kF16 | kF32;
constexpr TypeSet kPackedUnsigned =
    type_bit(Type::kU8x4) | type_bit(Type::kU8x8) | type_bit(Type::kU8x16) |
    type_bit(Type::kU16x2) | type_bit(Type::kU16x4) | type_bit(Type::kU16x8) |
    type_bit(Type::kU32x2) | type_bit(Type::kU32x4) | type_bit(Type::kU64x2);
constexpr TypeSet kPackedSigned =
    type_bit(Type::kS8x4) | type_bit(Type::kS8x8) | type_bit(Type::kS8x16) |
    type_bit(Type::kS16x2) | type_bit(Type::kS16x4) | type_bit(Type::kS16x8) |
    type_bit(Type::kS32x2) | type_bit(Type::kS32x4) | type_bit(Type::kS64x2);
constexpr TypeSet kPackedInts = kPackedUnsigned | kPackedSigned;
constexpr TypeSet kPackedFloats = type_bit(Type::kF16x2) | type_bit(Type::kF16x4) |
                                  type_bit(Type::kF16x8) | type_bit(Type::kF32x2) |
                                  type_bit(Type::kF32x4) | type_bit(Type::kF64x2);
/// Types of 32 and 64 bits, as shuffle and unpack take them (5.9).
constexpr TypeSet kShufflable =
    type_bit(Type::kU8x4) | type_bit(Type::kU8x8) | type_bit(Type::kU16x2) |
    type_bit(Type::kU16x4) | type_bit(Type::kU32x2) | type_bit(Type::kS8x4) |
    type_bit(Type::kS8x8) | type_bit(Type::kS16x2) | type_bit(Type::kS16x4) |
    type_bit(Type::kS32x2) | type_bit(Type::kF16x2) | type_bit(Type::kF16x4) |
    type_bit(Type::kF32x2);

// By opcode. A saturating form for 8 and 16 bits exists although 4.15 reserves these types for
// memory and conversions (5.2).
// clang-format off
constexpr InstRow kRows[] = {
    {"HI-301", Opcode::kNop, Kind::kInstBasic, Syntax::kBare, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-001", Opcode::kAbs, Kind::kInstBasic, Syntax::kArith, kSigned, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-098", Opcode::kAbs, Kind::kInstBasic, Syntax::kArith, kFloats, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-013", Opcode::kAbs, Kind::kInstMod, Syntax::kArith, kPackedSigned, 0, "ds", kModPackOne, AtomicOp::kAdd},
    {"HI-102", Opcode::kAbs, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModPackOne, AtomicOp::kAdd},
    {"HI-002", Opcode::kAdd, Kind::kInstMod, Syntax::kArith, kInts, 0, "dss", kModSat, AtomicOp::kAdd},
    {"HI-002", Opcode::kAdd, Kind::kInstMod, Syntax::kArith, kSmallInts, 0, "dss", kModNeedSat, AtomicOp::kAdd},
    {"HI-072", Opcode::kAdd, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-014", Opcode::kAdd, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo | kModPackSat, AtomicOp::kAdd},
    {"HI-085", Opcode::kAdd, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModRound | kModPackTwo, AtomicOp::kAdd},
    {"HI-003", Opcode::kBorrow, Kind::kInstBasic, Syntax::kPlain, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-004", Opcode::kCarry, Kind::kInstBasic, Syntax::kPlain, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-073", Opcode::kCeil, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd},
    {"HI-086", Opcode::kCeil, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModPackOne, AtomicOp::kAdd},
    {"HI-100", Opcode::kCopySign, Kind::kInstBasic, Syntax::kArith, kFloats, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-103", Opcode::kCopySign, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModPackTwo, AtomicOp::kAdd},
    {"HI-005", Opcode::kDiv, Kind::kInstBasic, Syntax::kArith, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-074", Opcode::kDiv, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-087", Opcode::kDiv, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModRound | kModPackTwo, AtomicOp::kAdd},
    {"HI-075", Opcode::kFloor, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd},
    {"HI-088", Opcode::kFloor, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModPackOne, AtomicOp::kAdd},
    {"HI-076", Opcode::kFma, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dsss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-077", Opcode::kFract, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-089", Opcode::kFract, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModRound | kModPackOne, AtomicOp::kAdd},
    {"HI-021", Opcode::kMad, Kind::kInstMod, Syntax::kArith, kInts, 0, "dsss", kModSat, AtomicOp::kAdd},
    {"HI-021", Opcode::kMad, Kind::kInstMod, Syntax::kArith, kSmallInts, 0, "dsss", kModNeedSat, AtomicOp::kAdd},
    {"HI-097", Opcode::kMad, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dsss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-006", Opcode::kMax, Kind::kInstBasic, Syntax::kArith, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-078", Opcode::kMax, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz, AtomicOp::kAdd},
    {"HI-015", Opcode::kMax, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo, AtomicOp::kAdd},
    {"HI-090", Opcode::kMax, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModPackTwo, AtomicOp::kAdd},
    {"HI-007", Opcode::kMin, Kind::kInstBasic, Syntax::kArith, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-079", Opcode::kMin, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz, AtomicOp::kAdd},
    {"HI-016", Opcode::kMin, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo, AtomicOp::kAdd},
    {"HI-091", Opcode::kMin, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModPackTwo, AtomicOp::kAdd},
    {"HI-008", Opcode::kMul, Kind::kInstBasic, Syntax::kArith, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-080", Opcode::kMul, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-017", Opcode::kMul, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo | kModPackSat, AtomicOp::kAdd},
    {"HI-092", Opcode::kMul, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModRound | kModPackTwo, AtomicOp::kAdd},
    {"HI-009", Opcode::kMulHi, Kind::kInstBasic, Syntax::kArith, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-018", Opcode::kMulHi, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo, AtomicOp::kAdd},
    {"HI-010", Opcode::kNeg, Kind::kInstBasic, Syntax::kArith, kSigned, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-101", Opcode::kNeg, Kind::kInstBasic, Syntax::kArith, kFloats, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-019", Opcode::kNeg, Kind::kInstMod, Syntax::kArith, kPackedSigned, 0, "ds", kModPackOne, AtomicOp::kAdd},
    {"HI-104", Opcode::kNeg, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModPackOne, AtomicOp::kAdd},
    {"HI-011", Opcode::kRem, Kind::kInstBasic, Syntax::kPlain, kInts, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-081", Opcode::kRint, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd},
    {"HI-093", Opcode::kRint, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModPackOne, AtomicOp::kAdd},
    {"HI-082", Opcode::kSqrt, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-094", Opcode::kSqrt, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModRound | kModPackOne, AtomicOp::kAdd},
    {"HI-012", Opcode::kSub, Kind::kInstMod, Syntax::kArith, kInts, 0, "dss", kModSat, AtomicOp::kAdd},
    {"HI-012", Opcode::kSub, Kind::kInstMod, Syntax::kArith, kSmallInts, 0, "dss", kModNeedSat, AtomicOp::kAdd},
    {"HI-083", Opcode::kSub, Kind::kInstMod, Syntax::kArith, kFloats, 0, "dss", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-020", Opcode::kSub, Kind::kInstMod, Syntax::kArith, kPackedInts, 0, "dss", kModPackTwo | kModPackSat, AtomicOp::kAdd},
    {"HI-095", Opcode::kSub, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "dss", kModFtz | kModRound | kModPackTwo, AtomicOp::kAdd},
    {"HI-084", Opcode::kTrunc, Kind::kInstMod, Syntax::kArith, kFloats, 0, "ds", kModFtz, AtomicOp::kAdd},
    {"HI-096", Opcode::kTrunc, Kind::kInstMod, Syntax::kArith, kPackedFloats, 0, "ds", kModFtz | kModPackOne, AtomicOp::kAdd},
    {"HI-022", Opcode::kMad24, Kind::kInstBasic, Syntax::kPlain, kU32 | kS32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-023", Opcode::kMad24Hi, Kind::kInstBasic, Syntax::kPlain, kU32 | kS32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-024", Opcode::kMul24, Kind::kInstBasic, Syntax::kPlain, kU32 | kS32, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-025", Opcode::kMul24Hi, Kind::kInstBasic, Syntax::kPlain, kU32 | kS32, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-026", Opcode::kShl, Kind::kInstBasic, Syntax::kPlain, kInts, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-027", Opcode::kShl, Kind::kInstBasic, Syntax::kPlain, kPackedInts, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-028", Opcode::kShr, Kind::kInstBasic, Syntax::kPlain, kSigned, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-029", Opcode::kShr, Kind::kInstBasic, Syntax::kPlain, kUnsigned, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-030", Opcode::kShr, Kind::kInstBasic, Syntax::kPlain, kPackedSigned, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-031", Opcode::kShr, Kind::kInstBasic, Syntax::kPlain, kPackedUnsigned, 0, "dsu", 0, AtomicOp::kAdd},
    {"HI-032", Opcode::kAnd, Kind::kInstBasic, Syntax::kPlain, kB1, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-033", Opcode::kAnd, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-038", Opcode::kNot, Kind::kInstBasic, Syntax::kPlain, kB1, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-039", Opcode::kNot, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-034", Opcode::kOr, Kind::kInstBasic, Syntax::kPlain, kB1, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-035", Opcode::kOr, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-040", Opcode::kPopCount, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, kB32 | kB64, "dt", 0, AtomicOp::kAdd},
    {"HI-036", Opcode::kXor, Kind::kInstBasic, Syntax::kPlain, kB1, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-037", Opcode::kXor, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-041", Opcode::kBitExtract, Kind::kInstBasic, Syntax::kPlain, kSigned, 0, "dsuu", 0, AtomicOp::kAdd},
    {"HI-042", Opcode::kBitExtract, Kind::kInstBasic, Syntax::kPlain, kUnsigned, 0, "dsuu", 0, AtomicOp::kAdd},
    {"HI-043", Opcode::kBitInsert, Kind::kInstBasic, Syntax::kPlain, kInts, 0, "dssuu", 0, AtomicOp::kAdd},
    {"HI-044", Opcode::kBitMask, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "duu", 0, AtomicOp::kAdd},
    {"HI-045", Opcode::kBitRev, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-046", Opcode::kBitSelect, Kind::kInstBasic, Syntax::kPlain, kB32 | kB64, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-047", Opcode::kFirstBit, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, kUnsigned, "dt", 0, AtomicOp::kAdd},
    {"HI-048", Opcode::kFirstBit, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, kSigned, "dt", 0, AtomicOp::kAdd},
    {"HI-049", Opcode::kLastBit, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, kInts, "dt", 0, AtomicOp::kAdd},
    {"HI-050", Opcode::kCombine, Kind::kInstSourceType, Syntax::kVector, kB64, kB32, "dW", 0, AtomicOp::kAdd},
    {"HI-051", Opcode::kCombine, Kind::kInstSourceType, Syntax::kVector, kB128, kB32, "dW", 0, AtomicOp::kAdd},
    {"HI-052", Opcode::kCombine, Kind::kInstSourceType, Syntax::kVector, kB128, kB64, "dW", 0, AtomicOp::kAdd},
    {"HI-053", Opcode::kExpand, Kind::kInstSourceType, Syntax::kVector, kB32, kB64, "Vt", 0, AtomicOp::kAdd},
    {"HI-054", Opcode::kExpand, Kind::kInstSourceType, Syntax::kVector, kB32, kB128, "Vt", 0, AtomicOp::kAdd},
    {"HI-055", Opcode::kExpand, Kind::kInstSourceType, Syntax::kVector, kB64, kB128, "Vt", 0, AtomicOp::kAdd},
    {"HI-057", Opcode::kLda, Kind::kInstAddr, Syntax::kAddress, kU32 | kU64, 0, "dm", 0, AtomicOp::kAdd},
    {"HI-058", Opcode::kMov, Kind::kInstBasic, Syntax::kPlain, kB1, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-059", Opcode::kMov, Kind::kInstBasic, Syntax::kPlain, kInts | kB32 | kB64 | kF32 | kF64, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-060", Opcode::kMov, Kind::kInstBasic, Syntax::kPlain, kF16, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-061", Opcode::kMov, Kind::kInstBasic, Syntax::kPlain, kB128, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-062", Opcode::kMov, Kind::kInstBasic, Syntax::kPlain, kOpaque, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-063", Opcode::kShuffle, Kind::kInstBasic, Syntax::kPlain, kShufflable, 0, "dssx", 0, AtomicOp::kAdd},
    {"HI-065", Opcode::kUnpackHi, Kind::kInstBasic, Syntax::kPlain, kShufflable, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-064", Opcode::kUnpackLo, Kind::kInstBasic, Syntax::kPlain, kShufflable, 0, "dss", 0, AtomicOp::kAdd},
    {"HI-066", Opcode::kPack, Kind::kInstSourceType, Syntax::kTwoTypes, kPackedInts, kInts, "dstu", 0, AtomicOp::kAdd},
    {"HI-067", Opcode::kPack, Kind::kInstSourceType, Syntax::kTwoTypes, kPackedFloats, kFloats, "dstu", 0, AtomicOp::kAdd},
    {"HI-068", Opcode::kUnpack, Kind::kInstSourceType, Syntax::kTwoTypes, kInts, kPackedInts, "dtu", 0, AtomicOp::kAdd},
    {"HI-069", Opcode::kUnpack, Kind::kInstSourceType, Syntax::kTwoTypes, kFloats, kPackedFloats, "dtu", 0, AtomicOp::kAdd},
    {"HI-070", Opcode::kCmov, Kind::kInstBasic, Syntax::kPlain, kB1 | kB32 | kB64 | kB128, 0, "dcss", 0, AtomicOp::kAdd},
    {"HI-071", Opcode::kCmov, Kind::kInstBasic, Syntax::kPlain, kPackedInts | kPackedFloats, 0, "dcss", 0, AtomicOp::kAdd},
    {"HI-099", Opcode::kClass, Kind::kInstSourceType, Syntax::kTwoTypes, kB1, kFloats, "dtu", 0, AtomicOp::kAdd},
    {"HI-105", Opcode::kNcos, Kind::kInstBasic, Syntax::kPlain, kF32, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-106", Opcode::kNexp2, Kind::kInstBasic, Syntax::kPlain, kF32, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-107", Opcode::kNfma, Kind::kInstBasic, Syntax::kPlain, kFloats, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-108", Opcode::kNlog2, Kind::kInstBasic, Syntax::kPlain, kF32, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-109", Opcode::kNrcp, Kind::kInstBasic, Syntax::kPlain, kFloats, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-110", Opcode::kNrsqrt, Kind::kInstBasic, Syntax::kPlain, kFloats, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-111", Opcode::kNsin, Kind::kInstBasic, Syntax::kPlain, kF32, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-112", Opcode::kNsqrt, Kind::kInstBasic, Syntax::kPlain, kFloats, 0, "ds", 0, AtomicOp::kAdd},
    {"HI-113", Opcode::kBitAlign, Kind::kInstBasic, Syntax::kPlain, kB32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-114", Opcode::kByteAlign, Kind::kInstBasic, Syntax::kPlain, kB32, 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-116", Opcode::kPackCvt, Kind::kInstSourceType, Syntax::kTwoTypes, type_bit(Type::kU8x4), kF32, "dtttt", 0, AtomicOp::kAdd},
    {"HI-117", Opcode::kUnpackCvt, Kind::kInstSourceType, Syntax::kTwoTypes, kF32, type_bit(Type::kU8x4), "dtb", 0, AtomicOp::kAdd},
    {"HI-115", Opcode::kLerp, Kind::kInstBasic, Syntax::kPlain, type_bit(Type::kU8x4), 0, "dsss", 0, AtomicOp::kAdd},
    {"HI-118", Opcode::kSad, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, kU32, "dttu", 0, AtomicOp::kAdd},
    {"HI-119", Opcode::kSad, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, type_bit(Type::kU16x2), "dttu", 0, AtomicOp::kAdd},
    {"HI-120", Opcode::kSad, Kind::kInstSourceType, Syntax::kTwoTypes, kU32, type_bit(Type::kU8x4), "dttu", 0, AtomicOp::kAdd},
    {"HI-121", Opcode::kSadHi, Kind::kInstSourceType, Syntax::kTwoTypes, type_bit(Type::kU16x2), type_bit(Type::kU8x4), "dtts", 0, AtomicOp::kAdd},
    {"HI-122", Opcode::kSegmentP, Kind::kInstSegCvt, Syntax::kSegment, kB1, kUnsigned, "dt", 0, AtomicOp::kAdd},
    {"HI-123", Opcode::kFtos, Kind::kInstSegCvt, Syntax::kSegment, kU32, kUnsigned, "dt", 0, AtomicOp::kAdd},
    {"HI-124", Opcode::kStof, Kind::kInstSegCvt, Syntax::kSegment, kUnsigned, kU32, "dt", 0, AtomicOp::kAdd},
    {"HI-125", Opcode::kCmp, Kind::kInstCmp, Syntax::kCmp, kB1 | kInts | kFloats, kB1 | kB32 | kB64, "dtt", 0, AtomicOp::kAdd},
    {"HI-126", Opcode::kCmp, Kind::kInstCmp, Syntax::kCmp, kB1 | kInts | kFloats, kInts, "dtt", 0, AtomicOp::kAdd},
    {"HI-127", Opcode::kCmp, Kind::kInstCmp, Syntax::kCmp, kB1 | kInts | kFloats, kFloats, "dtt", kModFtz, AtomicOp::kAdd},
    {"HI-131", Opcode::kCmp, Kind::kInstCmp, Syntax::kCmp, kPackedUnsigned, kPackedInts, "dtt", kModPackPair, AtomicOp::kAdd},
    {"HI-132", Opcode::kCmp, Kind::kInstCmp, Syntax::kCmp, kPackedUnsigned, kPackedFloats, "dtt", kModFtz | kModPackPair, AtomicOp::kAdd},
    {"HI-133", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kB1, kInts | kSmallInts, "dt", 0, AtomicOp::kAdd},
    {"HI-134", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kB1, kFloats, "dt", kModFtz, AtomicOp::kAdd},
    {"HI-135", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kInts | kSmallInts, kB1, "dt", 0, AtomicOp::kAdd},
    {"HI-137", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kFloats, kB1, "dt", 0, AtomicOp::kAdd},
    {"HI-138", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kInts | kSmallInts, kInts | kSmallInts, "dt", kModSat, AtomicOp::kAdd},
    {"HI-142", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kFloats, kInts | kSmallInts, "dt", kModRound, AtomicOp::kAdd},
    {"HI-143", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kFloats, kFloats, "dt", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-145", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kInts | kSmallInts, kFloats, "dt", kModFtz | kModRound, AtomicOp::kAdd},
    {"HI-149", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kPackedInts, kPackedInts, "dt", kModSat | kModPackPair, AtomicOp::kAdd},
    {"HI-151", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kPackedFloats, kPackedInts, "dt", kModRound | kModPackPair, AtomicOp::kAdd},
    {"HI-151", Opcode::kCvt, Kind::kInstCvt, Syntax::kCvt, kPackedInts | kPackedFloats, kPackedFloats, "dt", kModFtz | kModRound | kModPackPair, AtomicOp::kAdd},
    {"HI-153", Opcode::kLd, Kind::kInstMem, Syntax::kLoad, kInts | kSmallInts | kFloats | kB128 | kOpaque, 0, "Dm", 0, AtomicOp::kAdd},
    {"HI-166", Opcode::kSt, Kind::kInstMem, Syntax::kStore, kInts | kSmallInts | kFloats | kB128 | kOpaque, 0, "Sm", 0, AtomicOp::kAdd},
    {"HI-181", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "dms", 0, AtomicOp::kAdd},
    {"HI-177", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dms", 0, AtomicOp::kAnd},
    {"HI-187", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dmss", 0, AtomicOp::kCas},
    {"HI-180", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dms", 0, AtomicOp::kExch},
    {"HI-176", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dm", 0, AtomicOp::kLd},
    {"HI-185", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "dms", 0, AtomicOp::kMax},
    {"HI-186", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "dms", 0, AtomicOp::kMin},
    {"HI-178", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dms", 0, AtomicOp::kOr},
    {"HI-182", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "dms", 0, AtomicOp::kSub},
    {"HI-184", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kUnsigned, 0, "dms", 0, AtomicOp::kWrapDec},
    {"HI-183", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kUnsigned, 0, "dms", 0, AtomicOp::kWrapInc},
    {"HI-179", Opcode::kAtomic, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "dms", 0, AtomicOp::kXor},
    {"HI-192", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "ms", 0, AtomicOp::kAdd},
    {"HI-189", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "ms", 0, AtomicOp::kAnd},
    {"HI-196", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "ms", 0, AtomicOp::kMax},
    {"HI-197", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "ms", 0, AtomicOp::kMin},
    {"HI-190", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "ms", 0, AtomicOp::kOr},
    {"HI-188", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "ms", 0, AtomicOp::kSt},
    {"HI-193", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kInts, 0, "ms", 0, AtomicOp::kSub},
    {"HI-195", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kUnsigned, 0, "ms", 0, AtomicOp::kWrapDec},
    {"HI-194", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kUnsigned, 0, "ms", 0, AtomicOp::kWrapInc},
    {"HI-191", Opcode::kAtomicNoRet, Kind::kInstAtomic, Syntax::kAtomic, kB32 | kB64, 0, "ms", 0, AtomicOp::kXor},
    {"HI-203", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kInts, kSignals, "dhs", 0, AtomicOp::kAdd},
    {"HI-199", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dhs", 0, AtomicOp::kAnd},
    {"HI-205", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dhss", 0, AtomicOp::kCas},
    {"HI-202", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dhs", 0, AtomicOp::kExch},
    {"HI-198", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dh", 0, AtomicOp::kLd},
    {"HI-200", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dhs", 0, AtomicOp::kOr},
    {"HI-204", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kInts, kSignals, "dhs", 0, AtomicOp::kSub},
    {"HI-201", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "dhs", 0, AtomicOp::kXor},
    {"HI-206", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhs", 0, AtomicOp::kWaitEq},
    {"HI-206", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhs", 0, AtomicOp::kWaitNe},
    {"HI-206", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhs", 0, AtomicOp::kWaitLt},
    {"HI-206", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhs", 0, AtomicOp::kWaitGte},
    {"HI-207", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhsy", 0, AtomicOp::kWaitTimeoutEq},
    {"HI-207", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhsy", 0, AtomicOp::kWaitTimeoutNe},
    {"HI-207", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhsy", 0, AtomicOp::kWaitTimeoutLt},
    {"HI-207", Opcode::kSignal, Kind::kInstSignal, Syntax::kSignal, kSigned, kSignals, "dhsy", 0, AtomicOp::kWaitTimeoutGte},
    {"HI-212", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kInts, kSignals, "hs", 0, AtomicOp::kAdd},
    {"HI-209", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "hs", 0, AtomicOp::kAnd},
    {"HI-210", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "hs", 0, AtomicOp::kOr},
    {"HI-208", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "hs", 0, AtomicOp::kSt},
    {"HI-213", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kInts, kSignals, "hs", 0, AtomicOp::kSub},
    {"HI-211", Opcode::kSignalNoRet, Kind::kInstSignal, Syntax::kSignal, kB32 | kB64, kSignals, "hs", 0, AtomicOp::kXor},
    {"HI-214", Opcode::kMemFence, Kind::kInstMemFence, Syntax::kFence, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-215", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1d)},
    {"HI-216", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2d)},
    {"HI-217", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k3d)},
    {"HI-218", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1da)},
    {"HI-219", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2da)},
    {"HI-220", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2dDepth)},
    {"HI-221", Opcode::kRdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, type_bit(Type::kRoimg), "DipC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2daDepth)},
    {"HI-222", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1d)},
    {"HI-223", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2d)},
    {"HI-224", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k3d)},
    {"HI-225", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1da)},
    {"HI-226", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2da)},
    {"HI-227", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1db)},
    {"HI-228", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2dDepth)},
    {"HI-229", Opcode::kLdImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kReadableImages, "DiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2daDepth)},
    {"HI-230", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1d)},
    {"HI-231", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2d)},
    {"HI-232", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k3d)},
    {"HI-233", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1da)},
    {"HI-234", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2da)},
    {"HI-235", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k1db)},
    {"HI-236", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2dDepth)},
    {"HI-237", Opcode::kStImage, Kind::kInstImage, Syntax::kImage, kImageAccess, kWritableImages, "SiC", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageGeometry::k2daDepth)},
    {"HI-238", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kWidth)},
    {"HI-239", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kHeight)},
    {"HI-240", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kDepth)},
    {"HI-241", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kArray)},
    {"HI-242", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kChannelOrder)},
    {"HI-243", Opcode::kQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kChannelType)},
    {"HI-244", Opcode::kQuerySampler, Kind::kInstQuerySampler, Syntax::kQuerySampler, kU32, 0, "dp", 0, AtomicOp::kAdd, static_cast<uint8_t>(SamplerQuery::kAddressing)},
    {"HI-245", Opcode::kQuerySampler, Kind::kInstQuerySampler, Syntax::kQuerySampler, kU32, 0, "dp", 0, AtomicOp::kAdd, static_cast<uint8_t>(SamplerQuery::kCoord)},
    {"HI-246", Opcode::kQuerySampler, Kind::kInstQuerySampler, Syntax::kQuerySampler, kU32, 0, "dp", 0, AtomicOp::kAdd, static_cast<uint8_t>(SamplerQuery::kFilter)},
    {"HI-247", Opcode::kImageFence, Kind::kInstBasic, Syntax::kBare, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-249", Opcode::kCbr, Kind::kInstBr, Syntax::kBranch, kB1, 0, "c@", 0, AtomicOp::kAdd},
    {"HI-248", Opcode::kBr, Kind::kInstBr, Syntax::kBare, 0, 0, "@", 0, AtomicOp::kAdd},
    {"HI-250", Opcode::kSbr, Kind::kInstBr, Syntax::kBranch, kUnsigned, 0, "sL", 0, AtomicOp::kAdd},
    {"HI-251", Opcode::kBarrier, Kind::kInstBr, Syntax::kBarrier, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-252", Opcode::kWaveBarrier, Kind::kInstBr, Syntax::kBare, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-256", Opcode::kArriveFbar, Kind::kInstBr, Syntax::kFbarrier, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-253", Opcode::kInitFbar, Kind::kInstBasic, Syntax::kBare, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-254", Opcode::kJoinFbar, Kind::kInstBr, Syntax::kFbarrier, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-257", Opcode::kLeaveFbar, Kind::kInstBr, Syntax::kFbarrier, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-258", Opcode::kReleaseFbar, Kind::kInstBasic, Syntax::kBare, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-255", Opcode::kWaitFbar, Kind::kInstBr, Syntax::kFbarrier, 0, 0, "q", 0, AtomicOp::kAdd},
    {"HI-259", Opcode::kLdf, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dQ", 0, AtomicOp::kAdd},
    {"HI-260", Opcode::kActiveLaneCount, Kind::kInstLane, Syntax::kLane, kU32, kB1, "dt", 0, AtomicOp::kAdd},
    {"HI-261", Opcode::kActiveLaneId, Kind::kInstLane, Syntax::kLane, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-262", Opcode::kActiveLaneMask, Kind::kInstLane, Syntax::kLane, kB64, kB1, "Vt", 0, AtomicOp::kAdd},
    {"HI-263", Opcode::kActiveLanePermute, Kind::kInstLane, Syntax::kLane, kB1 | kB32 | kB64 | kB128, 0, "dsusc", 0, AtomicOp::kAdd},
    {"HI-264", Opcode::kCall, Kind::kInstBr, Syntax::kBare, 0, 0, "afa", 0, AtomicOp::kAdd},
    {"HI-265", Opcode::kScall, Kind::kInstBr, Syntax::kBranch, kUnsigned, 0, "asaF", 0, AtomicOp::kAdd},
    {"HI-266", Opcode::kIcall, Kind::kInstBr, Syntax::kBranch, kUnsigned, 0, "arag", 0, AtomicOp::kAdd},
    {"HI-267", Opcode::kRet, Kind::kInstBasic, Syntax::kBare, 0, 0, "", 0, AtomicOp::kAdd},
    {"HI-268", Opcode::kAlloca, Kind::kInstMem, Syntax::kAlloca, kU32, 0, "du", 0, AtomicOp::kAdd},
    {"HI-269", Opcode::kCurrentWorkGroupSize, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-270", Opcode::kCurrentWorkItemFlatId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-271", Opcode::kDim, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-272", Opcode::kGridGroups, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-273", Opcode::kGridSize, Kind::kInstBasic, Syntax::kPlain, kU32 | kU64, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-274", Opcode::kPacketCompletionSig, Kind::kInstBasic, Syntax::kPlain, kSignals, 0, "d", 0, AtomicOp::kAdd},
    {"HI-275", Opcode::kPacketId, Kind::kInstBasic, Syntax::kPlain, kU64, 0, "d", 0, AtomicOp::kAdd},
    {"HI-276", Opcode::kWorkGroupId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-277", Opcode::kWorkGroupSize, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-278", Opcode::kWorkItemAbsId, Kind::kInstBasic, Syntax::kPlain, kU32 | kU64, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-279", Opcode::kWorkItemFlatAbsId, Kind::kInstBasic, Syntax::kPlain, kU32 | kU64, 0, "d", 0, AtomicOp::kAdd},
    {"HI-280", Opcode::kWorkItemFlatId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-281", Opcode::kWorkItemId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "dk", 0, AtomicOp::kAdd},
    {"HI-282", Opcode::kClearDetectExcept, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "e", 0, AtomicOp::kAdd},
    {"HI-283", Opcode::kGetDetectExcept, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-284", Opcode::kSetDetectExcept, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "e", 0, AtomicOp::kAdd},
    {"HI-285", Opcode::kAddQueueWriteIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "dms", 0, AtomicOp::kAdd},
    {"HI-286", Opcode::kCasQueueWriteIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "dmss", 0, AtomicOp::kAdd},
    {"HI-287", Opcode::kLdQueueReadIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "dm", 0, AtomicOp::kAdd},
    {"HI-288", Opcode::kLdQueueWriteIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "dm", 0, AtomicOp::kAdd},
    {"HI-289", Opcode::kStQueueReadIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "ms", 0, AtomicOp::kAdd},
    {"HI-290", Opcode::kStQueueWriteIndex, Kind::kInstQueue, Syntax::kQueue, kU64, 0, "ms", 0, AtomicOp::kAdd},
    {"HI-291", Opcode::kClock, Kind::kInstBasic, Syntax::kPlain, kU64, 0, "d", 0, AtomicOp::kAdd},
    {"HI-292", Opcode::kCuId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-293", Opcode::kDebugTrap, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "s", 0, AtomicOp::kAdd},
    {"HI-294", Opcode::kGroupBasePtr, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-297", Opcode::kKernargBasePtr, Kind::kInstBasic, Syntax::kPlain, kU32 | kU64, 0, "d", 0, AtomicOp::kAdd},
    {"HI-298", Opcode::kLaneId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-299", Opcode::kMaxCuId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-300", Opcode::kMaxWaveId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-303", Opcode::kWaveId, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-302", Opcode::kNullPtr, Kind::kInstSeg, Syntax::kAddress, kUnsigned, 0, "d", 0, AtomicOp::kAdd},
    {"HI-295", Opcode::kGroupStaticSize, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
    {"HI-296", Opcode::kGroupTotalSize, Kind::kInstBasic, Syntax::kPlain, kU32, 0, "d", 0, AtomicOp::kAdd},
};
// clang-format on

std::string suffix(std::string_view piece) {
  std::string text = "_";
  text += piece;
  return text;
}

bool has_type(TypeSet set, Type t) {
  return t != Type::kNone && (set & type_bit(t)) != 0;
}

bool types_fit(const InstRow& row, const Inst& inst) {
  const bool first = row.types == 0 ? inst.type == Type::kNone : has_type(row.types, inst.type);
  const bool second = row.source_types == 0 ? inst.source_type == Type::kNone
                                            : has_type(row.source_types, inst.source_type);
  return first && second;
}

bool uses_alu_modifier(Kind kind) {
  return kind == Kind::kInstMod || kind == Kind::kInstCmp || kind == Kind::kInstCvt;
}

bool pack_allowed(const InstRow& row, Pack pack) {
  if (pack_control(pack).saturates && (row.modifiers & kModPackSat) == 0) return false;
  switch (pack) {
    case Pack::kPp:
      return (row.modifiers & (kModPackTwo | kModPackPair)) != 0;
    case Pack::kS:
    case Pack::kP:
    case Pack::kSSat:
    case Pack::kPSat:
      return (row.modifiers & kModPackOne) != 0;
    default:
      return (row.modifiers & kModPackTwo) != 0;
  }
}

/// Modifier of an instruction that its row does not allow; empty when all is well.
std::string wrong_modifier(const InstRow& row, const CodeEntry& entry) {
  const Inst& inst = entry.as<Inst>();
  const bool alu = uses_alu_modifier(entry.kind);
  const bool sat = alu && (inst.modifier & kAluIntegerSat) != 0;
  if (alu && (inst.modifier & kAluFtz) != 0 && (row.modifiers & kModFtz) == 0) return "_ftz";
  if (sat && (row.modifiers & (kModSat | kModNeedSat)) == 0) return "_sat";
  // Ways to round to integers are for cvt alone (5.19.4).
  const bool to_integer = inst.round > Round::kFloatDown && row.format != Kind::kInstCvt;
  if (inst.round > Round::kFloatDefault && (to_integer || (row.modifiers & kModRound) == 0)) {
    return suffix(name(inst.round));
  }
  if (inst.pack != Pack::kNone && !pack_allowed(row, inst.pack)) return suffix(name(inst.pack));
  return {};
}

/// The controls of which a packed instruction needs one; empty when it has one or needs none.
/// cvt keeps none in BRIG: its types say enough (18.5.2.7).
std::string missing_pack(const InstRow& row, const Inst& inst) {
  if (inst.pack != Pack::kNone || row.format == Kind::kInstCvt) return {};
  std::string text;
  for (unsigned i = 1; i <= static_cast<unsigned>(Pack::kPSat); ++i) {
    const auto pack = static_cast<Pack>(i);
    if (pack_allowed(row, pack)) text += (text.empty() ? "_" : ", _") + std::string(name(pack));
  }
  return text;
}

bool needs_sat(const InstRow& row, const Inst& inst) {
  return (row.modifiers & kModNeedSat) != 0 && (inst.modifier & kAluIntegerSat) == 0;
}

std::string wrong_types(const InstRows& rows, const Inst& inst) {
  TypeSet first = 0;
  TypeSet second = 0;
  bool first_fits = false;
  for (const InstRow& row : rows) {
    if (!names_fit(row, inst) || needs_sat(row, inst)) continue;
    first |= row.types;
    if (has_type(row.types, inst.type)) {
      first_fits = true;
      second |= row.source_types;
    }
  }
  const std::string mnemonic(name(inst.opcode));
  if (!first_fits) {
    return "type '" + std::string(name(inst.type)) + "' is not valid for '" + mnemonic +
           "', expected one of: " + list_types(types_like(first, inst.type));
  }
  return "source type '" + std::string(name(inst.source_type)) + "' is not valid for '" + mnemonic +
         suffix(name(inst.type)) +
         "', expected one of: " + list_types(types_like(second, inst.source_type));
}

RowMatch wrong(Rule rule, std::string what) {
  return {nullptr, {rule, std::move(what)}};
}

}  // namespace

bool names_fit(const InstRow& row, const Inst& inst) {
  switch (row.format) {
    case Kind::kInstAtomic:
    case Kind::kInstSignal:
      return row.atomic == inst.atomic_op;
    case Kind::kInstImage:
      return row.image == static_cast<uint8_t>(inst.geometry);
    case Kind::kInstQueryImage:
      return row.image == static_cast<uint8_t>(inst.image_query);
    case Kind::kInstQuerySampler:
      return row.image == static_cast<uint8_t>(inst.sampler_query);
    default:
      return true;
  }
}

TypeSet types_like(TypeSet set, Type like) {
  constexpr TypeSet kScalar = type_bit(Type::kU8x4) - 1;
  const TypeSet part = set & (is_packed(like) ? ~kScalar : kScalar);
  return part == 0 ? set : part;
}

std::string list_types(TypeSet set) {
  std::string text;
  for (unsigned n = 1; n < 128; ++n) {
    const Type t = static_cast<Type>(n);
    if (name(t).empty() || !has_type(set, t)) continue;
    if (!text.empty()) text += ' ';
    text += name(t);
  }
  return text;
}

InstRows inst_rows() {
  return {std::begin(kRows), std::end(kRows)};
}

InstRows inst_rows(Opcode opcode) {
  static const std::array<InstRows, kOpcodeCount> kByOpcode = [] {
    std::array<InstRows, kOpcodeCount> all{};
    for (InstRows& none : all) none = {std::end(kRows), std::end(kRows)};
    for (const InstRow& row : kRows) {
      InstRows& rows = all[static_cast<size_t>(row.opcode)];
      if (rows.first == std::end(kRows)) rows.first = &row;
      rows.last = &row + 1;
    }
    return all;
  }();
  const auto index = static_cast<size_t>(opcode);
  if (index < kByOpcode.size()) return kByOpcode[index];
  if (is_gcn(opcode)) return gcn_rows(opcode);
  if (is_mipmap(opcode)) return mipmap_rows(opcode);
  for (const InstRow& row : matrix_rows()) {
    if (row.opcode == opcode) return {&row, &row + 1};
  }
  return {std::end(kRows), std::end(kRows)};
}

RowMatch match_row(const CodeEntry& entry) {
  const Inst& inst = entry.as<Inst>();
  const InstRows rows = inst_rows(inst.opcode);
  if (rows.first == rows.last) {
    return wrong(Rule::kInstructionUnknown,
                 "instruction '" + std::string(name(inst.opcode)) + "' is not supported");
  }
  bool any_operation = false;
  std::string modifier;
  std::string packs;
  for (const InstRow& row : rows) {
    if (!names_fit(row, inst)) continue;
    any_operation = true;
    if (!types_fit(row, inst) || needs_sat(row, inst)) continue;
    const std::string misfit = wrong_modifier(row, entry);
    if (misfit.empty()) packs = missing_pack(row, inst);
    if (misfit.empty() && packs.empty()) return {&row, {}};
    modifier = misfit;
  }
  if (!any_operation && rows.first->format == Kind::kInstImage) {
    return wrong(Rule::kOperationUnknown, "geometry '" + std::string(name(inst.geometry)) +
                                              "' is not valid for '" +
                                              std::string(name(inst.opcode)) + "'");
  }
  if (!any_operation && rows.first->format == Kind::kInstQueryImage) {
    return wrong(Rule::kOperationUnknown, "property '" + std::string(name(inst.image_query)) +
                                              "' is not valid for '" +
                                              std::string(name(inst.opcode)) + "'");
  }
  if (!any_operation) {
    return wrong(Rule::kOperationUnknown, "operation '" + std::string(name(inst.atomic_op)) +
                                              "' is not valid for '" +
                                              std::string(name(inst.opcode)) + "'");
  }
  if (!packs.empty()) {
    return wrong(Rule::kPackingControl,
                 "'" + inst_name(inst) + "' needs a packing control, one of: " + packs);
  }
  if (!modifier.empty()) {
    return wrong(Rule::kModifierNotLegal,
                 "modifier '" + modifier + "' is not valid for '" + inst_name(inst) + "'");
  }
  return wrong(Rule::kTypeNotLegal, wrong_types(rows, inst));
}

Problem version_problem(const ModuleHeader& header, const Inst& inst) {
  const bool narrowed = inst.type == Type::kU64 &&
                        (inst.opcode == Opcode::kGridSize || inst.opcode == Opcode::kWorkItemAbsId);
  if (!narrowed || header.minor < 2) return {};
  return {Rule::kTypeNotLegal, "type 'u64' is not valid for '" + std::string(name(inst.opcode)) +
                                   "' in a module of HSAIL 1:2, expected u32"};
}

std::string wrong_mod_form(const InstRow& row, const Inst& inst) {
  const InstRows rows = inst_rows(inst.opcode);
  if (std::none_of(rows.begin(), rows.end(),
                   [](const InstRow& r) { return r.format == Kind::kInstMod; })) {
    return "has another instruction format";
  }
  const bool rounds = (row.modifiers & kModRound) != 0;
  if (rounds != (inst.round == Round::kNone)) return {};
  return rounds ? "has no rounding mode" : "takes no rounding mode, not even the default one";
}

}  // namespace cuvette::hsail
