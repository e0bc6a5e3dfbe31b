// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/gpu_config.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bits.h"
#include "base/own_tree.h"
#include "base/yaml.h"
#include "machine/description_reader.h"

namespace cuvette::machine {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::Yaml;

/// SystemC's clock counts picoseconds: a period has at least one, and a run many periods.
constexpr double kLeastClockMhz = 0.001, kMostClockMhz = 1e6;

/// One map of the file. Keeps the first error; later reads do nothing, so that callers list fields
/// plainly.
class Section {
 public:
  Section(const Yaml& parent, const std::string& key, Status& status) : status_(status) {
    if (!status_.ok()) return;
    auto found = parent.need(key);
    if (!found) {
      status_ = found.error();
    } else if (!found->is_map()) {
      status_ = found->error(fmt::format("'{}' must be a map", key));
    } else {
      map_ = *found;
    }
  }
  explicit Section(const Yaml& root, Status& status) : map_(root), status_(status) {}
  ~Section() {
    if (status_.ok() && map_) status_ = map_->finish();
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// A number is either plain or {value: N, source: "..."}.
  template <class Int>
  void number(const char* key, Int& out, uint64_t lowest,
              uint64_t highest = std::numeric_limits<Int>::max()) {
    auto node = value(key);
    if (!node) return;
    auto read = node->unsigned_in(lowest, highest);
    if (!read) {
      status_ = read.error();
      return;
    }
    out = static_cast<Int>(*read);
  }
  void power_of_two(const char* key, uint32_t& out, uint64_t lowest, uint64_t highest) {
    auto node = value(key);
    if (!node) return;
    const auto read = node->unsigned_in(lowest, highest);
    if (read && base::is_power_of_two(*read)) {
      out = static_cast<uint32_t>(*read);
      return;
    }
    status_ = read ? node->error(fmt::format("'{}' must be a power of two, found {}", key, *read))
                   : read.error();
  }
  void real(const char* key, double& out, double least, double most) {
    auto node = value(key);
    if (!node) return;
    auto read = node->real();
    if (!read || !(*read >= least && *read <= most)) {  // no NaN either
      status_ = read ? node->error(fmt::format("expected a number from {} to {}, found '{}'", least,
                                               most, *node->text()))
                     : read.error();
      return;
    }
    out = *read;
  }
  /// `place`: set to where it stands, for who checks it later.
  void flag(const char* key, bool& out, base::Location* place = nullptr) {
    auto node = need(key);
    if (!node) return;
    if (place != nullptr) *place = node->location();
    auto read = node->boolean();
    if (!read) {
      status_ = read.error();
      return;
    }
    out = *read;
  }
  /// `place`: as for a flag.
  void text(const char* key, std::string& out, base::Location* place = nullptr) {
    auto node = need(key);
    if (!node) return;
    if (place != nullptr) *place = node->location();
    auto read = node->text();
    if (!read) {
      status_ = read.error();
      return;
    }
    out = *read;
  }
  /// Optional, with the place where it stands.
  void policy(const std::string& path, const char* key, std::string& out,
              std::map<std::string, base::Location>& places) {
    if (!status_.ok() || !map_ || !map_->get(key)) return;
    text(key, out, &places[path + "." + key]);
  }
  /// Optional, with the place where it stands.
  void seed(const std::string& path, const char* key, uint64_t& out,
            std::map<std::string, base::Location>& places) {
    if (!status_.ok() || !map_) return;
    const auto node = map_->get(key);
    if (!node) return;
    places[path + "." + key] = node->location();
    number(key, out, 0);
  }
  void optional_number(const char* key, uint32_t& out, uint64_t least, uint64_t most) {
    if (status_.ok() && map_ && map_->get(key)) number(key, out, least, most);
  }
  /// Optional: one of two names; `out` is whether it is the second.
  void choice(const char* key, const char* first, const char* second, bool& out) {
    if (!status_.ok() || !map_) return;
    const auto node = map_->get(key);
    if (!node) return;
    const auto read = node->text();
    if (!read || (*read != first && *read != second)) {
      status_ = read ? node->error(fmt::format("expected {} or {}", first, second)) : read.error();
      return;
    }
    out = *read == second;
  }
  void names(const std::string& key, std::map<std::string, std::string>& out,
             std::map<std::string, base::Location>& places) {
    if (!status_.ok() || !map_) return;
    auto node = map_->get(key);
    if (!node) return;
    if (!node->is_map()) {
      status_ = node->error(fmt::format("'{}' must be a map of names", key));
      return;
    }
    for (const auto& name : node->keys()) {
      const Yaml value = *node->get(name);
      auto read = value.text();
      if (!read) {
        status_ = read.error();
        return;
      }
      out[name] = *read;
      places[key + "." + name] = value.location();
    }
  }
  const Yaml* map() const { return map_ ? &*map_ : nullptr; }

 private:
  std::optional<Yaml> need(const char* key) {
    if (!status_.ok() || !map_) return std::nullopt;
    auto node = map_->need(key);
    if (node) return *node;
    status_ = node.error();
    return std::nullopt;
  }
  std::optional<Yaml> value(const char* key) {
    auto node = need(key);
    if (!node || !node->is_map()) return node;
    auto inner = node->need("value");
    auto source = inner ? node->need("source") : inner;
    auto said = source ? source->text() : source.error();
    auto rest = said ? node->finish() : Status(said.error());
    if (rest.ok()) return *inner;
    status_ = rest;
    return std::nullopt;
  }

  std::optional<Yaml> map_;
  Status& status_;
};

/// `path`: its sections, the last one in `parent`.
void read_cache(const Yaml& parent, const std::string& path, CacheDescription& out, bool shared,
                std::map<std::string, base::Location>& places, Status& status) {
  Section s(parent, path.substr(path.rfind('.') + 1), status);
  s.number("bytes", out.bytes, 64, 1u << 30);
  s.number("ways", out.ways, 1, 4096);
  s.power_of_two("line_bytes", out.line_bytes, 64, 128);
  s.number("hit_cycles", out.hit_cycles, 1, 100000);
  s.number("misses", out.misses, 1, 4096);
  if (shared) s.number("shared_by", out.shared_by, 1, 64);
  s.policy(path, "replacement", out.replacement, places);
  s.seed(path, "replacement_seed", out.replacement_seed, places);
  if (status.ok() && out.bytes % (out.ways * out.line_bytes) != 0) {
    status =
        s.map()->error(fmt::format("{} bytes are not a whole number of {} ways of {}-byte lines",
                                   out.bytes, out.ways, out.line_bytes));
  }
}

void read_compute_unit(const Yaml& root, ComputeUnitDescription& out,
                       std::map<std::string, base::Location>& places, Status& status) {
  Section s(root, "compute_unit", status);
  s.number("simds", out.simds, 1, 4);
  s.number("waves_per_simd", out.waves_per_simd, 1, 16);
  s.number("vgpr_rows", out.vgpr_rows, 256, 512);
  s.number("accvgpr_rows", out.accvgpr_rows, 0, 256);
  s.power_of_two("vgpr_granule", out.vgpr_granule, 1, 16);
  s.number("sgprs_per_simd", out.sgprs_per_simd, 102, 2048);
  s.number("lds_bytes", out.lds_bytes, 1024, 65536);
  s.power_of_two("lds_granule_bytes", out.lds_granule_bytes, 4, 4096);
  s.number("lds_latency_cycles", out.lds_latency_cycles, 1, 100000);
  s.power_of_two("lds_lanes_per_cycle", out.lds_lanes_per_cycle, 1, 64);
  s.number("salu_cycles", out.salu_cycles, 1, 1000);
  s.number("valu_cycles", out.valu_cycles, 1, 1000);
  s.number("transcendental_cycles", out.transcendental_cycles, 1, 1000);
  s.number("double_cycles", out.double_cycles, 1, 1000);
  s.number("valu_latency_cycles", out.valu_latency_cycles, 1, 1000);
  s.choice("simd_timing", "issue", "ports", out.simd_ports);
  s.number("branch_cycles", out.branch_cycles, 1, 1000);
  s.number("barrier_cycles", out.barrier_cycles, 1, 1000);
  s.number("fetch_cycles", out.fetch_cycles, 1, 1000);
  s.power_of_two("coalescer_lanes_per_cycle", out.coalescer_lanes_per_cycle, 1, 64);
  s.policy("compute_unit", "issue_order", out.issue_order, places);
  if (status.ok() && out.valu_latency_cycles < out.valu_cycles) {
    status = s.map()
                 ->need("valu_latency_cycles")
                 ->error(fmt::format(
                     "'valu_latency_cycles' is {}, expected at least the {} of 'valu_cycles'",
                     out.valu_latency_cycles, out.valu_cycles));
  }
}

/// A name, or {name:, library:, timing:, lockstep:} with everything but the name optional.
Status read_implementation(const std::string& block, const Yaml& node, GpuConfig& out) {
  out.places["implementations." + block] = node.location();
  if (!node.is_map()) {
    auto name = node.text();
    if (!name) return name.error();
    out.implementations[block] = *name;
    return {};
  }
  const auto text = [&node](const char* key, std::string& into) -> Status {
    const auto found = node.get(key);
    if (!found) return {};
    auto read = found->text();
    if (!read) return read.error();
    into = *read;
    return {};
  };
  auto named = node.need("name");
  if (!named) return named.error();
  std::string name, library, timing, share;
  for (const auto& [key, into] : {std::pair{"name", &name}, std::pair{"library", &library},
                                  std::pair{"timing", &timing}, std::pair{"lockstep", &share}}) {
    if (auto s = text(key, *into); !s.ok()) return s;
  }
  out.implementations[block] = name;
  for (const char* key : {"timing", "lockstep"}) {
    if (name != "tlm" || !node.get(key)) continue;
    return node.get(key)->error(
        fmt::format("'{}' goes with RTL and devices, found the name tlm", key));
  }
  if (!library.empty()) {
    if (name.rfind("dut:", 0) != 0) {
      return node.get("library")->error("'library' goes with the name dut:NAME");
    }
    out.block_devices[{block, name.substr(4)}] = library;
  }
  LockstepCheck check;
  if (!timing.empty()) {
    auto rule = parse_timing_rule(timing);
    if (!rule) return node.get("timing")->error(rule.error().what);
    check.timing = *rule;
    check.timing_given = true;
  }
  if (!share.empty()) {
    auto n = parse_share(share);
    if (!n) return node.get("lockstep")->error(n.error().what);
    check.share = *n;
  }
  out.lockstep_checks[block] = check;
  return node.finish();
}

Status read_implementations(const Yaml& root, GpuConfig& out) {
  const auto node = root.get("implementations");
  if (!node) return {};
  if (!node->is_map()) return node->error("'implementations' must be a map");
  for (const auto& block : node->keys()) {
    if (auto s = read_implementation(block, *node->get(block), out); !s.ok()) return s;
  }
  return {};
}

/// Reads the places of blocks in lockstep.
Status read_lockstep(const Yaml& root, GpuConfig& out) {
  const auto node = root.get("lockstep");
  if (!node) return {};
  if (!node->is_map()) return node->error("'lockstep' must be a map");
  auto instances = node->need("instances");
  if (!instances) return instances.error();
  auto read = instances->text();
  if (!read || (*read != "1" && *read != "all")) return instances->error("expected 1 or all");
  out.lockstep_everywhere = *read == "all";
  return node->finish();
}

/// Files are relative to the description.
void place_devices(const std::string& description, GpuConfig& out) {
  const auto folder = std::filesystem::path(description).parent_path();
  for (auto& [name, library] : out.devices) library = (folder / library).string();
  for (auto& [name, library] : out.block_devices) library = (folder / library).string();
}

/// 0: none. SH_MEM_BASES hold bits 63:48 of the others, and an address is in one of them at most.
Status check_apertures(const Yaml& map, const GpuConfig& d) {
  constexpr uint64_t kUnit = uint64_t{1} << 48;
  for (const auto& [key, base] : {std::pair{"shared_aperture", d.shared_aperture},
                                  std::pair{"private_aperture", d.private_aperture}}) {
    if (base % kUnit == 0) continue;
    return map.need(key)->error(
        fmt::format("expected '{}' to be a multiple of {:#x}, found {:#x}", key, kUnit, base));
  }
  if (d.shared_aperture != d.private_aperture || d.shared_aperture == 0) return {};
  return map.need("private_aperture")
      ->error(fmt::format("'shared_aperture' and 'private_aperture' are both {:#x}",
                          d.shared_aperture));
}

Status read_root(const Yaml& root, GpuConfig& out) {
  Status status;
  if (!root.is_map()) return root.error("expected a map");
  {
    Section s(root, status);
    s.text("name", out.name);
    s.text("target", out.target, &out.places["target"]);
    s.flag("sramecc", out.sramecc, &out.places["sramecc"]);
    s.flag("xnack", out.xnack);
    s.number("compute_units", out.compute_units, 1, 1024);
    s.real("clock_mhz", out.clock_mhz, kLeastClockMhz, kMostClockMhz);
    s.number("lookahead_cycles", out.lookahead_cycles, 0, 1000);
    s.number("shared_aperture", out.shared_aperture, 0);
    s.number("private_aperture", out.private_aperture, 0);
    if (status.ok()) status = check_apertures(*s.map(), out);
    read_compute_unit(root, out.compute_unit, out.places, status);
    read_cache(root, "vector_l1", out.vector_l1, false, out.places, status);
    read_cache(root, "scalar_cache", out.scalar_cache, true, out.places, status);
    read_cache(root, "instruction_cache", out.instruction_cache, true, out.places, status);
    {
      Section l2(root, "l2", status);
      l2.power_of_two("slices", out.l2.slices, 1, 64);
      l2.power_of_two("interleave_bytes", out.l2.interleave_bytes, 64, 65536);
      if (status.ok()) read_cache(*l2.map(), "l2.slice", out.l2.slice, false, out.places, status);
    }
    {
      Section memory(root, "memory", status);
      memory.number("bytes", out.memory.bytes, 1u << 20);
      memory.number("latency_cycles", out.memory.latency_cycles, 1, 100000);
      memory.number("cycles_per_block", out.memory.cycles_per_block, 1, 1000);
    }
    {
      Section gds(root, "gds", status);
      gds.number("latency_cycles", out.gds.latency_cycles, 1, 100000);
      gds.power_of_two("bytes_per_cycle", out.gds.bytes_per_cycle, 4, 1024);
    }
    if (status.ok() && root.get("sdma")) {
      Section sdma(root, "sdma", status);
      sdma.number("engines", out.sdma.engines, 0, 16);
      sdma.number("xgmi_engines", out.sdma.xgmi_engines, 0, 16);
      sdma.number("rings_per_engine", out.sdma.rings_per_engine, 1, 64);
      sdma.number("packet_cycles", out.sdma.packet_cycles, 1, 100000);
      sdma.number("latency_cycles", out.sdma.latency_cycles, 1, 100000);
      sdma.number("bytes_per_cycle", out.sdma.bytes_per_cycle, 1, 1024);
    }
    {
      Section links(root, "links", status);
      links.number("crossbar_cycles", out.links.crossbar_cycles, 1, 1000);
      links.number("cluster_cycles", out.links.cluster_cycles, 1, 1000);
      links.number("front_end_cycles", out.links.front_end_cycles, 1, 1000);
    }
    if (status.ok() && out.lookahead_cycles > out.links.smallest()) {
      status = s.map()
                   ->need("lookahead_cycles")
                   ->error(fmt::format(
                       "'lookahead_cycles' is {}, the shortest link between domains takes {}",
                       out.lookahead_cycles, out.links.smallest()));
    }
    {
      Section front(root, "front_end", status);
      front.number("packet_cycles", out.front_end.packet_cycles, 1, 100000);
      front.optional_number("setup_cycles", out.front_end.setup_cycles, 0, 100000);
      front.optional_number("allocation_cycles", out.front_end.allocation_cycles, 0, 1000);
      front.optional_number("restore_cycles", out.front_end.restore_cycles, 0, 100000);
      front.optional_number("save_cycles", out.front_end.save_cycles, 0, 100000);
      front.number("launch_cycles", out.front_end.launch_cycles, 1, 100000);
      front.number("poll_cycles", out.front_end.poll_cycles, 1, 100000);
      front.text("placement", out.front_end.placement, &out.places["front_end.placement"]);
    }
    s.names("devices", out.devices, out.places);
    if (status.ok()) status = read_implementations(root, out);
    if (status.ok()) status = read_lockstep(root, out);
  }
  return status;
}

}  // namespace

Error GpuConfig::error(const std::string& key, const std::string& what) const {
  const auto place = places.find(key);
  return Error(what, place == places.end() ? base::Location() : place->second);
}

Result<TimingRule> parse_timing_rule(const std::string& text) {
  TimingRule rule;
  if (text == "ignore") return rule;
  rule.kind = TimingRule::Kind::Exact;
  if (text == "exact") return rule;
  unsigned min = 0, max = 0;
  int used = 0;
  rule.kind = TimingRule::Kind::Bounded;
  // At most six digits each.
  if (std::sscanf(text.c_str(), "bounded(%6u,%6u)%n", &min, &max, &used) == 2 && used > 0 &&
      static_cast<size_t>(used) == text.size() && min >= 1 && min <= max) {
    rule.min_cycles = min;
    rule.max_cycles = max;
    return rule;
  }
  return Error(fmt::format("expected exact, ignore or bounded(MIN,MAX), found '{}'", text));
}

Result<uint32_t> parse_share(const std::string& text) {
  const bool good = text.size() > 2 && text.size() < 10 && text.compare(0, 2, "1/") == 0 &&
                    text.find_first_not_of("0123456789", 2) == std::string::npos;
  const unsigned long n = good ? std::stoul(text.substr(2)) : 0;
  if (n >= 1 && n <= 1'000'000) return static_cast<uint32_t>(n);
  return Error(fmt::format("expected 1/N with N from 1 to 1000000, found '{}'", text));
}

Result<GpuConfig> read_description(const Yaml& root, const std::string& file) {
  GpuConfig out;
  if (auto status = read_root(root, out); !status.ok()) return status.error();
  place_devices(file, out);
  return out;
}

Result<GpuConfig> parse_description(const std::string& text, const std::string& file) {
  const auto root = Yaml::parse(text, file);
  if (!root) return root.error();
  return read_description(*root, file);
}

Result<GpuConfig> load_description(const std::string& path) {
  const auto root = Yaml::load(path);
  if (!root) return root.error();
  return read_description(*root, path);
}

Result<std::string> find_description(const std::string& name_or_path,
                                     const std::vector<std::string>& directories) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const auto& directory : directories) {
    if (!fs::is_directory(directory, ignored)) {
      return Error("no such folder, expected one of machine descriptions", {.file = directory});
    }
  }
  if (fs::is_regular_file(name_or_path, ignored)) return name_or_path;
  if (name_or_path.find('/') != std::string::npos) {
    return Error("no such machine description", {.file = name_or_path});
  }
  std::vector<std::string> places = directories;
  if (const char* dirs = std::getenv("CUVETTE_CONFIG_DIR")) {
    std::string rest = dirs;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      places.push_back(rest.substr(0, colon));
      rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
  }
  if (const auto own = base::find_in_own_tree("share/cuvette/config"); !own.empty())
    places.push_back(own.string());
  for (const auto& place : places) {
    const auto candidate = fs::path(place) / (name_or_path + ".yaml");
    if (fs::is_regular_file(candidate, ignored)) return candidate.string();
  }
  return Error(fmt::format("unknown machine description '{}', looked in: {}", name_or_path,
                           fmt::join(places, ", ")));
}

}  // namespace cuvette::machine
