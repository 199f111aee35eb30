// Frames, fibers and programs that lie about each other. Whatever is restored nevertheless must be harmless.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hostile/hostile_fixture.h"
#include "support/packed_snapshot.h"
#include "support/snapshot_drive.h"

namespace ptc::test {
namespace {

using Frames = HostileSnapshot;

constexpr const char* kWaits = "(let [f (fn [x] (await (tool/ask {:x x}))) v [1 2 3]] [(f 7) v])";
constexpr const char* kSorts = "(sort-by (fn [x] (await (tool/ask {:x x}))) [3 1 2])";
constexpr const char* kBranches = "(pmap (fn [x] (await (tool/ask {:x x}))) [1 2 3])";

// A change of one number of one frame.
using FrameChange = void (*)(std::uint32_t& program, std::uint32_t& function, std::uint32_t& pc, std::uint32_t by);

void each_frame(const Octets& whole, std::uint32_t most, FrameChange change,
                const std::function<void(const Octets&, std::uint32_t by)>& look) {
  const std::size_t fibers = schema::GetSnapshot(whole.data())->fibers()->size();
  for (std::uint32_t f = 0; f < fibers; ++f) {
    const std::size_t frames = schema::GetSnapshot(whole.data())->fibers()->Get(f)->frames()->size();
    for (std::uint32_t k = 0; k < frames; ++k) {
      for (std::uint32_t by = 0; by < most; ++by) {
        std::unique_ptr<schema::SnapshotT> s(schema::GetSnapshot(whole.data())->UnPack());
        const schema::Frame old = s->fibers[f]->frames[k];
        std::uint32_t program = old.program(), function = old.function(), pc = old.pc();
        change(program, function, pc, by);
        s->fibers[f]->frames[k] = schema::Frame(program, function, pc, old.kind(), old.owns_callee());
        look(packed_snapshot(*s), by);
      }
    }
  }
}

TEST_F(Frames, AnyProgramCounterIsRefusedOrHarmless) {
  for (const char* const source : {kWaits, kSorts, kBranches}) {
    each_frame(suspended(source), 120, [](auto&, auto&, auto& pc, std::uint32_t by) { pc = by; },
               [](const Octets& bytes, std::uint32_t) {
                 refusal(bytes);
                 expect_harmless(bytes);
               });
  }
}

TEST_F(Frames, AProgramCounterOutsideOfTheCodeIsRefused) {
  each_frame(suspended(kWaits), 4,
             [](auto&, auto&, auto& pc, std::uint32_t by) { pc = by == 0 ? 100'000 : UINT32_MAX - by; },
             [](const Octets& bytes, std::uint32_t) { expect_refused(bytes, "snapshot_invalid"); });
}

TEST_F(Frames, AnyFunctionIsRefusedOrHarmless) {
  for (const char* const source : {kWaits, kSorts, kBranches}) {
    each_frame(suspended(source), 12, [](auto&, auto& function, auto&, std::uint32_t by) { function = by; },
               [](const Octets& bytes, std::uint32_t) { expect_harmless(bytes); });
  }
}

TEST_F(Frames, AFunctionOrProgramThatIsNotThereIsRefused) {
  each_frame(suspended(kWaits), 2,
             [](auto& program, auto& function, auto&, std::uint32_t by) { (by == 0 ? program : function) = 999'999; },
             [](const Octets& bytes, std::uint32_t) { expect_refused(bytes, "snapshot_invalid"); });
}

TEST_F(Frames, FramesThatAreMissingDoubledOrSwappedAreRefused) {
  const Octets whole = suspended(kWaits);
  expect_refused(changed(whole, [](auto& s) { s.fibers[0]->frames.clear(); }), "snapshot_invalid", "none");
  expect_refused(changed(whole, [](auto& s) { s.fibers[0]->frames.pop_back(); }), "snapshot_invalid", "one less");
  expect_refused(changed(whole, [](auto& s) {
    s.fibers[0]->frames.push_back(s.fibers[0]->frames.back());
  }), "snapshot_invalid", "one more");
  expect_refused(changed(whole, [](auto& s) {
    std::swap(s.fibers[0]->frames[0], s.fibers[0]->frames[1]);
  }), "snapshot_invalid", "swapped");
  expect_refused(changed(whole, [](auto& s) { s.fibers[0]->frames.resize(100'000, s.fibers[0]->frames[0]); }),
                 "snapshot_invalid", "100,000");
}

TEST_F(Frames, NoStackIsLargerThanTheMemoryLimit) {
  const Octets whole = suspended(kWaits);
  for (const std::uint32_t size : {0u, 1u, 31u, 33u, 1u << 20, 1u << 28, UINT32_MAX}) {
    const auto stack = changed(whole, [size](auto& s) { s.fibers[0]->stack_size = size; });
    if (size > 1'000'000'000 || size < 31) expect_refused(stack, "snapshot_invalid", "stack");
    expect_harmless(stack);
    const auto frames = changed(whole, [size](auto& s) { s.fibers[0]->frame_capacity = size; });
    if (size == 0) expect_refused(frames, "snapshot_invalid", "frames");   // more than the depth limit is not made
    expect_harmless(frames);
  }
}

TEST_F(Frames, ABranchHasItsParentBeforeIt) {
  const Octets whole = suspended(kBranches);
  ASSERT_EQ(parts(whole)->fibers.size(), 4u);
  for (const std::uint32_t parent : {1u, 2u, 3u, 4u, 100u, UINT32_MAX - 1, UINT32_MAX}) {
    expect_refused(changed(whole, [parent](auto& s) { s.fibers[1]->parent = parent; }), "snapshot_invalid",
                   "parent " + std::to_string(parent));
  }
  expect_refused(changed(whole, [](auto& s) { s.fibers[0]->parent = 0; }), "snapshot_invalid", "its own parent");
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->parent = 2; }), "snapshot_invalid", "branch of a branch");
  expect_refused(changed(whole, [](auto& s) { s.fibers.pop_back(); }), "snapshot_invalid", "one branch less");
  expect_refused(changed(whole, [](auto& s) { s.fibers.clear(); }), "snapshot_invalid", "no fiber");
}

TEST_F(Frames, BranchesInsideOfBranchesAreBounded) {
  const auto deep = changed(suspended(kBranches), [](auto& s) {
    for (std::uint32_t k = 4; k < 5'000; ++k) {
      s.fibers.push_back(std::make_unique<schema::FiberT>(*s.fibers[3]));
      s.fibers.back()->parent = k - 1;
      s.fibers.back()->id = k + 1;
    }
  });
  expect_refused(deep, "snapshot_invalid");
}

TEST_F(Frames, EveryStateOfAFiberIsRefusedOrHarmless) {
  for (const char* const source : {kWaits, kSorts, kBranches}) {
    const Octets whole = suspended(source);
    const std::size_t fibers = parts(whole)->fibers.size();
    for (std::size_t f = 0; f < fibers; ++f) {
      for (int state = 0; state < 10; ++state) {
        const auto other = changed(whole, [=](auto& s) {
          s.fibers[f]->state = static_cast<schema::FiberState>(state);
          s.suspended = false;
        });
        expect_harmless(other);
        if (state > 6) expect_refused(other, "snapshot_invalid", "no such state");
      }
    }
  }
}

TEST_F(Frames, SteppersAreWhatTheyAreCalled) {
  const Octets whole = suspended(kSorts);
  for (const char* const name : {"", "no-such-builtin", "map", "get", "pmap", "await", "sort", "%await-call"}) {
    const auto other = changed(whole, [name](auto& s) {
      for (auto& builtin : s.builtins) builtin = name;
    });
    expect_refused(other, "snapshot_invalid", name);
  }
}

// What a stage fills in later holds nothing yet: it would be lost when it is filled in.
TEST_F(Frames, SlotsThatAreNotFilledYetAreEmpty) {
  const Octets sort = json_with(suspended(kSorts), "[], null, null", "[], null, \"kept\"");
  EXPECT_EQ(refusal(sort), "snapshot_invalid: fiber 0: frame 1: sort: slots that nothing filled");
  const Octets pmap = json_with(suspended(kBranches), "null, null]", "null, \"kept\"]");
  EXPECT_EQ(refusal(pmap), "snapshot_invalid: fiber 0: frame 1: branches: slots that nothing filled");
}

// What fuzzing found, kept for ever.
TEST_F(Frames, WhatOnceDidHarmIsHarmless) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PTC_HOSTILE_SNAPSHOTS)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const Octets bytes{std::istreambuf_iterator<char>(in), {}};
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Driven driven = drive_snapshot(bytes, seed, small_limits());
      EXPECT_EQ(driven.complaint, "") << entry.path() << ", seed " << seed;
    }
    ++files;
  }
  EXPECT_GE(files, 4u);
}

TEST_F(Frames, TheRunningProgramIsOneOfThem) {
  const Octets whole = suspended(kWaits);
  for (const std::uint32_t running : {1u, 50u, UINT32_MAX}) {
    expect_refused(changed(whole, [running](auto& s) { s.running = running; }), "snapshot_invalid", "running");
  }
  expect_refused(changed(whole, [](auto& s) { s.programs.clear(); }), "snapshot_invalid", "no program");
  expect_refused(changed(whole, [](auto& s) {
    s.programs.push_back(std::make_unique<schema::LinkedProgramT>(*s.programs[0]));
  }), "snapshot_invalid", "one program twice");
}

// Every bit of the code, too: what the verifier of bytecode lets through must be harmless.
TEST_F(Frames, AnyFlippedBitOfTheProgramIsRefusedOrHarmless) {
  const Octets whole = suspended(kSorts);
  const std::size_t size = parts(whole)->programs[0]->bytes.size();
  for (std::size_t byte = 0; byte < size; ++byte) {
    const auto other = changed(whole, [byte](auto& s) {
      s.programs[0]->bytes[byte] ^= static_cast<std::uint8_t>(1u << byte % 8);
    });
    refusal(other);
    expect_harmless(other);
    ASSERT_FALSE(HasFailure()) << "byte " << byte;
  }
}

}  // namespace
}  // namespace ptc::test
