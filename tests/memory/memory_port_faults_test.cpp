// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/memory/memory_port.h"

// Mistakes planted on a memory port: what the transactors say about each.
namespace cuvette {
namespace {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using testing::HasSubstr;

/// A driver and a server on plain wires. The memory behind the server is `answer`, which may say
/// what it likes; `on_wires` may change what has been driven before both sides look.
struct Bench {
  machine::Channel<MemReq> requests{machine::kUnbounded};
  machine::Channel<MemResp> responses{machine::kUnbounded};
  ip::MemoryPortDriver::Config driver_config;
  ip::MemoryPortServer::Config server_config;
  std::function<void(const MemReq&, Cycle)> answer = [this](const MemReq& r, Cycle now) {
    say(right(r), now);
  };
  std::function<void(ip::MemoryPortPins&, Cycle)> on_wires = [](ip::MemoryPortPins&, Cycle) {};
  std::vector<MemReq> sent;

  static MemResp right(const MemReq& r) {
    MemResp response;
    response.id = r.id;
    response.address = r.address;
    if (r.op != MemOp::Read) response.serial = r.id + 1;
    return response;
  }
  void say(const MemResp& response, Cycle now) { responses.push(response, now + 1); }

  void read(uint64_t id, uint64_t address) {
    MemReq r;
    r.id = id;
    r.address = address;
    r.byte_mask = ~uint64_t{0};
    sent.push_back(r);
  }

