// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/mipmap_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace cuvette::hsail {

namespace {

constexpr TypeSet kU32 = type_bit(Type::kU32);
constexpr TypeSet kAccess =
    kU32 | type_bit(Type::kS32) | type_bit(Type::kF16) | type_bit(Type::kF32);
constexpr TypeSet kReadOnly = type_bit(Type::kRoimg);
constexpr TypeSet kReadable = kReadOnly | type_bit(Type::kRwimg);
constexpr TypeSet kWritable = type_bit(Type::kWoimg) | type_bit(Type::kRwimg);
constexpr TypeSet kImages = kReadable | kWritable;
constexpr Type kNone = Type::kNone;

using G = ImageGeometry;

constexpr InstRow access(const char* id, Opcode opcode, TypeSet images, const char* operands,
                         G geometry, std::array<Type, 5> types = {}) {
  return {id,
          opcode,
          Kind::kInstImage,
          Syntax::kImage,
          kAccess,
          images,
          operands,
          0,
          AtomicOp::kAdd,
          static_cast<uint8_t>(geometry),
          types};
}
constexpr InstRow lod(G g) {
  return access("HV-32", Opcode::kMipmapRdImageLod, kReadOnly, "DipCs", g,
                {kNone, kNone, kNone, kNone, Type::kF32});
}
constexpr InstRow grad(G g) {
  return access("HV-33", Opcode::kMipmapRdImageGrad, kReadOnly, "DipCGG", g);
}
constexpr InstRow load(G g) {
  return access("HV-34", Opcode::kMipmapLdImageMip, kReadable, "DiCR", g,
                {kNone, kNone, kNone, Type::kU32});
}
constexpr InstRow store(G g) {
  return access("HV-35", Opcode::kMipmapStImageMip, kWritable, "SiCR", g,
                {kNone, kNone, kNone, Type::kU32});
}

// By opcode.
// clang-format off
constexpr InstRow kRows[] = {
    lod(G::k1d), lod(G::k2d), lod(G::k3d), lod(G::k1da), lod(G::k2da), lod(G::k2dDepth), lod(G::k2daDepth),
    grad(G::k1d), grad(G::k2d), grad(G::k3d), grad(G::k1da), grad(G::k2da), grad(G::k2dDepth), grad(G::k2daDepth),
    load(G::k1d), load(G::k2d), load(G::k3d), load(G::k1da), load(G::k2da), load(G::k1db), load(G::k2dDepth), load(G::k2daDepth),
    store(G::k1d), store(G::k2d), store(G::k3d), store(G::k1da), store(G::k2da), store(G::k1db), store(G::k2dDepth), store(G::k2daDepth),
    {"HV-36", Opcode::kMipmapQueryImage, Kind::kInstQueryImage, Syntax::kQueryImage, kU32, kImages, "di", 0, AtomicOp::kAdd, static_cast<uint8_t>(ImageQuery::kNumMipLevels)},
};
// clang-format on

}  // namespace

InstRows mipmap_rows() {
  return {std::begin(kRows), std::end(kRows)};
}

InstRows mipmap_rows(Opcode opcode) {
  const auto of = [opcode](const InstRow& row) { return row.opcode == opcode; };
  const InstRow* first = std::find_if(std::begin(kRows), std::end(kRows), of);
  return {first, std::find_if_not(first, std::end(kRows), of)};
}

}  // namespace cuvette::hsail
