// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>
#include <zlib.h>

namespace cuvette::tests {

inline constexpr int kBegin = 1, kEnd = 2, kInstant = 3;
using Arguments = std::vector<std::pair<std::string, uint64_t>>;

inline std::string compressed(const std::string& bytes) {
  uLongf length = compressBound(bytes.size());
  std::string out(length, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &length,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(length);
  return out;
}

/// Perfetto trace that is written packet by packet, by the field numbers of the public definitions:
/// independent of the product's writer.
class HandTrace {
 public:
  HandTrace& packet(const std::function<void(protozero::pbf_writer&)>& fill) {
    protozero::pbf_writer trace(bytes_);
    protozero::pbf_writer packet(trace, 1);
    packet.add_uint32(10, 1);  // sequence
    fill(packet);
    return *this;
  }
  /// A name of InternedData's field `kind`: 1 category, 2 name of an event, 3 of an argument.
  uint64_t name(uint32_t kind, const std::string& text) {
    const auto [at, fresh] = names_.try_emplace({kind, text}, 7 * names_.size() + 1);
    const uint64_t number = at->second;
    if (fresh) {
      packet([&](protozero::pbf_writer& p) {
        protozero::pbf_writer data(p, 12);
        protozero::pbf_writer entry(data, kind);
        entry.add_uint64(1, number);
        entry.add_string(2, text);
      });
    }
    return number;
  }
  HandTrace& process(uint64_t uuid, int pid, const std::string& text) {
    return packet([&](protozero::pbf_writer& p) {
      protozero::pbf_writer track(p, 60);
      track.add_uint64(1, uuid);
      protozero::pbf_writer process(track, 3);
      process.add_int32(1, pid);
      process.add_string(6, text);
    });
  }
  HandTrace& thread(uint64_t uuid, int pid, const std::string& text) {
    return packet([&](protozero::pbf_writer& p) {
      protozero::pbf_writer track(p, 60);
      track.add_uint64(1, uuid);
      protozero::pbf_writer thread(track, 4);
      thread.add_int32(1, pid);
      thread.add_int32(2, static_cast<int>(1000 + uuid));
      thread.add_string(5, text);
    });
  }
  HandTrace& lane(uint64_t uuid, uint64_t parent) {
    return packet([&](protozero::pbf_writer& p) {
      protozero::pbf_writer track(p, 60);
      track.add_uint64(1, uuid);
      track.add_uint64(5, parent);
      track.add_string(2, "in flight");
    });
  }
  /// At a time that is not before that of the event before.
  HandTrace& event(uint64_t time, int type, uint64_t track, const std::string& category = "",
                   const std::string& text = "", const Arguments& arguments = {}) {
    const uint64_t category_number = category.empty() ? 0 : name(1, category);
    const uint64_t text_number = text.empty() ? 0 : name(2, text);
    for (const auto& [argument, value] : arguments) name(3, argument);
    return packet([&](protozero::pbf_writer& p) {
      p.add_uint64(8, time - time_);
      time_ = time;
      protozero::pbf_writer event(p, 11);
      event.add_enum(9, type);
      event.add_uint64(11, track);
      if (category_number != 0) event.add_uint64(3, category_number);
      if (text_number != 0) event.add_uint64(10, text_number);
      for (const auto& [argument, value] : arguments) {
        protozero::pbf_writer a(event, 4);
        a.add_uint64(1, name(3, argument));
        a.add_uint64(3, value);
      }
      event.add_fixed64(47, 5);  // a flow
    });
  }
  HandTrace& end(uint64_t time, uint64_t track) { return event(time, kEnd, track); }
  /// The event that says what the run was.
  HandTrace& facts(const std::string& clock = "1502.5") {
    const uint64_t category = name(1, "run"), text = name(2, "trace"),
                   argument = name(3, "clock_mhz");
    return packet([&](protozero::pbf_writer& p) {
      protozero::pbf_writer event(p, 11);
      event.add_enum(9, kInstant);
      event.add_uint64(3, category);
      event.add_uint64(10, text);
      protozero::pbf_writer a(event, 4);
      a.add_uint64(1, argument);
      a.add_string(6, clock);
    });
  }
  const std::string& bytes() const { return bytes_; }
  /// All packets so far, in compressed packets.
  std::string packed() const {
    std::string out;
    protozero::pbf_writer trace(out);
    protozero::pbf_writer packet(trace, 1);
    packet.add_bytes(50, compressed(bytes_));
    packet.commit();
    return out;
  }

 private:
  std::string bytes_;
  uint64_t time_ = 0;
  std::map<std::pair<uint32_t, std::string>, uint64_t> names_;
};

}  // namespace cuvette::tests
