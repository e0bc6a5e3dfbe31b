// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/control_flow.h"

#include <algorithm>
#include <utility>

namespace cuvette::hsail {

// The algorithm of Cooper, Harvey and Kennedy on the reversed graph: walk in reverse postorder from
// the end, intersecting the candidates of the successors until nothing changes.
std::vector<uint32_t> immediate_post_dominators(
    const std::vector<std::vector<uint32_t>>& successors) {
  const auto end = static_cast<uint32_t>(successors.size());
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<std::vector<uint32_t>> predecessors(end + 1);
  for (uint32_t i = 0; i < end; ++i) {
    for (const uint32_t s : successors[i]) predecessors[s].push_back(i);
  }

  std::vector<uint32_t> postorder;
  std::vector<uint32_t> number(end + 1, kNone);  // place in the postorder
  std::vector<bool> seen(end + 1, false);
  std::vector<std::pair<uint32_t, size_t>> stack{{end, 0}};
  seen[end] = true;
  while (!stack.empty()) {
    auto& [node, child] = stack.back();
    if (child < predecessors[node].size()) {
      const uint32_t next = predecessors[node][child++];
      if (!seen[next]) {
        seen[next] = true;
        stack.emplace_back(next, 0);
      }
      continue;
    }
    number[node] = static_cast<uint32_t>(postorder.size());
    postorder.push_back(node);
    stack.pop_back();
  }

  std::vector<uint32_t> dominator(end + 1, kNone);
  dominator[end] = end;
  const auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = dominator[a];
      while (number[b] < number[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = postorder.rbegin(); it != postorder.rend(); ++it) {
      if (*it == end) continue;
      uint32_t best = kNone;
      for (const uint32_t s : successors[*it]) {
        if (dominator[s] == kNone) continue;
        best = best == kNone ? s : intersect(best, s);
      }
      if (best != dominator[*it]) {
        dominator[*it] = best;
        changed = true;
      }
    }
  }
  std::replace(dominator.begin(), dominator.end(), kNone, end);
  dominator.pop_back();
  return dominator;
}

}  // namespace cuvette::hsail
