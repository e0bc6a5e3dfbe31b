// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Abnormal ends through the C interface on every engine: the queue's error bits in its
// inactive signal (hsa.h; the public runtime decodes them), an interrupt of the same number, a text
// with kernel, place and reason, a completion signal that is left alone, and a wait that is no
// failure of the interface itself. Hangs: host_hang_test; bad objects: host_load_test.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "host_process.h"

namespace {

using namespace cuvette_test;
using testing::Contains;
using testing::HasSubstr;

constexpr uint64_t kScratchError = 1, kPacketError = 32, kIllegal = 0x40000000, kTrap = 0x80000000;
constexpr uint64_t kNowhere = 0xdead0000;  // nothing is allocated there
constexpr uint32_t kNoSuchPacket = 6;      // packet types end with 5 (HSA 2.9)

class HostDoors : public testing::TestWithParam<const char*> {
 protected:
  HostDoors() : machine_(listening(this)), process_(machine_, 0, false) {
    machine_.write(CUVETTE_REG_CP_MEC_CNTL, 0);
    machine_.hear_doorbells();
    process_.set_signals(1);
    process_.activate(0, 20, kRing, kQueue);
  }
  /// Runs packet 0 and expects its queue to stop with these bits.
  void expect_error(uint64_t bits) {
    ASSERT_EQ(cuvette_doorbell(machine_, 20, 0), CUVETTE_OK);
    ASSERT_EQ(cuvette_run_until_idle(machine_, 1'000'000), CUVETTE_OK) << cuvette_error_text();
    EXPECT_EQ(process_.error(), bits);
    EXPECT_EQ(process_.left(), 1u) << "the completion signal of a packet that failed";
    EXPECT_THAT(sources_, Contains(static_cast<uint32_t>(bits)));
  }
  std::string reports() const {
    std::string text(4096, '\0');
    EXPECT_EQ(cuvette_take_reports(machine_, text.data(), text.size()), CUVETTE_OK);
    text.resize(text.find('\0'));
    return text;
  }
  void submit(const std::vector<uint32_t>& code) const {
    process_.load(code, 0, 0x00ac0040, 0, 0);
    process_.write_body(kRing, 0, 1, 0);
    process_.put_word(process_.at(kRing, 24), 0);  // no private memory
    process_.put_word(process_.at(kRing), Process::kHeader);
  }

  static cuvette_options listening(HostDoors* test) {
    cuvette_options o = options(GetParam());
    o.context = test;
    o.on_interrupt = [](void* context, cuvette_machine*, const cuvette_interrupt* i) {
      static_cast<HostDoors*>(context)->sources_.push_back(i->source);
    };
    return o;
  }

  std::vector<uint32_t> sources_;  // of the interrupts; made before the machine that calls
  Machine machine_;
  Process process_;
};

TEST_P(HostDoors, ATrapWithoutAHandler) {
  submit({0xbf920002, 0xbf810000});  // s_trap 2, s_endpgm
  expect_error(kTrap);
  EXPECT_THAT(reports(), HasSubstr("s_trap 2"));
}

TEST_P(HostDoors, AnIllegalInstruction) {
  submit({0xffffffff});  // no encoding of gfx9
  expect_error(kIllegal);
  EXPECT_THAT(reports(), HasSubstr("0xffffffff"));
}

TEST_P(HostDoors, AnAccessToNothing) {
  process_.load_put();
  const uint64_t kernarg = process_.at(kArguments);
  for (const unsigned word : {0u, 16u}) process_.put(kernarg + word, kNowhere);
  process_.write_body(kRing, 0, 1, kernarg);
  process_.put_word(process_.at(kRing, 24), 0);
  process_.put_word(process_.at(kRing), Process::kHeader);
  expect_error(kMemoryFault);
  const std::string text = reports();
  EXPECT_THAT(text, HasSubstr("0xdead0000"));
  EXPECT_THAT(text, HasSubstr("global_store_dword"));
}

TEST_P(HostDoors, ScratchThatNobodyProvides) {
  process_.load_put();
  process_.write_body(kRing, 0, 1, process_.at(kArguments));
  process_.put_word(process_.at(kRing, 24), 64);
  process_.put_word(process_.at(kRing), Process::kHeader);
  ASSERT_EQ(cuvette_doorbell(machine_, 20, 0), CUVETTE_OK);
  // The queue waits for the host's answer: it is not idle.
  EXPECT_EQ(cuvette_run_until_idle(machine_, 100'000), CUVETTE_ERROR_TIMEOUT);
  EXPECT_EQ(process_.error(), kScratchError);
  EXPECT_EQ(process_.left(), 1u);
  EXPECT_THAT(sources_, Contains(static_cast<uint32_t>(kScratchError)));
  const std::string text = reports();
  EXPECT_THAT(text, HasSubstr("64 bytes of scratch memory per work-item"));
  EXPECT_THAT(text, HasSubstr("the queue waits until there is more"));
}

TEST_P(HostDoors, APacketOfNoType) {
  process_.put_word(process_.at(kRing), kNoSuchPacket);
  expect_error(kPacketError);
}

using HostDoorsOpen = testing::TestWithParam<const char*>;

TEST_P(HostDoorsOpen, ALogThatCannotBeWritten) {
  cuvette_options o = options(GetParam());
  o.log = "/nonexistent/host.log";
  cuvette_machine* machine = nullptr;
  EXPECT_EQ(cuvette_open(&o, &machine), CUVETTE_ERROR_FILE);
  EXPECT_EQ(machine, nullptr);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("/nonexistent/host.log"));
}

INSTANTIATE_TEST_SUITE_P(Engines, HostDoors, testing::Values("golden", "lt", "ca"),
                         [](const auto& i) { return std::string(i.param); });

INSTANTIATE_TEST_SUITE_P(Engines, HostDoorsOpen, testing::Values("golden", "lt", "ca"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace
