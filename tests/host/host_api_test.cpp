// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The rules of cuvette.h: who may open what, what is refused and how, when time passes.
#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_machine.h"

namespace {

using cuvette_test::Machine;
using cuvette_test::options;

constexpr uint32_t kSignature = 0x56554343;
constexpr uint32_t kNoRegister = 0x40;

TEST(HostOpen, WrongOptionsAreRefusedInWords) {
  cuvette_machine* m = nullptr;
  EXPECT_EQ(cuvette_version(), CUVETTE_API_VERSION);
  EXPECT_EQ(cuvette_open(nullptr, &m), CUVETTE_ERROR_ARGUMENT);
  EXPECT_STRNE(cuvette_error_text(), "");
  auto o = options("golden");
  EXPECT_EQ(cuvette_open(&o, nullptr), CUVETTE_ERROR_ARGUMENT);
  o.size += 8;
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_ARGUMENT) << "newer than the library";
  o = options(nullptr);
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(std::string(cuvette_error_text()).find("''"), std::string::npos);
  o = options("hsail");
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(cuvette_error_text()).find("hsail"), std::string::npos);
  o = options("golden");
  o.machine = "no_such_machine";
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_DESCRIPTION);
  const std::string broken = testing::TempDir() + "/broken.yaml";
  std::ofstream(broken) << "name: x\n";
  o.machine = broken.c_str();
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_DESCRIPTION);
  EXPECT_NE(std::string(cuvette_error_text()).find("broken.yaml"), std::string::npos);
  o = options("golden");
  o.log = "/no/such/folder/log";
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_FILE);
  EXPECT_EQ(m, nullptr);
  EXPECT_EQ(cuvette_close(nullptr), CUVETTE_OK);
  EXPECT_STREQ(cuvette_status_name(CUVETTE_ERROR_ONCE), "CUVETTE_ERROR_ONCE");
  EXPECT_STREQ(cuvette_status_name(99), "unknown");
}

TEST(HostOpen, AShorterStructOfAnOlderCallerIsTaken) {
  auto o = options("golden");
  o.size = offsetof(cuvette_options, poison);
  o.poison = 1;
  const Machine m(o);
  EXPECT_EQ(m.cycle(), 0u);
}

TEST(HostOpen, AnyNumberOfGoldenMachinesAreApart) {
  const Machine a("golden");
  const Machine b("golden");
  const uint64_t here = a.allocate(64);
  EXPECT_EQ(b.allocate(64), here) << "the same calls give the same addresses";
  a.write64(here, 1);
  b.write64(here, 2);
  EXPECT_EQ(a.read64(here), 1u);
  EXPECT_EQ(cuvette_advance(a, 10), CUVETTE_OK);
  EXPECT_EQ(a.cycle(), 10u);
  EXPECT_EQ(b.cycle(), 0u);
}

TEST(HostOpen, SystemCHasOneMachineAtATime) {
  auto ca = options("ca");
  cuvette_machine* second = nullptr;
  {
    const Machine first("lt");
    EXPECT_EQ(cuvette_open(&ca, &second), CUVETTE_ERROR_ONCE);
    EXPECT_EQ(second, nullptr);
    const Machine golden("golden");
    EXPECT_EQ(cuvette_advance(first, 5), CUVETTE_OK);
  }
  for (const char* engine : {"ca", "lt", "golden", "ca", "ca", "lt"}) {
    const Machine next(engine);
    EXPECT_EQ(next.cycle(), 0u) << engine;
    EXPECT_EQ(cuvette_advance(next, 7), CUVETTE_OK);
    EXPECT_EQ(next.cycle(), 7u);
    uint32_t value = 0;
    next.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 0xabcd);
    EXPECT_EQ(cuvette_register_read(next, CUVETTE_REG_GRBM_SCRATCH_REG0, &value), CUVETTE_OK);
    EXPECT_EQ(value, 0xabcdu);
  }
  // A mistake in between costs nothing.
  ca.machine = "no_such_machine";
  EXPECT_EQ(cuvette_open(&ca, &second), CUVETTE_ERROR_DESCRIPTION);
  const Machine last("ca");
  EXPECT_EQ(cuvette_advance(last, 5), CUVETTE_OK);
}

class HostCalls : public testing::TestWithParam<const char*> {};

