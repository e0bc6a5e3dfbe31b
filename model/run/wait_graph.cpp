// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/wait_graph.h"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuvette::run {

using command_processor::QueueReport;
using compute_unit::WaveReport;
using Shape = WaitGraph::Shape;

namespace {

/// A string of DOT. Lines are centered; other control characters are shown as '?'.
std::string dot_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  }
  return out + '"';
}

const char* attributes(Shape shape) {
  switch (shape) {
    case Shape::Queue:
      return "shape=cds";
    case Shape::Packet:
      return "shape=note";
    case Shape::Wave:
      return "shape=box";
    case Shape::Barrier:
      return "shape=octagon";
    case Shape::Resource:
      break;
  }
  return "shape=ellipse";
}

/// What a wave waits for, without the counters behind it.
std::string reason_of(const WaveReport& wave) {
  return wave.waits_for.substr(0, wave.waits_for.find(" (vmcnt"));
}

class HangGraph {
 public:
  HangGraph(const std::string& title, const std::vector<QueueReport>& queues,
            const std::vector<std::vector<WaveReport>>& units)
      : graph_(title), queues_(queues), units_(units) {}

  WaitGraph make() {
    for (const QueueReport& queue : queues_) add(queue);
    for (size_t unit = 0; unit < units_.size(); ++unit) {
      for (const WaveReport& wave : units_[unit]) add(unit, wave);
    }
    return std::move(graph_);
  }

 private:
  void add(const QueueReport& queue) {
    const size_t node = graph_.node(fmt::format("queue {}", queue.queue), Shape::Queue,
                                    fmt::format("queue {}", queue.queue));
    for (const QueueReport::Poll& p : queue.polls) {
      const char* what = p.is_signal ? "signal" : p.is_register ? "register" : "value at";
      const std::string label = fmt::format("{} {:#x}\nwhich is {}", what, p.address, p.value);
      graph_.edge(node, graph_.node(label, Shape::Resource, label),
                  fmt::format("packet {}", queue.next_packet));
    }
    for (const QueueReport::Packet& p : queue.packets) {
      const std::string key = fmt::format("queue {} packet {}", queue.queue, p.index);
      const size_t packet = graph_.node(key, Shape::Packet, fmt::format("packet {}", p.index));
      graph_.edge(node, packet);
      if (p.dispatch != 0) packets_[p.dispatch] = packet;
      if (p.agent) graph_.edge(packet, graph_.node("host", Shape::Resource, "the host"));
    }
  }

  size_t node_of(size_t unit, const WaveReport& w) {
    return graph_.node(fmt::format("wave {:#x}", w.id), Shape::Wave,
                       fmt::format("wave {:#x}\ncompute unit {} simd {} slot {}\npc {:#x}\n{}",
                                   w.id, unit, w.simd, w.slot, w.pc, w.instruction));
  }

  void add(size_t unit, const WaveReport& w) {
    const size_t wave = node_of(unit, w);
    const auto packet = packets_.find(w.dispatch);
    if (packet != packets_.end()) graph_.edge(packet->second, wave);
    if (w.at_barrier) {
      graph_.edge(wave, barrier(unit, w.workgroup));
    } else {
      graph_.edge(wave, resource(unit, w));
    }
  }

  /// A barrier that waits for those of its work-group that are elsewhere.
  size_t barrier(size_t unit, uint32_t workgroup) {
    const std::string label =
        fmt::format("barrier of work-group {}\ncompute unit {}", workgroup, unit);
    const bool fresh = barriers_.emplace(unit, workgroup).second;
    const size_t node = graph_.node(label, Shape::Barrier, label);
    if (!fresh) return node;
    for (const WaveReport& other : units_[unit]) {
      if (other.workgroup != workgroup || other.at_barrier) continue;
      graph_.edge(node, node_of(unit, other), "not arrived");
    }
    return node;
  }

  /// Counters belong to the wave; the rest is of the compute unit.
  size_t resource(size_t unit, const WaveReport& w) {
    const std::string reason = reason_of(w);
    if (reason == compute_unit::text_of(compute_unit::Stall::Waitcnt) ||
        reason == compute_unit::text_of(compute_unit::Stall::FullCounter) || w.ending) {
      return graph_.node(
          fmt::format("counters of {:#x}", w.id), Shape::Resource,
          fmt::format("{}\nvmcnt {}, lgkmcnt {}, expcnt {}", reason, w.vm, w.lgkm, w.exp));
    }
    const std::string label = fmt::format("{}\ncompute unit {}", reason, unit);
    return graph_.node(label, Shape::Resource, label);
  }

  WaitGraph graph_;
  const std::vector<QueueReport>& queues_;
  const std::vector<std::vector<WaveReport>>& units_;
  std::map<uint32_t, size_t> packets_;  // by spi::Dispatch::id
  std::set<std::pair<size_t, uint32_t>> barriers_;
};

}  // namespace

size_t WaitGraph::node(const std::string& key, Shape shape, const std::string& label) {
  const auto [found, fresh] = by_key_.try_emplace(key, nodes_.size());
  if (fresh) nodes_.push_back({shape, label});
  return found->second;
}

void WaitGraph::edge(size_t from, size_t to, const std::string& label, double weight) {
  edges_.push_back({from, to, label, weight});
}

std::string WaitGraph::text() const {
  std::string out =
      fmt::format("digraph waits {{\n  label={};\n  rankdir=LR;\n", dot_string(title_));
  for (size_t n = 0; n < nodes_.size(); ++n) {
    out += fmt::format("  n{} [{}, label={}];\n", n, attributes(nodes_[n].shape),
                       dot_string(nodes_[n].label));
  }
  for (const Edge& e : edges_) {
    out += fmt::format("  n{} -> n{}", e.from, e.to);
    if (!e.label.empty()) {
      out += fmt::format(" [label={}, penwidth={:.2f}]", dot_string(e.label), 1 + 7 * e.weight);
    }
    out += ";\n";
  }
  return out + "}\n";
}

WaitGraph hang_graph(const std::string& title, const std::vector<QueueReport>& queues,
                     const std::vector<std::vector<WaveReport>>& units) {
  return HangGraph(title, queues, units).make();
}

}  // namespace cuvette::run
