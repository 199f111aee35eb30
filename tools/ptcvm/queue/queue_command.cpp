// ptcvm queue: what is in the queues of a store, and their limits.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include "ptcvm/queues.hpp"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kQueueExamples = R"(Examples:
  ptcvm queue ls --store runs.db
  ptcvm queue pause orders --store runs.db
  ptcvm queue limit orders --slots 20 --tenant-slots 5 --rate 600/h --burst 10 --store runs.db)";

constexpr const char* kLimitExamples = R"(Examples:
  ptcvm queue limit orders --slots 20 --store runs.db
  ptcvm queue limit orders --rate 10/s --burst 50 --store runs.db
  ptcvm queue limit orders --slots none --rate none --store runs.db

The limits hold over all workers. Limits that are not given stay. A rate is a number of starts and /s, /m or /h; with
--burst that many may start at once. --crashes says how many workers may die with a run, one after the other and without
progress, until the run is set aside (ptcvm runs retry).)";

struct QueueRequest {
  StoreOptions store;
  std::string name, slots, tenant_slots, rate;
  std::optional<std::int64_t> burst;
  std::optional<std::int32_t> crashes;
  bool json = false;
};

std::string limit_text(const std::optional<std::int64_t>& limit) { return limit ? std::to_string(*limit) : "-"; }

std::string rate_text(const QueueStatus& queue) {
  if (!queue.starts_per_hour) return "-";
  return std::to_string(*queue.starts_per_hour) + "/h burst " + std::to_string(queue.burst);
}

std::string age_text(const QueueStatus& queue, std::int64_t now_ms) {
  return queue.ready_since_ms ? distance_text(*queue.ready_since_ms, now_ms) : "-";
}

void add_limit(std::string& out, std::string_view name, const std::optional<std::int64_t>& limit) {
  out.append(",\"").append(name).append("\":").append(limit ? std::to_string(*limit) : "null");
}

std::string line_of_json(const QueueStatus& queue) {
  std::string out = "{";
  ptc::append_json_member(out, "queue", queue.name);
  out += std::string(",\"paused\":") + (queue.is_paused ? "true" : "false");
  ptc::append_json_member(out, "ready", queue.ready);
  ptc::append_json_member(out, "timer", queue.timers);
  ptc::append_json_member(out, "held", queue.held);
  ptc::append_json_member(out, "waiting", queue.waiting);
  ptc::append_json_member(out, "blocked", queue.blocked);
  ptc::append_json_member(out, "quarantined", queue.quarantined);
  ptc::append_json_member(out, "dead", queue.dead);
  ptc::append_json_member(out, "dependency_failed", queue.dependency_failed);
  add_limit(out, "ready_since_ms", queue.ready_since_ms);
  add_limit(out, "slots", queue.slots);
  add_limit(out, "tenant_slots", queue.tenant_slots);
  add_limit(out, "starts_per_hour", queue.starts_per_hour);
  ptc::append_json_member(out, "burst", queue.burst);
  ptc::append_json_member(out, "crashes", std::int64_t{queue.most_crashes});
  return out + "}\n";
}

void write_table(const std::vector<QueueStatus>& all) {
  const std::int64_t now = now_millis();
  std::vector<std::vector<std::string>> rows = {{"QUEUE", "READY", "OLDEST", "TIMER", "HELD", "WAITING", "BLOCKED",
                                                 "SET ASIDE", "DEAD", "DEPENDENCY FAILED", "SLOTS", "PER TENANT",
                                                 "RATE", "STATE"}};
  for (const QueueStatus& queue : all) {
    rows.push_back({queue.name, std::to_string(queue.ready), age_text(queue, now), std::to_string(queue.timers),
                    std::to_string(queue.held), std::to_string(queue.waiting), std::to_string(queue.blocked),
                    std::to_string(queue.quarantined), std::to_string(queue.dead),
                    std::to_string(queue.dependency_failed), limit_text(queue.slots),
                    limit_text(queue.tenant_slots), rate_text(queue), queue.is_paused ? "paused" : "open"});
  }
  std::cout << text_table(rows);
}

int list(const QueueRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto all = queues(command.store());
  if (!all) return complain_of_store(all.error());
  if (request.json) {
    for (const QueueStatus& queue : *all) std::cout << line_of_json(queue);
  } else if (all->empty()) {
    std::cerr << "no queues\n";
  } else {
    write_table(*all);
  }
  return kSuccess;
}

