// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Packets that move data: memory afterwards is what plain C++ makes of the same bytes.
#include <random>

#include "sdma_bench.h"

namespace cuvette::sdma {
namespace {

using sdma_packets::copy;
using sdma_packets::Packet;

constexpr uint64_t kDataAt = Bench::kData;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint64_t below(uint64_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

TEST(SdmaData, CopiesOfAnySizeAndAlignment) {
  Bench bench;
  auto q = bench.bind();
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    const auto bytes = static_cast<uint32_t>(1 + random.below(i % 8 == 0 ? 40'000 : 300));
    const uint64_t src = random.below(400'000), dst = 500'000 + random.below(400'000);
    std::memcpy(bench.expected.data() + dst, bench.expected.data() + src, bytes);
    bench.execute(q, copy(kDataAt + src, kDataAt + dst, bytes));
  }
  bench.check("copies");
  EXPECT_EQ(bench.engines().counters().packets, 400u);
  EXPECT_EQ(bench.read_pointer(q), q.write);
}

TEST(SdmaData, TheLongestCopy) {
  Bench bench;
  hsa::SparseMemory& memory = bench.memory();
  constexpr uint64_t kFar = 0x10'0000'0000, kBytes = 1 << 22;  // count has 22 bits
  ASSERT_TRUE(memory.reserve(kFar, 2 * kBytes).ok());
  ASSERT_TRUE(bench.space().map(kFar, 2 * kBytes, hsa::Access::ReadWrite).ok());
  std::vector<uint8_t> data(kBytes), found(kBytes);
  Random random(2);
  for (auto& b : data) b = static_cast<uint8_t>(random.below(256));
  ASSERT_TRUE(memory.write(kFar, data.data(), kBytes));
  auto q = bench.bind();
  bench.execute(q, copy(kFar, kFar + kBytes, kBytes));
  ASSERT_TRUE(memory.read(kFar + kBytes, found.data(), kBytes));
  EXPECT_EQ(found, data);
}

TEST(SdmaData, OverlappingCopiesAreAsThroughABuffer) {
  Bench bench;
  auto q = bench.bind();
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const auto bytes = static_cast<uint32_t>(1 + random.below(20'000));
    const uint64_t src = 100'000 + random.below(1000);
    const uint64_t dst = src + random.below(2 * bytes + 1) - bytes;
    std::memmove(bench.expected.data() + dst, bench.expected.data() + src, bytes);
    bench.execute(q, copy(kDataAt + src, kDataAt + dst, bytes));
  }
  bench.check("overlapping copies");
}

TEST(SdmaData, TwoDestinations) {
  Bench bench;
  auto q = bench.bind();
  std::memcpy(bench.expected.data() + 300'001, bench.expected.data() + 7, 9999);
  std::memcpy(bench.expected.data() + 600'003, bench.expected.data() + 7, 9999);
  bench.execute(q, Packet("COPY_BROADCAST_LINEAR")
                       .set("count", 9998)
                       .set64("src_addr", kDataAt + 7)
                       .set64("dst1_addr", kDataAt + 300'001)
                       .set64("dst2_addr", kDataAt + 600'003));
  bench.check("broadcast");
}

TEST(SdmaData, SubWindows) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    Bench bench(1);
    auto q = bench.bind();
    const auto log2 = static_cast<uint32_t>(random.below(5));
    const uint64_t size = uint64_t{1} << log2;
    struct Side {
      uint64_t base, x, y, z, pitch, slice;
    };
    const auto side = [&](uint64_t base) {
      Side s{base + random.below(64), random.below(8), random.below(5), random.below(3), 0, 0};
      s.pitch = 20 + random.below(20);
      s.slice = s.pitch * (12 + random.below(4));
      return s;
    };
    const Side src = side(0), dst = side(500'000);
    const uint64_t width = 1 + random.below(12), height = 1 + random.below(6),
                   depth = 1 + random.below(4);
    for (uint64_t z = 0; z < depth; ++z) {
      for (uint64_t y = 0; y < height; ++y) {
        for (uint64_t x = 0; x < width; ++x) {
          const auto at = [&](const Side& s) {
            return s.base + ((s.x + x) + (s.y + y) * s.pitch + (s.z + z) * s.slice) * size;
          };
          std::memcpy(bench.expected.data() + at(dst), bench.expected.data() + at(src), size);
        }
      }
    }
    Packet p("COPY_LINEAR_SUBWIN");
    p.set("elementsize", log2);
    for (const auto& [name, s] : {std::pair<std::string, Side>("src", src), {"dst", dst}}) {
      p.set64(name + "_addr", kDataAt + s.base)
          .set(name + "_x", static_cast<uint32_t>(s.x))
          .set(name + "_y", static_cast<uint32_t>(s.y))
          .set(name + "_z", static_cast<uint32_t>(s.z))
          .set(name + "_pitch", static_cast<uint32_t>(s.pitch - 1))
          .set(name + "_slice_pitch", static_cast<uint32_t>(s.slice - 1));
    }
    p.set("rect_x", static_cast<uint32_t>(width - 1))
        .set("rect_y", static_cast<uint32_t>(height - 1))
        .set("rect_z", static_cast<uint32_t>(depth - 1));
    bench.execute(q, p);
    bench.check("sub-window");
  }
}

/// A driver gives the bytes less one, a runtime the dwords less one times four: both mean whole
/// elements.
TEST(SdmaData, Fills) {
  Bench bench;
  auto q = bench.bind();
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const auto log2 = static_cast<uint32_t>(random.below(3));
    const uint64_t size = uint64_t{1} << log2, elements = 1 + random.below(5000);
    const uint64_t dst = random.below(200'000) * size;
    const auto pattern = static_cast<uint32_t>(random.below(uint64_t{1} << 32));
    for (uint64_t e = 0; e < elements; ++e) {
      std::memcpy(bench.expected.data() + dst + e * size, &pattern, size);
    }
    const uint64_t count = i % 2 == 0 ? elements * size - 1 : (elements - 1) * size;
    bench.execute(q, Packet("CONSTANT_FILL")
                         .set("fillsize", log2)
                         .set64("dst_addr", kDataAt + dst)
                         .set("src_data_31_0", pattern)
                         .set("count", static_cast<uint32_t>(count)));
  }
  bench.check("fills");
}

TEST(SdmaData, WritesFences) {
  Bench bench;
  auto q = bench.bind();
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    std::vector<uint32_t> data(1 + random.below(i % 10 == 0 ? 3000 : 20));
    const uint64_t dst = random.below(200'000) * 4;
    for (size_t d = 0; d < data.size(); ++d) {
      data[d] = static_cast<uint32_t>(random.below(uint64_t{1} << 32));
      bench.expect(kDataAt + dst + d * 4, data[d]);
    }
    bench.execute(q, Packet("WRITE_UNTILED")
                         .set64("dst_addr", kDataAt + dst)
                         .set("count", static_cast<uint32_t>(data.size() - 1))
                         .append(data));
    const uint64_t at = kDataAt + 4 * random.below(200'000);
    bench.expect(at, uint32_t{0xfe0c} + i);
    bench.execute(q, sdma_packets::fence(at, 0xfe0cu + static_cast<uint32_t>(i)));
  }
  bench.check("writes");
}

TEST(SdmaData, ValuesThatGrow) {
  Bench bench;
  auto q = bench.bind();
  const uint64_t mask = 0x8000'0000'0000'0073, first = 0x12'3450'0000, step = 0x1000;
  for (uint64_t i = 0; i < 1500; ++i) bench.expect(kDataAt + 64 + 8 * i, (first + i * step) | mask);
  bench.execute(q, Packet("WRITE_INCR")
                       .set64("dst_addr", kDataAt + 64)
                       .set("mask_dw0", static_cast<uint32_t>(mask))
                       .set("mask_dw1", static_cast<uint32_t>(mask >> 32))
                       .set("init_dw0", static_cast<uint32_t>(first))
                       .set("init_dw1", static_cast<uint32_t>(first >> 32))
                       .set("incr_dw0", static_cast<uint32_t>(step))
                       .set("count", 1499));
  bench.check("values");
}

template <class T>
struct AtomicCase {
  uint32_t code;
  T (*make)(T old, T data, T compare);
};
template <class T>
void run_atomics(uint32_t width_bit) {
  using S = std::make_signed_t<T>;
  const AtomicCase<T> cases[] = {
      {0x07, [](T, T d, T) { return d; }},
      {0x08, [](T o, T d, T c) { return o == c ? d : o; }},
      {0x0f, [](T o, T d, T) { return static_cast<T>(o + d); }},
      {0x10, [](T o, T d, T) { return static_cast<T>(o - d); }},
      {0x11, [](T o, T d, T) { return static_cast<S>(d) < static_cast<S>(o) ? d : o; }},
      {0x12, [](T o, T d, T) { return d < o ? d : o; }},
      {0x13, [](T o, T d, T) { return static_cast<S>(d) > static_cast<S>(o) ? d : o; }},
      {0x14, [](T o, T d, T) { return d > o ? d : o; }},
      {0x15, [](T o, T d, T) { return o & d; }},
      {0x16, [](T o, T d, T) { return o | d; }},
      {0x17, [](T o, T d, T) { return o ^ d; }},
      {0x18, [](T o, T d, T) { return o >= d ? T{0} : static_cast<T>(o + 1); }},
      {0x19, [](T o, T d, T) { return o == 0 || o > d ? d : static_cast<T>(o - 1); }},
  };
  Bench bench;
  auto q = bench.bind();
  Random random(7);
  for (const auto& c : cases) {
    for (int i = 0; i < 40; ++i) {
      const uint64_t at = kDataAt + sizeof(T) * random.below(10'000);
      const T old = bench.get<T>(at);
      const T data = i % 4 == 0 ? old : static_cast<T>(random.below(~uint64_t{0}));
      const T compare = i % 2 == 0 ? old : static_cast<T>(random.below(~uint64_t{0}));
      bench.expect(at, c.make(old, data, compare));
      bench.execute(q, Packet("ATOMIC")
                           .set("atomic_op", c.code | width_bit | (i % 3 == 0 ? 0x40 : 0))
                           .set64("addr", at)
                           .set64("src_data", data)
                           .set64("cmp_data", compare));
    }
  }
  bench.check("atomics");
}

TEST(SdmaData, AtomicsOf32Bits) {
  run_atomics<uint32_t>(0);
}
TEST(SdmaData, AtomicsOf64Bits) {
  run_atomics<uint64_t>(0x20);
}

/// 100,000 dwords of packets through a ring of 256 bytes: packets lie across its end at every
/// place.
TEST(SdmaData, TheRingWraps) {
  Bench bench;
  auto q = bench.bind(256);
  Random random(8);
  for (int i = 0; i < 12'000; ++i) {
    if (random.below(3) == 0) {
      bench.put(q, Packet("NOP").set("count", 0));
    }
    if (random.below(2) == 0) {
      const auto bytes = static_cast<uint32_t>(1 + random.below(64));
      const uint64_t src = random.below(1000), dst = 2000 + random.below(1000);
      std::memcpy(bench.expected.data() + dst, bench.expected.data() + src, bytes);
      bench.put(q, copy(kDataAt + src, kDataAt + dst, bytes));
    } else {
      std::vector<uint32_t> data(1 + random.below(8));
      for (size_t d = 0; d < data.size(); ++d) {
        data[d] = static_cast<uint32_t>(i * 16 + static_cast<int>(d));
        bench.expect(kDataAt + 4000 + d * 4, data[d]);
      }
      bench.put(q, Packet("WRITE_UNTILED")
                       .set64("dst_addr", kDataAt + 4000)
                       .set("count", static_cast<uint32_t>(data.size() - 1))
                       .append(data));
    }
    bench.ring(q);
    bench.run();
    ASSERT_EQ(bench.read_pointer(q), q.write) << i;
  }
  EXPECT_GT(q.write, 256u * 1000);
  bench.check("a ring that wraps");
}

TEST(SdmaData, TwoEnginesAtOnce) {
  Bench bench(2, {4, 10, 64});
  auto a = bench.bind(), b = bench.bind();
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    for (auto* q : {&a, &b}) {
      const uint64_t half = q == &a ? 0 : 500'000;
      const auto bytes = static_cast<uint32_t>(1 + random.below(9000));
      const uint64_t src = half + random.below(100'000),
                     dst = half + 200'000 + random.below(100'000);
      std::memcpy(bench.expected.data() + dst, bench.expected.data() + src, bytes);
      bench.put(*q, copy(kDataAt + src, kDataAt + dst, bytes));
    }
  }
  bench.ring(a);
  bench.ring(b);
  bench.run();
  bench.check("two engines");
  for (const unsigned i : {0u, 1u}) {
    EXPECT_EQ(bench.engines().engine(i).counters().packets, 100u) << i;
  }
}

}  // namespace
}  // namespace cuvette::sdma
