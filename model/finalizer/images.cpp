// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Queries of images and samplers (HSAIL PRM 7.5) from the object that a handle points at
// (hsa/image.h), and the image fence. Accesses to image data are not supported.
#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsa/image.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

namespace {

/// Where a property lies in the object: a word, or eight bits of one.
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

}  // namespace

void KernelTranslator::image_query(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Property p = inst.opcode == Opcode::kQueryImage ? image_property(inst.image_query)
                                                        : sampler_property(inst.sampler_query);
  Value* object =
      b_.CreateIntToPtr(read(inst, 1, Type::kU64), llvm::PointerType::get(context_, kGlobalSpace));
  Value* at = b_.CreateConstGEP1_32(b_.getInt32Ty(), object, p.word);
  Value* value = b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(4));
  if (p.byte) value = b_.CreateAnd(b_.CreateLShr(value, p.shift), 0xff);
  write(inst, 0, value, Type::kU32);
}

/// 7.6: orders image accesses of the work-group.
void KernelTranslator::image_fence(const Inst&) {
  b_.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                 context_.getOrInsertSyncScopeID("workgroup"));
}

}  // namespace cuvette::finalizer
