// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/probe_case.h"

#include <cerrno>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/bits.h"
#include "run/initial_values.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;
using nlohmann::json;

constexpr uint64_t kMaxSgpr = 101;
constexpr uint64_t kMaxVgpr = 255;
constexpr uint64_t kLdsBytes = 65536;
constexpr uint64_t kMaxReadBytes = 1 << 20;
constexpr uint64_t kMaxMapBytes = uint64_t{64} << 20;

Result<uint64_t> parse_text_number(const std::string& text, uint64_t highest) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'x';
  errno = 0;
  char* end = nullptr;
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  const uint64_t v = digits ? std::strtoull(text.c_str(), &end, hex ? 16 : 10) : 0;
  if (!digits || errno != 0 || *end != 0 || v > highest) {
    return Error(fmt::format("expected a number up to {:#x}, found '{}'", highest, text));
  }
  return v;
}

/// A JSON integer (negative ones wrap into the width) or a string with a decimal or 0x number.
Result<uint64_t> number(const json& value, unsigned width) {
  const uint64_t highest = base::low_mask(width);
  if (value.is_string()) return parse_text_number(value.get<std::string>(), highest);
  if (value.is_number_unsigned() && value.get<uint64_t>() <= highest) return value.get<uint64_t>();
  if (value.is_number_integer() && !value.is_number_unsigned()) {
    const int64_t v = value.get<int64_t>();
    if (v >= -static_cast<int64_t>(highest / 2) - 1) return static_cast<uint64_t>(v) & highest;
  }
  return Error(fmt::format("expected a {}-bit number, found {}", width, value.dump()));
}

Error in(const std::string& key, const Error& error) {
  return Error(fmt::format("{}: {}", key, error.what));
}

template <class Act>
Status for_object(const json& value, Act act) {
  if (!value.is_object()) return Error("expected an object");
  for (const auto& [key, item] : value.items()) {
    if (Status s = act(key, item); !s.ok()) return s;
  }
  return {};
}

struct ModeField {
  const char* name;
  unsigned hi, lo;
};
constexpr ModeField kModeFields[] = {
    {"round_f32", 1, 0},   {"round_f64", 3, 2},    {"denorm_f32", 5, 4}, {"denorm_f64", 7, 6},
    {"dx10_clamp", 8, 8},  {"ieee", 9, 9},         {"debug", 11, 11},    {"excp_en", 20, 12},
    {"fp16_ovfl", 23, 23}, {"gpr_idx_en", 27, 27}, {"vskip", 28, 28}};

Status read_mode(const json& value, uint32_t& mode) {
  return for_object(value, [&](const std::string& key, const json& item) -> Status {
    if (key == "raw") {
      auto v = number(item, 32);
      if (!v) return in(key, v.error());
      mode = static_cast<uint32_t>(*v);
      return {};
    }
    for (const auto& field : kModeFields) {
      if (key != field.name) continue;
      auto v = number(item, field.hi - field.lo + 1);
      if (!v) return in(key, v.error());
      mode = static_cast<uint32_t>(base::insert_bits(mode, field.hi, field.lo, *v));
      return {};
    }
    return Error(fmt::format("unknown mode field '{}'", key));
  });
}

Status read_rows(const json& value, std::map<unsigned, wave::LaneRow>& rows) {
  return for_object(value, [&](const std::string& key, const json& item) -> Status {
    auto index = parse_text_number(key, kMaxVgpr);
    if (!index) return index.error();
    wave::LaneRow row{};
    if (item.is_array()) {
      if (item.size() != wave::kLanes) {
        return Error(fmt::format("register {}: expected 64 values, found {}", key, item.size()));
      }
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        auto v = number(item[lane], 32);
        if (!v) return in(key, v.error());
        row[lane] = static_cast<uint32_t>(*v);
      }
    } else {
      auto v = number(item, 32);
      if (!v) return in(key, v.error());
      row.fill(static_cast<uint32_t>(*v));
    }
    rows[static_cast<unsigned>(*index)] = row;
    return {};
  });
}

