// describe: a bounded summary of the shape of data, as a map that a program (or a model) can look into. It
// looks one level deep, and one level deeper for the fields of maps in a sequence; its size does not grow
// with the data.
#include <algorithm>
#include <string_view>

#include "vm/builtins/complaint.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

struct Options {
  std::uint32_t examples = 3;  // example values shown
  std::uint32_t keys = 20;     // fields described
};

// A map with keyword keys, under construction.
class Summary {
 public:
  explicit Summary(Call& call) : call_(call), map_(call.heap, map_empty(call.heap)) {}
  void put(std::string_view key, Value taken) {
    map_.reset(map_assoc(call_.heap, map_.take(), Value::of(call_.heap.intern(key)), taken));
  }
  Value finish() { return map_.take(); }

 private:
  Call& call_;
  Owned map_;
};

Value kind_of(Call& call, Value v) {
  Value one[] = {v};
  Call type(call.env, BuiltinId::type, one);
  return builtin_type(type);
}

// What a bag of values has in common: how many of each kind, range of the numbers, a few examples.
class Profile {
 public:
  Profile(Call& call, std::uint32_t examples)
      : call_(call), kinds_(call.heap, map_empty(call.heap)), examples_(call.heap), wanted_(examples) {}

  void add(Value v) {
    Heap& heap = call_.heap;
    const Value kind = kind_of(call_, v);
    const Value seen = map_find(kinds_.get(), kind);
    const std::int64_t count = seen.is_absent() ? 1 : seen.i + 1;
    kinds_.reset(map_assoc(heap, kinds_.take(), kind, Value::integer(count)));
    if (v.is_number()) {
      if (least_.is_absent() || num_compare(v, least_) == Ordering::Less) least_ = v;
      if (greatest_.is_absent() || num_compare(v, greatest_) == Ordering::Greater) greatest_ = v;
    }
    const bool simple =
        v.is_number() || v.is_keyword() || (v.is_string() && string_view_of(v).size() <= kExampleBytes);
    if (simple && examples_.count() < wanted_) examples_.push(retained(v));
  }

  void put_into(Summary& summary) {
    summary.put("types", kinds_.take());
    if (!least_.is_absent()) {
      summary.put("min", retained(least_));
      summary.put("max", retained(greatest_));
    }
    if (examples_.count() > 0) summary.put("examples", examples_.finish());
  }

 private:
  static constexpr std::size_t kExampleBytes = 40;
  Call& call_;
  Owned kinds_;
  VectorBuilder examples_;
  std::uint32_t wanted_;
  Value least_ = Value::absent(), greatest_ = Value::absent();  // borrowed from the data
};

// {key {:count n :types … }} over the maps among the items.
Value fields_of(Call& call, Value items, const Options& options) {
  Owned names(call.heap, set_empty(call.heap));
  const std::uint32_t count = vector_count(items);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Value item = vector_at(items, i);
    if (!item.is_map() || set_count(names.get()) >= options.keys) continue;
    call.charge(map_count(item));
    MapCursor cursor(call.heap, item);
    while (cursor.next() && set_count(names.get()) < options.keys) {
      names.reset(set_add(call.heap, names.take(), retained(cursor.key())));
    }
  }
  Owned fields(call.heap, map_empty(call.heap));
  MapCursor name(call.heap, names.get());
  while (name.next()) {
    Profile profile(call, options.examples);
    std::int64_t present = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Value item = vector_at(items, i);
      const Value value = item.is_map() ? map_find(item, name.key()) : Value::absent();
      if (value.is_absent()) continue;
      ++present;
      profile.add(value);
    }
    call.charge(count);
    Summary field(call);
    field.put("count", Value::integer(present));
    profile.put_into(field);
    fields.reset(map_assoc(call.heap, fields.take(), retained(name.key()), field.finish()));
  }
  return fields.take();
}

bool read_options(Call& call, Options& options) {
  if (call.count() < 2 || call.arg(1).is_nil()) return true;
  if (!call.arg(1).is_map()) {
    call.type_error(2, "map of options");
    return false;
  }
  const auto read = [&](std::string_view name, std::uint32_t& out) {
    const Owned given(call.heap, lookup(call.env, call.arg(1), Value::of(call.heap.intern(name))));
    std::int64_t n = 0;
    if (position_of(given.get(), n)) out = static_cast<std::uint32_t>(std::clamp<std::int64_t>(n, 0, 100));
  };
  read("examples", options.examples);
  read("keys", options.keys);
  return true;
}

}  // namespace

Value builtin_describe(Call& call) {
  const Value subject = call.arg(0);
  if (subject.is(Tag::Pending)) return call.type_error(1, "data");
  Options options;
  if (!read_options(call, options)) return Value::absent();
  Summary summary(call);
  summary.put("type", kind_of(call, subject));
  if (!is_seqable(subject) || subject.is_nil()) {
    if (subject.is_number() || subject.is_keyword()) summary.put("value", retained(subject));
    return summary.finish();
  }
  summary.put("count", Value::integer(seqable_count(subject)));
  if (subject.is_string()) return summary.finish();
  Value one[] = {retained(subject)};
  const Owned items(call.heap, subject.is_map() ? vector_of(call.heap, one) : seqable_vector(call, one[0]));
  if (items.get().is_absent()) return Value::absent();
  call.charge(vector_count(items.get()));
  bool has_maps = false;
  Profile profile(call, options.examples);
  for (std::uint32_t i = 0; i < vector_count(items.get()); ++i) {
    const Value item = vector_at(items.get(), i);
    has_maps = has_maps || item.is_map();
    profile.add(item);
  }
  if (!subject.is_map()) profile.put_into(summary);
  if (has_maps) summary.put("keys", fields_of(call, items.get(), options));
  return summary.finish();
}

}  // namespace ptc
