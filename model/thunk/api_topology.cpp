// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Opening, versions, topology, clocks.
#include <algorithm>
#include <cstring>
#include <ctime>

#include "thunk/api.h"

using namespace cuvette::thunk;

namespace {

constexpr HSAuint32 kMajor = 1, kMinor = 5;  // of the kernel interface that is shown
constexpr uint64_t kNanoseconds = 1'000'000'000;

uint64_t boot_time() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNanoseconds + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

extern "C" {

HSAKMT_STATUS HSAKMTAPI hsaKmtOpenKFD(void) {
  return Driver::open();
}

HSAKMT_STATUS HSAKMTAPI hsaKmtCloseKFD(void) {
  CUVETTE_THUNK_OPEN();
  return driver.close();
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetVersion(HsaVersionInfo* version) {
  CUVETTE_THUNK_OPEN();
  if (version == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  version->KernelInterfaceMajorVersion = kMajor;
  version->KernelInterfaceMinorVersion = kMinor;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtAcquireSystemProperties(HsaSystemProperties* properties) {
  CUVETTE_THUNK_OPEN();
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  *properties = driver.topology().system();
  return HSAKMT_STATUS_SUCCESS;
}

/// The topology never changes: there is no snapshot to give back.
HSAKMT_STATUS HSAKMTAPI hsaKmtReleaseSystemProperties(void) {
  CUVETTE_THUNK_OPEN();
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties* properties) {
  CUVETTE_THUNK_OPEN();
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  *properties = driver.topology().node(node);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 count,
                                                      HsaMemoryProperties* properties) {
  CUVETTE_THUNK_OPEN();
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  const auto& banks = driver.topology().banks(node);
  std::memset(properties, 0, count * sizeof *properties);
  std::copy_n(banks.begin(), std::min<size_t>(count, banks.size()), properties);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32, HSAuint32 count,
                                                     HsaCacheProperties* properties) {
  CUVETTE_THUNK_OPEN();
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  const auto& caches = driver.topology().caches(node);
  if (count > caches.size()) return HSAKMT_STATUS_INVALID_PARAMETER;
  std::copy_n(caches.begin(), count, properties);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 count,
                                                      HsaIoLinkProperties* properties) {
  CUVETTE_THUNK_OPEN();
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  if (count > driver.topology().node(node).NumIOLinks) return HSAKMT_STATUS_INVALID_PARAMETER;
  std::copy_n(driver.topology().links(node).begin(), count, properties);
  return HSAKMT_STATUS_SUCCESS;
}

/// Simulated time: cycles of the devices, which have one clock, and nanoseconds in the same ratio
/// at every call. Reading the clock lets a cycle pass.
HSAKMT_STATUS HSAKMTAPI hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters* counters) {
  CUVETTE_THUNK_OPEN();
  if (counters == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  static const uint64_t base = boot_time();
  const uint64_t cycles = driver.simulation().read_clock();
  const uint64_t time = base + static_cast<uint64_t>(static_cast<double>(cycles) * 1000.0 /
                                                     driver.description().clock_mhz);
  counters->GPUClockCounter = cycles;
  counters->CPUClockCounter = time;
  counters->SystemClockCounter = time;
  counters->SystemClockFrequencyHz = kNanoseconds;
  return HSAKMT_STATUS_SUCCESS;
}

/// Surfaces are linear: no tables, the address configuration of one pipe and bank.
HSAKMT_STATUS HSAKMTAPI hsaKmtGetTileConfig(HSAuint32 node, HsaGpuTileConfig* config) {
  CUVETTE_THUNK_OPEN();
  if (config == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  if (const auto s = check_device(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  config->NumTileConfigs = config->NumMacroTileConfigs = 0;
  config->GbAddrConfig = config->NumBanks = config->NumRanks = 0;
  return HSAKMT_STATUS_SUCCESS;
}

}  // extern "C"
