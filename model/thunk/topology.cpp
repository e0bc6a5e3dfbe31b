// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/topology.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "gpu/configs.h"
#include "hsa/queue.h"
#include "hsa/target.h"

namespace cuvette::thunk {
namespace {

/// Name of a product, by processor.
struct Product {
  const char* target;
  const char* name;
  HSAuint16 device_id;  ///< PCI id (public pci.ids)
  HSAuint32 firmware;   ///< version of the compute micro engine, as drivers of the time have it
  HSAuint8 gws;         ///< resources of global wave sync that the kernel driver offers with it
};
constexpr Product kProducts[] = {
    {"gfx900", "Radeon Instinct MI25", 0x6860, 468, 0},
    {"gfx906", "Radeon Instinct MI60", 0x66a0, 464, 64},
    {"gfx908", "AMD Instinct MI100", 0x738c, 64, 64},
    {"gfx90a", "AMD Instinct MI210", 0x740f, 72, 64},
    {"gfx942", "AMD Instinct MI300X", 0x74a1, 144, 64},
};
constexpr HSAuint16 kVendorAmd = 0x1002;
constexpr HSAuint32 kDoorbells64 = 2;  // HSA_CAPABILITY.DoorbellType
/// Weights of links: PCIe, from the host's SLIT; two of them with the host between; xGMI.
constexpr HSAuint32 kPcieWeight = 20, kThroughHostWeight = 40, kXgmiWeight = 15;
constexpr HSAuint32 kWavesOfScratch = 32;
constexpr HSAuint32 kComputeQueues = 24;           // 4 pipes of 8, less those of the kernel
constexpr HSAuint32 kFirstSimd = 0x80001000;       // of all devices
constexpr HSAuint64 kUniqueId = 0x43757665747465;  // "Cuvette", of the first device
constexpr HSAuint64 kHive = 0x4869766500000001;

uint64_t host_memory_bytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Name of the host's processor in its kernel.
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "host";
}

/// Cut off where there is no room; the last one is 0.
template <class Character>
void copy_name(const std::string& name, Character (&out)[HSA_PUBLIC_NAME_SIZE]) {
  const size_t length = std::min<size_t>(name.size(), HSA_PUBLIC_NAME_SIZE - 1);
  for (size_t i = 0; i < length; ++i) out[i] = static_cast<HSAuint8>(name[i]);
}

HsaCacheProperties cache_of(HSAuint32 first, HSAuint32 level, const machine::CacheDescription& c,
                            bool data, double clock_mhz) {
  HsaCacheProperties p{};
  p.ProcessorIdLow = first;
  p.CacheLevel = level;
  p.CacheSize = c.bytes / 1024;
  p.CacheLineSize = c.line_bytes;
  p.CacheLinesPerTag = 1;
  p.CacheAssociativity = c.ways;
  p.CacheLatency = static_cast<HSAuint32>(c.hit_cycles * 1000.0 / clock_mhz);
  p.CacheType.ui32.Data = data;
  p.CacheType.ui32.Instruction = !data;
  p.CacheType.ui32.HSACU = 1;
  return p;
}

}  // namespace

base::Result<Topology> Topology::create(const machine::GpuConfig& description, unsigned devices) {
  auto target = hsa::parse_target(description.target);
  if (!target) return target.error();
  Topology t;
  t.nodes_.push_back(host());
  for (unsigned i = 0; i < devices; ++i) {
    t.nodes_.push_back(device(description, i));
    // A hive has at least two members.
    if (devices > 1 && description.sdma.xgmi_engines != 0) {
      t.nodes_.back().properties.HiveID = kHive;
    }
  }
  t.add_links();
  for (Node& node : t.nodes_) {
    node.properties.NumMemoryBanks = static_cast<HSAuint32>(node.banks.size());
    node.properties.NumCaches = static_cast<HSAuint32>(node.caches.size());
    node.properties.NumIOLinks = static_cast<HSAuint32>(node.links.size());
  }
  return t;
}

HsaSystemProperties Topology::system() const {
  HsaSystemProperties p{};
  p.NumNodes = nodes();
  return p;
}

std::vector<HSAuint32> Topology::devices() const {
  std::vector<HSAuint32> out;
  for (HSAuint32 node = kFirstDevice; node < nodes(); ++node) out.push_back(node);
  return out;
}

std::string Topology::pci_address(HSAuint32 node) const {
  const HSAuint32 location = nodes_[node].properties.LocationId;
  return fmt::format("0000:{:02x}:{:02x}.{}", location >> 8, location >> 3 & 0x1f, location & 7);
}

void Topology::add_links() {
  for (HSAuint32 from = 0; from < nodes(); ++from) {
    for (HSAuint32 to = 0; to < nodes(); ++to) {
      if (from == to) continue;
      const bool peers = is_device(from) && is_device(to);
      const bool xgmi = peers && nodes_[from].properties.HiveID != 0;
      HsaIoLinkProperties p{};
      p.IoLinkType = xgmi ? HSA_IOLINK_TYPE_XGMI : HSA_IOLINKTYPE_PCIEXPRESS;
      p.VersionMajor = xgmi ? 0 : 3;
      p.NodeFrom = from;
      p.NodeTo = to;
      p.Weight = xgmi ? kXgmiWeight : peers ? kThroughHostWeight : kPcieWeight;
      nodes_[from].links.push_back(p);
    }
  }
}

