// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ip/cache/block_history.h"

// Words of a cache's checker.
namespace cuvette::ip {

/// "0x1f".
std::string hex_text(uint64_t value);
/// "Write of 0x1000 by compute unit 3 wave 2 sequence 17 at id 0x44".
std::string request_text(const memory::MemReq& request);
/// "byte 0x1003" of the block of a request.
std::string byte_text(const memory::MemReq& request, unsigned at);
/// The values a byte may have, each with where it comes from. `passes`: nothing that is held.
std::string values_text(const std::vector<VisibleVersion>& seen, unsigned at, bool passes);

}  // namespace cuvette::ip