TEST_P(HostCalls, RegistersAnswerAndRefuse) {
  const Machine m(GetParam());
  uint32_t value = 0;
  EXPECT_EQ(cuvette_register_read(m, CUVETTE_REG_CUVETTE_SIGNATURE, &value), CUVETTE_OK);
  EXPECT_EQ(value, kSignature);
  m.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 0x600d);
  EXPECT_EQ(cuvette_register_read(m, CUVETTE_REG_GRBM_SCRATCH_REG0, &value), CUVETTE_OK);
  EXPECT_EQ(value, 0x600du);
  EXPECT_EQ(cuvette_register_read(m, kNoRegister, &value), CUVETTE_ERROR_ACCESS);
  EXPECT_EQ(cuvette_register_write(m, CUVETTE_REG_GRBM_STATUS, 1), CUVETTE_ERROR_ACCESS);
  EXPECT_EQ(cuvette_register_write(m, CUVETTE_REG_GRBM_SCRATCH_REG0 + 1, 1), CUVETTE_ERROR_ACCESS);
  const std::string mine = cuvette_error_text();
  EXPECT_NE(mine, "");
  std::thread([] { EXPECT_STREQ(cuvette_error_text(), ""); }).join();
  EXPECT_EQ(cuvette_error_text(), mine) << "every thread has its own";
  char text[512];
  EXPECT_EQ(cuvette_take_reports(m, text, sizeof text), CUVETTE_OK);
  EXPECT_EQ(std::count(text, text + std::strlen(text), '\n'), 3) << text;
  EXPECT_EQ(cuvette_take_reports(m, text, sizeof text), CUVETTE_OK);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(cuvette_register_read(m, 0, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_register_read(nullptr, 0, &value), CUVETTE_ERROR_ARGUMENT);
}

TEST_P(HostCalls, AChildHasNoMachine) {
  const Machine m(GetParam());
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = cuvette_advance(m, 1) == CUVETTE_ERROR_CALL;
    const bool told = std::string(cuvette_error_text()).find("forked") != std::string::npos;
    _exit(refused && told && cuvette_close(m) == CUVETTE_OK ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cuvette_advance(m, 1), CUVETTE_OK);
}

