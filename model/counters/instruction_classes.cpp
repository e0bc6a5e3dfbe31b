// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "counters/instruction_classes.h"

#include <iterator>

namespace cuvette::counters {

using isa::Format;
using isa::Row;
using isa::Type;
using isa::Unit;

namespace {

constexpr const char* kNames[] = {"all",
                                  "valu",
                                  "salu",
                                  "smem",
                                  "vmem",
                                  "vmem_read",
                                  "vmem_write",
                                  "flat",
                                  "flat_segment",
                                  "ds",
                                  "export",
                                  "branch",
                                  "message",
                                  "other",
                                  "add_f16",
                                  "mul_f16",
                                  "fma_f16",
                                  "trans_f16",
                                  "add_f32",
                                  "mul_f32",
                                  "fma_f32",
                                  "trans_f32",
                                  "add_f64",
                                  "mul_f64",
                                  "fma_f64",
                                  "trans_f64",
                                  "int32",
                                  "int64",
                                  "convert",
                                  "matrix",
                                  "matrix_i8",
                                  "matrix_f16",
                                  "matrix_bf16",
                                  "matrix_f32",
                                  "matrix_f64",
                                  "matrix_ops_i8",
                                  "matrix_ops_f16",
                                  "matrix_ops_bf16",
                                  "matrix_ops_f32",
                                  "matrix_ops_f64",
                                  "scalar_load_1",
                                  "scalar_load_2",
                                  "scalar_load_4",
                                  "scalar_load_8",
                                  "scalar_load_16",
                                  "buffer",
                                  "buffer_read",
                                  "buffer_write",
                                  "buffer_atomic",
                                  "flat_read",
                                  "flat_write",
                                  "flat_atomic",
                                  "vmem_atomic"};
static_assert(std::size(kNames) == kClasses);

constexpr unsigned kOperationsOfUnit = 512;  // of SQ_INSTS_VALU_MFMA_MOPS_*

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Class shift(Class first, unsigned by) {
  return static_cast<Class>(static_cast<unsigned>(first) + by);
}

/// 0, 1, 2 of F16, F32, F64 by the end of the name; 3: none of them.
unsigned width_of(std::string_view name) {
  return ends_with(name, "_f16")   ? 0
         : ends_with(name, "_f32") ? 1
         : ends_with(name, "_f64") ? 2
                                   : 3;
}

bool is_any(Type t, std::initializer_list<Type> of) {
  for (const Type other : of) {
    if (t == other) return true;
  }
  return false;
}

}  // namespace

const char* name_of(Class c) {
  return kNames[static_cast<unsigned>(c)];
}

ClassTable::ClassTable() {
  for (const Row& row : isa::rows()) {
    first_.push_back(static_cast<uint32_t>(entries_.size()));
    add(row);
  }
  first_.push_back(static_cast<uint32_t>(entries_.size()));
}

std::array<uint64_t, kClasses> ClassTable::count(const std::vector<uint64_t>& by_row) const {
  std::array<uint64_t, kClasses> out{};
  for (size_t n = 0; n < by_row.size(); ++n) {
    if (by_row[n] == 0) continue;
    for (uint32_t e = first_[n]; e < first_[n + 1]; ++e) {
      out[static_cast<unsigned>(entries_[e].of)] += by_row[n] * entries_[e].weight;
    }
  }
  return out;
}

void ClassTable::add(const Row& row) {
  put(Class::All);
  switch (row.unit) {
    case Unit::Valu:
    case Unit::Trans:
      put(Class::Valu);
      add_vector(row);
      break;
    case Unit::Matrix:
      put(Class::Valu);
      add_matrix(row);
      break;
    case Unit::Salu:
      put(Class::Salu);
      break;
    case Unit::Smem:
    case Unit::Vmem:
    case Unit::Flat:
      add_memory(row);
      break;
    case Unit::Lds:
      put(Class::Ds);
      break;
    case Unit::Export:
      put(Class::Export);
      break;
    case Unit::Branch:
      put(Class::Branch);
      break;
    case Unit::Message:
      put(Class::Message);
      break;
    case Unit::Wave:
      put(Class::Other);
      break;
    case Unit::Gds:
      break;  // counted where it is issued: the GDS bit is not in the row
  }
}

void ClassTable::add_vector(const Row& row) {
  const std::string_view name = row.mnemonic;
  if (contains(name, "_cvt_")) return put(Class::Convert);
  if (const unsigned width = width_of(name); width < 3) {
    if (row.unit == Unit::Trans) return put(shift(Class::TransF16, 4 * width));
    if (contains(name, "_add_f") || contains(name, "_sub_f") || contains(name, "_subrev_f")) {
      return put(shift(Class::AddF16, 4 * width));
    }
    if (contains(name, "_mul_f") || contains(name, "_mul_legacy_f")) {
      return put(shift(Class::MulF16, 4 * width));
    }
    for (const char* fused : {"_fma", "_mad", "_mac_", "_div_fmas_"}) {
      if (contains(name, fused)) return put(shift(Class::FmaF16, 4 * width));
    }
    return;
  }
  const Type source = row.src[0].type;
  if (row.dst[0].type == Type::U64 || row.dst[0].type == Type::I64 || source == Type::U64 ||
      source == Type::I64) {
    return put(Class::Int64);
  }
  if (is_any(source, {Type::I32, Type::U32, Type::I24, Type::U24})) put(Class::Int32);
}

void ClassTable::add_matrix(const Row& row) {
  const isa::MatrixShape& shape = row.matrix;
  if (shape.m == 0) return;  // V_ACCVGPR_READ and its like
  put(Class::Matrix);
  unsigned type = 0;
  switch (shape.a) {
    case Type::I8:
      break;
    case Type::F16:
      type = 1;
      break;
    case Type::Bf16:
      type = 2;
      break;
    case Type::F32:
      type = 3;
      break;
    case Type::F64:
      type = 4;
      break;
    default:
      return;
  }
  put(shift(Class::MatrixI8, type));
  const uint32_t operations = 2u * shape.m * shape.n * shape.k * shape.blocks;
  put(shift(Class::MatrixOpsI8, type), operations / kOperationsOfUnit);
}

void ClassTable::add_memory(const Row& row) {
  const bool load = row.has(isa::kLoad), store = row.has(isa::kStore),
             atomic = row.has(isa::kAtomic);
  if (row.unit == Unit::Smem) {
    put(Class::Smem);
    if (!load) return;
    for (unsigned n = 0; n < 5; ++n) {
      if (row.dst[0].dwords == 1u << n) put(shift(Class::ScalarLoad1, n));
    }
    return;
  }
  if (!load && !store && !atomic) return;
  put(Class::Vmem);
  if (load) put(Class::VmemRead);
  if (store) put(Class::VmemWrite);
  if (atomic) put(Class::VmemAtomic);
  Class first = Class::Buffer;
  switch (row.format) {
    case Format::Mubuf:
    case Format::Mtbuf:
      put(Class::Buffer);
      first = Class::BufferRead;
      break;
    case Format::Flat:
      put(Class::FlatSegment);
      [[fallthrough]];
    case Format::Global:
    case Format::Scratch:
      put(Class::Flat);
      first = Class::FlatRead;
      break;
    default:
      return;
  }
  put(shift(first, load ? 0 : store ? 1 : 2));
}

}  // namespace cuvette::counters
