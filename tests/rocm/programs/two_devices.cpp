// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Two devices in one process: properties, kernels on each, copies between them, memory of one in
// kernels of the other, atomics of both on one counter, streams and events across devices. With
// "unmapped" a kernel that reads what it must not see.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr int kCount = 4000, kDevices = 2;
constexpr size_t kBytes = kCount * sizeof(uint32_t);

__global__ void fill(uint32_t* out, uint32_t seed, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = seed + static_cast<uint32_t>(i) * 2654435761u;
}
__global__ void combine(uint32_t* out, const uint32_t* a, const uint32_t* b, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = a[i] * 3 + (b[n - 1 - i] ^ 0x55u);
}
__global__ void count(unsigned* counter, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd_system(counter, 1u);
}

uint32_t filled(uint32_t seed, int i) {
  return seed + static_cast<uint32_t>(i) * 2654435761u;
}
constexpr int groups(int n) {
  return (n + 63) / 64;
}

uint32_t* on_device(int device) {
  HIP_OK(hipSetDevice(device));
  uint32_t* p = nullptr;
  HIP_OK(hipMalloc(&p, kBytes));
  HIP_OK(hipMemset(p, 0xee, kBytes));
  HIP_OK(hipDeviceSynchronize());
  return p;
}

/// Found by a copy to the host.
void compare(Check& check, const char* what, const uint32_t* memory,
             const std::vector<uint32_t>& expected) {
  std::vector<uint32_t> found(expected.size());
  HIP_OK(hipMemcpy(found.data(), memory, found.size() * sizeof found[0], hipMemcpyDeviceToHost));
  for (size_t i = 0; i < found.size(); ++i) check.equal(what, i, found[i], expected[i]);
}

void properties(Check& check) {
  int number = 0;
  HIP_OK(hipGetDeviceCount(&number));
  check.equal("devices", 0, number, kDevices);
  if (number != kDevices) return;
  std::array<hipDeviceProp_t, kDevices> p;
  std::array<std::string, kDevices> place;
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipGetDeviceProperties(&p[d], d));
    check.equal("bus", d, p[d].pciBusID, d + 1);
    char text[64] = "";
    HIP_OK(hipDeviceGetPCIBusId(text, sizeof text, d));
    place[d] = text;
    int found = -1;
    HIP_OK(hipDeviceGetByPCIBusId(&found, text));
    check.equal("by bus", d, found, d);
    int access = -1;
    HIP_OK(hipDeviceCanAccessPeer(&access, d, 1 - d));
    check.equal("peer", d, access, 1);
  }
  check.equal("places differ", 0, place[0] != place[1], true);
  check.equal("same machine", 0, std::strcmp(p[0].gcnArchName, p[1].gcnArchName), 0);
  check.equal("same memory", 0, p[0].totalGlobalMem, p[1].totalGlobalMem);
  hipUUID id[kDevices];
  for (int d = 0; d < kDevices; ++d) HIP_OK(hipDeviceGetUuid(&id[d], d));
  check.equal("ids differ", 0, std::memcmp(&id[0], &id[1], sizeof id[0]) != 0, true);
}

/// A kernel on each device, and what it wrote read there.
void alone(Check& check) {
  uint32_t* memory[kDevices];
  for (int d = 0; d < kDevices; ++d) {
    memory[d] = on_device(d);
    fill<<<groups(kCount), 64>>>(memory[d], 1000u * static_cast<unsigned>(d + 1), kCount);
  }
  for (int d = 0; d < kDevices; ++d) {
    std::vector<uint32_t> expected(kCount);
    for (int i = 0; i < kCount; ++i) expected[i] = filled(1000u * static_cast<unsigned>(d + 1), i);
    HIP_OK(hipSetDevice(d));
    compare(check, "alone", memory[d], expected);
    hipPointerAttribute_t a{};
    HIP_OK(hipPointerGetAttributes(&a, memory[d]));
    check.equal("owner", d, a.device, d);
    HIP_OK(hipFree(memory[d]));
  }
}

/// Copies from one device to the other by every call that makes one, before and with peer access.
void copies(Check& check, uint32_t seed) {
  std::vector<uint32_t> expected(kCount);
  for (int i = 0; i < kCount; ++i) expected[i] = filled(seed, i);
  for (int from = 0; from < kDevices; ++from) {
    const int to = 1 - from;
    uint32_t* source = on_device(from);
    uint32_t* target[4];
    for (auto& t : target) t = on_device(to);
    HIP_OK(hipSetDevice(from));
    fill<<<groups(kCount), 64>>>(source, seed, kCount);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipMemcpyPeer(target[0], to, source, from, kBytes));
    HIP_OK(hipMemcpyDtoD(target[1], source, kBytes));
    HIP_OK(hipMemcpy(target[2], source, kBytes, hipMemcpyDefault));
    hipStream_t stream;
    HIP_OK(hipStreamCreate(&stream));
    HIP_OK(hipMemcpyPeerAsync(target[3], to, source, from, kBytes, stream));
    HIP_OK(hipStreamSynchronize(stream));
    HIP_OK(hipStreamDestroy(stream));
    HIP_OK(hipSetDevice(to));
    for (auto& t : target) {
      compare(check, "copy", t, expected);
      HIP_OK(hipFree(t));
    }
    HIP_OK(hipFree(source));
  }
}

