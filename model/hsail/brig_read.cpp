// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "hsail/brig.h"
#include "hsail/brig_check.h"
#include "hsail/brig_elf.h"
#include "hsail/brig_layout.h"
#include "hsail/gcn_table.h"
#include "hsail/inst_table.h"
#include "hsail/matrix_table.h"
#include "hsail/mipmap_table.h"
#include "hsail/validator.h"
#include "hsail/vendor_instructions.h"

namespace cuvette::hsail {

namespace {

/// Strings, lists and operands may be shared in the file: what visits all of a module must not find
/// a huge one in a small file.
constexpr uint64_t kExpansion = 64;
constexpr uint64_t kExpansionFree = uint64_t{1} << 26;

uint64_t get(const uint8_t* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= uint64_t{p[i]} << (8 * i);
  return value;
}

/// Scalar and packed types (18.3.28).
bool is_type(unsigned value) {
  const unsigned base = value & kTypeBaseMask;
  const unsigned pack = (value & kTypePackMask) >> 5;
  if ((value & ~unsigned{kTypeBaseMask | kTypePackMask}) != 0) return false;
  if (pack == 0) return base <= number(Type::kSig64);
  if (base == 0 || base > number(Type::kF64)) return false;
  return type_bits(static_cast<Type>(base)) * 2 <= 16u << pack;
}

class Reader {
 public:
  Reader(const uint8_t* data, size_t size, const std::string& file)
      : data_(data), size_(size), file_(file) {}

  base::Result<Brig> run(std::vector<SectionExtent>* extents) {
    brig_.module.file = file_;
    if (!container() || !module_header()) return error_;
    for (const Section& s : sections_) {
      extents->push_back({std::string(s.name), base_ + s.at, base_ + s.at + s.size});
    }
    if (!scan() || !read_operands() || !check_operands() || !read_code()) {
      return error_;
    }
    const BrigFinding found = check_structure(brig_.module);
    if (found) return rule_error(found, {.file = file_, .offset = found.offset});
    return std::move(brig_);
  }

 private:
  struct Section {
    size_t at = 0;      ///< from the start of the BRIG module
    size_t size = 0;    ///< header included
    size_t header = 0;  ///< bytes of the header
    std::string_view name;
    std::vector<uint32_t> entries;  ///< their offsets, ascending
    /// By offset / 4: which entry starts there, counted from 1; 0: none.
    std::vector<uint32_t> starts;

    /// 0: no entry starts at that offset.
    uint32_t number_at(uint32_t offset) const {
      return offset % 4 == 0 && offset / 4 < starts.size() ? starts[offset / 4] : 0;
    }
    void add_entry(size_t offset) {
      starts.resize(size / 4);
      entries.push_back(static_cast<uint32_t>(offset));
      starts[offset / 4] = static_cast<uint32_t>(entries.size());
    }
  };

  /// The fields of one entry.
  struct Io {
    Reader& r;
    Kind kind;
    size_t at;  ///< from the start of the BRIG module
    bool good = true;
    bool vendor = false;  ///< of an instruction that is not supported: its fields are the vendor's

