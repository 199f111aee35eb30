// Many threads share one engine, one list of tools, one store and one pool, and do with runs whatever may be done:
// begin, step, suspend, snapshot, restore, resolve, cancel, hand to another thread, destroy. Made for ThreadSanitizer:
//
//   cmake --preset tsan && ninja -C build/tsan ptc_threads_test
//   build/tsan/tests/ptc_threads_test --seconds 60
//
// The exit status is 0 exactly when every run gave what its program says. What happens in which order is up to the
// scheduler; what each thread tries is given by the seed.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/thread_pool.hpp"

namespace {

using ptcvm::Run;
using ptcvm::RunState;

// A run on its way, and what it must come to.
struct Parcel {
  Run run;
  std::string wanted;
  bool may_be_cancelled = false;   // somebody asked for it, maybe after the last look at the request
};

struct Counts {
  std::atomic<std::uint64_t> begun{0}, ended{0}, snapshots{0}, passed{0}, destroyed{0};
  std::atomic<std::uint64_t> cancelled{0}, pooled{0}, stored{0}, busy{0}, wrong{0};
};

// Where other threads leave runs.
class Mailbox {
 public:
  void put(Parcel parcel) {
    const std::lock_guard lock(mutex_);
    parcels_.push_back(std::move(parcel));
  }
  std::optional<Parcel> take() {
    const std::lock_guard lock(mutex_);
    if (parcels_.empty()) return std::nullopt;
    std::optional<Parcel> out(std::move(parcels_.back()));
    parcels_.pop_back();
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<Parcel> parcels_;
};

struct Shared {
  explicit Shared(std::size_t threads) : mail(threads) {
    (void)tools.add("twice", "(n :int) -> :int", [](std::int64_t n) { return 2 * n; });
    (void)tools.add("ask", "(n :int) -> :int", [](ptcvm::ToolCall& call) { return call.pending(); },
                    {.mode = ptcvm::ToolMode::Async});
    (void)tools.defer("fetch", "(n :int) -> :int");
    (void)stored_tools.add("twice", "(n :int) -> :int", [](std::int64_t n) { return 2 * n; },
                           {.effect = ptcvm::Effect::Pure});
  }

