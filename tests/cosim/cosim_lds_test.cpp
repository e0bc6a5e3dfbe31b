// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cosim by hand: memory instructions that do more than load or store registers.
#include <gmock/gmock.h>

#include "cosim_device.h"

namespace cuvette::golden::testing {
namespace {

using ::testing::HasSubstr;

wave::MemoryAccess lds(MemoryKind kind, uint32_t value) {
  auto a = Device::access(kind, value);
  a.space = wave::MemorySpace::Lds;
  a.address = 0;
  return a;
}

TEST(Cosim, ALoadToLdsArrivesWhenItRetires) {
  Device d(5);
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoadToLds, kLdsRead});
  d.start(3, 0, {kLdsRead, kLdsRead});
  const auto read = [&](uint64_t id, uint32_t value) {
    auto r = d.record(id);
    r.accesses.push_back(lds(MemoryKind::Load, value));
    r.vector_writes.push_back(Device::v(1, value));
    return d.retire(r);
  };
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.observe(2, 7));  // judged now
  GOOD(read(3, 0));
  auto load = d.record(2);
  load.accesses = {Device::access(MemoryKind::Load, 7), lds(MemoryKind::Store, 7)};
  GOOD(d.retire(load));
  GOOD(read(2, 7));
  GOOD(read(3, 7));
  EXPECT_EQ(d.cosim->counts().loads_chosen, 1u);
}

TEST(Cosim, ALoadToLdsIsComparedThere) {
  Device d(5);
  d.start(1, 0, {kLoadToLds});
  auto load = d.record(1);
  load.accesses = {Device::access(MemoryKind::Load, 5), lds(MemoryKind::Store, 6)};
  EXPECT_FALSE(d.retire(load));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("expected bytes 05000000, found 06000000"));
}

TEST(Cosim, AStoreFromLdsTakesWhatIsThere) {
  for (const uint32_t found : {7u, 0u}) {
    Device d(5);
    d.start(1, 7, {kLdsWrite, kStoreLds, kLoad});
    auto write = d.record(1);
    write.accesses = {lds(MemoryKind::Store, 7)};
    GOOD(d.retire(write));
    auto store = d.record(1);
    store.accesses = {Device::access(MemoryKind::Store, found), lds(MemoryKind::Load, found)};
    ASSERT_EQ(d.retire(store), found == 7) << d.cosim->mismatch();
    if (found != 7) continue;
    GOOD(d.load(1, 7));
  }
}

TEST(Cosim, WorkgroupsHaveLdsOfTheirOwn) {
  Device d;
  d.start(1, 7, {kLdsWrite}, 0);
  d.start(2, 0, {kLdsRead}, 1);
  auto write = d.record(1);
  write.accesses = {lds(MemoryKind::Store, 7)};
  GOOD(d.retire(write));
  auto read = d.record(2);
  read.accesses = {lds(MemoryKind::Load, 0)};
  read.vector_writes = {Device::v(1, 0)};
  GOOD(d.retire(read));
}

/// A sample of `texels`, fetched in this order at kX and kX + 4 in turn.
bool sample(Device& d, uint64_t id, const std::vector<uint32_t>& texels, uint32_t result) {
  auto r = d.record(id);
  for (size_t n = 0; n < texels.size(); ++n) {
    r.accesses.push_back(Device::access(MemoryKind::Load, texels[n]));
    r.accesses.back().address += 4 * (n % 2);
  }
  r.vector_writes = {Device::v(1, result)};
  return d.retire(r);
}

TEST(Cosim, SampledImagesReadMemory) {
  // 1/8 of 8 texels: the second one begins there.
  Device d;
  const uint32_t texels[2] = {0x3f800000, 0x40400000};
  ASSERT_TRUE(d.cosim->load(kX, texels, 8).ok());
  d.start(1, 0, {kSample});
  auto r = d.record(1);
  r.accesses = {Device::access(MemoryKind::Load, texels[1])};
  r.accesses[0].address += 4;
  r.vector_writes = {Device::v(1, texels[1])};
  GOOD(d.retire(r));
  // Bilinear: half of both, twice, for the row above is this one.
  d.start(2, 0, {kSample}, 0, 1);
  GOOD(sample(d, 2, {texels[0], texels[1], texels[0], texels[1]}, 0x40000000));
  EXPECT_EQ(d.cosim->counts().loads_determined, 2u);
  d.start(3, 0, {kSample}, 0, 1);
  EXPECT_FALSE(sample(d, 3, {texels[0], texels[1], texels[0], texels[1]}, 0x3f800000));
}

TEST(Cosim, SampledImagesAreObserved) {
  for (const uint32_t seen : {0u, 0x3f800000u, 0x40000000u}) {
    Device d;
    d.start(1, 0x3f800000, {kStore});
    d.start(2, 0, {kSample}, 0, 1);
    GOOD(d.store(1, 0x3f800000));
    GOOD(d.declare(1, 0, 1));
    std::vector<uint8_t> bytes(16);
    std::memcpy(&bytes[0], &seen, 4);
    std::memcpy(&bytes[8], &seen, 4);
    const bool legal = seen != 0x40000000u;
    ASSERT_EQ(d.cosim->observe_load(2, 0, 1, bytes), legal) << d.cosim->mismatch();
    if (!legal) continue;
    GOOD(sample(d, 2, {seen, 0, seen, 0}, seen == 0 ? 0u : 0x3f000000u));
    EXPECT_EQ(d.cosim->counts().loads_chosen, 1u);
  }
}

}  // namespace
}  // namespace cuvette::golden::testing
