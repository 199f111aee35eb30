#include "tools/ptcvm/batch/batch_suspend.h"

#include <algorithm>
#include <boost/json.hpp>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

}  // namespace

// A line of JSON, then the snapshot as it is.
std::string write_hop(const HopState& state) {
  json::object head;
  head["recorded"] = state.recorded;
  head["order"] = state.order;
  if (state.now) head["now"] = *state.now;
  head["suspensions"] = state.figures.suspensions;
  head["max_snapshot_bytes"] = state.figures.max_snapshot_bytes;
  return json::serialize(head) + '\n' + state.snapshot;
}

std::optional<HopState> read_hop(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  json::error_code error;
  const json::value parsed = json::parse({text.data(), end}, error);
  if (error || !parsed.is_object()) return std::nullopt;
  const json::object& head = parsed.get_object();
  const auto number = [&](std::string_view name) -> std::uint64_t {
    const json::value* value = head.if_contains({name.data(), name.size()});
    if (value == nullptr) return 0;
    return value->is_uint64() ? value->get_uint64() : static_cast<std::uint64_t>(value->get_int64());
  };
  HopState state;
  const json::value* recorded = head.if_contains("recorded");
  if (recorded != nullptr && recorded->is_string()) state.recorded = std::string_view(recorded->get_string());
  state.order = number("order");
  if (head.contains("now")) state.now = static_cast<std::int64_t>(number("now"));
  state.figures.suspensions = number("suspensions");
  state.figures.max_snapshot_bytes = number("max_snapshot_bytes");
  state.snapshot = text.substr(end + 1);
  return state;
}

bool Hopper::wants(RunState state) const {
  switch (plan_.when) {
    case SuspendPlan::When::Never: return false;
    case SuspendPlan::When::Pending: return state == RunState::Suspended;
    case SuspendPlan::When::Every: return true;
  }
  return false;
}

std::string Hopper::take(const Run& run) {
  ++figures_.suspensions;
  const bool as_json = plan_.face == SuspendPlan::Face::Json ||
                       (plan_.face == SuspendPlan::Face::Alternate && figures_.suspensions % 2 == 0);
  std::string text;
  if (as_json) {
    text = run.snapshot_json();
  } else {
    const std::vector<std::byte> bytes = run.snapshot();
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  figures_.max_snapshot_bytes = std::max<std::uint64_t>(figures_.max_snapshot_bytes, text.size());
  return text;
}

}  // namespace ptcvm::cli
