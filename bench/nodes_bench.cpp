// What a store in PostgreSQL and its workers do, one measurement a process. bench/nodes calls this beside its peers.
//
//   ptc_nodes_bench enqueue URL CLIENTS SECONDS      jobs, one a commit: jobs a second
//   ptc_nodes_bench bulk    URL JOBS                 jobs in one call: jobs a second
//   ptc_nodes_bench drain   URL PROGRAM JOBS THREADS runs of a worker until its queue is empty: runs a second
//   ptc_nodes_bench start   URL COUNT                from the call of enqueue() to the first call of the run, in ms
//   ptc_nodes_bench park    URL COUNT                leaves COUNT runs that wait
//   ptc_nodes_bench wake    URL COUNT FIRST LAST     from the call of resolve() to the next call of the run, in ms
//   ptc_nodes_bench worker  URL LEASE_MS             works until SIGTERM; a line for each event
//
// PROGRAM is "empty" or "tasks" (ten tasks). The result is a line of JSON.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench_results.h"
#include "ptcvm/postgres.hpp"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr char kEmpty[] = "nil";
constexpr char kTasks[] = "(reduce (fn [sum i] (+ sum (task (str \"t\" i) i))) 0 (range 10))";
constexpr char kStart[] = "(tool/note {:n data/n})";
constexpr char kWaits[] = "(let [answer (await (tool/approve {:n data/n}))] (tool/note {:n answer}))";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

ptcvm::Store opened(const std::string& url, std::size_t connections) {
  ptcvm::PostgresOptions options;
  options.connections = connections;
  return taken(ptcvm::open_postgres(url, options));
}

// Ids differ between processes on one database.
std::string fresh_id() {
  static const std::string own = std::to_string(std::random_device{}()) + "-";
  static std::atomic<std::uint64_t> next{0};
  return own + std::to_string(++next);
}

ptcvm::QueuedJob job(const std::string& source, std::string id = fresh_id(), std::string data = {}) {
  ptcvm::QueuedJob out;
  out.id = std::move(id);
  out.source = source;
  out.options.data_edn = std::move(data);
  return out;
}

// When a run called the tool "note", by the number that it gave.
class Notes {
 public:
  ptcvm::Tools tools() {
    ptcvm::Tools out;
    ptcvm::ToolOptions pure, async;
    pure.effect = ptcvm::Effect::Pure;
    async.mode = ptcvm::ToolMode::Async;
    const auto note = [this](std::int64_t n) {
      {
        const std::lock_guard lock(mutex_);
        seen_[n] = Clock::now();
      }
      noted_.notify_all();
      return n;
    };
    const auto approve = [](ptcvm::ToolCall& call) { return call.pending(); };
    if (!out.add("note", "(n :int) -> :int", note, pure)) stop("the tool note");
    if (!out.add("approve", "(n :int) -> :int", approve, async)) stop("the tool approve");
    return out;
  }
  Clock::time_point wait_for(std::int64_t n) {
    std::unique_lock lock(mutex_);
    if (!noted_.wait_for(lock, std::chrono::seconds(30), [&] { return seen_.contains(n); })) stop("a run was lost");
    return seen_.at(n);
  }

 private:
  std::mutex mutex_;
  std::condition_variable noted_;
  std::map<std::int64_t, Clock::time_point> seen_;
};

void enqueue_one_by_one(const std::string& url, int clients, double seconds) {
  const ptcvm::Engine engine;
  const ptcvm::Store store = opened(url, static_cast<std::size_t>(clients));
  std::atomic<std::uint64_t> count{0};
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      while (seconds_since(start) < seconds) {
        if (!taken(ptcvm::enqueue(engine, store, job(kEmpty)))) stop("an id was there");
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("{\"per_s\": %.1f}\n", static_cast<double>(count) / seconds_since(start));
}

void enqueue_jobs(const ptcvm::Store& store, const std::string& source, std::size_t count) {
  std::vector<ptcvm::QueuedJob> jobs;
  jobs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) jobs.push_back(job(source));
  taken(ptcvm::enqueue(ptcvm::Engine(), store, jobs));
}

void enqueue_many(const std::string& url, std::size_t count) {
  const ptcvm::Store store = opened(url, 1);
  const auto start = Clock::now();
  enqueue_jobs(store, kEmpty, count);
  std::printf("{\"per_s\": %.1f}\n", static_cast<double>(count) / seconds_since(start));
}

