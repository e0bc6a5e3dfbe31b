// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// cuvette._native: cuvette.h and a queue for Python. What users see is in python/cuvette; the types
// of this module are in _native.pyi.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "handle.h"
#include "queue.h"

namespace py = pybind11;

namespace cuvette::python {
namespace {

constexpr size_t kLanes = 64;

/// A call that takes no time of the machine, without Python's lock.
template <class F>
void call(const Handle& handle, F f) {
  cuvette_machine* const machine = handle.get();
  int status;
  {
    py::gil_scoped_release released;
    status = f(machine);
  }
  check(status);
}

py::dict dict_of(const cuvette_hang_queue& q) {
  static const char* const kStates[] = {"idle", "running", "waiting", "failed", "leaving"};
  py::dict d;
  d["queue"] = q.queue;
  d["state"] = q.state < std::size(kStates) ? kStates[q.state] : "unknown";
  d["next_packet"] = q.next_packet;
  d["under_way"] = q.under_way;
  d["wait_address"] = q.wait_address;
  d["wait_value"] = q.wait_value;
  d["packet"] = q.packet;
  d["kernel_object"] = q.kernel_object;
  d["completion_signal"] = q.completion_signal;
  return d;
}

py::dict dict_of(const cuvette_hang_wave& w) {
  const auto number = [](uint32_t n) -> py::object {
    if (n == CUVETTE_NONE) return py::none();
    return py::int_(n);
  };
  py::dict d;
  d["wave"] = w.wave;
  d["kernel"] = w.kernel;
  d["packet"] = w.packet;
  d["compute_unit"] = number(w.compute_unit);
  d["simd"] = number(w.simd);
  d["slot"] = number(w.slot);
  d["pc"] = w.pc;
  d["instruction"] = w.instruction;
  d["waits_for"] = w.waits_for;
  d["vm_count"] = w.vm_count;
  d["lgkm_count"] = w.lgkm_count;
  d["exp_count"] = w.exp_count;
  d["at_barrier"] = w.at_barrier != 0;
  d["halted"] = w.halted != 0;
  return d;
}

/// (text, queues, waves)
py::tuple hang_report(const Handle& handle) {
  std::vector<cuvette_hang_queue> queues;
  std::vector<cuvette_hang_wave> waves;
  std::string text;
  cuvette_hang r{};
  r.size = sizeof r;
  call(handle, [&](cuvette_machine* m) {
    // Once for the numbers, once for what they are of: time stands still between.
    if (const int status = cuvette_hang_report(m, &r); status != CUVETTE_OK) return status;
    constexpr size_t kLine = 512;
    queues.resize(r.queue_count);
    waves.resize(r.wave_count);
    text.resize((r.queue_count * (Queue::kPackets + 1) + r.wave_count + 1) * kLine);
    r.text = text.data();
    r.text_bytes = text.size();
    r.queues = queues.data();
    r.queue_size = sizeof(cuvette_hang_queue);
    r.queue_room = queues.size();
    r.waves = waves.data();
    r.wave_size = sizeof(cuvette_hang_wave);
    r.wave_room = waves.size();
    return cuvette_hang_report(m, &r);
  });
  py::list queue_list, wave_list;
  for (const auto& q : queues) queue_list.append(dict_of(q));
  for (const auto& w : waves) wave_list.append(dict_of(w));
  return py::make_tuple(std::string(text.c_str()), queue_list, wave_list);
}

std::string take_reports(const Handle& handle) {
  std::string text(1 << 16, '\0');
  call(handle,
       [&](cuvette_machine* m) { return cuvette_take_reports(m, text.data(), text.size()); });
  return text.c_str();
}

py::list counters(const Handle& handle) {
  struct Counter {
    std::string block, name;
    uint32_t instance;
    uint64_t value;
  };
  std::vector<Counter> found;
  call(handle, [&](cuvette_machine* m) {
    return cuvette_counters(
        m,
        [](void* context, const char* block, uint32_t instance, const char* name, uint64_t value) {
          static_cast<std::vector<Counter>*>(context)->push_back({block, name, instance, value});
        },
        &found);
  });
  py::list out;
  for (const auto& c : found) out.append(py::make_tuple(c.block, c.instance, c.name, c.value));
  return out;
}

/// [(name, value or None, why there is none or None)]
py::list named_counters(const Handle& handle, const std::vector<std::string>& names) {
  struct Counter {
    std::string name, missing;
    double value;
    bool there;
  };
  std::vector<Counter> found;
  std::vector<const char*> words;
  words.reserve(names.size());
  for (const std::string& name : names) words.push_back(name.c_str());
  call(handle, [&](cuvette_machine* m) {
    return cuvette_counters_by_name(
        m, words.data(), words.size(),
        [](void* context, const char* name, double value, const char* missing) {
          static_cast<std::vector<Counter>*>(context)->push_back(
              {name, missing != nullptr ? missing : "", value, missing == nullptr});
        },
        &found);
  });
  py::list out;
  for (const auto& c : found) {
    out.append(py::make_tuple(c.name, c.there ? py::object(py::float_(c.value)) : py::none(),
                              c.there ? py::none() : py::object(py::str(c.missing))));
  }
  return out;
}

py::dict dict_of(const cuvette_retirement& r) {
  py::dict d;
  d["cycle"] = r.cycle;
  d["wave"] = r.wave;
  d["order"] = r.order;
  d["pc"] = r.pc;
  d["exec"] = r.exec;
  d["instruction"] = r.instruction;
  py::list words, vectors, scalars;
  for (size_t i = 0; i < r.word_count; ++i) words.append(r.words[i]);
  for (size_t i = 0; i < r.vector_write_count; ++i) {
    const cuvette_vector_write& w = r.vector_writes[i];
    const std::string name = (w.accumulation != 0 ? "a" : "v") + std::to_string(w.index);
    vectors.append(py::make_tuple(name, w.lanes, py::array_t<uint32_t>(kLanes, w.data)));
  }
  for (size_t i = 0; i < r.scalar_write_count; ++i) {
    scalars.append(py::make_tuple(r.scalar_writes[i].code, r.scalar_writes[i].value));
  }
  d["words"] = words;
  d["vector_writes"] = vectors;
  d["scalar_writes"] = scalars;
  return d;
}

/// A machine with what Python keeps for it.
class Machine {
 public:
  Machine(const std::string& engine, const std::string& machine, const std::string& machine_dir,
          uint32_t quantum, bool poison, uint64_t watchdog_cycles, double watchdog_seconds,
          const std::vector<std::string>& settings) {
    std::vector<const char*> set;
    set.reserve(settings.size());
    for (const auto& s : settings) set.push_back(s.c_str());
    cuvette_options o{};
    o.size = sizeof o;
    o.engine = engine.c_str();
    o.machine = machine.c_str();
    o.machine_dir = machine_dir.empty() ? nullptr : machine_dir.c_str();
    o.quantum = quantum;
    o.poison = poison ? 1 : 0;
    o.watchdog_cycles = watchdog_cycles;
    o.watchdog_seconds = watchdog_seconds;
    o.settings = set.data();
    o.setting_count = set.size();
    handle_ = std::make_shared<Handle>(o);
  }

