// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A layer of 3x3 convolutions with zeros around the image: in[channels][height][width], weights[filters][channels][9],
// out[filters][height][width]. A work-item makes one pixel of one filter.
__attribute__((reqd_work_group_size(16, 16, 1))) __kernel void convolution(int width, int height, int channels,
                                                                           __global const float* in,
                                                                           __constant const float* weights,
                                                                           __global float* out) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int filter = get_global_id(2);
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int channel = 0; channel < channels; ++channel) {
    __global const float* plane = in + channel * width * height;
    __constant const float* weight = weights + (filter * channels + channel) * 9;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const bool inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
        const float pixel = inside ? plane[(y + dy) * width + x + dx] : 0.0f;
        sum = fma(pixel, weight[(dy + 1) * 3 + dx + 1], sum);
      }
    }
  }
  out[(filter * height + y) * width + x] = sum;
}
