// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/image_access.h"

#include <bit>
#include <cmath>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>

#include "finalizer/llvm_target.h"
#include "hsa/image.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsa::ImageField;
using hsail::ImageGeometry;
using llvm::Value;

namespace {

constexpr uint64_t kAllComponents = 15;

/// The machine's instructions by geometry, without and with a mip level; a 1DB image has a V#.
struct ImageRow {
  llvm::Intrinsic::ID load, store, load_mip, store_mip;
};
constexpr ImageRow k2dRow = {
    llvm::Intrinsic::amdgcn_image_load_2d, llvm::Intrinsic::amdgcn_image_store_2d,
    llvm::Intrinsic::amdgcn_image_load_mip_2d, llvm::Intrinsic::amdgcn_image_store_mip_2d};
constexpr ImageRow k2dArrayRow = {llvm::Intrinsic::amdgcn_image_load_2darray,
                                  llvm::Intrinsic::amdgcn_image_store_2darray,
                                  llvm::Intrinsic::amdgcn_image_load_mip_2darray,
                                  llvm::Intrinsic::amdgcn_image_store_mip_2darray};
constexpr ImageRow kImageRows[] = {
    {llvm::Intrinsic::amdgcn_image_load_1d, llvm::Intrinsic::amdgcn_image_store_1d,
     llvm::Intrinsic::amdgcn_image_load_mip_1d, llvm::Intrinsic::amdgcn_image_store_mip_1d},
    k2dRow,
    {llvm::Intrinsic::amdgcn_image_load_3d, llvm::Intrinsic::amdgcn_image_store_3d,
     llvm::Intrinsic::amdgcn_image_load_mip_3d, llvm::Intrinsic::amdgcn_image_store_mip_3d},
    {llvm::Intrinsic::amdgcn_image_load_1darray, llvm::Intrinsic::amdgcn_image_store_1darray,
     llvm::Intrinsic::amdgcn_image_load_mip_1darray,
     llvm::Intrinsic::amdgcn_image_store_mip_1darray},
    k2dArrayRow,
    {},
    k2dRow,
    k2dArrayRow,
};

/// HSAIL PRM 7.1.4.1.2, from code / 255.
double srgb_to_linear(double s) {
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}
double linear_to_srgb(double v) {
  return v < 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
}
uint32_t srgb_step(float value) {
  return static_cast<uint32_t>(std::floor(linear_to_srgb(value) * 255.0 + 0.5));
}

const std::array<float, 256>& srgb_values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> t{};
    for (size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<float>(srgb_to_linear(static_cast<double>(i) / 255.0));
    return t;
  }();
  return values;
}

/// The least f32 that is stored as each code. Positive floats are ordered as their bits are.
const std::array<float, 256>& srgb_thresholds() {
  static const std::array<float, 256> thresholds = [] {
    std::array<float, 256> t{};
    for (uint32_t code = 1; code < t.size(); ++code) {
      uint32_t below = 0;
      uint32_t reached = 0x3f800000;
      while (reached - below > 1) {
        const uint32_t middle = below + (reached - below) / 2;
        (srgb_step(std::bit_cast<float>(middle)) >= code ? reached : below) = middle;
      }
      t[code] = std::bit_cast<float>(reached);
    }
    return t;
  }();
  return thresholds;
}

}  // namespace

ImageAccess::ImageAccess(llvm::IRBuilder<>& b, const TargetId& target, Value* handle,
                         ImageGeometry geometry)
    : b_(b),
      geometry_(geometry),
      has_images_(target.images && geometry != ImageGeometry::k1db),
      object_(b.CreateIntToPtr(handle, llvm::PointerType::get(b.getContext(), kConstantSpace))) {}

Value* ImageAccess::word(unsigned index) {
  return b_.CreateAlignedLoad(
      b_.getInt32Ty(), b_.CreateConstGEP1_32(b_.getInt32Ty(), object_, index), llvm::Align(4));
}

