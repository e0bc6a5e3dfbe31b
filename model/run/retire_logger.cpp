// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/retire_logger.h"

#include "hsa/dispatch.h"

namespace cuvette::run {

void RetireLogger::start(const MachineCode& code, const hsa::DeviceMemory& memory,
                         golden::LogDispatch dispatch) {
  if (writer_ == nullptr) {
    golden::LogMachine m;
    m.engine = engine_;
    m.target = code.target().str();
    m.sramecc = code.target().sramecc == hsa::Feature::On;
    m.poison = poison_;
    m.shared_aperture = shared_aperture_;
    m.private_aperture = private_aperture_;
    writer_ = std::make_unique<golden::LogWriter>(path_, m);
  }
  writer_->code({code.base(), code.object()});
  dispatch.kernel = code.kernel().name;
  dispatch.descriptor = code.kernel().descriptor;
  if (code.kernel().kernarg_preload_dwords != 0) {
    std::array<uint32_t, hsa::kMaxUserSgprs> preload{};
    // Without memory there the dispatch fails, and has no record.
    (void)hsa::read_preload(code.kernel(), dispatch.kernarg, memory, preload);
    dispatch.preload.assign(preload.begin(),
                            preload.begin() + code.kernel().kernarg_preload_dwords);
  }
  writer_->dispatch(dispatch);
}

base::Status RetireLogger::end() {
  return writer_->end_dispatch();
}

}  // namespace cuvette::run