  const std::shared_ptr<Handle>& handle() const { return handle_; }

  void watch(py::object callback) {
    const bool none = callback.is_none();
    auto kept = none ? nullptr : std::make_unique<py::object>(std::move(callback));
    Machine* const self = this;
    call(*handle_, [&](cuvette_machine* m) {
      return cuvette_watch_retirements(m, none ? nullptr : &Machine::tell,
                                       none ? nullptr : static_cast<void*>(self));
    });
    callback_ = std::move(kept);
  }

 private:
  static void tell(void* context, cuvette_machine*, const cuvette_retirement* r) {
    const auto* self = static_cast<const Machine*>(context);
    if (self->handle_->silent()) return;
    const py::gil_scoped_acquire locked;
    try {
      (*self->callback_)(dict_of(*r));
    } catch (py::error_already_set& e) {
      e.restore();
      self->handle_->keep_exception();
    }
  }

  std::unique_ptr<py::object> callback_;
  std::shared_ptr<Handle> handle_;
};

/// A loaded code object; alive until unload() or the machine's end.
class Object {
 public:
  Object(std::shared_ptr<Handle> handle, const py::bytes& elf) : handle_(std::move(handle)) {
    const std::string_view view = elf;
    call(*handle_,
         [&](cuvette_machine* m) { return cuvette_load(m, view.data(), view.size(), &object_); });
  }
  const std::shared_ptr<Handle>& handle() const { return handle_; }
  cuvette_object* get() const {
    handle_->get();
    if (object_ == nullptr) throw CallFailed(CUVETTE_ERROR_ARGUMENT, "the program is unloaded");
    return object_;
  }
  void unload() {
    cuvette_object* const object = get();
    call(*handle_, [&](cuvette_machine*) { return cuvette_unload(object); });
    object_ = nullptr;
  }
  py::tuple symbol(const std::string& name) const {
    uint64_t address = 0, bytes = 0;
    check(cuvette_find_symbol(get(), name.c_str(), &address, &bytes));
    return py::make_tuple(address, bytes);
  }