Value* ImageAccess::pair(unsigned index) {
  return b_.CreateAlignedLoad(
      b_.getInt64Ty(), b_.CreateConstGEP1_32(b_.getInt32Ty(), object_, index), llvm::Align(8));
}

Value* ImageAccess::flag(uint32_t bit) {
  return b_.CreateICmpNE(b_.CreateAnd(word(hsa::kImageFlagsWord), bit), b_.getInt32(0));
}

Value* ImageAccess::descriptor(unsigned first, unsigned words) {
  return b_.CreateAlignedLoad(llvm::FixedVectorType::get(b_.getInt32Ty(), words),
                              b_.CreateConstGEP1_32(b_.getInt32Ty(), object_, first),
                              llvm::Align(16));
}

Value* ImageAccess::fits(hsail::Type access) {
  const auto kind = access == hsail::Type::kS32   ? hsa::ImageAccess::kSigned
                    : access == hsail::Type::kU32 ? hsa::ImageAccess::kUnsigned
                                                  : hsa::ImageAccess::kFloat;
  const uint32_t wanted = static_cast<uint32_t>(geometry_) | static_cast<uint32_t>(kind) << 8;
  return b_.CreateICmpEQ(word(hsa::kImageKindWord), b_.getInt32(wanted));
}

Value* ImageAccess::size(unsigned dimension) {
  Value* first = word(hsa::kImageWidthWord + dimension);
  if (level_ == nullptr) return first;
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, b_.CreateLShr(first, level_),
                                  b_.getInt32(1));
}

Value* ImageAccess::levels() {
  return word(hsa::kImageLevelsWord);
}

void ImageAccess::use_level(Value* level) {
  level_ = level;
  // Each level takes half of the rows of the one before, rounded up.
  Value* rows = b_.getInt32(0);
  Value* of_level = word(hsa::kImageWidthWord + 1);
  for (uint32_t l = 0; l + 1 < hsa::kMostLevels; ++l) {
    Value* below = b_.CreateICmpULT(b_.getInt32(l), level);
    rows = b_.CreateAdd(rows, b_.CreateSelect(below, of_level, b_.getInt32(0)));
    of_level = b_.CreateLShr(b_.CreateAdd(of_level, b_.getInt32(1)), 1);
  }
  before_ = b_.CreateMul(b_.CreateZExt(rows, b_.getInt64Ty()), pair(hsa::kImageRowPitchWord));
}

Value* ImageAccess::layers() {
  return word(hsa::kImageWidthWord + 3);
}

TexelValues ImageAccess::border(hsail::Type access) {
  Value* zero = b_.getInt32(0);
  const bool integer = access == hsail::Type::kS32 || access == hsail::Type::kU32;
  Value* one = b_.getInt32(integer ? 1 : 0x3f800000);
  return {zero, zero, zero, b_.CreateSelect(flag(hsa::kImageOpaque), one, zero)};
}

llvm::BasicBlock* ImageAccess::block() {
  return llvm::BasicBlock::Create(b_.getContext(), "", b_.GetInsertBlock()->getParent());
}

TexelValues ImageAccess::load(const Place& place) {
  const auto without_resource = [&] {
    return choose(
        flag(hsa::kImageBuffer), [&] { return load_buffer(place); },
        [&] { return load_fields(place); });
  };
  if (!has_images_) return without_resource();
  return choose(flag(hsa::kImageLoads), [&] { return load_image(place); }, without_resource);
}

void ImageAccess::store(const Place& place, const TexelValues& texel) {
  const auto without_resource = [&] {
    return choose(
        flag(hsa::kImageBuffer), [&] { return store_buffer(place, texel), TexelValues{}; },
        [&] { return store_fields(place, texel), TexelValues{}; });
  };
  if (!has_images_) {
    without_resource();
    return;
  }
  choose(
      flag(hsa::kImageStores), [&] { return store_image(place, texel), TexelValues{}; },
      without_resource);
}

