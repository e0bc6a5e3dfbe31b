// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Random legal instruction streams on the golden machine, all formats, modes and targets. Three
// things must hold: one instruction at a time changes only what it may; every level of the host's
// vector unit ends in the same state; and that state is the one in
// tests/snapshots/stream_hashes.csv, whatever compiler built the machine.
//
// usage: stream_test [--count N] [--seed S] [--shard I/N] [--write FILE]
//   N instructions, a fifth of them on each target (default 200000); shard I of N, I from 0;
//   --write makes the table of hashes anew.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "csv.h"
#include "golden/wave.h"
#include "isa/decode.h"
#include "isa/text.h"
#include "probe_program.h"
#include "run/probe_image.h"
#include "run/probe_wave.h"
#include "wave/lanes/host_level.h"

namespace cuvette {
namespace {

using golden::WaveStatus;
using isa::Instruction;
using isa::OperandKind;
using wave::LaneRow;
using wave::lanes::HostLevel;

constexpr uint64_t kSeed = 20261120;
constexpr uint64_t kBlock = 10'000;  ///< instructions of one line of the table
constexpr unsigned kProgram = 100;   ///< instructions of a program, waits and branches not counted
constexpr uint32_t kLds = 8192;
constexpr uint32_t kEndpgm = 0xbf810000;
constexpr unsigned kLevels = static_cast<unsigned>(HostLevel::Avx512) + 1;

struct Options {
  uint64_t count = 200'000, seed = kSeed, shard = 0, shards = 1;
  std::string write;
};

/// A stream with what the wave was given.
struct Stream {
  run::ProbeCase start;
  uint16_t vgprs = 256, accvgprs = 256, sgprs = 102;
};

Stream draw(isa::Target target, std::mt19937_64& random) {
  Stream s;
  s.start = probe_program::random_program(
      target, kProgram, random, [](const Instruction&) { return true; }, true);
  s.start.code.push_back(kEndpgm);
  s.accvgprs = run::probe_accvgprs(target);
  // Half of the waves have fewer registers than the instructions name.
  if (random() % 2 != 0) {
    s.vgprs = static_cast<uint16_t>(32 + 4 * (random() % 56));
    s.sgprs = static_cast<uint16_t>(32 + 8 * (random() % 8));
    if (s.accvgprs != 0) s.accvgprs = static_cast<uint16_t>(4 * (random() % 64));
  }
  return s;
}

/// A wave at the start of a stream, with memory of its own.
class Run {
 public:
  Run(const Stream& stream, run::ProbeImage& image)
      : image_(image),
        program_(image.memory(), stream.start.target),
        port_(image.memory()),
        wave(stream.start.target, run::kProbeVgprs, run::probe_accvgprs(stream.start.target)) {
    const run::ProbeCase& c = stream.start;
    for (const auto& [at, bytes] : c.memory) {
      static_cast<void>(image.memory().write(at, bytes.data(), bytes.size()));
    }
    group_.lds.assign(kLds, 0);
    for (const auto& [at, bytes] : c.lds) {
      std::copy(bytes.begin(), bytes.end(), group_.lds.begin() + static_cast<ptrdiff_t>(at));
    }
    group_.waves = 1;
    wave.group = &group_;
    wave.trap_on_violation = true;
    wave.state.sramecc = c.target >= isa::Target::Gfx908;
    wave.state.alloc.vgprs = stream.vgprs;
    wave.state.alloc.accvgprs = stream.accvgprs;
    wave.state.alloc.sgprs = stream.sgprs;
    wave.state.alloc.lds_bytes = kLds;
    wave.state.alloc.scratch_base = probe_program::kMemoryAt;
    wave.state.s = run::probe_scalars(c, image.code_at());
    for (const auto& [index, row] : c.vgpr) wave.state.v.arch[index] = row;
    for (const auto& [index, row] : c.agpr) {
      if (index < wave.state.v.acc_count) wave.state.v.acc[index] = row;
    }
  }

  uint64_t step() { return wave.run(1, program_, port_, nullptr); }
  uint64_t finish() { return wave.run(run::kProbeInstructionLimit, program_, port_, nullptr); }
  isa::RowCounts executed() const { return program_.executed(); }

