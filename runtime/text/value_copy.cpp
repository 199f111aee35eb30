#include "runtime/text/value_copy.h"

#include <memory>
#include <vector>

#include "runtime/text/value_builder.h"
#include "vm/value/bigint.h"
#include "vm/value/calendar.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

using Shape = ValueBuilder::Shape;

class ValueCopier {
 public:
  ValueCopier(Heap& heap, Heap& source) : heap_(heap), source_(source), builder_(heap) {}

  Value copy(Value root) {
    visit(root);
    while (!open_.empty()) step();
    return builder_.take();
  }

 private:
  // A collection that is being copied.
  struct Open {
    Value collection;
    std::uint32_t next = 0;                  // Vector
    std::unique_ptr<MapCursor> cursor;       // Map, Set
    bool at_value = false;                   // Map: the key was copied, its value was not
  };

  void visit(Value v) {
    if (v.is_vector() && v.object->kind == Kind::RangeVector) {
      const auto& range = static_cast<const RangeVector&>(*v.object);
      return builder_.add(vector_range(heap_, range.first, range.step, range.count));
    }
    if (!v.is_vector() && !v.is_map() && !v.is_set()) return builder_.add(leaf(v));
    builder_.open();
    Open& open = open_.emplace_back();
    open.collection = v;
    if (!v.is_vector()) open.cursor = std::make_unique<MapCursor>(source_, v);
  }

  void step() {
    Open& open = open_.back();
    if (open.cursor == nullptr) {
      if (open.next < vector_count(open.collection)) return visit(vector_at(open.collection, open.next++));
      return close(Shape::Vector);
    }
    if (open.at_value) {
      open.at_value = false;
      return visit(open.cursor->value());
    }
    if (!open.cursor->next()) return close(open.collection.is_map() ? Shape::Map : Shape::Set);
    open.at_value = open.collection.is_map();
    visit(open.cursor->key());
  }

  void close(Shape shape) {
    open_.pop_back();
    builder_.close(shape);
  }

  Value leaf(Value v) {
    switch (v.tag) {
      case Tag::Nil:
      case Tag::False:
      case Tag::True:
      case Tag::Int:
      case Tag::Float:
      case Tag::Date: return v;
      case Tag::Keyword: return Value::of(heap_.intern(v.keyword->name()));
      case Tag::String: return string_of(heap_, string_view_of(v));
      case Tag::BigInt: {
        std::string digits;
        append_big(digits, v);
        const bool is_negative = digits.front() == '-';
        return integer_from_digits(heap_, is_negative, std::string_view(digits).substr(is_negative ? 1 : 0));
      }
      case Tag::Instant: return instant(static_cast<const Instant&>(*v.object));
      case Tag::Duration: {
        const auto& length = static_cast<const Duration&>(*v.object);
        return duration_of(heap_, {length.seconds, length.nanos});
      }
      default: return Value::nil();
    }
  }

  Value instant(const Instant& at) {
    if ((at.flags & Instant::kLegacyDate) == 0) return instant_of(heap_, {at.epoch_seconds, at.nanos});
    return legacy_date_of(heap_, at.epoch_seconds * 1'000 + at.nanos / 1'000'000);   // fits: it was made of ms
  }

  Heap& heap_;
  Heap& source_;
  ValueBuilder builder_;
  std::vector<Open> open_;
};

}  // namespace

Value copied_into(Heap& heap, Heap& source, Value borrowed) { return ValueCopier(heap, source).copy(borrowed); }

}  // namespace ptc
