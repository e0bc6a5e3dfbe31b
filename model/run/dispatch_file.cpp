// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/dispatch_file.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/yaml.h"
#include "run/image_argument.h"
#include "run/initial_values.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::Yaml;

constexpr uint64_t kMaxWorkgroup = 1024;  // MI100 ISA 4.3: 16 waves of 64
constexpr size_t kMaxEntries = 4096;      // of each list

/// Collects a DispatchFile; the first error ends it.
class Reader {
 public:
  Reader(const std::string& path, uint64_t max_buffer_bytes)
      : folder_(std::filesystem::path(path).parent_path().string()),
        max_buffer_bytes_(max_buffer_bytes) {
    file_.path = path;
  }

  Result<DispatchFile> read(const Yaml& root) {
    if (!root.is_map()) return root.error("expected a map with the keys code, grid, args ...");
    if (auto s = read_buffers(root); !s.ok()) return s.error();
    if (auto s = read_dispatches(root); !s.ok()) return s.error();
    if (auto s = read_expectations(root); !s.ok()) return s.error();
    if (auto s = read_dumps(root); !s.ok()) return s.error();
    if (auto flag = root.get("order_dependent")) {
      auto value = flag->boolean();
      if (!value) return value.error();
      file_.order_dependent = *value;
    }
    if (auto s = root.finish(); !s.ok()) return s.error();
    return std::move(file_);
  }

 private:
  std::string resolve(const std::string& path) const {
    const std::filesystem::path p(path);
    return p.is_absolute() ? path : (std::filesystem::path(folder_) / p).string();
  }

  std::string input(const std::string& path) { return file_.inputs.emplace_back(resolve(path)); }

  /// Lists are walked for each other (arguments look up buffers), so their lengths are bounded.
  static Status check_length(size_t length, const Yaml& place, const char* what) {
    if (length <= kMaxEntries) return {};
    return place.error(fmt::format("more than {} {}", kMaxEntries, what));
  }

  Status read_buffers(const Yaml& root) {
    auto buffers = root.get("buffers");
    if (!buffers) return {};
    if (!buffers->is_map()) return buffers->error("'buffers' must be a map of named buffers");
    for (const auto& name : buffers->keys()) {
      if (auto s = add_buffer(name, *buffers->get(name)); !s.ok()) return s;
    }
    return {};
  }

  Status add_buffer(const std::string& name, const Yaml& node) {
    Buffer buffer;
    buffer.name = name;
    buffer.where = node.location();
    if (file_.find_buffer(name) != nullptr) {
      return node.error(fmt::format("buffer '{}' is declared twice", name));
    }
    if (auto s = check_length(file_.buffers.size() + 1, node, "buffers"); !s.ok()) return s;
    auto type_node = node.need("type");
    if (!type_node) return type_node.error();
    auto type_name = type_node->text();
    if (!type_name) return type_name.error();
    auto type = element_from_name(*type_name);
    if (!type) {
      return type_node->error(fmt::format(
          "unknown type '{}', expected u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 or f64", *type_name));
    }
    buffer.type = *type;
    auto count_node = node.need("count");
    if (!count_node) return count_node.error();
    auto count = count_node->unsigned_in(1, max_buffer_bytes_ / size_of(*type));
    if (!count) return count.error();
    buffer.count = *count;
    buffer_bytes_ += *count * size_of(*type);
    if (buffer_bytes_ > max_buffer_bytes_) {
      return count_node->error(
          fmt::format("all buffers together have {} bytes, expected at most {}", buffer_bytes_,
                      max_buffer_bytes_));
    }
    auto init = node.get("init");
    if (auto memory_type = node.get("memory_type")) {
      auto text = memory_type->text();
      if (!text) return text.error();
      const auto grain = hsa::grain_from_name(*text);
      if (!grain) {
        return memory_type->error(fmt::format(
            "unknown memory type '{}', expected coarse_grained, fine_grained or uncached", *text));
      }
      buffer.grain = *grain;
    }
    if (auto s = node.finish(); !s.ok()) return s;
    auto bytes = initial_values(init ? &*init : nullptr, *type, *count,
                                [this](const std::string& p) { return input(p); });
    if (!bytes) return bytes.error();
    buffer.initial = std::move(*bytes);
    file_.buffers.push_back(std::move(buffer));
    return {};
  }

