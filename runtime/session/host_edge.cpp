#include "runtime/session/host_edge.h"

#include <optional>
#include <string>
#include <utility>

#include "runtime/text/counted_bytes.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// Lets the turn's clock run as long as it lives.
class CountedTime {
 public:
  explicit CountedTime(TurnClock& clock) : clock_(clock) { clock_.begin_step(); }
  ~CountedTime() { clock_.end_step(); }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  TurnClock& clock_;
};

struct Announcement {
  Value id = Value::nil(), immediate = Value::nil(), ttl = Value::nil();   // borrowed
};

Value* member_of(Announcement& said, Value key) {
  if (!key.is_string()) return nullptr;
  const std::string_view name = string_view_of(key);
  if (name == "pending") return &said.id;
  if (name == "immediate") return &said.immediate;
  return name == "ttl_ms" ? &said.ttl : nullptr;
}

// Returns what a map announces, or nullopt for other values: they are data.
std::optional<Announcement> announcement_of(Heap& heap, Value borrowed) {
  if (!borrowed.is_map()) return std::nullopt;
  Announcement said;
  for (MapCursor entry(heap, borrowed); entry.next();) {
    Value* const member = member_of(said, entry.key());
    if (member == nullptr) return std::nullopt;
    *member = entry.value();
  }
  if (!said.id.is_string() || !(said.ttl.is_nil() || said.ttl.is_int())) return std::nullopt;
  return said;
}

ToolReply reply_of(Heap& heap, bool announces, Value taken) {
  const std::optional<Announcement> said = announces ? announcement_of(heap, taken) : std::nullopt;
  if (!said) return ToolReply::value(taken);
  const Owned owner(heap, taken);
  std::optional<std::int64_t> ttl_ms;
  if (said->ttl.is_int() && said->ttl.i > 0) ttl_ms = said->ttl.i;
  return ToolReply::pending(std::string(string_view_of(said->id)), retained(said->immediate), ttl_ms);
}

}  // namespace

std::variant<ToolReply, JsonError> HostEdge::read_answer(std::string_view json, bool announces) {
  Heap& heap = run_.heap();
  const CountedTime counted_time(clock_);
  const StepWatch watch(run_, clock_);
  const CountedBytes counted(heap, json.size());
  auto read = read_json(heap, json);
  if (const auto* const value = std::get_if<Value>(&read)) return reply_of(heap, announces, *value);
  auto& error = std::get<JsonError>(read);
  if (error.kind == JsonError::Kind::Malformed) return std::move(error);
  return ToolReply::unknown(std::move(error.message));
}

BoundedText HostEdge::write_json(Value borrowed) {
  const CountedTime counted_time(clock_);
  const StepWatch watch(run_, clock_);
  return json_within(run_.heap(), borrowed);
}

void HostEdge::hold(std::uint64_t bytes) {
  run_.heap().account(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(held_bytes_));
  held_bytes_ = bytes;
}

std::uint64_t HostEdge::room() const { return room_of(run_.heap()); }

}  // namespace ptc
