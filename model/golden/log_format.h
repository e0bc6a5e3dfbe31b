// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::golden {

/// A log is a sequence of entries: a tag letter and unsigned numbers, strings and byte strings.
///
/// Text: one line per entry, separated by blanks, numbers decimal or 0x, strings in double quotes
/// with %XX for what is not plain, byte strings as hex or '-'; ';' starts a comment. Binary: tag,
/// 32-bit length, then numbers as LEB128, strings and byte strings with their length before them.
enum class LogForm : uint8_t { Text, Binary };

/// FNV-1a over everything before the end entry: finds damage, not malice.
class LogChecksum {
 public:
  void add(const char* data, size_t bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

class LogSink {
 public:
  LogSink(const std::string& path, LogForm form);
  LogSink& begin(char tag);
  LogSink& u(uint64_t value);
  LogSink& text(const std::string& value);
  LogSink& bytes(const uint8_t* data, size_t count);
  void end(const std::string& comment = {});
  /// The end entry: number of entries and checksum.
  void finish();
  bool good() const { return file_.good(); }

 private:
  std::ofstream file_;
  LogForm form_;
  char tag_ = 0;
  std::string entry_;
  uint64_t entries_ = 0;
  LogChecksum checksum_;
};

/// Reads entry by entry. Every error names the place: line, or offset of the entry.
class LogSource {
 public:
  /// `kind`: what messages call the file.
  explicit LogSource(const std::string& path, const char* kind = "retirement log");

  /// The tag of the next entry; 0 at the end of the log, which has been checked then.
  base::Result<char> next();
  // Items of the present entry. After the first error they give nothing, and done() tells.
  uint64_t u(const char* what, uint64_t limit = ~uint64_t{0});
  std::string text(const char* what);
  std::vector<uint8_t> bytes(const char* what, size_t limit);
  /// The entry is used up and had no error.
  base::Status done();
  base::Error error(const std::string& what) const;

 private:
  base::Status open();
  base::Result<char> next_line();
  base::Result<char> next_chunk();
  base::Result<char> check_end();
  void fail(const std::string& what);
  std::string token();

  std::string path_;
  const char* kind_;
  std::ifstream file_;
  LogForm form_ = LogForm::Text;
  bool opened_ = false;
  std::string entry_;
  size_t at_ = 0;
  uint64_t place_ = 0;  // line, or offset
  uint64_t entries_ = 0;
  LogChecksum checksum_;
  uint64_t expected_checksum_ = 0;
  std::string failure_;
};

}  // namespace cuvette::golden
