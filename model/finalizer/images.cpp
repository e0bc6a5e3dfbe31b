// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Image loads and stores (HSAIL PRM 7.3, 7.4; hsail_mipmap.md), queries of images and samplers
// (7.5) from the object that a handle points at (hsa/image.h), and the image fence. Reads:
// image_sampling.cpp.
#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsa/image.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

namespace {

/// Position of a property in the object: a word, or eight bits of one.
struct Property {
  unsigned word;
  unsigned shift;
  bool byte;
};

Property image_property(hsail::ImageQuery query) {
  switch (query) {
    case hsail::ImageQuery::kChannelOrder:
      return {hsa::kImageFormatWord, 8, true};
    case hsail::ImageQuery::kChannelType:
      return {hsa::kImageFormatWord, 16, true};
    case hsail::ImageQuery::kNumMipLevels:
      return {hsa::kImageLevelsWord, 0, false};
    default:  // width, height, depth and array in a row
      return {hsa::kImageWidthWord + static_cast<unsigned>(query), 0, false};
  }
}

Property sampler_property(hsail::SamplerQuery query) {
  const unsigned shift = query == hsail::SamplerQuery::kCoord    ? 0
                         : query == hsail::SamplerQuery::kFilter ? 8
                                                                 : 16;
  return {hsa::kSamplerModesWord, shift, true};
}

bool names_level(const Inst& inst) {
  return inst.opcode == Opcode::kMipmapLdImageMip || inst.opcode == Opcode::kMipmapStImageMip;
}

}  // namespace

void KernelTranslator::mipmap(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kMipmapLdImageMip:
      return load_image(inst);
    case Opcode::kMipmapStImageMip:
      return store_image(inst);
    case Opcode::kMipmapQueryImage:
      return image_query(inst);
    default:
      return read_image(inst);
  }
}

void KernelTranslator::image_query(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Property p = inst.opcode == Opcode::kQuerySampler ? sampler_property(inst.sampler_query)
                                                          : image_property(inst.image_query);
  Value* object =
      b_.CreateIntToPtr(read(inst, 1, Type::kU64), llvm::PointerType::get(context_, kGlobalSpace));
  Value* at = b_.CreateConstGEP1_32(b_.getInt32Ty(), object, p.word);
  Value* value = b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(4));
  if (p.byte) value = b_.CreateAnd(b_.CreateLShr(value, p.shift), 0xff);
  write(inst, 0, value, Type::kU32);
}

/// i1: the place is one of the image, and image and instruction go together. Otherwise the
/// instruction is undefined (7.1.6.2, 7.1.9): it gives zeros and stores nothing.
llvm::Value* KernelTranslator::in_range(ImageAccess& image, const ImageAccess::Place& place,
                                        Type access, hsail::ImageGeometry geometry) {
  const unsigned dimensions = hsail::image_dimensions(geometry);
  Value* good = image.fits(access);
  for (unsigned i = 0; i < dimensions; ++i)
    good = b_.CreateAnd(good, b_.CreateICmpULT(place[i], image.size(i)));
  if (hsail::is_image_array(geometry))
    good = b_.CreateAnd(good, b_.CreateICmpULT(place[dimensions], image.layers()));
  return good;
}

/// The level that a load or store names; i1: the image has it. Without one the first level.
llvm::Value* KernelTranslator::named_level(ImageAccess& image, const Inst& inst) {
  if (!names_level(inst)) return b_.getTrue();
  Value* level = read(inst, 3, Type::kU32);
  Value* exists = b_.CreateICmpULT(level, image.levels());
  image.use_level(b_.CreateSelect(exists, level, i32(0)));
  return exists;
}

/// Writes what fits the destination: components of f16 instructions are f32 until here.
void KernelTranslator::write_texel(const Inst& inst, const TexelValues& texel) {
  const auto registers = elements(inst, 0);
  for (size_t c = 0; c < registers.size() && c < 4; ++c) {
    Value* value = texel[c];
    if (inst.type == Type::kF16)
      value = b_.CreateFPTrunc(b_.CreateBitCast(value, b_.getFloatTy()), b_.getHalfTy());
    write_ref(registers[c], value, inst.type);
  }
}

void KernelTranslator::load_image(const Inst& inst) {
  if (!require_operands(inst, names_level(inst) ? 4 : 3)) return;
  ImageAccess image(b_, target_, read(inst, 1, Type::kU64), inst.geometry);
  ImageAccess::Place place{};
  const auto coordinates = elements(inst, 2);
  for (size_t i = 0; i < coordinates.size() && i < place.size(); ++i)
    place[i] = read_ref(coordinates[i], Type::kU32);
  Value* good = named_level(image, inst);
  good = b_.CreateAnd(good, in_range(image, place, inst.type, inst.geometry));
  const TexelValues zeros{i32(0), i32(0), i32(0), i32(0)};
  write_texel(inst, image.choose(good, [&] { return image.load(place); }, [&] { return zeros; }));
}

void KernelTranslator::store_image(const Inst& inst) {
  if (!require_operands(inst, names_level(inst) ? 4 : 3)) return;
  TexelValues texel{i32(0), i32(0), i32(0), i32(0)};
  const auto sources = elements(inst, 0);
  for (size_t c = 0; c < sources.size() && c < texel.size(); ++c) {
    Value* value = read_ref(sources[c], inst.type);
    if (inst.type == Type::kF16) value = b_.CreateFPExt(value, b_.getFloatTy());
    texel[c] = b_.CreateBitCast(value, b_.getInt32Ty());
  }
  ImageAccess image(b_, target_, read(inst, 1, Type::kU64), inst.geometry);
  ImageAccess::Place place{};
  const auto coordinates = elements(inst, 2);
  for (size_t i = 0; i < coordinates.size() && i < place.size(); ++i)
    place[i] = read_ref(coordinates[i], Type::kU32);
  Value* good = named_level(image, inst);
  image.choose(
      b_.CreateAnd(good, in_range(image, place, inst.type, inst.geometry)),
      [&] { return image.store(place, texel), TexelValues{}; }, [] { return TexelValues{}; });
}

/// 7.6: orders image accesses of the work-group.
void KernelTranslator::image_fence(const Inst&) {
  b_.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                 context_.getOrInsertSyncScopeID("workgroup"));
}

}  // namespace cuvette::finalizer