    uint64_t next(size_t bytes) {
      const uint64_t value = get(r.data_ + at, bytes);
      at += bytes;
      return value;
    }
    void bad(std::string_view name, uint64_t value, size_t bytes, const std::string& expected,
             Rule rule = Rule::kBrigField) {
      if (vendor) return;
      good = r.fail(rule, at - bytes,
                    std::string(structure_name(kind)) + ": " + std::string(name) + " " +
                        std::to_string(value) + " is not valid, expected " + expected);
    }
    template <class T>
    void field(std::string_view name, T& value) {
      const uint64_t v = next(sizeof(T));
      value = static_cast<T>(v);
      if constexpr (std::is_enum_v<T>) {
        if constexpr (std::is_same_v<T, Opcode>) {
          if (is_gcn(value) || is_mipmap(value) || is_matrix(value)) return;
          if (v >= kFirstVendorOpcode) return vendor_opcode(value);
        }
        if constexpr (std::is_same_v<T, Segment>) {
          if (value == Segment::kRegion) return;
        }
        if constexpr (std::is_same_v<T, ImageQuery>) {
          if (value == ImageQuery::kNumMipLevels) return;
        }
        if (v >= EnumEnd<T>::value) {
          bad(name, v, sizeof(T), "0 to " + std::to_string(EnumEnd<T>::value - 1));
        }
      }
    }
    void vendor_opcode(Opcode opcode) {
      const std::string named = unknown_extensions(r.brig_.module, "");
      vendor = true;
      good = r.fail(
          Rule::kBrigField, at - sizeof(Opcode),
          std::string(structure_name(kind)) + ": opcode " +
              std::to_string(static_cast<unsigned>(opcode)) +
              (named.empty() ? " is not valid, expected 0 to " + std::to_string(kOpcodeCount - 1) +
                                   " or one of an extension that the module names"
                             : " is not supported; the module names extension " + named));
    }
    void bits(std::string_view name, uint8_t& value, unsigned mask) {
      value = static_cast<uint8_t>(next(1));
      if ((value & ~mask) != 0) bad(name, value, 1, "flags of the mask " + std::to_string(mask));
    }
    template <class T>
    void again(std::string_view name, T& value) {
      const uint64_t v = next(sizeof(T));
      if (v != static_cast<uint64_t>(value))
        bad(name, v, sizeof(T), "the value of the field before");
    }
    void wide(std::string_view, uint64_t& value) { value = next(8); }
    void type(std::string_view name, Type& value, bool* array) {
      const auto v = static_cast<unsigned>(next(2));
      const unsigned element = array == nullptr ? v : v & ~unsigned{kTypeArray};
      if (array != nullptr) *array = (v & kTypeArray) != 0;
      const bool no_array = element == number(Type::kNone) || element == number(Type::kB1);
      if (!is_type(element) || (v != element && no_array)) return bad(name, v, 2, "a type");
      value = static_cast<Type>(element);
    }
    void string(std::string_view name, std::string& text) {
      const std::string_view bytes = data(name);
      text = bytes;
    }
    void code(std::string_view name, CodeRef& ref) {
      const auto offset = static_cast<uint32_t>(next(4));
      ref = 0;
      if (offset != 0 && !r.code_ref(offset, &ref))
        bad(name, offset, 4, "the offset of an entry of hsa_code", Rule::kBrigReference);
    }
    void operand(std::string_view name, OperandRef& ref) {
      const auto offset = static_cast<uint32_t>(next(4));
      ref = 0;
      if (offset != 0 && !r.operand_ref(offset, &ref)) {
        bad(name, offset, 4, "the offset of an entry of hsa_operand", Rule::kBrigReference);
      }
    }
    void codes(std::string_view name, std::vector<CodeRef>& refs) { list(name, &refs, true); }
    void operands(std::string_view name, std::vector<OperandRef>& refs) {
      list(name, &refs, false);
    }
    void reserved(size_t bytes) {
      const uint64_t v = next(bytes);
      if (v != 0) bad("reserved field", v, bytes, "0");
    }

    std::string_view data(std::string_view name) {
      const auto offset = static_cast<uint32_t>(next(4));
      const Section& section = r.sections_[0];
      if (section.number_at(offset) == 0) {
        bad(name, offset, 4, "the offset of an entry of hsa_data", Rule::kBrigReference);
        return {};
      }
      const uint8_t* p = r.data_ + section.at + offset;
      const uint64_t length = get(p, 4);
      if (!r.spend(length, at - 4)) {
        good = false;
        return {};
      }
      return {reinterpret_cast<const char*>(p) + 4, length};
    }
    void list(std::string_view name, std::vector<uint32_t>* refs, bool code) {
      const std::string_view bytes = data(name);
      if (bytes.size() % 4 != 0) return bad(name, bytes.size(), 4, "a list of 32-bit offsets");
      const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
      refs->clear();
      for (size_t i = 0; i < bytes.size() && good; i += 4) {
        const auto offset = static_cast<uint32_t>(get(p + i, 4));
        uint32_t ref = 0;
        if (!(code ? r.code_ref(offset, &ref) : r.operand_ref(offset, &ref))) {
          bad(name, offset, 4,
              code ? "offsets of entries of hsa_code" : "offsets of entries of hsa_operand",
              Rule::kBrigReference);
        }
        refs->push_back(ref);
      }
    }
  };

  bool fail(Rule rule, size_t offset, const std::string& what) {
    error_ = rule_error({rule, what}, {.file = file_, .offset = base_ + offset});
    return false;
  }

