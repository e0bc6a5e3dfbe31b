// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "compute_unit/compute_unit_model.h"
#include "ip/pin_address_space.h"
#include "lds/lds_model.h"
#include "matrix_core/matrix_core_model.h"
#include "simd/simd_model.h"
#include "valu/valu_model.h"
#include "vrf/vrf_model.h"

/// A user's compute unit in C++ for the machine `small`: Cuvette's own model with other times and
/// another issue order, whole on the pins of the contract, retirement included. It stands still
/// while a translation is under way and while its retirement ports are behind.
class UserComputeUnit {
 public:
  /// `bug`: see CMakeLists.txt; 0: none.
  explicit UserComputeUnit(unsigned bug);
  ~UserComputeUnit() { space_.stop(); }

  void tick(cuvette::machine::Cycle now);
  cuvette::machine::Cycle next_event() const { return 0; }

  template <class V>
  friend void visit_channels(UserComputeUnit& u, V&& v) {
    using namespace cuvette;
    v.template in<spi::WaveLaunch>(0, 0, u.waves_.launch);
    v.template out<spi::WaveDone>(1, 0, u.done_);
    v.template in<spi::WaveCommand>(2, 0, u.waves_.command);
    v.template in<spi::WaveCommand>(3, 0, u.model_->debug);
    v.template out<memory::MemReq>(4, 0, u.requests_);
    v.template in<memory::MemResp>(5, 0, u.vector_.response);
    v.template out<memory::MemReq>(6, 0, u.scalar_.request);
    v.template in<memory::MemResp>(7, 0, u.scalar_.response);
    v.template out<memory::MemReq>(8, 0, u.instruction_.request);
    v.template in<memory::MemResp>(9, 0, u.instruction_.response);
    v.template out<memory::TranslateRequest>(10, 0, u.space_.questions);
    v.template in<memory::TranslateResponse>(11, 0, u.space_.answers);
    v.template out<gds::Request>(12, 0, u.model_->gds.request);
    v.template in<gds::Taken>(13, 0, u.model_->gds.taken);
    v.template in<gds::Response>(14, 0, u.model_->gds.response);
    v.template out<compute_unit::Message>(15, 0, u.model_->messages);
    v.template out<compute_unit::Retired>(16, 0, u.retired_);
    v.template out<compute_unit::VectorWrite>(17, 0, u.vector_writes_);
    v.template out<compute_unit::ScalarWrite>(18, 0, u.scalar_writes_);
    v.template out<compute_unit::MemoryAccess>(19, 0, u.accesses_);
  }

 private:
  using Cycle = cuvette::machine::Cycle;
  template <class M>
  using Channel = cuvette::machine::Channel<M>;

  void retire(const cuvette::wave::RetireRecord& record);
  void send_requests(Cycle now);
  void send_record(Cycle now);
  void send_done(Cycle now);

  unsigned bug_;
  cuvette::ip::dut::PinAddressSpace space_;
  cuvette::valu::Registry valus_;
  cuvette::vrf::Registry vrfs_;
  cuvette::simd::Registry simds_;
  cuvette::lds::Registry lds_;
  cuvette::matrix_core::Registry matrix_cores_;
  cuvette::spi::Spi::ComputeUnitPort waves_;
  cuvette::cache::Cache::Port vector_, scalar_, instruction_;
  std::unique_ptr<cuvette::compute_unit::ComputeUnitModel> model_;
  Channel<cuvette::memory::MemReq> requests_{cuvette::machine::kUnbounded};
  Channel<cuvette::spi::WaveDone> done_{cuvette::machine::kUnbounded};
  Channel<cuvette::compute_unit::Retired> retired_{cuvette::machine::kUnbounded};
  Channel<cuvette::compute_unit::VectorWrite> vector_writes_{cuvette::machine::kUnbounded};
  Channel<cuvette::compute_unit::ScalarWrite> scalar_writes_{cuvette::machine::kUnbounded};
  Channel<cuvette::compute_unit::MemoryAccess> accesses_{cuvette::machine::kUnbounded};
  std::deque<cuvette::wave::RetireRecord> records_;  ///< not on the pins yet
  bool parts_sent_ = false;                          ///< of the first one
};