 private:
  std::shared_ptr<Handle> handle_;
  cuvette_object* object_ = nullptr;
};

struct Kernel {
  std::shared_ptr<Object> object;
  std::string name;
  cuvette_kernel info{};
  std::vector<cuvette_argument_info> arguments;
};

std::vector<Kernel> kernels_of(const std::shared_ptr<Object>& object) {
  std::vector<Kernel> out;
  for (uint32_t i = 0;; ++i) {
    Kernel k;
    k.object = object;
    k.info.size = sizeof k.info;
    char name[1024];
    if (cuvette_kernel_at(object->get(), i, &k.info, name, sizeof name) != CUVETTE_OK) return out;
    k.name = name;
    k.arguments.resize(k.info.arguments);
    for (uint32_t a = 0; a < k.info.arguments; ++a) {
      k.arguments[a].size = sizeof k.arguments[a];
      check(cuvette_argument_at(&k.info, a, &k.arguments[a]));
    }
    out.push_back(std::move(k));
  }
}

py::list arguments_of(const Kernel& k) {
  py::list out;
  for (const auto& a : k.arguments) {
    out.append(py::make_tuple(a.name, a.kind, a.type, a.bytes, a.offset));
  }
  return out;
}

py::array_t<uint32_t> wave_read(const Handle& handle, uint32_t compute_unit, uint32_t simd,
                                uint32_t slot, uint32_t index, size_t lanes) {
  cuvette_hang_wave wave{};
  wave.compute_unit = compute_unit;
  wave.simd = simd;
  wave.slot = slot;
  uint32_t values[kLanes] = {};
  call(handle,
       [&](cuvette_machine* m) { return cuvette_wave_read(m, &wave, index, values, lanes); });
  return py::array_t<uint32_t>(static_cast<py::ssize_t>(lanes), values);
}

/// (Block, bytes from its beginning) of an array over one, whatever views are between; (None, 0).
py::tuple locate(const py::array& array) {
  py::object owner = array;
  while (py::isinstance<py::array>(owner)) {
    const py::object base = py::reinterpret_borrow<py::array>(owner).base();
    if (!base || base.is_none()) break;
    owner = base;
  }
  if (PyMemoryView_Check(owner.ptr())) owner = owner.attr("obj");
  if (!py::isinstance<Block>(owner)) return py::make_tuple(py::none(), 0);
  const auto& block = owner.cast<const Block&>();
  const auto* first = static_cast<const uint8_t*>(array.data());
  return py::make_tuple(owner, first - block.memory->data());
}

void add_exception(py::module_& m) {
  // (status name, text), from which cuvette/errors.py makes the exceptions of users.
  static py::exception<CallFailed> failed(m, "CallFailed");
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const CallFailed& e) {
      const py::tuple arguments = py::make_tuple(cuvette_status_name(e.status()), e.what());
      PyErr_SetObject(failed.ptr(), arguments.ptr());
    }
  });
}

void add_machine(py::module_& m) {
  using Shared = std::shared_ptr<Machine>;
  py::class_<Machine, Shared>(m, "Machine")
      .def(py::init<const std::string&, const std::string&, const std::string&, uint32_t, bool,
                    uint64_t, double, const std::vector<std::string>&>())
      .def("close", [](const Machine& s) { s.handle()->close(); })
      .def_property_readonly("is_open", [](const Machine& s) { return s.handle()->is_open(); })
      .def_property_readonly("target",
                             [](const Machine& s) {
                               char text[64];
                               check(cuvette_target(s.handle()->get(), text, sizeof text));
                               return std::string(text);
                             })
      .def("attach", [](const Machine& s, uint64_t bytes, uint64_t alignment,
                        uint32_t flags) { return s.handle()->attach(bytes, alignment, flags); })
      .def("detach", [](const Machine& s, uint64_t address) { s.handle()->detach(address); })
      .def("read",
           [](const Machine& s, uint64_t address, size_t bytes) {
             std::string data(bytes, '\0');
             call(*s.handle(), [&](cuvette_machine* h) {
               return cuvette_memory_read(h, address, data.data(), bytes);
             });
             return py::bytes(data);
           })
      .def("write",
           [](const Machine& s, uint64_t address, const py::bytes& data) {
             const std::string_view view = data;
             call(*s.handle(), [&](cuvette_machine* h) {
               return cuvette_memory_write(h, address, view.data(), view.size());
             });
           })
      .def("read_register",
           [](const Machine& s, uint32_t offset) {
             uint32_t value = 0;
             call(*s.handle(),
                  [&](cuvette_machine* h) { return cuvette_register_read(h, offset, &value); });
             return value;
           })
      .def("write_register",
           [](const Machine& s, uint32_t offset, uint32_t value) {
             call(*s.handle(),
                  [&](cuvette_machine* h) { return cuvette_register_write(h, offset, value); });
           })
      .def("cycle",
           [](const Machine& s) {
             uint64_t cycle = 0;
             call(*s.handle(), [&](cuvette_machine* h) { return cuvette_cycle(h, &cycle); });
             return cycle;
           })
      .def(
          "advance",
          [](const Machine& s, uint64_t cycles) {
            check(s.handle()->wait([&](cuvette_machine* h) { return cuvette_advance(h, cycles); }));
          })
      .def("run_until_idle",
           [](const Machine& s, uint64_t most) {
             check(s.handle()->wait(
                 [&](cuvette_machine* h) { return cuvette_run_until_idle(h, most); }));
           })
      .def("cancel", [](const Machine& s) { s.handle()->cancel(); })
      .def("hang_report", [](const Machine& s) { return hang_report(*s.handle()); })
      .def("take_reports", [](const Machine& s) { return take_reports(*s.handle()); })
      .def("counters", [](const Machine& s) { return counters(*s.handle()); })
      .def("counters_by_name",
           [](const Machine& s, const std::vector<std::string>& names) {
             return named_counters(*s.handle(), names);
           })
      .def("counters_mark",
           [](const Machine& s) {
             call(*s.handle(), [](cuvette_machine* h) { return cuvette_counters_mark(h); });
           })
      .def("wave_read",
           [](const Machine& s, uint32_t unit, uint32_t simd, uint32_t slot, uint32_t index,
              size_t lanes) { return wave_read(*s.handle(), unit, simd, slot, index, lanes); })
      .def("watch", &Machine::watch)
      .def("load", [](const Machine& s, const py::bytes& elf) {
        return std::make_shared<Object>(s.handle(), elf);
      });
}

