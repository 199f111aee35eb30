#include "tools/ptcvm/batch_suspend.h"

#include <boost/json.hpp>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

// A line of JSON, then the snapshot as it is.
std::string write_hop(const HopState& state) {
  json::object head;
  head["replay"] = state.replay;
  head["order"] = state.order;
  head["clock"] = state.clock;
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
  const json::value* replay = head.if_contains("replay");
  if (replay != nullptr && replay->is_string())
    state.replay.assign(replay->get_string().data(), replay->get_string().size());
  state.order = number("order");
  state.clock = static_cast<std::int64_t>(number("clock"));
  if (head.contains("now")) state.now = static_cast<std::int64_t>(number("now"));
  state.figures.suspensions = number("suspensions");
  state.figures.max_snapshot_bytes = number("max_snapshot_bytes");
  state.snapshot = text.substr(end + 1);
  return state;
}

bool Hopper::wants(const ptc::Session& session) const {
  switch (plan_.when) {
    case SuspendPlan::When::Never: return false;
    case SuspendPlan::When::Pending: return session.run().suspended();
    case SuspendPlan::When::Every: return true;
  }
  return false;
}

std::string Hopper::take(const ptc::Session& session) {
  ++figures_.suspensions;
  const bool as_json = plan_.face == SuspendPlan::Face::Json ||
                       (plan_.face == SuspendPlan::Face::Alternate && figures_.suspensions % 2 == 0);
  std::string text;
  if (as_json) {
    text = session.snapshot_json();
  } else {
    const std::vector<std::uint8_t> bytes = session.snapshot();
    text.assign(bytes.begin(), bytes.end());
  }
  figures_.max_snapshot_bytes = std::max<std::uint64_t>(figures_.max_snapshot_bytes, text.size());
  return text;
}

std::optional<std::string> Hopper::restart(ptc::Session& session, std::string_view snapshot) {
  const auto error = session.restart_from(bytes_of(snapshot));
  if (!error) return std::nullopt;
  return std::string(ptc::snapshot_error_name(error->kind)) + ": " + error->message;
}

}  // namespace ptcvm::cli
