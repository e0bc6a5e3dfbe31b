// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Field numbers of the public Perfetto trace format, by message of package perfetto.protos
/// (protos/perfetto/trace of the Perfetto sources), and the values of its enums.
namespace cuvette::run::perfetto {

namespace trace {  // Trace
inline constexpr uint32_t kPacket = 1;
}
namespace trace_packet {  // TracePacket
inline constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kTrustedPacketSequenceId = 10,
                          kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                          kCompressedPackets = 50, kTracePacketDefaults = 59, kTrackDescriptor = 60;
// SequenceFlags
inline constexpr uint32_t kSeqIncrementalStateCleared = 1, kSeqNeedsIncrementalState = 2;
}  // namespace trace_packet
namespace trace_packet_defaults {  // TracePacketDefaults
inline constexpr uint32_t kTimestampClockId = 58;
}
namespace clock_snapshot {  // ClockSnapshot
inline constexpr uint32_t kClocks = 1;
}
namespace clock {  // ClockSnapshot.Clock
inline constexpr uint32_t kClockId = 1, kTimestamp = 2, kIsIncremental = 3;
// BuiltinClock, and the first number of those of one sequence of packets
inline constexpr uint32_t kBootTime = 6, kFirstOfSequence = 64;
}  // namespace clock
namespace track_descriptor {  // TrackDescriptor
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5,
                          kCounter = 8;
}
namespace process_descriptor {  // ProcessDescriptor
inline constexpr uint32_t kPid = 1, kProcessName = 6;
}
namespace thread_descriptor {  // ThreadDescriptor
inline constexpr uint32_t kPid = 1, kTid = 2, kThreadName = 5;
}
namespace track_event {  // TrackEvent
inline constexpr uint32_t kCategoryIids = 3, kDebugAnnotations = 4, kType = 9, kNameIid = 10,
                          kTrackUuid = 11, kExtraCounterValues = 12, kExtraCounterTrackUuids = 31,
                          kFlowIds = 47, kTerminatingFlowIds = 48;
// Type
inline constexpr int32_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3;
}  // namespace track_event
namespace debug_annotation {  // DebugAnnotation
inline constexpr uint32_t kNameIid = 1, kBoolValue = 2, kUintValue = 3, kDoubleValue = 5,
                          kStringValue = 6, kPointerValue = 7;
}
namespace interned_data {  // InternedData
inline constexpr uint32_t kEventCategories = 1, kEventNames = 2, kDebugAnnotationNames = 3;
}
namespace interned_string {  // EventCategory, EventName, DebugAnnotationName
inline constexpr uint32_t kIid = 1, kName = 2;
}

}  // namespace cuvette::run::perfetto
