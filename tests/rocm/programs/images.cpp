// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Images made by the runtime: textures of one, two and three dimensions, formats with conversion,
// address modes, linear filtering.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "check.h"

constexpr int kWidth = 40, kHeight = 24, kDepth = 5;

/// As hipCreateChannelDesc<T>(), which takes bytes without sign for those with one.
template <class T>
hipChannelFormatDesc channels() {
  if (std::is_same_v<T, uchar4>) {
    return hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  }
  return hipCreateChannelDesc<T>();
}

/// An array of the runtime with data, and a texture of it.
class Texture {
 public:
  template <class T>
  Texture(const std::vector<T>& texels, int width, int height, int depth, hipTextureDesc how) {
    const hipChannelFormatDesc format = channels<T>();
    if (depth != 0) {
      const hipExtent extent{static_cast<size_t>(width), static_cast<size_t>(height),
                             static_cast<size_t>(depth)};
      HIP_OK(hipMalloc3DArray(&array_, &format, extent, hipArrayDefault));
      hipMemcpy3DParms copy{};
      copy.srcPtr = hipPitchedPtr{const_cast<T*>(texels.data()), width * sizeof(T),
                                  static_cast<size_t>(width), static_cast<size_t>(height)};
      copy.dstArray = array_;
      copy.extent = extent;
      copy.kind = hipMemcpyHostToDevice;
      HIP_OK(hipMemcpy3D(&copy));
    } else {
      HIP_OK(hipMallocArray(&array_, &format, width, height, hipArrayDefault));
      const size_t row = width * sizeof(T);
      HIP_OK(hipMemcpy2DToArray(array_, 0, 0, texels.data(), row, row, height == 0 ? 1 : height,
                                hipMemcpyHostToDevice));
    }
    resource_.resType = hipResourceTypeArray;
    resource_.res.array.array = array_;
    HIP_OK(hipCreateTextureObject(&texture_, &resource_, &how, nullptr));
  }
  ~Texture() {
    HIP_OK(hipDestroyTextureObject(texture_));
    HIP_OK(hipFreeArray(array_));
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  hipTextureObject_t texture() const { return texture_; }

 private:
  hipArray* array_ = nullptr;
  hipResourceDesc resource_{};
  hipTextureObject_t texture_ = nullptr;
};

hipTextureDesc sampling(hipTextureAddressMode mode, hipTextureFilterMode filter,
                        hipTextureReadMode read, bool normalized) {
  hipTextureDesc how{};
  for (auto& m : how.addressMode) m = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  return how;
}

/// One work-item for each position.
template <class T>
__global__ void sample2d(T* out, hipTextureObject_t t, const float2* at, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}
__global__ void sample1d(float* out, hipTextureObject_t t, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = tex1D<float>(t, static_cast<float>(i) + 0.5f);
}
__global__ void sample3d(int* out, hipTextureObject_t t) {
  const int x = static_cast<int>(blockIdx.x * 8 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y), z = static_cast<int>(blockIdx.z);
  if (x >= kWidth || y >= kHeight) return;
  out[(z * kHeight + y) * kWidth + x] =
      tex3D<int>(t, static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) { HIP_OK(hipMalloc(&p_, count * sizeof(T))); }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    HIP_OK(hipMemcpy(p_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { HIP_OK(hipFree(p_)); }
  T* data() const { return p_; }
  std::vector<T> values() const {
    std::vector<T> v(count_);
    HIP_OK(hipMemcpy(v.data(), p_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    return v;
  }

 private:
  size_t count_;
  T* p_ = nullptr;
};

/// Index of a texel by the address mode; -1: the border.
int texel(int i, int size, hipTextureAddressMode mode) {
  if (mode == hipAddressModeWrap) return ((i % size) + size) % size;
  if (mode == hipAddressModeClamp) return i < 0 ? 0 : i >= size ? size - 1 : i;
  return i < 0 || i >= size ? -1 : i;
}

void modes(Check& check) {
  std::vector<float> texels(kWidth * kHeight);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>((i * 37) % 512) - 100;
  for (const auto mode : {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeBorder}) {
    const bool normalized = mode == hipAddressModeWrap;
    const Texture t(texels, kWidth, kHeight, 0,
                    sampling(mode, hipFilterModePoint, hipReadModeElementType, normalized));
    std::vector<float2> at;
    std::vector<float> expected;
    for (int y = -3; y < kHeight + 3; ++y) {
      for (int x = -3; x < kWidth + 3; ++x) {
        const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
        at.push_back(normalized ? float2{u / kWidth, v / kHeight} : float2{u, v});
        const int column = texel(x, kWidth, mode), row = texel(y, kHeight, mode);
        expected.push_back(column < 0 || row < 0 ? 0 : texels[row * kWidth + column]);
      }
    }
    const Buffer<float2> positions(at);
    const Buffer<float> out(at.size());
    const int count = static_cast<int>(at.size());
    sample2d<<<(count + 63) / 64, 64>>>(out.data(), t.texture(), positions.data(), count);
    const auto found = out.values();
    for (size_t i = 0; i < found.size(); ++i) check.equal("address", i, found[i], expected[i]);
  }
}

/// Between texels, at quarters: the weights are exact.
void filter(Check& check) {
  std::vector<float> texels(kWidth * kHeight);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>((i * 53) % 64);
  const Texture t(
      texels, kWidth, kHeight, 0,
      sampling(hipAddressModeClamp, hipFilterModeLinear, hipReadModeElementType, false));
  std::vector<float2> at;
  std::vector<float> expected;
  for (int y = 0; y + 1 < kHeight; ++y) {
    for (int x = 0; x + 1 < kWidth; ++x) {
      const float a = 0.25f * static_cast<float>((x + y) % 4),
                  b = 0.25f * static_cast<float>((x + 2 * y) % 4);
      at.push_back({static_cast<float>(x) + 0.5f + a, static_cast<float>(y) + 0.5f + b});
      const float* row = &texels[y * kWidth + x];
      expected.push_back((1 - b) * ((1 - a) * row[0] + a * row[1]) +
                         b * ((1 - a) * row[kWidth] + a * row[kWidth + 1]));
    }
  }
  const Buffer<float2> positions(at);
  const Buffer<float> out(at.size());
  const int count = static_cast<int>(at.size());
  sample2d<<<(count + 63) / 64, 64>>>(out.data(), t.texture(), positions.data(), count);
  const auto found = out.values();
  for (size_t i = 0; i < found.size(); ++i) check.equal("filter", i, found[i], expected[i]);
}

/// Bytes as numbers from 0 to 1.
void formats(Check& check) {
  std::vector<uchar4> texels(kWidth * kHeight);
  for (size_t i = 0; i < texels.size(); ++i) {
    texels[i] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i * 3),
                 static_cast<uint8_t>(255 - i), static_cast<uint8_t>(i / 4)};
  }
  const Texture t(
      texels, kWidth, kHeight, 0,
      sampling(hipAddressModeClamp, hipFilterModePoint, hipReadModeNormalizedFloat, false));
  std::vector<float2> at;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    at.push_back({static_cast<float>(i % kWidth) + 0.5f, static_cast<float>(i / kWidth) + 0.5f});
  }
  const Buffer<float2> positions(at);
  const Buffer<float4> out(at.size());
  const int count = static_cast<int>(at.size());
  sample2d<<<(count + 63) / 64, 64>>>(out.data(), t.texture(), positions.data(), count);
  const auto found = out.values();
  const auto near = [&](size_t i, float value, uint8_t byte) {
    check.near("byte", i, value, static_cast<float>(byte) / 255, 1e-6f);
  };
  for (size_t i = 0; i < found.size(); ++i) {
    near(i, found[i].x, texels[i].x);
    near(i, found[i].y, texels[i].y);
    near(i, found[i].z, texels[i].z);
    near(i, found[i].w, texels[i].w);
  }
}

void dimensions(Check& check) {
  const auto how = sampling(hipAddressModeClamp, hipFilterModePoint, hipReadModeElementType, false);
  std::vector<float> line(kWidth);
  for (int i = 0; i < kWidth; ++i) line[i] = static_cast<float>(i * i) / 8;
  const Texture one(line, kWidth, 0, 0, how);
  const Buffer<float> out(kWidth);
  sample1d<<<1, 64>>>(out.data(), one.texture(), kWidth);
  const auto found = out.values();
  for (int i = 0; i < kWidth; ++i) check.equal("1D", i, found[i], line[i]);

  std::vector<int> block(kWidth * kHeight * kDepth);
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<int>(i * 2654435761u);
  const Texture three(block, kWidth, kHeight, kDepth, how);
  const Buffer<int> all(block.size());
  sample3d<<<dim3((kWidth + 7) / 8, (kHeight + 7) / 8, kDepth), dim3(8, 8)>>>(all.data(),
                                                                              three.texture());
  const auto cells = all.values();
  for (size_t i = 0; i < block.size(); ++i) check.equal("3D", i, cells[i], block[i]);
}

int main() {
  Check check;
  modes(check);
  filter(check);
  formats(check);
  dimensions(check);
  return check.status();
}
