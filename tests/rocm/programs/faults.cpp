// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// faults KIND [FILE]: a kernel that does what it must not, or never ends. Says "launched" when it
// is under way; going on behind it is an error, status 4.
//   null    a store to address 0              beyond  a store behind the last page of a buffer
//   host    a store to memory of the process that the device was not given: FILE, mapped
//   abort   abort()                           assert  an assertion that does not hold
//   endless a loop without end                memory  allocations until there is nothing left
#include <cassert>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>

#include "check.h"

__global__ void store(int* p) {
  p[threadIdx.x] = 1;
}
__global__ void give_up(const int* p) {
  if (p[threadIdx.x] == 0) abort();
}
__global__ void claim(const int* p) {
  assert(p[threadIdx.x] == 5);
}
__global__ void turn(volatile int* p) {
  while (*p == 0) {
  }
}
__global__ void one(int* p) {
  *p = 1;
}

/// All memory of the device: the error of the call behind the last one, and the device goes on.
int exhaust() {
  Check check;
  std::vector<void*> blocks;
  hipError_t result = hipSuccess;
  for (size_t bytes = size_t{1} << 30; bytes >= 1 << 20; bytes /= 2) {
    void* p = nullptr;
    while ((result = hipMalloc(&p, bytes)) == hipSuccess) blocks.push_back(p);
    check.equal("result", bytes, static_cast<int>(result), static_cast<int>(hipErrorOutOfMemory));
    check.equal("last error", bytes, static_cast<int>(hipGetLastError()), static_cast<int>(result));
  }
  check.equal("some", 0, blocks.empty(), false);
  int value = 0;
  auto* x = static_cast<int*>(blocks.front());
  one<<<1, 1>>>(x);
  HIP_OK(hipMemcpy(&value, x, sizeof value, hipMemcpyDeviceToHost));
  check.equal("value", 0, value, 1);
  for (void* p : blocks) HIP_OK(hipFree(p));
  void* again = nullptr;
  HIP_OK(hipMalloc(&again, 1 << 20));
  return check.status();
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "";
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  int* p;
  HIP_OK(hipMalloc(&p, 4096));
  HIP_OK(hipMemset(p, 0, 4096));
  one<<<1, 1>>>(p + 1000);  // everything is loaded
  HIP_OK(hipDeviceSynchronize());
  std::printf("launched\n");
  std::fflush(stdout);
  if (is("memory")) return exhaust();
  if (is("null")) store<<<1, 64>>>(nullptr);
  if (is("beyond")) {
    int* large;  // has pages of its own
    HIP_OK(hipMalloc(&large, 4 << 20));
    store<<<1, 64>>>(large + (1 << 20));
  }
  if (is("host") && argc > 2) {
    const int file = open(argv[2], O_RDWR);
    void* mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return 3;
    store<<<1, 64>>>(static_cast<int*>(mapped));
  }
  if (is("abort")) give_up<<<1, 64>>>(p);
  if (is("assert")) claim<<<1, 64>>>(p);
  if (is("endless")) turn<<<1, 1>>>(p);
  const hipError_t result = hipDeviceSynchronize();
  std::printf("went on: %s\n", hipGetErrorString(result));
  return 4;
}