  Status read_dispatches(const Yaml& root) {
    auto list = root.get("dispatches");
    if (!list) {
      Dispatch dispatch;
      if (auto s = read_dispatch(root, nullptr, dispatch); !s.ok()) return s;
      file_.dispatches.push_back(std::move(dispatch));
      return {};
    }
    std::optional<Code> inherited;
    if (auto code = root.get("code")) {
      auto read = read_code(*code);
      if (!read) return read.error();
      inherited = *read;
    }
    if (auto externals = root.get("externals")) {
      if (!inherited) return externals->error("'externals' of all dispatches go with 'code'");
      if (auto s = read_externals(*externals, *inherited); !s.ok()) return s;
    }
    if (!list->is_sequence() || list->size() == 0) {
      return list->error("'dispatches' must be a list with at least one entry");
    }
    if (auto s = check_length(list->size(), *list, "dispatches"); !s.ok()) return s;
    for (size_t i = 0; i < list->size(); ++i) {
      Dispatch dispatch;
      const Yaml entry = list->at(i);
      if (!entry.is_map()) return entry.error("expected a map with kernel, grid, args ...");
      if (auto s = read_dispatch(entry, inherited ? &*inherited : nullptr, dispatch); !s.ok())
        return s;
      if (auto s = entry.finish(); !s.ok()) return s;
      if (!inherited) inherited = dispatch.code;
      file_.dispatches.push_back(std::move(dispatch));
    }
    return {};
  }

