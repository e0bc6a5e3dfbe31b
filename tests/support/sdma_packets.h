// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "csv.h"

/// Packets of SDMA engines put together by hand from the checklist of packets
/// (tests/ledger/gfx9_packets.csv): nothing of the model says where a field is.
namespace cuvette::sdma_packets {

struct LedgerField {
  std::string name;
  unsigned dword = 0, low = 0, high = 0;
  uint32_t ones() const { return high - low == 31 ? ~0u : (1u << (high - low + 1)) - 1; }
};

struct LedgerPacket {
  bool aql = false;
  int op = 0, sub_op = -1;  // -1: none
  std::vector<LedgerField> fields;
  unsigned dwords() const {
    unsigned n = 0;
    for (const auto& f : fields) {
      if (f.name != "data0" && f.dword >= n) n = f.dword + 1;
    }
    return n;
  }
};

inline const std::map<std::string, LedgerPacket>& ledger() {
  static const auto kPackets = [] {
    std::map<std::string, LedgerPacket> packets;
    for (const csv::Row& c : csv::read("ledger/gfx9_packets.csv")) {
      if (c.size() < 9 || (c[0] != "sdma" && c[0] != "sdma_aql")) continue;
      LedgerPacket& p = packets[c[1]];
      p.aql = c[0] == "sdma_aql";
      p.op = std::stoi(c[2]);
      const size_t slash = c[2].find('/');
      if (slash != std::string::npos) p.sub_op = std::stoi(c[2].substr(slash + 1));
      p.fields.push_back({c[6], static_cast<unsigned>(std::stoul(c[3])),
                          static_cast<unsigned>(std::stoul(c[4])),
                          static_cast<unsigned>(std::stoul(c[5]))});
    }
    return packets;
  }();
  return kPackets;
}

/// A packet with op and sub-op, everything else 0 until it is set.
class Packet {
 public:
  explicit Packet(const std::string& name) : name_(name), packet_(ledger().at(name)) {
    words_.resize(packet_.dwords());
    if (packet_.aql) return;
    words_[0] = static_cast<uint32_t>(packet_.op);
    if (packet_.sub_op > 0) words_[0] |= static_cast<uint32_t>(packet_.sub_op) << 8;
    if (name == "COPY_BROADCAST_LINEAR") set("broadcast", 1);
    if (name == "HDP_FLUSH") words_[0] = 8 | 1u << 26 | 3u << 28;
  }
  Packet& set(const std::string& field, uint32_t value) {
    for (const auto& f : packet_.fields) {
      if (f.name != field) continue;
      words_[f.dword] &= ~(f.ones() << f.low);
      words_[f.dword] |= (value & f.ones()) << f.low;
      return *this;
    }
    throw std::out_of_range(name_ + " has no field " + field);
  }
  /// Fields FIELD_31_0 and FIELD_63_32.
  Packet& set64(const std::string& field, uint64_t value) {
    set(field + "_31_0", static_cast<uint32_t>(value));
    return set(field + "_63_32", static_cast<uint32_t>(value >> 32));
  }
  Packet& append(const std::vector<uint32_t>& data) {
    words_.insert(words_.end(), data.begin(), data.end());
    return *this;
  }
  std::vector<uint32_t>& words() { return words_; }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::string name_;
  const LedgerPacket& packet_;
  std::vector<uint32_t> words_;
};

inline Packet copy(uint64_t src, uint64_t dst, uint32_t bytes) {
  return Packet("COPY_LINEAR")
      .set("count", bytes - 1)
      .set64("src_addr", src)
      .set64("dst_addr", dst);
}
inline Packet fence(uint64_t to, uint32_t data) {
  return Packet("FENCE").set64("addr", to).set("data", data);
}
inline Packet poll(uint64_t from, uint32_t function, uint32_t value, uint32_t mask = ~0u) {
  return Packet("POLL_REGMEM")
      .set("mem_poll", 1)
      .set("func", function)
      .set64("addr", from)
      .set("value", value)
      .set("mask", mask)
      .set("interval", 4)
      .set("retry_count", 0xfff);
}

}  // namespace cuvette::sdma_packets
