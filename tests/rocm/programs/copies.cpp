// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// hipMemcpy in every direction, odd sizes and offsets, rectangles, peer to itself, two streams.
// With an argument: copies that many MiB to the device and back and prints the seconds.
#include <chrono>
#include <cstring>
#include <vector>

#include "check.h"

namespace {

unsigned char byte_at(size_t i, unsigned seed) {
  return static_cast<unsigned char>((i * 2654435761u + seed * 40503u) >> 11);
}

std::vector<unsigned char> bytes_of(size_t count, unsigned seed) {
  std::vector<unsigned char> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = byte_at(i, seed);
  return out;
}

void compare(Check& check, const char* what, const std::vector<unsigned char>& found,
             const std::vector<unsigned char>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) check.equal(what, i, found[i], expected[i]);
}

int measure(size_t mebibytes) {
  using Clock = std::chrono::steady_clock;
  const size_t bytes = mebibytes << 20;
  unsigned char *host, *device;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&host), bytes));
  HIP_OK(hipMalloc(&device, bytes));
  for (size_t i = 0; i < bytes; ++i) host[i] = byte_at(i, 9);
  HIP_OK(hipMemcpy(device, host, 4096, hipMemcpyHostToDevice));  // queues are made at first use
  HIP_OK(hipMemcpy(host, device, 4096, hipMemcpyDeviceToHost));
  const auto start = Clock::now();
  HIP_OK(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice));
  const auto between = Clock::now();
  std::memset(host, 0, bytes);
  const auto again = Clock::now();
  HIP_OK(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost));
  const auto end = Clock::now();
  Check check;
  for (size_t i = 0; i < bytes; ++i) check.equal("round trip", i, host[i], byte_at(i, 9));
  const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
  std::printf("%zu MiB: to the device %.3f s, back %.3f s\n", mebibytes, seconds(between - start),
              seconds(end - again));
  return check.status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return measure(std::strtoull(argv[1], nullptr, 10));
  Check check;
  // Sizes and offsets that are no multiple of anything, pageable and pinned memory.
  const size_t room = 300'000;
  unsigned char *a, *b, *pinned;
  HIP_OK(hipMalloc(&a, room));
  HIP_OK(hipMalloc(&b, room));
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), room));
  unsigned seed = 1;
  for (const size_t size :
       {size_t{1}, size_t{3}, size_t{64}, size_t{4097}, size_t{65'537}, size_t{262'145}}) {
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{30}}) {
      const auto data = bytes_of(size, ++seed);
      std::vector<unsigned char> found(size);
      HIP_OK(hipMemcpy(a + offset, data.data(), size, hipMemcpyHostToDevice));
      HIP_OK(hipMemcpy(b + 2 * offset, a + offset, size, hipMemcpyDeviceToDevice));
      HIP_OK(hipMemcpy(found.data(), b + 2 * offset, size, hipMemcpyDeviceToHost));
      compare(check, "pageable", found, data);
      const auto more = bytes_of(size, ++seed);
      std::memcpy(pinned + offset, more.data(), size);
      HIP_OK(hipMemcpyAsync(a + offset, pinned + offset, size, hipMemcpyHostToDevice, nullptr));
      HIP_OK(hipMemcpyPeer(b + offset, 0, a + offset, 0, size));
      HIP_OK(hipMemcpyAsync(pinned + 3 * offset, b + offset, size, hipMemcpyDeviceToHost, nullptr));
      HIP_OK(hipDeviceSynchronize());
      std::memcpy(found.data(), pinned + 3 * offset, size);
      compare(check, "pinned", found, more);
    }
  }
  // Rows of a rectangle.
  const size_t width = 333, height = 41, pitch = 512, host_pitch = 400;
  const auto image = bytes_of(host_pitch * height, 77);
  std::vector<unsigned char> back(host_pitch * height, 0xee);
  HIP_OK(hipMemset(a, 0x11, pitch * height));
  HIP_OK(hipMemcpy2D(a, pitch, image.data(), host_pitch, width, height, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy2D(back.data(), host_pitch, a, pitch, width, height, hipMemcpyDeviceToHost));
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < host_pitch; ++x) {
      const size_t i = y * host_pitch + x;
      check.equal("rectangle", i, back[i], x < width ? image[i] : static_cast<unsigned char>(0xee));
    }
  }
  // Two streams, to and from the device at once.
  hipStream_t streams[2];
  for (auto& s : streams) HIP_OK(hipStreamCreate(&s));
  const auto first = bytes_of(100'000, 5), second = bytes_of(100'000, 6);
  std::memcpy(pinned, first.data(), first.size());
  HIP_OK(hipMemcpy(b, second.data(), second.size(), hipMemcpyHostToDevice));
  HIP_OK(hipMemcpyAsync(a, pinned, first.size(), hipMemcpyHostToDevice, streams[0]));
  HIP_OK(hipMemcpyAsync(pinned + 150'000, b, second.size(), hipMemcpyDeviceToHost, streams[1]));
  for (auto& s : streams) HIP_OK(hipStreamSynchronize(s));
  std::vector<unsigned char> found(pinned + 150'000, pinned + 250'000);
  compare(check, "from the device", found, second);
  HIP_OK(hipMemcpy(found.data(), a, found.size(), hipMemcpyDeviceToHost));
  compare(check, "to the device", found, first);
  return check.status();
}
