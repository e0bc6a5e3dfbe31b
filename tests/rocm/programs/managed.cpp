// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Memory that host and kernels share: managed, pinned, registered in place, and a flag that both
// poll.
#include <vector>

#include "check.h"

__global__ void twice(int* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] *= 2;
}

/// Answers the host's numbers until it says stop.
__global__ void serve(volatile int* ask, volatile int* answer) {
  for (int last = 0;;) {
    const int now = *ask;
    if (now == last) continue;
    last = now;
    *answer = now < 0 ? -1 : now * now;
    __threadfence_system();
    if (now < 0) return;
  }
}

int main() {
  const int n = 3000;
  Check check;
  int* managed;
  HIP_OK(hipMallocManaged(&managed, n * sizeof(int)));
  for (int i = 0; i < n; ++i) managed[i] = i;
  twice<<<(n + 255) / 256, 256>>>(managed, n);
  HIP_OK(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) check.equal("managed", i, managed[i], 2 * i);

  std::vector<int> own(n + 7);  // not at the start of a page
  for (int i = 0; i < n; ++i) own[i + 7] = 5 * i;
  void* seen = nullptr;
  HIP_OK(hipHostRegister(own.data() + 7, n * sizeof(int), hipHostRegisterDefault));
  HIP_OK(hipHostGetDevicePointer(&seen, own.data() + 7, 0));
  twice<<<(n + 255) / 256, 256>>>(static_cast<int*>(seen), n);
  HIP_OK(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) check.equal("registered", i, own[i + 7], 10 * i);
  HIP_OK(hipHostUnregister(own.data() + 7));

  int* flags;
  HIP_OK(hipHostMalloc(&flags, 2 * 64 * sizeof(int), hipHostMallocCoherent));
  flags[0] = flags[64] = 0;
  serve<<<1, 1>>>(flags, flags + 64);
  for (int i = 1; i <= 20; ++i) {
    __atomic_store_n(flags, i, __ATOMIC_RELEASE);
    while (__atomic_load_n(flags + 64, __ATOMIC_ACQUIRE) != i * i) {
    }
    check.equal("answer", i, flags[64], i * i);
  }
  __atomic_store_n(flags, -1, __ATOMIC_RELEASE);
  HIP_OK(hipDeviceSynchronize());
  check.equal("end", 0, flags[64], -1);
  return check.status();
}
