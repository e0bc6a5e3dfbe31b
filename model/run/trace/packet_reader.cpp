// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/packet_reader.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "run/trace/perfetto_fields.h"

namespace cuvette::run {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

namespace {

constexpr uint64_t kPacketTag =
    perfetto::trace::kPacket << 3 | static_cast<uint32_t>(pbf_wire_type::length_delimited);

void expect_type(const pbf_reader& field, pbf_wire_type type) {
  if (field.has_wire_type(type)) return;
  throw BadTrace(fmt::format("field {} has wire type {}", field.tag(),
                             static_cast<uint32_t>(field.wire_type())));
}

/// Fields of a packet, and its compressed packets in place of these.
struct Packet {
  TracePacket fields;
  std::optional<data_view> compressed;

  explicit Packet(data_view bytes) {
    namespace tags = perfetto::trace_packet;
    pbf_reader packet(bytes);
    while (packet.next()) {
      switch (packet.tag()) {
        case tags::kTimestamp:
          fields.time_step = number_of(packet);
          break;
        case tags::kInternedData:
          fields.interned = bytes_of(packet);
          break;
        case tags::kTrackDescriptor:
          fields.track = bytes_of(packet);
          break;
        case tags::kTrackEvent:
          fields.event = bytes_of(packet);
          break;
        case tags::kCompressedPackets:
          compressed = bytes_of(packet);
          break;
        default:
          packet.skip();
      }
    }
  }
};

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

/// Stream of zlib for one batch.
struct Inflate {
  z_stream stream{};

  Inflate() {
    if (inflateInit(&stream) != Z_OK) throw std::runtime_error("zlib does not start");
  }
  ~Inflate() { inflateEnd(&stream); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
};

}  // namespace

uint64_t number_of(pbf_reader& field) {
  expect_type(field, pbf_wire_type::varint);
  return field.get_uint64();
}

data_view bytes_of(pbf_reader& field) {
  expect_type(field, pbf_wire_type::length_delimited);
  return field.get_view();
}

NamedNumber::NamedNumber(data_view message, uint32_t number_tag, uint32_t name_tag) {
  bool has_number = false, has_name = false;
  pbf_reader fields(message);
  while (fields.next()) {
    if (fields.tag() == number_tag) {
      number = number_of(fields);
      has_number = true;
    } else if (fields.tag() == name_tag) {
      const data_view bytes = bytes_of(fields);
      name.assign(bytes.data(), bytes.size());
      has_name = true;
    } else {
      fields.skip();
    }
  }
  if (!has_number || !has_name) throw BadTrace("a name without a number, or a number without one");
}

PacketReader::PacketReader(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) fail();
}

std::optional<TracePacket> PacketReader::next() {
  while (true) {
    if (of_batch_.next()) {
      if (of_batch_.tag() != perfetto::trace::kPacket) {
        throw BadTrace(fmt::format("field {} of the trace", of_batch_.tag()));
      }
      const Packet packet(bytes_of(of_batch_));
      if (packet.compressed) throw BadTrace("compressed packets in compressed packets");
      return packet.fields;
    }
    if (!read_packet()) return std::nullopt;
    const Packet packet(data_view(packet_.data(), packet_.size()));
    if (!packet.compressed) return packet.fields;
    inflate(*packet.compressed);
    of_batch_ = pbf_reader(data_view(batch_.data(), batch_.size()));
  }
}

/// Reads packet_; false: the file ends in front of it.
bool PacketReader::read_packet() {
  const std::optional<uint64_t> tag = read_varint();
  if (!tag) return false;
  if (*tag != kPacketTag) {
    throw BadTrace(fmt::format("field {} of wire type {} of the trace", *tag >> 3, *tag & 7));
  }
  const std::optional<uint64_t> length = read_varint();
  const uint64_t bytes = length.value_or(0);
  if (bytes > kMostBytes) throw BadTrace(fmt::format("a packet of {} bytes", bytes));
  packet_.resize(bytes);
  if (!length || std::fread(packet_.data(), 1, bytes, file_.get()) != bytes) {
    throw BadTrace("a packet that breaks off");
  }
  return true;
}

/// Nothing at the end of the file.
std::optional<uint64_t> PacketReader::read_varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int byte = std::getc(file_.get());
    if (byte == EOF) {
      if (std::ferror(file_.get()) != 0) fail();
      if (shift != 0) throw BadTrace("a number that breaks off");
      return std::nullopt;
    }
    value |= (static_cast<uint64_t>(byte) & 127) << shift;
    if (byte < 128) return value;
  }
  throw BadTrace("a number of more than 64 bits");
}

void PacketReader::inflate(data_view compressed) {
  Inflate zlib;
  z_stream& stream = zlib.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  batch_.resize(std::max(batch_.capacity(), size_t{1} << 18));
  size_t filled = 0;
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(batch_.data() + filled);
    stream.avail_out = static_cast<uInt>(batch_.size() - filled);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    filled = batch_.size() - stream.avail_out;
    if (status == Z_STREAM_END) break;
    if (status != Z_OK || stream.avail_out != 0) {
      throw BadTrace("compressed packets that zlib does not know");
    }
    if (batch_.size() >= kMostBytes) {
      throw BadTrace(fmt::format("compressed packets of more than {} bytes", kMostBytes));
    }
    batch_.resize(2 * batch_.size());
  }
  batch_.resize(filled);
}

}  // namespace cuvette::run
