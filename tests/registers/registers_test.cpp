// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The register map against the checklist of public names, row by row, and the register file.
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "csv.h"
#include "registers/register_file.h"

namespace cuvette::registers {
namespace {

using Status = RegisterFile::Status;

// ---- the checklist ----

struct LedgerField {
  unsigned low = 0, high = 0;
  bool newer = false;  // "only in gc_9_4_2": not on the parts of this map
};
struct LedgerRegister {
  uint32_t offset = 0, reset = 0;
  std::map<std::string, LedgerField> fields;
};

struct Ledger {
  std::map<std::string, LedgerRegister> registers;
  size_t rows = 0;

  Ledger() {
    for (const csv::Row& c : csv::read_body("ledger/gfx9_registers.csv")) {
      ++rows;
      if (c.size() < 9 || c[4].empty()) continue;  // indirect registers have no offset
      LedgerRegister& r = registers[c[0]];
      r.offset = static_cast<uint32_t>(std::stoul(c[4], nullptr, 16));
      if (c[5].empty()) {
        if (c[8].rfind("reset 0x", 0) == 0) {
          r.reset = static_cast<uint32_t>(std::stoul(c[8].substr(6), nullptr, 16));
        }
      } else {
        r.fields[c[5]] = {static_cast<unsigned>(std::stoul(c[6])),
                          static_cast<unsigned>(std::stoul(c[7])),
                          c[8].find("only in gc_9_4_2") != std::string::npos};
      }
    }
  }
};

TEST(RegisterMap, EveryNameOffsetResetAndFieldIsARowOfTheLedger) {
  const Ledger ledger;
  const Table t = table();
  size_t rows = 0;
  std::set<std::string> seen;
  for (size_t i = 0; i < t.count; ++i) {
    const RegisterInfo& r = t.registers[i];
    EXPECT_TRUE(seen.insert(r.name).second) << r.name;
    if (std::string(r.source) == "invented") {
      EXPECT_EQ(std::string(r.name).rfind("CUVETTE_", 0), 0u) << r.name;
      EXPECT_EQ(ledger.registers.count(r.name), 0u) << r.name;
      EXPECT_GE(r.offset, 0x7f000u) << r.name;
      continue;
    }
    EXPECT_LT(r.offset, 0x7f000u) << r.name;
    const auto found = ledger.registers.find(r.name);
    if (found == ledger.registers.end()) {
      ADD_FAILURE() << "gfx9_registers.csv has no register " << r.name;
      continue;
    }
    ++rows;
    EXPECT_EQ(r.offset, found->second.offset) << r.name;
    EXPECT_EQ(r.reset, found->second.reset) << r.name;
    std::set<std::string> mine;
    for (unsigned f = 0; f < r.field_count; ++f) {
      const FieldInfo& field = r.fields[f];
      const auto row = found->second.fields.find(field.name);
      mine.insert(field.name);
      if (row == found->second.fields.end()) {
        ADD_FAILURE() << "gfx9_registers.csv has no row " << r.name << "." << field.name;
        continue;
      }
      ++rows;
      EXPECT_EQ(field.bits.low, row->second.low) << r.name << "." << field.name;
      EXPECT_EQ(field.bits.low + field.bits.width - 1u, row->second.high)
          << r.name << "." << field.name;
    }
    for (const auto& [name, field] : found->second.fields) {
      EXPECT_TRUE(mine.count(name) == 1 || field.newer) << r.name << "." << name << " is missing";
    }
  }
  std::cout << "ledger gfx9_registers: " << rows << " of " << ledger.rows << "\n";
  EXPECT_GE(rows, 1895u) << "rows of the map, each compared above";
  EXPECT_GT(ledger.rows, 7200u);
}

TEST(RegisterMap, HolesAreNoRegistersAndOffsetsAscend) {
  const Table t = table();
  for (size_t i = 1; i < t.count; ++i) {
    EXPECT_LT(t.registers[i - 1].offset, t.registers[i].offset) << t.registers[i].name;
  }
  ASSERT_EQ(t.count, kRegisters);
  for (size_t i = 0; i < t.hole_count; ++i) {
    EXPECT_EQ(find(t.holes[i]), nullptr) << t.holes[i];
    EXPECT_TRUE(is_hole(t.holes[i]));
  }
  EXPECT_EQ(find("CP_HQD_ACTIVE"), &info(Reg::CP_HQD_ACTIVE));
  EXPECT_EQ(find("CP_HQD_INACTIVE"), nullptr);
  EXPECT_EQ(number(info(Reg::CP_HQD_ACTIVE)), Reg::CP_HQD_ACTIVE);
}

// ---- the register file ----

class RegisterFileTest : public testing::Test {
 protected:
  RegisterFileTest() : file_({2, 1}) {
    file_.on_report([this](const RegisterFile::Report& r) { reports_.push_back(r.str()); });
  }
  static uint32_t at(Reg reg) { return info(reg).offset; }
  uint32_t read(Reg reg) {
    uint32_t value = 0xdead;
    EXPECT_EQ(file_.read(at(reg), 4, value), Status::Ok) << info(reg).name;
    return value;
  }
  void write(Reg reg, uint32_t value) {
    EXPECT_EQ(file_.write(at(reg), 4, value), Status::Ok) << info(reg).name;
  }
  void select(unsigned me, unsigned pipe, unsigned queue, unsigned vmid = 0) {
    namespace f = field::GRBM_GFX_CNTL;
    write(Reg::GRBM_GFX_CNTL,
          f::MEID.of(me) | f::PIPEID.of(pipe) | f::QUEUEID.of(queue) | f::VMID.of(vmid));
  }

