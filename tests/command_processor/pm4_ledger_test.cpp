// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Numbers of PM4 and vendor packets against the checklist of packets, by row.
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "command_processor/pm4.h"
#include "csv.h"
#include "hsa/packet.h"

namespace cuvette::command_processor {
namespace {

struct Row {
  std::string opcode, dword, note;
  unsigned low = 0, high = 0;
  uint32_t mask() const { return (high - low == 31 ? ~0u : (1u << (high - low + 1)) - 1) << low; }
  /// "byte 32; 0 eq" gives 32.
  size_t byte() const {
    const size_t at = note.find("byte ");
    return at == std::string::npos ? 9999 : std::stoul(note.substr(at + 5));
  }
};

std::map<std::pair<std::string, std::string>, Row> read_rows() {
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const csv::Row& c : csv::read("ledger/gfx9_packets.csv")) {
    if (c.size() < 9 || (c[0] != "pm4" && c[0] != "aql_vendor") || c[5].empty()) continue;
    Row r{c[2], c[3], c[8], 0, 0};
    r.low = static_cast<unsigned>(std::stoul(c[4]));
    r.high = static_cast<unsigned>(std::stoul(c[5]));
    rows.emplace(std::pair(c[1], c[6]), r);  // the first of a packet's rows of one name
  }
  return rows;
}

class PacketLedger : public testing::Test {
 protected:
  const Row& row(const std::string& packet, const std::string& field) {
    static const Row none;
    const auto found = rows_.find({packet, field});
    if (found != rows_.end()) return found->second;
    ADD_FAILURE() << "gfx9_packets.csv has no row " << packet << " " << field;
    return none;
  }
  std::map<std::pair<std::string, std::string>, Row> rows_ = read_rows();
};

TEST_F(PacketLedger, HeadersAndOpcodes) {
  const uint32_t head = pm4::header(pm4::Opcode::AcquireMem, 6);
  const auto field = [&](const char* name) {
    const Row& r = row("PM4_HEADER", name);
    return (head & r.mask()) >> r.low;
  };
  EXPECT_EQ(field("opcode"), 0x58u);
  EXPECT_EQ(field("count"), 5u) << "body dwords minus one";
  EXPECT_EQ(field("type"), 3u);
  EXPECT_EQ(pm4::body_of(head), 6u);
  EXPECT_EQ(pm4::type_of(head), 3u);
  const std::pair<const char*, pm4::Opcode> opcodes[] = {
      {"NOP", pm4::Opcode::Nop},
      {"WRITE_DATA", pm4::Opcode::WriteData},
      {"WAIT_REG_MEM", pm4::Opcode::WaitRegMem},
      {"INDIRECT_BUFFER", pm4::Opcode::IndirectBuffer},
      {"COPY_DATA", pm4::Opcode::CopyData},
      {"RELEASE_MEM", pm4::Opcode::ReleaseMem},
      {"ACQUIRE_MEM", pm4::Opcode::AcquireMem},
      {"DISPATCH_DIRECT", pm4::Opcode::DispatchDirect},
      {"DISPATCH_INDIRECT", pm4::Opcode::DispatchIndirect},
      {"COND_EXEC", pm4::Opcode::CondExec},
      {"EVENT_WRITE", pm4::Opcode::EventWrite},
      {"SET_SH_REG", pm4::Opcode::SetShReg},
      {"SET_UCONFIG_REG", pm4::Opcode::SetUconfigReg},
      {"INVALIDATE_TLBS", pm4::Opcode::InvalidateTlbs},
      {"SET_RESOURCES", pm4::Opcode::SetResources},
      {"MAP_QUEUES", pm4::Opcode::MapQueues},
      {"UNMAP_QUEUES", pm4::Opcode::UnmapQueues},
      {"QUERY_STATUS", pm4::Opcode::QueryStatus},
  };
  for (const auto& [name, opcode] : opcodes) {
    const Row& r = row(name, "header");
    EXPECT_EQ(std::stoul(r.opcode, nullptr, 16), static_cast<unsigned>(opcode)) << name;
  }
}

TEST_F(PacketLedger, BitsOfCacheActionsAndBuffers) {
  const auto acquire = [&](const char* name) {
    return row("ACQUIRE_MEM", std::string("coher_cntl.") + name).mask();
  };
  EXPECT_EQ(pm4::kAcquireVectorL1, acquire("tcl1_action_ena") | acquire("tcl1_vol_action_ena"));
  EXPECT_EQ(pm4::kAcquireScalar,
            acquire("sh_kcache_action_ena") | acquire("sh_kcache_vol_action_ena"));
  EXPECT_EQ(pm4::kAcquireInstruction, acquire("sh_icache_action_ena"));
  EXPECT_EQ(pm4::kAcquireScalarWriteback, acquire("sh_kcache_wb_action_ena"));
  EXPECT_EQ(pm4::kAcquireL2Writeback, acquire("tc_wb_action_ena"));
  EXPECT_EQ(pm4::kAcquireL2Invalidate, acquire("tc_action_ena"));
  const auto release = [&](const char* name) { return row("RELEASE_MEM", name).mask(); };
  EXPECT_EQ(pm4::kReleaseL2Writeback, release("tc_wb_action_ena"));
  EXPECT_EQ(pm4::kReleaseVectorL1, release("tcl1_action_ena") | release("tcl1_vol_action_ena"));
  EXPECT_EQ(pm4::kReleaseL2Invalidate, release("tc_action_ena") | release("tc_vol_action_ena"));
  EXPECT_EQ(pm4::kIbSize, row("INDIRECT_BUFFER", "ib_size").mask());
  EXPECT_EQ(pm4::kIbChain, row("INDIRECT_BUFFER", "chain").mask());
  EXPECT_EQ(pm4::kIbValid, row("INDIRECT_BUFFER", "valid").mask());
  EXPECT_EQ(pm4::kIbSize, row("RUN_LIST", "ib_size").mask());
  EXPECT_EQ(pm4::kListChain, row("RUN_LIST", "chain").mask());
  EXPECT_EQ(pm4::kListValid, row("RUN_LIST", "valid").mask());
}

/// Dword of the aperture by the name of a register: Vega10 has its graphics block from dword 0x2000
/// and 0xa000 on, the interrupt handler from 0x10a0 on.
uint32_t register_dword(const std::string& name) {
  static const auto bytes = [] {
    std::map<std::string, uint32_t> found;
    for (const csv::Row& c : csv::read("ledger/gfx9_registers.csv")) {
      if (c.size() < 6 || c[4].rfind("0x", 0) != 0 || !c[5].empty()) continue;
      found.emplace(c[0], static_cast<uint32_t>(std::stoul(c[4], nullptr, 16)));
    }
    return found;
  }();
  const auto found = bytes.find(name);
  if (found != bytes.end()) return found->second / 4;
  ADD_FAILURE() << "no register " << name;
  return 0;
}

TEST_F(PacketLedger, RegistersAndDescriptorsLieAsTheirRowsSay) {
  EXPECT_EQ(pm4::kDispatchInitiator, register_dword("COMPUTE_DISPATCH_INITIATOR"));
  EXPECT_EQ(pm4::kDimX, register_dword("COMPUTE_DIM_X"));
  EXPECT_EQ(pm4::kUserData, register_dword("COMPUTE_USER_DATA_0"));
  EXPECT_EQ(pm4::kQueueRegisters, register_dword("CP_MQD_BASE_ADDR"));
  EXPECT_EQ(pm4::kPollOnce, register_dword("CP_PQ_WPTR_POLL_CNTL1"));
  EXPECT_EQ(pm4::kVmidLut, register_dword("IH_VMID_0_LUT"));
  EXPECT_EQ(pm4::kShMemBases, register_dword("SH_MEM_BASES"));
  EXPECT_EQ(pm4::kShMemConfig, register_dword("SH_MEM_CONFIG"));
  EXPECT_EQ(pm4::kTrapHandler, register_dword("SQ_SHADER_TBA_LO"));
  EXPECT_EQ(pm4::kTrapHandler + 1, register_dword("SQ_SHADER_TBA_HI"));
  EXPECT_EQ(pm4::kTrapMemory, register_dword("SQ_SHADER_TMA_LO"));
  EXPECT_EQ(pm4::kTrapMemory + 1, register_dword("SQ_SHADER_TMA_HI"));
  const auto tables = [](unsigned vmid, const char* half) {
    return register_dword("VM_CONTEXT" + std::to_string(vmid) + "_PAGE_TABLE_BASE_ADDR_" + half);
  };
  EXPECT_EQ(pm4::kPageTableBase, tables(0, "LO32"));
  EXPECT_EQ(pm4::kPageTableBase + 1, tables(0, "HI32"));
  EXPECT_EQ(pm4::kPageTableBase + 2 * 15, tables(15, "LO32"));
  std::map<std::string, unsigned> mqd;
  for (const csv::Row& c : csv::read("ledger/gfx9_structs.csv")) {
    if (c.size() >= 7 && c[0] == "v9_mqd" && !c[1].empty()) {
      mqd[c[6]] = static_cast<unsigned>(std::stoul(c[1]));
    }
  }
  EXPECT_EQ(pm4::kMqdCompute, mqd.at("compute_dispatch_initiator"));
  EXPECT_EQ(pm4::kMqdUserData, mqd.at("compute_user_data_0"));
  EXPECT_EQ(pm4::kMqdReadIndex, mqd.at("cp_mqd_readindex_lo"));
  EXPECT_EQ(pm4::kMqdQueue, mqd.at("cp_mqd_base_addr_lo"));
  EXPECT_EQ(pm4::kMqdActive, mqd.at("cp_hqd_active"));
  EXPECT_EQ(pm4::kMqdVmid, mqd.at("cp_hqd_vmid"));
  EXPECT_EQ(pm4::kMqdReadPointer, mqd.at("cp_hqd_pq_rptr"));
  EXPECT_EQ(pm4::kMqdPoll, mqd.at("cp_hqd_pq_wptr_poll_addr_lo"));
  EXPECT_EQ(pm4::kMqdDoorbell, mqd.at("cp_hqd_pq_doorbell_control"));
  EXPECT_EQ(pm4::kMqdDequeue, mqd.at("cp_hqd_dequeue_request"));
  EXPECT_EQ(pm4::kMqdWritePointer, mqd.at("cp_hqd_pq_wptr_lo"));
  EXPECT_EQ(pm4::kMqdQueue + pm4::kMqdQueueCount - 1, mqd.at("cp_hqd_pq_wptr_hi"));
  // Every COMPUTE_* of the descriptor goes to the register of its name, the others nowhere.
  unsigned compared = 0;
  for (const csv::Row& c : csv::read("ledger/gfx9_structs.csv")) {
    if (c.size() < 8 || c[0] != "v9_mqd" || c[1].empty()) continue;
    const auto dword = static_cast<unsigned>(std::stoul(c[1]));
    if (dword < pm4::kMqdCompute || dword >= pm4::kMqdCompute + pm4::kMqdComputeCount) continue;
    const std::string mark = "register COMPUTE_";
    if (c[7].rfind("gfx942", 0) == 0) continue;  // another view of the same dword
    if (c[7].rfind(mark, 0) != 0) {
      EXPECT_EQ(pm4::compute_register(dword), 0u) << c[6];
      continue;
    }
    const std::string name = c[7].substr(9, c[7].find_first_of("; ", 9) - 9);
    EXPECT_EQ(pm4::compute_register(dword), register_dword(name)) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 37u);
}

TEST_F(PacketLedger, EventsHaveTheirNumbers) {
  const std::pair<const char*, pm4::Event> events[] = {
      {"CACHE_FLUSH", pm4::Event::CacheFlush},
      {"CS_PARTIAL_FLUSH", pm4::Event::CsPartialFlush},
      {"CACHE_FLUSH_AND_INV_EVENT", pm4::Event::CacheFlushAndInvalidate},
  };
  for (const auto& [name, event] : events) {
    const Row& r = row("EVENT_TYPE", name);
    EXPECT_EQ(std::stoul(r.opcode, nullptr, 16), static_cast<unsigned>(event)) << name;
  }
}

TEST_F(PacketLedger, VendorPacketsLieAsTheRowsSay) {
  using Ib = hsa::Pm4IbPacket;
  using Value = hsa::BarrierValuePacket;
  EXPECT_EQ(std::stoul(row("PM4_IB", "header").opcode), hsa::kVendorPm4Ib);
  EXPECT_EQ(row("PM4_IB", "ven_hdr").byte(), offsetof(Ib, format));
  EXPECT_EQ(row("PM4_IB", "ib_jump_cmd[0]").byte(), offsetof(Ib, jump));
  EXPECT_EQ(row("PM4_IB", "ib_jump_cmd[3]").byte(), offsetof(Ib, jump) + 12);
  EXPECT_EQ(row("PM4_IB", "dw_cnt_remain").byte(), offsetof(Ib, remaining_dwords));
  EXPECT_EQ(row("PM4_IB", "reserved[8]").byte(), offsetof(Ib, reserved));
  EXPECT_EQ(row("PM4_IB", "completion_signal").byte(), offsetof(Ib, completion_signal));
  EXPECT_EQ(std::stoul(row("BARRIER_VALUE", "header").opcode), hsa::kVendorBarrierValue);
  EXPECT_EQ(row("BARRIER_VALUE", "AmdFormat").byte(), offsetof(Value, format));
  EXPECT_EQ(row("BARRIER_VALUE", "signal").byte(), offsetof(Value, signal));
  EXPECT_EQ(row("BARRIER_VALUE", "value").byte(), offsetof(Value, value));
  EXPECT_EQ(row("BARRIER_VALUE", "mask").byte(), offsetof(Value, mask));
  EXPECT_EQ(row("BARRIER_VALUE", "cond").byte(), offsetof(Value, condition));
  EXPECT_EQ(row("BARRIER_VALUE", "reserved3").byte(), offsetof(Value, reserved3));
  EXPECT_EQ(row("BARRIER_VALUE", "completion_signal").byte(), offsetof(Value, completion_signal));
}

}  // namespace
}  // namespace cuvette::command_processor
