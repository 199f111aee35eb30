// The text forms. One explicit stack of open collections; a value nested 10^6 deep costs no C++ stack.
//
// Invariant: a frame borrows its collection from the value being printed, which the caller keeps alive and
// unchanged.
#include "vm/value/print.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <vector>

#include "schema/builtin_id.h"
#include "vm/value/account.h"
#include "vm/value/bigint.h"
#include "vm/value/calendar.h"
#include "vm/value/escaped_text.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/scratch.h"
#include "vm/value/string.h"
#include "vm/value/text_limit.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

enum class Form : std::uint8_t { Readable, Edn };

// A text pays for its bytes. Nests of small values have few bytes for their steps, so a long one pays for both.
constexpr std::uint64_t kFreeSteps = 4'096;

// The pattern as written, where only a bare quote needs a backslash.
void append_pattern(std::string& out, std::string_view pattern) {
  out += "#\"";
  bool escaped = false;
  for (const char c : pattern) {
    if (c == '"' && !escaped) out += '\\';
    escaped = c == '\\' && !escaped;
    out += c;
  }
  out += '"';
}

void append_tagged(std::string& out, std::string_view tag, std::string_view text) {
  out += tag;
  out += " \"";
  append_escaped(out, text);
  out += '"';
}

void append_temporal_form(std::string& out, Value v, Form form) {
  const bool legacy = v.is(Tag::Instant) && (v.object->flags & Instant::kLegacyDate) != 0;
  if (legacy && form == Form::Edn) {
    const auto* instant = static_cast<const Instant*>(v.object);
    out += "#ptc/jdate \"";
    append_instant(out, {instant->epoch_seconds, instant->nanos}, Fraction::Millis);
  } else {
    out += v.is(Tag::Date) ? "#date \"" : v.is(Tag::Instant) ? "#inst \"" : "#duration \"";
    append_temporal(out, v);
  }
  out += '"';
}

class Printer {
 public:
  Printer(std::string& out, Heap& heap, Form form, PrintLimit limit)
      : out_(out), heap_(heap), form_(form), limit_(out, limit) {}

  void print(Value v) {
    begin(v);
    std::uint64_t steps = 0;
    for (; !stack_.empty() && limit_.goes_on(); ++steps) step();
    if (form_ == Form::Readable && steps > kFreeSteps) charge_parts(steps);
  }

 private:
  enum class Shape : std::uint8_t { Vector, Map, Set, Captures };
  struct Frame {
    Shape shape;
    bool value_next = false;  // the key of this entry is out
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    Value source{};
    std::unique_ptr<MapCursor> cursor;
  };

  void step() {
    Frame& top = stack_.back();
    if (top.value_next) {
      top.value_next = false;
      out_ += ' ';
      begin(top.shape == Shape::Map ? top.cursor->value() : capture(top, top.index - 1));
      return;
    }
    const bool more = top.cursor ? top.cursor->next() : top.index < top.count;
    if (!more) {
      out_ += top.shape == Shape::Vector ? "]" : top.shape == Shape::Captures ? "}}" : "}";
      if (top.cursor) --cursors_;
      stack_.pop_back();
      return;
    }
    if (top.index++ > 0) out_ += ' ';
    switch (top.shape) {
      case Shape::Vector: begin(vector_at(top.source, top.index - 1)); break;
      case Shape::Set: begin(top.cursor->key()); break;
      case Shape::Map:
        top.value_next = true;
        begin(top.cursor->key());
        break;
      case Shape::Captures:
        top.value_next = true;
        append_capture_name(top);
        break;
    }
  }

  static const Closure* closure_of(Value v) { return static_cast<const Closure*>(v.object); }
  static Value capture(const Frame& frame, std::uint32_t i) {
    return closure_of(frame.source)->upvalues()[i];
  }
  void append_capture_name(const Frame& frame) {
    const auto& names = closure_of(frame.source)->function->upvalue_names;
    const std::size_t i = frame.index - 1;
    append_keyword(i < names.size() ? std::string_view(names[i]) : std::string_view());
  }

