// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/api.h"

using namespace cuvette::thunk;

namespace {

/// Raised by the driver alone.
bool is_system_event(const HsaEvent& event) {
  return event.EventData.EventType != HSA_EVENTTYPE_SIGNAL &&
         event.EventData.EventType != HSA_EVENTTYPE_DEBUG_EVENT;
}

HSAKMT_STATUS set_event(HsaEvent* event, bool signaled) {
  CUVETTE_THUNK_OPEN();
  if (event == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
  if (!driver.events().is_live(event) || is_system_event(*event)) return HSAKMT_STATUS_ERROR;
  driver.events().set(event, signaled);
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

HSAKMT_STATUS HSAKMTAPI hsaKmtCreateEvent(HsaEventDescriptor* descriptor, bool manual_reset,
                                          bool is_signaled, HsaEvent** event) {
  CUVETTE_THUNK_OPEN();
  if (descriptor == nullptr || event == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  *event = nullptr;
  if (descriptor->EventType >= HSA_EVENTTYPE_MAXID) return HSAKMT_STATUS_INVALID_PARAMETER;
  const bool signals = descriptor->EventType == HSA_EVENTTYPE_SIGNAL ||
                       descriptor->EventType == HSA_EVENTTYPE_DEBUG_EVENT;
  *event = driver.events().create(*descriptor, manual_reset, is_signaled && signals);
  return *event != nullptr ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyEvent(HsaEvent* event) {
  CUVETTE_THUNK_OPEN();
  if (event == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
  return driver.events().destroy(event) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtSetEvent(HsaEvent* event) {
  return set_event(event, true);
}

HSAKMT_STATUS HSAKMTAPI hsaKmtResetEvent(HsaEvent* event) {
  return set_event(event, false);
}

/// As the driver library has it: only whether there is such an event.
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryEventState(HsaEvent* event) {
  CUVETTE_THUNK_OPEN();
  if (event == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
  return driver.events().is_live(event) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEvent(HsaEvent* event, HSAuint32 milliseconds) {
  if (event == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
  return hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds);
}

HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEvents(HsaEvent* events[], HSAuint32 count, bool all,
                                                   HSAuint32 milliseconds) {
  CUVETTE_THUNK_OPEN();
  if (events == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
  if (count == 0) return HSAKMT_STATUS_INVALID_PARAMETER;
  return driver.events().wait(events, count, all, milliseconds);
}

}  // extern "C"