  Result<Code> read_code(const Yaml& node) {
    Code code;
    code.where = node.location();
    if (node.is_map()) {
      auto text_node = node.need("hsail");
      if (!text_node) return text_node.error();
      auto text = text_node->text();
      if (!text) return text.error();
      code.inline_hsail = *text;
      if (auto s = node.finish(); !s.ok()) return s.error();
      return code;
    }
    const size_t count = node.is_sequence() ? node.size() : 1;
    if (auto s = check_length(count, node, "files"); !s.ok()) return s.error();
    for (size_t i = 0; i < count; ++i) {
      const Yaml item = node.is_sequence() ? node.at(i) : node;
      auto text = item.text();
      if (!text) return text.error();
      const std::string path = input(*text);
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(path, ignored)) {
        return item.error(fmt::format("no such file '{}'", path));
      }
      code.files.push_back(path);
    }
    if (code.files.empty()) return node.error("expected at least one file");
    return code;
  }

  Status read_dispatch(const Yaml& node, const Code* inherited, Dispatch& out) {
    out.where = node.location();
    for (base::Location* place : {&out.grid_where, &out.workgroup_where, &out.group_bytes_where,
                                  &out.stack_bytes_where, &out.kernel_where}) {
      *place = out.where;
    }
    if (auto code = node.get("code")) {
      auto read = read_code(*code);
      if (!read) return read.error();
      out.code = std::move(*read);
    } else if (inherited != nullptr) {
      out.code = *inherited;
    } else {
      return node.error("key 'code' is missing");
    }
    if (auto kernel = node.get("kernel")) {
      auto text = kernel->text();
      if (!text) return text.error();
      out.kernel = *text;
      out.kernel_where = kernel->location();
    }
    if (auto s = read_shape(node, out); !s.ok()) return s;
    struct Size {
      const char* key;
      uint32_t* field;
      base::Location* place;
    };
    for (auto [key, field, place] :
         {Size{"group_bytes", &out.group_bytes, &out.group_bytes_where},
          Size{"stack_bytes", &out.stack_bytes, &out.stack_bytes_where}}) {
      if (auto value = node.get(key)) {
        auto number = value->unsigned_in(0, 0x7fffffff);
        if (!number) return number.error();
        *field = static_cast<uint32_t>(*number);
        *place = value->location();
      }
    }
    if (auto s = read_arguments(node, out); !s.ok()) return s;
    // Behind the arguments, which may declare the buffers.
    if (auto externals = node.get("externals")) return read_externals(*externals, out.code);
    return {};
  }

  /// Instead of those that the code may have inherited.
  Status read_externals(const Yaml& node, Code& code) const {
    code.externals.clear();
    if (!node.is_map()) return node.error("'externals' must be a map of variables to buffers");
    if (auto s = check_length(node.size(), node, "externals"); !s.ok()) return s;
    for (const auto& name : node.keys()) {
      const Yaml value = *node.get(name);
      if (name.size() < 2 || name.front() != '&') {
        return value.error(fmt::format("'{}' is no name of a variable such as '&x'", name));
      }
      External external;
      external.where = value.location();
      std::optional<Yaml> buffer_node = value;
      if (value.is_map()) {
        auto reference = value.need("ref");
        if (!reference) return reference.error();
        buffer_node = *reference;
      }
      auto text = buffer_node->text();
      if (!text) return text.error();
      const Buffer* buffer = file_.find_buffer(*text);
      if (buffer == nullptr) {
        return buffer_node->error(fmt::format("no buffer is named '{}'", *text));
      }
      external.buffer = *text;
      if (value.is_map()) {
        if (auto offset = value.get("offset")) {
          auto number = offset->unsigned_in(0, buffer->initial.size());
          if (!number) return number.error();
          external.offset = *number;
        }
        if (auto s = value.finish(); !s.ok()) return s;
      }
      code.externals[name] = std::move(external);
    }
    return {};
  }

  Status read_arguments(const Yaml& node, Dispatch& out) {
    auto args = node.get("args");
    if (!args) return {};
    if (!args->is_sequence()) return args->error("'args' must be a list");
    if (auto s = check_length(args->size(), *args, "arguments"); !s.ok()) return s;
    for (size_t i = 0; i < args->size(); ++i) {
      if (auto s = read_argument(args->at(i), out); !s.ok()) return s;
    }
    return {};
  }

  Status read_shape(const Yaml& node, Dispatch& out) {
    auto grid = node.need("grid");
    if (!grid) return grid.error();
    auto group = node.need("workgroup");
    if (!group) return group.error();
    for (const auto* list : {&*grid, &*group}) {
      if (!list->is_sequence() || list->size() < 1 || list->size() > 3)
        return list->error("expected a list of 1 to 3 sizes");
    }
    out.grid_where = grid->location();
    out.workgroup_where = group->location();
    uint64_t total = 1;
    for (size_t i = 0; i < grid->size(); ++i) {
      auto size = grid->at(i).unsigned_in(1, 0xffffffff);
      if (!size) return size.error();
      out.grid[i] = static_cast<uint32_t>(*size);
    }
    for (size_t i = 0; i < group->size(); ++i) {
      auto size = group->at(i).unsigned_in(1, kMaxWorkgroup);
      if (!size) return size.error();
      out.workgroup[i] = static_cast<uint16_t>(*size);
      total *= *size;
    }
    if (total > kMaxWorkgroup) {
      return group->error(
          fmt::format("work-group of {} work-items, expected at most {}", total, kMaxWorkgroup));
    }
    out.dimensions = static_cast<unsigned>(std::max(grid->size(), group->size()));
    return {};
  }

  Status read_argument(const Yaml& node, Dispatch& out) {
    if (!node.is_map() || node.size() == 0) {
      return node.error("expected an argument such as {u32: 4} or {ref: x}");
    }
    Argument arg;
    arg.where = node.location();
    // One key says what it is; beside `ref` there may be `offset`, in either order.
    const std::string key = node.get("ref") ? "ref" : node.keys().front();
    const Yaml value = *node.get(key);
    if (auto type = element_from_name(key)) {
      auto text = value.text();
      if (!text) return text.error();
      auto bits = parse_element(*type, *text);
      if (!bits) return value.error(bits.error().what);
      arg.type = *type;
      arg.value.resize(size_of(*type));
      store_element(*type, *bits, arg.value.data());
    } else if (key == "ref") {
      if (auto s = read_reference(node, value, arg); !s.ok()) return s;
    } else if (key == "buffer") {
      auto name = value.need("name");
      if (!name) return name.error();
      auto text = name->text();
      if (!text) return text.error();
      if (auto s = add_buffer(*text, value); !s.ok()) return s;
      arg.kind = Argument::Kind::Reference;
      arg.name = *text;
    } else if (key == "bytes") {
      auto text = value.text();
      if (!text) return text.error();
      auto bytes = parse_hex_bytes(*text);
      if (!bytes) return value.error(bytes.error().what);
      arg.value = std::move(*bytes);
    } else if (key == "local" || key == "group_offset") {
      auto amount = value.unsigned_in(0, 65536);
      if (!amount) return amount.error();
      arg.kind = key == "local" ? Argument::Kind::Local : Argument::Kind::GroupOffset;
      arg.amount = *amount;
    } else if (key == "signal" || key == "queue") {
      if (auto s = read_object(value, key, arg); !s.ok()) return s;
    } else if (key == "function") {
      auto text = value.text();
      if (!text) return text.error();
      if (text->size() < 2 || text->front() != '&') {
        return value.error("expected the name of an indirect function such as '&f'");
      }
      arg.kind = Argument::Kind::Function;
      arg.name = *text;
    } else if (key == "hidden") {
      return read_hidden(value, out);
    } else if (key == "image") {
      if (auto s = read_image(value, arg); !s.ok()) return s;
    } else if (key == "sampler") {
      arg.kind = Argument::Kind::Sampler;
      auto sampler = sampler_of(value);
      if (!sampler) return sampler.error();
      arg.sampler = *sampler;
    } else {
      return node.error(
          fmt::format("unknown argument '{}', expected a type such as u32, ref, buffer, bytes, "
                      "local, group_offset, signal, queue, function, hidden, image or sampler",
                      key));
    }
    if (auto s = node.finish(); !s.ok()) return s;
    out.arguments.push_back(std::move(arg));
    return {};
  }

  Status read_reference(const Yaml& node, const Yaml& value, Argument& arg) {
    auto text = value.text();
    if (!text) return text.error();
    arg.kind = Argument::Kind::Reference;
    arg.name = *text;
    const Buffer* buffer = file_.find_buffer(*text);
    if (buffer == nullptr) return value.error(fmt::format("no buffer is named '{}'", *text));
    if (auto offset = node.get("offset")) {
      auto number = offset->unsigned_in(0, buffer->initial.size());
      if (!number) return number.error();
      arg.offset = *number;
    }
    return {};
  }

  static Status read_object(const Yaml& value, const std::string& key, Argument& arg) {
    const bool signal = key == "signal";
    arg.kind = signal ? Argument::Kind::Signal : Argument::Kind::Queue;
    auto name = value.need("name");
    if (!name) return name.error();
    auto text = name->text();
    if (!text) return text.error();
    arg.name = *text;
    if (auto number = value.get(signal ? "value" : "size")) {
      if (signal) {
        auto v = number->signed_in(INT64_MIN, INT64_MAX);
        if (!v) return v.error();
        arg.signal_value = *v;
      } else {
        auto v = number->unsigned_in(1, 1u << 20);
        if (!v) return v.error();
        arg.amount = *v;
      }
    }
    return value.finish();
  }

  Status read_image(const Yaml& value, Argument& arg) {
    arg.kind = Argument::Kind::Image;
    auto data = value.need("data");
    if (!data) return data.error();
    auto name = data->text();
    if (!name) return name.error();
    arg.name = *name;
    const Buffer* buffer = file_.find_buffer(*name);
    if (buffer == nullptr) return data->error(fmt::format("no buffer is named '{}'", *name));
    auto image = image_of(value, buffer->initial.size(), arg.offset);
    if (!image) return image.error();
    arg.image = *image;
    return {};
  }

  static Status read_hidden(const Yaml& value, Dispatch& out) {
    if (!value.is_map()) return value.error("expected a map of hidden argument names to values");
    for (const auto& name : value.keys()) {
      auto number = value.get(name)->unsigned_in(0, UINT64_MAX);
      if (!number) return number.error();
      out.hidden[name] = *number;
    }
    return {};
  }

  Status read_expectations(const Yaml& root) {
    auto list = root.get("expect");
    if (!list) return {};
    if (!list->is_sequence()) return list->error("'expect' must be a list");
    if (auto s = check_length(list->size(), *list, "expectations"); !s.ok()) return s;
    for (size_t i = 0; i < list->size(); ++i) {
      if (auto s = read_expectation(list->at(i)); !s.ok()) return s;
    }
    return {};
  }

  Status read_expectation(const Yaml& node) {
    if (!node.is_map()) return node.error("expected a map such as {buffer: y, values: [1, 2]}");
    Expectation e;
    e.where = node.location();
    if (auto signal = node.get("signal")) {
      auto name = signal->text();
      if (!name) return name.error();
      if (!is_signal(*name)) return signal->error(fmt::format("no signal is named '{}'", *name));
      e.signal = *name;
      auto value = node.need("value");
      if (!value) return value.error();
      auto number = value->signed_in(INT64_MIN, INT64_MAX);
      if (!number) return number.error();
      e.signal_value = *number;
      if (auto s = node.finish(); !s.ok()) return s;
      file_.expectations.push_back(std::move(e));
      return {};
    }
    auto buffer_node = node.need("buffer");
    if (!buffer_node) return buffer_node.error();
    auto name = buffer_node->text();
    if (!name) return name.error();
    const Buffer* buffer = file_.find_buffer(*name);
    if (buffer == nullptr) return buffer_node->error(fmt::format("no buffer is named '{}'", *name));
    e.buffer = *name;
    if (auto s = read_expected_values(node, *buffer, e); !s.ok()) return s;
    if (auto s = read_tolerance(node, *buffer, e); !s.ok()) return s;
    if (auto s = node.finish(); !s.ok()) return s;
    file_.expectations.push_back(std::move(e));
    return {};
  }

  Status read_expected_values(const Yaml& node, const Buffer& buffer, Expectation& e) {
    const unsigned size = size_of(buffer.type);
    if (auto index = node.get("index")) {
      auto number = index->unsigned_in(0, buffer.count - 1);
      if (!number) return number.error();
      e.index = *number;
    }
    if (auto file = node.get("file")) {
      auto path = file->text();
      if (!path) return path.error();
      auto bytes = base::read_binary(input(*path));
      if (!bytes) return file->error(fmt::format("file '{}': {}", *path, bytes.error().what));
      e.bytes = std::move(*bytes);
      // All of the rest of the buffer: a short file would leave the end of it unchecked.
      const uint64_t count = buffer.count - e.index;
      if (e.bytes.size() != count * size) {
        return file->error(fmt::format(
            "file '{}' has {} bytes, expected {}, those of {} elements of {} from element {}",
            *path, e.bytes.size(), count * size, count, name_of(buffer.type), e.index));
      }
      return count_expected(e.bytes.size(), *file);
    }
    auto values = node.need("values");
    if (!values) return values.error();
    if (!values->is_sequence() || values->size() == 0) {
      return values->error("expected a list of values");
    }
    if (values->size() > buffer.count - e.index) {
      return values->error(fmt::format("{} values from element {} on, but the buffer has {}",
                                       values->size(), e.index, buffer.count));
    }
    if (auto s = count_expected(values->size() * size, *values); !s.ok()) return s;
    e.bytes.resize(values->size() * size);
    for (size_t i = 0; i < values->size(); ++i) {
      auto text = values->at(i).text();
      if (!text) return text.error();
      auto bits = parse_element(buffer.type, *text);
      if (!bits) return values->at(i).error(bits.error().what);
      store_element(buffer.type, *bits, &e.bytes[i * size]);
      e.exact_bits.push_back(written_as_bits(buffer.type, *text));
    }
    return {};
  }

  bool is_signal(const std::string& name) const {
    for (const auto& dispatch : file_.dispatches) {
      for (const auto& a : dispatch.arguments) {
        if (a.kind == Argument::Kind::Signal && a.name == name) return true;
      }
    }
    return false;
  }

  Status count_expected(uint64_t bytes, const Yaml& place) {
    expected_bytes_ += bytes;
    if (expected_bytes_ <= max_buffer_bytes_) return {};
    return place.error(
        fmt::format("all expected values together have {} bytes, expected at most {}",
                    expected_bytes_, max_buffer_bytes_));
  }

  static Status read_tolerance(const Yaml& node, const Buffer& buffer, Expectation& e) {
    using Tolerance = Expectation::Tolerance;
    for (auto [key, kind] :
         {std::pair{"ulp", Tolerance::Ulp}, std::pair{"abs", Tolerance::Absolute},
          std::pair{"rel", Tolerance::Relative}}) {
      auto value = node.get(key);
      if (!value) continue;
      if (e.tolerance != Tolerance::Exact) return value->error("only one of ulp, abs and rel");
      if (!is_float(buffer.type)) return value->error("a tolerance needs a float buffer");
      auto number = value->real();
      if (!number) return number.error();
      if (!(*number >= 0) || std::isinf(*number))
        return value->error("expected a finite number of at least 0");
      e.tolerance = kind;
      e.allowed = *number;
    }
    return {};
  }

  Status read_dumps(const Yaml& root) {
    auto dumps = root.get("dump");
    if (!dumps) return {};
    if (!dumps->is_map()) return dumps->error("'dump' must be a map of buffer names to files");
    for (const auto& name : dumps->keys()) {
      const Yaml node = *dumps->get(name);
      if (file_.find_buffer(name) == nullptr)
        return node.error(fmt::format("no buffer is named '{}'", name));
      auto path = node.text();
      if (!path) return path.error();
      file_.dumps[name] = resolve(*path);
    }
    return {};
  }

  DispatchFile file_;
  std::string folder_;
  uint64_t max_buffer_bytes_;
  uint64_t buffer_bytes_ = 0;
  uint64_t expected_bytes_ = 0;
};

}  // namespace

Result<DispatchFile> parse_dispatch_file(const std::string& text, const std::string& path,
                                         uint64_t max_buffer_bytes) {
  auto root = Yaml::parse(text, path);
  if (!root) return root.error();
  return Reader(path, max_buffer_bytes).read(*root);
}

Result<DispatchFile> load_dispatch_file(const std::string& path) {
  auto text = base::read_text(path);
  if (!text) return text.error();
  return parse_dispatch_file(*text, path);
}

}  // namespace cuvette::run
