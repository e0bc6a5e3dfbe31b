// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_message.h"

#include <cstddef>
#include <type_traits>

#include "ip/common/bit_field.h"

namespace cuvette::ip {
namespace {

using memory::MemReq;
using memory::MemResp;

/// One member: number of bits, and where the message of the model has it. The data of a block has
/// neither get nor put: it is wider than a number.
template <class Message>
struct Row {
  const char* name;
  uint32_t bits;
  uint64_t (*get)(const Message&);
  void (*put)(Message&, uint64_t);
};

constexpr uint32_t kDataBits = memory::kBlockBytes * 8;

template <class Message>
constexpr Row<Message> kData{"data", kDataBits, nullptr, nullptr};

template <auto kMember, class Message>
constexpr Row<Message> row(const char* name, uint32_t bits) {
  return {name, bits, [](const Message& m) { return static_cast<uint64_t>(m.*kMember); },
          [](Message& m, uint64_t value) {
            m.*kMember = static_cast<std::remove_reference_t<decltype(m.*kMember)>>(value);
          }};
}

constexpr Row<MemReq> kReq[kMemReqFields] = {
    row<&MemReq::id, MemReq>("id", 64),
    row<&MemReq::cu, MemReq>("cu", 16),
    row<&MemReq::wave, MemReq>("wave", 16),
    row<&MemReq::time, MemReq>("timestamp", 64),
    row<&MemReq::sequence, MemReq>("seq", 32),
    row<&MemReq::op, MemReq>("op", 3),
    row<&MemReq::atomic, MemReq>("atomic", 5),
    row<&MemReq::atomic_bytes, MemReq>("atomic_bytes", 4),
    row<&MemReq::flush_subnormals, MemReq>("flush_subnormals", 1),
    row<&MemReq::scope, MemReq>("scope", 2),
    row<&MemReq::glc, MemReq>("glc", 1),
    row<&MemReq::slc, MemReq>("slc", 1),
    row<&MemReq::scc, MemReq>("scc", 1),
    row<&MemReq::nv, MemReq>("nv", 1),
    row<&MemReq::mtype, MemReq>("mtype", 2),
    row<&MemReq::address, MemReq>("address", 64),
    row<&MemReq::byte_mask, MemReq>("byte_mask", 64),
    kData<MemReq>,
    row<&MemReq::serial, MemReq>("serial", 64),
};

constexpr Row<MemResp> kResp[kMemRespFields] = {
    row<&MemResp::id, MemResp>("id", 64),         row<&MemResp::time, MemResp>("timestamp", 64),
    row<&MemResp::status, MemResp>("status", 1),  row<&MemResp::address, MemResp>("address", 64),
    row<&MemResp::serial, MemResp>("serial", 64), kData<MemResp>,
};

template <class Message, size_t kRows>
constexpr uint32_t sum(const Row<Message> (&rows)[kRows]) {
  uint32_t bits = 0;
  for (const Row<Message>& r : rows) bits += r.bits;
  return bits;
}
static_assert(sum(kReq) == kMemReqBits && sum(kResp) == kMemRespBits, "a table and its size");

template <class Message, size_t kRows>
std::array<MessageField, kRows> fields(const Row<Message> (&rows)[kRows]) {
  std::array<MessageField, kRows> all{};
  uint32_t at = sum(rows);
  for (size_t i = 0; i < kRows; ++i) {
    at -= rows[i].bits;
    all[i] = {rows[i].name, at, rows[i].bits};
  }
  return all;
}

template <class Bytes, class Message, size_t kRows>
Bytes packed(const Row<Message> (&rows)[kRows], const Message& m) {
  Bytes bytes{};
  uint32_t at = sum(rows);
  for (const Row<Message>& r : rows) {
    at -= r.bits;
    if (r.get != nullptr) {
      put_bits(bytes.data(), at, r.bits, r.get(m));
      continue;
    }
    for (uint32_t i = 0; i < memory::kBlockBytes; ++i) {
      put_bits(bytes.data(), at + i * 8, 8, m.data[i]);
    }
  }
  return bytes;
}

template <class Bytes, class Message, size_t kRows>
Message unpacked(const Row<Message> (&rows)[kRows], const Bytes& bytes) {
  Message m;
  uint32_t at = sum(rows);
  for (const Row<Message>& r : rows) {
    at -= r.bits;
    if (r.put != nullptr) {
      r.put(m, get_bits(bytes.data(), at, r.bits));
      continue;
    }
    for (uint32_t i = 0; i < memory::kBlockBytes; ++i) {
      m.data[i] = static_cast<uint8_t>(get_bits(bytes.data(), at + i * 8, 8));
    }
  }
  return m;
}

}  // namespace

std::array<MessageField, kMemReqFields> mem_req_fields() {
  return fields(kReq);
}
std::array<MessageField, kMemRespFields> mem_resp_fields() {
  return fields(kResp);
}

MemReqMessage pack(const MemReq& request) {
  return packed<MemReqMessage>(kReq, request);
}
MemRespMessage pack(const MemResp& response) {
  return packed<MemRespMessage>(kResp, response);
}
MemReq unpack(const MemReqMessage& message) {
  return unpacked(kReq, message);
}
MemResp unpack(const MemRespMessage& message) {
  return unpacked(kResp, message);
}

}  // namespace cuvette::ip
