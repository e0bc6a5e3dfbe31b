// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Surfaces: images of one to three dimensions with one, two and four channels that kernels write
// and read, at positions inside and outside. Channels are floats: HIP 5.2 converts integers to
// float bits on the way (hip/amd_detail/amd_surface_functions.h).
#include <vector>

#include "check.h"

constexpr int kWidth = 40, kHeight = 24, kDepth = 5;
/// Positions begin so far outside and end as far behind the image.
constexpr int kMargin = 3;

struct Extent {
  int width, height, depth;  // 0: no such dimension
  __host__ __device__ int texels() const {
    return width * (height == 0 ? 1 : height) * (depth == 0 ? 1 : depth);
  }
};

/// Value that a kernel stores at a position; channel 0 alone has the position.
template <class T>
__host__ __device__ T texel(int x, int y, int z);
template <>
__host__ __device__ float texel(int x, int y, int z) {
  return 0.25f * static_cast<float>(x + 100 * y + 10000 * z) - 7;
}
template <>
__host__ __device__ float2 texel(int x, int y, int z) {
  return {texel<float>(x, y, z), static_cast<float>(y - x)};
}
template <>
__host__ __device__ float4 texel(int x, int y, int z) {
  return {texel<float>(x, y, z), static_cast<float>(y - x), static_cast<float>(z), -0.5f};
}

float channel(float v, int) {
  return v;
}
float channel(float2 v, int n) {
  return n == 0 ? v.x : v.y;
}
float channel(float4 v, int n) {
  const float all[] = {v.x, v.y, v.z, v.w};
  return all[n];
}

/// Column and row from the work-item, the slice from the work-group; coordinates in x count bytes.
template <class T>
__global__ void put(hipSurfaceObject_t s, Extent e, int slice) {
  const int x = static_cast<int>(blockIdx.x * 8 + threadIdx.x) - kMargin,
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y) - kMargin;
  const int column = x * static_cast<int>(sizeof(T));
  if (e.depth != 0) {
    surf3Dwrite(texel<T>(x, y, slice), s, column, y, slice);
  } else if (e.height != 0) {
    surf2Dwrite(texel<T>(x, y, 0), s, column, y);
  } else if (y == 0) {
    surf1Dwrite(texel<T>(x, 0, 0), s, column);
  }
}
template <class T>
__global__ void get(hipSurfaceObject_t s, Extent e, int slice, T* out, int pitch) {
  const int i = static_cast<int>(blockIdx.x * 8 + threadIdx.x),
            j = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const int column = (i - kMargin) * static_cast<int>(sizeof(T));
  T v{};
  if (e.depth != 0) {
    surf3Dread(&v, s, column, j - kMargin, slice);
  } else if (e.height != 0) {
    surf2Dread(&v, s, column, j - kMargin);
  } else {
    surf1Dread(&v, s, column);
  }
  out[j * pitch + i] = v;
}

template <class T>
void compare(Check& check, const char* what, size_t index, T found, T expected) {
  for (int n = 0; n < static_cast<int>(sizeof(T) / sizeof(float)); ++n) {
    check.equal(what, index, channel(found, n), channel(expected, n));
  }
}

template <class T>
hipArray* array_of(Extent e) {
  const hipChannelFormatDesc format = hipCreateChannelDesc<T>();
  hipArray* array = nullptr;
  if (e.depth != 0) {
    const hipExtent extent{static_cast<size_t>(e.width), static_cast<size_t>(e.height),
                           static_cast<size_t>(e.depth)};
    HIP_OK(hipMalloc3DArray(&array, &format, extent, hipArrayDefault));
  } else {
    HIP_OK(hipMallocArray(&array, &format, e.width, e.height, hipArrayDefault));
  }
  return array;
}

