// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/cache_text.h"

#include "ip/cache/cache_checker.h"
#include "ip/common/recording_line.h"

namespace cuvette::ip {
namespace {

const char* name_of(memory::MemOp op) {
  static constexpr const char* kNames[] = {"Read",         "Write",      "Atomic",
                                           "AtomicReturn", "Invalidate", "Writeback"};
  const auto number = static_cast<size_t>(op);
  return number < std::size(kNames) ? kNames[number] : "request of no kind";
}

}  // namespace

std::string hex_text(uint64_t value) {
  return recording::hex(value);
}

std::string requester_text(const memory::MemReq& request, uint64_t serial) {
  std::string text = request.cu == memory::kCommandProcessorCu
                         ? "command processor"
                         : "compute unit " + std::to_string(request.cu);
  text += " wave " + std::to_string(request.wave) + " sequence " + std::to_string(request.sequence);
  if (serial != 0) text += ", serial " + std::to_string(serial);
  return text;
}

std::string request_text(const memory::MemReq& request) {
  return std::string(name_of(request.op)) + " of " + hex_text(request.address) + " by " +
         requester_text(request);
}

std::string byte_text(const memory::MemReq& request, unsigned at) {
  return "byte " + hex_text((request.address & ~uint64_t{memory::kBlockBytes - 1}) + at);
}

std::string values_text(const std::vector<VisibleVersion>& seen, unsigned at, bool passes) {
  std::string text;
  for (const auto& [version, mask] : seen) {
    if ((mask >> at & 1) == 0) continue;
    version->settle();
    for (const BlockBytes& bytes : version->values) {
      text += (text.empty() ? "" : " or ") + hex_text(bytes[at]);
      text += version->kind == Version::Kind::Fill
                  ? " from below"
                  : " of " + requester_text(version->request, version->serial);
    }
  }
  if (!text.empty()) return text;
  return passes ? "a request to the level below first, which it goes past to"
                : "a request to the level below first: nothing is held that may be seen";
}

}  // namespace cuvette::ip
