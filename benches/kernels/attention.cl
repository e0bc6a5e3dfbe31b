// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One head of attention per group row: out = softmax(q k^T / sqrt(d)) v, d = 32. A work-item has one query; keys and
// values come in tiles of 32 through local memory, and the softmax is done online: a running maximum, sum and result.
enum { kDepth = 32, kTile = 32, kGroup = 64 };

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void attention(uint length, float scale,
                                                                            __global const float* q,
                                                                            __global const float* k,
                                                                            __global const float* v,
                                                                            __global float* out) {
  __local float4 keys[kTile][kDepth / 4];
  __local float4 values[kTile][kDepth / 4];
  const uint item = get_local_id(0);
  const size_t head = (size_t)get_global_id(1) * length * kDepth;
  const size_t own = head + (size_t)get_global_id(0) * kDepth;
  float4 query[kDepth / 4];
  float4 result[kDepth / 4];
  for (uint i = 0; i < kDepth / 4; ++i) {
    query[i] = vload4(i, q + own) * scale;
    result[i] = 0.0f;
  }
  float top = -INFINITY;
  float total = 0.0f;
  for (uint first = 0; first < length; first += kTile) {
    for (uint i = item; i < kTile * kDepth / 4; i += kGroup) {
      keys[i / (kDepth / 4)][i % (kDepth / 4)] = vload4(i, k + head + first * kDepth);
      values[i / (kDepth / 4)][i % (kDepth / 4)] = vload4(i, v + head + first * kDepth);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < kTile; ++j) {
      float4 products = 0.0f;
      for (uint i = 0; i < kDepth / 4; ++i) products = fma(query[i], keys[j][i], products);
      const float score = products.x + products.y + products.z + products.w;
      if (score > top) {
        const float shrink = exp(top - score);
        total *= shrink;
        for (uint i = 0; i < kDepth / 4; ++i) result[i] *= shrink;
        top = score;
      }
      const float weight = exp(score - top);
      total += weight;
      for (uint i = 0; i < kDepth / 4; ++i) result[i] = fma((float4)(weight), values[j][i], result[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float inverse = 1.0f / total;
  for (uint i = 0; i < kDepth / 4; ++i) vstore4(result[i] * inverse, i, out + own);
}