Status read_bytes(const json& value, uint64_t end, std::map<uint64_t, std::vector<uint8_t>>& out) {
  return for_object(value, [&](const std::string& key, const json& item) -> Status {
    auto address = parse_text_number(key, end - 1);
    if (!address) return address.error();
    if (!item.is_string()) return Error(fmt::format("{}: expected hex bytes", key));
    auto bytes = parse_hex_bytes(item.get<std::string>());
    if (!bytes) return in(key, bytes.error());
    if (bytes->size() > end - *address) {
      return Error(fmt::format("{}: {} bytes reach beyond {:#x}", key, bytes->size(), end));
    }
    out[*address] = std::move(*bytes);
    return {};
  });
}

/// "lds:0:16" or "mem:0x100000:64" after the first colon.
Status read_range(const std::string& text, uint64_t end, uint64_t most, uint64_t& at,
                  uint64_t& bytes) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return Error("expected ADDRESS:BYTES");
  auto address = parse_text_number(text.substr(0, colon), end - 1);
  if (!address) return address.error();
  auto count = parse_text_number(text.substr(colon + 1), std::min(most, end - *address));
  if (!count) return count.error();
  at = *address;
  bytes = *count;
  return {};
}

Status read_read(const json& value, ProbeCase& out) {
  if (!value.is_string()) return Error("expected a list of names");
  ProbeRead r;
  r.key = value.get<std::string>();
  static const std::map<std::string, ProbeRead::Kind> kNames = {
      {"exec", ProbeRead::Kind::Exec}, {"vcc", ProbeRead::Kind::Vcc},
      {"scc", ProbeRead::Kind::Scc},   {"m0", ProbeRead::Kind::M0},
      {"mode", ProbeRead::Kind::Mode}, {"trapsts", ProbeRead::Kind::Trapsts}};
  Status status;
  if (const auto found = kNames.find(r.key); found != kNames.end()) {
    r.kind = found->second;
  } else if (r.key.rfind("lds:", 0) == 0) {
    r.kind = ProbeRead::Kind::Lds;
    status = read_range(r.key.substr(4), kLdsBytes, kLdsBytes, r.index, r.bytes);
  } else if (r.key.rfind("mem:", 0) == 0) {
    r.kind = ProbeRead::Kind::Memory;
    status = read_range(r.key.substr(4), uint64_t{1} << 48, kMaxReadBytes, r.index, r.bytes);
  } else {
    const char kind = r.key.empty() ? ' ' : r.key[0];
    if (kind != 's' && kind != 'v' && kind != 'a') {
      return Error(fmt::format("read: unknown name '{}'", r.key));
    }
    r.kind = kind == 's'   ? ProbeRead::Kind::Sgpr
             : kind == 'v' ? ProbeRead::Kind::Vgpr
                           : ProbeRead::Kind::Agpr;
    auto index = parse_text_number(r.key.substr(1), kind == 's' ? kMaxSgpr : kMaxVgpr);
    if (!index) return Error(fmt::format("read: unknown name '{}'", r.key));
    r.index = *index;
  }
  if (!status.ok()) return in("read " + r.key, status.error());
  out.reads.push_back(std::move(r));
  return {};
}

Status read_code(const json& value, ProbeCase& out) {
  std::vector<std::string> words;
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    size_t at = 0;
    while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
      const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end;
    }
  } else if (value.is_array()) {
    for (const auto& word : value) {
      if (!word.is_string()) return Error("code: expected words of 8 hex digits");
      words.push_back(word.get<std::string>());
    }
  } else {
    return Error("code: expected words of 8 hex digits");
  }
  for (const auto& word : words) {
    if (word.size() != 8 || word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      return Error(fmt::format("code: expected words of 8 hex digits, found '{}'", word));
    }
    out.code.push_back(static_cast<uint32_t>(std::strtoul(word.c_str(), nullptr, 16)));
  }
  return {};
}

