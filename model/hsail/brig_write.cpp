// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>

#include "hsail/brig.h"
#include "hsail/brig_elf.h"
#include "hsail/brig_layout.h"
#include "hsail/inst_table.h"

namespace cuvette::hsail {

namespace {

void put(std::string* out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) *out += static_cast<char>(value >> (8 * i));
}

/// HSAILasm counts the C structure with its padding as the header, and the name behind it.
std::string section_header(std::string_view name) {
  constexpr size_t kStructure = 24;
  const size_t bytes = (kStructure - 1 + name.size() + 3) / 4 * 4;
  std::string out;
  put(&out, 0, 8);  // byte_count, when it is known
  put(&out, bytes, 4);
  put(&out, name.size(), 4);
  out += name;
  out.resize(bytes);
  return out;
}

Type unsigned_of_size(unsigned bits) {
  switch (bits) {
    case 8:
      return Type::kU8;
    case 16:
      return Type::kU16;
    case 32:
      return Type::kU32;
    case 64:
      return Type::kU64;
    default:
      return Type::kU8x16;
  }
}

/// Writes code entries in order; their operands, strings and lists follow in the order in which a
/// one-pass assembler meets them, which is HSAILasm's.
class Writer {
 public:
  explicit Writer(const Module& module) : m_(module) {}

  base::Result<std::vector<uint8_t>> run(const Brig& extra) {
    const ModuleHeader* header = m_.header();
    if (header == nullptr) {
      return rule_error({Rule::kModuleHeader, "the module has no module directive"},
                        {.file = m_.file});
    }
    header_ = header;
    place_entries();
    for (CodeRef ref = 1; ref < m_.code.size() && !failed_; ++ref) write_entry(ref);
    for (std::string* section : {&data_, &code_, &operands_}) {
      if (section->size() > UINT32_MAX) fail(Rule::kLimit, {}, "a section of BRIG ends at 4 GiB");
    }
    if (failed_) return error_;
    return assemble(extra);
  }

 private:
  /// One structure of the code or operand section on its way out; 18.3.6 comes first.
  struct Io {
    Writer& w;
    std::string out;

    template <class T>
    void field(std::string_view, T& value) {
      put(&out, static_cast<uint64_t>(value), sizeof(T));
    }
    void bits(std::string_view, uint8_t& value, unsigned) { put(&out, value, 1); }
    template <class T>
    void again(std::string_view name, T& value) {
      field(name, value);
    }
    void wide(std::string_view, uint64_t& value) { put(&out, value, 8); }
    void type(std::string_view, Type& value, bool* array) {
      put(&out, number(value) | (array != nullptr && *array ? kTypeArray : 0u), 2);
    }
    void string(std::string_view, std::string& text) { put(&out, w.intern(text), 4); }
    void code(std::string_view, CodeRef& ref) { put(&out, w.code_offset(ref), 4); }
    void operand(std::string_view, OperandRef& ref) { put(&out, ref, 4); }
    void codes(std::string_view, std::vector<CodeRef>& refs) {
      std::vector<uint32_t> offsets;
      for (const CodeRef ref : refs) offsets.push_back(w.code_offset(ref));
      put(&out, w.list(offsets), 4);
      for (const CodeRef ref : refs) w.intern_label(ref);
    }
    void operands(std::string_view, std::vector<OperandRef>& refs) { put(&out, w.list(refs), 4); }
    void reserved(size_t bytes) { out.append(bytes, '\0'); }
  };

  void fail(Rule rule, Position at, const std::string& what) {
    if (failed_) return;
    failed_ = true;
    error_ = rule_error({rule, what}, {m_.file, at.line, at.column, at.offset});
  }

  static size_t entry_bytes(const CodeEntry& e) {
    return structure_bytes(e.kind) + (e.kind == Kind::kNone ? 4u * e.as<Marker>().pad_words : 0u);
  }

