// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Image reads (HSAIL PRM 7.2; hsail_mipmap.md): coordinates, addressing and filter as 7.1.6
// computes them, in f64, and a load for each element. The machine's own samplers weigh with eight
// fraction bits and mirror negative coordinates otherwise; gfx90a and gfx942 have none.
#include <llvm/IR/Intrinsics.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsa/image.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::SamplerAddressing;
using hsail::Type;
using llvm::Value;

namespace {

/// Modes of a sampler, as values of the code (i1).
struct Modes {
  Value* normalized;
  Value* linear;
  Value* addressing;  ///< i32
};

/// Texel index that one coordinate gives.
struct TexelIndex {
  Value* at;         ///< i32, inside the image
  Value* undefined;  ///< i1
  Value* border;     ///< i1
};

/// The arithmetic of 7.1.6 on f64, which holds every s32 and f32 exactly.
class Sampling {
 public:
  Sampling(llvm::IRBuilder<>& b, const Modes& modes, bool integers)
      : b_(b), modes_(modes), integers_(integers) {}

  Value* number(double x) { return llvm::ConstantFP::get(b_.getDoubleTy(), x); }
  Value* floor(Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x); }
  Value* finite(Value* x) {
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    return b_.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(b_.getDoubleTy()));
  }
  Value* mode_is(SamplerAddressing mode) {
    return b_.CreateICmpEQ(modes_.addressing, b_.getInt32(static_cast<uint32_t>(mode)));
  }
  Value* tiles() {
    return b_.CreateICmpUGE(modes_.addressing,
                            b_.getInt32(static_cast<uint32_t>(SamplerAddressing::kRepeat)));
  }
  /// Between 0 and `top`, for numbers.
  Value* clamp(Value* x, Value* top) {
    x = b_.CreateSelect(b_.CreateFCmpOLT(x, number(0)), number(0), x);
    return b_.CreateSelect(b_.CreateFCmpOGT(x, top), top, x);
  }
  Value* whole_number(Value* x) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {b_.getInt32Ty(), b_.getDoubleTy()},
                              {x});
  }

  /// 7.1.6.1, of a dimension of `size` elements (f64) that is no array index.
  Value* normalize(Value* raw, Value* size) {
    if (!integers_) raw = b_.CreateSelect(modes_.normalized, b_.CreateFMul(raw, size), raw);
    return b_.CreateSelect(modes_.linear, b_.CreateFSub(raw, number(0.5)), raw);
  }

  /// 7.1.6.2.
  TexelIndex address(Value* c, Value* size) {
    Value* top = b_.CreateFSub(size, number(1));
    Value* whole = floor(c);
    Value* inside = b_.CreateAnd(b_.CreateFCmpOGE(whole, number(0)), b_.CreateFCmpOLE(whole, top));
    Value* outside = floor(clamp(c, top));
    if (!integers_) outside = b_.CreateSelect(tiles(), tiled(c, whole, size, top), outside);
    TexelIndex i;
    i.at = whole_number(b_.CreateSelect(inside, whole, outside));
    Value* missed = b_.CreateNot(inside);
    i.undefined = b_.CreateAnd(missed, mode_is(SamplerAddressing::kUndefined));
    i.border = b_.CreateAnd(missed, mode_is(SamplerAddressing::kClampToBorder));
    return i;
  }

  /// The nearest level to one of detail (f32) of `levels`: 0.5 counts upwards, a NaN as 0.
  Value* nearest_level(Value* detail, Value* levels) {
    Value* nearest = floor(b_.CreateFAdd(b_.CreateFPExt(detail, b_.getDoubleTy()), number(0.5)));
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, whole_number(nearest),
                                    b_.CreateSub(levels, b_.getInt32(1)));
  }

  /// The square of a step's length in elements; f32 values, sizes in f64.
  Value* square_length(llvm::ArrayRef<Value*> step, llvm::ArrayRef<Value*> sizes) {
    Value* square = nullptr;
    for (size_t i = 0; i < step.size(); ++i) {
      Value* length = b_.CreateFPExt(step[i], b_.getDoubleTy());
      length = b_.CreateSelect(modes_.normalized, b_.CreateFMul(length, sizes[i]), length);
      Value* part = b_.CreateFMul(length, length);
      square = square == nullptr ? part : b_.CreateFAdd(square, part);
    }
    return square;
  }

  /// The nearest level to log2 of the longer one of two steps, of which these are the squares: half
  /// of the exponent of twice the square. A NaN counts as 0.
  Value* level_of_steps(llvm::ArrayRef<Value*> squares, Value* levels) {
    Value* longest = number(0);
    for (Value* square : squares)
      longest = b_.CreateSelect(b_.CreateFCmpOGT(square, longest), square, longest);
    Value* bits = b_.CreateBitCast(b_.CreateFMul(longest, number(2)), b_.getInt64Ty());
    Value* exponent = b_.CreateTrunc(b_.CreateLShr(bits, 52), b_.getInt32Ty());
    Value* level = b_.CreateAShr(b_.CreateSub(exponent, b_.getInt32(1023)), 1);
    level = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, level, b_.getInt32(0));
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, level,
                                    b_.CreateSub(levels, b_.getInt32(1)));
  }

  /// The layer: to the nearest, ties to even, and clamped, whatever the sampler says.
  Value* layer(Value* c, Value* layers) {
    Value* nearest = b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, c);
    Value* top = b_.CreateFSub(b_.CreateUIToFP(layers, b_.getDoubleTy()), number(1));
    return whole_number(clamp(nearest, top));
  }

 private:
  /// The element of one of the repeated or mirrored images.
  Value* tiled(Value* c, Value* whole, Value* size, Value* top) {
    Value* mirrors = mode_is(SamplerAddressing::kMirroredRepeat);
    Value* reflected = b_.CreateFSub(b_.CreateFNeg(c), number(1));
    Value* mirrored = b_.CreateSelect(b_.CreateFCmpOLT(c, number(0)), reflected, c);
    Value* tile = floor(b_.CreateFDiv(b_.CreateSelect(mirrors, mirrored, c), size));
    Value* from = b_.CreateSelect(mirrors, mirrored, whole);
    Value* at = clamp(floor(b_.CreateFSub(from, b_.CreateFMul(tile, size))), top);
    Value* half = b_.CreateFMul(tile, number(0.5));
    Value* backwards = b_.CreateAnd(mirrors, b_.CreateFCmpONE(floor(half), half));
    return b_.CreateSelect(backwards, b_.CreateFSub(top, at), at);
  }

  llvm::IRBuilder<>& b_;
  const Modes modes_;
  const bool integers_;  ///< coordinates are: never normalized
};

}  // namespace

