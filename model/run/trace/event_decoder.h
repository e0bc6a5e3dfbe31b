// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "run/trace/packet_reader.h"

namespace cuvette::run {

/// Kind of an event of a Perfetto trace, by its category.
enum class EventCategory : uint8_t {
  Other,  ///< among them those of instructions, which are their units
  Dispatch,
  Wave,
  Memory,
  Request,
  Fetch,
  Hit,
  Miss,
  Run
};

/// Arguments of events that a reader looks at.
enum class EventArgument : uint8_t { Wave, Dispatch, Workgroup, Pc, Other };

/// Interned names of one kind, which stay where they are.
template <class Meaning>
struct InternedNames {
  struct Name {
    std::string text;
    Meaning meaning;
  };
  std::map<std::string, Name, std::less<>> by_text;
  std::unordered_map<uint64_t, const Name*> by_number;
};

/// An event of a Perfetto trace with its names.
struct DecodedEvent {
  struct NoMeaning {};
  using Category = InternedNames<EventCategory>::Name;
  using Argument = InternedNames<EventArgument>::Name;
  using Value = std::variant<uint64_t, protozero::data_view>;  ///< the view: of the packet

  uint64_t type = 0;   ///< perfetto::track_event
  uint64_t track = 0;  ///< uuid
  const std::string* name = nullptr;
  const Category* category = nullptr;
  std::vector<std::pair<const Argument*, Value>> arguments;
};

/// Decoder of the events of a Perfetto trace, which knows the names that are interned so far.
/// Throws BadTrace and exceptions of protozero.
class EventDecoder {
 public:
  /// Takes an InternedData.
  void intern(protozero::data_view data);
  /// The event of a TrackEvent; there until the next one.
  const DecodedEvent& decode(protozero::data_view data);

 private:
  void argument(protozero::data_view annotation);

  InternedNames<DecodedEvent::NoMeaning> names_;
  InternedNames<EventCategory> categories_;
  InternedNames<EventArgument> arguments_;
  DecodedEvent event_;
};

}  // namespace cuvette::run
