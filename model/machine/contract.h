// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

/// Support for the messages of all contracts: their fields as data, their form on pins,
/// their comparison. The specialisations of Message are generated from the descriptions
/// (docs/reference/contracts.md).
namespace cuvette::contract {

/// Class of comparison of a field in lockstep (docs/reference/contracts.md).
enum class Class : uint8_t { Exact, OrderedByDut, Time };

/// A field of a message on pins.
struct Field {
  const char* name;       ///< in C++
  const char* pin;        ///< on pins, in SystemVerilog
  uint32_t bits;          ///< of a beat
  Class compared;         ///< in lockstep
  const char* condition;  ///< when the class counts, in words; empty: always
};

/// A channel of a block.
struct ChannelInfo {
  const char* name;
  uint32_t bits;        ///< of a beat
  uint32_t beats;       ///< of a message
  bool to_device;       ///< the block receives its messages
  uint32_t count;       ///< ports alike; the default where it is a parameter
  const char* answers;  ///< the channel whose messages are answered; empty: none
  uint8_t parameter;    ///< of the port list that is the count: the first, the second; 0: none
  bool ordered;  ///< messages of a port stay in order; otherwise they are matched by their id
};

/// Values of the parameters of a port list; 0: the default of the contract.
class PortCounts {
 public:
  /// The same for all parameters.
  PortCounts(unsigned all = 0) : values_{all, all} {}  // NOLINT: most blocks have one
  PortCounts(unsigned first, unsigned second) : values_{first, second} {}
  /// Number of ports of a channel.
  unsigned of(const ChannelInfo& channel) const {
    const unsigned given = channel.parameter == 0 ? 0 : values_[channel.parameter - 1];
    return given != 0 ? given : channel.count;
  }

 private:
  unsigned values_[2];
};

/// Description of a message type: kName, kPin, kBeats, kBits, kBeatAt (with beats), kFields;
///   visit(m, v), visit_pins(m, v): call v for every field on pins, from the highest bit or from
///   the lowest; compare(want, got, [request,] d): calls d for every field that is compared as
///   data.
template <class T>
struct Message;

inline constexpr unsigned kBeatLanes = 16;

/// A beat of a message as the bytes of its packed struct, bit b being bit b % 8 of byte b / 8, in
/// the whole words that a Verilated port has.
template <class T>
using Pins = std::array<uint32_t, (Message<T>::kBits + 31) / 32>;

/// Serialiser of fields, from the lowest bit on.
class PinWriter {
 public:
  PinWriter(uint8_t* bytes, unsigned beat) : bytes_(bytes), beat_(beat) {}

  /// `width` bits, 1 to 64; higher bits of `value` are dropped.
  void put(unsigned width, uint64_t value) {
    if (width < 64) value &= (uint64_t{1} << width) - 1;
    pending_ |= value << filled_;
    if (filled_ + width < 64) {
      filled_ += width;
      return;
    }
    std::memcpy(bytes_, &pending_, 8);  // little endian hosts
    bytes_ += 8;
    pending_ = filled_ == 0 ? 0 : value >> (64 - filled_);
    filled_ = filled_ + width - 64;
  }
  /// The bits that are left.
  void finish() {
    std::memcpy(bytes_, &pending_, (filled_ + 7) / 8);
    filled_ = 0;
  }

  template <unsigned kWidth, class T>
  void value(const Field&, const T& x) {
    elements<kWidth>(x);
  }
  template <unsigned kWidth, class T>
  void lanes(const Field&, const T& x) {
    lanes_of<kWidth>(x);
  }
  template <class T>
  void lane_mask(const Field&, const T& x) {
    masks(x);
  }
  void beat(const Field&) { put(2, beat_); }
  template <class T>
  void message(const Field&, const T& x) {
    nested(x);
  }

 private:
  template <unsigned kWidth, class T>
  void elements(const T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      put(kWidth, static_cast<uint64_t>(x));
    } else if constexpr (std::is_integral_v<std::decay_t<decltype(x[0])>> &&
                         kWidth == 8 * sizeof(x[0])) {
      bulk(&x[0], std::size(x));
    } else {
      for (const auto& element : x) elements<kWidth>(element);
    }
  }
  template <unsigned kWidth, class T>
  void lanes_of(const T& x) {
    if constexpr (std::is_integral_v<typename T::value_type>) {
      static_assert(kWidth == 32, "lanes are dwords");
      bulk(x.data() + beat_ * kBeatLanes, kBeatLanes);
    } else {
      for (const auto& row : x) lanes_of<kWidth>(row);
    }
  }
  template <class T>
  void masks(const T& x) {
    if constexpr (std::is_integral_v<T>) {
      put(kBeatLanes, x >> (beat_ * kBeatLanes));
    } else {
      for (const auto& mask : x) masks(mask);
    }
  }
  template <class T>
  void nested(const T& x);
  template <class T>
  void bulk(const T* values, size_t count) {
    if (filled_ % 8 != 0) {
      if constexpr (sizeof(T) == 8) {
        shifted(values, count);
      } else {
        for (size_t n = 0; n < count; ++n) put(8 * sizeof(T), values[n]);
      }
      return;
    }
    std::memcpy(bytes_, &pending_, filled_ / 8);
    bytes_ += filled_ / 8;
    std::memcpy(bytes_, values, count * sizeof(T));
    bytes_ += count * sizeof(T);
    pending_ = 0;
    filled_ = 0;
  }
  /// Whole words at a place inside a byte: each behind the bits that are left of the one before.
  template <class T>
  void shifted(const T* values, size_t count) {
    const unsigned shift = filled_;  // above 0
    for (size_t n = 0; n < count; ++n, bytes_ += 8) {
      const uint64_t word = pending_ | uint64_t{values[n]} << shift;
      std::memcpy(bytes_, &word, 8);
      pending_ = uint64_t{values[n]} >> (64 - shift);
    }
  }

