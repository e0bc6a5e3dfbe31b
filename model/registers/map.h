// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The register map as a table, made from config/registers.yaml. registers/gfx9.h, which is
/// generated, names every register and field.
namespace cuvette::registers {

/// A field of a 32-bit register.
struct Field {
  uint8_t low = 0;
  uint8_t width = 32;

  constexpr uint32_t mask() const { return (width == 32 ? ~0u : (1u << width) - 1u) << low; }
  constexpr uint32_t get(uint32_t word) const { return (word & mask()) >> low; }
  /// `word` with this field holding the low bits of `value`.
  constexpr uint32_t set(uint32_t word, uint32_t value) const {
    return (word & ~mask()) | ((value << low) & mask());
  }
  /// `value` in its place, everything else 0.
  constexpr uint32_t of(uint32_t value) const { return set(0, value); }
};

/// Effect of a write from outside on a field.
enum class Policy : uint8_t {
  ReadWrite,
  ReadOnly,
  WriteOneToClear,
  Pulse,  ///< reads 0; writing 1 does something
};

/// Instances of a register.
enum class Bank : uint8_t {
  None,         ///< once
  Queue,        ///< per micro engine, pipe and queue (GRBM_GFX_CNTL)
  Pipe,         ///< per micro engine and pipe (GRBM_GFX_CNTL)
  Vmid,         ///< per VMID (GRBM_GFX_CNTL)
  ShaderArray,  ///< per shader engine and array (GRBM_GFX_INDEX)
};

/// Use of a register in the model.
enum class Effect : uint8_t {
  Acts,     ///< a write changes what the model does
  Status,   ///< the model writes it
  Checked,  ///< written values must be the model's own; all others are reported
  Stored,   ///< keeps what is written; the model does not look at it
};

struct FieldInfo {
  const char* name;
  Field bits;
  Policy policy;
};

struct RegisterInfo {
  const char* name;
  const char* block;   ///< block of config/registers.yaml
  const char* source;  ///< header family of the public description, or "invented"
  uint32_t offset;     ///< bytes from the start of the aperture
  uint32_t reset;
  uint32_t writable, write_one_to_clear, pulse;  ///< bits by policy; the others ignore writes
  bool read_only;                                ///< a write is an error
  Bank bank;
  Effect effect;
  const FieldInfo* fields;
  unsigned field_count;
};

struct Table {
  const RegisterInfo* registers;  ///< by ascending offset; the place is the number of the Reg
  size_t count;
  const uint32_t* holes;  ///< ascending offsets that take writes and read 0
  size_t hole_count;
};
Table table();

enum class Reg : uint16_t;
const RegisterInfo& info(Reg reg);
/// Null when no register starts at this offset.
const RegisterInfo* find(uint32_t offset);
const RegisterInfo* find(const char* name);
bool is_hole(uint32_t offset);
Reg number(const RegisterInfo& info);

}  // namespace cuvette::registers
