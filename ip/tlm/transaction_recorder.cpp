// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/tlm/transaction_recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cuvette::ip {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

TransactionFile::TransactionFile(const std::string& path, const sc_time& first, const sc_time& last)
    : first_(first), last_(last), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) failure_ = std::strerror(errno);
}

TransactionFile::~TransactionFile() {
  close();
}

void TransactionFile::write(const std::string& text) {
  if (file_ == nullptr || !failure_.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    failure_ = std::strerror(errno);
  }
}

uint64_t TransactionFile::add_stream(const std::string& name, const std::string& kind) {
  const uint64_t id = next_id_++;
  write("scv_tr_stream (ID " + std::to_string(id) + ", name \"" + name + "\", kind \"" + kind +
        "\")\n");
  return id;
}

uint64_t TransactionFile::add_generator(const std::string& name, uint64_t stream) {
  const uint64_t id = next_id_++;
  write("scv_tr_generator (ID " + std::to_string(id) + ", name \"" + name + "\", scv_tr_stream " +
        std::to_string(stream) + ",\n)\n");
  return id;
}

void TransactionFile::add(uint64_t generator, const sc_time& begin, const sc_time& end,
                          const std::vector<Attribute>& attributes) {
  if (!wants(begin)) return;
  const std::string id = std::to_string(++transactions_);
  const std::string place = id + " " + std::to_string(generator) + " ";
  std::string text = "tx_begin " + place + begin.to_string() + "\n";
  for (const Attribute& a : attributes) {
    text += "tx_record_attribute " + id + " \"" + a.name + "\" ";
    text +=
        a.text.empty() ? "UNSIGNED = " + std::to_string(a.number) : "STRING = \"" + a.text + "\"";
    text += "\n";
  }
  write(text + "tx_end " + place + end.to_string() + "\n");
}

std::string TransactionFile::close() {
  if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && failure_.empty()) {
    failure_ = std::strerror(errno);
  }
  return failure_;
}

TransactionRecording::TransactionRecording(const sc_core::sc_module_name& name,
                                           TransactionFile& file, const Options& options,
                                           const std::string& stream)
    : Interposer(name), file_(file), options_(options) {
  if (!options_.record) return;
  const uint64_t id =
      file_.add_stream(stream.empty() ? std::string(this->name()) : stream, "[TLM][base-protocol]");
  generators_[tlm::TLM_READ_COMMAND] = file_.add_generator("read", id);
  generators_[tlm::TLM_WRITE_COMMAND] = file_.add_generator("write", id);
  generators_[tlm::TLM_IGNORE_COMMAND] = file_.add_generator("ignore", id);
}

