// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Requirements on the registers of a slot for its waves to be saved.
#include "register_front_fixture.h"

namespace cuvette::gpu {
namespace {

/// A register of a slot in order, or with what keeps its waves from being saved, or saved ones from
/// coming back. Null: that is no harm there.
struct Setting {
  Reg reg;
  uint32_t good, bad;
  const char* unsaved;  ///< in the report of a queue whose waves are not saved
  const char* refused;  ///< in the report of a queue with saved waves
};
const Setting kSettings[] = {
    {Reg::CP_HQD_CTX_SAVE_SIZE, 0x80000, 0, "CTX_SAVE", "there is no CP_HQD_CTX_SAVE area"},
    {Reg::CP_HQD_CTX_SAVE_BASE_ADDR_LO, 0x345000, 0, "CTX_SAVE",
     "there is no CP_HQD_CTX_SAVE area"},
    {Reg::CP_HQD_PERSISTENT_STATE, 0x40000000, 0xbe05301, "QSWITCH_MODE",
     "CP_HQD_PERSISTENT_STATE.QSWITCH_MODE is 0"},
    {Reg::CP_HQD_CNTL_STACK_SIZE, 0x3000, 0, "control stack", nullptr},
    {Reg::CP_HQD_CNTL_STACK_OFFSET, 0x3000, 0x3004, "CNTL_STACK_OFFSET", nullptr},
    {Reg::CP_MQD_BASE_ADDR, 0x40000, 0, "control stack", "there is no control stack"},
    {Reg::SQ_SHADER_TBA_LO, 0x777, 0, "trap handler", "its VMID has no trap handler"},
    {Reg::CP_HQD_AQL_CONTROL, 1, 0, "PM4", "the ring holds PM4 packets"},
    {Reg::CP_HQD_WG_STATE_OFFSET, 0x4000, 0x4000, nullptr, nullptr},
};

class RegisterSaveTest : public MmioRegistersTest {
 protected:
  /// A queue with all settings good, but for one.
  void set_up(const Setting& wrong) {
    load(1, 0, 0);
    for (const Setting& s : kSettings) {
      if (s.reg == Reg::SQ_SHADER_TBA_LO) {
        write(Reg::GRBM_GFX_CNTL, field::GRBM_GFX_CNTL::VMID.of(9));
      }
      write(s.reg, &s == &wrong ? s.bad : s.good);
      select(1, 0, 0);
    }
  }
};

TEST_F(RegisterSaveTest, WavesAreSavedWhenEverythingIsSetUp) {
  start_engines();
  uint32_t queue = 100;
  for (const Setting& wrong : kSettings) {
    set_up(wrong);
    write(Reg::CP_HQD_ACTIVE, 1);
    write(Reg::CP_HQD_DEQUEUE_REQUEST, 3);
    ASSERT_EQ(dequeued_.back(), queue);
    EXPECT_FALSE(resets_.back());
    const QueueBinding& b = bindings_.back();
    const auto reports = front_.take_reports();
    const bool saves = wrong.unsaved == nullptr;
    if (!saves) {
      EXPECT_FALSE(saves_.back()) << wrong.unsaved;
      EXPECT_EQ(b.save_area, 0u) << wrong.unsaved;
      ASSERT_EQ(reports.size(), 1u) << wrong.unsaved;
      EXPECT_NE(reports[0].find(wrong.unsaved), std::string::npos) << reports[0];
    } else {
      EXPECT_TRUE(saves_.back());
      EXPECT_TRUE(reports.empty());
      EXPECT_EQ(b.save_area, 0x345000u);
      EXPECT_EQ(b.save_begin, 0x4000u);
      EXPECT_EQ(b.save_end, 0x80000u);
      EXPECT_EQ(b.stack_bytes, 0x3000u);
      EXPECT_EQ(b.stack_offset, 0x3000u);
    }
    QueueStatus gone{queue++, QueueState::Inactive, 7, 0, 0};
    gone.stack_offset = 0x2f00;
    gone.save_begin = 0x9000;
    front_.status(now_, gone);
    EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u);
    EXPECT_EQ(read(Reg::CP_HQD_WG_STATE_OFFSET), saves ? 0x9000u : 0x4000u);
    if (saves) {
      EXPECT_EQ(read(Reg::CP_HQD_CNTL_STACK_OFFSET), 0x2f00u);
    }
  }
}

TEST_F(RegisterSaveTest, SavedWavesNeedWhatTheyWereSavedWith) {
  start_engines();
  for (const Setting& wrong : kSettings) {
    const bool good = wrong.unsaved == nullptr;
    if (!good && wrong.refused == nullptr) continue;  // the size and offset say what is saved
    set_up(wrong);
    write(Reg::CP_HQD_CNTL_STACK_OFFSET, 0x2fc0);
    write(Reg::CUVETTE_ERROR, ~0u);
    write(Reg::CP_HQD_ACTIVE, 1);
    const auto reports = front_.take_reports();
    if (good) {
      ASSERT_EQ(bindings_.size(), 1u) << "all is there";
      EXPECT_EQ(bindings_[0].stack_offset, 0x2fc0u);
      EXPECT_TRUE(reports.empty());
      continue;
    }
    EXPECT_TRUE(bindings_.empty()) << wrong.refused;
    EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u) << wrong.refused;
    EXPECT_EQ(read(Reg::CUVETTE_ERROR), field::CUVETTE_ERROR::NOT_MODELLED.mask()) << wrong.refused;
    EXPECT_EQ(reports, std::vector<std::string>{"micro engine 1 pipe 0 queue 0: not modelled: a "
                                                "queue with saved waves: " +
                                                std::string(wrong.refused)});
    write(Reg::CP_HQD_ACTIVE, 0);
    bindings_.clear();
  }
}