int change(const QueueRequest& request, const QueueChange& wanted) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  const auto before = queues(command.store());
  if (!before) return complain_of_store(before.error());
  if (std::ranges::count(*before, request.name, &QueueStatus::name) == 0) {
    complain("there was no queue " + request.name + "; it is made now, and empty (ptcvm queue ls)");
  }
  if (const auto done = change_queue(command.store(), request.name, wanted); !done) {
    return complain_of_store(done.error());
  }
  const auto all = queues(command.store());
  if (!all) return complain_of_store(all.error());
  for (const QueueStatus& queue : *all) {
    if (queue.name == request.name) std::cout << line_of_json(queue);
  }
  return kSuccess;
}

int pause(const QueueRequest& request, bool is_paused) {
  QueueChange wanted;
  wanted.is_paused = is_paused;
  return change(request, wanted);
}

// Reads a number, or "none" for no limit. Returns false when it is neither.
bool read_limit(const std::string& text, std::optional<std::optional<std::int64_t>>& out) {
  if (text.empty()) return true;
  out.emplace();
  if (text == "none") return true;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  *out = number;
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// Reads "600/h", "10/m", "2/s", or "none": starts per hour.
bool read_rate(const std::string& text, std::optional<std::optional<std::int64_t>>& out) {
  if (text.empty() || text == "none") return read_limit(text, out);
  const std::size_t slash = text.find('/');
  const std::string unit = slash == std::string::npos ? "" : text.substr(slash + 1);
  const std::int64_t factor = unit == "h" ? 1 : unit == "m" ? 60 : unit == "s" ? 3'600 : 0;
  if (factor == 0 || !read_limit(text.substr(0, slash), out) || !*out || **out > INT32_MAX) return false;
  *out = **out * factor;
  return true;
}

std::string limit_problem(const std::string& text) {
  std::optional<std::optional<std::int64_t>> read;
  return read_limit(text, read) ? "" : "must be a whole number from 0, or none; found " + text;
}

std::string rate_problem(const std::string& text) {
  std::optional<std::optional<std::int64_t>> read;
  return read_rate(text, read) ? "" : "must be like 600/h, 10/m or 2/s, or none; found " + text;
}

// The texts of the request have passed the two functions above.
int limit(const QueueRequest& request) {
  QueueChange wanted;
  wanted.burst = request.burst;
  wanted.most_crashes = request.crashes;
  read_limit(request.slots, wanted.slots);
  read_limit(request.tenant_slots, wanted.tenant_slots);
  read_rate(request.rate, wanted.starts_per_hour);
  return change(request, wanted);
}

}  // namespace

void add_queue_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("queue", "List, pause and limit the queues of a store");
  command->require_subcommand(1);
  command->footer(kQueueExamples);
  auto request = std::make_shared<QueueRequest>();

  CLI::App* const ls = command->add_subcommand("ls", "List the queues: what is in them, and their limits");
  declare_store(*ls, request->store);
  ls->add_flag("--json", request->json, "A line of JSON for each");
  ls->footer("Examples:\n  ptcvm queue ls --store runs.db\n  ptcvm queue ls --store runs.db --json");
  ls->callback([request, &status] { status = list(*request); });

  CLI::App* const paused = command->add_subcommand("pause", "Let a queue give no run to a worker");
  paused->add_option("QUEUE", request->name, "The queue")->required();
  declare_store(*paused, request->store);
  paused->footer("Examples:\n  ptcvm queue pause orders --store runs.db\n\nRuns that are being executed go on.");
  paused->callback([request, &status] { status = pause(*request, true); });

  CLI::App* const resumed = command->add_subcommand("resume", "Let a queue give runs again");
  resumed->add_option("QUEUE", request->name, "The queue")->required();
  declare_store(*resumed, request->store);
  resumed->footer("Examples:\n  ptcvm queue resume orders --store runs.db");
  resumed->callback([request, &status] { status = pause(*request, false); });

  CLI::App* const limited = command->add_subcommand("limit", "Set limits of a queue");
  limited->add_option("QUEUE", request->name, "The queue")->required();
  declare_store(*limited, request->store);
  const CLI::Validator limit_reads(limit_problem, ""), rate_reads(rate_problem, "");
  limited->add_option("--slots", request->slots, "Runs at once")->type_name("N|none")->check(limit_reads);
  limited->add_option("--tenant-slots", request->tenant_slots, "Runs of one tenant at once")
      ->type_name("N|none")
      ->check(limit_reads);
  limited->add_option("--rate", request->rate, "Starts: 600/h, 10/m, 2/s")->type_name("N/UNIT|none")->check(rate_reads);
  limited->add_option("--burst", request->burst, "Starts at once where a rate is set");
  limited->add_option("--crashes", request->crashes, "Workers that may die with a run, until it is set aside");
  limited->footer(kLimitExamples);
  limited->callback([request, &status] { status = limit(*request); });
}

}  // namespace ptcvm::cli