void drain(const std::string& url, const std::string& program, std::size_t count, std::size_t threads) {
  const ptcvm::Store store = opened(url, threads + 1);
  for (std::size_t left = count; left > 0; left -= std::min<std::size_t>(left, 1'000)) {
    enqueue_jobs(store, program == "tasks" ? kTasks : kEmpty, std::min<std::size_t>(left, 1'000));
  }
  ptcvm::WorkerOptions options;
  options.threads = threads;
  options.until_empty = true;
  ptcvm::Worker worker(ptcvm::Engine(), store, ptcvm::Tools(), options);
  const auto start = Clock::now();
  taken(worker.run());
  const double took = seconds_since(start);
  if (worker.stats().ended < count) stop("runs are left");
  std::printf("{\"per_s\": %.1f}\n", static_cast<double>(worker.stats().ended) / took);
}

void print_latencies(std::vector<double>& ms) {
  std::ranges::sort(ms);
  const double last = static_cast<double>(ms.size() - 1);
  const auto at = [&](double share) { return ms[static_cast<std::size_t>(share * last)]; };
  std::printf("{\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"most_ms\": %.3f}\n", at(0.5), at(0.99), ms.back());
}

// A worker beside what is measured, in this process and over connections of its own.
class OwnWorker {
 public:
  OwnWorker(const std::string& url, const ptcvm::Tools& tools)
      : worker_(ptcvm::Engine(), opened(url, 5), tools, options()),
        thread_([this](std::stop_token over) { taken(worker_.run(std::move(over))); }) {
    while (worker_.stats().claim_times.seconds == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Returns once the worker has nothing in its hands.
  void wait_until_idle() const {
    while (worker_.stats().running != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ptcvm::WorkerStats stats() const { return worker_.stats(); }

 private:
  static ptcvm::WorkerOptions options() {
    ptcvm::WorkerOptions out;
    out.threads = 4;
    return out;
  }
  ptcvm::Worker worker_;
  std::jthread thread_;
};

void measure_starts(const std::string& url, int count) {
  Notes notes;
  const ptcvm::Engine engine;
  const ptcvm::Store store = opened(url, 1);
  const OwnWorker worker(url, notes.tools());
  std::vector<double> ms;
  for (std::int64_t n = 0; n < count; ++n) {
    const auto start = Clock::now();
    taken(ptcvm::enqueue(engine, store, job(kStart, fresh_id(), "{\"n\" " + std::to_string(n) + "}")));
    ms.push_back(std::chrono::duration<double, std::milli>(notes.wait_for(n) - start).count());
    worker.wait_until_idle();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  print_latencies(ms);
}

std::string parked_id(std::uint64_t n) { return "parked-" + std::to_string(n); }

void park(const std::string& url, std::uint64_t count) {
  const ptcvm::Store store = opened(url, 1);
  std::vector<ptcvm::QueuedJob> jobs;
  for (std::uint64_t n = 0; n < count; ++n) {
    jobs.push_back(job(kWaits, parked_id(n), "{\"n\" " + std::to_string(n) + "}"));
  }
  taken(ptcvm::enqueue(ptcvm::Engine(), store, jobs));
  Notes notes;
  const OwnWorker worker(url, notes.tools());
  while (worker.stats().waiting < count) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::printf("{\"parked\": %llu}\n", static_cast<unsigned long long>(count));
}

// Wakes runs far from each other among those that park() and copies of it left.
void measure_wakes(const std::string& url, std::uint64_t count, std::uint64_t first, std::uint64_t last) {
  Notes notes;
  const auto before = Clock::now();
  ptcvm::Store store = opened(url, 1);
  const OwnWorker worker(url, notes.tools());
  const double start_ms = seconds_since(before) * 1e3;
  std::vector<double> ms;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = (last - first) / count, n = first + i * step + random() % step;
    const auto start = Clock::now();
    const auto answer = static_cast<std::int64_t>(i);
    taken(store.resolve(parked_id(n), "op1", ptcvm::Value::of(answer)));
    ms.push_back(std::chrono::duration<double, std::milli>(notes.wait_for(answer) - start).count());
    worker.wait_until_idle();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::printf("{\"start_ms\": %.1f}\n", start_ms);
  print_latencies(ms);
}

std::stop_source asked_to_end;

// Prints "EVENT RUN SECONDS" by the clock that all processes of the machine share.
void work(const std::string& url, std::int64_t lease_ms) {
  std::signal(SIGTERM, [](int) { asked_to_end.request_stop(); });
  ptcvm::Tools tools;
  const auto hold = [](std::int64_t ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    return ms;
  };
  ptcvm::ToolOptions idempotent;
  idempotent.effect = ptcvm::Effect::Idempotent;
  if (!tools.add("hold", "(ms :int) -> :int", hold, idempotent)) stop("the tool hold");
  ptcvm::WorkerOptions options;
  options.lease = std::chrono::milliseconds(lease_ms);
  options.on_event = [](const ptcvm::WorkerEvent& event) {
    const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    std::printf("%s %.*s %.6f\n", std::string(ptcvm::worker_event_name(event.kind)).c_str(),
                static_cast<int>(event.run.size()), event.run.data(), now);
    std::fflush(stdout);
  };
  ptcvm::Worker worker(ptcvm::Engine(), opened(url, 5), tools, options);
  taken(worker.run(asked_to_end.get_token()));
}

std::uint64_t number(const Words& words, std::size_t at) {
  if (at >= words.size()) stop("words are missing: see the top of bench/nodes_bench.cpp");
  return std::strtoull(words[at].c_str(), nullptr, 10);
}

}  // namespace

int main(int count, char** words_given) {
  const Words words(words_given, words_given + count);
  if (words.size() < 3) stop("usage: ptc_nodes_bench MEASUREMENT URL …, see the top of bench/nodes_bench.cpp");
  const std::string &what = words[1], &url = words[2];
  if (what == "enqueue") {
    enqueue_one_by_one(url, static_cast<int>(number(words, 3)), static_cast<double>(number(words, 4)));
  } else if (what == "bulk") {
    enqueue_many(url, number(words, 3));
  } else if (what == "drain") {
    drain(url, words.at(3), number(words, 4), number(words, 5));
  } else if (what == "start") {
    measure_starts(url, static_cast<int>(number(words, 3)));
  } else if (what == "park") {
    park(url, number(words, 3));
  } else if (what == "wake") {
    measure_wakes(url, number(words, 3), number(words, 4), number(words, 5));
  } else if (what == "worker") {
    work(url, static_cast<std::int64_t>(number(words, 3)));
  } else {
    stop("there is no measurement " + what);
  }
}