Topology::Node Topology::host() {
  Node node;
  HsaNodeProperties& n = node.properties;
  n.NumCPUCores = std::max(1u, std::thread::hardware_concurrency());
  copy_name(processor_name(), n.MarketingName);
  copy_name(processor_name(), n.AMDName);
  HsaMemoryProperties bank{};
  bank.HeapType = HSA_HEAPTYPE_SYSTEM;
  bank.SizeInBytes = host_memory_bytes();
  bank.Width = 64;
  node.banks.push_back(bank);
  HsaCacheProperties cache{};
  cache.CacheLevel = 1;
  cache.CacheSize = 32;
  cache.CacheLineSize = 64;
  cache.CacheLinesPerTag = 1;
  cache.CacheType.ui32.Data = 1;
  cache.CacheType.ui32.CPU = 1;
  node.caches.push_back(cache);
  return node;
}

/// `index`: from 0 on.
Topology::Node Topology::device(const machine::GpuConfig& d, unsigned index) {
  const hsa::ProcessorFacts& facts = hsa::facts(hsa::parse_target(d.target)->processor);
  const unsigned engines = gpu::shader_engines(d);
  Node node;
  HsaNodeProperties& n = node.properties;
  n.NumFComputeCores = d.compute_units * d.compute_unit.simds;
  n.FComputeIdLo = kFirstSimd + index * n.NumFComputeCores;
  n.MaxWavesPerSIMD = d.compute_unit.waves_per_simd;
  n.LDSSizeInKB = d.compute_unit.lds_bytes / 1024;
  n.WaveFrontSize = 64;
  n.NumShaderBanks = engines;
  n.NumArrays = 1;
  n.NumCUPerArray = (d.compute_units + engines - 1) / engines;
  n.NumSIMDPerCU = d.compute_unit.simds;
  n.MaxSlotsScratchCU = kWavesOfScratch;
  n.Capability.ui32.QueueSizePowerOfTwo = 1;
  n.Capability.ui32.DoorbellType = kDoorbells64;
  n.Capability.ui32.SRAM_EDCSupport = d.sramecc ? 1 : 0;
  n.EngineId.ui32.Major = facts.isa_major;
  n.EngineId.ui32.Minor = facts.isa_minor;
  n.EngineId.ui32.Stepping = facts.isa_stepping;
  n.VendorId = kVendorAmd;
  n.LocationId = (index + 1) << 8;  // device 0 of a bus, from bus 1 on
  n.LocalMemSize = d.memory.bytes;
  n.MaxEngineClockMhzFCompute = static_cast<HSAuint32>(d.clock_mhz);
  n.MaxEngineClockMhzCCompute = n.MaxEngineClockMhzFCompute;
  n.DrmRenderMinor = -1;
  n.NumCpQueues = kComputeQueues;
  n.NumSdmaEngines = d.sdma.engines;
  n.NumSdmaXgmiEngines = d.sdma.xgmi_engines;
  n.NumSdmaQueuesPerEngine = static_cast<HSAuint8>(d.sdma.rings_per_engine);
  n.UniqueID = kUniqueId + index;
  n.VGPRSizePerCU =
      (d.compute_unit.vgpr_rows + d.compute_unit.accvgpr_rows) * 64 * 4 * d.compute_unit.simds;
  n.SGPRSizePerCU = d.compute_unit.sgprs_per_simd * 4 * d.compute_unit.simds;
  for (const Product& p : kProducts) {
    if (d.target != p.target) continue;
    n.DeviceId = p.device_id;
    n.EngineId.ui32.uCode = p.firmware;
    n.NumGws = p.gws;
    copy_name(p.name, n.MarketingName);
    copy_name(facts.name, n.AMDName);
  }

  HsaMemoryProperties bank{};
  bank.HeapType = HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC;
  bank.SizeInBytes = d.memory.bytes;
  bank.Width = d.l2.slices * 128;  // a channel of HBM2 per slice
  bank.MemoryClockMax = n.MaxEngineClockMhzFCompute;
  node.banks.push_back(bank);
  bank = {};
  bank.HeapType = HSA_HEAPTYPE_GPU_LDS;
  bank.SizeInBytes = d.compute_unit.lds_bytes;
  bank.VirtualBaseAddress = d.shared_aperture;
  node.banks.push_back(bank);
  bank = {};
  bank.HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
  bank.SizeInBytes = uint64_t{1} << 32;
  bank.VirtualBaseAddress = d.private_aperture;
  node.banks.push_back(bank);
  add_caches(d, node);
  return node;
}

void Topology::add_caches(const machine::GpuConfig& d, Node& node) {
  auto& caches = node.caches;
  const HSAuint32 first = node.properties.FComputeIdLo;
  const unsigned simds = d.compute_unit.simds;
  const auto add_shared = [&](const machine::CacheDescription& c, bool data) {
    for (unsigned unit = 0; unit < d.compute_units; unit += std::max(1u, c.shared_by)) {
      caches.push_back(cache_of(first + unit * simds, 1, c, data, d.clock_mhz));
    }
  };
  add_shared(d.vector_l1, true);
  add_shared(d.scalar_cache, true);
  add_shared(d.instruction_cache, false);
  machine::CacheDescription l2 = d.l2.slice;
  l2.bytes *= d.l2.slices;
  caches.push_back(cache_of(first, 2, l2, true, d.clock_mhz));
}

}  // namespace cuvette::thunk
