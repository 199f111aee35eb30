// The part of JsonValueWriter for values without parts that are collections.
#include <cmath>

#include "schema/ascii.h"
#include "vm/snapshot/json/json_value_writer.h"
#include "vm/value/calendar.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::uint32_t kDecimalLimbs = 1026;   // wider integers are written as hexadecimal digits

std::string float_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text;
  append_float(text, x, true);
  return text;
}

std::string integer_text(Value big) {
  const auto* number = static_cast<const BigInt*>(big.object);
  std::string text;
  if (number->limb_count <= kDecimalLimbs) {
    append_integer(text, big);
    return text;
  }
  text = (number->flags & BigInt::kNegative) != 0 ? "-0x" : "0x";
  for (std::uint32_t i = number->limb_count; i-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kHexDigits[number->limbs()[i] >> shift & 15];
  }
  return text;
}

// ISO text when that reads back as the same point or length of time, else "".
std::string temporal_text(Value temporal) {
  std::string text;
  append_temporal(text, temporal);
  bool same = false;
  if (temporal.is(Tag::Date)) {
    same = parse_date(text) == temporal.i;
  } else if (temporal.is(Tag::Instant)) {
    const auto* instant = static_cast<const Instant*>(temporal.object);
    const auto read = parse_instant(text);
    same = read && read->seconds == instant->epoch_seconds && read->nanos == instant->nanos;
  } else {
    const auto* duration = static_cast<const Duration*>(temporal.object);
    const auto read = parse_duration(text);
    same = read && read->seconds == duration->seconds && read->nanos == duration->nanos;
  }
  return same ? text : std::string();
}

}  // namespace

bool JsonValueWriter::scalar(Value value) {
  const auto tag_and_text = [this](std::string_view tag, std::string_view text) {
    tagged(tag);
    out_.key("v");
    out_.text(text);
    out_.close('}');
    return true;
  };
  switch (value.tag) {
    case Tag::Nil: out_.raw("null"); return true;
    case Tag::False: out_.raw("false"); return true;
    case Tag::True: out_.raw("true"); return true;
    case Tag::Absent:
      tagged("absent");
      out_.close('}');
      return true;
    case Tag::Int:
      if (value.i <= kMaxPlainInt && value.i >= -kMaxPlainInt) {
        out_.number(value.i);
        return true;
      }
      return tag_and_text("int", std::to_string(value.i));
    case Tag::Float: return tag_and_text("f", float_text(value.d));
    case Tag::Keyword: return tag_and_text("kw", value.keyword->name());
    case Tag::Tool: return tag_and_text("tool", value.keyword->name());
    case Tag::Builtin: return tag_and_text("fn", builtin_info(value.builtin()).name);
    case Tag::Date: {
      if (const std::string text = temporal_text(value); !text.empty()) return tag_and_text("date", text);
      tagged("date");
      out_.key("days");
      out_.number(value.i);
      out_.close('}');
      return true;
    }
    default: return false;
  }
}

void JsonValueWriter::string(Value value, bool quiet) {
  const std::string_view text = string_view_of(value);
  Met* const met = shared_.find(value.object);
  const bool again = met != nullptr && (met->is_linked() ? met->is_written : met->id != 0);
  if (again && text.size() > kMaxRepeatedBytes) return reference(*met);
  if (met != nullptr) met->is_written = true;
  out_.text(text);
  if (!quiet) text_facts(value);
}

// What must be said of a text besides its characters.
void JsonValueWriter::text_facts(Value value) {
  const Object* const constant = shared_.constant_text(string_view_of(value));
  Met* const met = shared_.find(value.object);
  if (met != nullptr && met->is_linked()) {
    if (constant != value.object) layout.fact("$const", met->ordinal);
    return;
  }
  if (constant == value.object) return;
  if (met != nullptr && met->id != 0) {
    layout.fact("$same", met->id);
    return;
  }
  if (met != nullptr && met->times > 1) layout.fact("$id", declare(*met));
  if (constant != nullptr) layout.fact("$new", "true");
}

void JsonValueWriter::small_object(Value value, bool quiet) {
  const auto part = [&](std::string_view name) {
    out_.key(name);
    layout.enter(name);
    string(part_at(value.object, 0), quiet);
    layout.leave();
  };
  switch (value.object->kind) {
    case Kind::BigInt:
      tagged("int");
      out_.key("v");
      out_.text(integer_text(value));
      break;
    case Kind::RangeVector: {
      const auto* range = static_cast<const RangeVector*>(value.object);
      tagged("range");
      out_.key("first");
      out_.number(range->first);
      out_.key("step");
      out_.number(range->step);
      out_.key("count");
      out_.number(std::uint64_t{range->count});
      break;
    }
    case Kind::Var:
      tagged("var");
      out_.key("v");
      out_.text(static_cast<const Var*>(value.object)->name->name());
      break;
    case Kind::Instant:
    case Kind::Duration: {
      const bool instant = value.is(Tag::Instant);
      tagged(instant ? "instant" : "duration");
      if (const std::string text = temporal_text(value); !text.empty()) {
        out_.key("v");
        out_.text(text);
      } else {
        out_.key("seconds");
        out_.number(instant ? static_cast<const Instant*>(value.object)->epoch_seconds
                            : static_cast<const Duration*>(value.object)->seconds);
        out_.key("nanos");
        out_.number(std::uint64_t{instant ? static_cast<const Instant*>(value.object)->nanos
                                          : static_cast<const Duration*>(value.object)->nanos});
      }
      if (instant && (value.object->flags & Instant::kLegacyDate) != 0) {
        out_.key("legacy");
        out_.raw("true");
      }
      break;
    }
    case Kind::Regex:
      tagged("re");
      part("v");
      break;
    default:
      tagged("pending");
      part("id");
  }
  out_.close('}');
}

}  // namespace ptc
