// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/memory_traffic.h"

#include <algorithm>
#include <cstring>

#include "ip/traffic/request_draws.h"
#include "memory/serve.h"

namespace cuvette::ip::traffic {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;
using memory::Scope;

namespace {

bool has_address(MemOp op) {
  return op != MemOp::Invalidate && op != MemOp::Writeback;
}

}  // namespace

uint64_t MemoryMap::address(unsigned port, uint64_t offset) const {
  return base + (offset / interleave_bytes * ports + port) * interleave_bytes +
         offset % interleave_bytes;
}

uint64_t MemoryRequests::pick(unsigned port) {
  if (left_-- == 0) {
    left_ = 10 + below(60);
    pattern_ = below(4);
    hot_ = rng_() % (map_.bytes_of_port() / 64) * 64;
  }
  const uint64_t bytes = map_.bytes_of_port();
  uint64_t offset = rng_() % (bytes / 64) * 64;
  if (pattern_ == 0) {  // three rows of one bank
    offset = hot_ + below(3) * map_.row_stride() + below(2) * 64;
  } else if (pattern_ == 1) {  // one row, and another one of its bank now and then
    offset = hot_ / map_.row_bytes * map_.row_bytes + below(map_.row_bytes / 64) * 64 +
             (below(8) == 0 ? map_.row_stride() : 0);
  } else if (pattern_ == 2) {  // neighbours: rows of all banks
    offset = hot_ + below(16) * 64;
  }
  const uint64_t address = map_.address(port, offset % bytes);
  if (!outside_ || below(40) != 0) return address;
  const uint64_t beyond[] = {map_.bytes, 0 - map_.bytes, uint64_t{1} << 63, 0 - map_.base};
  return address + beyond[below(4)];
}

uint32_t MemoryRequests::word() {
  switch (below(4)) {
    case 0:
      return below(4);
    case 1:
      return below(2) << 31 | below(0x800000);  // zero and subnormal
    case 2:
      return below(2) << 31 | (120 + below(16)) << 23 | below(0x800000);
    default:
      return static_cast<uint32_t>(rng_());
  }
}

MemReq MemoryRequests::make(unsigned port) {
  MemReq r;
  r.id = next_id_++;
  r.cu = static_cast<uint16_t>(rng_());
  r.wave = static_cast<uint16_t>(below(40));
  r.sequence = ++sequence_;
  r.scope = static_cast<Scope>(below(4));
  r.mtype = static_cast<Mtype>(below(4));
  r.glc = below(2) != 0;
  r.slc = below(2) != 0;
  if (below(50) == 0) {
    r.op = below(2) != 0 ? MemOp::Invalidate : MemOp::Writeback;
    return r;
  }
  for (unsigned n = 0; n < 16; ++n) {
    const uint32_t value = word();
    std::memcpy(r.data.data() + 4 * n, &value, 4);
  }
  r.address = pick(port);
  const unsigned kind = below(100);
  if (kind >= 75) {
    draw_atomic(r, rng_);
    return r;
  }
  r.op = kind < 40 ? MemOp::Read : MemOp::Write;
  r.byte_mask = draw_bytes(rng_);
  return r;
}

MemReq MemoryRequests::fill(uint64_t address) {
  MemReq r;
  r.id = next_id_++;
  r.op = MemOp::Write;
  r.address = address;
  r.byte_mask = ~uint64_t{0};
  for (uint8_t& byte : r.data) byte = static_cast<uint8_t>(rng_());
  return r;
}

void MemoryOrder::asked(const MemReq& r) {
  open_[r.id] = r;
  if (has_address(r.op)) order_[r.address / 64].push_back(r.id);
}

void MemoryOrder::answered(const MemResp& r) {
  const auto fail = [&](const std::string& what) {
    if (wrong_.empty()) wrong_ = "answer " + std::to_string(r.id) + ": " + what;
  };
  const auto found = open_.find(r.id);
  if (found == open_.end()) return fail("nobody asked");
  const MemReq request = found->second;
  open_.erase(found);
  if (!memory::is_store(request.op)) {
    if (r.serial != 0) fail("a serial, and no store");
  } else if (r.serial == 0) {
    if (r.status != MemStatus::Fault) fail("a store without a serial");
  } else {
    if (!serials_.emplace(r.serial, r.id).second) fail("the serial of another store");
    uint64_t& last = last_[request.address / 64];
    if (r.serial <= last) fail("a serial that is not above the last one of its block");
    last = r.serial;
  }
  if (!has_address(request.op)) return;
  auto& order = order_[request.address / 64];
  if (order.front() != r.id) fail("before an older request of its block");
  order.erase(std::find(order.begin(), order.end(), r.id));
}

MemoryTraffic::MemoryTraffic(memory::Memory& memory, const MemoryMap& map, const Options& options)
    : memory_(memory),
      map_(map),
      options_(options),
      requests_(map, options.seed, options.outside),
      under_way_(map.ports),
      served_(map.ports) {}

void MemoryTraffic::send(unsigned port, const MemReq& r, Cycle now) {
  order_.asked(r);
  coverage_.asked(r);
  under_way_[port].push_back(r.id);
  memory_.port(port).request.push(r, now);
}

bool MemoryTraffic::step(Cycle now) {
  for (; filled_ < blocks(); ++filled_) {
    const uint64_t at = map_.base + filled_ * memory::kBlockBytes;
    send(map_.port_of(at), requests_.fill(at), now);
  }
  if (answers_ < blocks()) return true;
  if (quiet_ != 0) {
    --quiet_;
  } else if (requests_.below(200) == 0) {
    quiet_ = requests_.below(150);
  }
  for (unsigned p = 0; quiet_ == 0 && p < map_.ports && sent_ < options_.requests; ++p) {
    if (under_way_[p].size() < options_.under_way && requests_.below(3) != 0) {
      send(p, requests_.make(p), now);
      ++sent_;
    }
  }
  return answers_ < blocks() + options_.requests;
}

void MemoryTraffic::follow(Cycle now) {
  for (unsigned p = 0; p < map_.ports; ++p) {
    while (memory_.port(p).response.front(now + 1) != nullptr) {
      const MemResp r = memory_.port(p).response.pop(now + 1);
      order_.answered(r);
      coverage_.answered(r);
      auto& ids = under_way_[p];
      const auto at = std::find(ids.begin(), ids.end(), r.id);
      if (at != ids.begin()) ++overtaken_;
      if (at != ids.end()) ids.erase(at);
      ++answers_;
      ++served_[p];
      if (r.status == MemStatus::Fault) ++faults_;
    }
  }
}

Coverage MemoryTraffic::coverage() const {
  Coverage all = coverage_.points();
  all["answer before an older one of its port"] = overtaken_;
  return all;
}

}  // namespace cuvette::ip::traffic