/// A kernel of one device reads memory of the other and writes to it.
void peers(Check& check) {
  for (int reader = 0; reader < kDevices; ++reader) {
    const int other = 1 - reader;
    uint32_t* own = on_device(reader);
    uint32_t* far = on_device(other);
    uint32_t* out = on_device(other);
    HIP_OK(hipSetDevice(other));
    fill<<<groups(kCount), 64>>>(far, 7, kCount);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipSetDevice(reader));
    fill<<<groups(kCount), 64>>>(own, 9, kCount);
    combine<<<groups(kCount), 64>>>(out, own, far, kCount);
    HIP_OK(hipDeviceSynchronize());
    std::vector<uint32_t> expected(kCount);
    for (int i = 0; i < kCount; ++i) {
      expected[i] = filled(9, i) * 3 + (filled(7, kCount - 1 - i) ^ 0x55u);
    }
    HIP_OK(hipSetDevice(other));
    compare(check, "peer", out, expected);
    for (auto* p : {own, far, out}) HIP_OK(hipFree(p));
  }
}

/// Kernels of both devices at the same time count in memory of the host.
void counter(Check& check) {
  unsigned* counted = nullptr;
  HIP_OK(hipHostMalloc(&counted, sizeof *counted, hipHostMallocCoherent | hipHostMallocPortable));
  *counted = 0;
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipSetDevice(d));
    count<<<groups(kCount), 64>>>(counted, kCount);
  }
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipSetDevice(d));
    HIP_OK(hipDeviceSynchronize());
  }
  check.equal("counter", 0, *counted, unsigned{kDevices * kCount});
  HIP_OK(hipHostFree(counted));
}

/// A chain over both devices: each step waits for the event of the step before, on the other
/// device, whose memory it reads.
void events(Check& check) {
  constexpr int kSteps = 6;
  hipStream_t stream[kDevices];
  uint32_t* memory[kDevices];
  hipEvent_t done[kSteps];
  for (int d = 0; d < kDevices; ++d) {
    memory[d] = on_device(d);
    HIP_OK(hipStreamCreate(&stream[d]));
  }
  std::vector<uint32_t> value(kCount);
  for (int i = 0; i < kCount; ++i) value[i] = filled(3, i);
  HIP_OK(hipSetDevice(1));
  fill<<<groups(kCount), 64, 0, stream[1]>>>(memory[1], 3, kCount);
  HIP_OK(hipStreamSynchronize(stream[1]));
  for (int step = 0; step < kSteps; ++step) {
    const int d = step % kDevices;
    HIP_OK(hipSetDevice(d));
    HIP_OK(hipEventCreate(&done[step]));
    if (step != 0) HIP_OK(hipStreamWaitEvent(stream[d], done[step - 1], 0));
    combine<<<groups(kCount), 64, 0, stream[d]>>>(memory[d], memory[1 - d], memory[1 - d], kCount);
    HIP_OK(hipEventRecord(done[step], stream[d]));
    std::vector<uint32_t> next(kCount);
    for (int i = 0; i < kCount; ++i) next[i] = value[i] * 3 + (value[kCount - 1 - i] ^ 0x55u);
    value = next;
  }
  for (int d = 0; d < kDevices; ++d) HIP_OK(hipStreamSynchronize(stream[d]));
  HIP_OK(hipSetDevice((kSteps - 1) % kDevices));
  compare(check, "chain", memory[(kSteps - 1) % kDevices], value);
  for (int step = 0; step < kSteps; ++step) HIP_OK(hipEventDestroy(done[step]));
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipSetDevice(d));
    HIP_OK(hipStreamDestroy(stream[d]));
    HIP_OK(hipFree(memory[d]));
  }
}

/// Without peer access: a fault of the reading device.
int unmapped() {
  uint32_t* far = on_device(0);
  uint32_t* out = on_device(1);
  combine<<<groups(kCount), 64>>>(out, far, far, kCount);
  HIP_OK(hipDeviceSynchronize());
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "unmapped") == 0) return unmapped();
  Check check;
  properties(check);
  alone(check);
  copies(check, 11);
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipSetDevice(d));
    HIP_OK(hipDeviceEnablePeerAccess(1 - d, 0));
  }
  copies(check, 12);
  peers(check);
  counter(check);
  events(check);
  for (int d = 0; d < kDevices; ++d) {
    HIP_OK(hipSetDevice(d));
    HIP_OK(hipDeviceDisablePeerAccess(1 - d));
  }
  copies(check, 13);
  return check.status();
}