  void place_entries() {
    uint64_t at = code_.size();
    for (CodeRef ref = 1; ref < m_.code.size(); ++ref) {
      offsets_.push_back(static_cast<uint32_t>(at));
      at += entry_bytes(m_.code[ref]);
      if (at > UINT32_MAX)
        return fail(Rule::kLimit, m_.code[ref].at, "the code section of BRIG ends at 4 GiB");
    }
    offsets_.push_back(static_cast<uint32_t>(at));
  }

  uint32_t code_offset(CodeRef ref) const { return ref < offsets_.size() ? offsets_[ref] : 0; }

  /// Equal strings are written once.
  uint32_t intern(const std::string& text) {
    const auto found = strings_.find(text);
    if (found != strings_.end()) return found->second;
    const uint32_t at = append_data(text);
    strings_.emplace(text, at);
    return at;
  }

  uint32_t append_data(std::string_view bytes) {
    const auto at = static_cast<uint32_t>(data_.size());
    put(&data_, bytes.size(), 4);
    data_ += bytes;
    data_.resize((data_.size() + 3) / 4 * 4);
    return at;
  }

  uint32_t list(const std::vector<uint32_t>& offsets) {
    std::string bytes;
    for (const uint32_t offset : offsets) put(&bytes, offset, 4);
    return append_data(bytes);
  }

  /// A label's name stands where the label is first used.
  void intern_label(CodeRef ref) {
    if (ref < m_.code.size() && m_.code[ref].kind == Kind::kLabel) {
      intern(m_.code[ref].as<Label>().name);
    }
  }

  static void begin(Io* io, Kind kind) {
    put(&io->out, 0, 2);
    put(&io->out, static_cast<uint64_t>(kind), 2);
  }
  static void finish(Io* io) {
    io->out[0] = static_cast<char>(io->out.size());
    io->out[1] = static_cast<char>(io->out.size() >> 8);
  }

  void write_entry(CodeRef ref) {
    CodeEntry e = m_.code[ref];
    if (entry_bytes(e) > kBrigLargestEntry) {
      return fail(Rule::kPad, e.at, "'pad' takes at most 16382 words in BRIG");
    }
    Io io{*this, {}};
    begin(&io, e.kind);
    if (auto* inst = std::get_if<Inst>(&e.body)) {
      write_operands(inst);
    } else if (auto* control = std::get_if<Control>(&e.body)) {
      for (OperandRef& op : control->operands) op = write_operand(op, Type::kNone, false);
    } else if (auto* pragma = std::get_if<Pragma>(&e.body)) {
      for (OperandRef& op : pragma->operands) op = write_operand(op, Type::kNone, false);
    } else if (auto* v = std::get_if<Variable>(&e.body); v != nullptr && v->init != 0) {
      intern(v->name);
      v->init = write_operand(v->init, v->is_array ? Type::kNone : v->type, false);
    }
    visit_entry(io, e);
    if (e.kind == Kind::kNone) io.reserved(4 * e.as<Marker>().pad_words);
    finish(&io);
    code_ += io.out;
  }

  void write_operands(Inst* inst) {
    // A call names its function before its arguments.
    const bool call = inst->opcode == Opcode::kCall || inst->opcode == Opcode::kScall ||
                      inst->opcode == Opcode::kIcall;
    std::vector<OperandRef> written(inst->operands.size());
    const auto write = [&](size_t i) {
      const bool narrow = address_bytes(inst->segment, header_->machine_model) == 4;
      written[i] = write_operand(inst->operands[i], operand_type(*inst, i), narrow);
    };
    if (call && inst->operands.size() > 1) write(1);
    for (size_t i = 0; i < inst->operands.size(); ++i) {
      if (!call || i != 1) write(i);
    }
    inst->operands = written;
  }

