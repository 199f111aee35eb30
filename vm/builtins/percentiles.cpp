// median and percentile: the numbers of a sequence in order, and what lies at a place between them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "vm/builtins/complaint.h"
#include "vm/builtins/number_call.h"
#include "vm/builtins/seqable.h"
#include "vm/value/scratch.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Gathers the numbers, borrowed, without nil. Returns false after parking a fault.
bool gather_numbers(Call& call, Value items, ScratchVector<Value>& numbers) {
  const std::uint32_t count = vector_count(items);
  if (!call.reserve(count * sizeof(Value)) || !numbers.reserve(count)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value item = vector_at(items, i);
    if (item.is_nil()) continue;
    if (!item.is_number()) {
      wrong_kind(call, call.name(), "element " + std::to_string(i), "number", item);
      return false;
    }
    if (item.is_float() && std::isnan(item.d)) {
      call.fail(FaultKind::TypeError, std::string(call.name()) + ": unordered comparison with NaN");
      return false;
    }
    numbers.push_back(item);
  }
  call.charge(std::uint64_t{count} * (1 + static_cast<std::uint64_t>(std::bit_width(count)) / 4));
  return true;
}

bool comes_before(Value a, Value b) {
  work_done(1);
  return num_compare(a, b) == Ordering::Less;
}

// Returns the number at `place` of the n numbers in order, 0 for the least and n - 1 for the greatest. Between two of
// them it is interpolated.
Value number_at(ScratchVector<Value>& numbers, double place) {
  const double low = std::floor(place), part = place - low;
  Value* const first = numbers.begin() + static_cast<std::size_t>(low);
  std::nth_element(numbers.begin(), first, numbers.end(), comes_before);
  if (part == 0) return retained(*first);
  const double a = num_to_double(*first);
  const double b = num_to_double(*std::min_element(first + 1, numbers.end(), comes_before));
  return Value::real(a == b ? a : a + part * (b - a));
}

Value percentile_of(Call& call, std::uint32_t argument, double percent) {
  const Value items = take_seq(call, argument);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  ScratchVector<Value> numbers(call.heap);
  if (!gather_numbers(call, items, numbers)) return Value::absent();
  if (numbers.empty()) return Value::nil();
  return number_at(numbers, percent * static_cast<double>(numbers.size() - 1) / 100);
}

}  // namespace

Value builtin_median(Call& call) { return percentile_of(call, 0, 50); }

Value builtin_percentile(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  const double percent = num_to_double(call.arg(0));
  if (percent >= 0 && percent <= 100) return percentile_of(call, 1, percent);
  return call.fail(FaultKind::TypeError, "percentile: arg 1 expected number from 0 to 100");
}

}  // namespace ptc
