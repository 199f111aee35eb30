#include "api/c/handles.h"

struct ptcvm_entries {
  std::vector<ptcvm::ValueEntry> entries;
};

namespace ptcvm::c {
namespace {

static_assert(PTCVM_STRING == static_cast<int>(ValueKind::String) && PTCVM_MAP == static_cast<int>(ValueKind::Map));
static_assert(PTCVM_PENDING == static_cast<int>(ValueKind::Pending));

template <class T, class Out>
int32_t content(const std::optional<T>& found, Out* out) {
  if (!found || out == nullptr) return 0;
  if constexpr (std::is_same_v<Out, ptcvm_text>) {
    *out = text_out(*found);
  } else {
    *out = *found;
  }
  return 1;
}

ptcvm_view part(const ptcvm_entries* entries, std::size_t index, ValueView ValueEntry::*member) {
  if (entries == nullptr || index >= entries->entries.size()) return {};
  return view_out(entries->entries[index].*member);
}

std::unique_ptr<ptcvm_value> value_of(Value value) {
  return std::unique_ptr<ptcvm_value>(new ptcvm_value{std::move(value)});
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;

int32_t ptcvm_view_kind(ptcvm_view view) { return static_cast<int32_t>(c::view_in(view).kind()); }
int32_t ptcvm_view_is_truthy(ptcvm_view view) { return static_cast<bool>(c::view_in(view)); }
int32_t ptcvm_view_bool(ptcvm_view view, int32_t* out) { return c::content(c::view_in(view).as_bool(), out); }
int32_t ptcvm_view_int(ptcvm_view view, int64_t* out) { return c::content(c::view_in(view).as_int(), out); }
int32_t ptcvm_view_double(ptcvm_view view, double* out) { return c::content(c::view_in(view).as_double(), out); }
int32_t ptcvm_view_string(ptcvm_view view, ptcvm_text* out) { return c::content(c::view_in(view).as_string(), out); }
int32_t ptcvm_view_keyword(ptcvm_view view, ptcvm_text* out) { return c::content(c::view_in(view).as_keyword(), out); }
int32_t ptcvm_view_pending(ptcvm_view view, ptcvm_text* out) { return c::content(c::view_in(view).as_pending(), out); }

size_t ptcvm_view_size(ptcvm_view view) { return c::view_in(view).size(); }
ptcvm_view ptcvm_view_at(ptcvm_view view, size_t index) { return c::view_out(c::view_in(view)[index]); }
ptcvm_view ptcvm_view_get(ptcvm_view view, ptcvm_text key) {
  return c::quietly(ptcvm_view{}, [&] { return c::view_out(c::view_in(view)[c::text_in(key)]); });
}
int32_t ptcvm_view_equal(ptcvm_view a, ptcvm_view b) {
  return c::quietly(0, [&] { return c::view_in(a) == c::view_in(b) ? 1 : 0; });
}

ptcvm_status ptcvm_view_edn(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::view_in(view).to_edn()); });
}
ptcvm_status ptcvm_view_json(ptcvm_view view, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::view_in(view).to_json()); });
}

ptcvm_status ptcvm_view_entries(ptcvm_view view, ptcvm_entries** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    auto made = std::make_unique<ptcvm_entries>();
    const ptcvm::ValueView collection = c::view_in(view);
    for (const ptcvm::ValueEntry& entry : collection.entries()) made->entries.push_back(entry);
    for (const ptcvm::ValueView item : collection.items()) made->entries.push_back({{}, item});
    return made;
  });
}
size_t ptcvm_entries_count(const ptcvm_entries* entries) { return entries == nullptr ? 0 : entries->entries.size(); }
ptcvm_view ptcvm_entries_key(const ptcvm_entries* entries, size_t index) {
  return c::part(entries, index, &ptcvm::ValueEntry::key);
}
ptcvm_view ptcvm_entries_value(const ptcvm_entries* entries, size_t index) {
  return c::part(entries, index, &ptcvm::ValueEntry::value);
}
void ptcvm_entries_free(ptcvm_entries* entries) { delete entries; }

ptcvm_status ptcvm_value_from_json(ptcvm_text text, ptcvm_value** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::value_of(c::taken(ptcvm::Value::from_json(c::text_in(text)))); });
}
ptcvm_status ptcvm_value_from_edn(ptcvm_text text, ptcvm_value** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::value_of(c::taken(ptcvm::Value::from_edn(c::text_in(text)))); });
}
ptcvm_status ptcvm_value_copy(ptcvm_view view, ptcvm_value** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::value_of(ptcvm::Value::copy_of(c::view_in(view))); });
}
ptcvm_view ptcvm_value_view(const ptcvm_value* value) {
  return value == nullptr ? ptcvm_view{} : c::view_out(value->value.view());
}
void ptcvm_value_free(ptcvm_value* value) { delete value; }