Status read_assembly(const json& value, ProbeCase& out) {
  if (value.is_string()) {
    out.assembly.push_back(value.get<std::string>());
    return {};
  }
  if (!value.is_array()) return Error("asm: expected a list of lines");
  for (const auto& line : value) {
    if (!line.is_string()) return Error("asm: expected a list of lines");
    out.assembly.push_back(line.get<std::string>());
  }
  return {};
}

Status read_key(const std::string& key, const json& value, ProbeCase& out) {
  const auto word = [&](auto& field, unsigned width) -> Status {
    auto v = number(value, width);
    if (!v) return v.error();
    field = static_cast<std::remove_reference_t<decltype(field)>>(*v);
    return {};
  };
  if (key == "id" || key == "target") return {};
  if (key == "asm") return read_assembly(value, out);
  if (key == "code") return read_code(value, out);
  if (key == "mode") return read_mode(value, out.mode);
  if (key == "exec") return word(out.exec, 64);
  if (key == "vcc") return word(out.vcc, 64);
  if (key == "scc") return word(out.scc, 1);
  if (key == "m0") return word(out.m0, 32);
  if (key == "vgpr") return read_rows(value, out.vgpr);
  if (key == "agpr") return read_rows(value, out.agpr);
  if (key == "lds") return read_bytes(value, kLdsBytes, out.lds);
  if (key == "mem") return read_bytes(value, uint64_t{1} << 48, out.memory);
  if (key == "sgpr") {
    return for_object(value, [&](const std::string& name, const json& item) -> Status {
      auto index = parse_text_number(name, kMaxSgpr);
      if (!index) return index.error();
      auto v = number(item, 32);
      if (!v) return in(name, v.error());
      out.sgpr[static_cast<unsigned>(*index)] = static_cast<uint32_t>(*v);
      return {};
    });
  }
  if (key == "map" || key == "read") {
    const json list = value.is_array() ? value : json::array({value});
    for (const auto& item : list) {
      if (key == "read") {
        if (Status s = read_read(item, out); !s.ok()) return s;
        continue;
      }
      uint64_t at = 0;
      uint64_t bytes = 0;
      if (!item.is_string()) return Error("expected \"0xADDRESS:BYTES\"");
      if (Status s =
              read_range(item.get<std::string>(), uint64_t{1} << 48, kMaxMapBytes, at, bytes);
          !s.ok()) {
        return s;
      }
      out.mapped[at] = std::max(out.mapped[at], bytes);
    }
    return {};
  }
  return Error("unknown key");
}

/// Behind all keys: their order is not that of the text.
Status check_accvgprs(const ProbeCase& c) {
  if (isa::has_accvgprs(c.target)) return {};
  const std::string name(isa::name_of(c.target));
  if (!c.agpr.empty()) return Error(fmt::format("agpr: {} has no AccVGPRs", name));
  for (const auto& r : c.reads) {
    if (r.kind == ProbeRead::Kind::Agpr) {
      return Error(fmt::format("read: unknown name '{}': {} has no AccVGPRs", r.key, name));
    }
  }
  return {};
}

}  // namespace

Result<ProbeCase> parse_probe_case(const json& object) {
  if (!object.is_object()) return Error("expected a JSON object");
  ProbeCase out;
  for (const char* needed : {"id", "target"}) {
    if (!object.contains(needed)) return Error(fmt::format("key '{}' is missing", needed));
  }
  out.id = object["id"];
  if (!object["target"].is_string()) return Error("target: expected a name such as \"gfx908\"");
  const auto target = isa::target_from_name(object["target"].get<std::string>());
  if (!target) {
    return Error(fmt::format("target: unknown target {}", object["target"].dump()));
  }
  out.target = *target;
  if (object.contains("asm") == object.contains("code")) {
    return Error("expected one of the keys asm and code");
  }
  for (const auto& [key, value] : object.items()) {
    if (Status s = read_key(key, value, out); !s.ok()) return in(key, s.error());
  }
  if (Status s = check_accvgprs(out); !s.ok()) return s.error();
  return out;
}

}  // namespace cuvette::run