  bool spend(uint64_t bytes, size_t offset) {
    spent_ += bytes;
    if (spent_ <= kExpansion * size_ + kExpansionFree) return true;
    return fail(Rule::kLimit, offset,
                "shared strings and lists expand to more than the module may hold");
  }

  bool code_ref(uint32_t offset, CodeRef* ref) const {
    const Section& s = sections_[1];
    *ref = offset == s.size ? static_cast<CodeRef>(s.entries.size()) + 1  // the end of the section
                            : s.number_at(offset);
    return *ref != 0;
  }
  bool operand_ref(uint32_t offset, OperandRef* ref) const {
    *ref = sections_[2].number_at(offset);
    return *ref != 0;
  }

  bool container() {
    if (!is_elf(data_, size_)) return true;
    const auto span = find_brig_section(data_, size_, file_);
    if (!span) {
      error_ = span.error();
      return false;
    }
    base_ = span->offset;
    data_ += span->offset;
    size_ = span->size;
    return true;
  }

  bool module_header() {
    if (size_ < kBrigMagic.size() ||
        std::memcmp(data_, kBrigMagic.data(), kBrigMagic.size()) != 0) {
      return fail(Rule::kBrigHeader, 0, "not BRIG, expected the identification 'HSA BRIG'");
    }
    if (size_ < kBrigHeaderBytes) {
      return fail(Rule::kBrigHeader, size_, "the module header is cut off, expected 104 bytes");
    }
    const uint64_t major = get(data_ + kBrigMajorAt, 4);
    minor_ = get(data_ + kBrigMinorAt, 4);
    if (major != kHsailMajor || minor_ > kHsailMinorMax) {
      return fail(Rule::kVersion, kBrigMajorAt,
                  "BRIG version " + std::to_string(major) + ":" + std::to_string(minor_) +
                      " is not supported, expected 1:0, 1:1 or 1:2");
    }
    const uint64_t bytes = get(data_ + kBrigByteCountAt, 8);
    if (bytes > size_ || bytes < kBrigHeaderBytes || bytes % kBrigAlignment != 0) {
      return fail(Rule::kBrigHeader, kBrigByteCountAt,
                  "the module's byte_count " + std::to_string(bytes) +
                      " is not valid, the file has " + std::to_string(size_) +
                      " bytes, expected a multiple of 16");
    }
    if (bytes != size_) return fail(Rule::kBrigHeader, bytes, "bytes behind the end of the module");
    std::memcpy(brig_.hash.data(), data_ + kBrigHashAt, kBrigHashBytes);
    if (get(data_ + kBrigReservedAt, 4) != 0) {
      return fail(Rule::kBrigHeader, kBrigReservedAt,
                  "the reserved field of the module header is not 0");
    }
    const uint64_t count = get(data_ + kBrigSectionCountAt, 4);
    const uint64_t index = get(data_ + kBrigSectionIndexAt, 8);
    if (count < kBrigStandardSections) {
      return fail(Rule::kBrigHeader, kBrigSectionCountAt,
                  std::to_string(count) + " sections, expected at least 3");
    }
    if (index < kBrigHeaderBytes || index % 8 != 0 || index > size_ ||
        count > (size_ - index) / 8) {
      return fail(Rule::kBrigHeader, kBrigSectionIndexAt,
                  "the section index at " + std::to_string(index) +
                      " lies outside the module or is not a multiple of 8");
    }
    std::vector<std::pair<uint64_t, uint64_t>> used{{0, kBrigHeaderBytes},
                                                    {index, index + 8 * count}};
    for (size_t i = 0; i < count; ++i) {
      if (!section(i, static_cast<size_t>(index) + 8 * i)) return false;
      const Section& s = sections_.back();
      used.emplace_back(s.at, s.at + s.size);
      if (i < kBrigStandardSections) continue;
      brig_.sections.push_back({std::string(s.name), {data_ + s.at, data_ + s.at + s.size}});
    }
    std::sort(used.begin(), used.end());
    for (size_t i = 1; i < used.size(); ++i) {
      if (used[i].first < used[i - 1].second) {
        return fail(Rule::kBrigSection, used[i].first, "two parts of the module overlap here");
      }
    }
    used.emplace_back(size_, size_);
    for (size_t i = 1; i < used.size(); ++i) {
      for (uint64_t at = used[i - 1].second; at < used[i].first; ++at) {  // 18.2
        if (data_[at] != 0)
          return fail(Rule::kBrigField, at, "the padding between the parts of the module is not 0");
      }
    }
    return true;
  }