TEST_F(RegisterSaveTest, AnEngineWithoutWavesDrains) {
  MmioRegisters::Machine golden = machine();
  golden.saves_waves = false;
  MmioRegisters front(description(), contexts_, golden);
  const auto put = [&](Reg reg, uint32_t value) {
    EXPECT_EQ(front.write(now_, registers::info(reg).offset, 4, value), Status::Ok);
  };
  put(Reg::CP_MEC_CNTL, 0);
  put(Reg::GRBM_GFX_CNTL, field::GRBM_GFX_CNTL::VMID.of(9));
  put(Reg::SQ_SHADER_TBA_LO, 0x777);
  put(Reg::GRBM_GFX_CNTL, field::GRBM_GFX_CNTL::MEID.of(1));
  const std::pair<Reg, uint32_t> settings[] = {
      {Reg::CP_MQD_BASE_ADDR, 0x40000},
      {Reg::CP_HQD_VMID, 9},
      {Reg::CP_HQD_PQ_BASE, 0x123456},
      {Reg::CP_HQD_PQ_RPTR_REPORT_ADDR, 0x5080},
      {Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::QUEUE_SIZE.of(9)},
      {Reg::CP_HQD_AQL_CONTROL, 1},
      {Reg::CP_HQD_PERSISTENT_STATE, 0x40000000},
      {Reg::CP_HQD_CTX_SAVE_BASE_ADDR_LO, 0x345000},
      {Reg::CP_HQD_CTX_SAVE_SIZE, 0x80000},
      {Reg::CP_HQD_CNTL_STACK_SIZE, 0x3000},
      {Reg::CP_HQD_CNTL_STACK_OFFSET, 0x3000},
      {Reg::CP_HQD_ACTIVE, 1},
      {Reg::CP_HQD_DEQUEUE_REQUEST, 3},
  };
  for (const auto& [reg, value] : settings) put(reg, value);
  EXPECT_EQ(saves_, std::vector<bool>{false});
  EXPECT_EQ(resets_, std::vector<bool>{false});
  EXPECT_EQ(bindings_.back().save_area, 0u);
  const auto reports = front.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("golden"), std::string::npos) << reports[0];
}

}  // namespace
}  // namespace cuvette::gpu
