// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/names.h"

#include <array>
#include <unordered_map>

#include "base/bits.h"
#include "hsail/matrix_table.h"
#include "hsail/vendor_instructions.h"

namespace cuvette::hsail {

namespace {

using std::string_view;

constexpr std::array<string_view, kOpcodeCount> kOpcodes = {"nop",
                                                            "abs",
                                                            "add",
                                                            "borrow",
                                                            "carry",
                                                            "ceil",
                                                            "copysign",
                                                            "div",
                                                            "floor",
                                                            "fma",
                                                            "fract",
                                                            "mad",
                                                            "max",
                                                            "min",
                                                            "mul",
                                                            "mulhi",
                                                            "neg",
                                                            "rem",
                                                            "rint",
                                                            "sqrt",
                                                            "sub",
                                                            "trunc",
                                                            "mad24",
                                                            "mad24hi",
                                                            "mul24",
                                                            "mul24hi",
                                                            "shl",
                                                            "shr",
                                                            "and",
                                                            "not",
                                                            "or",
                                                            "popcount",
                                                            "xor",
                                                            "bitextract",
                                                            "bitinsert",
                                                            "bitmask",
                                                            "bitrev",
                                                            "bitselect",
                                                            "firstbit",
                                                            "lastbit",
                                                            "combine",
                                                            "expand",
                                                            "lda",
                                                            "mov",
                                                            "shuffle",
                                                            "unpackhi",
                                                            "unpacklo",
                                                            "pack",
                                                            "unpack",
                                                            "cmov",
                                                            "class",
                                                            "ncos",
                                                            "nexp2",
                                                            "nfma",
                                                            "nlog2",
                                                            "nrcp",
                                                            "nrsqrt",
                                                            "nsin",
                                                            "nsqrt",
                                                            "bitalign",
                                                            "bytealign",
                                                            "packcvt",
                                                            "unpackcvt",
                                                            "lerp",
                                                            "sad",
                                                            "sadhi",
                                                            "segmentp",
                                                            "ftos",
                                                            "stof",
                                                            "cmp",
                                                            "cvt",
                                                            "ld",
                                                            "st",
                                                            "atomic",
                                                            "atomicnoret",
                                                            "signal",
                                                            "signalnoret",
                                                            "memfence",
                                                            "rdimage",
                                                            "ldimage",
                                                            "stimage",
                                                            "imagefence",
                                                            "queryimage",
                                                            "querysampler",
                                                            "cbr",
                                                            "br",
                                                            "sbr",
                                                            "barrier",
                                                            "wavebarrier",
                                                            "arrivefbar",
                                                            "initfbar",
                                                            "joinfbar",
                                                            "leavefbar",
                                                            "releasefbar",
                                                            "waitfbar",
                                                            "ldf",
                                                            "activelanecount",
                                                            "activelaneid",
                                                            "activelanemask",
                                                            "activelanepermute",
                                                            "call",
                                                            "scall",
                                                            "icall",
                                                            "ret",
                                                            "alloca",
                                                            "currentworkgroupsize",
                                                            "currentworkitemflatid",
                                                            "dim",
                                                            "gridgroups",
                                                            "gridsize",
                                                            "packetcompletionsig",
                                                            "packetid",
                                                            "workgroupid",
                                                            "workgroupsize",
                                                            "workitemabsid",
                                                            "workitemflatabsid",
                                                            "workitemflatid",
                                                            "workitemid",
                                                            "cleardetectexcept",
                                                            "getdetectexcept",
                                                            "setdetectexcept",
                                                            "addqueuewriteindex",
                                                            "casqueuewriteindex",
                                                            "ldqueuereadindex",
                                                            "ldqueuewriteindex",
                                                            "stqueuereadindex",
                                                            "stqueuewriteindex",
                                                            "clock",
                                                            "cuid",
                                                            "debugtrap",
                                                            "groupbaseptr",
                                                            "kernargbaseptr",
                                                            "laneid",
                                                            "maxcuid",
                                                            "maxwaveid",
                                                            "nullptr",
                                                            "waveid",
                                                            "groupstaticsize",
                                                            "grouptotalsize"};

constexpr std::array<string_view, 24> kBaseTypes = {
    "",   "u8", "u16", "u32", "u64", "s8",   "s16",  "s32",   "s64",   "f16",   "f32",   "f64",
    "b1", "b8", "b16", "b32", "b64", "b128", "samp", "roimg", "woimg", "rwimg", "sig32", "sig64"};
constexpr std::array<uint8_t, 24> kBaseBits = {0, 8, 16, 32, 64, 8,   16, 32, 64, 16, 32, 64,
                                               1, 8, 16, 32, 64, 128, 64, 64, 64, 64, 64, 64};
struct PackedName {
  Type type;
  string_view name;
};
constexpr PackedName kPackedTypes[] = {
    {Type::kU8x4, "u8x4"},   {Type::kU8x8, "u8x8"},   {Type::kU8x16, "u8x16"},
    {Type::kU16x2, "u16x2"}, {Type::kU16x4, "u16x4"}, {Type::kU16x8, "u16x8"},
    {Type::kU32x2, "u32x2"}, {Type::kU32x4, "u32x4"}, {Type::kU64x2, "u64x2"},
    {Type::kS8x4, "s8x4"},   {Type::kS8x8, "s8x8"},   {Type::kS8x16, "s8x16"},
    {Type::kS16x2, "s16x2"}, {Type::kS16x4, "s16x4"}, {Type::kS16x8, "s16x8"},
    {Type::kS32x2, "s32x2"}, {Type::kS32x4, "s32x4"}, {Type::kS64x2, "s64x2"},
    {Type::kF16x2, "f16x2"}, {Type::kF16x4, "f16x4"}, {Type::kF16x8, "f16x8"},
    {Type::kF32x2, "f32x2"}, {Type::kF32x4, "f32x4"}, {Type::kF64x2, "f64x2"},
};
constexpr std::array<string_view, 9> kSegments = {
    "", "flat", "global", "readonly", "kernarg", "group", "private", "spill", "arg"};
constexpr std::array<string_view, 28> kCompares = {
    "eq",   "ne",   "lt",   "le",   "gt",   "ge",   "equ",  "neu", "ltu", "leu",
    "gtu",  "geu",  "num",  "nan",  "seq",  "sne",  "slt",  "sle", "sgt", "sge",
    "sgeu", "sequ", "sneu", "sltu", "sleu", "snum", "snan", "sgtu"};
constexpr std::array<string_view, 21> kAtomicOps = {
    "add", "and", "cas", "exch", "ld", "max", "min", "or", "st", "sub", "wrapdec", "wrapinc", "xor",
    // Signals only, written with an underscore.
    "wait_eq", "wait_ne", "wait_lt", "wait_gte", "waittimeout_eq", "waittimeout_ne",
    "waittimeout_lt", "waittimeout_gte"};
constexpr std::array<string_view, 5> kOrders = {"", "rlx", "scacq", "screl", "scar"};
constexpr std::array<string_view, 6> kScopes = {"", "", "wave", "wg", "agent", "system"};
constexpr std::array<string_view, 13> kPacks = {
    "", "pp", "ps", "sp", "ss", "s", "p", "pp_sat", "ps_sat", "sp_sat", "ss_sat", "s_sat", "p_sat"};
constexpr std::array<string_view, 22> kRounds = {
    "",     "",       "near",       "zero",       "up",       "down",      "neari",  "zeroi",
    "upi",  "downi",  "neari_sat",  "zeroi_sat",  "upi_sat",  "downi_sat", "sneari", "szeroi",
    "supi", "sdowni", "sneari_sat", "szeroi_sat", "supi_sat", "sdowni_sat"};
constexpr std::array<string_view, 8> kGeometries = {"1d",  "2d",  "3d",      "1da",
                                                    "2da", "1db", "2ddepth", "2dadepth"};
constexpr std::array<string_view, 20> kChannelOrders = {
    "a",     "r",     "rx",        "rg",        "rgx",   "ra",           "rgb",
    "rgbx",  "rgba",  "bgra",      "argb",      "abgr",  "srgb",         "srgbx",
    "srgba", "sbgra", "intensity", "luminance", "depth", "depth_stencil"};
constexpr std::array<string_view, 16> kChannelTypes = {
    "snorm_int8",     "snorm_int16",     "unorm_int8",      "unorm_int16",
    "unorm_int24",    "unorm_short_555", "unorm_short_565", "unorm_int_101010",
    "signed_int8",    "signed_int16",    "signed_int32",    "unsigned_int8",
    "unsigned_int16", "unsigned_int32",  "half_float",      "float"};
constexpr std::array<string_view, 7> kImageQueries = {
    "width", "height", "depth", "array", "channelorder", "channeltype", "nummiplevels"};
constexpr std::array<string_view, 3> kSamplerQueries = {"addressing", "coord", "filter"};
constexpr std::array<string_view, 5> kAddressings = {
    "undefined", "clamp_to_edge", "clamp_to_border", "repeat", "mirrored_repeat"};
constexpr std::array<string_view, 2> kCoords = {"unnormalized", "normalized"};
constexpr std::array<string_view, 2> kFilters = {"nearest", "linear"};
constexpr std::array<string_view, 12> kControls = {"",
                                                   "enablebreakexceptions",
                                                   "enabledetectexceptions",
                                                   "maxdynamicgroupsize",
                                                   "maxflatgridsize",
                                                   "maxflatworkgroupsize",
                                                   "requireddim",
                                                   "requiredgridsize",
                                                   "requiredworkgroupsize",
                                                   "requirenopartialworkgroups",
                                                   "requirenopartialwavefronts",
                                                   "requiredgroupbaseptralign"};

template <class Enum, size_t N>
std::optional<Enum> find_in(const std::array<string_view, N>& names, string_view wanted,
                            size_t first = 0) {
  if (wanted.empty()) return std::nullopt;
  for (size_t i = first; i < N; ++i) {
    if (names[i] == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <size_t N, class Enum>
string_view name_in(const std::array<string_view, N>& names, Enum value) {
  const auto i = static_cast<size_t>(value);
  return i < N ? names[i] : string_view{};
}

}  // namespace

string_view name(Opcode opcode) {
  if (const MatrixInst* matrix = matrix_inst(opcode)) return matrix->name;
  if (const VendorInst* vendor = find_vendor_inst(opcode)) return vendor->name;
  return name_in(kOpcodes, opcode);
}
std::optional<Opcode> find_opcode(string_view wanted) {
  static const std::unordered_map<string_view, Opcode> kByName = [] {
    std::unordered_map<string_view, Opcode> all;
    for (size_t i = 0; i < kOpcodes.size(); ++i) all.emplace(kOpcodes[i], static_cast<Opcode>(i));
    for (const InstRow& row : matrix_rows()) all.emplace(row.id, row.opcode);
    return all;
  }();
  const auto found = kByName.find(wanted);
  return found == kByName.end() ? std::nullopt : std::optional(found->second);
}

string_view name(Type type) {
  if (!is_packed(type)) return name_in(kBaseTypes, type);
  for (const PackedName& p : kPackedTypes) {
    if (p.type == type) return p.name;
  }
  return {};
}

std::optional<Type> find_type(string_view wanted) {
  for (const PackedName& p : kPackedTypes) {
    if (p.name == wanted) return p.type;
  }
  return find_in<Type>(kBaseTypes, wanted, 1);
}

string_view name(Segment segment) {
  return segment == Segment::kRegion ? "region" : name_in(kSegments, segment);
}
std::optional<Segment> find_segment(string_view wanted) {
  return find_in<Segment>(kSegments, wanted, 2);
}
string_view name(Compare compare) {
  return name_in(kCompares, compare);
}
std::optional<Compare> find_compare(string_view wanted) {
  return find_in<Compare>(kCompares, wanted);
}
string_view name(AtomicOp op) {
  return name_in(kAtomicOps, op);
}
std::optional<AtomicOp> find_atomic_op(string_view wanted) {
  return find_in<AtomicOp>(kAtomicOps, wanted);
}
string_view name(MemoryOrder order) {
  return name_in(kOrders, order);
}
std::optional<MemoryOrder> find_order(string_view wanted) {
  return find_in<MemoryOrder>(kOrders, wanted, 1);
}
string_view name(MemoryScope scope) {
  return name_in(kScopes, scope);
}
std::optional<MemoryScope> find_scope(string_view wanted) {
  return find_in<MemoryScope>(kScopes, wanted, 2);
}
string_view name(Pack pack) {
  return name_in(kPacks, pack);
}
std::optional<Pack> find_pack(string_view wanted) {
  return find_in<Pack>(kPacks, wanted, 1);
}
string_view name(Round round) {
  return name_in(kRounds, round);
}
std::optional<Round> find_round(string_view wanted) {
  return find_in<Round>(kRounds, wanted, 2);
}
string_view name(ImageGeometry value) {
  return name_in(kGeometries, value);
}
std::optional<ImageGeometry> find_geometry(string_view wanted) {
  return find_in<ImageGeometry>(kGeometries, wanted, 0);
}
string_view name(ChannelOrder value) {
  return name_in(kChannelOrders, value);
}
std::optional<ChannelOrder> find_channel_order(string_view wanted) {
  return find_in<ChannelOrder>(kChannelOrders, wanted, 0);
}
string_view name(ChannelType value) {
  return name_in(kChannelTypes, value);
}
std::optional<ChannelType> find_channel_type(string_view wanted) {
  return find_in<ChannelType>(kChannelTypes, wanted, 0);
}
string_view name(ImageQuery value) {
  return name_in(kImageQueries, value);
}
std::optional<ImageQuery> find_image_query(string_view wanted) {
  return find_in<ImageQuery>(kImageQueries, wanted, 0);
}
string_view name(SamplerQuery value) {
  return name_in(kSamplerQueries, value);
}
std::optional<SamplerQuery> find_sampler_query(string_view wanted) {
  return find_in<SamplerQuery>(kSamplerQueries, wanted, 0);
}
string_view name(SamplerAddressing value) {
  return name_in(kAddressings, value);
}
std::optional<SamplerAddressing> find_addressing(string_view wanted) {
  return find_in<SamplerAddressing>(kAddressings, wanted, 0);
}
string_view name(SamplerCoord value) {
  return name_in(kCoords, value);
}
std::optional<SamplerCoord> find_sampler_coord(string_view wanted) {
  return find_in<SamplerCoord>(kCoords, wanted, 0);
}
string_view name(SamplerFilter value) {
  return name_in(kFilters, value);
}
std::optional<SamplerFilter> find_filter(string_view wanted) {
  return find_in<SamplerFilter>(kFilters, wanted, 0);
}
string_view name(ControlDirective control) {
  return name_in(kControls, control);
}
std::optional<ControlDirective> find_control(string_view wanted) {
  return find_in<ControlDirective>(kControls, wanted, 1);
}

char register_letter(RegisterKind kind) {
  return "csdq"[static_cast<size_t>(kind) & 3];
}

unsigned type_bits(Type t) {
  const unsigned pack = (number(t) & kTypePackMask) >> 5;
  if (pack != 0) return 16u << pack;
  const unsigned base = number(t) & kTypeBaseMask;
  return base < kBaseBits.size() ? kBaseBits[base] : 0;
}

unsigned type_bytes(Type t) {
  return (type_bits(t) + 7) / 8;
}
bool is_unsigned(Type t) {
  return t >= Type::kU8 && t <= Type::kU64;
}
bool is_signed(Type t) {
  return t >= Type::kS8 && t <= Type::kS64;
}
bool is_integer(Type t) {
  return t >= Type::kU8 && t <= Type::kS64;
}
bool is_float(Type t) {
  return t >= Type::kF16 && t <= Type::kF64;
}
bool is_bit(Type t) {
  return t >= Type::kB1 && t <= Type::kB128;
}
bool is_opaque(Type t) {
  return t >= Type::kSamp && t <= Type::kSig64;
}
bool is_image(Type t) {
  return t >= Type::kRoimg && t <= Type::kRwimg;
}
bool is_signal(Type t) {
  return t == Type::kSig32 || t == Type::kSig64;
}

RegisterKind register_kind(Type t) {
  const unsigned bits = type_bits(t);
  if (bits == 1) return RegisterKind::kControl;
  if (bits <= 32) return RegisterKind::kSingle;
  return bits <= 64 ? RegisterKind::kDouble : RegisterKind::kQuad;
}

std::optional<Alignment> find_alignment(uint64_t bytes) {
  for (unsigned i = 1; i <= 9; ++i) {
    if (bytes == uint64_t{1} << (i - 1)) return static_cast<Alignment>(i);
  }
  return std::nullopt;
}

std::optional<Width> find_width(uint64_t n) {
  for (unsigned i = 1; i <= 32; ++i) {
    if (n == uint64_t{1} << (i - 1)) return static_cast<Width>(i);
  }
  return std::nullopt;
}

std::string width_text(Width width) {
  if (width == Width::kAll) return "all";
  if (width == Width::kWavesize) return "WAVESIZE";
  return std::to_string(uint64_t{1} << (static_cast<unsigned>(width) - 1));
}

unsigned address_bytes(Segment segment, MachineModel model) {
  switch (segment) {
    case Segment::kGroup:
    case Segment::kPrivate:
    case Segment::kSpill:
    case Segment::kArg:
    case Segment::kRegion:
      return 4;
    default:
      return model == MachineModel::kLarge ? 8 : 4;
  }
}

}  // namespace cuvette::hsail
