// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Forces and potential energy of atoms with Lennard-Jones potentials in a periodic box, from lists of neighbours that
// are a little longer than the cut-off radius. Lists lie interleaved; an atom's ends with its number of neighbours.
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void lennard_jones(
    uint atoms, float box, float cutoff_squared, __global const float4* positions, __global const uint* neighbours,
    __global const uint* counts, __global float4* forces) {
  const uint id = get_global_id(0);
  if (id >= atoms) return;
  const float4 own = positions[id];
  float4 force = 0.0f;
  const uint count = counts[id];
  for (uint i = 0; i < count; ++i) {
    const float4 other = positions[neighbours[i * atoms + id]];
    float3 way = own.xyz - other.xyz;
    way -= box * rint(way / box);
    const float squared = dot(way, way);
    if (squared < cutoff_squared) {
      const float inverse = 1.0f / squared;
      const float sixth = inverse * inverse * inverse;
      const float strength = 24.0f * inverse * sixth * (2.0f * sixth - 1.0f);
      force.xyz += strength * way;
      force.w += 2.0f * sixth * (sixth - 1.0f);
    }
  }
  forces[id] = force;
}
