// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/perfetto_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "run/trace/perfetto_fields.h"
#include "run/trace/writer.h"

namespace cuvette::run {

using protozero::data_view;
using protozero::pbf_reader;

namespace {

constexpr uint64_t kMostTime = INT64_MAX;
constexpr const char* kVectorL1 = "vector_l1";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) words.push_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that a word of a track's or process's name is.
uint32_t number_in(std::string_view name, size_t word) {
  const auto words = words_of(name);
  const auto number = word < words.size() ? parsed<uint32_t>(words[word]) : std::nullopt;
  if (!number) throw BadTrace(fmt::format("a track or process '{}'", name));
  return *number;
}

uint32_t last_number_in(std::string_view name) {
  return number_in(name, words_of(name).size() - 1);
}

template <class T>
const T& known(const T* value, const char* what) {
  if (value == nullptr) throw BadTrace(fmt::format("there is no {}", what));
  return *value;
}

/// Puts the arguments of an event that are looked at over those that a slice has.
template <class Numbers>
void take_numbers(Numbers& numbers, const DecodedEvent& event) {
  for (const auto& [name, value] : event.arguments) {
    if (name->meaning == EventArgument::Other) continue;
    const auto* const number = std::get_if<uint64_t>(&value);
    if (number == nullptr) throw BadTrace(fmt::format("{} that is no whole number", name->text));
    numbers[static_cast<size_t>(name->meaning)] = *number;
  }
}

}  // namespace

void PerfettoReader::packet(const TracePacket& packet) {
  if (packet.time_step > kMostTime - time_) throw BadTrace("a time of more than 63 bits");
  time_ += packet.time_step;
  if (packet.interned) decoder_.intern(*packet.interned);
  if (packet.track) describe(*packet.track);
  if (packet.event) event(decoder_.decode(*packet.event));
}

/// Tracks of processes, of threads, and lanes below these.
void PerfettoReader::describe(data_view descriptor) {
  namespace tags = perfetto::track_descriptor;
  std::optional<uint64_t> uuid, parent;
  std::optional<data_view> process, thread;
  pbf_reader fields(descriptor);
  while (fields.next()) {
    switch (fields.tag()) {
      case tags::kUuid:
        uuid = number_of(fields);
        break;
      case tags::kParentUuid:
        parent = number_of(fields);
        break;
      case tags::kProcess:
        process = bytes_of(fields);
        break;
      case tags::kThread:
        thread = bytes_of(fields);
        break;
      default:
        fields.skip();
    }
  }
  if (process) {
    namespace p = perfetto::process_descriptor;
    const NamedNumber named(*process, p::kPid, p::kProcessName);
    processes_[named.number] = named.name;
    return;
  }
  Track& track = tracks_[known(uuid ? &*uuid : nullptr, "number of a track")];
  if (thread) {
    namespace t = perfetto::thread_descriptor;
    NamedNumber named(*thread, t::kPid, t::kThreadName);
    track.pid = named.number;
    track.thread = std::move(named.name);
  } else if (parent && tracks_.contains(*parent)) {
    const Track& above = tracks_[*parent];
    track.pid = above.pid;
    track.thread = above.thread;
  }
  track.target = {};
}

void PerfettoReader::event(const DecodedEvent& event) {
  Track& track = tracks_[event.track];
  if (event.type == perfetto::track_event::kSliceBegin) {
    track.open.push_back({event.name, event.category, time_, {}});
    take_numbers(track.open.back().numbers, event);
  } else if (event.type == perfetto::track_event::kSliceEnd) {
    if (track.open.empty()) throw BadTrace("an end without a begin");
    take_numbers(track.open.back().numbers, event);
    slice(track, track.open.back());
    track.open.pop_back();
  } else {
    instant(track, event);
  }
}

void PerfettoReader::instant(Track& track, const DecodedEvent& event) {
  if (event.category == nullptr) return;
  if (event.category->meaning == EventCategory::Miss) {
    if (track.target.misses == nullptr) track.target.misses = &cache_of(track, columns_.misses);
    track.target.misses->push_back(time_);
  } else if (event.category->meaning == EventCategory::Hit) {
    if (track.target.hits == nullptr) track.target.hits = &cache_of(track, columns_.hits);
    track.target.hits->push_back(time_);
  } else if (event.category->meaning == EventCategory::Run) {
    for (const auto& [name, value] : event.arguments) {
      if (const auto* const number = std::get_if<uint64_t>(&value)) {
        facts_[name->text] = *number;
      } else {
        const data_view text = std::get<data_view>(value);
        facts_[name->text] = std::string(text.data(), text.size());
      }
    }
  }
}

