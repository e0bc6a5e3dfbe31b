// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/verb.h"
#include "isa/decode.h"
#include "isa/text.h"
#include "wave/execute.h"
#include "wave/status.h"

namespace cuvette::cli {
namespace {

base::Result<isa::Target> find_target(const std::string& name) {
  if (const auto target = isa::target_from_name(name)) return *target;
  return base::Error(
      fmt::format("unknown target '{}', expected gfx900, gfx906, gfx908, gfx90a or gfx942", name));
}

/// 8-digit hex words, most significant digit first, separated by white space.
base::Result<std::vector<uint32_t>> read_words(std::istream& in) {
  std::vector<uint32_t> words;
  std::string line;
  for (uint32_t number = 1; std::getline(in, line); ++number) {
    size_t at = 0;
    while (at < line.size()) {
      if (std::isspace(static_cast<unsigned char>(line[at])) != 0) {
        ++at;
        continue;
      }
      size_t end = at;
      while (end < line.size() && std::isspace(static_cast<unsigned char>(line[end])) == 0) ++end;
      const std::string word = line.substr(at, end - at);
      if (word.size() != 8 ||
          word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        return base::Error(
            fmt::format("expected a word of 8 hex digits, found '{}'", word),
            {.file = "stdin", .line = number, .column = static_cast<uint32_t>(at + 1)});
      }
      words.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
      at = end;
    }
  }
  if (auto s = input_status(); !s.ok()) return s.error();
  return words;
}

int decode_words(const std::string& target_name) {
  auto target = find_target(target_name);
  if (!target) return report(target.error());
  auto words = read_words(std::cin);
  if (!words) return report(words.error());
  for (size_t at = 0; at < words->size();) {
    const isa::Decoded d = isa::decode(*target, words->data() + at, words->size() - at);
    const size_t length = std::min<size_t>(std::max<size_t>(d.length, 1), words->size() - at);
    fmt::print("{}:", at * 4);
    for (size_t i = 0; i < length; ++i) fmt::print(" {:08x}", (*words)[at + i]);
    switch (d.status) {
      case isa::DecodeStatus::Legal:
        fmt::print("  {}\n", isa::text(d.instruction));
        break;
      case isa::DecodeStatus::Reserved:
        fmt::print("  {} reserved: {}\n", isa::text(d.instruction), d.field);
        break;
      default:
        fmt::print("  illegal: {}\n", d.reason);
        break;
    }
    at += length;
  }
  return kPassed;
}

int list_rows(const std::string& target_name) {
  auto target = find_target(target_name);
  if (!target) return report(target.error());
  for (const auto& row : isa::rows()) {
    if (!row.on(*target)) continue;
    const auto status = wave::status_of(row, *target);
    fmt::print("{}\t{}\t{}\t{}\t{}\n", isa::name_of(row.format), row.opcode[isa::index_of(*target)],
               row.mnemonic, wave::name_of(status.status), status.reason);
  }
  return kPassed;
}

}  // namespace

void add_isa(Verb& verbs) {
  auto target = std::make_shared<std::string>("gfx908");
  auto verb = verbs.add("isa", "Look at machine instructions");
  verb.needs_verb();
  auto decode = verb.add("decode", "Decode 8-digit hex words from standard input");
  auto list = verb.add("list", "List the instructions of a target with their status");
  for (Verb* sub : {&decode, &list}) {
    sub->option("--target", *target, "gfx900, gfx906, gfx908, gfx90a or gfx942").with_default();
  }
  decode.does([target] { return decode_words(*target); });
  list.does([target] { return list_rows(*target); });
}

}  // namespace cuvette::cli
