// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "golden/memory_port.h"
#include "golden/program.h"
#include "golden/wave.h"
#include "run/probe_wave.h"

namespace cuvette::run {

wave::ScalarState probe_scalars(const ProbeCase& c, uint64_t code_at) {
  wave::ScalarState s;
  for (const auto& [index, value] : c.sgpr) s.sgpr[index] = value;
  s.mode.raw = c.mode;
  s.set_exec(c.exec);
  s.set_vcc(c.vcc);
  s.scc = c.scc;
  s.sgpr[isa::kM0] = c.m0;
  s.pc = code_at;
  return s;
}

ProbeOutcome probe_on_golden(const ProbeCase& c, ProbeImage& image) {
  golden::Workgroup group;
  group.lds.assign(kProbeLdsBytes, 0);
  group.waves = 1;
  for (const auto& [at, bytes] : c.lds) {
    std::copy(bytes.begin(), bytes.end(), group.lds.begin() + static_cast<ptrdiff_t>(at));
  }
  golden::Wave wave(c.target, kProbeVgprs, probe_accvgprs(c.target));
  wave.group = &group;
  wave.trap_on_violation = true;
  wave.ordered_turn = true;  // there is no earlier wave
  wave.state.sramecc = c.target >= isa::Target::Gfx908;
  wave.state.alloc.accvgprs = wave.state.v.acc_count;
  wave.state.alloc.shared_aperture = kProbeSharedAperture;
  wave.state.alloc.private_aperture = kProbePrivateAperture;
  wave.state.s = probe_scalars(c, image.code_at());
  for (const auto& [index, row] : c.vgpr) wave.state.v.arch[index] = row;
  for (const auto& [index, row] : c.agpr) {
    if (index < wave.state.v.acc_count) wave.state.v.acc[index] = row;
  }

  golden::Program program(image.memory(), c.target);
  golden::MemoryPort port(image.memory());
  const uint64_t done = wave.run(kProbeInstructionLimit, program, port, nullptr);

  ProbeOutcome out;
  if (wave.status == golden::WaveStatus::Failed) {
    out.failure = wave.failure;
    out.unsupported = wave.stopped_by == wave::Event::Unsupported;
  } else if (done >= kProbeInstructionLimit && wave.status == golden::WaveStatus::Running) {
    out.failure = fmt::format("more than {} instructions", kProbeInstructionLimit);
  } else if (wave.status == golden::WaveStatus::AtGlobalSync) {
    out.failure = "the wave waits at a global wave sync: there is no other wave";
  }
  const wave::VectorFile& v = wave.state.v;
  out.scalars = wave.state.s;
  out.vgprs.assign(v.arch, v.arch + v.arch_count);
  if (v.acc_count != 0) out.accvgprs.assign(v.acc, v.acc + v.acc_count);
  out.lds = std::move(group.lds);
  const isa::RowCounts executed = program.executed();
  out.executed = {executed.begin(), executed.end()};
  return out;
}

}  // namespace cuvette::run
