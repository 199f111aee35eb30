#include "tools/ptcvm/snapshot_show.h"

#include <algorithm>

#include "ptcvm/diagnostic.hpp"
#include "schema/builtin_id.h"
#include "schema/version.h"
#include "tools/ptcvm/moments.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/run_state.h"
#include "vm/value/print.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kShownBytes = 160;
constexpr std::size_t kShownFrames = 12;     // of a fiber, innermost first
constexpr std::size_t kShownFibers = 40;

class SnapshotText {
 public:
  SnapshotText(const ptc::Restored& restored, std::int64_t now_ms)
      : heap_(const_cast<ptc::Run&>(restored.run).heap()), state_(capture(ptc::MachineView(restored.run))),
        now_ms_(now_ms) {
    if (state_.suspended) awaited_ = restored.run.awaited();
  }

  std::string text(std::size_t size_bytes) {
    out_ = "snapshot of " + std::to_string(size_bytes) + " bytes, format " + std::to_string(ptc::kSnapshotFormat) +
           ", run " + state_.run_id + ", turn " + std::to_string(state_.turn) + '\n';
    out_ += state_.fibers.empty() ? "no turn runs\n" : state_.suspended ? "suspended\n" : "between two steps\n";
    operations();
    fibers();
    budgets();
    values("namespace", state_.cells, [](const ptc::CellState& cell) { return std::string_view(cell.name); });
    values("journal", state_.journal, [](const ptc::JournalState& entry) { return std::string_view(entry.id); });
    prints();
    return std::move(out_);
  }

 private:
  void heading(std::string_view title) { out_.append("\n").append(title).append("\n"); }

  std::string value(ptc::Value v) const {
    std::string text;
    append_readable(text, v, heap_, {kShownBytes, nullptr});
    return text;
  }

  std::string moment(std::int64_t millis) const { return moment_text(millis, now_ms_); }

  void awaited(const ptc::Operation& operation) {
    const auto at = std::find_if(awaited_.begin(), awaited_.end(),
                                 [&operation](const auto& other) { return other.id == operation.id; });
    if (at == awaited_.end()) return;
    out_ += ", awaited";
    const bool limited = at->deadline_ms != 0 && at->deadline_ms != operation.due_ms;
    if (limited) out_ += " until " + moment(at->deadline_ms);
  }

  void operations() {
    heading("operations");
    if (state_.operations.empty()) out_ += "  none\n";
    for (const ptc::Operation& operation : state_.operations) {
      out_ += "  " + operation.id + "  " + operation.tool + ' ' + value(operation.args) + '\n';
      out_ += "      " + std::string(operation_status_name(operation.status));
      if (operation.status == ptc::Operation::Status::Waiting) {
        out_ += " since " + moment(operation.created_ms);
        if (operation.due_ms != 0) {
          const bool sleeps = operation.kind == ptc::Operation::Kind::Sleep;
          out_ += (sleeps ? ", until " : ", expires ") + moment(operation.due_ms);
        }
        awaited(operation);
      } else if (!operation.reason.empty()) {
        out_ += ": " + operation.reason;
      } else if (operation.status == ptc::Operation::Status::Ok) {
        out_ += ": " + value(operation.result);
      }
      if (!operation.task_id.empty()) out_ += ", task \"" + operation.task_id + '"';
      out_ += '\n';
    }
  }

  static std::string_view state_text(ptc::Fiber::State state) {
    switch (state) {
      case ptc::Fiber::State::Ready: return "goes on";
      case ptc::Fiber::State::WaitsForTool: return "waits for a tool";
      case ptc::Fiber::State::WaitsForOperations: return "waits for operations";
      case ptc::Fiber::State::WaitsForTask: return "waits for the task of another branch";
      case ptc::Fiber::State::WaitsForBranches: return "waits for its branches";
      case ptc::Fiber::State::Finished: return "is done";
      case ptc::Fiber::State::Faulted: return "has failed";
    }
    return "";
  }

