// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/metadata.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuvette::hsa {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNoteBytes = size_t{64} << 20;
constexpr int kMaxDepth = 32;
constexpr size_t kMaxItems = 4'000'000;

/// First pass over untrusted bytes: bounds depth and number of items before anything is built,
/// because the library's reader recurses and stores as much as the input says.
class Bounds final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return count(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    position_ = position;
    return false;
  }

  size_t position() const { return position_; }
  bool exceeded() const { return exceeded_; }

 private:
  bool count() {
    exceeded_ |= ++items_ > kMaxItems;
    return !exceeded_;
  }
  bool enter() {
    exceeded_ |= ++depth_ > kMaxDepth;
    return count();
  }
  bool leave() {
    --depth_;
    return true;
  }

  size_t items_ = 0;
  int depth_ = 0;
  size_t position_ = 0;
  bool exceeded_ = false;
};

/// Typed access to one map of the note; the first failure is kept and everything after it is
/// skipped.
class Map {
 public:
  Map(const Json& map, std::string path, std::string* failure)
      : map_(map), path_(std::move(path)), failure_(failure) {
    if (!map_.is_object()) fail("", "a map");
  }

  void text(const char* key, std::string* out) const {
    if (const Json* v = find(key, Json::value_t::string, "a string"))
      *out = *v->get_ptr<const Json::string_t*>();
  }
  void number(const char* key, uint64_t* out) const {
    if (const Json* v = find(key, Json::value_t::number_unsigned, "an unsigned number")) {
      *out = v->get<uint64_t>();
    }
  }
  void boolean(const char* key, bool* out) const {
    if (const Json* v = find(key, Json::value_t::boolean, "true or false")) *out = v->get<bool>();
  }
  /// Null when absent or wrong.
  const Json* sequence(const char* key) const {
    return find(key, Json::value_t::array, "a sequence");
  }
  void numbers(const char* key, uint64_t* out, size_t count) const {
    const Json* v = sequence(key);
    if (v == nullptr) return;
    if (v->size() != count) return fail(key, fmt::format("{} numbers", count).c_str());
    for (size_t i = 0; i < count; ++i) {
      if (!(*v)[i].is_number_unsigned()) return fail(key, "unsigned numbers");
      out[i] = (*v)[i].get<uint64_t>();
    }
  }
  void fail(const char* key, const char* expected) const {
    if (failure_->empty())
      *failure_ = fmt::format("metadata {}{}: expected {}", path_, key, expected);
  }
  const std::string& path() const { return path_; }

 private:
  const Json* find(const char* key, Json::value_t type, const char* expected) const {
    if (!map_.is_object()) return nullptr;
    auto it = map_.find(key);
    if (it == map_.end()) return nullptr;
    if (it->type() == type) return &*it;
    fail(key, expected);
    return nullptr;
  }

  const Json& map_;
  std::string path_;
  std::string* failure_;
};

KernelArg read_arg(const Map& map) {
  KernelArg arg;
  map.text(".name", &arg.name);
  map.text(".type_name", &arg.type_name);
  map.text(".value_kind", &arg.kind_name);
  map.number(".offset", &arg.offset);
  map.number(".size", &arg.size);
  map.text(".address_space", &arg.address_space);
  map.text(".access", &arg.access);
  map.number(".pointee_align", &arg.pointee_align);
  map.boolean(".is_const", &arg.is_const);
  if (arg.kind_name.empty()) map.fail(".value_kind", "a string");
  arg.kind = arg_kind(arg.kind_name);
  return arg;
}

KernelMetadata read_kernel(const Map& map, std::string* failure) {
  KernelMetadata k;
  map.text(".name", &k.name);
  map.text(".symbol", &k.symbol);
  map.number(".group_segment_fixed_size", &k.group_bytes);
  map.number(".private_segment_fixed_size", &k.private_bytes);
  map.number(".kernarg_segment_size", &k.kernarg_bytes);
  map.number(".kernarg_segment_align", &k.kernarg_alignment);
  map.number(".wavefront_size", &k.wavefront_size);
  map.number(".sgpr_count", &k.sgpr_count);
  map.number(".vgpr_count", &k.vgpr_count);
  map.number(".agpr_count", &k.agpr_count);
  map.number(".max_flat_workgroup_size", &k.max_flat_workgroup_size);
  map.numbers(".reqd_workgroup_size", k.reqd_workgroup_size, 3);
  map.number(".uniform_work_group_size", &k.uniform_workgroup_size);
  map.boolean(".uses_dynamic_stack", &k.uses_dynamic_stack);
  if (k.symbol.empty()) map.fail(".symbol", "a string");
  if (const Json* args = map.sequence(".args")) {
    for (size_t i = 0; i < args->size() && failure->empty(); ++i) {
      k.args.push_back(
          read_arg(Map((*args)[i], fmt::format("{}.args[{}]", map.path(), i), failure)));
    }
  }
  return k;
}

}  // namespace

base::Result<Metadata> parse_metadata_msgpack(const uint8_t* data, size_t bytes,
                                              const std::string& file, uint64_t file_offset) {
  base::Error error;
  error.where.file = file;
  error.where.offset = file_offset;
  error.where.binary = true;
  if (bytes > kMaxNoteBytes) {
    error.what = "metadata larger than 64 MiB";
    return error;
  }
  Bounds bounds;
  if (!Json::sax_parse(data, data + bytes, &bounds, Json::input_format_t::msgpack)) {
    error.where.offset += bounds.position();
    error.what = bounds.exceeded() ? "metadata of more than 32 levels or 4 million items"
                                   : "metadata is no valid MessagePack";
    return error;
  }
  const Json root =
      Json::from_msgpack(data, data + bytes, /*strict=*/true, /*allow_exceptions=*/false);

  Metadata out;
  const Map map(root, "", &error.what);
  map.numbers("amdhsa.version", out.version, 2);
  map.text("amdhsa.target", &out.target);
  if (const Json* lines = map.sequence("amdhsa.printf")) {
    for (const Json& line : *lines) {
      if (!line.is_string()) {
        map.fail("amdhsa.printf", "strings");
        break;
      }
      out.printf.push_back(line.get<std::string>());
    }
  }
  if (const Json* kernels = map.sequence("amdhsa.kernels")) {
    for (size_t i = 0; i < kernels->size() && error.what.empty(); ++i) {
      const Map entry((*kernels)[i], fmt::format("amdhsa.kernels[{}]", i), &error.what);
      out.kernels.push_back(read_kernel(entry, &error.what));
    }
  }
  if (!error.what.empty()) return error;
  return out;
}

}  // namespace cuvette::hsa
