// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/packet_file.h"

#include <stdexcept>
#include <utility>

#include <zlib.h>

#include "run/trace/perfetto_fields.h"

namespace cuvette::run {

using machine::Cycle;
using protozero::pbf_writer;

namespace {

constexpr uint32_t kSequence = 1;
/// Of the sequence, in cycles: those of two packets are apart by what the second one says.
constexpr uint32_t kClock = perfetto::clock::kFirstOfSequence;
constexpr int kFastest = 1;

}  // namespace

const uint32_t PacketFile::kPacketTag = perfetto::trace::kPacket;
const uint32_t PacketFile::kEventTag = perfetto::trace_packet::kTrackEvent;

namespace {

/// Stream of zlib for one batch after the other.
struct Deflate {
  z_stream stream{};

  Deflate() {
    if (deflateInit(&stream, kFastest) != Z_OK) throw std::runtime_error("zlib does not start");
  }
  ~Deflate() { deflateEnd(&stream); }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  void run(const std::string& from, std::string& into) {
    deflateReset(&stream);
    into.resize(deflateBound(&stream, from.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream.avail_in = static_cast<uInt>(from.size());
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib does not end");
    into.resize(into.size() - stream.avail_out);
  }
};

}  // namespace

PacketFile::PacketFile(std::string path) : file_(std::move(path)) {
  begin();
  thread_ = std::thread([this] {
    try {
      write_batches();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      waiting_.clear();
      changed_.notify_all();
    }
  });
}

PacketFile::~PacketFile() {
  stop();
}

/// Clocks at reset, and that times are those of the clock of the sequence.
void PacketFile::begin() {
  namespace c = perfetto::clock;
  pbf_writer packet(trace_, kPacketTag);
  packet.add_uint32(perfetto::trace_packet::kTrustedPacketSequenceId, kSequence);
  packet.add_uint32(perfetto::trace_packet::kSequenceFlags,
                    perfetto::trace_packet::kSeqIncrementalStateCleared);
  {
    pbf_writer defaults(packet, perfetto::trace_packet::kTracePacketDefaults);
    defaults.add_uint32(perfetto::trace_packet_defaults::kTimestampClockId, kClock);
  }
  pbf_writer snapshot(packet, perfetto::trace_packet::kClockSnapshot);
  for (const uint32_t id : {c::kBootTime, kClock}) {
    pbf_writer clock(snapshot, perfetto::clock_snapshot::kClocks);
    clock.add_uint32(c::kClockId, id);
    clock.add_uint64(c::kTimestamp, 0);
    if (id == kClock) clock.add_bool(c::kIsIncremental, true);
  }
}

void PacketFile::add_sequence(pbf_writer& packet) const {
  packet.add_uint32(perfetto::trace_packet::kTrustedPacketSequenceId, kSequence);
  packet.add_uint32(perfetto::trace_packet::kSequenceFlags,
                    perfetto::trace_packet::kSeqNeedsIncrementalState);
}

void PacketFile::add_time(pbf_writer& packet, Cycle time) {
  packet.add_uint64(perfetto::trace_packet::kTimestamp, time - time_);
  time_ = time;
}

void PacketFile::flush() {
  if (batch_.empty()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(batch_));
  changed_.notify_all();
  lock.unlock();
  batch_.clear();
  batch_.reserve(kBatchBytes + kBatchBytes / 4);
}

/// Until the file is over and nothing waits.
void PacketFile::write_batches() {
  Deflate deflate;
  std::string compressed, packet;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !waiting_.empty() || over_; });
    if (waiting_.empty()) return;
    const std::string batch = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    deflate.run(batch, compressed);
    packet.clear();
    {
      pbf_writer trace(packet);
      pbf_writer writer(trace, perfetto::trace::kPacket);
      writer.add_bytes(perfetto::trace_packet::kCompressedPackets, compressed);
    }
    file_.write(packet);
    lock.lock();
  }
}

void PacketFile::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

base::Status PacketFile::close() {
  flush();
  stop();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return file_.close();
}

}  // namespace cuvette::run