/// To the array or from it, all of it.
template <class T>
void copy(hipArray* array, Extent e, std::vector<T>& texels, hipMemcpyKind kind) {
  const size_t row = e.width * sizeof(T), rows = e.height == 0 ? 1 : e.height;
  if (e.depth != 0) {
    hipMemcpy3DParms p{};
    const hipPitchedPtr memory{texels.data(), row, static_cast<size_t>(e.width), rows};
    if (kind == hipMemcpyHostToDevice) {
      p.srcPtr = memory;
      p.dstArray = array;
    } else {
      p.srcArray = array;
      p.dstPtr = memory;
    }
    p.extent = {static_cast<size_t>(e.width), rows, static_cast<size_t>(e.depth)};
    p.kind = kind;
    HIP_OK(hipMemcpy3D(&p));
  } else if (kind == hipMemcpyHostToDevice) {
    HIP_OK(hipMemcpy2DToArray(array, 0, 0, texels.data(), row, row, rows, kind));
  } else {
    HIP_OK(hipMemcpy2DFromArray(texels.data(), row, array, 0, 0, row, rows, kind));
  }
}

template <class T>
void surfaces(Check& check, Extent e) {
  hipArray* array = array_of<T>(e);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipSurfaceObject_t surface = nullptr;
  HIP_OK(hipCreateSurfaceObject(&surface, &resource));
  const int slices = e.depth == 0 ? 1 : e.depth;
  const dim3 grid((kWidth + 2 * kMargin + 7) / 8, (kHeight + 2 * kMargin + 7) / 8), group(8, 8);
  const int pitch = static_cast<int>(grid.x * 8), lines = static_cast<int>(grid.y * 8);

  // Every texel is stored to, and stores outside go nowhere.
  std::vector<T> texels(static_cast<size_t>(e.texels()));
  copy(array, e, texels, hipMemcpyHostToDevice);
  for (int z = 0; z < slices; ++z) put<T><<<grid, group>>>(surface, e, z);
  HIP_OK(hipDeviceSynchronize());
  copy(array, e, texels, hipMemcpyDeviceToHost);
  const auto stored = [&](int i) {
    const int rows = e.height == 0 ? 1 : e.height;
    return texel<T>(i % e.width, i / e.width % rows, i / e.width / rows);
  };
  for (int i = 0; i < e.texels(); ++i) compare(check, "stored", i, texels[i], stored(i));

  // Loads find what the host has put there, and 0 outside.
  for (int i = 0; i < e.texels(); ++i) texels[i] = stored(e.texels() - 1 - i);
  copy(array, e, texels, hipMemcpyHostToDevice);
  std::vector<T> found(static_cast<size_t>(pitch) * lines);
  T* out = nullptr;
  HIP_OK(hipMalloc(&out, found.size() * sizeof(T)));
  for (int z = 0; z < slices; ++z) {
    get<T><<<grid, group>>>(surface, e, z, out, pitch);
    HIP_OK(hipMemcpy(found.data(), out, found.size() * sizeof(T), hipMemcpyDeviceToHost));
    for (size_t i = 0; i < found.size(); ++i) {
      const int x = static_cast<int>(i) % pitch - kMargin,
                y = static_cast<int>(i) / pitch - kMargin;
      const bool inside = x >= 0 && x < e.width && (e.height == 0 || (y >= 0 && y < e.height));
      const int row = e.height == 0 ? 0 : y;
      const T expected = inside ? texels[(z * e.height + row) * e.width + x] : T{};
      compare(check, "loaded", i, found[i], expected);
    }
  }
  HIP_OK(hipFree(out));
  HIP_OK(hipDestroySurfaceObject(surface));
  HIP_OK(hipFreeArray(array));
}

int main() {
  Check check;
  for (const Extent e :
       {Extent{kWidth, 0, 0}, Extent{kWidth, kHeight, 0}, Extent{kWidth, kHeight, kDepth}}) {
    surfaces<float>(check, e);
    surfaces<float2>(check, e);
    surfaces<float4>(check, e);
  }
  return check.status();
}
