// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lockstep/recorder.h"

#include <utility>

namespace cuvette::ip {

base::Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path,
                                                       machine::Cycle last) {
  std::unique_ptr<Recorder> recorder(new Recorder(path, last));
  recorder->file_.open(path);
  if (!recorder->file_) return base::Error("cannot write a recording", {path});
  return recorder;
}

unsigned Recorder::add(recording::Json head) {
  const auto number = static_cast<unsigned>(blocks_.size());
  head["object"] = number;
  blocks_.push_back({std::move(head), false});
  return number;
}

void Recorder::write(unsigned object, machine::Cycle at, const std::string& channel,
                     const char* key, recording::Json value) {
  if (at > last_) return;
  Block& block = blocks_[object];
  if (!std::exchange(block.written, true)) file_ << block.head.dump() << '\n';
  recording::Json line;
  line["object"] = object;
  line["at"] = at;
  line["channel"] = channel;
  line[key] = std::move(value);
  file_ << line.dump() << '\n';
  ++events_;
}

base::Status Recorder::finish() {
  file_.flush();
  if (file_) return {};
  return base::Error("the recording is not complete: writing failed", {path_});
}

}  // namespace cuvette::ip