  void open(std::string_view bracket, Frame frame) {
    out_ += bracket;
    if (stack_.size() == stack_.capacity()) make_room();
    stack_.push_back(std::move(frame));
  }
  // Counts the frames of a deep nest. The old ones and the new ones are there at once.
  void make_room() {
    const std::size_t more = std::max<std::size_t>(8, 2 * stack_.capacity());
    held_ = HeldBytes(more * sizeof(Frame));
    stack_.reserve(more);
  }
  // Counts the cursors of a deep nest.
  void hold_cursor() {
    if (++cursors_ <= held_cursors_count_) return;
    held_cursors_count_ = 2 * cursors_;
    held_cursors_ = HeldBytes(held_cursors_count_ * sizeof(MapCursor));
  }
  void open_with_cursor(std::string_view bracket, Shape shape, Value v) {
    Frame frame{};
    frame.shape = shape;
    frame.source = v;
    hold_cursor();
    frame.cursor = std::make_unique<MapCursor>(heap_, v);
    open(bracket, std::move(frame));
  }

  // Appends v, or what opens it.
  void begin(Value v) {
    switch (v.tag) {
      case Tag::Nil: out_ += "nil"; break;
      case Tag::False: out_ += "false"; break;
      case Tag::True: out_ += "true"; break;
      case Tag::Int: append_integer(out_, v); break;
      case Tag::BigInt:
        work_done(digits_work(v));
        append_integer(out_, v);
        if (form_ == Form::Edn) out_ += 'N';
        break;
      case Tag::Float: append_float(out_, v.d, true); break;
      case Tag::Keyword: append_keyword(v.keyword->name()); break;
      case Tag::String: append_string(string_view_of(v)); break;
      case Tag::Vector: {
        Frame frame{};
        frame.shape = Shape::Vector;
        frame.source = v;
        frame.count = vector_count(v);
        open("[", std::move(frame));
        break;
      }
      case Tag::Map: open_with_cursor("{", Shape::Map, v); break;
      case Tag::Set: open_with_cursor("#{", Shape::Set, v); break;
      case Tag::Date:
      case Tag::Instant:
      case Tag::Duration: append_temporal_form(out_, v, form_); break;
      case Tag::Var:
        out_ += "#'";
        out_ += static_cast<const Var*>(v.object)->name->name();
        break;
      case Tag::Pending:
        append_tagged(out_, "(pending", static_cast<const Pending*>(v.object)->id->view());
        out_ += ')';
        break;
      case Tag::Regex: append_regex(static_cast<const Regex*>(v.object)->source->view()); break;
      case Tag::Closure:
      case Tag::Builtin:
      case Tag::Tool: append_function(v); break;
      case Tag::Absent:
      case Tag::Hidden: out_ += "#<internal>"; break;
    }
  }

  void append_keyword(std::string_view name) {
    if (form_ == Form::Edn && !is_plain_keyword(name)) {
      append_tagged(out_, "#ptc/kw", name);
      return;
    }
    out_ += ':';
    out_ += name;
  }