  struct Found {
    std::string by_driver, by_server;
  };
  /// A hundred cycles, two of them in reset.
  Found run() {
    ip::MemoryPortDriver driver(driver_config);
    ip::MemoryPortServer server(server_config, requests, responses);
    for (const MemReq& r : sent) driver.push(r);
    ip::MemoryPortPins pins;
    for (Cycle now = 0; now < 100; ++now) {
      driver.drive(now, now < 2, pins);
      server.drive(now, now < 2, pins);
      on_wires(pins, now);
      driver.clock(pins);
      server.clock(pins);
      if (requests.front(now) != nullptr) answer(requests.pop(now), now);
    }
    driver.end();
    server.end();
    const auto text = [](const std::optional<ip::DeviceFailure>& failure) {
      if (!failure) return std::string();
      EXPECT_EQ(failure->field, "protocol");
      return failure->what;
    };
    return {text(driver.failure()), text(server.failure())};
  }
  /// Both sides see the same wires and say the same.
  void expect(const std::string& part) {
    const Found found = run();
    EXPECT_THAT(found.by_driver, HasSubstr(part));
    EXPECT_THAT(found.by_server, HasSubstr(part));
    EXPECT_THAT(found.by_driver, testing::StartsWith("cycle "));
  }
  void expect_nothing() {
    const Found found = run();
    EXPECT_EQ(found.by_driver, "");
    EXPECT_EQ(found.by_server, "");
  }
};

TEST(MemoryPortFaults, NoneWithoutAMistake) {
  Bench bench;
  for (unsigned n = 0; n < 8; ++n) bench.read(n, n % 3 * 64);
  bench.expect_nothing();
}

TEST(MemoryPortFaults, AnswerTwice) {
  Bench bench;
  bench.read(5, 0);
  bench.answer = [&](const MemReq& r, Cycle now) {
    bench.say(Bench::right(r), now);
    bench.say(Bench::right(r), now);
  };
  bench.expect("response 0x5: the request has had its answer");
}

TEST(MemoryPortFaults, WrongId) {
  Bench bench;
  bench.read(5, 0);
  bench.answer = [&](const MemReq& r, Cycle now) {
    MemResp wrong = Bench::right(r);
    wrong.id = 6;
    bench.say(wrong, now);
  };
  bench.expect("response 0x6: no request has this id");
}

TEST(MemoryPortFaults, LostAnswer) {
  Bench bench;
  bench.read(5, 0);
  bench.answer = [](const MemReq&, Cycle) {};
  bench.expect("cycle 99: request 0x5: no answer by the end, 1 under way");
}

TEST(MemoryPortFaults, LostAnswerWithinATime) {
  Bench bench;
  bench.driver_config.answer_within = bench.server_config.answer_within = 20;
  for (unsigned n = 0; n < 60; ++n) bench.read(n, n * 64);
  bench.answer = [&](const MemReq& r, Cycle now) {
    if (r.id != 5) bench.say(Bench::right(r), now);
  };
  bench.expect("request 0x5: no answer within 20 cycles");
}

TEST(MemoryPortFaults, WrongAddress) {
  Bench bench;
  bench.read(5, 0x40);
  bench.answer = [&](const MemReq& r, Cycle now) {
    MemResp wrong = Bench::right(r);
    wrong.address = 0x80;
    bench.say(wrong, now);
  };
  bench.expect("response 0x5: address is 0x80, the request's is 0x40");
}

TEST(MemoryPortFaults, SerialOfARead) {
  Bench bench;
  bench.read(5, 0);
  bench.answer = [&](const MemReq& r, Cycle now) {
    MemResp wrong = Bench::right(r);
    wrong.serial = 3;
    bench.say(wrong, now);
  };
  bench.expect("response 0x5: serial is 3, the request is no store");
}

TEST(MemoryPortFaults, StoreWithoutASerial) {
  Bench bench;
  bench.read(5, 0);
  bench.sent[0].op = MemOp::Write;
  bench.answer = [&](const MemReq& r, Cycle now) {
    MemResp wrong = Bench::right(r);
    wrong.serial = 0;
    bench.say(wrong, now);
  };
  bench.expect("response 0x5: a store without a serial");
}

/// Three requests, the second answered last.
void swap_answers(Bench& bench) {
  bench.answer = [&bench, kept = std::optional<MemReq>()](const MemReq& r, Cycle now) mutable {
    if (r.id == 2) {
      kept = r;
      return;
    }
    bench.say(Bench::right(r), now);
    if (r.id == 3) bench.say(Bench::right(*kept), now);
  };
}

TEST(MemoryPortFaults, AnswersOfOneBlockOutOfOrder) {
  Bench bench;
  for (const unsigned id : {1u, 2u, 3u}) bench.read(id, 0x40);
  swap_answers(bench);
  bench.expect(
      "response 0x3: before that of request 0x2, which is older and of the same block 0x40");
}

TEST(MemoryPortFaults, AnswersOfTwoBlocksMayChangePlaces) {
  Bench bench;
  bench.read(1, 0x40);
  bench.read(2, 0x40);
  bench.read(3, 0x80);
  swap_answers(bench);
  bench.expect_nothing();
}

TEST(MemoryPortFaults, ResponseValidWithdrawn) {
  Bench bench;
  bench.read(5, 0);
  bench.on_wires = [waited = false](ip::MemoryPortPins& pins, Cycle) mutable {
    if (!pins.response_valid) return;
    pins.response_ready = false;
    if (waited) pins.response_valid = false;
    waited = true;
  };
  bench.expect("response: valid dropped before ready");
}

TEST(MemoryPortFaults, RequestValidWithdrawn) {
  Bench bench;
  bench.read(5, 0);
  bench.on_wires = [waited = false](ip::MemoryPortPins& pins, Cycle) mutable {
    if (!pins.request_valid) return;
    pins.request_ready = false;
    if (waited) pins.request_valid = false;
    waited = true;
  };
  bench.expect("request: valid dropped before ready");
}

TEST(MemoryPortFaults, ResponseChangesWhileItWaits) {
  Bench bench;
  bench.read(5, 0);
  bench.on_wires = [waited = false](ip::MemoryPortPins& pins, Cycle) mutable {
    if (!pins.response_valid) return;
    pins.response_ready = waited;
    if (waited) pins.response[0] ^= 1;
    waited = true;
  };
  bench.expect("response: the message changed before ready");
}

TEST(MemoryPortFaults, RequestChangesWhileItWaits) {
  Bench bench;
  bench.read(5, 0);
  bench.on_wires = [waited = false](ip::MemoryPortPins& pins, Cycle) mutable {
    if (!pins.request_valid) return;
    pins.request_ready = waited;
    if (waited) pins.request[20] ^= 1;  // a byte of data, which a read does not use
    waited = true;
  };
  bench.expect("request: the message changed before ready");
}

TEST(MemoryPortFaults, ValidInReset) {
  Bench bench;
  bench.on_wires = [](ip::MemoryPortPins& pins, Cycle now) {
    if (now < 2) pins.response_valid = true;
  };
  bench.expect("cycle 1: response: valid is high in reset");
}

TEST(MemoryPortFaults, AnswerAtTheEdgeOfItsRequest) {
  Bench bench;
  bench.read(5, 0);
  bench.on_wires = [](ip::MemoryPortPins& pins, Cycle now) {
    if (now != 2) return;
    MemResp early;
    early.id = 5;
    pins.response_valid = true;
    pins.response = contract::pack(early);
  };
  bench.expect("cycle 2: response 0x5: no request has this id");
}

/// A request that may not be: named by both sides, answered with Fault, kept from the memory.
void expect_refused(const MemReq& request, const std::string& part) {
  Bench bench;
  bench.sent.push_back(request);
  unsigned reached = 0;
  bench.answer = [&](const MemReq&, Cycle) { ++reached; };
  std::optional<MemResp> given;
  bench.on_wires = [&](ip::MemoryPortPins& pins, Cycle) {
    if (pins.response_valid) given = contract::unpacked<MemResp>(pins.response);
  };
  bench.expect("request 0x5: " + part);
  EXPECT_EQ(reached, 0u);
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(given->id, 5u);
  EXPECT_EQ(given->status, memory::MemStatus::Fault);
}

MemReq request(MemOp op, uint64_t address, uint64_t byte_mask, uint8_t atomic_bytes = 4) {
  MemReq r;
  r.id = 5;
  r.op = op;
  r.address = address;
  r.byte_mask = byte_mask;
  r.atomic_bytes = atomic_bytes;
  return r;
}

TEST(MemoryPortFaults, RequestsThatMayNotBe) {
  expect_refused(request(MemOp::Read, 0x48, 1), "address 0x48 is not aligned to 64 bytes");
  expect_refused(request(MemOp::Write, 0x60, 0xffffffffff),
                 "byte_mask 0xffffffffff at 0x60 has bytes beyond its 64-byte block");
  expect_refused(request(MemOp::Atomic, 0x7c, 0xf000000000000000, 8),
                 "the operand at 0x7c has bytes beyond its 64-byte block");
  expect_refused(request(MemOp::Atomic, 0x42, 0x3c), "the operand at 0x42 is not aligned to 4");
  expect_refused(request(MemOp::AtomicReturn, 0x44, 0xf),
                 "byte_mask is 0xf, the operand's is 0xf0");
  expect_refused(request(MemOp::Atomic, 0x40, 3, 2), "atomic_bytes is 2, expected 4 or 8");
  expect_refused(request(static_cast<MemOp>(6), 0x40, 1), "op 6 does not exist");
  MemReq unknown = request(MemOp::Atomic, 0x40, 0xf);
  unknown.atomic = static_cast<base::AtomicOp>(23);
  expect_refused(unknown, "atomic 23 does not exist");
}

TEST(MemoryPortFaults, IdUnderWayAlready) {
  Bench bench;
  bench.read(5, 0x40);
  bench.read(5, 0x80);
  bench.expect("request 0x5: the id is under way already");
}

TEST(MemoryPortFaults, IdsMayComeAgain) {
  Bench bench;
  for (unsigned n = 0; n < 40; ++n) bench.read(n % 8, 0x40);
  bench.expect_nothing();
}

}  // namespace
}  // namespace cuvette
