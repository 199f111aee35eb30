// Values as JSON text, with a stack of open collections.
#include <cmath>
#include <memory>
#include <vector>

#include "runtime/text/json_text.h"
#include "runtime/text/json_value.h"
#include "vm/value/account.h"
#include "vm/value/calendar.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/text_limit.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

class JsonWriter {
 public:
  JsonWriter(std::string& out, Heap& heap, PrintLimit limit) : out_(out), heap_(heap), limit_(out, limit) {}

  void write(Value v) {
    begin(v);
    while (!stack_.empty() && limit_.goes_on()) step();
  }

 private:
  struct Frame {
    Value source;
    std::uint32_t index = 0;
    std::unique_ptr<MapCursor> cursor;  // null for vectors
  };

  void step() {
    Frame& top = stack_.back();
    const bool more = top.cursor ? top.cursor->next() : top.index < vector_count(top.source);
    if (!more) {
      out_ += top.source.is_map() ? '}' : ']';
      stack_.pop_back();
      return;
    }
    if (top.index++ > 0) out_ += ',';
    if (!top.cursor) return begin(vector_at(top.source, top.index - 1));
    if (!top.source.is_map()) return begin(top.cursor->key());
    write_key(top.cursor->key());
    out_ += ':';
    begin(top.cursor->value());
  }

  void begin(Value v) {
    switch (v.tag) {
      case Tag::Nil: out_ += "null"; break;
      case Tag::False: out_ += "false"; break;
      case Tag::True: out_ += "true"; break;
      case Tag::Int: append_integer(out_, v); break;
      case Tag::BigInt:
        work_done(digits_work(v));
        append_integer(out_, v);
        break;
      case Tag::Float:
        if (std::isfinite(v.d)) {
          append_float(out_, v.d, false);
        } else {
          out_ += "null";
        }
        break;
      case Tag::String: append_text(string_view_of(v)); break;
      case Tag::Keyword: append_json_string(out_, v.keyword->name()); break;
      case Tag::Vector:
      case Tag::Set:
      case Tag::Map: open(v); break;
      default: append_other(v);
    }
  }

  void append_text(std::string_view text) {
    if (!limit_.admits(text.size())) return;
    out_ += '"';
    append_escaped_blocks(text);
    out_ += '"';
  }

  void append_escaped_blocks(std::string_view text) {
    limit_.in_blocks(text, [this](std::string_view block) { append_json_escaped(out_, block); });
  }

  void open(Value v) {
    out_ += v.is_map() ? '{' : '[';
    stack_.push_back({v, 0, v.is_vector() ? nullptr : std::make_unique<MapCursor>(heap_, v)});
  }

  void write_key(Value key) {
    if (key.is_string()) {
      append_text(string_view_of(key));
    } else if (key.is_keyword()) {
      append_json_string(out_, key.keyword->name());
    } else {
      append_other(key);
    }
  }

  // The text of what JSON does not have, as a string. Such a text can be as long as a value, so it is written in pieces
  // that are counted.
  void append_other(Value v) {
    std::string rest;
    if (v.is(Tag::Date) || v.is(Tag::Instant) || v.is(Tag::Duration)) {
      append_temporal(rest, v);
      return append_json_string(out_, rest);
    }
    TextPieces pieces(heap_);
    bool is_cut = false;
    append_readable(rest, v, heap_, {limit_.room(), &is_cut, limit_.has_pieces() ? &pieces : nullptr});
    if (is_cut) limit_.stop();
    out_ += '"';
    pieces.drain(rest, [this](std::string_view piece) {
      if (limit_.goes_on()) append_escaped_blocks(piece);
    });
    out_ += '"';
  }

  std::string& out_;
  Heap& heap_;
  TextLimit limit_;
  std::vector<Frame> stack_;
};

}  // namespace

void append_json(std::string& out, Value v, Heap& heap, PrintLimit limit) { JsonWriter(out, heap, limit).write(v); }

}  // namespace ptc
