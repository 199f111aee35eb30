// The part of JsonValueWriter for arrays of keys. Maps with the same names share one array: its strings are what they
// were in the first such map, so arrays whose strings are not those that reading would take or make are listed.
#include <algorithm>

#include "vm/snapshot/json/json_value_writer.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

std::size_t text_bytes(const KeyArray* keys) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    const Value key = keys->keys()[i];
    if (key.is_string()) bytes += string_view_of(key).size();
    if (key.is_keyword()) bytes += key.keyword->size_bytes;
  }
  return bytes;
}

}  // namespace

// Whether reading this text here would give this very object, or a new one as it should be.
bool JsonValueWriter::is_default_text(Value string) {
  const Object* const constant = shared_.constant_text(string_view_of(string));
  return constant == string.object || (constant == nullptr && !shared_.is_shared(string.object));
}

void JsonValueWriter::choose_key_arrays() {
  for (const KeyArray* keys : shared_.key_arrays()) {
    const bool repeated = shared_.is_shared(keys) && text_bytes(keys) > kMaxRepeatedKeys;
    const bool ordinary = std::all_of(keys->keys(), keys->keys() + keys->extra, [this](Value key) {
      return !key.is_string() || is_default_text(key);
    });
    if (!ordinary || repeated) listed_.push_back(keys);
    if (repeated) declare(*shared_.find(keys));
  }
}

void JsonValueWriter::put_key_array(const KeyArray* keys) {
  if (const Met* const met = shared_.find(keys); met != nullptr && met->id != 0) layout.fact("$id", met->id);
  out_.open('[');
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    layout.enter(i);
    put(keys->keys()[i]);
    layout.leave();
  }
  out_.close(']');
}

void JsonValueWriter::put_shape(const KeyArray* keys, std::uint32_t first_ordinal) {
  out_.open('[');
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    const Value key = keys->keys()[i];
    if (scalar(key)) continue;
    out_.text(string_view_of(key));
    const Object* const constant = shared_.constant_text(string_view_of(key));
    if (constant == nullptr || constant == key.object) continue;
    const Met* const met = shared_.find(key.object);
    layout.enter(i);
    if (met != nullptr && met->ordinal < first_ordinal) {
      layout.fact("$const", met->ordinal);
    } else {
      layout.fact("$new", "true");
    }
    layout.leave();
  }
  out_.close(']');
}

// Writes what a reader must know of the array itself.
bool JsonValueWriter::keys(const KeyArray* keys, Open& open) {
  Met* const met = shared_.find(keys);
  const bool shared = met != nullptr && (met->is_linked() || met->times > 1);
  const bool interned = (keys->flags & KeyArray::kInterned) != 0;
  if (interned) {
    open.quiet_keys = true;
    const bool again = shared && (met->is_linked() ? met->is_written : met->id != 0);
    if (shared && met->is_linked()) met->is_written = true;
    return !again || text_bytes(keys) <= kMaxRepeatedKeys;
  }
  const auto is_name = [](Value key) { return KeyArrayTable::can_intern(key); };
  const auto is_heavy = [](Value key) { return key.is_heap(); };
  const Value* const first = keys->keys();
  const Value* const end = first + keys->extra;
  const bool again = shared && (met->is_linked() ? met->is_written : met->id != 0);
  if (again && std::any_of(first, end, is_heavy)) return false;
  if (open.quiet) return true;
  layout.enter_facts("$keys");
  if (shared && met->is_linked()) {
    met->is_written = true;
    open.quiet_keys = true;
    layout.fact("$const", met->ordinal);
  } else if (again) {
    open.quiet_keys = true;
    layout.fact("$same", met->id);
  } else if (shared) {
    layout.fact("$id", declare(*met));
  }
  if (open.value.is_map() && std::all_of(first, end, is_name)) layout.fact("$private", "true");
  layout.leave();
  return true;
}

}  // namespace ptc
