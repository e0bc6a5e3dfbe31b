// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include <protozero/pbf_writer.hpp>

#include "base/result.h"
#include "machine/core.h"
#include "run/trace/trace_file.h"

namespace cuvette::run {

/// File of Perfetto trace packets, all of one sequence, with times that count on from packet to
/// packet. A thread of its own compresses and writes them a batch at a time; a few batches wait for
/// it at most.
class PacketFile {
 public:
  explicit PacketFile(std::string path);
  ~PacketFile();
  PacketFile(const PacketFile&) = delete;
  PacketFile& operator=(const PacketFile&) = delete;

  /// `fill` adds fields to a packet without time.
  template <class Fill>
  void packet(Fill fill) {
    {
      protozero::pbf_writer packet(trace_, kPacketTag);
      add_sequence(packet);
      fill(packet);
    }
    flush_full();
  }
  /// The same of a track event at `time`, which is not before that of the packet before.
  template <class Fill>
  void event(machine::Cycle time, Fill fill) {
    // From the inside out: lengths are known before what is behind them.
    event_.clear();
    protozero::pbf_writer event(event_);
    fill(event);
    packet_.clear();
    protozero::pbf_writer packet(packet_);
    add_time(packet, time);
    add_sequence(packet);
    packet.add_message(kEventTag, event_);
    trace_.add_message(kPacketTag, packet_);
    flush_full();
  }

  /// Error: the file cannot be written.
  base::Status close();

 private:
  static const uint32_t kPacketTag, kEventTag;

  void begin();
  void add_sequence(protozero::pbf_writer& packet) const;
  void add_time(protozero::pbf_writer& packet, machine::Cycle time);
  void flush_full() {
    if (batch_.size() >= kBatchBytes) flush();
  }
  void flush();
  void stop();
  void write_batches();

  static constexpr size_t kBatchBytes = 192 * 1024;  // of the format's limit of 512 KiB
  static constexpr size_t kMostWaiting = 8;

  TraceFile file_;
  std::string batch_, event_, packet_;
  protozero::pbf_writer trace_{batch_};
  machine::Cycle time_ = 0;  // of the last packet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace cuvette::run
