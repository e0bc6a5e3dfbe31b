// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Layouts and bit fields against the checklist of ABI items.
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "hsa/dispatch.h"
#include "hsa/kernel_code.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsa_ledger.h"

namespace cuvette::hsa {
namespace {

struct Field {
  const char* id;
  size_t offset;
  size_t bytes;
};
#define FIELD(id, type, member) {id, offsetof(type, member), sizeof(type::member)}

const Field kFields[] = {
    FIELD("A078", AmdKernelCode, amd_code_version_major),
    FIELD("A079", AmdKernelCode, amd_code_version_minor),
    FIELD("A080", AmdKernelCode, amd_machine_kind),
    FIELD("A081", AmdKernelCode, amd_machine_version_major),
    FIELD("A082", AmdKernelCode, amd_machine_version_minor),
    FIELD("A083", AmdKernelCode, amd_machine_version_stepping),
    FIELD("A084", AmdKernelCode, kernel_code_entry_byte_offset),
    FIELD("A085", AmdKernelCode, kernel_code_prefetch_byte_offset),
    FIELD("A086", AmdKernelCode, kernel_code_prefetch_byte_size),
    FIELD("A087", AmdKernelCode, max_scratch_backing_memory_byte_size),
    FIELD("A088", AmdKernelCode, compute_pgm_rsrc1),
    FIELD("A089", AmdKernelCode, compute_pgm_rsrc2),
    FIELD("A108", AmdKernelCode, workitem_private_segment_byte_size),
    FIELD("A109", AmdKernelCode, workgroup_group_segment_byte_size),
    FIELD("A110", AmdKernelCode, gds_segment_byte_size),
    FIELD("A111", AmdKernelCode, kernarg_segment_byte_size),
    FIELD("A112", AmdKernelCode, workgroup_fbarrier_count),
    FIELD("A113", AmdKernelCode, wavefront_sgpr_count),
    FIELD("A114", AmdKernelCode, workitem_vgpr_count),
    FIELD("A115", AmdKernelCode, reserved_vgpr_first),
    FIELD("A116", AmdKernelCode, reserved_vgpr_count),
    FIELD("A117", AmdKernelCode, reserved_sgpr_first),
    FIELD("A118", AmdKernelCode, reserved_sgpr_count),
    FIELD("A119", AmdKernelCode, debug_wavefront_private_segment_offset_sgpr),
    FIELD("A120", AmdKernelCode, debug_private_segment_buffer_sgpr),
    FIELD("A121", AmdKernelCode, kernarg_segment_alignment),
    FIELD("A122", AmdKernelCode, group_segment_alignment),
    FIELD("A123", AmdKernelCode, private_segment_alignment),
    FIELD("A124", AmdKernelCode, wavefront_size),
    FIELD("A125", AmdKernelCode, call_convention),
    FIELD("A126", AmdKernelCode, reserved),
    FIELD("A127", AmdKernelCode, runtime_loader_kernel_symbol),
    FIELD("A128", AmdKernelCode, control_directive),
    FIELD("A176", AmdQueue, hsa_queue),
    FIELD("A177", AmdQueue, reserved1),
    FIELD("A178", AmdQueue, write_dispatch_id),
    FIELD("A179", AmdQueue, group_segment_aperture_base_hi),
    FIELD("A180", AmdQueue, private_segment_aperture_base_hi),
    FIELD("A181", AmdQueue, max_cu_id),
    FIELD("A182", AmdQueue, max_wave_id),
    FIELD("A183", AmdQueue, max_legacy_doorbell_dispatch_id_plus_1),
    FIELD("A184", AmdQueue, legacy_doorbell_lock),
    FIELD("A185", AmdQueue, reserved2),
    FIELD("A186", AmdQueue, read_dispatch_id),
    FIELD("A187", AmdQueue, read_dispatch_id_field_base_byte_offset),
    FIELD("A188", AmdQueue, compute_tmpring_size),
    FIELD("A189", AmdQueue, scratch_resource_descriptor),
    FIELD("A190", AmdQueue, scratch_backing_memory_location),
    FIELD("A191", AmdQueue, scratch_backing_memory_byte_size),
    FIELD("A192", AmdQueue, scratch_workitem_byte_size),
    FIELD("A193", AmdQueue, queue_properties),
    FIELD("A194", AmdQueue, reserved3),
    FIELD("A195", AmdQueue, queue_inactive_signal),
    FIELD("A196", AmdQueue, reserved4),
    FIELD("A197", HsaQueue, type),
    FIELD("A198", HsaQueue, features),
    FIELD("A199", HsaQueue, base_address),
    FIELD("A200", HsaQueue, doorbell_signal),
    FIELD("A201", HsaQueue, size),
    FIELD("A202", HsaQueue, reserved1),
    FIELD("A203", HsaQueue, id),
    FIELD("A213", AmdSignal, kind),
    FIELD("A214", AmdSignal, value),
    FIELD("A215", AmdSignal, legacy_hardware_doorbell_ptr),
    FIELD("A216", AmdSignal, hardware_doorbell_ptr),
    FIELD("A217", AmdSignal, event_mailbox_ptr),
    FIELD("A218", AmdSignal, event_id),
    FIELD("A219", AmdSignal, reserved1),
    FIELD("A220", AmdSignal, start_ts),
    FIELD("A221", AmdSignal, end_ts),
    FIELD("A222", AmdSignal, queue_ptr),
    FIELD("A223", AmdSignal, reserved3),
    FIELD("A296", KernelDispatchPacket, header),
    FIELD("A297", KernelDispatchPacket, setup),
    FIELD("A298", KernelDispatchPacket, workgroup_size_x),
    FIELD("A299", KernelDispatchPacket, workgroup_size_y),
    FIELD("A300", KernelDispatchPacket, workgroup_size_z),
    FIELD("A301", KernelDispatchPacket, reserved0),
    FIELD("A302", KernelDispatchPacket, grid_size_x),
    FIELD("A303", KernelDispatchPacket, grid_size_y),
    FIELD("A304", KernelDispatchPacket, grid_size_z),
    FIELD("A305", KernelDispatchPacket, private_segment_size),
    FIELD("A306", KernelDispatchPacket, group_segment_size),
    FIELD("A307", KernelDispatchPacket, kernel_object),
    FIELD("A308", KernelDispatchPacket, kernarg_address),
    FIELD("A309", KernelDispatchPacket, reserved2),
    FIELD("A310", KernelDispatchPacket, completion_signal),
    FIELD("A311", AgentDispatchPacket, header),
    FIELD("A312", AgentDispatchPacket, type),
    FIELD("A313", AgentDispatchPacket, reserved0),
    FIELD("A314", AgentDispatchPacket, return_address),
    FIELD("A315", AgentDispatchPacket, arg),
    FIELD("A316", AgentDispatchPacket, reserved2),
    FIELD("A317", AgentDispatchPacket, completion_signal),
    FIELD("A318", BarrierPacket, header),
    FIELD("A319", BarrierPacket, reserved0),
    FIELD("A320", BarrierPacket, reserved1),
    FIELD("A321", BarrierPacket, dep_signal),
    FIELD("A322", BarrierPacket, reserved2),
    FIELD("A323", BarrierPacket, completion_signal),
    FIELD("A324", BarrierPacket, header),
    FIELD("A325", BarrierPacket, reserved0),
    FIELD("A326", BarrierPacket, reserved1),
    FIELD("A327", BarrierPacket, dep_signal),
    FIELD("A328", BarrierPacket, reserved2),
    FIELD("A329", BarrierPacket, completion_signal),
    FIELD("A330", VendorPacket, header),
    // The AMD sub-format is the first byte of the vendor's 62.
    {"A331", offsetof(VendorPacket, format),
     sizeof(VendorPacket::format) + sizeof(VendorPacket::payload)},
    FIELD("A332", KernelDescriptor, group_segment_fixed_size),
    FIELD("A333", KernelDescriptor, private_segment_fixed_size),
    FIELD("A334", KernelDescriptor, kernarg_size),
    FIELD("A335", KernelDescriptor, reserved0),
    FIELD("A336", KernelDescriptor, kernel_code_entry_byte_offset),
    FIELD("A337", KernelDescriptor, reserved1),
    FIELD("A338", KernelDescriptor, compute_pgm_rsrc3),
    FIELD("A339", KernelDescriptor, compute_pgm_rsrc1),
    FIELD("A340", KernelDescriptor, compute_pgm_rsrc2),
    FIELD("A341", KernelDescriptor, kernel_code_properties),
    FIELD("A342", KernelDescriptor, kernarg_preload),
    FIELD("A343", KernelDescriptor, reserved3),
};

TEST(HsaLayout, FieldsLieWhereTheLedgerSays) {
  for (const Field& f : kFields) {
    const LedgerRow& row = Ledger::get().row(f.id);
    EXPECT_EQ(static_cast<size_t>(row.byte), f.offset) << f.id << " " << row.item;
    EXPECT_EQ(static_cast<size_t>(row.size_bytes), f.bytes) << f.id << " " << row.item;
    EXPECT_EQ(row.bit, 0) << f.id;
  }
}

TEST(HsaLayout, EveryRowOfAStructureIsTested) {
  std::set<std::string> seen;
  for (const Field& f : kFields) seen.insert(f.id);
  for (const char* group :
       {"amd_queue_t", "hsa_queue_t", "amd_signal_t", "aql_kernel_dispatch", "aql_agent_dispatch",
        "aql_barrier_and", "aql_barrier_or", "aql_vendor_specific", "kernel_descriptor_64B"}) {
    for (const LedgerRow& row : Ledger::get().group(group)) {
      EXPECT_TRUE(seen.count(row.id) == 1) << group << " " << row.id << " " << row.item;
    }
  }
  Ledger::get().row("A284");
  EXPECT_EQ(sizeof(KernelDispatchPacket), 64u);
  // Cache lines of the queue: producer 0, kernel 64, packet processor 128, rarely used 192.
  Ledger::get().row("A205");
  EXPECT_EQ(offsetof(AmdQueue, group_segment_aperture_base_hi), 64u);
  EXPECT_EQ(offsetof(AmdQueue, read_dispatch_id), 128u);
  EXPECT_EQ(offsetof(AmdQueue, queue_inactive_signal), 192u);
}

// ---- bit fields of the resource words ----

template <class Decoded>
struct BitField {
  const char* id;
  std::function<uint64_t(const Decoded&)> get;
  int part_shift = 0;  // EXCP_EN bits share one field
};

template <class Decoded, class Decode>
void check_word(const std::vector<BitField<Decoded>>& fields, Decode decode) {
  for (const auto& f : fields) {
    const LedgerRow& row = Ledger::get().row(f.id);
    const int low = row.byte * 8 + row.bit;
    const uint64_t ones = (uint64_t{1} << row.size_bits) - 1;
    const auto set = decode(static_cast<uint32_t>(ones << low));
    const auto rest = decode(static_cast<uint32_t>(~(ones << low)));
    EXPECT_EQ(f.get(set), ones) << f.id << " " << row.item;
    EXPECT_EQ(f.get(rest), 0u) << f.id << " " << row.item;
    for (const auto& other : fields) {
      if (&other != &f) {
        EXPECT_EQ(other.get(set), 0u) << f.id << " reaches " << other.id;
      }
    }
  }
}

TEST(HsaLayout, Rsrc1Bits) {
  using F = BitField<Rsrc1>;
  const std::vector<F> fields = {
      {"A129", [](const Rsrc1& r) { return uint64_t{r.vgpr_granules}; }},
      {"A130", [](const Rsrc1& r) { return uint64_t{r.sgpr_granules}; }},
      {"A131", [](const Rsrc1& r) { return uint64_t{r.priority}; }},
      {"A132", [](const Rsrc1& r) { return static_cast<uint64_t>(r.round_32); }},
      {"A133", [](const Rsrc1& r) { return static_cast<uint64_t>(r.round_16_64); }},
      {"A134", [](const Rsrc1& r) { return static_cast<uint64_t>(r.denorm_32); }},
      {"A135", [](const Rsrc1& r) { return static_cast<uint64_t>(r.denorm_16_64); }},
      {"A136", [](const Rsrc1& r) { return uint64_t{r.priv}; }},
      {"A137", [](const Rsrc1& r) { return uint64_t{r.dx10_clamp}; }},
      {"A138", [](const Rsrc1& r) { return uint64_t{r.debug_mode}; }},
      {"A139", [](const Rsrc1& r) { return uint64_t{r.ieee}; }},
      {"A140", [](const Rsrc1& r) { return uint64_t{r.bulky}; }},
      {"A141", [](const Rsrc1& r) { return uint64_t{r.cdbg_user}; }},
  };
  check_word<Rsrc1>(fields, decode_rsrc1);
  EXPECT_EQ(fields.size() + 1, Ledger::get().group("pgm_rsrc1").size()) << "and the reserved bits";
  EXPECT_TRUE(decode_rsrc1(1u << 26).fp16_ovfl);
  // MODE: fp_round 3:0, fp_denorm 7:4, dx10_clamp 8, ieee 9, fp16_ovfl 23 (Vega ISA 3.3).
  EXPECT_EQ(decode_rsrc1(0x000ff000).mode(), 0xffu);
  EXPECT_EQ(decode_rsrc1(0x00001000).mode(), 0x01u);
  EXPECT_EQ(decode_rsrc1(0x00200000).mode(), 0x100u);
  EXPECT_EQ(decode_rsrc1(0x00800000).mode(), 0x200u);
  EXPECT_EQ(decode_rsrc1(0x04000000).mode(), 0x800000u);
}

TEST(HsaLayout, Rsrc2Bits) {
  using F = BitField<Rsrc2>;
  auto exception = [](unsigned bit) {
    return [bit](const Rsrc2& r) { return uint64_t{(r.exceptions >> bit) & 1u}; };
  };
  const std::vector<F> fields = {
      {"A143", [](const Rsrc2& r) { return uint64_t{r.private_segment}; }},
      {"A144", [](const Rsrc2& r) { return uint64_t{r.user_sgpr_count}; }},
      {"A145", [](const Rsrc2& r) { return uint64_t{r.trap_handler}; }},
      {"A146", [](const Rsrc2& r) { return uint64_t{r.workgroup_id_x}; }},
      {"A147", [](const Rsrc2& r) { return uint64_t{r.workgroup_id_y}; }},
      {"A148", [](const Rsrc2& r) { return uint64_t{r.workgroup_id_z}; }},
      {"A149", [](const Rsrc2& r) { return uint64_t{r.workgroup_info}; }},
      {"A150", [](const Rsrc2& r) { return uint64_t{r.workitem_id}; }},
      {"A151", exception(7)},
      {"A152", exception(8)},
      {"A153", [](const Rsrc2& r) { return uint64_t{r.lds_granules}; }},
      {"A154", exception(0)},
      {"A155", exception(1)},
      {"A156", exception(2)},
      {"A157", exception(3)},
      {"A158", exception(4)},
      {"A159", exception(5)},
      {"A160", exception(6)},
  };
  check_word<Rsrc2>(fields, decode_rsrc2);
  EXPECT_EQ(fields.size() + 1, Ledger::get().group("pgm_rsrc2").size()) << "and the reserved bit";
}

AmdKernelCode plain_code() {
  AmdKernelCode c;
  c.amd_machine_version_major = 9;
  return c;
}

TEST(HsaLayout, ReservedBitsAreRefused) {
  const TargetId target = default_machine(Processor::Gfx900);
  ASSERT_TRUE(decode_kernel_code(plain_code(), 0x1000, target).ok());
  for (const char* id : {"A142", "A161"}) {
    const LedgerRow& row = Ledger::get().row(id);
    const int low = row.byte * 8 + row.bit;
    for (int bit = low; bit < low + row.size_bits; ++bit) {
      AmdKernelCode c = plain_code();
      KernelDescriptor d;
      const bool first = row.group == "pgm_rsrc1";
      (first ? c.compute_pgm_rsrc1 : c.compute_pgm_rsrc2) = 1u << bit;
      (first ? d.compute_pgm_rsrc1 : d.compute_pgm_rsrc2) = 1u << bit;
      // The table is of gfx8; bit 26 became FP16_OVFL on gfx9.
      const bool good = first && bit == 26;
      EXPECT_EQ(decode_kernel_code(c, 0x1000, target).ok(), good) << id << " bit " << bit;
      EXPECT_EQ(decode_kernel_descriptor(d, 0x1000, target).ok(), good) << id << " bit " << bit;
    }
  }
  for (const char* id : {"A100", "A107"}) {
    const LedgerRow& row = Ledger::get().row(id);
    for (int i = 0; i < row.size_bits; ++i) {
      AmdKernelCode c = plain_code();
      c.kernel_code_properties = 1u << (row.byte * 8 + row.bit - 448 + i);
      EXPECT_FALSE(decode_kernel_code(c, 0x1000, target).ok()) << id << " bit " << i;
    }
  }
}

TEST(HsaLayout, KernelCodePropertyBits) {
  const TargetId target = default_machine(Processor::Gfx900);
  bool UserSgprs::* const kEnables[] = {&UserSgprs::private_segment_buffer,
                                        &UserSgprs::dispatch_ptr,
                                        &UserSgprs::queue_ptr,
                                        &UserSgprs::kernarg_segment_ptr,
                                        &UserSgprs::dispatch_id,
                                        &UserSgprs::flat_scratch_init,
                                        &UserSgprs::private_segment_size,
                                        &UserSgprs::grid_workgroup_count_x,
                                        &UserSgprs::grid_workgroup_count_y,
                                        &UserSgprs::grid_workgroup_count_z};
  auto position = [](const LedgerRow& row) { return row.byte * 8 + row.bit - 448; };
  for (int i = 0; i < 10; ++i) {
    char id[8];
    std::snprintf(id, sizeof id, "A%03d", 90 + i);
    AmdKernelCode c = plain_code();
    c.kernel_code_properties = 1u << position(Ledger::get().row(id));
    auto info = decode_kernel_code(c, 0x1000, target);
    ASSERT_TRUE(info.ok()) << id << " " << info.error().str();
    for (int other = 0; other < 10; ++other) {
      EXPECT_EQ(info->user_sgprs.*kEnables[other], other == i) << id << " enable " << other;
    }
  }
  // The first seven mean the same in the 64-byte descriptor (A341).
  for (int i = 0; i < 7; ++i) {
    KernelDescriptor d;
    d.kernel_code_properties = static_cast<uint16_t>(1u << i);
    auto info = decode_kernel_descriptor(d, 0x1000, target);
    ASSERT_TRUE(info.ok());
    EXPECT_TRUE(info->user_sgprs.*kEnables[i]);
  }
  EXPECT_EQ(position(Ledger::get().row("A101")), static_cast<int>(kPropertyOrderedAppendGds));
  EXPECT_EQ(position(Ledger::get().row("A102")), static_cast<int>(kPropertyPrivateElementSize));
  EXPECT_EQ(position(Ledger::get().row("A103")), static_cast<int>(kPropertyIsPtr64));
  EXPECT_EQ(position(Ledger::get().row("A105")), static_cast<int>(kPropertyIsDebugEnabled));
  EXPECT_EQ(position(Ledger::get().row("A106")), static_cast<int>(kPropertyIsXnackEnabled));
  AmdKernelCode dynamic = plain_code();
  dynamic.kernel_code_properties = 1u << position(Ledger::get().row("A104"));
  EXPECT_TRUE(decode_kernel_code(dynamic, 0x1000, target)->dynamic_stack);
  Ledger::get().row("A068");  // the same flag by absolute bit 468
  EXPECT_EQ(448 + position(Ledger::get().row("A104")), 468);
  AmdKernelCode append = plain_code();
  append.kernel_code_properties = 1u << position(Ledger::get().row("A101"));
  EXPECT_FALSE(decode_kernel_code(append, 0x1000, target).ok());
}

TEST(HsaLayout, EnumValues) {
  const std::map<std::string, long> values = {
      {"A162", static_cast<long>(MachineKind::Undefined)},
      {"A163", static_cast<long>(MachineKind::Amdgpu)},
      {"A164", static_cast<long>(FloatRound::NearEven)},
      {"A165", static_cast<long>(FloatRound::PlusInfinity)},
      {"A166", static_cast<long>(FloatRound::MinusInfinity)},
      {"A167", static_cast<long>(FloatRound::Zero)},
      {"A168", static_cast<long>(FloatDenorm::FlushSrcDst)},
      {"A169", static_cast<long>(FloatDenorm::FlushDst)},
      {"A170", static_cast<long>(FloatDenorm::FlushSrc)},
      {"A171", static_cast<long>(FloatDenorm::FlushNone)},
      {"A172", static_cast<long>(SignalKind::Invalid)},
      {"A173", static_cast<long>(SignalKind::User)},
      {"A174", static_cast<long>(SignalKind::Doorbell)},
      {"A175", static_cast<long>(SignalKind::LegacyDoorbell)},
  };
  for (const LedgerRow& row : Ledger::get().group("enum")) {
    ASSERT_EQ(values.count(row.id), 1u) << row.item;
    EXPECT_EQ("value " + std::to_string(values.at(row.id)), row.fact) << row.item;
  }
  const std::map<std::string, PacketType> types = {
      {"A290", PacketType::VendorSpecific}, {"A291", PacketType::Invalid},
      {"A292", PacketType::KernelDispatch}, {"A293", PacketType::BarrierAnd},
      {"A294", PacketType::AgentDispatch},  {"A295", PacketType::BarrierOr}};
  for (const LedgerRow& row : Ledger::get().group("aql_type")) {
    ASSERT_EQ(types.count(row.id), 1u);
    const std::string start = "type " + std::to_string(static_cast<int>(types.at(row.id))) + ":";
    EXPECT_EQ(row.fact.substr(0, start.size()), start) << row.item;
  }
}

TEST(HsaLayout, PacketHeaderBits) {
  for (const char* id : {"A286", "A287", "A288", "A289"}) Ledger::get().row(id);
  PacketHeader h;
  h.type = PacketType::KernelDispatch;
  EXPECT_EQ(encode(h), 0x0002);
  h.barrier = true;
  EXPECT_EQ(encode(h), 0x0102);
  h.acquire = FenceScope::System;
  EXPECT_EQ(encode(h), 0x0502);
  h.release = FenceScope::Agent;
  EXPECT_EQ(encode(h), 0x0d02);
  const PacketHeader back = decode_header(0x1304);
  EXPECT_EQ(back.type, PacketType::AgentDispatch);
  EXPECT_TRUE(back.barrier);
  EXPECT_EQ(back.acquire, FenceScope::Agent);
  EXPECT_EQ(back.release, FenceScope::System);
  EXPECT_EQ(kInvalidHeader, 1);
}

TEST(HsaLayout, IsaVersions) {
  for (const LedgerRow& row : Ledger::get().group("isa_version")) {
    unsigned major = 0, minor = 0, stepping = 0;
    ASSERT_EQ(std::sscanf(row.item.c_str(), "AMD:AMDGPU:%u:%u:%u", &major, &minor, &stepping), 3);
    const auto target = target_from_isa_version(major, minor, stepping);
    // GFX7 and GFX8 are known by name only.
    ASSERT_EQ(target.ok(), major == 9) << row.item;
    if (!target) continue;
    EXPECT_EQ(target->processor, Processor::Gfx900);
    const bool xnack = row.fact.find("+XNACK") != std::string::npos;
    EXPECT_EQ(target->xnack, xnack ? Feature::On : Feature::Off) << row.item;
  }
}

[[maybe_unused]] const auto* const kCount = count_rows("hsa_test");

}  // namespace
}  // namespace cuvette::hsa
