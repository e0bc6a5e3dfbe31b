// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/wave_context.h"
#include "golden/record_shadow.h"
#include "ip/common/translations.h"
#include "ip/compute_unit/code_image.h"
#include "ip/compute_unit/lds_history.h"
#include "ip/compute_unit/traffic_ledger.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Retirement checker of a compute unit (docs/reference/compute_unit.md "A user's device"): sees
/// what crosses its pins, executes what every wave retires on the golden reference, and holds the
/// loads and stores of these instructions against the requests of the device and their answers.
/// When waves issue, and how lanes are grouped into requests, is the device's choice.
class ComputeUnitChecker {
 public:
  using Finding = std::optional<Violation>;
  using Counters = compute_unit::ComputeUnit::Counters;

  explicit ComputeUnitChecker(const compute_unit::Config& config);

  Finding taken(unsigned channel, unsigned port, const spi::WaveLaunch& launch, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::WaveCommand& command,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::MemResp& answer, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::TranslateResponse& answer,
                machine::Cycle now);
  Finding taken(unsigned, unsigned, const gds::Taken&, machine::Cycle) { return std::nullopt; }
  Finding taken(unsigned channel, unsigned port, const gds::Response& answer, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::WaveDone& done, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemReq& request, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::TranslateRequest& request,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, gds::Request& request, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, compute_unit::Message& message,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, compute_unit::Retired& retired,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, compute_unit::VectorWrite& write,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, compute_unit::ScalarWrite& write,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, compute_unit::MemoryAccess& access,
                machine::Cycle now);
  bool busy() const { return !resident_.empty(); }
  bool owes() const { return !owed().empty(); }
  std::string owed() const;
  Finding conclude() const { return std::nullopt; }
  uint64_t checked() const { return checked_; }

  void observe(compute_unit::ComputeUnit::Observer observer) { observer_ = std::move(observer); }
  /// Stalls are not known of a device: cycles without a retirement are Stall::Latency.
  Counters counters(machine::Cycle now) const;
  std::vector<compute_unit::WaveReport> waves() const;
  /// Error of the first wave that ended in error.
  const std::string& failure() const { return failure_; }

 private:
  /// A wave in its slot.
  struct Resident {
    compute_unit::Identity launch;
    std::unique_ptr<golden::RecordShadow> shadow;  ///< null: it has a trap handler
    std::map<uint64_t, wave::RetireRecord> parts;  ///< by order, without their end
    std::map<uint64_t, wave::RetireRecord> early;  ///< behind the next one
    uint64_t next = 0;                             ///< order of the record that is checked next
    uint64_t pc = 0;                               ///< of the last record
    std::optional<uint64_t> barrier;               ///< order of the one where it waits
    bool over = false;                             ///< S_ENDPGM has retired
    bool told = false;                             ///< commands may have ended or halted it
    machine::Cycle since = 0;
  };
  /// State that the waves of a work-group share.
  struct Group {
    LdsHistory lds{0};
    unsigned waves = 0, over = 0;
    std::set<uint64_t> arrived;
    unsigned live = 0;  ///< without WaveDone
  };
  /// A request under way.
  struct Asked {
    memory::MemReq request;
  };
  enum Cache : unsigned { kVector, kScalar, kInstruction, kCaches };

  Resident* find(uint64_t wave);
  Resident* in_slot(unsigned slot);
  Finding check_request(Cache cache, const memory::MemReq& request);
  Finding check_record(Resident& wave, const wave::RetireRecord& record);
  Finding check_code(const Resident& wave, const wave::RetireRecord& record) const;
  Finding check_traffic(const Resident& wave, const wave::RetireRecord& record);
  Finding check_lds(const Resident& wave, const wave::RetireRecord& record);
  Finding follow(Resident& wave, const wave::RetireRecord& record);
  Finding arrive(Resident& wave, const wave::RetireRecord& record);
  Finding leave_barrier(Group& group);
  unsigned slot_of(const Resident& wave) const {
    return wave.launch.simd * config_.slots + wave.launch.slot;
  }
  void count(const wave::RetireRecord& record);

  compute_unit::Config config_;
  std::map<uint64_t, Resident> resident_;  ///< by WaveLaunch::id
  std::map<uint32_t, Group> groups_;       ///< by work-group key
  std::vector<TrafficLedger> ledgers_[2];  ///< vector and scalar, by slot
  std::unordered_map<uint64_t, memory::MemReq> asked_[kCaches];
  std::map<uint32_t, memory::TranslateRequest> translating_;
  std::set<uint32_t> in_gds_;
  Translations translations_;
  std::map<uint32_t, std::unique_ptr<CodeImage>> code_;  ///< by VMID
  using Block = std::array<uint8_t, memory::kBlockBytes>;
  std::map<uint64_t, std::vector<Block>> fetched_;  ///< by physical block, the last ones
  wave::GlobalSync sync_;
  golden::RecordShadow::Counts compared_;
  uint64_t checked_ = 0;
  uint32_t sequence_ = 0;
  Counters counters_;
  machine::Cycle busy_since_ = 0;
  std::string failure_;
  compute_unit::ComputeUnit::Observer observer_;
};

}  // namespace cuvette::ip