  RegisterFile file_;
  std::vector<std::string> reports_;
};

TEST_F(RegisterFileTest, EveryRegisterStartsWithItsResetValue) {
  const Table t = table();
  select(1, 0, 0);
  for (size_t i = 0; i < t.count; ++i) {
    if (static_cast<Reg>(i) == Reg::GRBM_GFX_CNTL) continue;
    uint32_t value = 0;
    ASSERT_EQ(file_.read(t.registers[i].offset, 4, value), Status::Ok) << t.registers[i].name;
    EXPECT_EQ(value, t.registers[i].reset) << t.registers[i].name;
  }
  EXPECT_TRUE(reports_.empty());
}

TEST_F(RegisterFileTest, AWriteReachesTheFieldsAndNothingElse) {
  const Table t = table();
  select(1, 0, 0);
  for (size_t i = 0; i < t.count; ++i) {
    const RegisterInfo& r = t.registers[i];
    const auto reg = static_cast<Reg>(i);
    // Selection registers change what the others are.
    if (r.read_only || reg == Reg::GRBM_GFX_CNTL || reg == Reg::GRBM_GFX_INDEX) continue;
    uint32_t writable = 0, clears = 0, pulses = 0;
    for (unsigned f = 0; f < r.field_count; ++f) {
      const FieldInfo& field = r.fields[f];
      if (field.policy == Policy::ReadWrite) writable |= field.bits.mask();
      if (field.policy == Policy::WriteOneToClear) clears |= field.bits.mask();
      if (field.policy == Policy::Pulse) pulses |= field.bits.mask();
    }
    uint32_t value = 0;
    ASSERT_EQ(file_.write(r.offset, 4, ~0u), Status::Ok) << r.name;
    ASSERT_EQ(file_.read(r.offset, 4, value), Status::Ok) << r.name;
    EXPECT_EQ(value, (r.reset & ~clears) | writable) << r.name;
    EXPECT_EQ(value & pulses, 0u) << r.name;
    ASSERT_EQ(file_.write(r.offset, 4, 0), Status::Ok) << r.name;
    ASSERT_EQ(file_.read(r.offset, 4, value), Status::Ok) << r.name;
    EXPECT_EQ(value, r.reset & ~clears & ~writable) << r.name;
  }
}

TEST_F(RegisterFileTest, WritingOneClears) {
  file_.set(Reg::CUVETTE_ERROR, 0x15);
  write(Reg::CUVETTE_ERROR, 0x05);
  EXPECT_EQ(read(Reg::CUVETTE_ERROR), 0x10u);
}

TEST_F(RegisterFileTest, BadAccessesAreRefusedReportedAndChangeNothing) {
  struct Case {
    bool write;
    uint32_t offset;
    unsigned bytes;
    Status status;
    const char* text;
  };
  const uint32_t scratch = at(Reg::GRBM_SCRATCH_REG0);
  const uint32_t status = at(Reg::GRBM_STATUS);
  const Case cases[] = {
      {false, 0x10, 4, Status::UnknownOffset, "read of 4 bytes at 0x10: no register there"},
      {true, 0x7fffc, 4, Status::UnknownOffset, "write of 4 bytes at 0x7fffc: no register there"},
      {true, scratch, 8, Status::Width,
       "write of 8 bytes at 0x8100 (GRBM_SCRATCH_REG0): expected 4 bytes"},
      {false, scratch, 2, Status::Width,
       "read of 2 bytes at 0x8100 (GRBM_SCRATCH_REG0): expected 4 bytes"},
      {true, scratch + 2, 4, Status::Alignment,
       "write of 4 bytes at 0x8102: expected a multiple of 4"},
      {true, status, 4, Status::ReadOnly,
       "write of 4 bytes at 0x8010 (GRBM_STATUS): the register is read-only"},
  };
  write(Reg::GRBM_SCRATCH_REG0, 0x1234);
  for (const Case& c : cases) {
    reports_.clear();
    write(Reg::CUVETTE_ERROR, ~0u);
    uint32_t value = 0x77;
    const Status got =
        c.write ? file_.write(c.offset, c.bytes, 0x55) : file_.read(c.offset, c.bytes, value);
    EXPECT_EQ(got, c.status) << c.text;
    ASSERT_EQ(reports_.size(), 1u) << c.text;
    EXPECT_EQ(reports_[0], c.text);
    EXPECT_EQ(read(Reg::CUVETTE_ERROR), 1u << (static_cast<unsigned>(c.status) - 1)) << c.text;
    EXPECT_EQ(read(Reg::CUVETTE_ERROR_OFFSET), c.offset) << c.text;
    if (!c.write) {
      EXPECT_EQ(value, 0u) << c.text;
    }
    EXPECT_EQ(read(Reg::GRBM_SCRATCH_REG0), 0x1234u) << c.text;
  }
  EXPECT_EQ(read(Reg::GRBM_STATUS), 0u);
  EXPECT_EQ(field::GRBM_READ_ERROR::READ_ADDRESS.get(read(Reg::GRBM_READ_ERROR)), scratch >> 2);
  EXPECT_EQ(field::GRBM_WRITE_ERROR::WRITE_ERROR.get(read(Reg::GRBM_WRITE_ERROR)), 1u);
}

TEST_F(RegisterFileTest, HolesTakeWritesAndReadZero) {
  const uint32_t hole = table().holes[0];
  uint32_t value = 1;
  EXPECT_EQ(file_.write(hole, 4, 0x99), Status::Ok);
  EXPECT_EQ(file_.read(hole, 4, value), Status::Ok);
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(reports_.empty());
}

TEST_F(RegisterFileTest, QueueRegistersExistPerMicroEnginePipeAndQueue) {
  for (unsigned me = 0; me < 3; ++me) {
    for (unsigned pipe = 0; pipe < 4; ++pipe) {
      for (unsigned queue = 0; queue < 8; ++queue) {
        select(me, pipe, queue);
        write(Reg::CP_HQD_PQ_BASE, me << 16 | pipe << 8 | queue);
        write(Reg::CPC_INT_CNTL, me << 28 | pipe << 26);  // per pipe
      }
    }
  }
  for (unsigned me = 0; me < 3; ++me) {
    for (unsigned pipe = 0; pipe < 4; ++pipe) {
      for (unsigned queue = 0; queue < 8; ++queue) {
        select(me, pipe, queue, 5);  // the VMID does not matter here
        EXPECT_EQ(read(Reg::CP_HQD_PQ_BASE), me << 16 | pipe << 8 | queue);
        EXPECT_EQ(read(Reg::CPC_INT_CNTL),
                  (me << 28 | pipe << 26) & info(Reg::CPC_INT_CNTL).writable);
        EXPECT_EQ(file_.get(Reg::CP_HQD_PQ_BASE, RegisterFile::slot(me, pipe, queue)),
                  me << 16 | pipe << 8 | queue);
      }
    }
  }
}

TEST_F(RegisterFileTest, AMicroEngineThatDoesNotExistSelectsNothing) {
  select(3, 0, 0);
  uint32_t value = 0;
  EXPECT_EQ(file_.read(at(Reg::CP_HQD_ACTIVE), 4, value), Status::Selection);
  EXPECT_EQ(file_.write(at(Reg::CPC_INT_CNTL), 4, 1), Status::Selection);
  EXPECT_EQ(file_.read(at(Reg::SH_MEM_BASES), 4, value), Status::Ok) << "by VMID only";
}

TEST_F(RegisterFileTest, ShaderMemoryRegistersExistPerVmid) {
  for (unsigned vmid = 0; vmid < 16; ++vmid) {
    select(0, 0, 0, vmid);
    write(Reg::SH_MEM_BASES, 0x20001u * (vmid + 1));
  }
  for (unsigned vmid = 0; vmid < 16; ++vmid) {
    select(2, 3, 1, vmid);
    EXPECT_EQ(read(Reg::SH_MEM_BASES), 0x20001u * (vmid + 1));
  }
}

TEST_F(RegisterFileTest, GfxIndexSelectsTheShaderArrayAndBroadcastsWrites) {
  namespace f = field::GRBM_GFX_INDEX;
  const auto on = [&](unsigned se) {
    write(Reg::GRBM_GFX_INDEX, f::SE_INDEX.of(se) | f::INSTANCE_BROADCAST_WRITES.of(1));
  };
  write(Reg::GC_USER_SHADER_ARRAY_CONFIG, 0xffff0000);  // reset value of the index: everywhere
  on(1);
  EXPECT_EQ(read(Reg::GC_USER_SHADER_ARRAY_CONFIG), 0xffff0000u);
  write(Reg::GC_USER_SHADER_ARRAY_CONFIG, 0x00030000);
  on(0);
  EXPECT_EQ(read(Reg::GC_USER_SHADER_ARRAY_CONFIG), 0xffff0000u);
  on(1);
  EXPECT_EQ(read(Reg::GC_USER_SHADER_ARRAY_CONFIG), 0x00030000u);
  on(2);
  uint32_t value = 0;
  EXPECT_EQ(file_.read(at(Reg::GC_USER_SHADER_ARRAY_CONFIG), 4, value), Status::Selection);
  EXPECT_EQ(file_.write(at(Reg::GC_USER_SHADER_ARRAY_CONFIG), 4, 0), Status::Selection);
}

TEST_F(RegisterFileTest, HooksSeeWhatWasWrittenAndReadsCanBeAnswered) {
  uint32_t seen = 0, old = 0;
  file_.on_write(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT,
                 [&](unsigned, uint32_t written, uint32_t before) {
                   seen = written;
                   old = before;
                 });
  write(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT, 2);
  write(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT, 5);
  EXPECT_EQ(seen, 5u) << "with the pulse";
  EXPECT_EQ(old, 2u);
  EXPECT_EQ(read(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT), 4u) << "the pulse reads 0";
  file_.on_read(Reg::GRBM_STATUS, [](unsigned, uint32_t value) { return value | 0x80000000; });
  EXPECT_EQ(read(Reg::GRBM_STATUS), 0x80000000u);
  uint32_t peeked = 1;
  EXPECT_TRUE(file_.peek(at(Reg::GRBM_STATUS), peeked));
  EXPECT_EQ(peeked, 0u) << "no hook";
  EXPECT_FALSE(file_.peek(0x10, peeked));
  EXPECT_TRUE(reports_.empty()) << "a look is never an error";
}

TEST_F(RegisterFileTest, ResetsReachABlockOrOneBankOfIt) {
  select(1, 2, 3);
  write(Reg::CP_HQD_VMID, 9);
  write(Reg::CP_HQD_PQ_CONTROL, 0);
  write(Reg::GRBM_SCRATCH_REG1, 7);
  select(1, 2, 4);
  write(Reg::CP_HQD_VMID, 8);
  file_.reset_instance("hqd", RegisterFile::slot(1, 2, 3));
  EXPECT_EQ(read(Reg::CP_HQD_VMID), 8u);
  select(1, 2, 3);
  EXPECT_EQ(read(Reg::CP_HQD_VMID), 0u);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_CONTROL), 0x308509u);
  file_.reset_block("hqd");
  select(1, 2, 4);
  EXPECT_EQ(read(Reg::CP_HQD_VMID), 0u);
  EXPECT_EQ(read(Reg::GRBM_SCRATCH_REG1), 7u);
  file_.reset();
  EXPECT_EQ(read(Reg::GRBM_SCRATCH_REG1), 0u);
}

TEST_F(RegisterFileTest, RegistersWithoutEffectAreNamedOnceWritten) {
  write(Reg::GRBM_SCRATCH_REG2, 0);
  EXPECT_TRUE(file_.written_without_effect().empty()) << "its reset value";
  write(Reg::GRBM_SCRATCH_REG2, 1);
  select(1, 0, 0);
  write(Reg::CP_HQD_VMID, 3);  // acts
  EXPECT_EQ(file_.written_without_effect(), (std::set<std::string>{"GRBM_SCRATCH_REG2"}));
}

}  // namespace
}  // namespace cuvette::registers
