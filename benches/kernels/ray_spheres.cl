// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Spheres over a floor by ray tracing: a pixel per work-item, a light with shadows, up to three reflections. Sums are
// not contracted and roots and quotients correctly rounded, so that a picture is the same everywhere.
#pragma OPENCL FP_CONTRACT OFF

static float product(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float3 unit(float3 a) {
  return a * (1.0f / sqrt(product(a, a)));
}

// Distance to the first sphere along a ray of unit direction, and which; the count of spheres when there is none.
static uint first_hit(float3 from, float3 way, uint count, __constant const float4* spheres, float* distance) {
  uint hit = count;
  *distance = 1e30f;
  for (uint i = 0; i < count; ++i) {
    const float3 centre = spheres[i].xyz - from;
    const float along = product(centre, way);
    if (along < 0.0f) continue;
    const float off = product(centre, centre) - along * along;
    const float squared = spheres[i].w * spheres[i].w;
    if (off > squared) continue;
    const float near = along - sqrt(squared - off);
    if (near > 0.001f && near < *distance) {
      *distance = near;
      hit = i;
    }
  }
  return hit;
}

__attribute__((reqd_work_group_size(8, 8, 1))) __kernel void ray_spheres(uint width, uint height, uint count,
                                                                         __constant const float4* spheres,
                                                                         __global float* image) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float3 light = unit((float3)(1.0f, 2.0f, -1.5f));
  float3 from = (float3)(0.0f, 1.0f, -4.0f);
  float3 way = unit((float3)(((float)x - 0.5f * width) / height, (0.5f * height - (float)y) / height, 1.0f));
  float brightness = 0.0f;
  float strength = 1.0f;
  for (uint bounce = 0; bounce < 4; ++bounce) {
    float distance;
    const uint hit = first_hit(from, way, count, spheres, &distance);
    float3 normal = (float3)(0.0f, 1.0f, 0.0f);
    float albedo;
    if (hit < count) {
      const float3 at = from + distance * way;
      normal = (at - spheres[hit].xyz) * (1.0f / spheres[hit].w);
      from = at;
      albedo = 0.7f;
    } else if (way.y < 0.0f) {
      from = from + (-from.y / way.y) * way;
      const int square = (int)floor(from.x) + (int)floor(from.z);
      albedo = square & 1 ? 0.9f : 0.3f;
    } else {
      brightness += strength * (0.2f + 0.5f * way.y);
      break;
    }
    float lit = product(normal, light);
    float ignored;
    if (lit < 0.0f || first_hit(from, light, count, spheres, &ignored) < count) lit = 0.0f;
    brightness += strength * albedo * (0.1f + 0.6f * lit);
    strength *= 0.4f;
    way = way - (2.0f * product(way, normal)) * normal;
  }
  image[y * width + x] = brightness;
}
