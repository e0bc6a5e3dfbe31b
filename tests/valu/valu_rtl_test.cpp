// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ip/valu/valu_device.h"
#include "test_vectors.h"
#include "valu/operations.h"
#include "valu_devices.h"
#include "valu_oracle.h"

// rtl/valu against host arithmetic and MPFR: no part of the model takes part.
namespace cuvette {
namespace {

using valu_oracle::Expected;
using valu_oracle::Settings;
using valu_oracle::Sources;

constexpr uint64_t kSeed = 20240229;
const auto kLaneVectors = static_cast<size_t>(test::vectors(10000));

struct Beat {
  const valu::Operation* op = nullptr;
  Settings settings;
  Sources lanes[valu::kLanes];
  valu::Request request;
};

Beat make_beat(const valu::Operation& op, const Settings& settings, std::mt19937_64& random,
               uint32_t id) {
  Beat beat;
  beat.op = &op;
  beat.settings = settings;
  valu::Request& r = beat.request;
  r.id = id;
  r.row = static_cast<uint16_t>(isa::index_of(*isa::find_row(op.mnemonic, op.format)));
  r.beat = static_cast<uint8_t>(id & 3);
  r.mode = settings.mode();
  r.modifiers.abs = static_cast<uint8_t>(settings.abs);
  r.modifiers.neg = static_cast<uint8_t>(settings.neg);
  r.modifiers.omod = static_cast<uint8_t>(settings.omod);
  r.modifiers.clamp = settings.clamp;
  const uint64_t word = random();
  r.exec = (word & 3) == 0 ? static_cast<uint16_t>(word >> 16) : 0xffff;
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    beat.lanes[l] = valu_oracle::corner_sources(std::string(op.mnemonic), random);
    beat.lanes[l].lane = r.beat * valu::kLanes + l;
    for (unsigned s = 0; s < 3; ++s) r.src[s][l] = beat.lanes[l].src[s];
    r.old[l] = beat.lanes[l].old;
    if (beat.lanes[l].mask) r.mask_in = static_cast<uint16_t>(r.mask_in | 1u << l);
  }
  return beat;
}

/// Runs beats through a device with the given chances (of 8) of a request and of readiness per
/// cycle.
class Driver {
 public:
  Driver(ValuPins& device, unsigned offers, unsigned takes, uint64_t seed)
      : device_(device), offers_(offers), takes_(takes), random_(seed) {}

  std::vector<valu::Response> run(const std::vector<Beat>& beats) {
    std::vector<valu::Response> out;
    size_t next = 0;
    bool offering = false;
    for (size_t cycle = 0; out.size() < beats.size(); ++cycle) {
      if (cycle > 64 + 64 * beats.size()) {
        ADD_FAILURE() << "responses missing after " << cycle << " cycles";
        break;
      }
      offering = offering || (next < beats.size() && random_() % 8 < offers_);
      const bool take = random_() % 8 < takes_;
      const Beat* beat = offering ? &beats[next] : nullptr;
      device_.drive(beat != nullptr ? &beat->request : nullptr,
                    beat != nullptr ? beat->op->code : uint16_t{0}, take);
      if (take && device_.response_valid()) {
        out.emplace_back();
        device_.response(out.back());
      }
      if (offering && device_.request_ready()) {
        offering = false;
        ++next;
      }
      device_.clock();
    }
    return out;
  }

 private:
  ValuPins& device_;
  unsigned offers_, takes_;
  std::mt19937_64 random_;
};

/// Counts compared lane vectors; the first differences are reported in full.
size_t compare(const Beat& beat, const valu::Response& r, unsigned& complaints) {
  const valu::Request& q = beat.request;
  uint16_t mask = 0;
  unsigned flags = 0;
  size_t lanes = 0;
  Expected shape = expected(std::string(beat.op->mnemonic), beat.settings, beat.lanes[0]);
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    if ((q.exec >> l & 1) == 0) continue;
    ++lanes;
    const Expected e = expected(std::string(beat.op->mnemonic), beat.settings, beat.lanes[l]);
    flags |= e.flags;
    if (e.mask) mask = static_cast<uint16_t>(mask | 1u << l);
    if (e.writes && r.dst[l] != e.dst && complaints++ < 8) {
      ADD_FAILURE() << beat.op->mnemonic << " " << beat.settings.str() << std::hex << " src "
                    << q.src[0][l] << " " << q.src[1][l] << " " << q.src[2][l] << " old "
                    << q.old[l] << " expected " << e.dst << " got " << r.dst[l];
    }
  }
  const uint16_t write = shape.writes ? q.exec : uint16_t{0};
  const bool same = r.id == q.id && r.beat == q.beat && r.write == write &&
                    r.has_mask == shape.has_mask && r.mask == (shape.has_mask ? mask : 0) &&
                    r.flags == flags;
  if (!same && complaints++ < 8) {
    ADD_FAILURE() << beat.op->mnemonic << " " << beat.settings.str() << std::hex << " id " << r.id
                  << "/" << q.id << " write " << r.write << "/" << write << " mask " << r.mask
                  << "/" << mask << " flags " << unsigned{r.flags} << "/" << flags;
  }
  return lanes;
}