  void fibers() {
    std::vector<ptc::FramePosition> innermost(state_.fibers.size());
    for (std::size_t k = 0; k < state_.fibers.size(); ++k) {
      const ptc::FiberState& fiber = state_.fibers[k];
      const bool is_main = fiber.parent == ptc::FiberState::kNoParent;
      const ptc::FramePosition around = is_main ? ptc::FramePosition() : innermost[fiber.parent];
      const auto positions = frame_positions(state_, fiber, around);
      innermost[k] = positions.empty() ? around : positions.back();
      if (k == kShownFibers) heading("and " + std::to_string(state_.fibers.size() - k) + " more fibers");
      if (k >= kShownFibers) continue;
      heading("fiber " + std::to_string(k) +
              (is_main ? " (main) " : " (branch of " + std::to_string(fiber.parent) + ") ") +
              std::string(state_text(fiber.state)));
      if (fiber.state == ptc::Fiber::State::Faulted) out_ += "  " + fiber.fault_message + '\n';
      excerpt(innermost[k]);
      frames(fiber, positions);
    }
  }

  void excerpt(const ptc::FramePosition& position) {
    if (position.span.line == 0 || position.link >= state_.links.size()) return;
    const ptc::Program& program = *state_.links[position.link].program;
    out_ += "  --> " + (program.source_name.empty() ? std::string("<program>") : program.source_name) + ':' +
            std::to_string(position.span.line) + ':' + std::to_string(position.span.column) + '\n';
    Diagnostic place;
    place.begin = position.span.begin;
    place.end = position.span.end;
    place.line = position.span.line;
    out_ += source_excerpt(place, program.source);
  }

  void frames(const ptc::FiberState& fiber, const std::vector<ptc::FramePosition>& positions) {
    std::size_t shown = 0;
    for (std::size_t k = fiber.frames.size(); k-- > 0; ++shown) {
      const ptc::FrameState& frame = fiber.frames[k];
      if (shown == kShownFrames) {
        out_ += "  … and " + std::to_string(k + 1) + " more frames\n";
        return;
      }
      if (frame.kind == ptc::Frame::Kind::Stepper) {
        out_ += "  in " + std::string(ptc::builtin_info(frame.builtin).name) + '\n';
        continue;
      }
      const ptc::LinkState& link = state_.links[frame.link];
      const ptc::Prototype& function = link.program->functions[frame.function];
      out_ += "  in " + (frame.function == 0     ? "the program"
                         : function.name.empty() ? function.printed
                                                 : function.name);
      if (!link.is_prelude && positions[k].span.line != 0) {
        out_ += " at " + std::to_string(positions[k].span.line) + ':' + std::to_string(positions[k].span.column);
      }
      out_ += '\n';
      if (link.is_prelude) continue;
      const auto names = frame_value_names(state_, fiber, k);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty() || names[i].starts_with('%')) continue;
        out_.append("    ").append(names[i]).append(" = ").append(value(fiber.values[frame.first_value + i])) += '\n';
      }
    }
  }

  void budget(std::string_view name, std::uint64_t used, std::uint64_t limit) {
    out_.append("  ").append(name).append(" ") += std::to_string(used) + " of " + std::to_string(limit) + '\n';
  }

  void budgets() {
    heading("budgets");
    budget("fuel", state_.fuel_used, state_.limits.fuel);
    budget("memory", heap_.bytes_used(), state_.limits.memory_bytes);
    budget("tool calls", state_.tool_calls, state_.limits.tool_calls);
    budget("suspensions", state_.suspensions, state_.limits.suspensions);
    budget("printed bytes", state_.print_bytes, state_.limits.print_bytes);
  }

  template <class Entry, class Name>
  void values(std::string_view title, const std::vector<Entry>& entries, Name name) {
    if (entries.empty()) return;
    heading(title);
    for (const Entry& entry : entries) {
      out_.append("  ").append(name(entry)).append(" = ").append(value(entry.value)) += '\n';
    }
  }

  void prints() {
    if (state_.prints.empty()) return;
    heading("printed so far");
    for (const std::string& line : state_.prints) out_ += "  " + line + '\n';
  }

  ptc::Heap& heap_;
  const ptc::RunState state_;
  std::vector<ptc::AwaitedOperation> awaited_;
  const std::int64_t now_ms_;
  std::string out_;
};

}  // namespace

std::string show_snapshot(const ptc::Restored& restored, std::size_t size_bytes, std::int64_t now_ms) {
  return SnapshotText(restored, now_ms).text(size_bytes);
}

}  // namespace ptcvm::cli
