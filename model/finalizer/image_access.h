// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <llvm/IR/IRBuilder.h>

#include "finalizer/target.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

/// Four components as register values: bits of f32, s32 or u32.
using TexelValues = std::array<llvm::Value*, 4>;

/// Code that loads and stores elements of one image at places inside it. The object behind the
/// handle (hsa/image.h) says at run time how its elements are reached: IMAGE_LOAD and IMAGE_STORE
/// with its T#, on targets that have them; else typed buffer instructions with its V#; else, for
/// formats that neither has (sRGB stores, elements of 24 bits, 565 and 555 outside of a T#), bytes
/// taken apart by code.
class ImageAccess {
 public:
  /// `handle`: i64. Code goes to the builder's place and may add blocks.
  ImageAccess(llvm::IRBuilder<>& b, const TargetId& target, llvm::Value* handle,
              hsail::ImageGeometry geometry);

  /// i1: geometry and access type of the instruction are those of the image (HSAIL PRM 7.1.9).
  llvm::Value* fits(hsail::Type access);
  /// i32: size in elements, of x, y or z, of the level in use; layers of an array; mip levels.
  llvm::Value* size(unsigned dimension);
  llvm::Value* layers();
  llvm::Value* levels();
  /// Accesses that follow are to this level (i32), which the image has. Before: the first one.
  void use_level(llvm::Value* level);
  /// Table 7-2, in the access type.
  TexelValues border(hsail::Type access);

  llvm::BasicBlock* block();
  /// Code for both cases of an i1; joins their values, or none (null).
  template <class Then, class Otherwise>
  TexelValues choose(llvm::Value* condition, Then then, Otherwise otherwise) {
    llvm::BasicBlock* blocks[2] = {block(), block()};
    llvm::BasicBlock* end = block();
    b_.CreateCondBr(condition, blocks[0], blocks[1]);
    TexelValues values[2];
    for (unsigned i = 0; i < 2; ++i) {
      b_.SetInsertPoint(blocks[i]);
      values[i] = i == 0 ? then() : otherwise();
      blocks[i] = b_.GetInsertBlock();
      b_.CreateBr(end);
    }
    b_.SetInsertPoint(end);
    TexelValues joined{};
    for (size_t c = 0; c < joined.size(); ++c) {
      if (values[0][c] == nullptr) continue;
      llvm::PHINode* phi = b_.CreatePHI(b_.getInt32Ty(), 2);
      for (unsigned i = 0; i < 2; ++i) phi->addIncoming(values[i][c], blocks[i]);
      joined[c] = phi;
    }
    return joined;
  }

  /// A place: x, y, and z or the layer, i32; null where the geometry has none.
  using Place = std::array<llvm::Value*, 3>;
  TexelValues load(const Place& place);
  void store(const Place& place, const TexelValues& texel);

 private:
  llvm::Value* word(unsigned index);
  llvm::Value* pair(unsigned index);
  llvm::Value* flag(uint32_t bit);
  llvm::Value* descriptor(unsigned first, unsigned words);
  llvm::Value* offset(const Place& place);
  llvm::Value* bytes_at(const Place& place);
  TexelValues load_image(const Place& place);
  TexelValues load_buffer(const Place& place);
  TexelValues load_fields(const Place& place);
  void store_image(const Place& place, const TexelValues& texel);
  void store_buffer(const Place& place, const TexelValues& texel);
  void store_fields(const Place& place, const TexelValues& texel);
  TexelValues split(llvm::Value* vector);
  llvm::Value* join(const TexelValues& texel);
  llvm::Value* signed_code(llvm::Value* bits);
  llvm::Value* unsigned_code(llvm::Value* bits, llvm::Value* top);
  llvm::Value* srgb_value(llvm::Value* code);
  llvm::Value* srgb_code(llvm::Value* value);
  llvm::Value* table(const char* name, const std::array<float, 256>& values, llvm::Value* index);

  llvm::IRBuilder<>& b_;
  const hsail::ImageGeometry geometry_;
  const bool has_images_;
  llvm::Value* object_;
  llvm::Value* level_ = nullptr;   ///< null: the first one
  llvm::Value* before_ = nullptr;  ///< i64: bytes before it
};

}  // namespace cuvette::finalizer