/// The units of an operation code whose modifiers are drawn here.
unsigned unit_of(const valu::Operation& op) {
  return op.code >> 5;
}
constexpr unsigned kAdd = 1, kFloatCompare = 9, kConvert = 15;

/// Operations that the oracle of this test has; valu_golden_test has the rest.
const std::vector<valu::Operation>& known_ops() {
  static const auto list = [] {
    std::vector<valu::Operation> out;
    for (const valu::Operation& op : valu::operations()) {
      if (op.format == isa::Format::Vop3p) continue;  // v_pk_... share no names with these
      try {
        static_cast<void>(valu_oracle::expected(std::string(op.mnemonic), {}, {}));
        out.push_back(op);
      } catch (const std::out_of_range&) {
      }
    }
    return out;
  }();
  return list;
}

/// Depends on MODE.
bool is_float(const valu::Operation& op) {
  if (unit_of(op) == kConvert) return true;
  return op.mnemonic.size() > 4 && op.mnemonic.substr(op.mnemonic.size() - 4) == "_f32";
}

/// Modifiers that the instruction has: VOP3 float forms everything, additions CLAMP.
void draw_modifiers(const valu::Operation& op, Settings& s, std::mt19937_64& random) {
  const uint64_t r = random();
  s.dx10_clamp = (r & 1) != 0;
  s.ieee = (r & 2) != 0;
  if ((r & 4) == 0) return;
  const unsigned func = op.code & 31;
  if (unit_of(op) == kConvert) {
    if (func > 5) {
      s.abs = r >> 8 & 1;
      s.neg = r >> 12 & 1;
    }
    if (func <= 5 || func > 8) s.omod = r >> 16 & 3;
    s.clamp = (r >> 24 & 3) == 0;
  } else if (is_float(op)) {
    const bool three = op.mnemonic == "v_fma_f32" || op.mnemonic == "v_mad_f32" ||
                       op.mnemonic.substr(0, 6) == "v_div_";
    s.abs = r >> 8 & (three ? 7 : 3);
    s.neg = r >> 12 & (three ? 7 : 3);
    if ((r >> 20 & 1) != 0) s.omod = r >> 16 & 3;
    s.clamp = (r >> 24 & 3) == 0;
  } else if (op.mnemonic == "v_cndmask_b32") {
    s.abs = r >> 8 & 3;
    s.neg = r >> 12 & 3;
  } else if (unit_of(op) == kAdd || op.mnemonic.find("sad_") != std::string::npos) {
    s.clamp = (r >> 24 & 1) != 0;
  }
}

/// At least `lanes` lane vectors of one operation in one mode.
void check(ValuPins& device, const valu::Operation& op, unsigned round, unsigned denorm,
           size_t lanes, unsigned& complaints) {
  std::mt19937_64 random(kSeed + op.code * 16 + round * 4 + denorm);
  Driver driver(device, 8, 8, 1);
  for (size_t done = 0; done < lanes && complaints < 8;) {
    std::vector<Beat> beats;
    for (uint32_t id = 0; id < 128; ++id) {
      Settings s;
      s.round = round;
      s.denorm = denorm;
      draw_modifiers(op, s, random);
      beats.push_back(make_beat(op, s, random, id));
    }
    const std::vector<valu::Response> responses = driver.run(beats);
    ASSERT_EQ(responses.size(), beats.size()) << op.mnemonic;
    for (size_t i = 0; i < beats.size(); ++i) done += compare(beats[i], responses[i], complaints);
  }
}

TEST(ValuRtl, FloatOperationsEqualHostArithmeticAndMpfr) {
  ValuDevices devices;
  unsigned complaints = 0;
  for (const valu::Operation& op : known_ops()) {
    if (!is_float(op) || unit_of(op) == kFloatCompare) continue;
    for (unsigned mode = 0; mode < 16; ++mode) {
      check(devices.of(op), op, mode & 3, mode >> 2, kLaneVectors, complaints);
    }
  }
}

