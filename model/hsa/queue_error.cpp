// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/queue_error.h"

#include <algorithm>
#include <iterator>

namespace cuvette::hsa {
namespace {

struct Meaning {
  uint32_t code;
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {kQueueErrorScratch, "more scratch memory is needed"},
    {kQueueErrorDispatch, "the grid or work-group size is not legal"},
    {kQueueErrorGroupMemory, "the group segment is too large"},
    {kQueueErrorCode, "the kernel object is null, misaligned or foreign"},
    {kQueueErrorPacket, "unknown or malformed packet"},
    {kQueueErrorWorkgroupSize, "more than 1024 work-items in a work-group"},
    {kQueueErrorResources, "no compute unit has the registers or LDS the kernel asks for"},
    {kQueueErrorVendorPacket, "malformed vendor packet"},
    {kQueueErrorMemoryFault, "memory fault"},
    {kQueueErrorIllegalInstruction, "illegal or unsupported instruction"},
    {kQueueErrorException, "trap without a handler"}};

}  // namespace

std::string_view queue_error_text(uint64_t code) {
  const auto found = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                  [code](const Meaning& m) { return m.code == code; });
  return found == std::end(kMeanings) ? std::string_view() : found->text;
}

}  // namespace cuvette::hsa
