#include "runtime/text/result_rounding.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr int kMaxDecimals = 300;

// Decimal digits of |x|, all of them exact, with `decimals` digits after the point.
std::string fixed_digits(double magnitude, int decimals) {
  std::array<char, 1024> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::fixed,
                                     decimals);
  return {buffer.data(), written.ptr};
}

// Adds one to the last digit of a decimal number.
void increment(std::string& digits) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] == '.') continue;
    if (digits[i] != '9') {
      ++digits[i];
      return;
    }
    digits[i] = '0';
  }
  digits.insert(digits.begin(), '1');
}

double parse(const std::string& digits) {
  double x = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), x);
  return x;
}

bool has_float(Heap& heap, Value root) {
  std::vector<Value> open{root};
  while (!open.empty()) {
    work_done(1);
    const Value v = open.back();
    open.pop_back();
    if (v.is_float()) return true;
    if (v.is_vector()) {
      for (std::uint32_t i = 0, n = vector_count(v); i < n; ++i) {
        const Value item = vector_at(v, i);
        if (item.is_float()) return true;
        if (item.is_vector() || item.is_map()) open.push_back(item);
      }
    } else if (v.is_map()) {
      for (MapCursor entry(heap, v); entry.next();) open.push_back(entry.value());
    }
  }
  return false;
}

// One collection that is being rebuilt: its values so far.
struct Rebuild {
  Value source;                // borrowed
  Value values;                // owned vector: the elements, or the values of a map in key order
  std::vector<Value> done;     // owned
  std::uint32_t next = 0;
};

Rebuild open_collection(Heap& heap, Value source) {
  return {source, source.is_map() ? map_values(heap, source) : retained(source), {}, 0};
}

Value close_collection(Heap& heap, Rebuild& frame) {
  Value built;
  if (frame.source.is_map()) {
    std::vector<Value> keys;
    for (MapCursor entry(heap, frame.source); entry.next();) keys.push_back(retained(entry.key()));
    built = map_from(heap, keys, frame.done);
  } else {
    built = vector_empty(heap);
    for (const Value item : frame.done) built = vector_push(heap, built, item);
  }
  heap.release(frame.values);
  return built;
}

}  // namespace

double round_to_decimals(double x, int decimals) {
  if (!std::isfinite(x) || decimals < 0 || decimals > kMaxDecimals || x == std::trunc(x)) return x;
  // Only a number with at most decimals + 1 binary places can lie exactly between two candidates; its decimal text
  // with decimals + 1 places is then exact and ends in 5.
  const double magnitude = std::fabs(x);
  std::string digits = fixed_digits(magnitude, decimals);
  const double scaled = std::ldexp(magnitude, decimals + 1);
  if (scaled == std::trunc(scaled)) {
    std::string exact = fixed_digits(magnitude, decimals + 1);
    if (exact.back() == '5') {
      exact.pop_back();
      if (exact.back() == '.') exact.pop_back();
      increment(exact);
      digits = std::move(exact);
    }
  }
  return std::copysign(parse(digits), x);
}

Value round_result(Heap& heap, Value taken, int decimals) {
  if (!has_float(heap, taken)) return taken;
  if (taken.is_float()) return Value::real(round_to_decimals(taken.d, decimals));
  std::vector<Rebuild> open;
  open.push_back(open_collection(heap, taken));
  for (;;) {
    Rebuild& frame = open.back();
    if (frame.next < vector_count(frame.values)) {
      const Value item = vector_at(frame.values, frame.next++);
      if (item.is_float()) {
        frame.done.push_back(Value::real(round_to_decimals(item.d, decimals)));
      } else if (item.is_vector() || item.is_map()) {
        open.push_back(open_collection(heap, item));
      } else {
        frame.done.push_back(retained(item));
      }
      continue;
    }
    const Value built = close_collection(heap, frame);
    open.pop_back();
    if (open.empty()) {
      heap.release(taken);
      return built;
    }
    open.back().done.push_back(built);
  }
}

}  // namespace ptc
