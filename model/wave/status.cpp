// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/status.h"

#include <string_view>

#include "wave/matrix.h"
#include "wave/memory/form.h"
#include "wave/memory/image_resource.h"
#include "wave/scalar/scalar.h"

// Exact unless the manuals leave a point open (decisions.md); then `defined`, with the point named.
namespace cuvette::wave {
namespace {

using isa::SemanticId;
using isa::Target;

struct Note {
  SemanticId id;
  const char* point;
};

constexpr Note kScalarNotes[] = {
    {SemanticId::s_sleep, "the delay is approximate on hardware: 64 clocks per count"},
    {SemanticId::s_incperflevel, "no performance counters: no effect"},
    {SemanticId::s_decperflevel, "no performance counters: no effect"},
    {SemanticId::s_ttracedata, "no thread trace: no effect"},
    {SemanticId::s_setkill, "a wave that sets its KILL bit ends"},
    {SemanticId::s_endpgm_ordered_ps_done, "no ordered pixel shading: the wave ends"},
    {SemanticId::s_barrier, "a work-group of one wave passes at once"},
};

constexpr Note kMemoryNotes[] = {
    {SemanticId::ds_swizzle_b32, "the manuals do not describe the patterns"},
    {SemanticId::ds_append, "M0[15:0] is the base"},
    {SemanticId::ds_consume, "M0[15:0] is the base"},
    {SemanticId::ds_condxchg32_rtn_b64, "the manuals only name it"},
    {SemanticId::ds_ordered_count, "the manuals name the fields but not their places"},
    {SemanticId::s_memtime, "counts the clock of the model"},
    {SemanticId::s_memrealtime, "counts the clock of the model"},
};

template <size_t kCount>
const char* note_of(const Note (&notes)[kCount], SemanticId id) {
  for (const Note& note : notes) {
    if (note.id == id) return note.point;
  }
  return nullptr;
}

}  // namespace

StatusOf status_of_scalar(const isa::Row& row) {
  if (scalar::find_handler(row.semantic) == nullptr) {
    return {Status::Unsupported, "no semantics for this scalar instruction"};
  }
  const char* note = note_of(kScalarNotes, row.semantic);
  return note == nullptr ? StatusOf{Status::Exact, ""} : StatusOf{Status::Defined, note};
}

/// Images: layout and codes of descriptors are partly ours; filtering and the level of detail from
/// neighbouring lanes are only like the hardware's.
StatusOf status_of_image(const isa::Row& row) {
  if (!memory::is_sampled(row.semantic)) {
    return {Status::Defined, "place of mip levels and layers"};
  }
  const std::string_view name = row.mnemonic;
  const bool given = name.ends_with("_lz") || name.ends_with("_l") ||
                     name.find("_lz_") != name.npos || name.find("_l_") != name.npos;
  if (given) return {Status::Defined, "levels of linear images only; filter weights have 8 bits"};
  return {Status::Approximate, "level of detail of an isotropic footprint; 8-bit filter weights"};
}

StatusOf status_of_memory(const isa::Row& row, Target) {
  const char* reason = memory_reason(row);
  if (*reason != '\0') return {Status::Unsupported, reason};
  if (row.format == isa::Format::Mimg) return status_of_image(row);
  if (memory::is_sync(row.semantic) && row.semantic != SemanticId::ds_ordered_count) {
    return {Status::Defined, "what holds a wave, and where, is in docs/reference/gds.md"};
  }
  if (const char* note = note_of(kMemoryNotes, row.semantic)) return {Status::Defined, note};
  const memory::Form* form = memory::find_form(row.semantic);
  if (form != nullptr && form->kind != MemoryKind::Load && form->kind != MemoryKind::Store &&
      base::is_float(form->atomic)) {
    return {Status::Defined, "rounding and subnormals of float atomics are not documented"};
  }
  if (form != nullptr && form->texels != 0) {
    return {Status::Defined, "conversion to memory rounds to nearest even and saturates"};
  }
  if (row.format == isa::Format::Scratch) {
    return {Status::Defined, "scratch interleaves dwords of 64 lanes"};
  }
  if (form != nullptr && row.format == isa::Format::Mubuf) {
    return {Status::Defined, "the range check counts SOFFSET and the end of the access"};
  }
  return {Status::Exact, ""};
}

StatusOf status_of_matrix(const isa::Row& row, Target) {
  if (!has_matrix_semantics(row)) {
    return {Status::Unsupported, "no semantics for this matrix instruction"};
  }
  if (row.semantic == SemanticId::v_smfmac) {
    return {Status::Defined, "equal and out-of-order sparse indices are not documented"};
  }
  return {Status::Exact, ""};
}

const char* name_of(Status status) {
  switch (status) {
    case Status::Exact:
      return "exact";
    case Status::Defined:
      return "defined";
    case Status::Approximate:
      return "approximate";
    default:
      return "unsupported";
  }
}

}  // namespace cuvette::wave
