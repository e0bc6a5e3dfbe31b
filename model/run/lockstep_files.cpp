// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/lockstep_files.h"

#include <charconv>

namespace cuvette::run {
namespace {

bool parse_cycle(const std::string& text, machine::Cycle& cycle) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, cycle);
  return error == std::errc() && stop == end && cycle != machine::kNever;
}

}  // namespace

base::Status parse_window(const std::string& text, LockstepFiles& files) {
  const auto colon = text.find(':');
  const bool good = colon != std::string::npos && parse_cycle(text.substr(0, colon), files.first) &&
                    parse_cycle(text.substr(colon + 1), files.last) && files.first <= files.last;
  if (good) return {};
  return base::Error("--window expects FIRST:LAST in cycles, found '" + text + "'");
}

}  // namespace cuvette::run