void add_queue(py::module_& m) {
  py::enum_<Queue::State>(m, "PacketState")
      .value("RUNNING", Queue::State::Running)
      .value("DONE", Queue::State::Done)
      .value("FAILED", Queue::State::Failed)
      .value("LOST", Queue::State::Lost);
  using Three = std::array<uint32_t, 3>;
  py::class_<Queue>(m, "Queue")
      .def(py::init(
               [](const Machine& machine) { return std::make_unique<Queue>(machine.handle()); }),
           py::keep_alive<1, 2>())
      .def("submit",
           [](Queue& q, const Kernel& kernel, uint32_t dimensions, const Three& grid,
              const Three& workgroup, const std::vector<std::string>& arguments,
              uint32_t group_bytes, uint32_t stack_bytes, const std::array<uint64_t, 3>& offset) {
             kernel.object->get();
             return q.submit(kernel.info,
                             {dimensions, grid, workgroup, group_bytes, stack_bytes, offset},
                             arguments);
           })
      .def("state", &Queue::state)
      .def("wait", &Queue::wait)
      .def("times",
           [](const Queue& q, uint64_t packet) {
             const PacketTimes t = q.times(packet);
             return py::make_tuple(t.begin, t.end);
           })
      .def_property_readonly("error", &Queue::error)
      .def_property_readonly("failed", &Queue::failed)
      .def("reset", &Queue::reset);
}

}  // namespace
}  // namespace cuvette::python

PYBIND11_MODULE(_native, m) {
  using namespace cuvette::python;
  m.doc() = "The C interface of Cuvette; use the package cuvette instead.";
  m.attr("API_VERSION") = cuvette_version();
  m.attr("READ_ONLY") = CUVETTE_MEMORY_READ_ONLY;
  m.attr("WITHIN_4GIB") = CUVETTE_MEMORY_WITHIN_4GIB;
  m.attr("BELOW_4GIB") = CUVETTE_MEMORY_BELOW_4GIB;
  m.attr("FINE_GRAINED") = CUVETTE_MEMORY_FINE_GRAINED;
  m.attr("UNCACHED") = CUVETTE_MEMORY_UNCACHED;
  add_exception(m);
  py::class_<Block>(m, "Block", py::buffer_protocol())
      .def_readonly("address", &Block::address)
      .def_readonly("bytes", &Block::bytes)
      .def_buffer([](Block& b) {
        return py::buffer_info(b.memory->data(), 1, py::format_descriptor<uint8_t>::format(), 1,
                               {static_cast<py::ssize_t>(b.bytes)}, {py::ssize_t{1}}, false);
      });
  m.def("locate", &locate);
  add_machine(m);
  py::class_<Object, std::shared_ptr<Object>>(m, "Object")
      .def("unload", &Object::unload)
      .def("symbol", &Object::symbol)
      .def("kernels", &kernels_of);
  py::class_<Kernel>(m, "Kernel")
      .def_readonly("name", &Kernel::name)
      .def_property_readonly("arguments", &arguments_of)
      .def_property_readonly("kernarg_bytes", [](const Kernel& k) { return k.info.kernarg_bytes; })
      .def_property_readonly("group_bytes", [](const Kernel& k) { return k.info.group_bytes; })
      .def_property_readonly("private_bytes", [](const Kernel& k) { return k.info.private_bytes; });
  add_queue(m);
}