  uint8_t* bytes_;
  unsigned beat_;
  uint64_t pending_ = 0;
  unsigned filled_ = 0;  ///< bits of pending_, below 64
};

/// The other way round.
class PinReader {
 public:
  PinReader(const uint8_t* bytes, size_t size, unsigned beat)
      : bytes_(bytes), size_(size), beat_(beat) {}

  uint64_t get(unsigned width) {
    // Eight bytes at once; at the end those that end there.
    size_t first = at_ / 8;
    uint64_t low = 0;
    if (size_ < 8) {
      first = 0;
      std::memcpy(&low, bytes_, size_);
    } else {
      if (size_ - first < 8) first = size_ - 8;
      std::memcpy(&low, bytes_ + first, 8);
    }
    const auto shift = static_cast<unsigned>(at_ - 8 * first);
    uint64_t value = low >> shift;
    if (shift + width > 64) value |= uint64_t{bytes_[first + 8]} << (64 - shift);
    at_ += width;
    return width < 64 ? value & ((uint64_t{1} << width) - 1) : value;
  }

  template <unsigned kWidth, class T>
  void value(const Field&, T& x) {
    elements<kWidth>(x);
  }
  template <unsigned kWidth, class T>
  void lanes(const Field&, T& x) {
    lanes_of<kWidth>(x);
  }
  template <class T>
  void lane_mask(const Field&, T& x) {
    masks(x);
  }
  void beat(const Field&) { at_ += 2; }
  template <class T>
  void message(const Field&, T& x) {
    nested(x);
  }

 private:
  template <unsigned kWidth, class T>
  void elements(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      x = static_cast<T>(get(kWidth));
    } else if constexpr (std::is_integral_v<std::decay_t<decltype(x[0])>> &&
                         kWidth == 8 * sizeof(x[0])) {
      bulk(&x[0], std::size(x));
    } else {
      for (auto& element : x) elements<kWidth>(element);
    }
  }
  template <unsigned kWidth, class T>
  void lanes_of(T& x) {
    if constexpr (std::is_integral_v<typename T::value_type>) {
      bulk(x.data() + beat_ * kBeatLanes, kBeatLanes);
    } else {
      for (auto& row : x) lanes_of<kWidth>(row);
    }
  }
  template <class T>
  void masks(T& x) {
    if constexpr (std::is_integral_v<T>) {
      const uint64_t lanes = uint64_t{0xffff} << (beat_ * kBeatLanes);
      x = (x & ~lanes) | get(kBeatLanes) << (beat_ * kBeatLanes);
    } else {
      for (auto& mask : x) masks(mask);
    }
  }
  template <class T>
  void nested(T& x);
  template <class T>
  void bulk(T* values, size_t count) {
    if (const unsigned shift = at_ % 8; shift != 0) {
      const uint8_t* from = bytes_ + at_ / 8;  // a value ends inside the byte behind its own
      for (size_t n = 0; n < count; ++n, from += sizeof(T)) {
        T low;
        std::memcpy(&low, from, sizeof(T));
        values[n] = static_cast<T>(low >> shift | static_cast<uint64_t>(from[sizeof(T)])
                                                      << (8 * sizeof(T) - shift));
      }
      at_ += 8 * count * sizeof(T);
      return;
    }
    std::memcpy(values, bytes_ + at_ / 8, count * sizeof(T));
    at_ += 8 * count * sizeof(T);
  }

  const uint8_t* bytes_;
  size_t size_;
  unsigned beat_;
  size_t at_ = 0;
};

template <class T, class = void>
struct IsMessage : std::false_type {};
template <class T>
struct IsMessage<T, std::void_t<decltype(Message<T>::kBits)>> : std::true_type {};

template <class T>
void PinWriter::nested(const T& x) {
  if constexpr (IsMessage<T>::value) {
    Message<T>::visit_pins(x, *this);
  } else {
    for (const auto& element : x) nested(element);
  }
}
template <class T>
void PinReader::nested(T& x) {
  if constexpr (IsMessage<T>::value) {
    Message<T>::visit_pins(x, *this);
  } else {
    for (auto& element : x) nested(element);
  }
}