TexelValues ImageAccess::split(Value* vector) {
  TexelValues values;
  for (unsigned c = 0; c < 4; ++c)
    values[c] = b_.CreateBitCast(b_.CreateExtractElement(vector, c), b_.getInt32Ty());
  return values;
}

Value* ImageAccess::join(const TexelValues& texel) {
  Value* vector = llvm::Constant::getNullValue(llvm::FixedVectorType::get(b_.getFloatTy(), 4));
  for (unsigned c = 0; c < 4; ++c)
    vector = b_.CreateInsertElement(vector, b_.CreateBitCast(texel[c], b_.getFloatTy()), c);
  return vector;
}

// --- T# ---

TexelValues ImageAccess::load_image(const Place& place) {
  std::vector<Value*> arguments{b_.getInt32(kAllComponents)};
  for (Value* c : place)
    if (c != nullptr) arguments.push_back(c);
  if (level_ != nullptr) arguments.push_back(level_);
  arguments.push_back(descriptor(0, hsa::kImageDescriptorWords));
  arguments.insert(arguments.end(), {b_.getInt32(0), b_.getInt32(0)});
  const ImageRow& row = kImageRows[static_cast<size_t>(geometry_)];
  return split(b_.CreateIntrinsic(level_ == nullptr ? row.load : row.load_mip,
                                  {llvm::FixedVectorType::get(b_.getFloatTy(), 4), b_.getInt32Ty()},
                                  arguments));
}

void ImageAccess::store_image(const Place& place, const TexelValues& texel) {
  TexelValues codes = texel;
  for (Value*& c : codes) c = signed_code(c);
  std::vector<Value*> arguments{join(codes), b_.getInt32(kAllComponents)};
  for (Value* c : place)
    if (c != nullptr) arguments.push_back(c);
  if (level_ != nullptr) arguments.push_back(level_);
  Value* resource = descriptor(0, hsa::kImageDescriptorWords);
  arguments.push_back(b_.CreateInsertElement(resource, word(hsa::kImageStoreWord), uint64_t{1}));
  arguments.insert(arguments.end(), {b_.getInt32(0), b_.getInt32(0)});
  const ImageRow& row = kImageRows[static_cast<size_t>(geometry_)];
  b_.CreateIntrinsic(level_ == nullptr ? row.store : row.store_mip,
                     {arguments[0]->getType(), b_.getInt32Ty()}, arguments);
}

/// The instruction clamps signed normalized components to -1, but -1 is not the least code that
/// SignedNormalize() writes (7.1.4.2): code converts them, and the resource says SINT.
Value* ImageAccess::signed_code(Value* bits) {
  llvm::Type* wide = b_.getDoubleTy();
  Value* top = word(hsa::kImageSnormWord);
  Value* scaled = b_.CreateFMul(b_.CreateFPExt(b_.CreateBitCast(bits, b_.getFloatTy()), wide),
                                b_.CreateSIToFP(top, wide));  // exact: 24 by 15 bits
  Value* code = b_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {b_.getInt32Ty(), wide},
                                   {b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, scaled)});
  code = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, code, top);
  code = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, code, b_.CreateNot(top));
  return b_.CreateSelect(flag(hsa::kImageSnorm), code, bits);
}

// --- V# ---

/// Bytes from the first element.
Value* ImageAccess::offset(const Place& place) {
  const unsigned dimensions = hsail::image_dimensions(geometry_);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* at = b_.CreateMul(wide(place[0]), wide(b_.CreateAnd(word(hsa::kImageBytesWord), 0xff)));
  if (dimensions > 1)
    at = b_.CreateAdd(at, b_.CreateMul(wide(place[1]), pair(hsa::kImageRowPitchWord)));
  const unsigned last = hsail::image_coordinates(geometry_) - 1;
  if (dimensions == 3 || hsail::is_image_array(geometry_))
    at = b_.CreateAdd(at, b_.CreateMul(wide(place[last]), pair(hsa::kImageSlicePitchWord)));
  if (before_ != nullptr) at = b_.CreateAdd(at, before_);
  return at;
}

