// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Gravitational accelerations of n bodies (x, y, z, mass) from all pairs, softened; tiles of bodies in local memory.
enum { kTile = 256 };

__attribute__((reqd_work_group_size(kTile, 1, 1))) __kernel void nbody(uint n, float softening,
                                                                       __global const float4* bodies,
                                                                       __global float4* accelerations) {
  __local float4 tile[kTile];
  const float4 own = bodies[get_global_id(0)];
  float3 sum = 0.0f;
  for (uint first = 0; first < n; first += kTile) {
    tile[get_local_id(0)] = bodies[first + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < kTile; ++i) {
      const float4 other = tile[i];
      const float3 way = other.xyz - own.xyz;
      const float inverse = native_rsqrt(dot(way, way) + softening);
      sum += way * (other.w * inverse * inverse * inverse);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[get_global_id(0)] = (float4)(sum, 0.0f);
}
