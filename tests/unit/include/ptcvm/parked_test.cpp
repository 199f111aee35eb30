// A hundred thousand parked runs: memory, and no thread.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <filesystem>

#include "ptcvm/ptcvm.hpp"

namespace {

#if defined(PTC_SANITIZED)
constexpr std::int64_t kRuns = 2'000;
#else
constexpr std::int64_t kRuns = 100'000;
#endif

std::ptrdiff_t thread_count() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/task"), Entries());
}

std::size_t bytes_in_use() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

TEST(ParkedRuns, CostMemoryAndNoThread) {
  const std::ptrdiff_t threads = thread_count();
  const ptcvm::Engine engine;
  ptcvm::Tools tools;
  ASSERT_TRUE(tools.add("ask", "(n :int) -> :int", [](ptcvm::ToolCall& call) { return call.pending(); },
                        {.mode = ptcvm::ToolMode::Async}));
  const auto program = engine.compile("(let [n data/n] (+ n (await (tool/ask {:n n}))))");
  ASSERT_TRUE(program);

  const std::size_t before = bytes_in_use();
  std::vector<ptcvm::Run> parked;
  parked.reserve(kRuns);
  for (std::int64_t i = 0; i < kRuns; ++i) {
    const ptcvm::Value data = ptcvm::Value::build([i](ptcvm::ValueWriter& out) {
      out.map([i](ptcvm::ValueWriter& entries) { entries.entry("n", i); });
    });
    ptcvm::RunOptions options;
    options.tools = tools;
    options.data = data;
    parked.push_back(*ptcvm::Run::start(engine, *program, options));
    ASSERT_EQ(parked.back().step(), ptcvm::RunState::Suspended);
    ASSERT_TRUE(parked.back().park());
  }
  EXPECT_EQ(thread_count(), threads);
  std::printf("%zu parked runs, %zu bytes each\n", parked.size(), (bytes_in_use() - before) / parked.size());

  for (std::int64_t i = kRuns - 1; i >= 0; --i) {
    ptcvm::Run& run = parked[static_cast<std::size_t>(i)];
    ASSERT_TRUE(run.resolve(run.pending()[0].id, ptcvm::Value::of(std::int64_t{1})));
    ASSERT_EQ(run.step(), ptcvm::RunState::Completed);
    ASSERT_EQ(run.result().as_int(), i + 1);
  }
}
