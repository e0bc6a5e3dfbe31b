// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "hsail/machine.h"
#include "hsail/text.h"
#include "hsail/validator.h"

namespace cuvette::hsail::testing {

/// Place and words of a message; hsail_rule_ids_test judges the identifiers.
inline std::string without_id(const base::Error& error) {
  return base::Error(error.what, error.where).str();
}

/// Global memory of a test: a few buffers at fixed addresses with unmapped space between.
class TestMemory : public MemoryPort {
 public:
  explicit TestMemory(uint64_t first = 0x100000000) : next_(first) {}
  uint64_t add(size_t bytes) {
    const uint64_t address = next_;
    buffers_[address].resize(bytes);
    next_ += (bytes + 0xffff) / 0x10000 * 0x10000 + 0x10000;
    return address;
  }
  template <class T>
  uint64_t add_values(const std::vector<T>& values) {
    const uint64_t address = add(values.size() * sizeof(T));
    if (!values.empty())
      std::memcpy(buffers_[address].data(), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> values(uint64_t address) const {
    const auto& bytes = buffers_.at(address);
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
  }

  bool read(uint64_t address, void* out, size_t bytes) override {
    uint8_t* p = find(address, bytes);
    if (p != nullptr) std::memcpy(out, p, bytes);
    return p != nullptr;
  }
  bool write(uint64_t address, const void* data, size_t bytes) override {
    uint8_t* p = find(address, bytes);
    if (p != nullptr) std::memcpy(p, data, bytes);
    return p != nullptr;
  }
  bool update(uint64_t address, unsigned bytes, const std::function<uint64_t(uint64_t)>& function,
              uint64_t* old) override {
    uint8_t* p = find(address, bytes);
    if (p == nullptr) return false;
    uint64_t value = 0;
    std::memcpy(&value, p, bytes);
    *old = value;
    value = function(value);
    std::memcpy(p, &value, bytes);
    return true;
  }

 private:
  uint8_t* find(uint64_t address, size_t bytes) {
    auto it = buffers_.upper_bound(address);
    if (it == buffers_.begin()) return nullptr;
    --it;
    const uint64_t offset = address - it->first;
    return offset + bytes <= it->second.size() ? it->second.data() + offset : nullptr;
  }

  std::map<uint64_t, std::vector<uint8_t>> buffers_;
  uint64_t next_;
};

/// Kernel arguments in declaration order, each naturally aligned (HSAIL PRM 4.21).
class Kernarg {
 public:
  template <class T>
  Kernarg& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back(0);
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

inline std::string kernel_path(const std::string& name) {
  return std::string(CUVETTE_SOURCE_DIR) + "/tests/kernels/" + name + ".hsail";
}

inline Module load_kernel_file(const std::string& name) {
  auto text = base::read_text(kernel_path(name));
  EXPECT_TRUE(text.ok()) << text.error().str();
  auto module = load_text(*text, name + ".hsail");
  EXPECT_TRUE(module.ok()) << module.error().str();
  return module.ok() ? std::move(*module) : Module{};
}

inline Dispatch dispatch(const Module& m, const std::string& kernel, std::array<uint32_t, 3> grid,
                         std::array<uint32_t, 3> workgroup, const Kernarg& kernarg) {
  Dispatch d;
  d.kernel = m.find_kernel(kernel);
  d.grid = grid;
  d.workgroup = workgroup;
  d.dimensions = grid[2] > 1 || workgroup[2] > 1 ? 3 : grid[1] > 1 || workgroup[1] > 1 ? 2 : 1;
  d.kernarg = kernarg.bytes();
  d.kernarg_address = 0x70000;
  return d;
}

inline void run(const Module& m, TestMemory& memory, const Dispatch& d) {
  Machine machine(m, memory, {});
  const auto status = machine.run(d);
  ASSERT_TRUE(status.ok()) << status.error().str();
  EXPECT_TRUE(machine.undefined_uses().empty());
}

inline Module module_of(const std::string& body,
                        const std::string& arguments = "kernarg_u64 %out") {
  const auto m = load_text("module &m:1:0:$full:$large:$default;\nprog kernel &k(" + arguments +
                               ")\n{\n" + body + "};\n",
                           "test.hsail");
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().str());
  return m.ok() ? *m : Module{};
}

/// Ids of a checklist (first column).
inline std::set<std::string> ledger_ids(const std::string& file) {
  std::ifstream in(std::string(CUVETTE_SOURCE_DIR) + "/tests/ledger/" + file);
  EXPECT_TRUE(in.good()) << file;
  std::set<std::string> ids;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::string id = line.substr(0, line.find(','));
    if (id.size() > 3 && id[2] == '-') ids.insert(id);
  }
  return ids;
}

/// Ids whose checks ran in this program. Prints how many of a checklist they are at the end, and
/// leaves those of the language in the build tree when the program ends well: hsail_language_test
/// adds them up. CUVETTE_LEDGER_IDS names a file that all ids are appended to.
class Ledger : public ::testing::Environment {
 public:
  explicit Ledger(std::string program) : program_(std::move(program)) {}
  static std::set<std::string>& covered() {
    static std::set<std::string> ids;
    return ids;
  }
  static void cover(const std::string& ids) {
    std::istringstream in(ids);
    for (std::string id; in >> id;) covered().insert(id);
  }
  void TearDown() override {
    if (const char* path = std::getenv("CUVETTE_LEDGER_IDS")) {
      std::ofstream out(path, std::ios::app);
      for (const std::string& id : covered()) out << id << "\n";
    }
    if (!::testing::UnitTest::GetInstance()->Failed()) leave("hsail_language", "HL-");
    report("hsail_instructions.csv", "hsail_instructions", "HI-");
    report("hsail_language.csv", "hsail_language", "HL-");
    report("brig_entries.csv", "brig_entries", "BR-");
  }

 private:
  void leave(const std::string& name, const std::string& prefix) const {
    std::filesystem::create_directories(CUVETTE_BINARY_DIR "/ledger");
    std::ofstream out(CUVETTE_BINARY_DIR "/ledger/" + name + "." + program_);
    for (const std::string& id : covered()) {
      if (id.compare(0, prefix.size(), prefix) == 0) out << id << "\n";
    }
  }
  static void report(const std::string& file, const std::string& name, const std::string& prefix) {
    const auto ids = ledger_ids(file);
    size_t n = 0;
    for (const std::string& id : covered()) {
      if (id.compare(0, prefix.size(), prefix) != 0) continue;
      EXPECT_EQ(ids.count(id), 1u) << id << " is not in " << file;
      ++n;
    }
    if (n == 0) return;
    std::cout << "ledger " << name << ": " << n << " of " << ids.size() << "\n";
  }

  std::string program_;
};

}  // namespace cuvette::hsail::testing