TexelValues ImageAccess::load_buffer(const Place& place) {
  Value* at = b_.CreateTrunc(offset(place), b_.getInt32Ty());
  return split(b_.CreateIntrinsic(
      llvm::Intrinsic::amdgcn_raw_buffer_load_format,
      {llvm::FixedVectorType::get(b_.getFloatTy(), 4)},
      {descriptor(hsa::kImageBufferWord, 4), at, b_.getInt32(0), b_.getInt32(0)}));
}

void ImageAccess::store_buffer(const Place& place, const TexelValues& texel) {
  TexelValues codes = texel;
  for (Value*& c : codes) c = signed_code(c);
  Value* at = b_.CreateTrunc(offset(place), b_.getInt32Ty());
  Value* resource = descriptor(hsa::kImageBufferWord, 4);
  resource = b_.CreateInsertElement(resource, word(hsa::kImageBufferStoreWord), uint64_t{3});
  Value* data = join(codes);
  b_.CreateIntrinsic(llvm::Intrinsic::amdgcn_raw_buffer_store_format, {data->getType()},
                     {data, resource, at, b_.getInt32(0), b_.getInt32(0)});
}

// --- Bytes ---

Value* ImageAccess::bytes_at(const Place& place) {
  Value* at = b_.CreateAdd(pair(hsa::kImageDataWord), offset(place));
  return b_.CreateIntToPtr(at, llvm::PointerType::get(b_.getContext(), kGlobalSpace));
}

Value* ImageAccess::table(const char* name, const std::array<float, 256>& values, Value* index) {
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  llvm::GlobalVariable* global = module.getNamedGlobal(name);
  if (global == nullptr) {
    llvm::Constant* contents =
        llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef<float>(values));
    global = new llvm::GlobalVariable(module, contents->getType(), /*isConstant=*/true,
                                      llvm::GlobalValue::InternalLinkage, contents, name, nullptr,
                                      llvm::GlobalValue::NotThreadLocal, kConstantSpace);
    global->setAlignment(llvm::Align(4));
  }
  Value* at = b_.CreateGEP(b_.getFloatTy(), global, {b_.CreateZExt(index, b_.getInt64Ty())});
  return b_.CreateAlignedLoad(b_.getFloatTy(), at, llvm::Align(4));
}

TexelValues ImageAccess::load_fields(const Place& place) {
  Value* element = bytes_at(place);
  // Elements have at most four bytes; the last one is read again in place of those behind it.
  Value* last = b_.CreateSub(b_.CreateAnd(word(hsa::kImageBytesWord), 0xff), b_.getInt32(1));
  Value* raw = b_.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value* at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.getInt32(i), last);
    Value* byte = b_.CreateAlignedLoad(
        b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), element, {b_.CreateZExt(at, b_.getInt64Ty())}),
        llvm::Align(1));
    raw = b_.CreateOr(raw, b_.CreateShl(b_.CreateZExt(byte, b_.getInt32Ty()), 8 * i));
  }
  TexelValues texel;
  for (unsigned c = 0; c < 4; ++c) {
    texel[c] = b_.getInt32(0);
    if (hsail::is_depth_image(geometry_) && c > 0) continue;
    Value* field = word(hsa::kImageFieldWord + c);
    Value* bits = b_.CreateAnd(b_.CreateLShr(field, 8), 0xff);
    Value* kind = b_.CreateLShr(field, 16);
    Value* top = b_.CreateSub(b_.CreateShl(b_.getInt32(1), bits), b_.getInt32(1));
    Value* code = b_.CreateAnd(b_.CreateLShr(raw, b_.CreateAnd(field, 31)), top);
    // 24 bits at most: both conversions are exact.
    Value* value = b_.CreateFDiv(b_.CreateUIToFP(code, b_.getFloatTy()),
                                 b_.CreateUIToFP(top, b_.getFloatTy()));
    const auto when = [&](ImageField wanted, Value* then, Value* otherwise) {
      Value* is = b_.CreateICmpEQ(kind, b_.getInt32(static_cast<uint32_t>(wanted)));
      return b_.CreateSelect(is, then, otherwise);
    };
    value = when(ImageField::kSrgb, srgb_value(code), value);
    value = when(ImageField::kOne, llvm::ConstantFP::get(b_.getFloatTy(), 1), value);
    value = when(ImageField::kZero, llvm::ConstantFP::get(b_.getFloatTy(), 0), value);
    texel[c] = b_.CreateBitCast(value, b_.getInt32Ty());
  }
  return texel;
}

