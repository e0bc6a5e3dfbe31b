// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/lane_flow.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>

#include "hsail/control_flow.h"

namespace cuvette::finalizer {

namespace {

using Index = uint32_t;

bool has(const std::vector<Index>& all, Index one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Nodes that can be reached from the first one without `without`.
std::set<Index> reached(const std::vector<Index>& nodes,
                        const std::vector<std::vector<Index>>& successors, Index without) {
  std::vector<Index> found{nodes.front()};
  if (nodes.front() == without) found.clear();
  for (size_t i = 0; i < found.size(); ++i)
    for (const Index s : successors[found[i]])
      if (s != without && has(nodes, s) && !has(found, s)) found.push_back(s);
  return {found.begin(), found.end()};
}

}  // namespace

LaneFlow::LaneFlow(llvm::BasicBlock& start,
                   const std::function<bool(const llvm::BasicBlock&)>& uses_lanes) {
  std::vector<llvm::BasicBlock*> blocks{&start};
  std::set<llvm::BasicBlock*> seen{&start};
  for (size_t i = 0; i < blocks.size(); ++i) {
    llvm::BasicBlock* block = blocks[i];
    Node node{block, {block}, {}, uses_lanes(*block), false};
    std::set<llvm::BasicBlock*> targets;
    for (llvm::BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) blocks.push_back(next);
      if (targets.insert(next).second) node.exits.push_back({block, next});
    }
    if (targets.empty()) node.exits.push_back({block, nullptr});
    nodes_.push_back(std::move(node));
  }
}

LaneFlow::Graph LaneFlow::graph() const {
  const auto end = static_cast<Index>(nodes_.size());
  std::map<const llvm::BasicBlock*, Index> numbers{{nullptr, end}};
  for (Index i = 0; i < end; ++i) numbers[nodes_[i].entry] = i;
  Graph g;
  g.successors.resize(end);
  g.predecessors.resize(end + 1);
  for (Index i = 0; i < end; ++i) {
    for (const Edge& e : nodes_[i].exits) {
      const Index to = numbers.at(e.to);
      if (has(g.successors[i], to)) continue;
      g.successors[i].push_back(to);
      g.predecessors[to].push_back(i);
    }
  }
  g.meets = hsail::immediate_post_dominators(g.successors);
  return g;
}

bool LaneFlow::reduce() {
  while (join_once()) {
  }
  return nodes_.size() == 1 && nodes_.front().exits.front().to == nullptr;
}

bool LaneFlow::join_once() {
  const Graph g = graph();
  for (Index a = 0; a < nodes_.size(); ++a)
    if (join_series(g, a) || join_loop(g, a) || join_branch(g, a) || join_without_lanes(g, a))
      return true;
  return false;
}

bool LaneFlow::join_series(const Graph& g, Index a) {
  std::vector<Index> chain;
  for (Index last = a; g.successors[last].size() == 1;) {
    last = g.successors[last][0];
    if (last == nodes_.size() || last == a || last == 0 || g.predecessors[last].size() != 1) break;
    chain.push_back(last);
  }
  if (!chain.empty()) absorb(a, chain, false);
  return !chain.empty();
}

/// One node, or a head and a body, with one place behind. Two loops with one head are one for LLVM.
bool LaneFlow::join_loop(const Graph& g, Index a) {
  if (g.successors[a].size() != 2) return false;
  if (has(g.successors[a], a)) {
    if (nodes_[a].is_loop) return false;
    absorb(a, {}, true);
    return true;
  }
  for (const Index b : g.successors[a]) {
    if (nodes_[a].is_loop || b == nodes_.size() || b == 0 || g.predecessors[b].size() != 1 ||
        g.successors[b] != std::vector<Index>{a})
      continue;
    absorb(a, {b}, true);
    return true;
  }
  return false;
}

bool LaneFlow::join_branch(const Graph& g, Index a) {
  const std::vector<Index>& ways = g.successors[a];
  const Index meet = g.meets[a];
  if (ways.size() < 2 || has(ways, a)) return false;
  // Every way but the empty one is a node of its own that leads to the end of the branch.
  std::vector<Index> arms;
  for (const Index b : ways) {
    if (b == meet) continue;
    if (b == nodes_.size() || b == 0 || g.predecessors[b].size() != 1) return false;
    arms.push_back(b);
  }
  const bool simple = std::all_of(arms.begin(), arms.end(), [&](Index b) {
    return g.successors[b] == std::vector<Index>{meet};
  });
  // Or there is one such node, which has lanes go on elsewhere: those that leave wait at one place.
  const bool chain = arms.size() == 1 && ways.size() == 2 && g.successors[arms[0]].size() == 2 &&
                     has(g.successors[arms[0]], meet) && !has(g.successors[arms[0]], arms[0]) &&
                     g.meets[arms[0]] == meet;
  if (!simple && !chain) return false;
  absorb(a, arms, false);
  return true;
}

/// Every loop of these nodes has one way in and one way back, so that going the ways back never
/// leads around a head.
bool LaneFlow::has_simple_loops(const Graph& g, const std::vector<Index>& nodes) const {
  std::vector<std::pair<Index, Index>> back;
  for (const Index head : nodes) {
    const std::set<Index> without = reached(nodes, g.successors, head);
    unsigned ways_back = nodes_[head].is_loop ? 1 : 0;
    for (const Index p : g.predecessors[head]) {
      if (!has(nodes, p) || without.count(p) != 0) continue;
      back.emplace_back(p, head);
      ++ways_back;
    }
    if (ways_back > 1) return false;
  }
  // Without the ways back nothing goes around: nodes whose predecessors are gone go.
  std::vector<Index> rest = nodes;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Index n : rest) {
      const bool follows = std::any_of(rest.begin(), rest.end(), [&](Index p) {
        return has(g.successors[p], n) &&
               std::find(back.begin(), back.end(), std::pair(p, n)) == back.end();
      });
      if (follows) continue;
      std::erase(rest, n);
      changed = true;
      break;
    }
  }
  return rest.empty();
}

