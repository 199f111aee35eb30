#include "support/snapshot_drive.h"

#include <optional>

#include "support/packed_snapshot.h"
#include "support/random.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc::test {
namespace {

constexpr std::size_t kShownBytes = 2'000;
constexpr std::uint64_t kSlackBytes = 64u << 10;

// A run with what its snapshot says about the host; gives the values of both back.
class Host {
 public:
  Host(Restored restored, std::uint64_t seed) : random_(seed), restored_(std::move(restored)) {}
  ~Host() {
    for (const auto& [key, value] : restored_.host.cached_answers) run().heap().release(value);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  std::string play(const RunLimits& most) {
    constexpr int kVisits = 300;
    for (int visit = 0; visit < kVisits; ++visit) {
      if (random_.below(16) == 0) {
        if (std::string complaint = rewrite(most); !complaint.empty()) return complaint;
      }
      run().set_clock(clock_);
      look_around();
      const StepStatus status = run().step(1 + random_.below(random_.below(2) == 0 ? 30 : 20'000));
      if (std::string complaint = passed_limit(); !complaint.empty()) return complaint;
      switch (status) {
        case StepStatus::Yielded: break;
        case StepStatus::NeedsTool: {
          const auto requests = run().tool_requests();
          answer(requests[random_.below(requests.size())].id);
          break;
        }
        case StepStatus::Suspended:
          if (!settle()) return {};
          break;
        default: look_around(); return {};
      }
    }
    return {};
  }

  // What was restored is written, restored, and writes the same.
  std::string rewrite(const RunLimits& most) {
    if (run().heap().over_limit()) return {};
    const std::vector<std::uint8_t> bytes = write_snapshot(run(), restored_.host);
    RestoreOptions options;
    options.most = most;
    auto result = restore_snapshot(bytes, options);
    if (const auto* error = std::get_if<RestoreError>(&result)) return "written, and refused: " + error->message;
    Host other(std::get<Restored>(std::move(result)), random_.next());
    if (write_snapshot(other.run(), other.restored_.host) != bytes) return "written, restored, and written otherwise";
    std::swap(restored_, other.restored_);
    return {};
  }

 private:
  Run& run() { return restored_.run; }

  Value some_value() {
    Heap& heap = run().heap();
    switch (random_.below(5)) {
      case 0: return Value::integer(static_cast<std::int64_t>(random_.below(100)));
      case 1: return string_of(heap, "an answer");
      case 2: {
        const Value items[] = {Value::integer(1), Value::nil(), Value::boolean(true)};
        return vector_of(heap, items);
      }
      case 3: return map_assoc(heap, map_empty(heap), string_of(heap, "name"), Value::integer(7));
      default: return Value::nil();
    }
  }

  void answer(std::uint64_t id) {
    switch (random_.below(8)) {
      case 0: run().answer_error(id, "the tool is away"); return;
      case 1:
        if (run().admit_operation(id)) run().answer_pending(id, {});
        return;
      case 2: {
        PendingReply reply;
        reply.immediate = some_value();
        reply.use = PendingReply::Use::WaitAtCall;
        if (random_.below(4) == 0) reply.id = "op1";
        if (run().admit_operation(id)) {
          run().answer_pending(id, std::move(reply));
        } else {
          run().heap().release(reply.immediate);
        }
        return;
      }
      case 3: run().answer_resolved(id, {Settlement::Kind::Ok, some_value(), {}}); return;
      default:
        if (run().admit(id)) run().answer(id, some_value(), random_.below(2) == 0);
    }
  }

  // Memory is passed by one object at most, fuel by what one instruction does in bulk.
  std::string passed_limit() {
    const RunLimits& limits = run().limits();
    constexpr std::uint64_t kBulk = 1u << 24;
    if (run().fuel_used() > limits.fuel && run().fuel_used() - limits.fuel > kBulk) return "fuel far beyond its limit";
    const std::uint64_t object = limits.string_bytes + kSlackBytes, used = run().heap().bytes_used();
    return used > limits.memory_bytes && used - limits.memory_bytes > object ? "memory far beyond its limit" : "";
  }

  // Returns false when nothing is left to settle.
  bool settle() {
    std::vector<std::string> waiting;
    for (const Operation& operation : run().operations().all()) {
      if (operation.status == Operation::Status::Waiting) waiting.push_back(operation.id);
    }
    const std::optional<std::int64_t> deadline = run().next_deadline();
    if (waiting.empty() || random_.below(6) == 0) {
      if (!deadline || *deadline <= clock_) return !waiting.empty();
      clock_ = *deadline;
      return true;
    }
    const std::string& id = waiting[random_.below(waiting.size())];
    switch (random_.below(5)) {
      case 0: run().resolve(id, {Settlement::Kind::Error, Value::nil(), "no"}); break;
      case 1: run().resolve(id, {Settlement::Kind::Cancelled, Value::nil(), "late"}); break;
      case 2: run().resolve(id, {Settlement::Kind::Progress, some_value(), {}}); break;
      default: run().resolve(id, {Settlement::Kind::Ok, some_value(), {}});
    }
    return true;
  }

  // Everything that a host may ask.
  void look_around() {
    Heap& heap = run().heap();
    std::string text;
    const auto show = [&](Value v) {
      text.clear();
      if (!v.is_absent()) append_readable(text, v, heap, {kShownBytes, nullptr});
    };
    show(run().result());
    if (random_.below(8) != 0) return;
    run().for_each_definition([&](std::string_view, Value v) { show(v); });
    for (const ToolRecord& record : run().tool_records()) {
      show(record.args);
      show(record.result);
    }
    for (const Operation& operation : run().operations().all()) show(operation.args);
    for (const Journal::Entry& entry : run().environment().journal.entries()) show(entry.value);
    run().awaited();
    run().take_cancel_requests();
  }

  Random random_;
  Restored restored_;
  std::int64_t clock_ = 1'000'000;
};

}  // namespace

RunLimits small_limits() {
  RunLimits most;
  most.fuel = 20'000;
  most.memory_bytes = 8u << 20;
  most.depth = 500;
  most.loop = 1'000;
  most.tool_calls = 50;
  most.parallel_branches = 100;
  most.pending_operations = 50;
  most.suspensions = 50;
  most.string_bytes = 1u << 20;
  return most;
}

RunLimits tiny_limits() {
  RunLimits most = small_limits();
  most.fuel = 2'000;
  most.memory_bytes = 1u << 20;
  most.depth = 100;
  most.loop = 200;
  most.tool_calls = 10;
  most.parallel_branches = 20;
  most.suspensions = 10;
  most.string_bytes = 64u << 10;
  most.integer_bits = 4'096;
  return most;
}

std::string drive_run(Run run, std::uint64_t seed, const RunLimits& most) {
  return Host({std::move(run), {}}, seed).play(most);
}

Driven drive_snapshot(std::span<const std::uint8_t> bytes, std::uint64_t seed, const RunLimits& most) {
  Driven driven;
  RestoreOptions options;
  options.most = most;
  auto result = restore_snapshot(with_right_checksum(bytes), options);
  if (auto* error = std::get_if<RestoreError>(&result)) {
    driven.refusal = std::move(*error);
    return driven;
  }
  driven.restored = true;
  Host host(std::get<Restored>(std::move(result)), seed);
  driven.complaint = host.rewrite(most);
  if (driven.complaint.empty()) driven.complaint = host.play(most);
  return driven;
}

}  // namespace ptc::test