  const ptcvm::Engine engine{{.cached_programs = 8}};   // few, so that programs leave the cache while they run
  ptcvm::Tools tools, stored_tools;
  ptcvm::Store store = ptcvm::Store::in_memory();
  std::vector<Mailbox> mail;
  Counts counts;
  ptcvm::ThreadPool pool{{.threads = 2, .slice_fuel = 2'000}};   // ends before what its callbacks use
};

class Worker {
 public:
  Worker(Shared& shared, std::size_t self, std::uint64_t seed) : shared_(shared), self_(self), random_(seed + self) {}

  void act() {
    switch (pick(8)) {
      case 0: return run_stored();
      case 1: return use_pool();
      case 2: return look();
      default: break;
    }
    auto parcel = pick(2) == 0 ? shared_.mail[self_].take() : std::nullopt;
    push(parcel ? std::move(*parcel) : begin());
  }

 private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  void check(bool is_right, const std::string& what) {
    if (is_right) return;
    ++shared_.counts.wrong;
    std::fprintf(stderr, "thread %zu: %s\n", self_, what.c_str());
  }

  // One of some dozen programs, with data of its own.
  Parcel begin() {
    const std::size_t rounds = 1 + pick(12);
    const auto n = static_cast<std::int64_t>(pick(1'000));
    const std::string source = "(defn step [m i] (+ (tool/twice {:n m}) (await (tool/ask {:n i})) (tool/fetch {:n i})))"
                               "(reduce step data/n (range " + std::to_string(rounds) + "))";
    const auto program = shared_.engine.compile(source);
    check(program.has_value(), "a program was not compiled");
    const ptcvm::Value data = ptcvm::Value::build(
        [n](ptcvm::ValueWriter& out) { out.map([n](ptcvm::ValueWriter& entries) { entries.entry("n", n); }); });
    ptcvm::RunOptions options;
    options.tools = shared_.tools;
    options.data = data;
    std::int64_t wanted = n;
    for (std::size_t i = 0; i < rounds; ++i) wanted = 2 * wanted + 4 * static_cast<std::int64_t>(i);   // serve()
    ++shared_.counts.begun;
    return {*Run::start(shared_.engine, *program, options), std::to_string(wanted)};
  }

  // Goes on with a run until it is over or was given away.
  void push(Parcel parcel) {
    for (;;) {
      const RunState state = parcel.run.step(200 + pick(2'000));
      if (parcel.run.is_over()) return over(parcel);
      if (state == RunState::Suspended || pick(10) == 0) {
        switch (pick(6)) {
          case 0: return pass(std::move(parcel));
          case 1: through_snapshot(parcel); break;
          case 2:
            if (pick(8) == 0) {
              ++shared_.counts.destroyed;
              return;
            }
            break;
          default: break;
        }
      }
      serve(parcel.run);
    }
  }

  void serve(Run& run) {
    for (const ptcvm::PendingOperation& one : run.pending()) {
      const auto answer = ptcvm::Value::of(*one.args["n"].as_int() * 3);
      check(run.resolve(one.id, answer).has_value(), "a resolution was refused");
    }
    for (const ptcvm::WaitingCall& call : run.calls()) {
      const auto answer = ptcvm::Value::of(*call.args["n"].as_int());
      check(run.answer(call.id, answer).has_value(), "an answer was refused");
    }
  }

  void over(const Parcel& parcel) {
    ++shared_.counts.ended;
    const auto fault = parcel.run.diagnostic();
    if (parcel.may_be_cancelled && fault && fault->kind == "cancelled") {
      ++shared_.counts.cancelled;
      return;
    }
    check(!fault && parcel.run.result().to_edn() == parcel.wanted,
          "wanted " + parcel.wanted + ", got " + (fault ? fault->text : parcel.run.result().to_edn()));
  }

  void pass(Parcel parcel) {
    ++shared_.counts.passed;
    shared_.mail[pick(shared_.mail.size())].put(std::move(parcel));
  }

  void through_snapshot(Parcel& parcel) {
    ++shared_.counts.snapshots;
    const std::vector<std::byte> bytes = parcel.run.snapshot();
    ptcvm::RestoreOptions options;
    options.tools = shared_.tools;
    auto restored = Run::restore(shared_.engine, bytes, options);
    check(restored.has_value(), restored ? "" : restored.error().message);
    if (restored) parcel.run = std::move(*restored);
  }

  // The pool steps it on other threads, while this one may cancel it.
  void use_pool() {
    ++shared_.counts.pooled;
    std::stop_source stop;
    Parcel parcel = begin();
    auto stepped = shared_.pool.submit(std::to_string(pick(3)), std::move(parcel.run), stop.get_token());
    check(stepped.has_value(), "the pool refused a run");
    if (!stepped) return;
    if (pick(4) == 0) parcel.may_be_cancelled = stop.request_stop();
    parcel.run = stepped->get();
    if (parcel.run.is_over()) return over(parcel);
    push(std::move(parcel));
  }

  void run_stored() {
    const std::string id = "run-" + std::to_string(pick(200));
    const auto done = ptcvm::run_stored(shared_.engine, shared_.store, shared_.stored_tools,
                                        "(task \"one\" (tool/twice {:n 21}))", {.id = id});
    if (!done && done.error().code == ptcvm::Errc::busy) {
      ++shared_.counts.busy;
      return;
    }
    ++shared_.counts.stored;
    check(done && done->outcome.value.view().as_int() == 42, done ? "a stored run went wrong" : done.error().message);
  }

  void look() {
    const auto seen = shared_.engine.statistics();
    check(seen.cached_programs <= 8, "the cache holds too many programs");
    check(shared_.store.runs().has_value(), "the store does not list its runs");
  }

  Shared& shared_;
  const std::size_t self_;
  std::mt19937_64 random_;
};

std::uint64_t number_after(int argc, char** argv, const char* option, std::uint64_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    const char* const text = argv[i + 1];
    if (std::strcmp(argv[i], option) == 0) std::from_chars(text, text + std::strlen(text), otherwise);
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seconds = std::chrono::seconds(number_after(argc, argv, "--seconds", 5));
  const std::size_t count = number_after(argc, argv, "--threads", 8);
  const std::uint64_t seed = number_after(argc, argv, "--seed", 1);
  Shared shared(count);
  const auto end = std::chrono::steady_clock::now() + seconds;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&shared, i, seed, end] {
      Worker worker(shared, i, seed);
      do {
        worker.act();
      } while (std::chrono::steady_clock::now() < end);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Counts& c = shared.counts;
  std::printf("%llu runs begun, %llu ended, %llu snapshots, %llu passed on, %llu destroyed, %llu in the pool, "
              "%llu cancelled, %llu stored, %llu busy, %llu wrong\n",
              static_cast<unsigned long long>(c.begun), static_cast<unsigned long long>(c.ended),
              static_cast<unsigned long long>(c.snapshots), static_cast<unsigned long long>(c.passed),
              static_cast<unsigned long long>(c.destroyed), static_cast<unsigned long long>(c.pooled),
              static_cast<unsigned long long>(c.cancelled), static_cast<unsigned long long>(c.stored),
              static_cast<unsigned long long>(c.busy), static_cast<unsigned long long>(c.wrong));
  return c.wrong == 0 && c.ended > 0 ? 0 : 1;
}
