// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/event_decoder.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "run/trace/perfetto_fields.h"

namespace cuvette::run {

using protozero::data_view;
using protozero::pbf_reader;

namespace {

using NoMeaning = DecodedEvent::NoMeaning;

NoMeaning meaning_of(std::string_view /*text*/, NoMeaning /*other*/) {
  return {};
}

template <class Meaning, size_t kCount>
Meaning find(const std::pair<std::string_view, Meaning> (&table)[kCount], std::string_view text,
             Meaning other) {
  for (const auto& [name, meaning] : table) {
    if (name == text) return meaning;
  }
  return other;
}

EventCategory meaning_of(std::string_view text, EventCategory other) {
  using enum EventCategory;
  static constexpr std::pair<std::string_view, EventCategory> kCategories[] = {
      {"dispatch", Dispatch}, {"residency", Wave}, {"memory", Memory}, {"request", Request},
      {"fetch", Fetch},       {"hit", Hit},        {"miss", Miss},     {"run", Run}};
  return find(kCategories, text, other);
}

EventArgument meaning_of(std::string_view text, EventArgument other) {
  using enum EventArgument;
  static constexpr std::pair<std::string_view, EventArgument> kArguments[] = {
      {"wave", Wave}, {"dispatch", Dispatch}, {"workgroup", Workgroup}, {"pc", Pc}};
  return find(kArguments, text, other);
}

template <class Meaning>
void add(InternedNames<Meaning>& names, data_view entry, Meaning other) {
  namespace tags = perfetto::interned_string;
  const NamedNumber named(entry, tags::kIid, tags::kName);
  const auto [at, fresh] = names.by_text.try_emplace(named.name);
  if (fresh) {
    static_cast<void>(nlohmann::json(named.name).dump());  // throws where it is no UTF-8
    at->second = {named.name, meaning_of(named.name, other)};
  }
  names.by_number[named.number] = &at->second;
}

template <class Meaning>
const typename InternedNames<Meaning>::Name& at(const InternedNames<Meaning>& names,
                                                uint64_t number) {
  const auto found = names.by_number.find(number);
  if (found == names.by_number.end()) throw BadTrace(fmt::format("no interned name {}", number));
  return *found->second;
}

}  // namespace

void EventDecoder::intern(data_view data) {
  namespace tags = perfetto::interned_data;
  pbf_reader entries(data);
  while (entries.next()) {
    switch (entries.tag()) {
      case tags::kEventNames:
        add(names_, bytes_of(entries), NoMeaning());
        break;
      case tags::kEventCategories:
        add(categories_, bytes_of(entries), EventCategory::Other);
        break;
      case tags::kDebugAnnotationNames:
        add(arguments_, bytes_of(entries), EventArgument::Other);
        break;
      default:
        throw BadTrace(fmt::format("interned names of field {}", entries.tag()));
    }
  }
}

const DecodedEvent& EventDecoder::decode(data_view data) {
  namespace tags = perfetto::track_event;
  event_.type = event_.track = 0;
  event_.name = nullptr;
  event_.category = nullptr;
  event_.arguments.clear();
  pbf_reader fields(data);
  while (fields.next()) {
    switch (fields.tag()) {
      case tags::kType:
        event_.type = number_of(fields);
        break;
      case tags::kTrackUuid:
        event_.track = number_of(fields);
        break;
      case tags::kNameIid:
        event_.name = &at(names_, number_of(fields)).text;
        break;
      case tags::kCategoryIids:
        event_.category = &at(categories_, number_of(fields));
        break;
      case tags::kDebugAnnotations:
        argument(bytes_of(fields));
        break;
      default:
        fields.skip();
    }
  }
  return event_;
}

void EventDecoder::argument(data_view annotation) {
  pbf_reader fields(annotation);
  const DecodedEvent::Argument* name = nullptr;
  std::optional<DecodedEvent::Value> value;
  while (fields.next()) {
    if (fields.tag() == perfetto::debug_annotation::kNameIid) {
      name = &at(arguments_, number_of(fields));
    } else if (fields.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
      value = fields.get_view();
    } else {
      value = number_of(fields);
    }
  }
  if (name == nullptr || !value) throw BadTrace("an argument without a name or a value");
  event_.arguments.emplace_back(name, *value);
}

}  // namespace cuvette::run
