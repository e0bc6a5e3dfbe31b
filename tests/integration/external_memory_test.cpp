// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Both SystemC GPUs on memory that is somebody else's: a TLM-2.0 target that waits, knows no
// extension, may refuse byte enables, and may talk in four phases. Judges: golden, on memory of its
// own, and the checker of the base protocol, which stands between in every test.
#include <gmock/gmock.h>

#include "ca_testing.h"
#include "gpu/atomic_extension.h"
#include "ip/tlm/base_protocol_checker.h"
#include "memory/serve.h"
#include "run/engine_lt.h"

namespace cuvette {
namespace {

using namespace testing_support;
using sc_core::sc_time;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Answers of the target to nb_transport_fw.
enum class Phases : uint8_t {
  Four,           ///< every phase a call of its own
  EndReqBack,     ///< END_REQ is the answer to BEGIN_REQ
  BeginRespBack,  ///< BEGIN_RESP is
  Completed,      ///< the response is
  RespOnly,       ///< BEGIN_RESP stands for END_REQ
};

struct Manners {
  sc_time wait = sc_time(20, sc_core::SC_NS);  ///< inside b_transport
  sc_time delay = sc_core::SC_ZERO_TIME;       ///< annotated
  bool byte_enables = true;
  bool atomics = false;
  bool dmi = false;
  Phases phases = Phases::Four;
};

class ForeignMemory final : public sc_core::sc_module {
 public:
  ForeignMemory(const sc_core::sc_module_name& name, hsa::Backing& backing, const Manners& manners)
      : sc_module(name), socket("socket"), backing_(backing), manners_(manners) {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
    socket.register_nb_transport_fw(this, &ForeignMemory::nb_transport_fw);
    socket.register_get_direct_mem_ptr(this, &ForeignMemory::get_dmi);
  }
  tlm_utils::simple_target_socket<ForeignMemory, 64> socket;
  unsigned reads = 0, writes = 0, masked = 0, direct = 0;
  unsigned most_under_way = 0;  ///< in four phases
  bool overtaken = false;       ///< a response came before that of an earlier request

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_time& delay) {
    // Before and after: others may come while the access is under way.
    if (manners_.wait != sc_core::SC_ZERO_TIME) sc_core::wait(manners_.wait);
    t.set_response_status(serve(t));
    if (manners_.wait != sc_core::SC_ZERO_TIME) sc_core::wait(manners_.wait);
    delay += manners_.delay;
    t.set_dmi_allowed(manners_.dmi);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                     sc_time& delay) {
    if (phase == tlm::END_RESP) {
      ended_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    const unsigned number = ++requests_;
    switch (manners_.phases) {
      case Phases::Completed:
      case Phases::BeginRespBack:
        t.set_response_status(serve(t));
        delay += manners_.wait;
        if (manners_.phases == Phases::Completed) return tlm::TLM_COMPLETED;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      default:
        break;
    }
    t.acquire();
    most_under_way = std::max(most_under_way, ++under_way_);
    sc_core::sc_spawn([this, &t, number] { answer(t, number); });
    if (manners_.phases != Phases::EndReqBack) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    delay += sc_time(1, sc_core::SC_NS);
    return tlm::TLM_UPDATED;
  }
  /// Every other request takes three times as long.
  void answer(tlm::tlm_generic_payload& t, unsigned number) {
    sc_time none = sc_core::SC_ZERO_TIME;
    sc_core::wait(sc_time(4, sc_core::SC_NS));
    tlm::tlm_phase phase = tlm::END_REQ;
    if (manners_.phases == Phases::Four) (void)socket->nb_transport_bw(t, phase, none);
    sc_core::wait(number % 2 == 0 ? manners_.wait : manners_.wait * 3);
    while (responding_) sc_core::wait(free_);
    responding_ = true;
    if (number < last_answered_) overtaken = true;
    last_answered_ = std::max(last_answered_, number);
    t.set_response_status(serve(t));
    phase = tlm::BEGIN_RESP;
    --under_way_;
    if (socket->nb_transport_bw(t, phase, none) == tlm::TLM_ACCEPTED) sc_core::wait(ended_);
    responding_ = false;
    free_.notify(sc_core::SC_ZERO_TIME);
    t.release();
  }
  tlm::tlm_response_status serve(tlm::tlm_generic_payload& t) {
    auto* atomic = t.get_extension<gpu::AtomicExtension>();
    bool ok = true;
    if (atomic != nullptr && manners_.atomics) {
      const auto r = memory::serve(backing_, atomic->request);
      std::memcpy(t.get_data_ptr(), r.data.data(), t.get_data_length());
      atomic->performed = true;
      ok = r.status == memory::MemStatus::Ok;
    } else if (t.is_read()) {
      ++reads;
      uint8_t bytes[64] = {};
      uint64_t any = 0;
      for (unsigned i = 0; i < t.get_data_length(); ++i) {
        any |= backing_.read(t.get_address() + i, bytes + i, 1) ? 1 : 0;
      }
      ok = any != 0;
      std::memcpy(t.get_data_ptr(), bytes, t.get_data_length());
    } else {
      ++writes;
      const uint8_t* enables = t.get_byte_enable_ptr();
      if (enables != nullptr) ++masked;
      if (enables != nullptr && !manners_.byte_enables) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
      for (unsigned i = 0; i < t.get_data_length(); ++i) {
        if (enables != nullptr && enables[i] == TLM_BYTE_DISABLED) continue;
        ok = ok && backing_.write(t.get_address() + i, t.get_data_ptr() + i, 1);
      }
    }
    return ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  bool get_dmi(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) {
    if (!manners_.dmi) return false;
    const uint64_t first = t.get_address() / 64 * 64;
    uint8_t* host = backing_.host_pointer(first, 64);
    if (host == nullptr) return false;
    ++direct;
    dmi.set_dmi_ptr(host);
    dmi.set_start_address(first);
    dmi.set_end_address(first + 63);
    dmi.allow_read_write();
    return true;
  }

  hsa::Backing& backing_;
  Manners manners_;
  unsigned requests_ = 0, last_answered_ = 0, under_way_ = 0;
  bool responding_ = false;
  sc_core::sc_event ended_, free_;
};

/// An engine whose GPU has its memory outside.
struct Outside {
  std::unique_ptr<ForeignMemory> foreign;
  std::unique_ptr<ip::BaseProtocolChecker> checker;
  std::unique_ptr<run::Engine> engine;

  Outside() = default;
  Outside(Outside&&) = default;
  ~Outside() {
    if (checker != nullptr) {
      EXPECT_EQ(checker->report(), "");
    }
  }
};

Outside outside(const std::string& name, bool ca, const machine::GpuConfig& d,
                const Manners& manners, const gpu::TransferOptions& transfer = {},
                uint32_t lookahead = 0) {
  Outside out;
  const auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto engine = run::make_timed_engine({}, d, [&](hsa::DeviceMemory& m) {
    const run::AttachMemory attach = [&](gpu::MemorySocket& socket) {
      out.foreign =
          std::make_unique<ForeignMemory>((name + "_memory").c_str(), m.backing(), manners);
      out.checker = std::make_unique<ip::BaseProtocolChecker>((name + "_checker").c_str());
      socket.bind(out.checker->target);
      out.checker->initiator.bind(out.foreign->socket);
    };
    gpu::Gpu::Options ca_options;
    ca_options.external = transfer;
    ca_options.lookahead = lookahead;
    gpu::LtGpu::Options lt_options;
    lt_options.external = transfer;
    return ca ? run::make_ca_gpu(name, d, registries, m, ca_options, attach)
              : run::make_lt_gpu(name, d, registries, m, lt_options, attach);
  });
  EXPECT_TRUE(engine.ok());
  out.engine = std::move(*engine);
  return out;
}

class ExternalMemory : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  bool ca() const { return std::string(std::get<0>(GetParam())) == "ca"; }
  run::DispatchFile file() const { return dispatch_file(std::get<1>(GetParam())); }
};

TEST_P(ExternalMemory, ATargetThatWaitsAndKnowsNoExtensionGivesGoldensBuffers) {
  const auto f = file();
  const auto o = outside("gpu", ca(), uneven(), {});
  const auto got = session(f, *o.engine);
  EXPECT_EQ(got.buffers, on_golden(f).buffers);
  EXPECT_GT(o.foreign->reads, 0u);
  EXPECT_GT(o.foreign->writes, 0u);
  // The completion signal is an atomic of the command processor's.
  EXPECT_THAT(got.report.emulated, ElementsAre(HasSubstr("atomic operations on external memory")));
}

INSTANTIATE_TEST_SUITE_P(Kernels, ExternalMemory,
                         testing::Combine(testing::Values("ca", "lt"),
                                          testing::Values("histogram", "mixed", "transpose")),
                         [](const auto& c) {
                           return std::string(std::get<0>(c.param)) + "_" + std::get<1>(c.param);
                         });

void expect_atomics_at_the_target(bool ca) {
  const auto f = dispatch_file("histogram");
  Manners manners;
  manners.atomics = true;
  const auto o = outside("gpu", ca, uneven(), manners);
  const auto got = session(f, *o.engine);
  EXPECT_EQ(got.buffers, on_golden(f).buffers);
  EXPECT_THAT(got.report.emulated, IsEmpty());
}
TEST(OutsideAtomics, CaLeavesThemToATargetThatKnowsThem) {
  expect_atomics_at_the_target(true);
}
TEST(OutsideAtomics, LtLeavesThemToATargetThatKnowsThem) {
  expect_atomics_at_the_target(false);
}

/// Compute units write through pointers while an atomic of another one waits for the target.
TEST(OutsideAtomics, LtKeepsThemWholeBesideDmi) {
  const auto f = dispatch_file("histogram");
  Manners manners;
  manners.dmi = true;
  const auto o = outside("gpu", false, uneven(), manners);
  const auto got = session(f, *o.engine);
  EXPECT_EQ(got.buffers, on_golden(f).buffers);
  EXPECT_GT(o.foreign->direct, 0u);
  EXPECT_THAT(got.report.emulated, ElementsAre(HasSubstr("atomic operations")));
}

/// Stores only where the lane number is odd: a masked block per wave.
run::DispatchFile odd_lanes() {
  auto f = run::parse_dispatch_file(
      R"(code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    prog kernel &k(kernarg_u64 %p)
    {
      ld_kernarg_u64 $d0, [%p];
      workitemabsid_u32 $s0, 0;
      and_b32 $s1, $s0, 1;
      cmp_eq_b1_u32 $c0, $s1, 0;
      cbr_b1 $c0, @end;
      cvt_u64_u32 $d1, $s0;
      mad_u64 $d0, $d1, 4, $d0;
      st_global_u32 $s0, [$d0];
    @end:
      ret;
    };
kernel: "&k"
grid: [64]
workgroup: [64]
args:
  - buffer: {name: b, type: u32, count: 64}
)",
      "odd.yaml");
  EXPECT_TRUE(f.ok()) << f.error().str();
  return *f;
}

void expect_masked_stores(bool ca, bool split, bool target_can) {
  const auto f = odd_lanes();
  Manners manners;
  manners.byte_enables = target_can;
  gpu::TransferOptions transfer;
  transfer.split_masked_stores = split;
  const auto o = outside("gpu", ca, description("small"), manners, transfer);
  const auto result = run::run_session(f, *o.engine);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(o.foreign->masked > 0, !split);
  if (!split && !target_can) {
    EXPECT_FALSE(result->report.failures.empty());
    return;
  }
  EXPECT_THAT(result->report.failures, IsEmpty());
  EXPECT_EQ(result->buffers, on_golden(f).buffers);
}
TEST(OutsideStores, CaUsesByteEnables) {
  expect_masked_stores(true, false, true);
}
TEST(OutsideStores, CaSplitsWhenAskedTo) {
  expect_masked_stores(true, true, false);
}
TEST(OutsideStores, LtUsesByteEnables) {
  expect_masked_stores(false, false, true);
}
TEST(OutsideStores, LtSplitsWhenAskedTo) {
  expect_masked_stores(false, true, false);
}
/// The L2 has taken them; the target refuses what it writes back at the end of the kernel.
TEST(OutsideStores, CaFaultsWhereATargetRefusesThem) {
  expect_masked_stores(true, false, false);
}
TEST(OutsideStores, LtFaultsWhereATargetRefusesThem) {
  expect_masked_stores(false, false, false);
}

/// Until the start of a cycle that is a multiple of 1000, so that the next run begins as the first.
void align(const machine::GpuConfig& d) {
  const uint64_t period = sc_time(1e6 / d.clock_mhz, sc_core::SC_PS).value() * 1000;
  const uint64_t now = sc_core::sc_time_stamp().value();
  sc_core::sc_start(sc_time::from_value((now + period - 1) / period * period - now));
}

TEST(OutsideTime, CyclesDoNotDependOnTheLookaheadAndGrowWithTheTarget) {
  const auto f = dispatch_file("transpose");
  const auto d = uneven();
  Manners annotated;
  annotated.wait = sc_core::SC_ZERO_TIME;
  annotated.delay = sc_time(40, sc_core::SC_NS);
  Manners slow;
  slow.wait = sc_time(200, sc_core::SC_NS);
  std::vector<Outside> gpus;
  gpus.push_back(outside("one", true, d, {}, {}, 1));
  gpus.push_back(outside("three", true, d, {}, {}, 3));
  gpus.push_back(outside("all", true, d, {}));
  gpus.push_back(outside("slow", true, d, slow));
  gpus.push_back(outside("annotated", true, d, annotated));
  std::vector<uint64_t> cycles;
  for (auto& g : gpus) {
    cycles.push_back(session(f, *g.engine).report.cycles);
    align(d);
  }
  EXPECT_EQ(cycles[1], cycles[0]);
  EXPECT_EQ(cycles[2], cycles[0]);
  EXPECT_GT(cycles[3], cycles[0]);
  // Delays that are only annotated overlap; waits come one after the other.
  EXPECT_LT(cycles[4], cycles[0]);
}

void expect_four_phases(const char* kernel, Phases phases, unsigned outstanding, bool atomics) {
  const auto f = dispatch_file(kernel);
  Manners manners;
  manners.phases = phases;
  manners.atomics = atomics;
  gpu::TransferOptions transfer;
  transfer.four_phase = true;
  transfer.outstanding = outstanding;
  const auto o = outside("gpu", true, uneven(), manners, transfer);
  const auto got = session(f, *o.engine);
  EXPECT_EQ(got.buffers, on_golden(f).buffers);
  EXPECT_EQ(got.report.emulated.empty(), atomics);
  EXPECT_GT(o.checker->non_blocking(), 0u);
  EXPECT_EQ(o.checker->under_way(), 0u);
  if (phases == Phases::Completed || phases == Phases::BeginRespBack) return;
  // A request channel that is held until the response leaves nothing beside it, and nothing to
  // overtake.
  const bool several = outstanding > 1 && phases != Phases::RespOnly;
  EXPECT_EQ(o.foreign->most_under_way > 1, several);
  EXPECT_LE(o.foreign->most_under_way, outstanding);
  EXPECT_EQ(o.foreign->overtaken, several);
}
TEST(OutsidePhases, Four) {
  expect_four_phases("histogram", Phases::Four, 1, false);
}
TEST(OutsidePhases, FourPipelined) {
  expect_four_phases("histogram", Phases::Four, 6, false);
}
TEST(OutsidePhases, AtomicsAtTheTarget) {
  expect_four_phases("histogram", Phases::Four, 6, true);
}
TEST(OutsidePhases, EndReqComesBack) {
  expect_four_phases("mixed", Phases::EndReqBack, 4, false);
}
TEST(OutsidePhases, BeginRespComesBack) {
  expect_four_phases("transpose", Phases::BeginRespBack, 4, false);
}
TEST(OutsidePhases, Completed) {
  expect_four_phases("transpose", Phases::Completed, 4, false);
}
TEST(OutsidePhases, ResponseEndsTheRequest) {
  expect_four_phases("transpose", Phases::RespOnly, 4, false);
}

TEST(OutsideTime, AccessesUnderWayTogetherTakeLessTime) {
  const auto f = dispatch_file("transpose");
  const auto d = uneven();
  std::vector<Outside> gpus;
  std::vector<uint64_t> cycles;
  for (const unsigned outstanding : {1u, 8u, 8u}) {
    gpu::TransferOptions transfer;
    transfer.four_phase = gpus.size() < 2;
    transfer.outstanding = outstanding;
    gpus.push_back(outside("gpu" + std::to_string(gpus.size()), true, d, {}, transfer));
  }
  for (auto& g : gpus) {
    cycles.push_back(session(f, *g.engine).report.cycles);
    align(d);
  }
  EXPECT_LT(cycles[1], cycles[0]);
  EXPECT_LT(cycles[2], cycles[0]);  // by b_transport as well
}

TEST(OutsideTime, AnUnboundSocketIsAnElaborationError) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  hsa::DeviceMemory memory;
  const auto registries = gpu::tlm_registries();
  const auto d = description("small");
  auto made = gpu::Gpu::create("gpu", d, registries, memory.space(), {});
  ASSERT_TRUE(made.ok());
  run::HostModule host("host");
  host.mmio.bind((*made)->doorbells);
  EXPECT_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME), sc_core::sc_report);
}

}  // namespace
}  // namespace cuvette
