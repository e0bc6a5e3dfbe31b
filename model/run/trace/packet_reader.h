// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <protozero/pbf_reader.hpp>

namespace cuvette::run {

/// Defect of a trace that is read. Like the exceptions of protozero, it ends the reading and leaves
/// read_perfetto() as an Error.
struct BadTrace : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of the field that a reader is at: a whole number, or what has a length.
uint64_t number_of(protozero::pbf_reader& field);
protozero::data_view bytes_of(protozero::pbf_reader& field);

/// A message that gives a number a name.
struct NamedNumber {
  uint64_t number = 0;
  std::string name;

  NamedNumber(protozero::data_view message, uint32_t number_tag, uint32_t name_tag);
};

/// Fields of a trace packet that a reader of the project's traces looks at.
struct TracePacket {
  uint64_t time_step = 0;  ///< behind the time of the packet before
  std::optional<protozero::data_view> interned, track, event;
};

/// Packets of a Perfetto trace file in their order, those of compressed packets among them. Holds
/// one packet, or one batch of compressed ones, at a time.
class PacketReader {
 public:
  /// Throws std::system_error, as next() does: the file cannot be read.
  explicit PacketReader(const std::string& path);

  /// The next packet, which is there until the next call; none at the end of the file. Throws
  /// BadTrace and exceptions of protozero.
  std::optional<TracePacket> next();

 private:
  static constexpr size_t kMostBytes = size_t{64} << 20;  ///< of a packet, and of a batch

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool read_packet();
  std::optional<uint64_t> read_varint();
  void inflate(protozero::data_view compressed);

  std::unique_ptr<std::FILE, Close> file_;
  std::string packet_, batch_;
  protozero::pbf_reader of_batch_;  ///< the rest of batch_
};

}  // namespace cuvette::run
