// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_writer.hpp>

#include "run/trace/perfetto_fields.h"

/// Parts of a TrackEvent, added to one that is being written.
namespace cuvette::run::perfetto {

/// Fields of an event that begins or is there for a moment. Names are interned before its packet.
struct Start {
  int32_t type = track_event::kSliceBegin;
  uint64_t track = 0;               ///< uuid
  uint32_t name = 0, category = 0;  ///< interned numbers

  void add_to(protozero::pbf_writer& event) const {
    event.add_enum(track_event::kType, type);
    event.add_uint64(track_event::kTrackUuid, track);
    event.add_uint64(track_event::kCategoryIids, category);
    event.add_uint64(track_event::kNameIid, name);
  }
};

/// `field`: of DebugAnnotation, one of its whole numbers.
inline void add_annotation(protozero::pbf_writer& event, uint32_t name, uint32_t field,
                           uint64_t number) {
  char bytes[32];  // two fields of a tag and a number
  protozero::fixed_size_buffer_adaptor buffer(bytes, sizeof bytes);
  protozero::basic_pbf_writer<protozero::fixed_size_buffer_adaptor> annotation(buffer);
  annotation.add_uint64(debug_annotation::kNameIid, name);
  annotation.add_uint64(field, number);
  event.add_message(track_event::kDebugAnnotations, buffer.data(), buffer.size());
}

/// The value of a counter from this event on.
inline void add_counter(protozero::pbf_writer& event, uint64_t track, uint32_t now) {
  event.add_uint64(track_event::kExtraCounterTrackUuids, track);
  event.add_int64(track_event::kExtraCounterValues, now);
}

/// `field`: kFlowIds or kTerminatingFlowIds.
inline void add_flows(protozero::pbf_writer& event, uint32_t field, uint64_t first,
                      uint32_t count) {
  for (uint64_t flow = first; flow < first + count; ++flow) event.add_fixed64(field, flow);
}

}  // namespace cuvette::run::perfetto