  bool section(size_t i, size_t entry_at) {
    const uint64_t at = get(data_ + entry_at, 8);
    if (at % kBrigAlignment != 0 || at < kBrigHeaderBytes || at > size_ ||
        size_ - at < kSectionNameAt) {
      return fail(Rule::kBrigSection, entry_at,
                  "section " + std::to_string(i) + " at " + std::to_string(at) +
                      " lies outside the module or is not a multiple of 16");
    }
    const uint8_t* p = data_ + at;
    const uint64_t bytes = get(p + kSectionByteCountAt, 8);
    const uint64_t header = get(p + kSectionHeaderBytesAt, 4);
    const uint64_t name = get(p + kSectionNameLengthAt, 4);
    std::string which = "section " + std::to_string(i);
    if (i < kBrigStandardSections) {
      which += " '" + std::string(kBrigSectionNames[i]) + "'";
    } else if (constexpr uint64_t kShown = 64;
               name <= std::min(kShown, size_ - at - kSectionNameAt)) {
      which += " '" + std::string(reinterpret_cast<const char*>(p) + kSectionNameAt, name) + "'";
    }
    // 18.3.25, of all sections, those of debuggers too.
    for (const auto& [field, offset, value] :
         {std::tuple("byte_count", kSectionByteCountAt, bytes),
          std::tuple("header_byte_count", kSectionHeaderBytesAt, header)}) {
      if (value % 4 == 0) continue;
      return fail(Rule::kBrigSection, at + offset,
                  which + ": " + field + " " + std::to_string(value) +
                      " is not valid, expected a multiple of 4");
    }
    if (bytes > size_ - at || header > bytes || header < kSectionNameAt ||
        name > header - kSectionNameAt) {
      return fail(Rule::kBrigSection, at,
                  "the header of section " + std::to_string(i) + " is not valid (" +
                      std::to_string(bytes) + " bytes, header " + std::to_string(header) +
                      ", name " + std::to_string(name) + ")");
    }
    const std::string_view text(reinterpret_cast<const char*>(p) + kSectionNameAt, name);
    if (i < kBrigStandardSections && text != kBrigSectionNames[i]) {
      return fail(Rule::kBrigSection, at + kSectionNameAt,
                  "section " + std::to_string(i) + " has a wrong name, expected '" +
                      std::string(kBrigSectionNames[i]) + "'");
    }
    if (i < kBrigStandardSections && bytes > UINT32_MAX)
      return fail(Rule::kLimit, at, "a standard section ends at 4 GiB");
    sections_.push_back({at, bytes, header, text, {}, {}});
    return true;
  }

  /// Finds the entries of the standard sections.
  bool scan() {
    Section& strings = sections_[0];
    for (size_t at = strings.header; at < strings.size;) {
      const uint64_t length = get(data_ + strings.at + at, 4);
      const uint64_t bytes = (7 + length) / 4 * 4;
      if (bytes > strings.size - at) {
        return fail(
            Rule::kBrigEntry, strings.at + at,
            "an hsa_data entry of " + std::to_string(length) + " bytes goes beyond its section");
      }
      for (uint64_t i = 4 + length; i < bytes; ++i) {
        if (data_[strings.at + at + i] != 0)
          return fail(Rule::kBrigField, strings.at + at + i, "the padding is not 0");
      }
      strings.add_entry(at);
      at += bytes;
    }
    return scan_entries(1) && scan_entries(2);
  }

  bool scan_entries(size_t i) {
    Section& s = sections_[i];
    for (size_t at = s.header; at < s.size;) {
      const uint8_t* p = data_ + s.at + at;
      const auto bytes = static_cast<size_t>(get(p, 2));
      const Kind kind = kind_at(i, static_cast<uint32_t>(at));
      if (bytes < kBrigBaseBytes || bytes % 4 != 0 || bytes > s.size - at) {
        return fail(Rule::kBrigEntry, s.at + at,
                    "byte_count " + std::to_string(bytes) +
                        " is not valid, expected a multiple of 4 inside the section");
      }
      const bool belongs = i == 2 ? is_operand(kind) : is_directive(kind) || is_instruction(kind);
      if (!belongs || structure_bytes(kind) == 0) {
        return fail(Rule::kBrigEntry, s.at + at + 2,
                    "kind " + std::to_string(static_cast<unsigned>(kind)) +
                        " is no kind of entry of " + std::string(kBrigSectionNames[i]));
      }
      if (bytes < structure_bytes(kind)) {
        return fail(Rule::kBrigEntry, s.at + at,
                    std::string(structure_name(kind)) + " has " + std::to_string(bytes) +
                        " bytes, expected at least " + std::to_string(structure_bytes(kind)));
      }
      s.add_entry(at);
      at += bytes;
    }
    return true;
  }

