#include "ptcvm/snapshot_view.hpp"

#include <algorithm>
#include <map>

#include "api/engine_access.h"
#include "api/errors.h"
#include "api/octets.h"
#include "api/value_access.h"
#include "ptcvm/diagnostic.hpp"
#include "schema/builtin_id.h"
#include "schema/effect_class.h"
#include "schema/version.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/state_fields.h"

namespace ptcvm {

struct PTCVM_HIDDEN SnapshotView::Impl {
  explicit Impl(ptc::Restored opened);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ptc::Heap& heap() { return restored.run.heap(); }
  ValueView view(ptc::Value borrowed) { return ValueAccess::view(borrowed, heap()); }
  // Returns the positions of the frames of a fiber.
  std::vector<ptc::FramePosition> positions(std::size_t fiber) const;

  ptc::Restored restored;
  ptc::RunState state;                              // borrows from the run
  std::vector<ptc::FramePosition> innermost;        // the place of each fiber
};

namespace {

using FiberState = SnapshotView::FiberState;

FiberState state_of(ptc::Fiber::State state) {
  switch (state) {
    case ptc::Fiber::State::Ready: return FiberState::Ready;
    case ptc::Fiber::State::WaitsForTool: return FiberState::WaitsForTool;
    case ptc::Fiber::State::WaitsForOperations: return FiberState::WaitsForOperations;
    case ptc::Fiber::State::WaitsForTask: return FiberState::WaitsForTask;
    case ptc::Fiber::State::WaitsForBranches: return FiberState::WaitsForBranches;
    case ptc::Fiber::State::Finished: return FiberState::Finished;
    case ptc::Fiber::State::Faulted: return FiberState::Faulted;
  }
  return FiberState::Ready;
}

// Returns the program of a place, or null when the place is not in a source.
const ptc::Program* program_at(const ptc::RunState& state, const ptc::FramePosition& place) {
  if (place.span.line == 0 || place.link >= state.links.size()) return nullptr;
  return state.links[place.link].program.get();
}

}  // namespace

SnapshotView::Impl::Impl(ptc::Restored opened)
    : restored(std::move(opened)), state(capture(ptc::MachineView(restored.run))) {
  innermost.resize(state.fibers.size());
  for (std::size_t k = 0; k < state.fibers.size(); ++k) {
    const auto places = positions(k);
    const std::uint32_t parent = state.fibers[k].parent;
    if (!places.empty()) {
      innermost[k] = places.back();
    } else if (parent != ptc::FiberState::kNoParent) {
      innermost[k] = innermost[parent];
    }
  }
}

SnapshotView::Impl::~Impl() {
  for (const auto& [key, value] : restored.host.cached_answers) heap().release(value);
}

std::vector<ptc::FramePosition> SnapshotView::Impl::positions(std::size_t fiber) const {
  const std::uint32_t parent = state.fibers[fiber].parent;
  const bool is_main = parent == ptc::FiberState::kNoParent;
  return frame_positions(state, state.fibers[fiber], is_main ? ptc::FramePosition() : innermost[parent]);
}

bool may_be_snapshot(std::span<const std::byte> beginning) { return ptc::may_be_snapshot(octets(beginning)); }

SnapshotView::SnapshotView(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SnapshotView::SnapshotView(SnapshotView&& moved) noexcept = default;
SnapshotView& SnapshotView::operator=(SnapshotView&& moved) noexcept = default;
SnapshotView::~SnapshotView() = default;

Result<SnapshotView> SnapshotView::open(const Engine& engine, std::span<const std::byte> snapshot,
                                        std::size_t max_bytes) {
  ptc::RestoreOptions options;
  options.most_bytes = max_bytes;
  options.programs = EngineAccess::engine(engine).programs();
  auto restored = ptc::restore_snapshot(octets(snapshot), options);
  if (const auto* error = std::get_if<ptc::RestoreError>(&restored)) return restore_error(*error);
  return SnapshotView(std::make_unique<Impl>(std::get<ptc::Restored>(std::move(restored))));
}

SnapshotView::Facts SnapshotView::facts() const {
  const ptc::RunState& state = impl_->state;
  Facts out;
  out.format = ptc::kSnapshotFormat;
  out.run_id = state.run_id;
  out.turn = state.turn;
  out.place = state.fibers.empty() ? Place::BetweenTurns : state.suspended ? Place::Suspended : Place::BetweenSteps;
  out.fuel = state.fuel_used;
  out.tool_calls = state.tool_calls;
  out.suspensions = state.suspensions;
  out.print_bytes = state.print_bytes;
  out.memory_bytes = impl_->heap().bytes_used();
  ptc::for_each_limit_of(out.limits, state.limits,
                         [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
  return out;
}

std::vector<SnapshotView::Tool> SnapshotView::tools() const {
  std::vector<Tool> out;
  for (const ptc::HostTool& tool : impl_->restored.host.tools) {
    Tool& made = out.emplace_back();
    made.name = tool.name;
    made.mode = tool.mode < ptc::kToolModeNames.size() ? ptc::kToolModeNames[tool.mode] : std::string_view();
    made.effect = tool.effect;
    if (tool.effect.empty()) made.effect = ptc::effect_class_name(ptc::EffectClass::Unsafe);
    made.has_signature = tool.signature != 0;
  }
  return out;
}

std::vector<SnapshotView::Operation> SnapshotView::operations() const {
  std::map<std::string_view, std::int64_t> awaited;
  if (impl_->state.suspended) {
    for (const ptc::AwaitedOperation& one : impl_->restored.run.awaited()) awaited.emplace(one.id, one.deadline_ms);
  }
  std::vector<Operation> out;
  for (const ptc::Operation& operation : impl_->state.operations) {
    Operation& one = out.emplace_back();
    one.id = operation.id;
    one.tool = operation.tool;
    one.status = operation_status_name(operation.status);
    one.args = impl_->view(operation.args);
    one.result = impl_->view(operation.result);
    one.reason = operation.reason;
    one.task_id = operation.task_id;
    one.since_ms = operation.created_ms;
    one.due_ms = operation.due_ms;
    one.is_sleep = operation.kind == ptc::Operation::Kind::Sleep;
    const auto at = awaited.find(operation.id);
    one.is_awaited = at != awaited.end();
    if (one.is_awaited) one.deadline_ms = at->second;
  }
  return out;
}

std::vector<SnapshotView::Named> SnapshotView::definitions() const {
  std::vector<Named> out;
  for (const ptc::CellState& cell : impl_->state.cells) out.push_back({cell.name, impl_->view(cell.value)});
  return out;
}

std::vector<SnapshotView::Named> SnapshotView::journal() const {
  std::vector<Named> out;
  for (const ptc::JournalState& entry : impl_->state.journal) out.push_back({entry.id, impl_->view(entry.value)});
  return out;
}

std::vector<std::string> SnapshotView::prints() const { return impl_->state.prints; }

std::vector<std::pair<std::string, std::string>> SnapshotView::summaries() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const ptc::StepSummary& step : impl_->state.summaries) out.emplace_back(step.id, step.summary);
  std::ranges::stable_sort(out, {}, &std::pair<std::string, std::string>::first);
  return out;
}

std::vector<SnapshotView::Fiber> SnapshotView::fibers() const {
  const ptc::RunState& state = impl_->state;
  std::vector<Fiber> out;
  for (std::size_t k = 0; k < state.fibers.size(); ++k) {
    const ptc::FiberState& fiber = state.fibers[k];
    Fiber& one = out.emplace_back();
    if (fiber.parent != ptc::FiberState::kNoParent) one.parent = fiber.parent;
    one.state = state_of(fiber.state);
    if (one.state == FiberState::Faulted) one.fault = fiber.fault_message;
    one.frame_count = fiber.frames.size();
    const ptc::FramePosition& place = impl_->innermost[k];
    if (const ptc::Program* const program = program_at(state, place)) {
      one.source_name = program->source_name;
      one.line = place.span.line;
      one.column = place.span.column;
    }
  }
  return out;
}

std::vector<SnapshotView::Frame> SnapshotView::frames(std::size_t index, std::size_t most) const {
  const ptc::RunState& state = impl_->state;
  std::vector<Frame> out;
  if (index >= state.fibers.size()) return out;
  const ptc::FiberState& fiber = state.fibers[index];
  const auto places = impl_->positions(index);
  for (std::size_t k = fiber.frames.size(); k-- > 0 && out.size() < most;) {
    const ptc::FrameState& frame = fiber.frames[k];
    Frame& one = out.emplace_back();
    if (frame.kind == ptc::Frame::Kind::Stepper) {
      one.function = ptc::builtin_info(frame.builtin).name;
      continue;
    }
    const ptc::LinkState& link = state.links[frame.link];
    const ptc::Prototype& function = link.program->functions[frame.function];
    one.function = frame.function == 0 ? "the program" : function.name.empty() ? function.printed : function.name;
    if (link.is_prelude) continue;
    one.line = places[k].span.line;
    one.column = places[k].span.column;
    const auto names = frame_value_names(state, fiber, k);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty() || names[i].starts_with('%')) continue;   // the compiler's own
      one.locals.push_back({std::string(names[i]), impl_->view(fiber.values[frame.first_value + i])});
    }
  }
  return out;
}

std::string SnapshotView::excerpt(std::size_t fiber) const {
  if (fiber >= impl_->innermost.size()) return {};
  const ptc::FramePosition& position = impl_->innermost[fiber];
  const ptc::Program* const program = program_at(impl_->state, position);
  if (program == nullptr) return {};
  Diagnostic place;
  place.begin = position.span.begin;
  place.end = position.span.end;
  place.line = position.span.line;
  return source_excerpt(place, program->source);
}

std::vector<std::byte> SnapshotView::bytes() const {
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(impl_->restored.run, impl_->restored.host);
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

std::string SnapshotView::json() const {
  return ptc::write_snapshot_json(impl_->restored.run, impl_->restored.host);
}

}  // namespace ptcvm