/// One that ends now.
void PerfettoReader::slice(Track& track, const Slice& slice) {
  Target& target = track.target;
  switch (slice.category == nullptr ? EventCategory::Other : slice.category->meaning) {
    case EventCategory::Memory:
      if (target.accesses == nullptr) {
        target.accesses = &columns_.accesses[last_number_in(track.thread)];
      }
      return target.accesses->push_back(slice.start);
    case EventCategory::Request:
      if (target.requests == nullptr) {
        target.requests = &columns_.requests[last_number_in(process_of(track))];
      }
      target.requests->begins.push_back(slice.start);
      return target.requests->ends.push_back(time_);
    case EventCategory::Fetch:
      return;
    case EventCategory::Dispatch:
      return columns_.dispatches.push_back(
          {known(slice.name, "name of a dispatch"), slice.start, time_ - slice.start});
    case EventCategory::Wave:
      return wave(track, slice);
    default:
      if (const auto& pc = slice.number(EventArgument::Pc)) issue(track, slice, *pc);
  }
}

void PerfettoReader::wave(Track& track, const Slice& slice) {
  const auto number = [&slice](EventArgument argument) {
    const auto& found = slice.number(argument);
    return known(found ? &*found : nullptr, "number, dispatch or work-group of a wave");
  };
  static_cast<void>(number(EventArgument::Workgroup));
  slot_of(track).wave({slice.start, time_ - slice.start, number(EventArgument::Wave),
                       number(EventArgument::Dispatch)});
}

void PerfettoReader::issue(Track& track, const Slice& slice, uint64_t pc) {
  const uint32_t code = timeline_.code(pc, known(slice.name, "text of an instruction"),
                                       known(slice.category, "unit of an instruction").text);
  slot_of(track).issue(slice.start, code);
}

const std::string& PerfettoReader::process_of(const Track& track) const {
  const auto found = track.pid ? processes_.find(*track.pid) : processes_.end();
  return known(found == processes_.end() ? nullptr : &found->second, "process of a track");
}

/// Of "simd 1 slot 3" in the process "compute unit 0".
WaveTimeline::Slot& PerfettoReader::slot_of(Track& track) {
  if (track.target.slot == nullptr) {
    track.target.slot = &timeline_.slot({last_number_in(process_of(track)),
                                         number_in(track.thread, 1), number_in(track.thread, 3)});
  }
  return *track.target.slot;
}

/// Of `events`, those of the cache that a track is of. Vector L1s are numbered by their processes.
TraceColumns::Times& PerfettoReader::cache_of(
    const Track& track, std::map<std::string, TraceColumns::ByInstance>& events) const {
  static constexpr std::pair<std::string_view, const char*> kCaches[] = {
      {"vector L1", kVectorL1},
      {"scalar cache", "scalar_cache"},
      {"instruction cache", "instruction_cache"},
      {"L2 slice", "l2"}};
  for (const auto& [kind, block] : kCaches) {
    if (!track.thread.starts_with(kind)) continue;
    const std::string& numbered = block == kVectorL1 ? process_of(track) : track.thread;
    return events[block][last_number_in(numbered)];
  }
  throw BadTrace(fmt::format("a cache '{}'", track.thread));
}

uint64_t PerfettoReader::left_out(const std::string& what) const {
  const auto found = facts_.find("left_out_" + what);
  if (found == facts_.end()) return 0;
  const auto* const count = std::get_if<uint64_t>(&found->second);
  if (count == nullptr || *count > kMostTime) throw BadTrace(found->first + " that is no count");
  return *count;
}

TraceColumns PerfettoReader::columns() {
  const auto text_of = [this](const char* name) {
    const auto fact = facts_.find(name);
    return fact == facts_.end() ? nullptr : std::get_if<std::string>(&fact->second);
  };
  const auto mhz = parsed<double>(known(text_of("clock_mhz"), "clock of the run (clock_mhz)"));
  if (!mhz || !std::isfinite(*mhz)) throw BadTrace("a clock_mhz that is no number");
  columns_.clock_mhz = *mhz;
  if (const auto* const filter = text_of("filter")) columns_.filter = *filter;
  if (const auto* const window = text_of("window")) columns_.window = *window;
  for (const char* const what : TraceCounts::kNames) columns_.left_out[what] = left_out(what);
  tracks_.clear();  // which point to slots
  timeline_.move_to(columns_);
  for (auto& [channel, times] : columns_.accesses) std::ranges::sort(times);
  for (auto& [unit, requests] : columns_.requests) std::ranges::sort(requests.begins);
  return std::move(columns_);
}

base::Result<TraceColumns> read_perfetto(const std::string& path) {
  const auto broken = [&path](const std::string& why) {
    return base::Error("not a trace of cuvette run --trace, or one that breaks off: " + why,
                       {.file = path});
  };
  try {
    PacketReader packets(path);
    PerfettoReader reader;
    while (const auto packet = packets.next()) reader.packet(*packet);
    return reader.columns();
  } catch (const std::system_error& error) {
    return base::Error("cannot be read: " + error.code().message(), {.file = path});
  } catch (const BadTrace& bad) {
    return broken(bad.what());
  } catch (const protozero::exception& bad) {
    return broken(bad.what());
  } catch (const nlohmann::json::exception&) {
    return broken("a name that is no UTF-8");
  }
}

}  // namespace cuvette::run
