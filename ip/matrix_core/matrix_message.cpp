// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_message.h"

#include <algorithm>

namespace cuvette::ip {
namespace {

using matrix_core::kRowsPerPass;

/// Fields above the lanes, from the lowest bit up.
class Header {
 public:
  explicit Header(uint32_t* words) : words_(words) {}
  void put(unsigned width, uint64_t value) {
    for (unsigned b = 0; b < width; ++b, ++at_) {
      words_[at_ / 32] |= static_cast<uint32_t>(value >> b & 1) << at_ % 32;
    }
  }

 private:
  uint32_t* words_;
  unsigned at_ = 0;
};

class HeaderReader {
 public:
  explicit HeaderReader(const uint32_t* words) : words_(words) {}
  uint32_t get(unsigned width) {
    uint32_t value = 0;
    for (unsigned b = 0; b < width; ++b, ++at_) value |= (words_[at_ / 32] >> at_ % 32 & 1) << b;
    return value;
  }

 private:
  const uint32_t* words_;
  unsigned at_ = 0;
};

uint32_t* put_lanes(uint32_t* words, const wave::LaneRow& row, unsigned beat) {
  return std::copy_n(row.begin() + beat * kMatrixBeatLanes, kMatrixBeatLanes, words);
}

constexpr unsigned kResultLanes = kRowsPerPass * kMatrixBeatLanes;

}  // namespace

MatrixOperandsMessage pack(const matrix_core::Operands& o, unsigned beat) {
  MatrixOperandsMessage message{};
  uint32_t* words = put_lanes(message.data(), o.index, beat);
  for (const wave::LaneRow& row : o.c) words = put_lanes(words, row, beat);
  for (const wave::LaneRow& row : o.b) words = put_lanes(words, row, beat);
  words = put_lanes(words, o.a, beat);
  Header header(words);
  header.put(5, o.forward_row);
  header.put(1, o.forward_from);
  header.put(2, o.forward);
  header.put(2, o.c_rows);
  header.put(3, o.blgp);
  header.put(4, o.abid);
  header.put(3, o.cbsz);
  header.put(2, beat);
  header.put(1, o.last ? 1 : 0);
  header.put(8, o.pass);
  header.put(16, o.row);
  header.put(32, o.id);
  return message;
}

MatrixResultMessage pack(const matrix_core::Result& r, unsigned beat) {
  MatrixResultMessage message{};
  uint32_t* words = message.data();
  for (const wave::LaneRow& row : r.d) words = put_lanes(words, row, beat);
  Header header(words);
  header.put(2, r.rows);
  header.put(8, r.first_row);
  header.put(2, beat);
  header.put(1, r.last ? 1 : 0);
  header.put(8, r.pass);
  header.put(32, r.id);
  return message;
}

unsigned beat_of(const MatrixResultMessage& message) {
  HeaderReader header(message.data() + kResultLanes);
  header.get(10);
  return header.get(2);
}

matrix_core::Result header_of(const MatrixResultMessage& message) {
  HeaderReader header(message.data() + kResultLanes);
  matrix_core::Result r;
  r.rows = static_cast<uint8_t>(header.get(2));
  r.first_row = static_cast<uint8_t>(header.get(8));
  header.get(2);
  r.last = header.get(1) != 0;
  r.pass = static_cast<uint8_t>(header.get(8));
  r.id = header.get(32);
  return r;
}

void take_lanes(const MatrixResultMessage& message, matrix_core::Result& pass) {
  const unsigned first = beat_of(message) * kMatrixBeatLanes;
  const uint32_t* words = message.data();
  for (wave::LaneRow& row : pass.d) {
    std::copy_n(words, kMatrixBeatLanes, row.begin() + first);
    words += kMatrixBeatLanes;
  }
}

}  // namespace cuvette::ip
