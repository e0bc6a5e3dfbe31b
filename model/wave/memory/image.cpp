// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "wave/memory/image_resource.h"
#include "wave/memory/texel.h"

// Image instructions without a sampler (Vega ISA 12.14, MI100 ISA 9.2, 9.3).
namespace cuvette::wave::memory {
namespace {

using Mode = TexelConversion::Mode;

struct ImageEntry {
  Id id;
  MemoryKind kind;
  Mode mode;
  bool mip;
};
constexpr ImageEntry kPlain[] = {
    {Id::image_load, MemoryKind::Load, Mode::Convert, false},
    {Id::image_load_mip, MemoryKind::Load, Mode::Convert, true},
    {Id::image_load_pck, MemoryKind::Load, Mode::Raw, false},
    {Id::image_load_pck_sgn, MemoryKind::Load, Mode::RawSigned, false},
    {Id::image_load_mip_pck, MemoryKind::Load, Mode::Raw, true},
    {Id::image_load_mip_pck_sgn, MemoryKind::Load, Mode::RawSigned, true},
    {Id::image_store, MemoryKind::Store, Mode::Convert, false},
    {Id::image_store_mip, MemoryKind::Store, Mode::Convert, true},
    {Id::image_store_pck, MemoryKind::Store, Mode::Raw, false},
    {Id::image_store_mip_pck, MemoryKind::Store, Mode::Raw, true},
};

using Op = base::AtomicOp;
struct AtomicEntry {
  Id id;
  Op op;
};
constexpr AtomicEntry kAtomic[] = {
    {Id::image_atomic_swap, Op::Swap}, {Id::image_atomic_cmpswap, Op::CmpSwap},
    {Id::image_atomic_add, Op::Add},   {Id::image_atomic_sub, Op::Sub},
    {Id::image_atomic_smin, Op::SMin}, {Id::image_atomic_umin, Op::UMin},
    {Id::image_atomic_smax, Op::SMax}, {Id::image_atomic_umax, Op::UMax},
    {Id::image_atomic_and, Op::And},   {Id::image_atomic_or, Op::Or},
    {Id::image_atomic_xor, Op::Xor},   {Id::image_atomic_inc, Op::Inc},
    {Id::image_atomic_dec, Op::Dec},
};

template <class Entry, size_t kCount>
const Entry* find(const Entry (&entries)[kCount], Id id) {
  for (const Entry& e : entries) {
    if (e.id == id) return &e;
  }
  return nullptr;
}

/// Texel addresses from unsigned coordinates: x, y, z or face or layer, then the mip level (MI100
/// ISA table 42). A lane outside the image is out of range.
void address_texels(const WaveState& wave, const isa::Instruction& i, const ImageResource& image,
                    bool mip, MemoryOp& op) {
  const ImageAddress address(wave, i);
  const unsigned dimensions = image.dimensions();
  const bool has_layer = i.mem.da && dimensions < 3;
  const unsigned count = dimensions + (has_layer ? 1 : 0);
  const unsigned bytes = texel_layout(image.data_format)->bytes;
  const uint64_t exec = op.exec;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(exec, lane)) continue;
    uint32_t c[3] = {};
    for (unsigned n = 0; n < count; ++n) c[n] = address.component(lane, 0, n);
    const uint32_t x = c[0], y = dimensions > 1 ? c[1] : 0;
    uint64_t slice = dimensions == 3 ? c[2] : 0;
    // An index for an image without layers is ignored (MI100 ISA 9.4.2).
    if (has_layer && image.is_layered()) slice = c[count - 1];
    if (image.is_layered()) slice += image.first_layer;
    const uint64_t level =
        image.base_level + uint64_t{mip ? address.component(lane, 0, count) : 0u};
    const LevelSize size = image.size(static_cast<uint32_t>(std::min<uint64_t>(level, 15)));
    if (level > image.last_level || x >= size.width || y >= size.height || slice >= size.depth) {
      reject(op, uint64_t{1} << lane, false);
      continue;
    }
    op.address[0][lane] = image.texel_address(static_cast<uint32_t>(level), x, y,
                                              static_cast<uint32_t>(slice), bytes);
  }
}

void fill_store(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  const isa::Operand& data = *find_source(i, isa::Role::Vdata);
  const TexelConversion& t = op.texel;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(op.exec, lane)) continue;
    const auto value = [&](unsigned n) { return source_row(wave, data, n)[lane]; };
    uint32_t raw[4] = {};
    if (t.mode == Mode::Convert) {
      texel_stored(t, value, raw);
    } else {
      for (unsigned c = 0, n = 0; c < 4; ++c) {
        if ((t.mask >> c & 1) != 0) raw[c] = value(n++);
      }
    }
    for (unsigned d = 0; d < 4; ++d) op.data[d][lane] = raw[d];
  }
}