/// Joins a branch without cross-lane instructions, whose lanes may meet anywhere.
bool LaneFlow::join_without_lanes(const Graph& g, Index a) {
  if (g.successors[a].size() < 2) return false;
  const std::vector<Index> nodes = region(g, a);
  if (nodes.empty()) return false;
  const bool again =
      std::any_of(nodes.begin(), nodes.end(), [&](Index n) { return has(g.successors[n], a); });
  for (const Index n : nodes)
    if (nodes_[n].uses_lanes && (n != a || again)) return false;
  if (!has_simple_loops(g, nodes)) return false;
  absorb(a, {nodes.begin() + 1, nodes.end()}, again);
  return true;
}

std::vector<LaneFlow::Index> LaneFlow::region(const Graph& g, Index a) const {
  std::vector<Index> found{a};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Index s : g.successors[found[i]]) {
      if (s == g.meets[a] || has(found, s)) continue;
      if (s == nodes_.size()) return {};  // without an end in sight: no place to meet
      found.push_back(s);
    }
  }
  for (size_t i = 1; i < found.size(); ++i) {
    if (found[i] == 0) return {};
    for (const Index p : g.predecessors[found[i]])
      if (!has(found, p)) return {};
  }
  return found;
}

void LaneFlow::absorb(Index a, const std::vector<Index>& others, bool closes_loop) {
  std::set<const llvm::BasicBlock*> inside;
  for (const Index b : others) inside.insert(nodes_[b].entry);
  if (closes_loop) inside.insert(nodes_[a].entry);
  Node joined = nodes_[a];
  joined.is_loop |= closes_loop;
  for (const Index b : others) {
    const Node& other = nodes_[b];
    joined.blocks.insert(joined.blocks.end(), other.blocks.begin(), other.blocks.end());
    joined.exits.insert(joined.exits.end(), other.exits.begin(), other.exits.end());
    joined.uses_lanes |= other.uses_lanes;
  }
  std::erase_if(joined.exits, [&](const Edge& e) { return inside.count(e.to) != 0; });
  nodes_[a] = std::move(joined);
  std::set<const llvm::BasicBlock*> gone;
  for (const Index b : others) gone.insert(nodes_[b].entry);
  std::erase_if(nodes_, [&](const Node& n) { return gone.count(n.entry) != 0; });
}

LaneFlow::IrreducibleRegion LaneFlow::smallest_irreducible_region() const {
  const Graph g = graph();
  const auto end = static_cast<Index>(nodes_.size());
  std::vector<Index> reach{end};  // from which the end can be reached
  for (size_t i = 0; i < reach.size(); ++i)
    for (const Index p : g.predecessors[reach[i]])
      if (!has(reach, p)) reach.push_back(p);
  if (reach.size() <= nodes_.size()) return {};

  std::vector<Index> best;
  Index behind = end;
  for (Index a = 0; a < end; ++a) {
    if (g.successors[a].size() < 2) continue;
    std::vector<Index> nodes = region(g, a);
    if (nodes.empty() || (!best.empty() && best.size() <= nodes.size())) continue;
    best = std::move(nodes);
    behind = g.meets[a];
  }
  if (best.empty())
    for (Index a = 0; a < end; ++a) best.push_back(a);
  IrreducibleRegion region;
  region.behind = behind == end ? nullptr : nodes_[behind].entry;
  for (const Index n : best) {
    const auto place = std::find(best.begin(), best.end(), g.meets[n]);
    region.nodes.push_back(nodes_[n]);
    region.meets.push_back(static_cast<uint32_t>(place - best.begin()));
  }
  return region;
}

void LaneFlow::replace(const IrreducibleRegion& region, Node node) {
  std::set<const llvm::BasicBlock*> gone;
  for (const Node& n : region.nodes) gone.insert(n.entry);
  // Ways into the region lead to the new node now.
  llvm::BasicBlock* const before = region.nodes.front().entry;
  for (Node& n : nodes_)
    for (Edge& e : n.exits)
      if (e.to == before) e.to = node.entry;
  const auto first =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.entry == before; });
  *first = std::move(node);
  std::erase_if(nodes_, [&](const Node& n) { return gone.count(n.entry) != 0; });
}

}  // namespace cuvette::finalizer
