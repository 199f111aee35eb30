// json/generate-string. Data only: nil, booleans, numbers, strings, vectors, maps with string, keyword or integer keys,
// dates and instants as ISO text. Everything else is a type_error that names the path to it. The walk keeps its own
// stack, and the size is checked at every value, because shared parts are written out each time.
#include <cmath>
#include <memory>
#include <vector>

#include "schema/ascii.h"
#include "vm/builtins/text.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

void append_json_string(ScratchText& out, std::string_view text) {
  out += '"';
  std::size_t left = text.size();
  for (const char c : text) {
    work_done_at_byte(--left);
    const unsigned b = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (b >= 0x20) {
          out += c;
        } else {
          out += "\\u00";
          out += kHexDigits[b >> 4];
          out += kHexDigits[b & 15];
        }
    }
  }
  out += '"';
}

class JsonWriter {
 public:
  explicit JsonWriter(Call& call) : call_(call), out_(call.heap) {}

  Value run() {
    if (!write(call_.arg(0))) return Value::absent();
    while (!open_.empty()) {
      if (!step()) return Value::absent();
    }
    return text_result(call_, out_);
  }

 private:
  // A vector or map that is being written; `next` counts the entries that were begun.
  struct Open {
    Value container;
    std::uint32_t next = 0;
    std::unique_ptr<MapCursor> cursor;
  };

  bool step();
  bool write(Value v);
  bool write_key(Value map, Value key);
  bool refuse(std::string what);

  Call& call_;
  ScratchText out_;
  std::vector<Open> open_;
};

// Writes the next entry of the innermost container, or closes it.
bool JsonWriter::step() {
  Open& top = open_.back();
  if (top.cursor == nullptr) {
    if (top.next == vector_count(top.container)) {
      out_ += ']';
      open_.pop_back();
      return true;
    }
    if (top.next > 0) out_ += ',';
    return write(vector_at(top.container, top.next++));
  }
  if (!top.cursor->next()) {
    out_ += '}';
    open_.pop_back();
    return true;
  }
  if (top.next++ > 0) out_ += ',';
  if (!write_key(top.container, top.cursor->key())) return false;
  return write(top.cursor->value());
}

bool JsonWriter::write(Value v) {
  call_.charge(1);
  work_done(1);
  if (out_.size() > most_text_bytes(call_)) return check_text_size(call_, out_.size());
  switch (v.tag) {
    case Tag::Nil: out_ += "null"; return true;
    case Tag::True: out_ += "true"; return true;
    case Tag::False: out_ += "false"; return true;
    case Tag::Int:
    case Tag::BigInt: {
      std::string digits;
      append_integer(digits, v);
      out_ += digits;
      return true;
    }
    case Tag::Float:
      if (!std::isfinite(v.d)) return refuse("NaN and infinities");
      {
        std::string digits;
        append_float(digits, v.d, true);
        out_ += digits;
      }
      return true;
    case Tag::String: append_json_string(out_, string_view_of(v)); return true;
    case Tag::Date:
    case Tag::Instant: {
      std::string text;
      append_str(text, v, call_.heap);
      append_json_string(out_, text);
      return true;
    }
    case Tag::Vector:
      out_ += '[';
      open_.push_back({v, 0, nullptr});
      return true;
    case Tag::Map:
      out_ += '{';
      open_.push_back({v, 0, std::make_unique<MapCursor>(call_.heap, v)});
      return true;
    case Tag::Keyword: return refuse("a keyword as a value (use (name k))");
    case Tag::Set: return refuse("a set (use (vec s))");
    default: return refuse("a " + std::string(kind_text(v)));
  }
}

// Two keys of one map that have the same text would make an object that reads back as something else.
bool JsonWriter::write_key(Value map, Value key) {
  std::string digits;
  std::string_view text;
  if (key.is_string()) {
    text = string_view_of(key);
  } else if (key.is_keyword()) {
    text = key.keyword->name();
  } else if (key.is_integer()) {
    append_integer(digits, key);
    text = digits;
  } else {
    return refuse("a map key that is a " + std::string(kind_text(key)));
  }
  if (!key.is_string()) {
    const Owned as_string_key(call_.heap, string_of(call_.heap, text));
    const Keyword* twin = call_.heap.find_interned(text);
    const bool clash = !map_find(map, as_string_key.get()).is_absent() ||
                       (key.is_integer() && twin != nullptr && !map_find(map, Value::of(twin)).is_absent());
    if (clash) return refuse("two keys with the same text");
  }
  append_json_string(out_, text);
  out_ += ':';
  return true;
}

// Reads the path off the open containers: the key or index that each one has reached.
bool JsonWriter::refuse(std::string what) {
  constexpr std::size_t kMaxPathText = 200;
  std::string path = "[";
  for (const Open& open : open_) {
    if (path.size() > 1) path += ' ';
    if (path.size() > kMaxPathText) {
      path += "...";
      break;
    }
    if (open.cursor == nullptr) {
      path += std::to_string(open.next - 1);
    } else {
      bool truncated = false;
      append_readable(path, open.cursor->key(), call_.heap, {kMaxPathText, &truncated});
    }
  }
  path += ']';
  call_.fail(FaultKind::TypeError, std::string(call_.name()) + ": cannot write " + what + ", at path " + path);
  return false;
}

}  // namespace

Value builtin_json_generate_string(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  return JsonWriter(call).run();
}

}  // namespace ptc
