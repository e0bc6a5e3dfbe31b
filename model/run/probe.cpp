// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/probe.h"

#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/bits.h"
#include "golden/memory_port.h"
#include "golden/program.h"
#include "golden/wave.h"
#include "hsa/memory.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "finalizer/assembler.h"
#endif

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kInstructionLimit = 100'000;
constexpr uint32_t kWaitcnt0 = 0xbf8c0000;  // s_waitcnt 0
constexpr uint32_t kEndpgm = 0xbf810000;    // s_endpgm

Result<std::vector<uint32_t>> code_of(const ProbeCase& c) {
  if (c.assembly.empty()) return c.code;
#ifdef CUVETTE_WITH_FINALIZER
  // Setting up LLVM's tables takes longer than most cases: one assembler per target for the whole
  // run.
  static std::map<isa::Target, finalizer::Assembler> assemblers;
  auto found = assemblers.find(c.target);
  if (found == assemblers.end()) {
    auto made = finalizer::Assembler::create(std::string(isa::name_of(c.target)));
    if (!made) return made.error();
    found = assemblers.emplace(c.target, std::move(made).value()).first;
  }
  std::vector<std::string> lines;
  for (const auto& text : c.assembly) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return found->second.assemble(lines);
#else
  return Error("not built: asm needs LLVM; give the words as code");
#endif
}

/// Pages of all the memory a case mentions, as maximal runs.
std::map<uint64_t, uint64_t> pages_of(const ProbeCase& c) {
  std::set<uint64_t> pages;
  const auto touch = [&pages](uint64_t at, uint64_t bytes) {
    for (uint64_t p = at / kPage; bytes != 0 && p <= (at + bytes - 1) / kPage; ++p) pages.insert(p);
  };
  for (const auto& [at, bytes] : c.memory) touch(at, bytes.size());
  for (const auto& [at, bytes] : c.mapped) touch(at, bytes);
  for (const auto& r : c.reads) {
    if (r.kind == ProbeRead::Kind::Memory) touch(r.index, r.bytes);
  }
  std::map<uint64_t, uint64_t> runs;
  for (const uint64_t page : pages) {
    if (!runs.empty() && runs.rbegin()->first + runs.rbegin()->second == page * kPage) {
      runs.rbegin()->second += kPage;
    } else {
      runs[page * kPage] = kPage;
    }
  }
  return runs;
}

/// One wave with the state of the case, memory and code in place.
class Bench {
 public:
  explicit Bench(const ProbeCase& c) : case_(c), wave_(c.target, 256, accvgprs(c.target)) {}

  Status prepare(const std::vector<uint32_t>& code) {
    auto backing = std::make_unique<hsa::SparseMemory>();
    auto space = std::make_unique<hsa::AddressSpace>();
    const auto runs = pages_of(case_);
    for (const auto& [at, bytes] : runs) {
      if (auto s = backing->reserve(at, bytes); !s.ok()) return s;
      if (auto s = space->map(at, bytes, hsa::Access::ReadWrite); !s.ok()) return s;
    }
    code_at_ = uint64_t{0x7e} << 40;
    const uint64_t code_bytes = base::align_up(code.size() * 4, kPage);
    for (const auto& [at, bytes] : runs) {
      if (at < code_at_ + code_bytes && code_at_ < at + bytes) {
        code_at_ = base::align_up(at + bytes + kPage, kPage);
      }
    }
    if (auto s = backing->reserve(code_at_, code_bytes); !s.ok()) return s;
    // Data accesses to the code are wild: the case did not name these pages.
    if (auto s = space->map(code_at_, code_bytes, hsa::Access::Execute); !s.ok()) return s;
    memory_ = std::make_unique<hsa::DeviceMemory>(std::move(backing), std::move(space),
                                                  hsa::DeviceAllocator::Config{});
    if (!memory_->backing().write(code_at_, code.data(), code.size() * 4)) {
      return Error("the code cannot be placed");
    }
    for (const auto& [at, bytes] : case_.memory) {
      if (!bytes.empty() && !memory_->write(at, bytes.data(), bytes.size()).ok()) {
        return Error(fmt::format("memory at {:#x} cannot be written", at));
      }
    }
    set_registers();
    return {};
  }