  uint64_t hash() const {
    uint64_t h = 0x9e3779b97f4a7c15;
    const auto mix = [&h](uint64_t word) {
      h = (h ^ word) * 0xff51afd7ed558ccd;
      h ^= h >> 32;
    };
    const auto mix_bytes = [&mix](const void* data, size_t bytes) {
      const auto* at = static_cast<const uint8_t*>(data);
      for (size_t n = 0; n + 8 <= bytes; n += 8) {
        uint64_t word = 0;
        std::memcpy(&word, at + n, 8);
        mix(word);
      }
    };
    const wave::ScalarState& s = wave.state.s;
    mix_bytes(s.sgpr.data(), sizeof s.sgpr);
    for (const uint64_t word :
         {s.pc, uint64_t{s.mode.raw}, uint64_t{s.status}, uint64_t{s.trapsts}, uint64_t{s.scc},
          uint64_t{s.ib_sts}, static_cast<uint64_t>(wave.status)}) {
      mix(word);
    }
    mix_bytes(wave.state.v.arch, wave.state.v.arch_count * sizeof(LaneRow));
    mix_bytes(wave.state.v.acc, wave.state.v.acc_count * sizeof(LaneRow));
    mix_bytes(group_.lds.data(), group_.lds.size());
    std::vector<uint8_t> bytes(probe_program::kMemoryBytes);
    static_cast<void>(image_.memory().read(probe_program::kMemoryAt, bytes.data(), bytes.size()));
    mix_bytes(bytes.data(), bytes.size());
    return h;
  }

 private:
  run::ProbeImage& image_;
  golden::Program program_;
  golden::MemoryPort port_;
  golden::Workgroup group_;

 public:
  golden::Wave wave;
};

/// The registers before an instruction.
struct Registers {
  std::vector<LaneRow> rows;
  std::array<uint32_t, 128> sgpr{};

