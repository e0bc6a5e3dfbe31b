// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_recording.h"

#include <utility>

#include "ip/common/recording_line.h"

namespace cuvette::ip {
namespace {

using recording::hex;
using recording::Json;
using recording::Line;

Json json_of(const VrfAccess& access) {
  Json lanes = Json::array();
  for (const uint32_t lane : access.data) lanes.push_back(hex(lane));
  Json line;
  line["access"] = access.write ? "write" : "read";
  line["port"] = access.port;
  line["at"] = access.at;
  line["acc"] = access.address.acc ? 1 : 0;
  line["row"] = access.address.row;
  line["lanes"] = hex(access.lanes);
  line["data"] = lanes;
  return line;
}

void read_access(Line& line, VrfAccess& access) {
  const std::string kind = line.text("access");
  if (kind != "read" && kind != "write") line.fail("'access' must be read or write");
  access.write = kind == "write";
  const unsigned ports = access.write ? vrf::kWritePorts : vrf::kReadPorts;
  access.port = static_cast<unsigned>(line.number("port", ports - 1));
  access.at = line.number("at", recording::kMostCycles);
  access.address.acc = line.number("acc", 1) != 0;
  access.address.row = static_cast<uint16_t>(line.number("row", 0xffff));
  access.lanes = line.number("lanes", ~uint64_t{0});
  const Json* data = line.get("data");
  if (data == nullptr) return;
  line.numbers_of("data", *data, access.data.data(), access.data.size(), 0xffffffff, true);
}

}  // namespace

std::string to_text(const VrfRecording& r) {
  std::string text = recording::head_json(r, "vrf").dump() + "\n";
  for (const VrfAccess& access : r.transactions) text += json_of(access).dump() + "\n";
  return text;
}

base::Result<VrfRecording> parse_vrf_recording(const std::string& text, const std::string& file) {
  return recording::parse<VrfRecording>(
      text, file, "vrf", "accesses", [](Line& line, VrfRecording& out) {
        VrfAccess access;
        read_access(line, access);
        if (line.ok() && !out.transactions.empty() && access.at < out.transactions.back().at) {
          line.fail("'at' is earlier than that of the access before");
        }
        out.transactions.push_back(access);
      });
}

}  // namespace cuvette::ip