/// The element is one integer of 32 or 64 bits, whatever its format (MI100 ISA 9.4.1, "Atomics").
void make_atomic(const WaveState& wave, const isa::Instruction& i, const ImageResource& image,
                 Op atomic, MemoryOp& op) {
  const bool compare = atomic == Op::CmpSwap;
  const auto given = static_cast<unsigned>(std::popcount(i.mem.dmask));
  const unsigned dwords = std::max(1u, compare ? given / 2 : given);
  op.kind = i.mem.glc ? MemoryKind::AtomicReturn : MemoryKind::Atomic;
  op.atomic = atomic;
  op.texel = {};
  op.bytes = static_cast<uint8_t>(4 * dwords);
  if (dwords > 2) return refuse(op, "image atomic with a DMASK of more than 64 bits");
  if (!image.unbound() && texel_layout(image.data_format)->bytes != op.bytes) {
    return refuse(op, "image atomic on elements of another size than DMASK says");
  }
  const isa::Operand& data = *find_source(i, isa::Role::Vdata);
  for (unsigned d = 0; d < dwords; ++d) {
    const LaneRow& value = source_row(wave, data, d);
    const LaneRow& compared = source_row(wave, data, dwords + d);
    std::copy(value.begin(), value.end(), op.data[d]);
    if (compare) std::copy(compared.begin(), compared.end(), op.compare[d]);
  }
}

/// Width, height, depth or layers, and number of levels of the view (Vega ISA 12.14,
/// IMAGE_GET_RESINFO); a level outside has no size.
void make_info(const WaveState& wave, const isa::Instruction& i, const ImageResource& image,
               MemoryOp& op) {
  const ImageAddress address(wave, i);
  op.moved = op.exec;
  op.exec = 0;
  op.texel.mode = Mode::None;
  const uint32_t levels = image.last_level - std::min(image.base_level, image.last_level) + 1;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(op.moved, lane) || image.unbound()) continue;
    const uint32_t mip = address.component(lane, 0, 0);
    uint32_t info[4] = {0, 0, 0, levels};
    if (mip < levels) {
      const LevelSize size = image.size(image.base_level + mip);
      info[0] = size.width;
      info[1] = size.height;
      info[2] = image.is_3d() ? size.depth : image.layers();
    }
    for (unsigned c = 0, n = 0; c < 4; ++c) {
      if ((op.texel.mask >> c & 1) != 0) op.data[n++][lane] = info[c];
    }
  }
}

}  // namespace

bool is_image(Id id) {
  return find(kPlain, id) != nullptr || find(kAtomic, id) != nullptr ||
         id == Id::image_get_resinfo || is_sampled(id);
}

void make_image_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  op.space = MemorySpace::Global;
  op.kind = MemoryKind::Load;
  op.counts_vm = true;
  op.exec = wave.s.exec();
  op.mode = wave.s.mode.raw;
  op.glc = i.mem.glc;
  op.slc = i.mem.slc;
  op.scc = i.mem.scc;
  const ImageResource image = read_image(wave, find_source(i, isa::Role::Srsrc)->index);
  set_image_result(i, image, op);
  const bool info = i.semantic() == Id::image_get_resinfo;
  const char* reason = image.unbound() || info ? "" : image_reason(image);
  if (*reason != '\0') return refuse(op, reason);

  const ImageEntry* plain = find(kPlain, i.semantic());
  const AtomicEntry* atomic = find(kAtomic, i.semantic());
  if (info) {
    make_info(wave, i, image, op);
  } else if (atomic != nullptr) {
    make_atomic(wave, i, image, atomic->op, op);
  } else if (plain != nullptr) {
    op.kind = plain->kind;
    op.texel.mode = plain->mode;
    if (!image.unbound()) op.bytes = texel_layout(image.data_format)->bytes;
    if (plain->mode == Mode::Convert && !image.unbound()) {
      const bool store = plain->kind == MemoryKind::Store;
      reason = texel_reason(image.data_format, image.number_format, store);
      if (*reason != '\0') return refuse(op, reason);
    } else {
      op.texel.d16 = false;
    }
    if (op.kind == MemoryKind::Store && !image.unbound()) fill_store(wave, i, op);
  }
  const bool sampled = is_sampled(i.semantic());
  if (is_vector_register(find_destination(i, isa::Role::Vdata))) {
    const bool atomic_result = op.kind == MemoryKind::AtomicReturn;
    const unsigned dwords = atomic_result ? op.bytes / 4u : sampled ? 0 : texel_dwords(op.texel);
    op.dst_dwords = static_cast<uint8_t>(dwords + (op.status_dword ? 1 : 0));
  }
  if (image.unbound()) reject(op, op.exec, false);
  if (sampled) {
    make_sampled_op(wave, i, image, op);
  } else if (op.exec != 0 && *op.refusal == '\0') {
    address_texels(wave, i, image, plain != nullptr && plain->mip, op);
  }
  // As for every memory instruction: with a result outside the allocation it runs with EXEC = 0.
  if (op.dst_dwords != 0 && !vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) {
    op.exec = 0;
    op.sampling = nullptr;
  }
}

}  // namespace cuvette::wave::memory
