// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/log_format.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cuvette::golden {
namespace {

constexpr char kTextMagic[] = "cuvette-log 1 text";
constexpr char kBinaryMagic[] = "CUVETTE-LOG-1\n";
constexpr char kEnd = 'E';
constexpr size_t kMostEntryBytes = size_t{1} << 30;  // a code object may be large
constexpr size_t kHeadBytes = 5;                     // of a binary entry: tag, length

bool is_plain(char c) {
  return c > ' ' && c < 127 && c != '%' && c != '"' && c != ';';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void LogChecksum::add(const char* data, size_t bytes) {
  for (size_t n = 0; n < bytes; ++n) {
    value_ = (value_ ^ static_cast<uint8_t>(data[n])) * 0x100000001b3;
  }
}

LogSink::LogSink(const std::string& path, LogForm form)
    : file_(path, std::ios::binary | std::ios::trunc), form_(form) {
  const std::string magic =
      form == LogForm::Text ? std::string(kTextMagic) + "\n" : std::string(kBinaryMagic);
  file_ << magic;
  checksum_.add(magic.data(), magic.size());
}

LogSink& LogSink::begin(char tag) {
  tag_ = tag;
  entry_.clear();
  return *this;
}

LogSink& LogSink::u(uint64_t value) {
  if (form_ == LogForm::Text) {
    entry_ += value < 10 ? fmt::format(" {}", value) : fmt::format(" {:#x}", value);
    return *this;
  }
  do {
    const auto low = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    entry_ += static_cast<char>(value != 0 ? low | 0x80 : low);
  } while (value != 0);
  return *this;
}

LogSink& LogSink::text(const std::string& value) {
  if (form_ == LogForm::Binary) {
    u(value.size());
    entry_ += value;
    return *this;
  }
  entry_ += " \"";
  for (const char c : value) {
    entry_ += is_plain(c) ? std::string(1, c) : fmt::format("%{:02x}", static_cast<uint8_t>(c));
  }
  entry_ += '"';
  return *this;
}

LogSink& LogSink::bytes(const uint8_t* data, size_t count) {
  if (form_ == LogForm::Binary) {
    u(count);
    entry_.append(reinterpret_cast<const char*>(data), count);
    return *this;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  entry_ += ' ';
  if (count == 0) entry_ += '-';
  for (size_t n = 0; n < count; ++n) {
    entry_ += kDigits[data[n] >> 4];
    entry_ += kDigits[data[n] & 15];
  }
  return *this;
}

void LogSink::end(const std::string& comment) {
  std::string out(1, tag_);
  if (form_ == LogForm::Text) {
    out += entry_;
    if (!comment.empty()) out += "  ; " + comment;
    out += '\n';
  } else {
    for (unsigned n = 0; n < 4; ++n) out += static_cast<char>(entry_.size() >> 8 * n);
    out += entry_;
  }
  file_ << out;
  if (tag_ != kEnd) {
    checksum_.add(out.data(), out.size());
    ++entries_;
  }
}

void LogSink::finish() {
  begin(kEnd).u(entries_).u(checksum_.value()).end();
  file_.close();
}

LogSource::LogSource(const std::string& path, const char* kind)
    : path_(path), kind_(kind), file_(path, std::ios::binary) {}

base::Error LogSource::error(const std::string& what) const {
  base::Error e(what);
  e.where.file = path_;
  if (form_ == LogForm::Text) {
    e.where.line = static_cast<uint32_t>(place_);
  } else {
    e.where.offset = place_;
  }
  return e;
}

base::Result<char> LogSource::next() {
  if (!opened_) {
    opened_ = true;
    if (auto opened = open(); !opened.ok()) return opened.error();
  }
  entry_.clear();
  at_ = 0;
  failure_.clear();
  return form_ == LogForm::Text ? next_line() : next_chunk();
}

base::Status LogSource::open() {
  if (!file_) {
    base::Error e("cannot be opened");
    e.where.file = path_;
    return e;
  }
  std::string first(sizeof kBinaryMagic - 1, '\0');
  file_.read(first.data(), static_cast<std::streamsize>(first.size()));
  if (file_ && first == kBinaryMagic) {
    form_ = LogForm::Binary;
    place_ = first.size();
    checksum_.add(first.data(), first.size());
    return {};
  }
  file_.clear();
  file_.seekg(0);
  std::string line;
  place_ = 1;
  if (!std::getline(file_, line) || line != kTextMagic) {
    return error(fmt::format("not a {}, expected '{}'", kind_, kTextMagic));
  }
  line += '\n';
  checksum_.add(line.data(), line.size());
  return {};
}

base::Result<char> LogSource::next_line() {
  std::string line;
  ++place_;
  if (!std::getline(file_, line) || file_.eof()) {
    return error("the log is truncated, expected an end entry");
  }
  expected_checksum_ = checksum_.value();
  const std::string raw = line + '\n';
  if (const auto comment = line.find(';'); comment != std::string::npos) line.resize(comment);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  if (line.empty()) return error("an empty line, expected an entry");
  entry_ = line.substr(1);
  if (line[0] == kEnd) return check_end();
  checksum_.add(raw.data(), raw.size());
  ++entries_;
  return line[0];
}

base::Result<char> LogSource::next_chunk() {
  place_ = static_cast<uint64_t>(file_.tellg());
  char head[kHeadBytes];
  if (!file_.read(head, sizeof head)) {
    return error("the log is truncated, expected an end entry");
  }
  size_t length = 0;
  for (unsigned n = 0; n < 4; ++n) length |= size_t{static_cast<uint8_t>(head[1 + n])} << 8 * n;
  if (length > kMostEntryBytes) return error("an entry of impossible length");
  // In pieces: a damaged length must not allocate what the file does not have.
  constexpr size_t kPiece = size_t{1} << 20;
  while (entry_.size() < length) {
    const size_t have = entry_.size(), want = std::min(kPiece, length - have);
    entry_.resize(have + want);
    if (!file_.read(entry_.data() + have, static_cast<std::streamsize>(want))) {
      return error("the log is truncated inside an entry");
    }
  }
  expected_checksum_ = checksum_.value();
  if (head[0] == kEnd) return check_end();
  checksum_.add(head, sizeof head);
  checksum_.add(entry_.data(), entry_.size());
  ++entries_;
  return head[0];
}

base::Result<char> LogSource::check_end() {
  const uint64_t entries = u("number of entries");
  const bool unchecked = form_ == LogForm::Text && entry_.substr(at_) == " -";
  if (unchecked) at_ = entry_.size();
  const uint64_t checksum = unchecked ? expected_checksum_ : u("checksum");
  if (auto s = done(); !s.ok()) return s.error();
  if (entries != entries_) {
    return error(fmt::format("the log is damaged: {} entries, expected {}", entries_, entries));
  }
  if (checksum != expected_checksum_) {
    return error(fmt::format("the log is damaged: checksum {:#x}, expected {:#x}",
                             expected_checksum_, checksum));
  }
  if (file_.peek() != std::ifstream::traits_type::eof()) {
    return error("something follows the end entry");
  }
  return char{0};
}

void LogSource::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
  at_ = entry_.size();
}

std::string LogSource::token() {
  while (at_ < entry_.size() && entry_[at_] == ' ') ++at_;
  const size_t first = at_;
  while (at_ < entry_.size() && entry_[at_] != ' ') ++at_;
  return entry_.substr(first, at_ - first);
}

uint64_t LogSource::u(const char* what, uint64_t limit) {
  uint64_t value = 0;
  if (form_ == LogForm::Text) {
    const std::string t = token();
    const bool hex = t.size() > 2 && t[0] == '0' && t[1] == 'x';
    const char* first = t.data() + (hex ? 2 : 0);
    const auto [end, failed] = std::from_chars(first, t.data() + t.size(), value, hex ? 16 : 10);
    if (t.empty() || failed != std::errc() || end != t.data() + t.size()) {
      fail(fmt::format("{}: found '{}', expected a number", what, t));
      return 0;
    }
  } else {
    unsigned shift = 0;
    for (;; shift += 7) {
      if (at_ >= entry_.size() || shift > 63) {
        fail(fmt::format("{}: expected a number", what));
        return 0;
      }
      const auto b = static_cast<uint8_t>(entry_[at_++]);
      value |= uint64_t{b & 0x7fu} << shift;
      if ((b & 0x80) == 0) break;
    }
  }
  if (value > limit) {
    fail(fmt::format("{}: {:#x}, expected at most {:#x}", what, value, limit));
    return 0;
  }
  return value;
}

std::string LogSource::text(const char* what) {
  if (form_ == LogForm::Binary) {
    const uint64_t size = u(what, entry_.size());
    if (size > entry_.size() - at_) {
      fail(fmt::format("{}: the entry is too short", what));
      return {};
    }
    at_ += size;
    return entry_.substr(at_ - size, size);
  }
  const std::string t = token();
  std::string out;
  bool good = t.size() >= 2 && t.front() == '"' && t.back() == '"';
  for (size_t n = 1; good && n + 1 < t.size(); ++n) {
    if (t[n] != '%') {
      out += t[n];
      continue;
    }
    good = n + 3 < t.size() && hex_digit(t[n + 1]) >= 0 && hex_digit(t[n + 2]) >= 0;
    if (good) out += static_cast<char>(hex_digit(t[n + 1]) * 16 + hex_digit(t[n + 2]));
    n += 2;
  }
  if (!good) fail(fmt::format("{}: found '{}', expected a string", what, t));
  return out;
}

std::vector<uint8_t> LogSource::bytes(const char* what, size_t limit) {
  std::vector<uint8_t> out;
  if (form_ == LogForm::Binary) {
    const uint64_t size = u(what, limit);
    if (size > entry_.size() - at_) {
      fail(fmt::format("{}: the entry is too short", what));
      return out;
    }
    out.assign(entry_.begin() + static_cast<std::ptrdiff_t>(at_),
               entry_.begin() + static_cast<std::ptrdiff_t>(at_ + size));
    at_ += size;
    return out;
  }
  const std::string t = token();
  if (t == "-") return out;
  bool good = !t.empty() && t.size() % 2 == 0 && t.size() / 2 <= limit;
  for (size_t n = 0; good && n < t.size(); n += 2) {
    const int high = hex_digit(t[n]), low = hex_digit(t[n + 1]);
    good = high >= 0 && low >= 0;
    out.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  if (!good) {
    fail(fmt::format("{}: expected at most {} bytes in hexadecimal", what, limit));
    out.clear();
  }
  return out;
}

base::Status LogSource::done() {
  if (!failure_.empty()) return error(failure_);
  if (at_ != entry_.size()) return error("more items than the entry should have");
  return {};
}

}  // namespace cuvette::golden