  /// Empty on success.
  std::string run() {
    golden::Program program(*memory_, case_.target);
    golden::MemoryPort port(*memory_);
    const uint64_t done = wave_.run(kInstructionLimit, program, port, nullptr);
    counts_ = program.executed();
    if (wave_.status == golden::WaveStatus::Failed) return wave_.failure;
    if (done >= kInstructionLimit && wave_.status == golden::WaveStatus::Running) {
      return fmt::format("more than {} instructions", kInstructionLimit);
    }
    return "";
  }

  bool unsupported() const { return wave_.stopped_by == wave::Event::Unsupported; }

  json value_of(const ProbeRead& r) const {
    const auto& s = wave_.state.s;
    const auto word = [](uint32_t v) { return fmt::format("0x{:08x}", v); };
    const auto pair = [](uint64_t v) { return fmt::format("0x{:016x}", v); };
    const auto row = [&](const wave::LaneRow* rows, unsigned count) {
      json out = json::array();
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        out.push_back(word(r.index < count ? rows[r.index][lane] : 0));
      }
      return out;
    };
    const auto hex = [](const std::vector<uint8_t>& bytes) {
      std::string out;
      for (const uint8_t b : bytes) out += fmt::format("{:02x}", b);
      return out;
    };
    switch (r.kind) {
      case ProbeRead::Kind::Sgpr:
        return word(s.sgpr[r.index]);
      case ProbeRead::Kind::Vgpr:
        return row(wave_.state.v.arch, wave_.state.v.arch_count);
      case ProbeRead::Kind::Agpr:
        return row(wave_.state.v.acc, wave_.state.v.acc_count);
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
        return hex({group_.lds.begin() + static_cast<ptrdiff_t>(r.index),
                    group_.lds.begin() + static_cast<ptrdiff_t>(r.index + r.bytes)});
      default:
        break;
    }
    std::vector<uint8_t> bytes(r.bytes);
    if (!bytes.empty() && !memory_->read(r.index, bytes.data(), bytes.size()).ok()) return nullptr;
    return hex(bytes);
  }

  json approximate() const {
    std::set<std::string> names;
    for (const auto& [row, count] : counts_) {
      if (wave::status_of(*row, case_.target).status == wave::Status::Approximate) {
        names.insert(std::string(row->mnemonic));
      }
    }
    return names;
  }

 private:
  static uint16_t accvgprs(isa::Target t) { return isa::has_accvgprs(t) ? 256 : 0; }

  void set_registers() {
    auto& s = wave_.state.s;
    wave_.group = &group_;
    wave_.trap_on_violation = true;
    wave_.state.sramecc = case_.target >= isa::Target::Gfx908;
    wave_.state.alloc.accvgprs = wave_.state.v.acc_count;
    group_.lds.assign(65536, 0);
    group_.waves = 1;
    for (const auto& [at, bytes] : case_.lds) {
      std::copy(bytes.begin(), bytes.end(), group_.lds.begin() + static_cast<ptrdiff_t>(at));
    }
    for (const auto& [index, value] : case_.sgpr) s.sgpr[index] = value;
    for (const auto& [index, row] : case_.vgpr) wave_.state.v.arch[index] = row;
    for (const auto& [index, row] : case_.agpr) {
      if (index < wave_.state.v.acc_count) wave_.state.v.acc[index] = row;
    }
    s.mode.raw = case_.mode;
    s.set_exec(case_.exec);
    s.set_vcc(case_.vcc);
    s.scc = case_.scc;
    s.sgpr[isa::kM0] = case_.m0;
    s.pc = code_at_;
  }

  const ProbeCase& case_;
  std::unique_ptr<hsa::DeviceMemory> memory_;
  golden::Workgroup group_;
  golden::Wave wave_;
  std::map<const isa::Row*, uint64_t> counts_;
  uint64_t code_at_ = 0;
};

}  // namespace

ordered_json probe_golden(const json& object) {
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
  code->push_back(kWaitcnt0);
  code->push_back(kEndpgm);

  Bench bench(*parsed);
  if (auto s = bench.prepare(*code); !s.ok()) return failed("error", s.error().what);
  const std::string failure = bench.run();
  if (!failure.empty()) return failed(bench.unsupported() ? "unsupported" : "error", failure);
  answer["status"] = "ok";
  for (const auto& r : parsed->reads) answer[r.key] = bench.value_of(r);
  answer["executed_by"] = "golden";
  answer["approximate"] = bench.approximate();
  return answer;
}

}  // namespace cuvette::run
