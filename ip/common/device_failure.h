// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cuvette::ip {

/// Error that a device, or a monitor on its pins, reports.
struct DeviceFailure {
  std::string field;  ///< "assertion", "protocol", or the field of a message that cannot be
  std::string what;
};

}  // namespace cuvette::ip