  /// `expected`: the type of a constant at this place. `narrow`: addresses have 32 bits.
  uint32_t write_operand(OperandRef ref, Type expected, bool narrow) {
    Operand op = m_.operand(ref);
    switch (op.kind) {
      case Kind::kOperandAddress:
        if (op.reg != 0) op.reg = write_operand(op.reg, Type::kNone, false);
        if (narrow) op.offset &= UINT32_MAX;  // 18.6.2
        break;
      case Kind::kOperandCodeRef:
        intern_label(op.symbol);
        break;
      case Kind::kOperandConstantBytes:
        op.type = constant_type(op, expected);
        break;
      case Kind::kOperandConstantExpression:  // the displacement is u64 (18.6.7)
        for (OperandRef& element : op.elements) element = write_operand(element, Type::kU64, false);
        break;
      default:
        for (OperandRef& element : op.elements) element = write_operand(element, expected, narrow);
        break;
    }
    Io io{*this, {}};
    begin(&io, op.kind);
    visit_operand(io, op);
    finish(&io);
    const auto at = static_cast<uint32_t>(operands_.size());
    operands_ += io.out;
    return at;
  }

  /// In HSAIL 1:0, the version of HSAILasm, a constant has the integer type of its place; later
  /// versions keep the type it was written with (18.6.1).
  Type constant_type(const Operand& op, Type expected) const {
    if (header_->minor != 0 || op.is_array || type_bits(op.type) != type_bits(expected)) {
      return op.type;
    }
    if (is_bit(expected) && expected != Type::kB1) return unsigned_of_size(type_bits(expected));
    return is_integer(expected) && is_integer(op.type) ? expected : op.type;
  }

  std::vector<uint8_t> assemble(const Brig& extra) {
    const size_t count = kBrigStandardSections + extra.sections.size();
    std::string out(kBrigHeaderBytes, '\0');
    std::memcpy(out.data(), kBrigMagic.data(), kBrigMagic.size());
    std::memcpy(out.data() + kBrigHashAt, extra.hash.data(), extra.hash.size());
    set(&out, kBrigMajorAt, header_->major, 4);
    set(&out, kBrigMinorAt, header_->minor, 4);
    set(&out, kBrigSectionCountAt, count, 4);
    set(&out, kBrigSectionIndexAt, kBrigHeaderBytes, 8);
    out.resize(kBrigHeaderBytes + 8 * count);
    for (size_t i = 0; i < count; ++i) {
      align(&out);
      set(&out, kBrigHeaderBytes + 8 * i, out.size(), 8);
      if (i < kBrigStandardSections) {
        std::string& section = i == 0 ? data_ : i == 1 ? code_ : operands_;
        set(&section, kSectionByteCountAt, section.size(), 8);
        out += section;
      } else {
        const auto& bytes = extra.sections[i - kBrigStandardSections].bytes;
        out.append(bytes.begin(), bytes.end());
      }
    }
    align(&out);
    set(&out, kBrigByteCountAt, out.size(), 8);
    return {out.begin(), out.end()};
  }

  static void align(std::string* out) {
    out->resize((out->size() + kBrigAlignment - 1) / kBrigAlignment * kBrigAlignment);
  }
  static void set(std::string* out, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) (*out)[at + i] = static_cast<char>(value >> (8 * i));
  }

  const Module& m_;
  const ModuleHeader* header_ = nullptr;
  std::string data_ = section_header(kBrigSectionNames[0]);
  std::string code_ = section_header(kBrigSectionNames[1]);
  std::string operands_ = section_header(kBrigSectionNames[2]);
  std::vector<uint32_t> offsets_{0};  ///< of every code entry, then the end
  std::map<std::string, uint32_t> strings_;
  bool failed_ = false;
  base::Error error_;
};

}  // namespace

base::Result<std::vector<uint8_t>> write_brig(const Brig& brig, BrigContainer container) {
  auto raw = Writer(brig.module).run(brig);
  if (!raw || container == BrigContainer::kRaw) return raw;
  return wrap_elf(*raw, container == BrigContainer::kElf64);
}

base::Result<std::vector<uint8_t>> write_brig(const Module& module, BrigContainer container) {
  auto raw = Writer(module).run({});
  if (!raw || container == BrigContainer::kRaw) return raw;
  return wrap_elf(*raw, container == BrigContainer::kElf64);
}

}  // namespace cuvette::hsail
