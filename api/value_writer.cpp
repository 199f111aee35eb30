#include <algorithm>

#include "api/value_access.h"
#include "runtime/text/value_copy.h"
#include "vm/value/string.h"

namespace ptcvm {
namespace {

using Shape = ptc::ValueBuilder::Shape;

constexpr std::size_t kMostKnownKeys = 32;

}  // namespace

ValueWriter::Impl::~Impl() {
  for (const KnownKey& key : keys) heap.release(key.value);
}

ptc::Value ValueWriter::Impl::finish() {
  while (!open.empty()) writer.end();
  ptc::Value last = ptc::Value::nil();
  while (builder.count() > 0) {
    const ptc::Value taken = builder.take();
    if (last.is_nil()) {
      last = taken;
    } else {
      heap.release(taken);
    }
  }
  return last;
}

ptc::Value imported(ptc::Heap& heap, const ValueView& view) {
  ptc::Heap* const source = ValueAccess::heap(view);
  if (source == nullptr) return ptc::Value::nil();
  return ptc::copied_into(heap, *source, ValueAccess::word(view));
}

ValueWriter& ValueWriter::nil() {
  impl_.builder.add(ptc::Value::nil());
  return *this;
}
ValueWriter& ValueWriter::boolean(bool b) {
  impl_.builder.add(ptc::Value::boolean(b));
  return *this;
}
ValueWriter& ValueWriter::integer(std::int64_t n) {
  impl_.builder.add(ptc::Value::integer(n));
  return *this;
}
ValueWriter& ValueWriter::real(double x) {
  impl_.builder.add(ptc::Value::real(x));
  return *this;
}
ValueWriter& ValueWriter::string(std::string_view utf8) {
  impl_.builder.add(ptc::string_of(impl_.heap, utf8));
  return *this;
}
ValueWriter& ValueWriter::keyword(std::string_view name) {
  impl_.builder.add(ptc::Value::of(impl_.heap.intern(name)));
  return *this;
}
ValueWriter& ValueWriter::copy(ValueView value) {
  impl_.builder.add(imported(impl_.heap, value));
  return *this;
}

ValueWriter& ValueWriter::map_key(std::string_view name) {
  for (std::size_t tried = 0; tried < impl_.keys.size(); ++tried) {
    if (impl_.next_key == impl_.keys.size()) impl_.next_key = 0;
    const Impl::KnownKey& known = impl_.keys[impl_.next_key++];
    if (known.name != name) continue;
    impl_.builder.add(ptc::retained(known.value));
    return *this;
  }
  const ptc::Value key = ptc::string_of(impl_.heap, name);
  if (impl_.keys.size() < kMostKnownKeys) impl_.keys.push_back({std::string(name), ptc::retained(key)});
  impl_.builder.add(key);
  return *this;
}

ValueWriter& ValueWriter::begin_vector() {
  impl_.open.push_back({Shape::Vector, nullptr});
  impl_.builder.open();
  return *this;
}
ValueWriter& ValueWriter::begin_map() {
  impl_.open.push_back({Shape::Map, nullptr});
  impl_.builder.open();
  return *this;
}
ValueWriter& ValueWriter::begin_record(std::span<const std::string_view> names) {
  auto& records = impl_.records;
  const auto known =
      std::find_if(records.begin(), records.end(), [&](const auto& r) { return r->names.data() == names.data(); });
  Impl::KnownRecord* record = known == records.end() ? nullptr : known->get();
  if (record == nullptr) {
    record = records.emplace_back(new Impl::KnownRecord{names, ptc::MapShape(impl_.heap)}).get();
  }
  impl_.open.push_back({Shape::Map, record});
  impl_.builder.open();
  return *this;
}
ValueWriter& ValueWriter::begin_set() {
  impl_.open.push_back({Shape::Set, nullptr});
  impl_.builder.open();
  return *this;
}

ValueWriter& ValueWriter::end() {
  if (impl_.open.empty()) return *this;
  const auto [shape, record] = impl_.open.back();
  impl_.open.pop_back();
  if (record != nullptr) {
    impl_.builder.close_record(record->names, record->shape);
    return *this;
  }
  if (shape == Shape::Map && impl_.builder.count() % 2 != 0) impl_.builder.add(ptc::Value::nil());
  impl_.builder.close(shape);
  return *this;
}

}  // namespace ptcvm
