// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The enumerations of BRIG (HSAIL PRM 18.3), same numbers. Shared by text, BRIG, validator,
/// interpreter and finalizer.
namespace cuvette::hsail {

/// 18.3.12. Every entry of the code and operand sections starts with one.
enum class Kind : uint16_t {
  kNone = 0x0000,
  kArgBlockEnd = 0x1000,
  kArgBlockStart = 0x1001,
  kComment = 0x1002,
  kControl = 0x1003,
  kExtension = 0x1004,
  kFbarrier = 0x1005,
  kFunction = 0x1006,
  kIndirectFunction = 0x1007,
  kKernel = 0x1008,
  kLabel = 0x1009,
  kLoc = 0x100a,
  kModule = 0x100b,
  kPragma = 0x100c,
  kSignature = 0x100d,
  kVariable = 0x100e,
  kExtensionVersion = 0x100f,
  kInstAddr = 0x2000,
  kInstAtomic = 0x2001,
  kInstBasic = 0x2002,
  kInstBr = 0x2003,
  kInstCmp = 0x2004,
  kInstCvt = 0x2005,
  kInstImage = 0x2006,
  kInstLane = 0x2007,
  kInstMem = 0x2008,
  kInstMemFence = 0x2009,
  kInstMod = 0x200a,
  kInstQueryImage = 0x200b,
  kInstQuerySampler = 0x200c,
  kInstQueue = 0x200d,
  kInstSeg = 0x200e,
  kInstSegCvt = 0x200f,
  kInstSignal = 0x2010,
  kInstSourceType = 0x2011,
  kOperandAddress = 0x3000,
  kOperandAlign = 0x3001,
  kOperandCodeList = 0x3002,
  kOperandCodeRef = 0x3003,
  kOperandConstantBytes = 0x3004,
  kOperandConstantExpression = 0x3005,
  kOperandConstantImage = 0x3006,
  kOperandConstantOperandList = 0x3007,
  kOperandConstantSampler = 0x3008,
  kOperandOperandList = 0x3009,
  kOperandRegister = 0x300a,
  kOperandString = 0x300b,
  kOperandWavesize = 0x300c,
  kOperandZero = 0x300d,
};

constexpr bool is_directive(Kind k) {
  return k == Kind::kNone || (static_cast<uint16_t>(k) & 0xf000) == 0x1000;
}
constexpr bool is_instruction(Kind k) {
  return (static_cast<uint16_t>(k) & 0xf000) == 0x2000;
}
constexpr bool is_operand(Kind k) {
  return (static_cast<uint16_t>(k) & 0xf000) == 0x3000;
}
constexpr bool is_executable(Kind k) {
  return k == Kind::kKernel || k == Kind::kFunction || k == Kind::kIndirectFunction ||
         k == Kind::kSignature;
}

/// 18.3.19.
enum class Opcode : uint16_t {
  kNop = 0,
  kAbs = 1,
  kAdd = 2,
  kBorrow = 3,
  kCarry = 4,
  kCeil = 5,
  kCopySign = 6,
  kDiv = 7,
  kFloor = 8,
  kFma = 9,
  kFract = 10,
  kMad = 11,
  kMax = 12,
  kMin = 13,
  kMul = 14,
  kMulHi = 15,
  kNeg = 16,
  kRem = 17,
  kRint = 18,
  kSqrt = 19,
  kSub = 20,
  kTrunc = 21,
  kMad24 = 22,
  kMad24Hi = 23,
  kMul24 = 24,
  kMul24Hi = 25,
  kShl = 26,
  kShr = 27,
  kAnd = 28,
  kNot = 29,
  kOr = 30,
  kPopCount = 31,
  kXor = 32,
  kBitExtract = 33,
  kBitInsert = 34,
  kBitMask = 35,
  kBitRev = 36,
  kBitSelect = 37,
  kFirstBit = 38,
  kLastBit = 39,
  kCombine = 40,
  kExpand = 41,
  kLda = 42,
  kMov = 43,
  kShuffle = 44,
  kUnpackHi = 45,
  kUnpackLo = 46,
  kPack = 47,
  kUnpack = 48,
  kCmov = 49,
  kClass = 50,
  kNcos = 51,
  kNexp2 = 52,
  kNfma = 53,
  kNlog2 = 54,
  kNrcp = 55,
  kNrsqrt = 56,
  kNsin = 57,
  kNsqrt = 58,
  kBitAlign = 59,
  kByteAlign = 60,
  kPackCvt = 61,
  kUnpackCvt = 62,
  kLerp = 63,
  kSad = 64,
  kSadHi = 65,
  kSegmentP = 66,
  kFtos = 67,
  kStof = 68,
  kCmp = 69,
  kCvt = 70,
  kLd = 71,
  kSt = 72,
  kAtomic = 73,
  kAtomicNoRet = 74,
  kSignal = 75,
  kSignalNoRet = 76,
  kMemFence = 77,
  kRdImage = 78,
  kLdImage = 79,
  kStImage = 80,
  kImageFence = 81,
  kQueryImage = 82,
  kQuerySampler = 83,
  kCbr = 84,
  kBr = 85,
  kSbr = 86,
  kBarrier = 87,
  kWaveBarrier = 88,
  kArriveFbar = 89,
  kInitFbar = 90,
  kJoinFbar = 91,
  kLeaveFbar = 92,
  kReleaseFbar = 93,
  kWaitFbar = 94,
  kLdf = 95,
  kActiveLaneCount = 96,
  kActiveLaneId = 97,
  kActiveLaneMask = 98,
  kActiveLanePermute = 99,
  kCall = 100,
  kScall = 101,
  kIcall = 102,
  kRet = 103,
  kAlloca = 104,
  kCurrentWorkGroupSize = 105,
  kCurrentWorkItemFlatId = 106,
  kDim = 107,
  kGridGroups = 108,
  kGridSize = 109,
  kPacketCompletionSig = 110,
  kPacketId = 111,
  kWorkGroupId = 112,
  kWorkGroupSize = 113,
  kWorkItemAbsId = 114,
  kWorkItemFlatAbsId = 115,
  kWorkItemFlatId = 116,
  kWorkItemId = 117,
  kClearDetectExcept = 118,
  kGetDetectExcept = 119,
  kSetDetectExcept = 120,
  kAddQueueWriteIndex = 121,
  kCasQueueWriteIndex = 122,
  kLdQueueReadIndex = 123,
  kLdQueueWriteIndex = 124,
  kStQueueReadIndex = 125,
  kStQueueWriteIndex = 126,
  kClock = 127,
  kCuId = 128,
  kDebugTrap = 129,
  kGroupBasePtr = 130,
  kKernargBasePtr = 131,
  kLaneId = 132,
  kMaxCuId = 133,
  kMaxWaveId = 134,
  kNullPtr = 135,
  kWaveId = 136,
  kGroupStaticSize = 137,
  kGroupTotalSize = 138,
  // Extension amd:gcn (hsail/gcn_table.h).
  kGcnMadu = 0x8000,
  kGcnMads = 0x8001,
  kGcnMax3 = 0x8002,
  kGcnMin3 = 0x8003,
  kGcnMed3 = 0x8004,
  kGcnFldexp = 0x8005,
  kGcnFrexpExp = 0x8006,
  kGcnFrexpMant = 0x8007,
  kGcnTrigPreop = 0x8008,
  kGcnBfm = 0x8009,
  kGcnLd = 0x800a,
  kGcnSt = 0x800b,
  kGcnAtomic = 0x800c,
  kGcnAtomicNoRet = 0x800d,
  kGcnSleep = 0x800e,
  kGcnPriority = 0x800f,
  kGcnRegionAlloc = 0x8010,
  kGcnMsad = 0x8011,
  kGcnQsad = 0x8012,
  kGcnMqsad = 0x8013,
  kGcnMqsad4 = 0x8014,
  kGcnSadw = 0x8015,
  kGcnSadd = 0x8016,
  kGcnAtomicConsume = 0x8017,
  kGcnAtomicAppend = 0x8018,
  kGcnB4xchg = 0x8019,
  kGcnB32xchg = 0x801a,
  kGcnMax = 0x801b,
  kGcnMin = 0x801c,
  kGcnDivRelaxed = 0x801d,
  kGcnDivRelaxedNarrow = 0x801e,
  // Extension amd:mipmap (hsail/mipmap_table.h).
  kMipmapRdImageLod = 0x801f,
  kMipmapRdImageGrad = 0x8020,
  kMipmapLdImageMip = 0x8021,
  kMipmapStImageMip = 0x8022,
  kMipmapQueryImage = 0x8023,
};
constexpr unsigned kOpcodeCount = 139;
/// 13.1.3: from here on opcodes belong to vendor extensions (hsail/vendor_instructions.h,
/// hsail/matrix_table.h).
constexpr unsigned kFirstVendorOpcode = 0x8000;

/// 18.3.28. Bits 0-4 base type, 5-6 packed size (1: 32 bits, 2: 64, 3: 128), 7 array.
enum class Type : uint16_t {
  kNone = 0,
  kU8 = 1,
  kU16 = 2,
  kU32 = 3,
  kU64 = 4,
  kS8 = 5,
  kS16 = 6,
  kS32 = 7,
  kS64 = 8,
  kF16 = 9,
  kF32 = 10,
  kF64 = 11,
  kB1 = 12,
  kB8 = 13,
  kB16 = 14,
  kB32 = 15,
  kB64 = 16,
  kB128 = 17,
  kSamp = 18,
  kRoimg = 19,
  kWoimg = 20,
  kRwimg = 21,
  kSig32 = 22,
  kSig64 = 23,
  kU8x4 = 1 | 1 << 5,
  kU8x8 = 1 | 2 << 5,
  kU8x16 = 1 | 3 << 5,
  kU16x2 = 2 | 1 << 5,
  kU16x4 = 2 | 2 << 5,
  kU16x8 = 2 | 3 << 5,
  kU32x2 = 3 | 2 << 5,
  kU32x4 = 3 | 3 << 5,
  kU64x2 = 4 | 3 << 5,
  kS8x4 = 5 | 1 << 5,
  kS8x8 = 5 | 2 << 5,
  kS8x16 = 5 | 3 << 5,
  kS16x2 = 6 | 1 << 5,
  kS16x4 = 6 | 2 << 5,
  kS16x8 = 6 | 3 << 5,
  kS32x2 = 7 | 2 << 5,
  kS32x4 = 7 | 3 << 5,
  kS64x2 = 8 | 3 << 5,
  kF16x2 = 9 | 1 << 5,
  kF16x4 = 9 | 2 << 5,
  kF16x8 = 9 | 3 << 5,
  kF32x2 = 10 | 2 << 5,
  kF32x4 = 10 | 3 << 5,
  kF64x2 = 11 | 3 << 5,
};
constexpr uint16_t kTypeBaseMask = 0x1f;
constexpr uint16_t kTypePackMask = 0x60;
constexpr uint16_t kTypeArray = 0x80;

/// 18.3.27. kFlat: an address without segment.
enum class Segment : uint8_t {
  kNone = 0,
  kFlat = 1,
  kGlobal = 2,
  kReadonly = 3,
  kKernarg = 4,
  kGroup = 5,
  kPrivate = 6,
  kSpill = 7,
  kArg = 8,
  kRegion = 128,  ///< extension amd:gcn: the global data share; of instructions alone
};

enum class Linkage : uint8_t { kNone = 0, kProgram = 1, kModule = 2, kFunction = 3, kArg = 4 };
enum class Allocation : uint8_t { kNone = 0, kProgram = 1, kAgent = 2, kAutomatic = 3 };
enum class MachineModel : uint8_t { kSmall = 0, kLarge = 1 };
enum class Profile : uint8_t { kBase = 0, kFull = 1 };
enum class RegisterKind : uint16_t { kControl = 0, kSingle = 1, kDouble = 2, kQuad = 3 };

/// 18.3.2: log2(bytes) + 1; 0 is none.
enum class Alignment : uint8_t { kNone = 0, k1, k2, k4, k8, k16, k32, k64, k128, k256 };

/// 18.3.32: log2(n) + 1, then two names. 0 is none.
enum class Width : uint8_t { kNone = 0, k1 = 1, k2147483648 = 32, kWavesize = 33, kAll = 34 };

/// 18.3.23.
enum class Round : uint8_t {
  kNone = 0,
  kFloatDefault = 1,
  kFloatNear = 2,
  kFloatZero = 3,
  kFloatUp = 4,
  kFloatDown = 5,
  kIntNear = 6,
  kIntZero = 7,
  kIntUp = 8,
  kIntDown = 9,
  kIntNearSat = 10,
  kIntZeroSat = 11,
  kIntUpSat = 12,
  kIntDownSat = 13,
  kIntSignalNear = 14,
  kIntSignalZero = 15,
  kIntSignalUp = 16,
  kIntSignalDown = 17,
  kIntSignalNearSat = 18,
  kIntSignalZeroSat = 19,
  kIntSignalUpSat = 20,
  kIntSignalDownSat = 21,
};

/// 18.3.20.
enum class Pack : uint8_t {
  kNone = 0,
  kPp = 1,
  kPs = 2,
  kSp = 3,
  kSs = 4,
  kS = 5,
  kP = 6,
  kPpSat = 7,
  kPsSat = 8,
  kSpSat = 9,
  kSsSat = 10,
  kSSat = 11,
  kPSat = 12,
};

/// 18.3.7. The signaling unordered ones are out of order in BRIG.
enum class Compare : uint8_t {
  kEq = 0,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
  kSeq,
  kSne,
  kSlt,
  kSle,
  kSgt,
  kSge,
  kSgeu,
  kSequ,
  kSneu,
  kSltu,
  kSleu,
  kSnum,
  kSnan,
  kSgtu = 27,
};

/// 18.3.5.
enum class AtomicOp : uint8_t {
  kAdd = 0,
  kAnd,
  kCas,
  kExch,
  kLd,
  kMax,
  kMin,
  kOr,
  kSt,
  kSub,
  kWrapDec,
  kWrapInc,
  kXor,
  kWaitEq,
  kWaitNe,
  kWaitLt,
  kWaitGte,
  kWaitTimeoutEq,
  kWaitTimeoutNe,
  kWaitTimeoutLt,
  kWaitTimeoutGte = 20,
};

enum class MemoryOrder : uint8_t { kNone = 0, kRelaxed, kAcquire, kRelease, kAcquireRelease };
enum class MemoryScope : uint8_t { kNone = 0, kWorkItem, kWave, kWorkGroup, kAgent, kSystem };

/// 18.3.8. 11 is in use although the manual's reserved range starts there.
enum class ControlDirective : uint16_t {
  kNone = 0,
  kEnableBreakExceptions = 1,
  kEnableDetectExceptions = 2,
  kMaxDynamicGroupSize = 3,
  kMaxFlatGridSize = 4,
  kMaxFlatWorkGroupSize = 5,
  kRequiredDim = 6,
  kRequiredGridSize = 7,
  kRequiredWorkGroupSize = 8,
  kRequireNoPartialWorkGroups = 9,
  kRequireNoPartialWavefronts = 10,
  kRequiredGroupBasePtrAlign = 11,
};

/// 18.3.11.
enum class ExpressionOp : uint16_t {
  kNullPtrFlat = 0,
  kNullPtrGroup = 1,
  kNullPtrPrivate = 2,
  kNullPtrKernarg = 3,
  kAddr = 4,
};

// Images and samplers (7.1, 18.3.33 to 18.3.40).
enum class ImageGeometry : uint8_t { k1d = 0, k2d, k3d, k1da, k2da, k1db, k2dDepth, k2daDepth };
enum class ChannelOrder : uint8_t {
  kA = 0,
  kR,
  kRx,
  kRg,
  kRgx,
  kRa,
  kRgb,
  kRgbx,
  kRgba,
  kBgra,
  kArgb,
  kAbgr,
  kSrgb,
  kSrgbx,
  kSrgba,
  kSbgra,
  kIntensity,
  kLuminance,
  kDepth,
  kDepthStencil = 19,
};
enum class ChannelType : uint8_t {
  kSnorm8 = 0,
  kSnorm16,
  kUnorm8,
  kUnorm16,
  kUnorm24,
  kUnorm555,
  kUnorm565,
  kUnorm101010,
  kSigned8,
  kSigned16,
  kSigned32,
  kUnsigned8,
  kUnsigned16,
  kUnsigned32,
  kHalf,
  kFloat = 15,
};
enum class ImageQuery : uint8_t {
  kWidth = 0,
  kHeight,
  kDepth,
  kArray,
  kChannelOrder,
  kChannelType,
  kNumMipLevels  ///< extension amd:mipmap
};
enum class SamplerQuery : uint8_t { kAddressing = 0, kCoord, kFilter };
enum class SamplerAddressing : uint8_t {
  kUndefined = 0,
  kClampToEdge,
  kClampToBorder,
  kRepeat,
  kMirroredRepeat,
};
enum class SamplerCoord : uint8_t { kUnnormalized = 0, kNormalized };
enum class SamplerFilter : uint8_t { kNearest = 0, kLinear };

// Bit masks.
constexpr uint8_t kAluFtz = 1;                ///< 18.3.4
constexpr uint8_t kAluIntegerSat = 2;         ///< 18.3.4
constexpr uint8_t kSegCvtNoNull = 1;          ///< 18.3.26
constexpr uint8_t kMemConst = 1;              ///< 18.3.15
constexpr uint8_t kMemNonTemporal = 2;        ///< 18.3.15
constexpr uint8_t kExecutableDefinition = 1;  ///< 18.3.10
constexpr uint8_t kVariableDefinition = 1;    ///< 18.3.30
constexpr uint8_t kVariableConst = 2;         ///< 18.3.30

constexpr uint32_t kHsailMajor = 1;     ///< 18.3.31
constexpr uint32_t kHsailMinorMax = 2;  ///< 18.3.31: 1:0, 1:1 and 1:2 are accepted

}  // namespace cuvette::hsail
