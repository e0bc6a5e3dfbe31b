// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Private memory: more for every kernel than the queue has, so that the runtime has to provide it
// while packets wait.
#include <vector>

#include "check.h"

template <int kCount>
__global__ void shuffle(const int* order, int* out) {
  int own[kCount];
  const int item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < kCount; ++i) own[i] = item * 3 + i;
  for (int i = 0; i < kCount; ++i) {  // places that only the run knows
    const int j = order[i] % kCount;
    const int t = own[i];
    own[i] = own[j];
    own[j] = t;
  }
  int sum = 0;
  for (int i = 0; i < kCount; ++i) sum = sum * 31 + own[i];
  out[item] = sum;
}

template <int kCount>
void run(Check& check, const std::vector<int>& order) {
  const int items = 256;
  int *dorder, *dout;
  HIP_OK(hipMalloc(&dorder, order.size() * 4));
  HIP_OK(hipMalloc(&dout, items * 4));
  HIP_OK(hipMemcpy(dorder, order.data(), order.size() * 4, hipMemcpyHostToDevice));
  shuffle<kCount><<<items / 64, 64>>>(dorder, dout);
  std::vector<int> out(items);
  HIP_OK(hipMemcpy(out.data(), dout, items * 4, hipMemcpyDeviceToHost));
  for (int item = 0; item < items; ++item) {
    std::vector<int> own(kCount);
    for (int i = 0; i < kCount; ++i) own[i] = item * 3 + i;
    for (int i = 0; i < kCount; ++i) std::swap(own[i], own[order[i] % kCount]);
    unsigned sum = 0;
    for (int i = 0; i < kCount; ++i) sum = sum * 31 + static_cast<unsigned>(own[i]);
    check.equal("out", item, static_cast<unsigned>(out[item]), sum);
  }
}

int main() {
  std::vector<int> order(2048);
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i * 7919 % 2048);
  Check check;
  run<48>(check, order);
  run<300>(check, order);
  run<2000>(check, order);
  run<100>(check, order);
  return check.status();
}
