// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"

namespace cuvette::run {

/// Directed graph of who waits for whom, as text of Graphviz' language DOT.
class WaitGraph {
 public:
  /// Kind of a node.
  enum class Shape { Queue, Packet, Wave, Barrier, Resource };

  explicit WaitGraph(std::string title) : title_(std::move(title)) {}

  /// The node of that key, made when there is none yet. A label may have several lines.
  size_t node(const std::string& key, Shape shape, const std::string& label);
  /// `from` waits for `to`. `weight`: the share of all that it stands for, 0 to 1.
  void edge(size_t from, size_t to, const std::string& label = {}, double weight = 0);
  /// The graph in DOT.
  std::string text() const;

 private:
  struct Node {
    Shape shape = Shape::Wave;
    std::string label;
  };
  struct Edge {
    size_t from = 0, to = 0;
    std::string label;
    double weight = 0;
  };
  std::string title_;
  std::map<std::string, size_t> by_key_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

/// Queues, their packets, the waves of these and what they wait for, at one instant. A barrier
/// waits for the waves of its work-group that have not come to it.
WaitGraph hang_graph(const std::string& title,
                     const std::vector<command_processor::QueueReport>& queues,
                     const std::vector<std::vector<compute_unit::WaveReport>>& units);

}  // namespace cuvette::run