void KernelTranslator::read_image(const Inst& inst) {
  const size_t levels = inst.opcode == hsail::Opcode::kMipmapRdImageLod    ? 1
                        : inst.opcode == hsail::Opcode::kMipmapRdImageGrad ? 2
                                                                           : 0;
  if (!require_operands(inst, 4 + levels)) return;
  const unsigned dimensions = hsail::image_dimensions(inst.geometry);
  const bool integers = inst.coord_type == Type::kS32;
  const bool filters = inst.type == Type::kF32 || inst.type == Type::kF16;
  llvm::Type* wide = b_.getDoubleTy();
  ImageAccess image(b_, target_, read(inst, 1, Type::kU64), inst.geometry);
  Value* sampler = b_.CreateIntToPtr(read(inst, 2, Type::kU64),
                                     llvm::PointerType::get(context_, kConstantSpace));
  Value* word = b_.CreateAlignedLoad(
      b_.getInt32Ty(), b_.CreateConstGEP1_32(b_.getInt32Ty(), sampler, hsa::kSamplerModesWord),
      llvm::Align(4));
  const auto byte = [&](unsigned shift) { return b_.CreateAnd(b_.CreateLShr(word, shift), 0xff); };
  const Modes modes{b_.CreateICmpNE(byte(0), i32(0)), b_.CreateICmpNE(byte(8), i32(0)), byte(16)};
  Sampling sampling(b_, modes, integers);

  // Condition of 7.1.9.
  Value* good = image.fits(inst.type);
  if (integers) {
    Value* wrong = b_.CreateOr(b_.CreateOr(modes.normalized, modes.linear), sampling.tiles());
    good = b_.CreateAnd(good, b_.CreateNot(wrong));
  } else {
    good = b_.CreateAnd(good, b_.CreateOr(modes.normalized, b_.CreateNot(sampling.tiles())));
  }
  if (!filters) good = b_.CreateAnd(good, b_.CreateNot(modes.linear));

  std::array<Value*, 3> coordinates{};
  std::array<Value*, 3> sizes{};
  const auto step = [&](size_t operand) {
    std::vector<Value*> values;
    for (const auto ref : elements(inst, operand)) values.push_back(read_ref(ref, Type::kF32));
    return sampling.square_length(values, sizes);
  };
  if (inst.opcode == hsail::Opcode::kMipmapRdImageLod) {
    image.use_level(sampling.nearest_level(read(inst, 4, Type::kF32), image.levels()));
  } else if (inst.opcode == hsail::Opcode::kMipmapRdImageGrad) {
    for (unsigned i = 0; i < dimensions; ++i) sizes[i] = b_.CreateUIToFP(image.size(i), wide);
    image.use_level(sampling.level_of_steps({step(4), step(5)}, image.levels()));
  }
  ImageAccess::Place place{};
  const auto operands = elements(inst, 3);
  for (unsigned i = 0; i < operands.size() && i < 3; ++i) {
    Value* raw = read_ref(operands[i], inst.coord_type);
    raw = integers ? b_.CreateSIToFP(raw, wide) : b_.CreateFPExt(raw, wide);
    if (i < dimensions) {
      sizes[i] = b_.CreateUIToFP(image.size(i), wide);
      coordinates[i] = sampling.normalize(raw, sizes[i]);
      raw = coordinates[i];
    } else {
      place[i] = sampling.layer(raw, image.layers());
    }
    good = b_.CreateAnd(good, sampling.finite(raw));
  }

  const TexelValues zeros{i32(0), i32(0), i32(0), i32(0)};
  const auto sample = [&]() -> TexelValues {
    // One turn for each element of the block (7.1.6.3), one alone for the nearest.
    Value* turns = i32(1);
    if (filters) turns = b_.CreateSelect(modes.linear, i32(uint64_t{1} << dimensions), turns);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* loop = image.block();
    llvm::BasicBlock* end = image.block();
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* corner = b_.CreatePHI(b_.getInt32Ty(), 2);
    corner->addIncoming(i32(0), before);
    std::array<llvm::PHINode*, 4> sums{};
    if (filters)
      for (llvm::PHINode*& sum : sums) {
        sum = b_.CreatePHI(wide, 2);
        sum->addIncoming(sampling.number(0), before);
      }

    Value* undefined = b_.getFalse();
    Value* border = b_.getFalse();
    Value* weight = sampling.number(1);
    for (unsigned i = 0; i < dimensions; ++i) {
      Value* upper = b_.CreateICmpNE(b_.CreateAnd(b_.CreateLShr(corner, i), 1), i32(0));
      Value* one = b_.CreateSelect(upper, sampling.number(1), sampling.number(0));
      const TexelIndex index = sampling.address(b_.CreateFAdd(coordinates[i], one), sizes[i]);
      place[i] = index.at;
      undefined = b_.CreateOr(undefined, index.undefined);
      border = b_.CreateOr(border, index.border);
      Value* part = b_.CreateFSub(coordinates[i], sampling.floor(coordinates[i]));
      Value* rest = b_.CreateFSub(sampling.number(1), part);
      weight = b_.CreateFMul(weight, b_.CreateSelect(upper, part, rest));
    }
    const TexelValues texel = image.choose(
        undefined, [&] { return zeros; },
        [&] {
          return image.choose(
              border, [&] { return image.border(inst.type); }, [&] { return image.load(place); });
        });
    llvm::BasicBlock* last = b_.GetInsertBlock();
    Value* next = b_.CreateAdd(corner, i32(1));
    corner->addIncoming(next, last);
    TexelValues result = texel;
    for (size_t c = 0; filters && c < 4; ++c) {
      Value* value = b_.CreateFPExt(b_.CreateBitCast(texel[c], b_.getFloatTy()), wide);
      Value* sum = b_.CreateFAdd(sums[c], b_.CreateFMul(weight, value));
      sums[c]->addIncoming(sum, last);
      Value* blended = b_.CreateBitCast(b_.CreateFPTrunc(sum, b_.getFloatTy()), b_.getInt32Ty());
      result[c] = b_.CreateSelect(modes.linear, blended, texel[c]);
      result[c] = b_.CreateSelect(undefined, i32(0), result[c]);
    }
    Value* done = b_.CreateOr(undefined, b_.CreateICmpUGE(next, turns));
    llvm::BranchInst* branch = b_.CreateCondBr(done, end, loop);
    // The body is long, and the second turn rare.
    llvm::Metadata* keep =
        llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, {nullptr, keep});
    id->replaceOperandWith(0, id);
    branch->setMetadata(llvm::LLVMContext::MD_loop, id);
    b_.SetInsertPoint(end);
    return result;
  };
  write_texel(inst, image.choose(good, sample, [&] { return zeros; }));
}

}  // namespace cuvette::finalizer
