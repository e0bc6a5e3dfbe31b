// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace cuvette::finalizer {

/// The control flow of a function, reduced to what machine code may not decide by itself.
///
/// Lanes that part at a branch meet again at its immediate post-dominator (HSAIL PRM 2.12), which
/// cross-lane instructions can see. LLVM lets them meet at the first block that they have in
/// common. Both are the same for branches whose ways have no block in common and for loops with one
/// place behind them, and nobody can tell where no cross-lane instruction is: such parts become one
/// node each. The rest, when nothing more can be joined, is a region; so are loops with several
/// entries or several ways back, of which LLVM 19 gets some wrong.
class LaneFlow {
 public:
  /// A way from one block to the first block of a node; nullptr: out of the function.
  struct Edge {
    llvm::BasicBlock* from = nullptr;
    llvm::BasicBlock* to = nullptr;
  };
  /// Blocks with one entry. All lanes that enter together reach `exits`, where they part at most
  /// once, together.
  struct Node {
    llvm::BasicBlock* entry = nullptr;
    std::vector<llvm::BasicBlock*> blocks;
    std::vector<Edge> exits;
    bool uses_lanes = false;
    bool is_loop = false;  ///< its entry is the head of a loop inside it
  };
  /// Nodes with one entry, the first one's, and one node behind them.
  struct IrreducibleRegion {
    std::vector<Node> nodes;
    /// Meeting places of the lanes that part behind nodes[i]: a node of the region, or nodes.size()
    /// for the code behind it.
    std::vector<uint32_t> meets;
    llvm::BasicBlock* behind = nullptr;  ///< nullptr: the end of the function
  };

  /// Flow of all blocks that can be reached from `start`.
  LaneFlow(llvm::BasicBlock& start, const std::function<bool(const llvm::BasicBlock&)>& uses_lanes);

  /// Joins what can be joined. True when one node is left.
  bool reduce();
  /// The smallest region; empty when an end cannot be reached from every block. Call after
  /// reduce() returned false.
  IrreducibleRegion smallest_irreducible_region() const;
  /// Puts one node in the place of a region.
  void replace(const IrreducibleRegion& region, Node node);

 private:
  using Index = uint32_t;
  struct Graph {
    std::vector<std::vector<Index>> successors;  ///< nodes_.size(): the end
    std::vector<std::vector<Index>> predecessors;
    std::vector<Index> meets;
  };

  Graph graph() const;
  bool join_once();
  bool join_series(const Graph& g, Index a);
  bool join_loop(const Graph& g, Index a);
  bool join_branch(const Graph& g, Index a);
  bool join_without_lanes(const Graph& g, Index a);
  bool has_simple_loops(const Graph& g, const std::vector<Index>& nodes) const;
  /// The nodes between `a`, which comes first, and where its ways meet; empty when there is
  /// another way in.
  std::vector<Index> region(const Graph& g, Index a) const;
  /// Joins `others` to `a`. Edges to them go, and those to `a` itself when `closes_loop`.
  void absorb(Index a, const std::vector<Index>& others, bool closes_loop);

  std::vector<Node> nodes_;  ///< the first one is entered first
};

}  // namespace cuvette::finalizer
