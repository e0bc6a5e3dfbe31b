// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "ip/tlm/interposer.h"

/// Recorders for TLM-2.0 sockets.
namespace cuvette::ip {

/// Transaction database in the text format of the SystemC Verification Library (SCV), written while
/// the simulation runs, which transaction viewers read. Each transaction is in the file when it has
/// ended.
class TransactionFile {
 public:
  /// Transactions that begin in [first, last] are kept. The file is opened at once.
  explicit TransactionFile(const std::string& path,
                           const sc_core::sc_time& first = sc_core::SC_ZERO_TIME,
                           const sc_core::sc_time& last = sc_core::sc_max_time());
  ~TransactionFile();
  TransactionFile(const TransactionFile&) = delete;
  TransactionFile& operator=(const TransactionFile&) = delete;

  /// Attribute of a transaction: a text, or a number when the text is empty.
  struct Attribute {
    const char* name;
    uint64_t number;
    std::string text;
  };
  uint64_t add_stream(const std::string& name, const std::string& kind);
  uint64_t add_generator(const std::string& name, uint64_t stream);
  /// A transaction of the generator. Texts have no quotation marks.
  void add(uint64_t generator, const sc_core::sc_time& begin, const sc_core::sc_time& end,
           const std::vector<Attribute>& attributes);
  bool wants(const sc_core::sc_time& begin) const { return first_ <= begin && begin <= last_; }

  bool is_open() const { return file_ != nullptr; }
  uint64_t transactions() const { return transactions_; }
  /// Empty, or why the file cannot be written. Nothing is added afterwards.
  std::string close();

 private:
  void write(const std::string& text);

  sc_core::sc_time first_, last_;
  std::FILE* file_ = nullptr;
  std::string failure_;
  uint64_t next_id_ = 1, transactions_ = 0;
};

/// Content of the records of a transaction recorder.
struct RecordingOptions {
  bool record = true;        ///< false: nothing, not even the stream
  bool dmi = true;           ///< false: refused, so that every access is a transaction
  unsigned data_bytes = 64;  ///< of a transaction's data, in the file
};

/// Recorder of transactions of the base protocol, for sockets of any width.
class TransactionRecording : public Interposer {
 public:
  using Options = RecordingOptions;
  /// Adds the transactions under way as they are, with `ended` 0. Call it before
  /// TransactionFile::close().
  void finish();
  /// Transactions that came through, also those that the file does not want.
  uint64_t blocking() const { return blocking_; }
  uint64_t non_blocking() const { return non_blocking_; }

 protected:
  /// `file` outlives the recorder. `stream`: its name there; empty: that of the module.
  TransactionRecording(const sc_core::sc_module_name& name, TransactionFile& file,
                       const Options& options = Options(), const std::string& stream = {});

 private:
  using Payload = tlm::tlm_generic_payload;
  /// A non-blocking transaction that has not ended.
  struct UnderWay {
    sc_core::sc_time begin;
    std::vector<TransactionFile::Attribute> attributes;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    bool answered = false;  ///< response and data are among the attributes
  };

  void b_transport(Payload& trans, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& trans) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  bool wants(const sc_core::sc_time& begin) const { return options_.record && file_.wants(begin); }
  std::vector<TransactionFile::Attribute> request_of(const Payload& trans) const;
  void add_response(const Payload& trans, std::vector<TransactionFile::Attribute>& to) const;
  std::string data_of(const Payload& trans) const;
  void see_phase(Payload& trans, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void end(const Payload& trans, const sc_core::sc_time& delay);
  void see_answer(Payload& trans, tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase,
                  const sc_core::sc_time& delay);

  TransactionFile& file_;
  Options options_;
  uint64_t generators_[3] = {};  // by tlm_command
  std::map<const Payload*, UnderWay> under_way_;
  uint64_t blocking_ = 0, non_blocking_ = 0;
};

/// Transaction recorder between an initiator and a target of the base protocol: passes everything
/// on. Takes no time. Bind initiator.bind(recorder.target) and recorder.initiator.bind(target).
template <unsigned Width>
using TransactionRecorderOf = InterposerOf<TransactionRecording, Width>;
using TransactionRecorder = TransactionRecorderOf<64>;

}  // namespace cuvette::ip
