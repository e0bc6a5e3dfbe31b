// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/probe.h"

#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "isa/decode.h"
#include "run/probe_wave.h"
#include "run/rtl_blocks.h"
#include "simd/lane_file.h"
#include "wave/execute.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "run/finalizer_module.h"
#endif

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr uint32_t kWaitcnt0 = 0xbf8c0000;  // s_waitcnt 0
constexpr uint32_t kEndpgm = 0xbf810000;    // s_endpgm
/// Machine whose compute unit the engines with time use. The answers do not depend on its timing.
constexpr const char* kDescription = "mi100";

Result<std::vector<uint32_t>> code_of(const ProbeCase& c) {
  if (c.assembly.empty()) return c.code;
#ifdef CUVETTE_WITH_FINALIZER
  const auto module = load_finalizer();
  if (!module) return module.error();
  std::vector<std::string> lines;
  for (const auto& text : c.assembly) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return (*module)->assemble(lines, std::string(isa::name_of(c.target)));
#else
  return Error("not built: asm needs LLVM; give the words as code");
#endif
}

/// Checks that appended code does not become the rest of the last instruction. Data among the code
/// are not told from instructions.
base::Status check_end(isa::Target target, const std::vector<uint32_t>& code) {
  for (size_t at = 0; at < code.size();) {
    const isa::Decoded d = isa::decode(target, &code[at], code.size() - at);
    if (d.status == isa::DecodeStatus::Truncated)
      return Error(
          fmt::format("the code ends within the instruction at byte {}: {}", 4 * at, d.reason));
    at += d.length;
  }
  return {};
}

std::string word(uint32_t v) {
  return fmt::format("0x{:08x}", v);
}
std::string pair(uint64_t v) {
  return fmt::format("0x{:016x}", v);
}
std::string hex(const uint8_t* bytes, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) fmt::format_to(std::back_inserter(out), "{:02x}", bytes[i]);
  return out;
}
json lanes(const std::vector<wave::LaneRow>& rows, uint64_t index) {
  json out = json::array();
  for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
    out.push_back(word(rows[index][lane]));
  }
  return out;
}

json value_of(const ProbeRead& r, const ProbeOutcome& o, const ProbeImage& image) {
  const auto& s = o.scalars;
  switch (r.kind) {
    case ProbeRead::Kind::Sgpr:
      return word(s.sgpr[r.index]);
    case ProbeRead::Kind::Vgpr:
      return lanes(o.vgprs, r.index);
    case ProbeRead::Kind::Agpr:
      return lanes(o.accvgprs, r.index);
    case ProbeRead::Kind::Exec:
      return pair(s.exec());
    case ProbeRead::Kind::Vcc:
      return pair(s.vcc());
    case ProbeRead::Kind::Scc:
      return s.scc ? 1 : 0;
    case ProbeRead::Kind::M0:
      return word(s.m0());
    case ProbeRead::Kind::Mode:
      return word(s.mode.raw);
    case ProbeRead::Kind::Trapsts:
      return word(s.trapsts);
    case ProbeRead::Kind::Lds:
      return hex(o.lds.data() + r.index, r.bytes);
    case ProbeRead::Kind::Memory:
      break;
  }
  std::vector<uint8_t> bytes(r.bytes);
  if (!bytes.empty() && !image.memory().read(r.index, bytes.data(), bytes.size()).ok())
    return nullptr;
  return hex(bytes.data(), bytes.size());
}

/// Work of the blocks that engine rtl has in RTL: of lanes and of the matrix core.
bool is_for_rtl(const isa::Row& row) {
  return row.unit == isa::Unit::Valu || row.unit == isa::Unit::Trans ||
         row.unit == isa::Unit::Matrix;
}

/// Checks that a case of engine rtl ran on RTL: work that the simd of the model does itself has no
/// RTL here, and is no case of the engine; scalar and memory instructions are the compute unit's on
/// every engine.
void check_rtl(ProbeOutcome& o) {
  if (!o.failure.empty()) return;
  o.executed_by = "tlm";
  for (const auto& [row, count] : o.executed) {
    if (!is_for_rtl(*row)) continue;
    o.executed_by = "rtl";
    if (row->has(isa::kMatrix) || !simd::is_own(*row)) continue;
    o.failure = fmt::format("{}: no RTL of this engine has it", row->mnemonic);
    o.unsupported = true;
    return;
  }
}

json approximate(const ProbeOutcome& o, isa::Target target) {
  std::set<std::string> names;
  for (const auto& [row, count] : o.executed) {
    if (wave::status_of(*row, target).status == wave::Status::Approximate) {
      names.insert(std::string(row->mnemonic));
    }
  }
  return names;
}

}  // namespace

struct Probe::Machine {
  machine::GpuConfig description;
  gpu::Registries registries = gpu::tlm_registries();
  RtlBlocks rtl;
};

Probe::Probe(std::string engine, std::unique_ptr<Machine> machine)
    : engine_(std::move(engine)), machine_(std::move(machine)) {}
Probe::~Probe() = default;

bool Probe::built(const std::string& engine) {
#ifdef CUVETTE_WITH_RTL
  (void)engine;
  return true;
#else
  return engine != "rtl";
#endif
}

Result<std::unique_ptr<Probe>> Probe::create(const std::string& engine) {
  if (!built(engine)) return Error("not built: engine " + engine);
  std::unique_ptr<Machine> m;
  if (engine != "golden") {
    m = std::make_unique<Machine>();
    const auto path = machine::find_description(kDescription, {});
    if (!path) return path.error();
    auto description = machine::load_description(*path);
    if (!description) return description.error();
    m->description = std::move(description).value();
    m->description.implementations.clear();
    if (engine == "rtl") {
      if (auto s = m->rtl.add_to(m->registries, [] {}); !s.ok()) return s.error();
      m->description.implementations = {{"valu", "rtl"}, {"matrix_core", "rtl"}};
    }
  }
  return std::unique_ptr<Probe>(new Probe(engine, std::move(m)));
}

ProbeOutcome Probe::run(const ProbeCase& c, ProbeImage& image) const {
  if (machine_ == nullptr) return probe_on_golden(c, image);
  ProbeOutcome outcome = probe_on_unit(c, image, machine_->description, machine_->registries);
  if (engine_ == "rtl") check_rtl(outcome);
  return outcome;
}

ordered_json Probe::answer(const json& object) {
  ordered_json answer;
  answer["id"] = object.is_object() && object.contains("id") ? object["id"] : json();
  const auto failed = [&answer](const char* status, const std::string& why) {
    answer["status"] = status;
    answer["error"] = why;
    return answer;
  };
  auto parsed = parse_probe_case(object);
  if (!parsed) return failed("error", parsed.error().what);
  auto code = code_of(*parsed);
  if (!code) return failed("error", code.error().str());
  if (auto s = check_end(parsed->target, *code); !s.ok()) return failed("error", s.error().what);
  code->push_back(kWaitcnt0);
  code->push_back(kEndpgm);

  auto image = ProbeImage::create(*parsed, *code);
  if (!image) return failed("error", image.error().what);
  const ProbeOutcome outcome = run(*parsed, **image);
  if (!outcome.failure.empty()) {
    return failed(outcome.unsupported ? "unsupported" : "error", outcome.failure);
  }
  answer["status"] = "ok";
  for (const auto& r : parsed->reads) answer[r.key] = value_of(r, outcome, **image);
  answer["executed_by"] = outcome.executed_by.empty() ? engine_ : outcome.executed_by;
  answer["approximate"] = approximate(outcome, parsed->target);
  return answer;
}

}  // namespace cuvette::run