  void append_string(std::string_view text) {
    std::size_t room = limit_.left();
    if (!limit_.admits(text.size())) return;
    if (text.size() <= room) return append_whole_string(text);
    while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xc0U) == 0x80U) --room;
    append_quoted(out_, text.substr(0, room));
    limit_.stop();
  }

  void append_whole_string(std::string_view text) {
    if (!limit_.has_pieces()) return append_quoted(out_, text);
    out_ += '"';
    limit_.in_blocks(text, [this](std::string_view block) { append_escaped(out_, block); });
    out_ += '"';
  }

  void append_regex(std::string_view pattern) {
    if (form_ == Form::Edn) {
      append_tagged(out_, "#ptc/regex", pattern);
    } else {
      append_pattern(out_, pattern);
    }
  }

  void append_function(Value v) {
    if (v.is(Tag::Closure)) {
      append_closure(v);
    } else if (v.is(Tag::Builtin)) {
      const std::string_view name = builtin_info(v.builtin()).name;
      if (form_ == Form::Edn) {
        append_tagged(out_, "#ptc/fn", name);
      } else {
        out_ += "#<builtin ";
        out_ += name;
        out_ += '>';
      }
    } else if (form_ == Form::Edn) {
      append_tagged(out_, "#ptc/fn", "tool/" + std::string(v.keyword->name()));
    } else {
      out_ += "#<fn>";
    }
  }

  void append_closure(Value v) {
    const FunctionInfo& info = *closure_of(v)->function;
    if (form_ == Form::Readable) {
      out_ += info.printed;
    } else if (info.source.empty()) {
      append_tagged(out_, "#ptc/fn", info.name);
    } else {
      append_source(info);
      if (closure_of(v)->upvalue_count == 0) {
        out_ += '}';
        return;
      }
      Frame frame{};
      frame.shape = Shape::Captures;
      frame.source = v;
      frame.count = closure_of(v)->upvalue_count;
      open(" :captured {", std::move(frame));
    }
  }

  // Appends the text of a function, or how far back the text is when it is out. Counted backwards, the number stays
  // right when texts are put behind each other.
  void append_source(const FunctionInfo& info) {
    if (info.source.size() > kRepeatedSourceBytes) {
      const auto [at, is_new_function] = functions_.try_emplace(&info, 0);
      if (is_new_function) at->second = sources_.try_emplace(info.source, written_sources_).first->second;
      if (at->second != written_sources_) {
        out_ += "#ptc/closure {:same ";
        out_ += std::to_string(written_sources_ - at->second);
        return;
      }
    }
    ++written_sources_;
    append_tagged(out_, "#ptc/closure {:src", info.source);
  }

  std::string& out_;
  Heap& heap_;
  Form form_;
  TextLimit limit_;
  std::vector<Frame> stack_;
  std::size_t cursors_ = 0, held_cursors_count_ = 0;
  HeldBytes held_, held_cursors_;
  std::uint64_t written_sources_ = 0;                                          // counts each :src
  boost::unordered_flat_map<const FunctionInfo*, std::uint64_t> functions_;    // to the number of their text
  boost::unordered_flat_map<std::string_view, std::uint64_t> sources_;         // long texts that are out
};

}  // namespace

void append_quoted(std::string& out, std::string_view utf8) {
  constexpr std::size_t kLarge = 65'536, kMore = 1'024;   // growing byte by byte would take twice the memory
  if (utf8.size() > kLarge) out.reserve(out.size() + utf8.size() + kMore);
  out += '"';
  append_escaped(out, utf8);
  out += '"';
}

void append_readable(std::string& out, Value v, Heap& heap, PrintLimit limit) {
  Printer(out, heap, Form::Readable, limit).print(v);
}

void append_edn(std::string& out, Value v, Heap& heap, PrintLimit limit) {
  Printer(out, heap, Form::Edn, limit).print(v);
}

void append_str(std::string& out, Value v, Heap& heap, PrintLimit limit) {
  switch (v.tag) {
    case Tag::Nil: return;
    case Tag::String: out += string_view_of(v); return;
    case Tag::Float: append_float(out, v.d, false); return;
    case Tag::Date:
    case Tag::Instant:
    case Tag::Duration: append_temporal(out, v); return;
    default: append_readable(out, v, heap, limit);
  }
}

void append_print(std::string& out, Value v, Heap& heap, PrintLimit limit) {
  if (v.is_string()) {
    out += string_view_of(v);
  } else {
    append_readable(out, v, heap, limit);
  }
}

std::uint32_t digits_work(Value big) {
  const std::uint64_t limbs = integer_bits(big) / 64 + 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(limbs * limbs / 16, UINT32_MAX));
}

bool is_plain_keyword(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("*+!-_?<>=.'%&$").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::string_view kind_text(Value v) {
  switch (v.tag) {
    case Tag::Nil: return "nil";
    case Tag::False:
    case Tag::True: return "boolean";
    case Tag::Int:
    case Tag::BigInt:
    case Tag::Float: return "number";
    case Tag::Keyword: return "keyword";
    case Tag::String: return "string";
    case Tag::Vector: return "vector";
    case Tag::Map: return "map";
    case Tag::Set: return "set";
    case Tag::Builtin:
    case Tag::Tool:
    case Tag::Closure: return "function";
    case Tag::Regex: return "regex";
    case Tag::Var: return "var";
    case Tag::Date: return "date";
    case Tag::Instant: return (v.object->flags & Instant::kLegacyDate) != 0 ? "java.util.Date" : "instant";
    case Tag::Duration: return "duration";
    case Tag::Pending: return "pending";
    case Tag::Absent:
    case Tag::Hidden: return "internal";
  }
  return "internal";
}

}  // namespace ptc