Value* ImageAccess::srgb_value(Value* code) {
  return table("hsail.srgb_values", srgb_values(), b_.CreateAnd(code, 0xff));
}

/// Number of thresholds that the value reaches: none for NaN.
Value* ImageAccess::srgb_code(Value* value) {
  Value* code = b_.getInt32(0);
  for (unsigned step = 128; step != 0; step /= 2) {
    Value* next = b_.CreateAdd(code, b_.getInt32(step));
    Value* threshold = table("hsail.srgb_thresholds", srgb_thresholds(), next);
    code = b_.CreateSelect(b_.CreateFCmpOGE(value, threshold), next, code);
  }
  return code;
}

/// UnsignedNormalize() of 7.1.4.2.
Value* ImageAccess::unsigned_code(Value* value, Value* top) {
  llvm::Type* wide = b_.getDoubleTy();
  Value* scaled = b_.CreateFMul(b_.CreateFPExt(value, wide), b_.CreateUIToFP(top, wide));
  Value* code = b_.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {b_.getInt32Ty(), wide},
                                   {b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, scaled)});
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, top);
}

void ImageAccess::store_fields(const Place& place, const TexelValues& texel) {
  Value* raw = b_.getInt32(0);
  for (unsigned c = 0; c < 4; ++c) {
    if (hsail::is_depth_image(geometry_) && c > 0) continue;
    Value* field = word(hsa::kImageFieldWord + c);
    Value* bits = b_.CreateAnd(b_.CreateLShr(field, 8), 0xff);
    Value* top = b_.CreateSub(b_.CreateShl(b_.getInt32(1), bits), b_.getInt32(1));
    Value* value = b_.CreateBitCast(texel[c], b_.getFloatTy());
    Value* is_srgb = b_.CreateICmpEQ(b_.CreateLShr(field, 16),
                                     b_.getInt32(static_cast<uint32_t>(ImageField::kSrgb)));
    // Components that the element does not have are no bits wide.
    Value* code = b_.CreateSelect(is_srgb, srgb_code(value), unsigned_code(value, top));
    raw = b_.CreateOr(raw, b_.CreateShl(code, b_.CreateAnd(field, 31)));
  }
  Value* element = bytes_at(place);
  Value* last = b_.CreateSub(b_.CreateLShr(word(hsa::kImageBytesWord), 8), b_.getInt32(1));
  for (unsigned i = 0; i < 4; ++i) {
    // The last byte is written again in place of those behind it.
    Value* at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.getInt32(i), last);
    Value* byte = b_.CreateLShr(raw, b_.CreateShl(at, 3));
    b_.CreateAlignedStore(
        b_.CreateTrunc(byte, b_.getInt8Ty()),
        b_.CreateGEP(b_.getInt8Ty(), element, {b_.CreateZExt(at, b_.getInt64Ty())}),
        llvm::Align(1));
  }
}

}  // namespace cuvette::finalizer