  Kind kind_at(size_t section, uint32_t offset) const {
    return static_cast<Kind>(get(data_ + sections_[section].at + offset + 2, 2));
  }

  /// The entries of hsa_operand as they stand: shared ones stay shared.
  bool read_operands() {
    std::vector<Operand>& operands = brig_.module.operands;
    operands.reserve(sections_[2].entries.size() + 1);
    for (const uint32_t offset : sections_[2].entries) {
      Operand op;
      op.kind = kind_at(2, offset);
      op.at.offset = base_ + sections_[2].at + offset;
      Io io{*this, op.kind, sections_[2].at + offset + kBrigBaseBytes};
      visit_operand(io, op);
      if (!io.good) return false;
      operands.push_back(std::move(op));
    }
    return true;
  }

  bool check_operands() {
    const std::vector<Operand>& operands = brig_.module.operands;
    for (const Operand& op : operands) {
      if (const Problem p = operand_problem(operands, op)) {
        return fail(p.rule, op.at.offset - base_, p.what);
      }
    }
    weights_.resize(operands.size());
    return true;
  }

  bool read_code() {
    Module& m = brig_.module;
    m.code.reserve(m.code.size() + sections_[1].entries.size());
    for (const uint32_t offset : sections_[1].entries) {
      const size_t at = sections_[1].at + offset;
      CodeEntry e;
      e.kind = kind_at(1, offset);
      e.at.offset = base_ + at;
      e.body = new_body(e.kind);
      Io io{*this, e.kind, at + kBrigBaseBytes};
      visit_entry(io, e);
      if (!io.good) return false;
      if (!finish(&e, at)) return false;
      m.code.push_back(std::move(e));
    }
    return true;
  }

  /// Completes an entry: operands of its own, words of a pad.
  bool finish(CodeEntry* e, size_t at) {
    const auto use_all = [&](const std::vector<OperandRef>& refs) {
      for (const OperandRef ref : refs) {
        if (!use(ref, at)) return false;
      }
      return true;
    };
    if (auto* marker = std::get_if<Marker>(&e->body)) {
      if (e->kind != Kind::kNone) return true;
      const size_t bytes = get(data_ + at, 2);
      marker->pad_words = static_cast<uint32_t>(bytes / 4 - 1);
      for (size_t i = kBrigBaseBytes; i < bytes; ++i) {
        if (data_[at + i] != 0) return fail(Rule::kBrigField, at + i, "the padding is not 0");
      }
      return true;
    }
    if (auto* control = std::get_if<Control>(&e->body)) return use_all(control->operands);
    if (auto* pragma = std::get_if<Pragma>(&e->body)) return use_all(pragma->operands);
    if (auto* v = std::get_if<Variable>(&e->body); v != nullptr && v->init != 0) {
      return use(v->init, at);
    }
    if (auto* header = std::get_if<ModuleHeader>(&e->body)) {
      if (header->major == kHsailMajor && header->minor <= kHsailMinorMax) {
        machine_model_ = header->machine_model;
        return true;
      }
      return fail(Rule::kVersion, at,
                  "HSAIL version " + std::to_string(header->major) + ":" +
                      std::to_string(header->minor) +
                      " is not supported, expected 1:0, 1:1 or 1:2");
    }
    auto* inst = std::get_if<Inst>(&e->body);
    if (inst == nullptr) return true;
    if (!use_all(inst->operands)) return false;
    // 18.7.1: default modifiers may stand in either form; the short one is ours.
    if (e->kind == Kind::kInstMod && inst->modifier == 0 && inst->pack == Pack::kNone &&
        inst->round <= Round::kFloatDefault) {
      const RowMatch match = match_row(*e);
      if (match.row != nullptr && wrong_mod_form(*match.row, *inst).empty()) {
        e->kind = Kind::kInstBasic;
        inst->round = Round::kNone;
      }
    }
    for (OperandRef& ref : inst->operands) {
      const Operand& op = brig_.module.operands[ref];
      if (op.kind != Kind::kOperandAddress || op.offset <= INT32_MAX ||
          address_bytes(inst->segment, machine_model_) != 4) {
        continue;
      }
      if (op.offset > UINT32_MAX) {
        return fail(Rule::kBrigField, op.at.offset - base_ + kOffsetHighAt,
                    "the high word of the offset of a 32-bit address in " +
                        std::string(kBrigSectionNames[2]) + " is not 0");
      }
      // 32-bit addresses have 32-bit offsets (18.6.2); in memory they are signed.
      Operand own = op;  // others may share the entry
      own.offset = static_cast<uint64_t>(int64_t{static_cast<int32_t>(op.offset)});
      ref = static_cast<OperandRef>(brig_.module.operands.size());
      brig_.module.operands.push_back(std::move(own));
    }
    return true;
  }

