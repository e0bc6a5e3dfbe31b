// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thunk/driver.h"

// Parts shared by the functions of the thunk. Their statuses are those of the public driver
// library (docs/howto/rocm.md has a table).
namespace cuvette::thunk {

/// Leaves a function of the thunk that needs the driver open.
#define CUVETTE_THUNK_OPEN()                                     \
  if (const HSAKMT_STATUS status_of_open = Driver::check_open(); \
      status_of_open != HSAKMT_STATUS_SUCCESS) {                 \
    return status_of_open;                                       \
  }                                                              \
  [[maybe_unused]] Driver& driver = *Driver::instance()

inline HSAKMT_STATUS check_node(const Driver& driver, HSAuint32 node) {
  return node < driver.topology().nodes() ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_NODE_UNIT;
}
/// A node with a device.
inline HSAKMT_STATUS check_device(const Driver& driver, HSAuint32 node) {
  return driver.topology().is_device(node) ? HSAKMT_STATUS_SUCCESS
                                           : HSAKMT_STATUS_INVALID_NODE_UNIT;
}
/// Null only with a count of 0.
inline HSAKMT_STATUS check_nodes(const Driver& driver, const HSAuint32* nodes, HSAuint64 count) {
  if (count == 0) return HSAKMT_STATUS_SUCCESS;
  if (nodes == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  for (HSAuint64 i = 0; i < count; ++i) {
    if (const auto s = check_node(driver, nodes[i]); s != HSAKMT_STATUS_SUCCESS) return s;
  }
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace cuvette::thunk
