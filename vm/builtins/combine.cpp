// Builtins that merge several sequences into one: zip, interleave, interpose, and the argument rows of map
// over many collections. All stop at the shortest.
#include <algorithm>
#include <vector>

#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Owned vectors, released together.
class Columns {
 public:
  explicit Columns(Heap& heap) : heap_(heap) {}
  ~Columns() {
    for (const Value column : columns_) heap_.release(column);
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  void add(Value taken) { columns_.push_back(taken); }
  std::size_t width() const { return columns_.size(); }
  std::uint32_t height() const {
    std::uint32_t shortest = columns_.empty() ? 0 : UINT32_MAX;
    for (const Value column : columns_) shortest = std::min(shortest, vector_count(column));
    return shortest;
  }
  Value get(std::size_t column, std::uint32_t row) const { return vector_get(columns_[column], row); }

 private:
  Heap& heap_;
  std::vector<Value> columns_;
};

bool take_columns(Call& call, Columns& columns) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    const Value column = take_seq(call, i);
    if (column.is_absent()) return false;
    columns.add(column);
  }
  return true;
}

Value rows_of(Call& call, const Columns& columns) {
  const std::uint64_t height = columns.height();
  if (!call.reserve(height * (kGroupBytes + columns.width() * kSlotBytes))) return Value::absent();
  call.charge(height * columns.width());
  VectorBuilder rows(call.heap);
  for (std::uint32_t row = 0; row < height; ++row) {
    VectorBuilder cells(call.heap);
    for (std::size_t column = 0; column < columns.width(); ++column) cells.push(columns.get(column, row));
    rows.push(cells.finish());
    if (!call.within_memory()) return Value::absent();
  }
  return rows.finish();
}

}  // namespace

Value builtin_zip(Call& call) {
  Columns columns(call.heap);
  return take_columns(call, columns) ? rows_of(call, columns) : Value::absent();
}

// (%rows "map" 2 colls)
Value builtin_h_rows(Call& call) {
  Columns columns(call.heap);
  const Value colls = call.arg(2);
  for (std::uint32_t i = 0; i < vector_count(colls); ++i) {
    const Value coll = vector_at(colls, i);
    if (!is_seqable(coll)) {
      return wrong_argument(call, string_view_of(call.arg(0)), call.arg(1).i + i, "seqable", coll);
    }
    const Value column = seqable_vector(call, retained(coll));
    if (column.is_absent()) return column;
    columns.add(column);
  }
  return rows_of(call, columns);
}

Value builtin_interleave(Call& call) {
  Columns columns(call.heap);
  if (!take_columns(call, columns)) return Value::absent();
  const std::uint64_t cells = std::uint64_t{columns.height()} * columns.width();
  if (!call.reserve(vector_bytes(cells))) return Value::absent();
  call.charge(cells);
  VectorBuilder items(call.heap);
  for (std::uint32_t row = 0; row < columns.height(); ++row) {
    for (std::size_t column = 0; column < columns.width(); ++column) items.push(columns.get(column, row));
  }
  return items.finish();
}

Value builtin_interpose(Call& call) {
  const Value items = take_seq(call, 1);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint64_t count = vector_count(items);
  if (!call.reserve(vector_bytes(count * 2))) return Value::absent();
  call.charge(count * 2);
  VectorBuilder result(call.heap);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) result.push(retained(call.arg(0)));
    result.push(vector_get(items, i));
  }
  return result.finish();
}

}  // namespace ptc
