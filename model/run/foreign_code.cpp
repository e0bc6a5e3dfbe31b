// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/foreign_code.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace cuvette::run {
namespace {

using namespace std::string_view_literals;

std::string_view view_of(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Names, and single characters between them, of a source in a language with C's comments and
/// strings. Directives of its preprocessor are names like others.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const size_t start = at_;
    if (!is_name(text_[at_])) {
      ++at_;
      return text_.substr(start, 1);
    }
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

 private:
  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }
  void to(std::string_view end) {
    const size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }
  void skip() {
    for (;;) {
      if (at_ >= text_.size()) return;
      const std::string_view rest = text_.substr(at_);
      if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
        ++at_;
      } else if (rest.starts_with("//")) {
        to("\n");
      } else if (rest.starts_with("/*")) {
        at_ += 2;
        to("*/");
      } else if (rest.front() == '"') {
        ++at_;
        to("\"");
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool has_word(std::string_view text, std::string_view wanted) {
  // Most texts do not have it at all.
  if (text.find(wanted) == std::string_view::npos) return false;
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == wanted) return true;
  }
  return false;
}

bool is_hsail_text(std::string_view text) {
  const std::string_view first = Words(text).next();
  return first == "module" || first == "version";
}

std::string made_by(const char* what, const std::string& command) {
  return fmt::format("{}, expected a code object: '{}' makes one", what, command);
}

}  // namespace

bool is_opencl(const std::vector<uint8_t>& bytes) {
  const std::string_view text = view_of(bytes);
  if (is_hsail_text(text)) return false;
  if (has_word(text, "__kernel")) return true;
  if (text.find("kernel") == std::string_view::npos) return false;
  Words words(text);
  bool kernel = false;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (kernel && word == "void") return true;
    if (kernel && word == "&") return false;  // a kernel of HSAIL
    kernel = kernel || word == "kernel";
  }
  return false;
}

std::string foreign_form(const std::vector<uint8_t>& bytes, const std::string& file) {
  const std::string_view text = view_of(bytes);
  const std::string compile =
      fmt::format("clang -target amdgcn-amd-amdhsa -mcpu=TARGET {} -o {}.co", file, file);
  if (text.starts_with("BC\xc0\xde"sv) || text.starts_with("\xde\xc0\x17\x0b"sv)) {
    return made_by("LLVM bitcode", compile);
  }
  if (text.starts_with("\x10\xff\x10\xad"sv)) {
    return made_by(
        "a package of clang-offload-packager",
        fmt::format("clang-offload-packager {} --image=file={}.co,arch=TARGET", file, file));
  }
  if (text.starts_with("\x03\x02\x23\x07"sv)) {
    return "SPIR-V, which is not supported, expected HSAIL, OpenCL C or a code object";
  }
  if (text.starts_with("!<arch>\n"sv)) {
    return fmt::format("an archive, expected one of its members: 'ar x {}' extracts them", file);
  }
  constexpr size_t kStart = 4096;  // of a text: the bundle's mark stands in its first line
  if (text.substr(0, kStart).find("__CLANG_OFFLOAD_BUNDLE____START__") != std::string_view::npos) {
    return fmt::format(
        "an offload bundle of text, expected a code object: 'clang-offload-bundler "
        "-unbundle -type=TYPE -targets=TARGETS -input={} -output=OUT' extracts it",
        file);
  }
  if (is_hsail_text(text)) return {};
  if (has_word(text, ".amdgcn_target") || has_word(text, ".amdhsa_kernel")) {
    return made_by("AMDGPU assembly",
                   fmt::format("clang -x assembler -target amdgcn-amd-amdhsa -mcpu=TARGET {} -o "
                               "{}.co",
                               file, file));
  }
  if (text.find("target triple = \"amdgcn") != std::string_view::npos) {
    return made_by("LLVM IR", "clang -x ir" + compile.substr(5));
  }
  if (has_word(text, "__global__")) {
    return made_by("HIP source",
                   fmt::format("clang -x hip --offload-arch=TARGET --cuda-device-only {} -o {}.co",
                               file, file));
  }
  return {};
}

}  // namespace cuvette::run
