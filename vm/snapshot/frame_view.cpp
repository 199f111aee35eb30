#include "vm/snapshot/frame_view.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "vm/exec/frame_states.h"
#include "vm/exec/stepper_slots.h"

namespace ptc {
namespace {

// The code of a bytecode frame at the instruction that it is at: the call that it waits for, or the next one.
struct Place {
  const Prototype* prototype;
  std::uint32_t pc;
  std::uint32_t limit;              // registers from here on belong to the callee
};

std::optional<Place> place_of(const RunState& state, const FiberState& fiber, std::size_t index) {
  const FrameState& frame = fiber.frames[index];
  const Prototype& prototype = state.links[frame.link].program->functions[frame.function];
  Place place{&prototype, frame.pc, prototype.register_count};
  if (place.pc >= prototype.code.size()) return std::nullopt;
  if (index + 1 == fiber.frames.size() && !Fiber::is_inside_call(fiber.state)) return place;
  if (place.pc == 0) return std::nullopt;
  const Instruction call = as_compiled(prototype.code[--place.pc]);
  if (op_info(call.op).control != Control::Call) return std::nullopt;
  place.limit = call.a;
  return place;
}

}  // namespace

std::optional<std::uint32_t> frame_value_count(const RunState& state, const FiberState& fiber, std::size_t index) {
  const FrameState& frame = fiber.frames[index];
  if (frame.kind == Frame::Kind::Stepper) {
    const bool answered = index + 1 == fiber.frames.size() && fiber.state == Fiber::State::Ready &&
                          stepper_awaits_result(frame.builtin, frame.stage);
    return frame.slot_count + (answered ? 1u : 0u);
  }
  const auto place = place_of(state, fiber, index);
  if (!place) return std::nullopt;
  const RegState* const states = place->prototype->states().before(place->pc);
  if (states == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(
      std::count_if(states, states + place->limit, [](RegState s) { return s != RegState::Dead; }));
}

std::vector<std::string_view> frame_value_names(const RunState& state, const FiberState& fiber, std::size_t index) {
  const auto place = place_of(state, fiber, index);
  const RegState* const states = place->prototype->states().before(place->pc);
  std::vector<std::uint32_t> value_of(place->limit, UINT32_MAX);
  std::vector<std::string_view> names;
  for (std::uint32_t reg = 0; reg < place->limit; ++reg) {
    if (states[reg] == RegState::Dead) continue;
    value_of[reg] = static_cast<std::uint32_t>(names.size());
    names.emplace_back();
  }
  boost::unordered_flat_map<std::string_view, std::uint32_t> taken;
  for (const LocalName& local : place->prototype->locals) {
    const bool alive = local.from_pc <= place->pc && place->pc < local.to_pc && local.reg < place->limit;
    if (!alive || value_of[local.reg] == UINT32_MAX || local.name.empty()) continue;
    if (const std::string_view old = names[value_of[local.reg]]; !old.empty()) taken.erase(old);
    const auto [at, is_new] = taken.try_emplace(local.name, value_of[local.reg]);
    if (!is_new) {
      names[at->second] = {};
      at->second = value_of[local.reg];
    }
    names[value_of[local.reg]] = local.name;
  }
  return names;
}

std::vector<FramePosition> frame_positions(const RunState& state, const FiberState& fiber, FramePosition around) {
  std::vector<FramePosition> positions;
  positions.reserve(fiber.frames.size());
  for (std::size_t k = 0; k < fiber.frames.size(); ++k) {
    const FrameState& frame = fiber.frames[k];
    if (frame.kind == Frame::Kind::Bytecode && !state.links[frame.link].is_prelude) {
      const Prototype& prototype = state.links[frame.link].program->functions[frame.function];
      const bool inside_call = k + 1 != fiber.frames.size() || Fiber::is_inside_call(fiber.state);
      around = {frame.link, prototype.span_at(inside_call && frame.pc > 0 ? frame.pc - 1 : frame.pc)};
    }
    positions.push_back(around);
  }
  return positions;
}

}  // namespace ptc