  explicit Registers(const Run& run) { take(run); }
  void take(const Run& run) {
    const wave::VectorFile& v = run.wave.state.v;
    rows.assign(v.arch, v.arch + v.arch_count);
    rows.insert(rows.end(), v.acc, v.acc + v.acc_count);
    sgpr = run.wave.state.s.sgpr;
  }
};

const LaneRow& row_of(const Run& run, unsigned n) {
  const wave::VectorFile& v = run.wave.state.v;
  return n < v.arch_count ? v.arch[n] : v.acc[n - v.arch_count];
}

/// True if `i` may write register row `n`, accumulation rows counting on from 256.
bool names(const Instruction& i, unsigned n, bool indexing) {
  const auto holds = [&](const isa::Operand& o) {
    const bool vector = o.kind == OperandKind::Vgpr;
    if (!vector && o.kind != OperandKind::Agpr) return false;
    if (vector && indexing) return n < run::kProbeVgprs;  // M0 moves the register
    const unsigned first = o.index + (vector ? 0u : run::kProbeVgprs);
    return n >= first && n < first + std::max<unsigned>(o.dwords, 1);
  };
  for (const isa::Operand& o : i.dst) {
    if (holds(o)) return true;
  }
  return i.semantic() == isa::SemanticId::v_swap_b32 && holds(i.src[0]);
}

/// The lanes `i` may write: EXEC's, all for matrix results, one for V_WRITELANE.
uint64_t lanes_of(const Instruction& i, const Registers& before, uint64_t exec) {
  if (i.semantic() == isa::SemanticId::v_mfma || i.semantic() == isa::SemanticId::v_smfmac) {
    return ~uint64_t{0};
  }
  if (i.semantic() != isa::SemanticId::v_writelane_b32) return exec;
  const isa::Operand& lane = i.src[1];
  if (lane.kind == OperandKind::Sgpr) return uint64_t{1} << (before.sgpr[lane.index] & 63);
  return ~uint64_t{0};
}

/// Forbidden effect of one instruction; empty when there is none.
std::string broken(const Instruction& i, const Stream& stream, Registers& before, const Run& run,
                   const wave::ScalarState& scalars) {
  const uint64_t exec = scalars.exec();
  const bool indexing = scalars.mode.gpr_idx_en();
  const uint64_t allowed = lanes_of(i, before, exec);
  for (unsigned n = 0; n < before.rows.size(); ++n) {
    const LaneRow& now = row_of(run, n);
    LaneRow& old = before.rows[n];
    if (std::memcmp(&now, &old, sizeof now) == 0) continue;
    const bool arch = n < run::kProbeVgprs;
    const unsigned index = arch ? n : n - run::kProbeVgprs;
    const std::string name = fmt::format("{}{}", arch ? 'v' : 'a', index);
    if (index >= (arch ? stream.vgprs : stream.accvgprs)) return name + " is not the wave's";
    if (!names(i, n, indexing)) return name + " is no destination";
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if (now[lane] != old[lane] && (allowed >> lane & 1) == 0) {
        return fmt::format("{} lane {} is disabled, exec {:#x}", name, lane, exec);
      }
    }
    old = now;
  }
  const auto& sgpr = run.wave.state.s.sgpr;
  for (unsigned n = stream.sgprs; n <= isa::kLastSgpr; ++n) {
    if (sgpr[n] != before.sgpr[n]) return fmt::format("s{} is not the wave's", n);
  }
  before.sgpr = sgpr;
  return "";
}

std::string text_of(const Stream& stream) {
  const run::ProbeCase& c = stream.start;
  std::string text =
      fmt::format("{} mode {:#x} exec {:#x} m0 {:#x} vgprs {} sgprs {}:", isa::name_of(c.target),
                  c.mode, c.exec, c.m0, stream.vgprs, stream.sgprs);
  for (size_t at = 0; at < c.code.size();) {
    const auto d = isa::decode(c.target, &c.code[at], c.code.size() - at);
    text += "\n  " + isa::text(d.instruction);
    at += std::max<unsigned>(1, d.instruction.length);
  }
  return text;
}

struct Totals {
  uint64_t instructions = 0, streams = 0, to_their_end = 0;
  std::set<const isa::Row*> rows;
};

/// One stream on its way through all checks. False, with a message, when one does not hold.
bool check(const Stream& stream, Totals& totals, uint64_t& hash) {
  auto image = run::ProbeImage::create(stream.start, stream.start.code);
  if (!image) {
    std::printf("%s\n", image.error().what.c_str());
    return false;
  }
  wave::lanes::limit_host_level(HostLevel::None);
  Run exact(stream, **image);
  exact.wave.uses_micro_ops = false;
  Registers before(exact);
  const uint64_t code_at = (*image)->code_at();
  uint64_t steps = 0;
  while (exact.wave.status == WaveStatus::Running && steps < run::kProbeInstructionLimit) {
    const wave::ScalarState scalars = exact.wave.state.s;
    const uint64_t at = (scalars.pc - code_at) / 4;
    const auto& code = stream.start.code;
    if (at >= code.size()) {
      std::printf("pc %#llx is outside the program\n%s\n",
                  static_cast<unsigned long long>(scalars.pc), text_of(stream).c_str());
      return false;
    }
    const isa::Decoded d = isa::decode(stream.start.target, &code[at], code.size() - at);
    steps += exact.step();
    const std::string what = broken(d.instruction, stream, before, exact, scalars);
    if (!what.empty()) {
      std::printf("%s: %s\n%s\n", isa::text(d.instruction).c_str(), what.c_str(),
                  text_of(stream).c_str());
      return false;
    }
  }
  hash = exact.hash();
  totals.instructions += steps;
  ++totals.streams;
  totals.to_their_end += exact.wave.status == WaveStatus::Ended;
  for (const auto& [row, count] : exact.executed()) totals.rows.insert(row);

  bool same = true;
  for (unsigned level = 0; level < kLevels; ++level) {
    wave::lanes::limit_host_level(static_cast<HostLevel>(level));
    Run quick(stream, **image);
    const uint64_t done = quick.finish();
    if (quick.hash() == hash && done == steps) continue;
    std::printf("host level %u ends in another state\n%s\n", level, text_of(stream).c_str());
    same = false;
  }
  return same;
}

/// Lines of the table: target and block to instructions and hash.
using Key = std::pair<std::string, uint64_t>;
using Value = std::pair<uint64_t, std::string>;
using Table = std::map<Key, Value>;

Table read_table() {
  Table table;
  for (const csv::Row& c : csv::read_body("snapshots/stream_hashes.csv")) {
    table[{c.at(0), std::stoull(c.at(1))}] = {std::stoull(c.at(2)), c.at(3)};
  }
  return table;
}

bool write_table(const std::string& path, const Table& table) {
  std::ofstream file(path);
  file << "target,block,instructions,hash\n";
  for (const auto& [key, value] : table) {
    file << key.first << ',' << key.second << ',' << value.first << ',' << value.second << '\n';
  }
  return file.good();
}

/// The streams of one block, at least kBlock executed instructions.
bool run_block(isa::Target target, uint64_t block, uint64_t seed, Totals& totals, Value& value) {
  std::seed_seq sequence{seed, uint64_t{isa::index_of(target)}, block};
  std::mt19937_64 random(sequence);
  const uint64_t first = totals.instructions;
  uint64_t h = 0;
  while (totals.instructions - first < kBlock) {
    const Stream stream = draw(target, random);
    uint64_t hash = 0;
    if (!check(stream, totals, hash)) return false;
    h = (h ^ hash) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
  }
  value = {totals.instructions - first, fmt::format("{:016x}", h)};
  return true;
}

int run_all(const Options& options) {
  const uint64_t each = kBlock * isa::kTargets;
  const uint64_t blocks = (options.count + each - 1) / each;
  const Table expected = read_table();
  const bool compare = options.seed == kSeed && options.write.empty();
  Table found;
  uint64_t failures = 0, compared = 0, all = 0;
  for (const isa::Target target : isa::kAllTargets) {
    const std::string name(isa::name_of(target));
    Totals totals;
    for (uint64_t block = 0; block < blocks; ++block) {
      if (block % options.shards != options.shard) continue;
      Value value;
      const Key key{name, block};
      if (!run_block(target, block, options.seed, totals, value)) {
        std::printf("%s block %llu of seed %llu failed\n", name.c_str(),
                    static_cast<unsigned long long>(block),
                    static_cast<unsigned long long>(options.seed));
        ++failures;
        continue;
      }
      found[key] = value;
      if (!compare) continue;
      const auto line = expected.find(key);
      if (line == expected.end() || line->second != value) {
        std::printf("%s block %llu: %s, the table has %s\n", name.c_str(),
                    static_cast<unsigned long long>(block), value.second.c_str(),
                    line == expected.end() ? "no such line" : line->second.second.c_str());
        ++failures;
      } else {
        ++compared;
      }
    }
    std::printf("%s: %llu instructions of %zu rows in %llu streams, %llu to their end\n",
                name.c_str(), static_cast<unsigned long long>(totals.instructions),
                totals.rows.size(), static_cast<unsigned long long>(totals.streams),
                static_cast<unsigned long long>(totals.to_their_end));
    std::fflush(stdout);
    all += totals.instructions;
    // Streams that a fault or an unsupported effect ends early are the exception.
    if (totals.to_their_end * 10 < totals.streams * 9) ++failures;
  }
  std::printf("%llu instructions, host level %u, %llu hashes compared, %llu failures\n",
              static_cast<unsigned long long>(all),
              static_cast<unsigned>(wave::lanes::host_level()),
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(failures));
  if (!options.write.empty() && failures == 0 && !write_table(options.write, found)) ++failures;
  return failures == 0 && all != 0 ? 0 : 1;
}

bool number(const char* text, uint64_t& value, char stop = 0) {
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc{} && *at == stop;
}

bool parse(int argc, char** argv, Options& options) {
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string name = argv[n];
    const char* const text = argv[n + 1];
    const char* const slash = std::strchr(text, '/');
    bool good = true;
    if (name == "--count") {
      good = number(text, options.count);
    } else if (name == "--seed") {
      good = number(text, options.seed);
    } else if (name == "--shard") {
      good = slash != nullptr && number(text, options.shard, '/') &&
             number(slash + 1, options.shards) && options.shard < options.shards;
    } else if (name == "--write") {
      options.write = text;
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return argc % 2 == 1;
}

}  // namespace
}  // namespace cuvette

int main(int argc, char** argv) {
  cuvette::Options options;
  if (!cuvette::parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: stream_test [--count N] [--seed S] [--shard I/N] [--write FILE]\n");
    return 2;
  }
  return cuvette::run_all(options);
}
