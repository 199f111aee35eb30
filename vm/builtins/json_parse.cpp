// json/parse-string and json/parse-lines. The parser reports events and the values are built as they come: integers
// keep all their digits, floats are read from their text. Nesting is limited to kMaxDepth, because the parser recurses.
#include <algorithm>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "vm/builtins/text.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/walks.h"

namespace ptc {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 512;

// Receives the parser's events. Owns everything built so far; a handler returns false to stop the parser.
class ValueBuilder {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  explicit ValueBuilder(Call& call) : call_(call) {}
  ~ValueBuilder() {
    call_.heap.release(result_);
    for (const Open& open : open_) {
      call_.heap.release(open.items);
      for (const Value v : open.keys) call_.heap.release(v);
      for (const Value v : open.values) call_.heap.release(v);
    }
  }
  ValueBuilder(const ValueBuilder&) = delete;
  ValueBuilder& operator=(const ValueBuilder&) = delete;

  Value take_result() {
    const Value v = result_;
    result_ = Value::nil();
    return v;
  }
  bool faulted() const { return faulted_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) {
    open_.push_back({vector_empty(call_.heap), {}, {}});
    return true;
  }
  bool on_array_end(std::size_t, json::error_code& ec) {
    const Value items = open_.back().items;
    open_.pop_back();
    return add(items, ec);
  }
  bool on_object_begin(json::error_code&) {
    open_.push_back({Value::nil(), {}, {}});
    return true;
  }
  bool on_object_end(std::size_t, json::error_code& ec) {
    Open last = std::move(open_.back());
    open_.pop_back();
    return add(map_from(call_.heap, last.keys, last.values), ec);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) { return append(part); }
  bool on_key(json::string_view last, std::size_t, json::error_code&) {
    append(last);
    open_.back().keys.push_back(string_of(call_.heap, text_));
    text_.clear();
    return true;   // its value looks at the memory
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) { return append(part); }
  bool on_string(json::string_view last, std::size_t, json::error_code& ec) {
    append(last);
    const Value v = string_of(call_.heap, text_);
    text_.clear();
    return add(v, ec);
  }
  bool on_number_part(json::string_view part, json::error_code&) { return append(part); }
  bool on_int64(std::int64_t n, json::string_view, json::error_code& ec) {
    text_.clear();
    return add(Value::integer(n), ec);
  }
  bool on_uint64(std::uint64_t, json::string_view last, json::error_code& ec) { return number(last, ec); }
  bool on_double(double, json::string_view last, json::error_code& ec) { return number(last, ec); }
  bool on_bool(bool b, json::error_code& ec) { return add(Value::boolean(b), ec); }
  bool on_null(json::error_code& ec) { return add(Value::nil(), ec); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  struct Open {
    Value items;                 // vector of an array; nil for an object
    std::vector<Value> keys, values;
  };

  bool append(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool stop(json::error_code& ec) {
    faulted_ = true;
    ec = json::error::exception;
    return false;
  }
  // Takes v.
  bool add(Value v, json::error_code& ec) {
    call_.charge(1);
    if (open_.empty()) {
      result_ = v;
    } else if (open_.back().items.is_vector()) {
      open_.back().items = vector_push(call_.heap, open_.back().items, v);
    } else {
      open_.back().values.push_back(v);
    }
    work_done(4);
    if (!call_.heap.over_limit()) return true;
    call_.memory_error();
    return stop(ec);
  }
  bool number(json::string_view last, json::error_code& ec) {
    append(last);
    const bool integer = text_.find_first_of(".eE") == std::string::npos;
    Value v = Value::nil();
    if (integer) {
      v = integer_of_text(call_, text_);
      if (v.is_absent()) return stop(ec);
    } else {
      v = Value::real(parse_double(text_).value_or(0));
    }
    text_.clear();
    return add(v, ec);
  }

  Call& call_;
  Value result_ = Value::nil();
  std::vector<Open> open_;
  std::string text_;             // the key, string or number that is being read
  bool faulted_ = false;
};

bool is_json_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// nil for malformed text, Absent when a limit was reached.
Value parse(Call& call, std::string_view text) {
  charge_bytes(call, text.size());
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<ValueBuilder> parser(options, call);
  json::error_code ec;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
  if (parser.handler().faulted()) return Value::absent();
  if (ec == json::error::too_deep) {
    return call.fail(FaultKind::TypeError, std::string(call.name()) + ": nested deeper than " +
                                               std::to_string(kMaxDepth) + " levels");
  }
  if (ec || !is_json_blank(text.substr(read))) return Value::nil();
  return parser.handler().take_result();
}

}  // namespace

Value builtin_json_parse_string(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  if (!call.arg(0).is_string()) return Value::nil();
  return parse(call, string_view_of(call.arg(0)));
}

Value builtin_json_parse_lines(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  VectorBuilder values(call.heap);
  Turns turns(call.heap, Charged::Before);   // each line is charged below, or as it is parsed
  for (std::string_view rest = string_view_of(call.arg(0)); !rest.empty(); turns.next()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_json_blank(line)) {
      call.charge(1);
      charge_bytes(call, line.size());
      continue;
    }
    const Value v = parse(call, line);
    if (v.is_absent()) return v;
    values.push(v);
    if (!call.within_memory()) return Value::absent();
  }
  return values.finish();
}

}  // namespace ptc
