#include "tools/ptcvm/program/snapshot_show.h"

#include <string_view>
#include <vector>

#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kShownBytes = 160;
constexpr std::size_t kShownFrames = 12;     // shown of each fiber, innermost first
constexpr std::size_t kShownFibers = 40;

std::string_view place_text(SnapshotView::Place place) {
  switch (place) {
    case SnapshotView::Place::BetweenTurns: return "no turn runs";
    case SnapshotView::Place::Suspended: return "suspended";
    case SnapshotView::Place::BetweenSteps: return "between two steps";
  }
  return "";
}

std::string_view state_text(SnapshotView::FiberState state) {
  using State = SnapshotView::FiberState;
  switch (state) {
    case State::Ready: return "goes on";
    case State::WaitsForTool: return "waits for a tool";
    case State::WaitsForOperations: return "waits for operations";
    case State::WaitsForTask: return "waits for the task of another branch";
    case State::WaitsForBranches: return "waits for its branches";
    case State::Finished: return "is done";
    case State::Faulted: return "has failed";
  }
  return "";
}

class SnapshotText {
 public:
  SnapshotText(const SnapshotView& snapshot, std::int64_t now_ms)
      : snapshot_(snapshot), facts_(snapshot.facts()), now_ms_(now_ms) {}

  std::string text(std::size_t size_bytes) {
    out_ = "snapshot of " + std::to_string(size_bytes) + " bytes, format " + std::to_string(facts_.format) + ", run " +
           facts_.run_id + ", turn " + std::to_string(facts_.turn) + '\n';
    out_.append(place_text(facts_.place)) += '\n';
    operations();
    fibers();
    budgets();
    values("namespace", snapshot_.definitions());
    values("journal", snapshot_.journal());
    prints();
    return std::move(out_);
  }

 private:
  void heading(std::string_view title) { out_.append("\n").append(title).append("\n"); }
  std::string moment(std::int64_t millis) const { return moment_text(millis, now_ms_); }

  void waiting(const SnapshotView::Operation& operation) {
    out_ += " since " + moment(operation.since_ms);
    if (operation.due_ms != 0) out_ += (operation.is_sleep ? ", until " : ", expires ") + moment(operation.due_ms);
    if (!operation.is_awaited) return;
    out_ += ", awaited";
    const bool limited = operation.deadline_ms != 0 && operation.deadline_ms != operation.due_ms;
    if (limited) out_ += " until " + moment(operation.deadline_ms);
  }

  void operations() {
    heading("operations");
    const std::vector<SnapshotView::Operation> all = snapshot_.operations();
    if (all.empty()) out_ += "  none\n";
    for (const SnapshotView::Operation& operation : all) {
      out_ += "  " + operation.id + "  " + operation.tool + ' ' + operation.args.to_text(kShownBytes) + '\n';
      out_ += "      " + operation.status;
      if (operation.status == "waiting") {
        waiting(operation);
      } else if (!operation.reason.empty()) {
        out_ += ": " + operation.reason;
      } else if (operation.status == "ok") {
        out_ += ": " + operation.result.to_text(kShownBytes);
      }
      if (!operation.task_id.empty()) out_ += ", task \"" + operation.task_id + '"';
      out_ += '\n';
    }
  }

  void fibers() {
    const std::vector<SnapshotView::Fiber> all = snapshot_.fibers();
    for (std::size_t k = 0; k < all.size() && k < kShownFibers; ++k) fiber(k, all[k]);
    if (all.size() > kShownFibers) heading("and " + std::to_string(all.size() - kShownFibers) + " more fibers");
  }

  void fiber(std::size_t index, const SnapshotView::Fiber& fiber) {
    heading("fiber " + std::to_string(index) +
            (fiber.parent ? " (branch of " + std::to_string(*fiber.parent) + ") " : " (main) ") +
            std::string(state_text(fiber.state)));
    if (fiber.state == SnapshotView::FiberState::Faulted) out_ += "  " + fiber.fault + '\n';
    if (fiber.line != 0) {
      out_ += "  --> " + (fiber.source_name.empty() ? std::string("<program>") : fiber.source_name) + ':' +
              std::to_string(fiber.line) + ':' + std::to_string(fiber.column) + '\n';
      out_ += snapshot_.excerpt(index);
    }
    for (const SnapshotView::Frame& one : snapshot_.frames(index, kShownFrames)) frame(one);
    if (fiber.frame_count > kShownFrames) {
      out_ += "  … and " + std::to_string(fiber.frame_count - kShownFrames) + " more frames\n";
    }
  }

  void frame(const SnapshotView::Frame& frame) {
    out_ += "  in " + frame.function;
    if (frame.line != 0) out_ += " at " + std::to_string(frame.line) + ':' + std::to_string(frame.column);
    out_ += '\n';
    entries("    ", frame.locals);
  }

  void budget(std::string_view name, std::uint64_t used, std::uint64_t limit) {
    out_.append("  ").append(name).append(" ") += std::to_string(used) + " of " + std::to_string(limit) + '\n';
  }

  void budgets() {
    heading("budgets");
    budget("fuel", facts_.fuel, facts_.limits.fuel);
    budget("memory", facts_.memory_bytes, facts_.limits.memory_bytes);
    budget("tool calls", facts_.tool_calls, facts_.limits.tool_calls);
    budget("suspensions", facts_.suspensions, facts_.limits.suspensions);
    budget("printed bytes", facts_.print_bytes, facts_.limits.print_bytes);
  }

  void entries(std::string_view indent, const std::vector<SnapshotView::Named>& all) {
    for (const SnapshotView::Named& entry : all) {
      out_.append(indent).append(entry.name).append(" = ").append(entry.value.to_text(kShownBytes)) += '\n';
    }
  }

  void values(std::string_view title, const std::vector<SnapshotView::Named>& all) {
    if (all.empty()) return;
    heading(title);
    entries("  ", all);
  }

  void prints() {
    const std::vector<std::string> lines = snapshot_.prints();
    if (lines.empty()) return;
    heading("printed so far");
    for (const std::string& line : lines) out_ += "  " + line + '\n';
  }

  const SnapshotView& snapshot_;
  const SnapshotView::Facts facts_;
  const std::int64_t now_ms_;
  std::string out_;
};

}  // namespace

std::string show_snapshot(const SnapshotView& snapshot, std::size_t size_bytes, std::int64_t now_ms) {
  return SnapshotText(snapshot, now_ms).text(size_bytes);
}

}  // namespace ptcvm::cli