/// Beat `beat` of a message as its packed struct: (kBits + 7) / 8 bytes.
template <class T>
void pack(const T& message, unsigned beat, uint8_t* bytes) {
  PinWriter writer(bytes, beat);
  Message<T>::visit_pins(message, writer);
  writer.finish();
}
template <class T>
Pins<T> pack(const T& message, unsigned beat = 0) {
  Pins<T> pins{};
  pack(message, beat, reinterpret_cast<uint8_t*>(pins.data()));
  return pins;
}

/// Number of the beat whose bytes these are.
template <class T>
unsigned beat_of(const uint8_t* bytes) {
  if constexpr (Message<T>::kBeats == 1) {
    return 0;
  } else {
    constexpr size_t kAt = Message<T>::kBeatAt;
    const unsigned low = bytes[kAt / 8] >> kAt % 8;
    const unsigned high = kAt % 8 == 7 ? bytes[kAt / 8 + 1] << 1 : 0u;
    return (low | high) & 3;
  }
}

/// Puts a beat into a message: the lanes of the beat, and every other field.
template <class T>
void unpack(const uint8_t* bytes, T& message) {
  PinReader reader(bytes, (Message<T>::kBits + 7) / 8, beat_of<T>(bytes));
  Message<T>::visit_pins(message, reader);
}
template <class T>
void unpack(const Pins<T>& pins, T& message) {
  unpack(reinterpret_cast<const uint8_t*>(pins.data()), message);
}
/// A message of which one beat is there; the other lanes are 0.
template <class T>
T unpacked(const Pins<T>& pins) {
  T message{};
  unpack(pins, message);
  return message;
}

/// A value that differs.
struct Difference {
  const Field* field = nullptr;       ///< the one that differs
  int row = -1;                       ///< of the outer dimension; -1: the field has none
  int lane = -1;                      ///< of the inner dimension
  uint64_t expected = 0, actual = 0;  ///< of the reference, of the device
};

/// Comparison of two messages: collects what differs, and counts what was compared. For
/// Message::compare.
class Comparison {
 public:
  template <class T>
  void values(const Field& field, const T& want, const T& got) {
    masked(field, want, got, ~uint64_t{0}, ~0u);
  }
  /// Elements of the inner dimension whose bit of `lanes` is set, in the first `rows` of the outer
  /// one.
  template <class T>
  void masked(const Field& field, const T& want, const T& got, uint64_t lanes, unsigned rows) {
    at_ = {&field, -1, -1, 0, 0};
    elements(want, got, lanes, rows);
  }
  template <class T>
  void message(const Field& field, const T& want, const T& got) {
    if constexpr (IsMessage<T>::value) {
      Message<T>::compare(want, got, *this);
    } else {
      for (size_t n = 0; n < std::size(want); ++n) message(field, want[n], got[n]);
    }
  }

  const std::vector<Difference>& differences() const { return differences_; }
  uint64_t compared() const { return compared_; }

 private:
  template <class T>
  void elements(const T& want, const T& got, uint64_t lanes, unsigned rows) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      ++compared_;
      if (want == got) return;
      at_.expected = static_cast<uint64_t>(want);
      at_.actual = static_cast<uint64_t>(got);
      differences_.push_back(at_);
    } else if constexpr (std::is_integral_v<std::decay_t<decltype(want[0])>> ||
                         std::is_enum_v<std::decay_t<decltype(want[0])>>) {
      const bool inner_only = at_.row < 0 && rows != ~0u;
      const size_t count = inner_only && rows < std::size(want) ? rows : std::size(want);
      for (size_t first = 0; first < count; first += 64) {
        const size_t some = count - first < 64 ? count - first : 64;
        const uint64_t mask = inner_only || first != 0 ? ~uint64_t{0} : lanes;
        differing(&want[first], &got[first], first, mask & ~uint64_t{0} >> (64 - some));
      }
    } else {
      for (size_t n = 0; n < std::size(want) && n < rows; ++n) {
        at_.row = static_cast<int>(n);
        elements(want[n], got[n], lanes, ~0u);
      }
    }
  }

  /// Values `first` and those behind it whose bit of `selected` is set.
  template <class T>
  void differing(const T* want, const T* got, size_t first, uint64_t selected) {
    compared_ += static_cast<uint64_t>(__builtin_popcountll(selected));
    uint64_t differ = 0;
    for (unsigned n = 0; n < 64 && selected >> n != 0; ++n) {
      differ |= uint64_t{want[n] != got[n]} << n;
    }
    for (uint64_t wrong = differ & selected; wrong != 0; wrong &= wrong - 1) {
      const auto n = static_cast<unsigned>(__builtin_ctzll(wrong));
      at_.lane = static_cast<int>(first + n);
      at_.expected = static_cast<uint64_t>(want[n]);
      at_.actual = static_cast<uint64_t>(got[n]);
      differences_.push_back(at_);
    }
  }

  Difference at_;
  std::vector<Difference> differences_;
  uint64_t compared_ = 0;
};

}  // namespace cuvette::contract