TEST(ValuRtl, FloatComparesEqualHostArithmetic) {
  ValuDevices devices;
  unsigned complaints = 0;
  for (const valu::Operation& op : known_ops()) {
    if (unit_of(op) != kFloatCompare) continue;
    for (unsigned denorm = 0; denorm < 4; ++denorm) {
      check(devices.of(op), op, denorm, denorm, kLaneVectors, complaints);
    }
  }
}

TEST(ValuRtl, IntegerOperationsEqualHostArithmetic) {
  ValuDevices devices;
  unsigned complaints = 0;
  for (const valu::Operation& op : known_ops()) {
    if (is_float(op)) continue;
    check(devices.of(op), op, 0, 3, kLaneVectors, complaints);
  }
}

TEST(ValuRtl, TheOracleKnowsItsOperations) {
  EXPECT_GE(known_ops().size(), 175u);
}

/// A mixed program of every operation of a target.
std::vector<Beat> mixed_program(size_t beats, isa::Target target = isa::Target::Gfx908) {
  std::mt19937_64 random(kSeed);
  std::vector<Beat> out;
  // Beats point to them.
  static std::vector<valu::Operation> by_target[isa::kTargets];
  std::vector<valu::Operation>& ops = by_target[isa::index_of(target)];
  if (ops.empty()) {
    std::copy_if(known_ops().begin(), known_ops().end(), std::back_inserter(ops),
                 [&](const valu::Operation& op) { return op.on(target); });
  }
  for (size_t i = 0; i < beats; ++i) {
    const valu::Operation& op = ops[random() % ops.size()];
    Settings s;
    s.round = random() & 3;
    s.denorm = random() & 3;
    draw_modifiers(op, s, random);
    out.push_back(make_beat(op, s, random, static_cast<uint32_t>(i * 7 + 1)));
  }
  return out;
}

TEST(ValuRtl, ResultsDoNotDependOnRegisterStartValuesOrBackPressure) {
  for (const isa::Target target : isa::kAllTargets) {
    const std::vector<Beat> program = mixed_program(4000, target);
    for (uint64_t seed : {1, 2, 3}) {
      ValuPins device(ip::make_valu_check(seed, target));
      for (const auto& [offers, takes] : {std::pair{8u, 8u}, {8u, 2u}, {3u, 8u}, {4u, 4u}}) {
        const auto responses = Driver(device, offers, takes, seed).run(program);
        ASSERT_EQ(responses.size(), program.size());
        unsigned complaints = 0;
        for (size_t i = 0; i < program.size(); ++i) compare(program[i], responses[i], complaints);
        ASSERT_EQ(complaints, 0u) << isa::name_of(target) << " seed " << seed << " offers "
                                  << offers << " takes " << takes;
      }
    }
  }
}

TEST(ValuRtl, LatencyIsThreeCyclesAndThroughputOneBeatPerCycle) {
  ValuPins device(ip::make_valu_check(7));
  const std::vector<Beat> program = mixed_program(10);
  size_t next = 0;
  std::vector<int> arrivals;
  for (int cycle = 0; cycle < 20; ++cycle) {
    const Beat* beat = next < program.size() ? &program[next] : nullptr;
    device.drive(beat != nullptr ? &beat->request : nullptr,
                 beat != nullptr ? beat->op->code : uint16_t{0}, true);
    if (device.response_valid()) arrivals.push_back(cycle);
    if (beat != nullptr && device.request_ready()) ++next;
    device.clock();
  }
  ASSERT_EQ(arrivals.size(), program.size());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(arrivals[static_cast<size_t>(i)], i + 3);
}

TEST(ValuRtl, ResetEmptiesThePipeline) {
  ValuPins device(ip::make_valu_check(11));
  const std::vector<Beat> program = mixed_program(3);
  for (const Beat& beat : program) {
    device.drive(&beat.request, beat.op->code, false);
    EXPECT_TRUE(device.request_ready());
    device.clock();
  }
  device.drive(&program[0].request, program[0].op->code, false);
  EXPECT_TRUE(device.response_valid());
  EXPECT_FALSE(device.request_ready()) << "three stages are full";
  device.reset();
  device.drive(nullptr, 0, false);
  EXPECT_FALSE(device.response_valid());
  EXPECT_TRUE(device.request_ready());
}

TEST(ValuRtl, WaveformsAreWrittenByTheCheckBuildOnly) {
  const std::string path = ::testing::TempDir() + "/valu_rtl_test.fst";
  EXPECT_FALSE(ip::make_valu_fast()->trace(path).ok());
  ValuPins device(ip::make_valu_check(1));
  EXPECT_FALSE(device.trace("/nonexistent/waves.fst").ok());
  ASSERT_TRUE(device.trace(path).ok());
  Driver(device, 8, 8, 1).run(mixed_program(16));
}

}  // namespace
}  // namespace cuvette
