// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Features that a driver may lack: debugger, profiler, sharing with other processes, graphics,
// migrating memory. Every function says so by the status that the public driver library has for it.
#include "thunk/api.h"

using namespace cuvette::thunk;

namespace {

/// Refuses a call for a node with a device; other nodes are no units.
HSAKMT_STATUS refuse(HSAuint32 node, HSAKMT_STATUS status) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_device(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  return status;
}

HSAKMT_STATUS refuse(HSAKMT_STATUS status) {
  CUVETTE_THUNK_OPEN();
  return status;
}

}  // namespace

extern "C" {

// Debugger: its calls of the kernel fail where the firmware has no debugger support.
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgRegister(HSAuint32 node) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgUnregister(HSAuint32 node) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgWavefrontControl(HSAuint32 node, HSA_DBG_WAVEOP, HSA_DBG_WAVEMODE,
                                                  HSAuint32, HsaDbgWaveMessage*) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgAddressWatch(HSAuint32 node, HSAuint32, HSA_DBG_WATCH_MODE[],
                                              void*[], HSAuint64[], HsaEvent*[]) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32*, HSAuint32*) {
  return refuse(HSAKMT_STATUS_NOT_SUPPORTED);
}
/// There is no debugger, but names of kernels come from the list that is meant for it.
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeEnable(void* r_debug, bool) {
  CUVETTE_THUNK_OPEN();
  driver.set_code_objects(r_debug);
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeDisable(void) {
  CUVETTE_THUNK_OPEN();
  driver.set_code_objects(nullptr);
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

// Profiler: no counter can be had by these functions; cuvette's own are in CUVETTE_STATS.
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcGetCounterProperties(HSAuint32 node,
                                                      HsaCounterProperties** properties) {
  if (properties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  *properties = nullptr;
  return refuse(node, HSAKMT_STATUS_NO_MEMORY);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcRegisterTrace(HSAuint32 node, HSAuint32, HsaCounter*,
                                               HsaPmcTraceRoot*) {
  return refuse(node, HSAKMT_STATUS_NO_MEMORY);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcUnregisterTrace(HSAuint32 node, HSATraceId trace) {
  return trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : refuse(node, HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcAcquireTraceAccess(HSAuint32 node, HSATraceId trace) {
  return trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : refuse(node, HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcReleaseTraceAccess(HSAuint32 node, HSATraceId trace) {
  return trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : refuse(node, HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcStartTrace(HSATraceId trace, void*, HSAuint64) {
  return refuse(trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcQueryTrace(HSATraceId trace) {
  return refuse(trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcStopTrace(HSATraceId trace) {
  return refuse(trace == 0 ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_INVALID_HANDLE);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMAcquire(HSAuint32 node) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMRelease(HSAuint32 node) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMSetDestBuffer(HSAuint32 node, HSAuint32, HSAuint32*, HSAuint32*,
                                               void*, bool*) {
  return refuse(node, HSAKMT_STATUS_ERROR);
}

// Memory of other processes, and of graphics.
HSAKMT_STATUS HSAKMTAPI hsaKmtShareMemory(void*, HSAuint64, HsaSharedMemoryHandle* handle) {
  return refuse(handle == nullptr ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_NOT_SUPPORTED);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle* handle, void**,
                                                   HSAuint64*) {
  return refuse(handle == nullptr ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_NOT_SUPPORTED);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle* handle,
                                                          void**, HSAuint64*, HSAuint64,
                                                          HSAuint32*) {
  return refuse(handle == nullptr ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_NOT_SUPPORTED);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodes(HSAuint64,
                                                            HsaGraphicsResourceInfo* info,
                                                            HSAuint64, HSAuint32*) {
  return refuse(info == nullptr ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_NOT_SUPPORTED);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtMapGraphicHandle(HSAuint32, HSAuint64, HSAuint64, HSAuint64,
                                               HSAuint64, HSAuint64*) {
  return refuse(HSAKMT_STATUS_NOT_IMPLEMENTED);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapGraphicHandle(HSAuint32, HSAuint64 address, HSAuint64) {
  return hsaKmtUnmapMemoryToGPU(reinterpret_cast<void*>(address));  // NOLINT: as the library has it
}

// Migrating memory, retried faults: not on this device. Retrying is off, and may be switched off.
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMSetAttr(void*, HSAuint64, unsigned, HSA_SVM_ATTRIBUTE*) {
  return refuse(HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMGetAttr(void*, HSAuint64, unsigned, HSA_SVM_ATTRIBUTE*) {
  return refuse(HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtSetXNACKMode(HSAint32 enable) {
  return refuse(enable == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR);
}
HSAKMT_STATUS HSAKMTAPI hsaKmtGetXNACKMode(HSAint32* enable) {
  CUVETTE_THUNK_OPEN();
  if (enable == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  *enable = 0;
  return HSAKMT_STATUS_SUCCESS;
}

}  // extern "C"