std::string TransactionRecording::data_of(const Payload& trans) const {
  static const char kDigits[] = "0123456789abcdef";
  const unsigned count = std::min(trans.get_data_length(), options_.data_bytes);
  if (trans.get_data_ptr() == nullptr) return {};
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned char byte = trans.get_data_ptr()[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<TransactionFile::Attribute> TransactionRecording::request_of(
    const Payload& trans) const {
  std::vector<TransactionFile::Attribute> attributes = {{"address", trans.get_address(), {}},
                                                        {"length", trans.get_data_length(), {}}};
  if (trans.get_streaming_width() < trans.get_data_length()) {
    attributes.push_back({"streaming_width", trans.get_streaming_width(), {}});
  }
  if (trans.get_byte_enable_ptr() != nullptr && trans.get_byte_enable_length() != 0) {
    uint64_t enabled = 0;
    for (unsigned i = 0; i < trans.get_data_length(); ++i) {
      enabled += trans.get_byte_enable_ptr()[i % trans.get_byte_enable_length()] != 0 ? 1 : 0;
    }
    attributes.push_back({"enabled_bytes", enabled, {}});
  }
  if (std::string data = data_of(trans); trans.is_write() && !data.empty()) {
    attributes.push_back({"data", 0, std::move(data)});
  }
  return attributes;
}

void TransactionRecording::add_response(const Payload& trans,
                                        std::vector<TransactionFile::Attribute>& to) const {
  if (std::string data = data_of(trans); trans.is_read() && !data.empty()) {
    to.push_back({"data", 0, std::move(data)});
  }
  to.push_back({"response", 0, trans.get_response_string()});
}

void TransactionRecording::b_transport(Payload& trans, sc_time& delay) {
  ++blocking_;
  const sc_time begin = sc_time_stamp() + delay;
  const bool wanted = wants(begin);
  std::vector<TransactionFile::Attribute> attributes;
  if (wanted) attributes = request_of(trans);
  const tlm::tlm_command command = trans.get_command();
  forward().b_transport(trans, delay);
  if (!options_.dmi) trans.set_dmi_allowed(false);
  if (!wanted) return;
  add_response(trans, attributes);
  file_.add(generators_[command], begin, sc_time_stamp() + delay, attributes);
}

void TransactionRecording::see_phase(Payload& trans, const tlm::tlm_phase& phase,
                                     const sc_time& delay) {
  const sc_time time = sc_time_stamp() + delay;
  if (phase == tlm::BEGIN_REQ) {
    ++non_blocking_;
    if (wants(time)) {
      under_way_[&trans] = {time, request_of(trans), trans.get_command(), false};
    }
    return;
  }
  const auto found = under_way_.find(&trans);
  if (found == under_way_.end()) return;
  UnderWay& u = found->second;
  if (phase == tlm::END_REQ) u.attributes.push_back({"end_req", 0, time.to_string()});
  if (phase == tlm::BEGIN_RESP) {
    u.attributes.push_back({"begin_resp", 0, time.to_string()});
    add_response(trans, u.attributes);
    u.answered = true;
  }
  if (phase == tlm::END_RESP) end(trans, delay);
}

void TransactionRecording::end(const Payload& trans, const sc_time& delay) {
  const auto found = under_way_.find(&trans);
  if (found == under_way_.end()) return;
  UnderWay& u = found->second;
  if (!u.answered) add_response(trans, u.attributes);
  file_.add(generators_[u.command], u.begin, sc_time_stamp() + delay, u.attributes);
  under_way_.erase(found);
}

void TransactionRecording::see_answer(Payload& trans, tlm::tlm_sync_enum answer,
                                      const tlm::tlm_phase& phase, const sc_time& delay) {
  if (answer == tlm::TLM_UPDATED) see_phase(trans, phase, delay);
  if (answer == tlm::TLM_COMPLETED) end(trans, delay);
}

tlm::tlm_sync_enum TransactionRecording::nb_transport_fw(Payload& trans, tlm::tlm_phase& phase,
                                                         sc_time& delay) {
  see_phase(trans, phase, delay);
  const tlm::tlm_sync_enum answer = forward().nb_transport_fw(trans, phase, delay);
  if (!options_.dmi) trans.set_dmi_allowed(false);
  see_answer(trans, answer, phase, delay);
  return answer;
}

tlm::tlm_sync_enum TransactionRecording::nb_transport_bw(Payload& trans, tlm::tlm_phase& phase,
                                                         sc_time& delay) {
  if (!options_.dmi) trans.set_dmi_allowed(false);
  see_phase(trans, phase, delay);
  const tlm::tlm_sync_enum answer = backward().nb_transport_bw(trans, phase, delay);
  see_answer(trans, answer, phase, delay);
  return answer;
}

bool TransactionRecording::get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) {
  if (options_.dmi) return forward().get_direct_mem_ptr(trans, dmi);
  dmi.init();  // no address is direct
  return false;
}

unsigned TransactionRecording::transport_dbg(Payload& trans) {
  return forward().transport_dbg(trans);
}

void TransactionRecording::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  backward().invalidate_direct_mem_ptr(first, last);
}

void TransactionRecording::finish() {
  for (auto& [trans, u] : std::exchange(under_way_, {})) {
    u.attributes.push_back({"ended", 0, {}});
    file_.add(generators_[u.command], u.begin, std::max(u.begin, sc_time_stamp()), u.attributes);
  }
}

}  // namespace cuvette::ip