  /// Counts a reference to an operand as if it were not shared, for those who visit all of it.
  bool use(OperandRef ref, size_t user) { return spend(weight(ref), user); }

  /// Bytes of an operand and of all it refers to, without sharing. operand_problem bounds the
  /// depth.
  uint64_t weight(OperandRef ref) {
    if (weights_[ref] != 0) return weights_[ref];
    const Operand& op = brig_.module.operands[ref];
    uint64_t bytes = sizeof(Operand) + op.bytes.size() + 4 * (op.codes.size() + op.elements.size());
    if (op.reg != 0) bytes += weight(op.reg);
    constexpr uint64_t kEnough = uint64_t{1} << 48;  // above any limit, far from overflow
    for (const OperandRef element : op.elements) bytes = std::min(bytes + weight(element), kEnough);
    return weights_[ref] = bytes;
  }

  const uint8_t* data_;
  size_t size_;
  std::string file_;
  uint64_t base_ = 0;  ///< where the BRIG module starts in the file
  uint64_t minor_ = 0;
  uint64_t spent_ = 0;
  MachineModel machine_model_ = MachineModel::kLarge;
  std::vector<Section> sections_;
  std::vector<uint64_t> weights_;  ///< by operand; 0: not known yet
  Brig brig_;
  base::Error error_;
};

}  // namespace

bool is_brig(const uint8_t* data, size_t size) {
  if (is_elf(data, size)) return find_brig_section(data, size, "").ok();
  return size >= kBrigMagic.size() && std::memcmp(data, kBrigMagic.data(), kBrigMagic.size()) == 0;
}

base::Error in_section(const std::vector<SectionExtent>& sections, base::Error error) {
  const uint64_t at = error.where.offset;
  for (const SectionExtent& s : sections) {
    if (error.where.line != 0 || at < s.begin || at >= s.end) continue;
    char offset[24];
    std::snprintf(offset, sizeof offset, "+0x%llx)", static_cast<unsigned long long>(at - s.begin));
    error.what += " (" + s.name + offset;
    break;
  }
  return error;
}

base::Result<Brig> read_brig(const uint8_t* data, size_t size, const std::string& file) {
  std::vector<SectionExtent> sections;
  auto brig = Reader(data, size, file).run(&sections);
  if (!brig) return in_section(sections, brig.error());
  return brig;
}

Outcome parse_module(const uint8_t* data, size_t size, const std::string& file, Rules rules) {
  Outcome outcome;
  if (is_brig(data, size) || is_elf(data, size)) {
    auto brig = Reader(data, size, file).run(&outcome.sections);
    if (brig) {
      outcome.module = std::move(brig->module);
    } else {
      outcome.errors.push_back(brig.error());
    }
  } else {
    outcome = parse_text({reinterpret_cast<const char*>(data), size}, file);
  }
  if (outcome.ok() && rules == Rules::kMachine) outcome.errors = validate(outcome.module);
  if (outcome.ok() && rules == Rules::kLanguage) {
    Verdict verdict = check(outcome.module);
    outcome.errors = std::move(verdict.errors);
    for (base::Error& w : verdict.machine) outcome.warnings.push_back(std::move(w));
  }
  for (auto* const list : {&outcome.errors, &outcome.warnings})
    for (base::Error& error : *list) error = in_section(outcome.sections, std::move(error));
  return outcome;
}

}  // namespace cuvette::hsail