TEST_P(HostCalls, MemoryIsCheckedToTheByte) {
  const Machine m(GetParam());
  const uint64_t at = m.allocate(100);
  std::vector<uint8_t> bytes(100, 7);
  EXPECT_EQ(cuvette_memory_read(m, at, bytes.data(), 100), CUVETTE_OK);
  EXPECT_EQ(bytes, std::vector<uint8_t>(100, 0));
  bytes.assign(100, 9);
  EXPECT_EQ(cuvette_memory_write(m, at, bytes.data(), 100), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_write(m, at + 1, bytes.data(), 100), CUVETTE_ERROR_MEMORY);
  EXPECT_NE(std::string(cuvette_error_text()).find("1 byte beyond the end of the allocation (0x"),
            std::string::npos)
      << cuvette_error_text();
  EXPECT_EQ(cuvette_memory_read(m, 0, bytes.data(), 1), CUVETTE_ERROR_MEMORY);
  const uint64_t constant = m.allocate(8, CUVETTE_MEMORY_READ_ONLY);
  EXPECT_EQ(cuvette_memory_write(m, constant, bytes.data(), 8), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(m.read64(constant), 0u);
  uint64_t address = 0;
  EXPECT_EQ(cuvette_memory_allocate(m, 0, 0, 0, &address), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_allocate(m, 8, 3, 0, &address), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_allocate(m, 8, 0, 64, &address), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_memory_allocate(m, uint64_t{1} << 45, 0, 0, &address), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_allocate(m, 8, 1 << 20, 0, &address), CUVETTE_OK);
  EXPECT_EQ(address % (1 << 20), 0u);
  const uint64_t low = m.allocate(100, CUVETTE_MEMORY_BELOW_4GIB);
  EXPECT_GE(low, 1u << 20);
  EXPECT_LT(low, uint64_t{1} << 32);
  EXPECT_EQ(cuvette_memory_write(m, low, bytes.data(), 100), CUVETTE_OK);
  EXPECT_EQ(m.read64(low), 0x0909090909090909u);
  EXPECT_EQ(cuvette_memory_allocate(m, uint64_t{1} << 32, 0, CUVETTE_MEMORY_BELOW_4GIB, &address),
            CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_free(m, at), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_read(m, at, bytes.data(), 1), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_free(m, at), CUVETTE_ERROR_MEMORY);
}

TEST_P(HostCalls, AtomicOperationsGiveTheOldValue) {
  const Machine m(GetParam());
  const uint64_t at = m.allocate(16);
  struct Case {
    uint32_t operation;
    uint64_t operand, compare, after;
  };
  constexpr Case kCases[] = {
      {CUVETTE_ATOMIC_SWAP, 0xf0, 0, 0xf0}, {CUVETTE_ATOMIC_CAS, 1, 0, 0xf0},
      {CUVETTE_ATOMIC_CAS, 1, 0xf0, 1},     {CUVETTE_ATOMIC_ADD, 5, 0, 6},
      {CUVETTE_ATOMIC_SUB, 7, 0, ~0ull},    {CUVETTE_ATOMIC_AND, 0xff, 0, 0xff},
      {CUVETTE_ATOMIC_OR, 0x100, 0, 0x1ff}, {CUVETTE_ATOMIC_XOR, 3, 0, 0x1fc},
  };
  uint64_t before = 0;
  for (const Case& c : kCases) {
    uint64_t old = 77;
    EXPECT_EQ(cuvette_memory_atomic(m, c.operation, 8, at, c.operand, c.compare, &old), CUVETTE_OK);
    EXPECT_EQ(old, before);
    EXPECT_EQ(m.read64(at), c.after);
    before = c.after;
  }
  m.write64(at, ~uint64_t{0});
  EXPECT_EQ(cuvette_memory_atomic(m, CUVETTE_ATOMIC_ADD, 4, at, 1, 0, nullptr), CUVETTE_OK);
  EXPECT_EQ(m.read64(at), 0xffffffff00000000u) << "32 bits";
  EXPECT_EQ(cuvette_memory_atomic(m, CUVETTE_ATOMIC_ADD, 8, at + 4, 1, 0, nullptr),
            CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_atomic(m, 7, 8, at, 1, 0, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_memory_atomic(m, 0, 2, at, 1, 0, nullptr), CUVETTE_ERROR_ARGUMENT);
}

TEST_P(HostCalls, TimePassesInWaitsAlone) {
  const Machine m(GetParam());
  m.allocate(8);
  EXPECT_EQ(m.cycle(), 0u);
  EXPECT_EQ(cuvette_advance(m, 12345), CUVETTE_OK);
  EXPECT_EQ(m.cycle(), 12345u);
  EXPECT_EQ(cuvette_advance(m, 0), CUVETTE_OK);
  EXPECT_EQ(cuvette_run_until_idle(m, 1000), CUVETTE_OK);
  EXPECT_EQ(m.cycle(), 12345u) << "it was idle";
  EXPECT_EQ(cuvette_wait_interrupt(m, 100), CUVETTE_ERROR_TIMEOUT);
  EXPECT_EQ(m.cycle(), 12445u);
  EXPECT_EQ(cuvette_advance(m, ~uint64_t{0}), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_advance(m, 1'000'000'000), CUVETTE_OK) << "nothing happens: no work";
  EXPECT_EQ(m.cycle(), 1'000'012'445u);
}

TEST_P(HostCalls, InterruptsComeAtTheNextBorderWithTheirOwnCycle) {
  struct Heard {
    std::vector<cuvette_interrupt> interrupts;
    std::vector<uint64_t> borders;
    std::vector<int> refused;
  } heard;
  auto o = options(GetParam());
  o.quantum = 700;
  o.context = &heard;
  o.on_interrupt = [](void* context, cuvette_machine* m, const cuvette_interrupt* i) {
    auto& h = *static_cast<Heard*>(context);
    h.interrupts.push_back(*i);
    uint64_t now = 0;
    uint32_t value = 0;
    EXPECT_EQ(cuvette_cycle(m, &now), CUVETTE_OK);
    h.borders.push_back(now);
    EXPECT_EQ(cuvette_register_read(m, CUVETTE_REG_CUVETTE_SIGNATURE, &value), CUVETTE_OK);
    EXPECT_EQ(value, kSignature);
    h.refused = {cuvette_advance(m, 1), cuvette_run_until_idle(m, 1), cuvette_close(m)};
  };
  const Machine m(o);
  m.hear_doorbells();
  EXPECT_EQ(cuvette_advance(m, 1000), CUVETTE_OK);
  EXPECT_EQ(cuvette_doorbell(m, 55, 66), CUVETTE_OK);
  EXPECT_TRUE(heard.interrupts.empty());
  EXPECT_EQ(cuvette_wait_interrupt(m, 100'000), CUVETTE_OK);
  ASSERT_EQ(heard.interrupts.size(), 1u);
  EXPECT_EQ(heard.interrupts[0].size, sizeof(cuvette_interrupt));
  EXPECT_EQ(heard.interrupts[0].source, CUVETTE_INTERRUPT_UNKNOWN_DOORBELL);
  EXPECT_EQ(heard.interrupts[0].queue, 55u);
  EXPECT_EQ(heard.interrupts[0].context, 66u);
  EXPECT_GE(heard.interrupts[0].cycle, 1000u);
  EXPECT_LT(heard.interrupts[0].cycle, 1400u);
  EXPECT_EQ(heard.borders, std::vector<uint64_t>{1400});
  EXPECT_EQ(m.cycle(), 1400u);
  EXPECT_EQ(heard.refused,
            (std::vector<int>{CUVETTE_ERROR_CALL, CUVETTE_ERROR_CALL, CUVETTE_ERROR_CALL}));
  // Numbers that no slot can have are those of no queue, too.
  for (const uint32_t index : {0x40000000u, 0xffffffffu}) {
    EXPECT_EQ(cuvette_doorbell(m, index, 1), CUVETTE_OK);
    EXPECT_EQ(cuvette_wait_interrupt(m, 100'000), CUVETTE_OK);
    EXPECT_EQ(heard.interrupts.back().source, CUVETTE_INTERRUPT_UNKNOWN_DOORBELL);
    EXPECT_EQ(heard.interrupts.back().queue, index);
  }
}

TEST_P(HostCalls, OtherThreadsAreTakenAtBorders) {
  auto o = options(GetParam());
  o.quantum = 500;
  const Machine m(o);
  // A barrier packet that waits for ever: the machine is never idle, so no time is skipped.
  const uint64_t signal = m.allocate(64);
  m.write64(signal, 1);
  m.write64(signal + 8, 1);
  uint8_t packet[64] = {3};
  std::memcpy(packet + 8, &signal, sizeof signal);
  m.run_packet(packet);
  EXPECT_EQ(cuvette_run_until_idle(m, 5000), CUVETTE_ERROR_TIMEOUT);
  EXPECT_EQ(m.cycle(), 5000u);
  std::atomic<bool> over{false};
  std::thread waits([&] {
    EXPECT_EQ(cuvette_advance(m, 1'000'000), CUVETTE_OK);
    over = true;
  });
  std::vector<uint64_t> seen;
  while (!over) seen.push_back(m.cycle());
  waits.join();
  EXPECT_EQ(m.cycle(), 1'005'000u);
  for (const uint64_t cycle : seen) EXPECT_EQ(cycle % 500, 0u);
  // The signal lets it go.
  m.write64(signal + 8, 0);
  EXPECT_EQ(cuvette_run_until_idle(m, 100'000), CUVETTE_OK);
}

/// Two VMIDs have a queue at the same address, each in memory of its own: a flat table of four
/// pages.
TEST_P(HostCalls, PageTablesGiveVmidsAddressSpacesOfTheirOwn) {
  const Machine m(GetParam());
  constexpr uint64_t kWindow = 0x700000000000, kPage = 4096;
  constexpr uint64_t kQueue = kPage, kSignal = 2 * kPage;  // behind the ring
  m.write(CUVETTE_REG_CP_MEC_CNTL, 0);
  uint64_t blocks[2] = {0, 0};
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t vmid = i + 1;
    uint64_t table = 0;
    ASSERT_EQ(cuvette_memory_allocate(m, kPage, kPage, 0, &table), CUVETTE_OK);
    ASSERT_EQ(cuvette_memory_allocate(m, 4 * kPage, kPage, 0, &blocks[i]), CUVETTE_OK);
    // Valid, read, write.
    for (uint64_t p = 0; p < 4; ++p) m.write64(table + 8 * p, (blocks[i] + kPage * p) | 0x61);
    m.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + 8 * vmid,
            static_cast<uint32_t>(table) | 1);
    m.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + 8 * vmid,
            static_cast<uint32_t>(table >> 32));
    for (const uint32_t end : {CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32,
                               CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32}) {
      const bool last = end == CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32;
      const uint64_t page = kWindow / kPage + (last ? 3 : 0);
      m.write(end + 8 * vmid, static_cast<uint32_t>(page));
      m.write(end + 4 + 8 * vmid, static_cast<uint32_t>(page >> 32));
    }
    m.write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * vmid, CUVETTE_REG_VM_CONTEXT0_CNTL__RESET | 1);
    // A barrier packet without anything to wait for; three slots are free.
    for (const uint64_t at : {64, 128, 192}) m.write64(blocks[i] + at, 1);
    m.write64(blocks[i], 3 | 1 << 8);
    m.write64(blocks[i] + 56, kWindow + kSignal);
    m.write64(blocks[i] + kQueue + 8, kWindow);
    m.write64(blocks[i] + kQueue + 24, 4);
    m.write64(blocks[i] + kQueue + 136, 128);
    m.write64(blocks[i] + kSignal, 1);
    m.write64(blocks[i] + kSignal + 8, 10 + i);
    m.write(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT |
                                           i << CUVETTE_REG_GRBM_GFX_CNTL__QUEUEID__SHIFT);
    m.write(CUVETTE_REG_CP_HQD_VMID, vmid);
    m.write(CUVETTE_REG_CP_HQD_PQ_BASE, static_cast<uint32_t>(kWindow >> 8));
    m.write(CUVETTE_REG_CP_HQD_PQ_BASE_HI, static_cast<uint32_t>(kWindow >> 40));
    m.write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, static_cast<uint32_t>(kWindow + kQueue + 128));
    m.write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI,
            static_cast<uint32_t>((kWindow + kQueue + 128) >> 32));
    m.write(CUVETTE_REG_CP_HQD_PQ_CONTROL, 5u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
    m.write(CUVETTE_REG_CP_HQD_AQL_CONTROL, 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
    m.write(CUVETTE_REG_CP_HQD_ACTIVE, 1);
  }
  ASSERT_EQ(cuvette_run_until_idle(m, 1000000), CUVETTE_OK) << cuvette_error_text();
  for (uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(m.read64(blocks[i] + kSignal + 8), 9 + i) << "completed in its own memory";
    EXPECT_EQ(m.read64(blocks[i] + kQueue + 128), 1u) << "read index";
  }
  uint64_t value = 0;
  EXPECT_NE(cuvette_memory_read(m, kWindow, &value, 8), CUVETTE_OK) << "the host has no such page";
}

TEST_P(HostCalls, AgentDispatchesAreServedWithMemoryCallsAlone) {
  struct Seen {
    std::vector<cuvette_agent_dispatch> packets;
    std::vector<int> refused;
    int answer = 1;
  } seen;
  auto o = options(GetParam());
  o.context = &seen;
  o.on_agent_dispatch = [](void* context, cuvette_machine* m, const cuvette_agent_dispatch* p) {
    auto& s = *static_cast<Seen*>(context);
    s.packets.push_back(*p);
    const uint64_t sum = p->arg[0] + p->arg[3];
    EXPECT_EQ(cuvette_memory_write(m, p->return_address, &sum, sizeof sum), CUVETTE_OK);
    uint32_t value = 0;
    uint64_t address = 0;
    s.refused = {cuvette_register_read(m, 0, &value), cuvette_doorbell(m, 1, 1),
                 cuvette_memory_allocate(m, 8, 0, 0, &address), cuvette_advance(m, 1)};
    return s.answer;
  };
  const Machine m(o);
  const uint64_t result = m.allocate(8);
  uint8_t packet[64] = {4, 0, 6, 0};
  std::memcpy(packet + 8, &result, sizeof result);
  packet[16] = 40;
  packet[40] = 2;
  m.run_packet(packet);
  EXPECT_EQ(cuvette_run_until_idle(m, 100'000), CUVETTE_OK);
  ASSERT_EQ(seen.packets.size(), 1u);
  EXPECT_EQ(seen.packets[0].type, 6u);
  EXPECT_EQ(seen.packets[0].size, sizeof(cuvette_agent_dispatch));
  EXPECT_LE(seen.packets[0].cycle, m.cycle());
  EXPECT_EQ(m.read64(result), 42u);
  EXPECT_EQ(seen.refused, std::vector<int>(4, CUVETTE_ERROR_CALL));
}

INSTANTIATE_TEST_SUITE_P(Engines, HostCalls, testing::Values("golden", "lt", "ca"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
