// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/image.h"
#include "hsa/memory.h"
#include "run/element.h"

/// The dispatch file (dispatch.md) as plain structs: what to run, on what, and what to expect.
namespace cuvette::run {

/// A named device buffer with its first contents, already expanded to bytes.
struct Buffer {
  std::string name;
  Element type = Element::U8;
  uint64_t count = 0;                     ///< elements
  hsa::Grain grain = hsa::Grain::Coarse;  ///< coherence of its pages
  std::vector<uint8_t> initial;           ///< count * size_of(type) bytes
  base::Location where;                   ///< place in the file, as below
};

/// An argument of a kernel, in the order of its parameters.
struct Argument {
  enum class Kind { Value, Reference, Local, GroupOffset, Signal, Queue, Function, Image, Sampler };
  Kind kind = Kind::Value;
  std::vector<uint8_t> value;   ///< Value: little-endian bytes
  std::optional<Element> type;  ///< Value written with a type; absent for `bytes`
  std::string name;             ///< Reference, Signal, Queue; Function: "&name"
  uint64_t offset = 0;          ///< Reference: bytes
  /// Local: bytes; GroupOffset: bytes behind the kernel's own; Queue: packets, 0: 64.
  uint64_t amount = 0;
  int64_t signal_value = 0;  ///< Signal: initial value; the first mention of a name decides
  hsa::Image image;          ///< Image: its data begins at `offset` of buffer `name`
  hsa::Sampler sampler;      ///< Sampler
  base::Location where;
};

/// Address of a variable that the code only declares (HSAIL PRM 4.12.1).
struct External {
  std::string buffer;
  uint64_t offset = 0;  ///< bytes from its start
  base::Location where;
};

/// Code of a dispatch: files, or text in the dispatch file.
struct Code {
  std::vector<std::string> files;  ///< resolved paths; one code object, or modules linked together
  std::optional<std::string> inline_hsail;
  std::map<std::string, External> externals;  ///< by name, "&x"
  base::Location where;
};

/// One launch of a kernel.
struct Dispatch {
  Code code;
  std::string kernel;                          ///< empty: the only one
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint16_t, 3> workgroup{1, 1, 1};  ///< work-items, 1024 together at most
  unsigned dimensions = 1;                     ///< 1 to 3, the longer of the two lists
  uint32_t group_bytes = 0;  ///< dynamic group memory beside that of `local` arguments
  uint32_t stack_bytes = 0;  ///< per work-item, for kernels with a dynamic stack; others ignore it
  std::vector<Argument> arguments;
  std::map<std::string, uint64_t> hidden;  ///< overrides, by metadata name
  /// Places of the sizes in the file; `where` for those that it does not give.
  base::Location grid_where, workgroup_where, group_bytes_where, stack_bytes_where, kernel_where;
  base::Location where;
};

/// Values that a buffer or a signal has to have after the run.
struct Expectation {
  /// Exact: bit for bit, a NaN as any NaN. The others are for floats.
  enum class Tolerance { Exact, Ulp, Absolute, Relative };
  std::string buffer;  ///< empty: a signal
  std::string signal;
  int64_t signal_value = 0;
  uint64_t index = 0;          ///< first element compared
  std::vector<uint8_t> bytes;  ///< expected elements, little-endian
  /// Element written as bits: a NaN must match exactly. One flag per element; empty for files, all
  /// of whose elements are bits.
  std::vector<bool> exact_bits;
  Tolerance tolerance = Tolerance::Exact;
  double allowed = 0;  ///< largest distance: ULPs, a difference, or a share of the expected value
  base::Location where;
};

/// A whole dispatch file.
struct DispatchFile {
  std::string path;
  std::vector<Buffer> buffers;  ///< in order of first mention: the order of allocation
  std::vector<Dispatch> dispatches;
  std::vector<Expectation> expectations;
  std::map<std::string, std::string> dumps;  ///< buffer name to resolved path
  std::vector<std::string> inputs;           ///< resolved paths of all files that it names
  bool order_dependent = false;              ///< results may depend on the order of work-items

  /// Null: no buffer has the name.
  const Buffer* find_buffer(const std::string& name) const {
    const auto found = std::find_if(buffers.begin(), buffers.end(),
                                    [&name](const Buffer& b) { return b.name == name; });
    return found == buffers.end() ? nullptr : &*found;
  }
};

/// Limit of all buffers together, and of all expected values: both are held in host memory.
constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 30;

/// Errors: file:line:column with what was expected: unknown keys, missing or short files, zero
/// grids, work-groups above 1024 work-items, unknown names, values out of range, too many or too
/// large buffers (limits in docs/reference/dispatch.md).
base::Result<DispatchFile> load_dispatch_file(const std::string& path);
/// The same of `text`, which stands in file `path`: others are relative to its folder.
base::Result<DispatchFile> parse_dispatch_file(const std::string& text, const std::string& path,
                                               uint64_t max_buffer_bytes = kMaxBufferBytes);

}  // namespace cuvette::run
