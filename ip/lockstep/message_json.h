// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include "ip/common/recording_line.h"
#include "machine/contract.h"

/// Messages of contracts as JSON objects: a member per field on pins, arrays as lists, whole rows
/// of 64 lanes.
namespace cuvette::ip::recording {

/// Writer of the fields of a message.
class JsonFields {
 public:
  explicit JsonFields(Json& out) : out_(out) {}

  template <unsigned kWidth, class T>
  void value(const contract::Field& field, const T& x) {
    out_[field.name] = json_of<kWidth>(x);
  }
  template <unsigned kWidth, class T>
  void lanes(const contract::Field& field, const T& x) {
    value<kWidth>(field, x);
  }
  template <class T>
  void lane_mask(const contract::Field& field, const T& x) {
    value<64>(field, x);
  }
  void beat(const contract::Field&) {}
  template <class T>
  void message(const contract::Field& field, const T& x) {
    out_[field.name] = nested(x);
  }

 private:
  template <unsigned kWidth, class T>
  static Json json_of(const T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      const auto number = static_cast<uint64_t>(x);
      return kWidth <= 16 ? Json(number) : Json(hex(number));
    } else {
      Json list = Json::array();
      for (const auto& element : x) list.push_back(json_of<kWidth>(element));
      return list;
    }
  }
  template <class T>
  static Json nested(const T& x) {
    if constexpr (contract::IsMessage<T>::value) {
      Json object = Json::object();
      contract::Message<T>::visit(x, JsonFields(object));
      return object;
    } else {
      Json list = Json::array();
      for (const auto& element : x) list.push_back(nested(element));
      return list;
    }
  }

  Json& out_;
};

/// Reader of the fields of a message. Errors go to the line: a member that is missing, of another
/// kind, out of range or unknown, a list of another length.
class FieldsOfJson {
 public:
  FieldsOfJson(Line& line, const Json& object) : line_(line), object_(object) {}
  ~FieldsOfJson() {
    if (line_.ok() && object_.is_object() && object_.size() != taken_) line_.fail("unknown keys");
  }
  FieldsOfJson(const FieldsOfJson&) = delete;
  FieldsOfJson& operator=(const FieldsOfJson&) = delete;

  template <unsigned kWidth, class T>
  void value(const contract::Field& field, T& x) {
    if (const Json* json = get(field)) read<kWidth>(field, *json, x);
  }
  template <unsigned kWidth, class T>
  void lanes(const contract::Field& field, T& x) {
    value<kWidth>(field, x);
  }
  template <class T>
  void lane_mask(const contract::Field& field, T& x) {
    value<64>(field, x);
  }
  void beat(const contract::Field&) {}
  template <class T>
  void message(const contract::Field& field, T& x) {
    if (const Json* json = get(field)) nested(field, *json, x);
  }

 private:
  const Json* get(const contract::Field& field) {
    ++taken_;
    if (!line_.ok()) return nullptr;
    const auto found = object_.find(field.name);
    if (found != object_.end()) return &*found;
    line_.fail(std::string("key '") + field.name + "' is missing");
    return nullptr;
  }
  bool is_list(const contract::Field& field, const Json& json, size_t size) {
    if (json.is_array() && json.size() == size) return true;
    line_.fail(std::string("'") + field.name + "' must be a list of " + std::to_string(size));
    return false;
  }
  template <unsigned kWidth, class T>
  void read(const contract::Field& field, const Json& json, T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      constexpr uint64_t kMost = kWidth < 64 ? (uint64_t{1} << kWidth % 64) - 1 : ~uint64_t{0};
      x = static_cast<T>(line_.number_of(field.name, json, kMost));
    } else if (is_list(field, json, std::size(x))) {
      for (size_t n = 0; n < std::size(x); ++n) read<kWidth>(field, json[n], x[n]);
    }
  }
  template <class T>
  void nested(const contract::Field& field, const Json& json, T& x) {
    if constexpr (contract::IsMessage<T>::value) {
      if (!json.is_object()) return line_.fail(std::string("'") + field.name + "' must be a map");
      contract::Message<T>::visit(x, FieldsOfJson(line_, json));
    } else if (is_list(field, json, std::size(x))) {
      for (size_t n = 0; n < std::size(x); ++n) nested(field, json[n], x[n]);
    }
  }

  Line& line_;
  const Json& object_;
  size_t taken_ = 0;
};

template <class T>
Json message_json(const T& message) {
  Json object = Json::object();
  contract::Message<T>::visit(message, JsonFields(object));
  return object;
}
/// `json` must be an object; anything else is an error of the line.
template <class T>
void read_message(Line& line, const Json& json, T& message) {
  if (!json.is_object()) return line.fail("a message must be a map");
  contract::Message<T>::visit(message, FieldsOfJson(line, json));
}

}  // namespace cuvette::ip::recording
