#include "runtime/engine/diagnostic_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMaxColumns = 110;     // of source shown
constexpr std::size_t kTabWidth = 4;

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kBlue = "\x1b[1;34m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

// One code point of the shown line: its bytes and the terminal columns it takes.
struct Glyph {
  std::string text;
  std::size_t width;
  std::size_t offset;      // where its first byte is in the source
};

// A line may be megabytes long, and a program may have a diagnostic for each of its names. So nobody looks further from
// the place than this many bytes.
constexpr std::size_t kReach = 4 * kMaxColumns;

// Returns the line around the place, or the part of a longer line that is enough for glyphs_around().
std::string_view line_at(std::string_view source, std::size_t offset, std::size_t& begin) {
  constexpr std::size_t kLongestCodePoint = 4, kMore = kReach + 2 * kLongestCodePoint;
  offset = std::min(offset, source.size());
  const std::size_t lowest = offset > kMore ? offset - kMore : 0;
  const std::size_t before = source.substr(lowest, offset - lowest).rfind('\n');
  begin = before == std::string_view::npos ? lowest : lowest + before + 1;
  const std::string_view rest = source.substr(begin, offset - begin + 2 * kMore);
  std::size_t size = std::min(rest.find('\n'), rest.size());
  const bool is_whole = size < rest.size() || begin + size == source.size();
  if (is_whole && size > 0 && rest[size - 1] == '\r') --size;
  return rest.substr(0, size);
}

Glyph glyph_of(utf8proc_int32_t code_point, std::string_view bytes, std::size_t offset) {
  if (code_point == '\t') return {std::string(kTabWidth, ' '), kTabWidth, offset};
  if (code_point < 0x20 || code_point == 0x7f) return {"?", 1, offset};
  const int width = utf8proc_charwidth(code_point);
  return {std::string(bytes), width < 0 ? 0 : static_cast<std::size_t>(width), offset};
}

std::vector<Glyph> glyphs_around(std::string_view line, std::size_t line_begin, std::size_t caret) {
  std::size_t from = caret > line_begin + kReach ? caret - line_begin - kReach : 0;
  while (from > 0 && from < line.size() && (static_cast<unsigned char>(line[from]) & 0xc0) == 0x80) --from;
  const std::size_t to = std::min(line.size(), from + 2 * kReach);
  std::vector<Glyph> glyphs;
  while (from < to) {
    utf8proc_int32_t code_point = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(line.data() + from);
    auto size = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(line.size() - from), &code_point);
    if (size <= 0) {
      glyphs.push_back({"\xef\xbf\xbd", 1, line_begin + from});
      size = 1;
    } else {
      glyphs.push_back(glyph_of(code_point, line.substr(from, static_cast<std::size_t>(size)), line_begin + from));
    }
    from += static_cast<std::size_t>(size);
  }
  return glyphs;
}

struct Excerpt {
  std::string line, marks;
};

Excerpt excerpt_of(std::string_view source, SourceSpan span) {
  std::size_t line_begin = 0;
  const std::string_view line = line_at(source, span.begin, line_begin);
  const std::vector<Glyph> glyphs = glyphs_around(line, line_begin, span.begin);

  std::size_t column = 0;
  std::size_t caret_column = 0;
  for (const Glyph& glyph : glyphs) {
    if (glyph.offset < span.begin) caret_column += glyph.width;
  }
  const bool starts_cut = !glyphs.empty() && glyphs.front().offset > line_begin;
  const std::size_t first = caret_column > kMaxColumns * 3 / 4 ? caret_column - kMaxColumns / 2 : 0;

  Excerpt out;
  const bool cut_left = starts_cut || first > 0;
  bool cut_right = false;
  for (const Glyph& glyph : glyphs) {
    const std::size_t at = column;
    column += glyph.width;
    if (at < first) continue;
    if (at >= first + kMaxColumns) {
      cut_right = true;
      break;
    }
    out.line += glyph.text;
    if (glyph.offset < span.begin) {
      out.marks.append(glyph.width, ' ');
    } else if (glyph.offset < span.end || glyph.offset == span.begin) {
      const char mark = glyph.offset == span.begin ? '^' : '~';
      if (glyph.width > 0) out.marks += mark + std::string(glyph.width - 1, '~');
    }
  }
  if (out.marks.find('^') == std::string::npos) out.marks += '^';     // at the end of the line
  if (cut_left) {
    out.line.insert(0, "…");
    out.marks.insert(0, " ");
  }
  if (cut_right) out.line += "…";
  return out;
}

// Takes apart what source_excerpt() puts together.
Excerpt excerpt_of_text(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Excerpt out;
  out.line = text.substr(0, end);
  if (end < text.size()) out.marks = text.substr(end + 1);
  if (out.marks.ends_with('\n')) out.marks.pop_back();
  return out;
}

std::string title(const CallFrame& frame) {
  if (frame.kind == "task") return "task \"" + frame.name + "\"";
  if (frame.kind == "branch") return "branch " + frame.name;
  if (frame.kind == "tool") return "tool/" + frame.name;
  if (frame.kind == "omitted") return "… " + frame.name + " more";
  return frame.name;
}

// Lists calls below the place of the fault: what was called, and where.
std::string stack_lines(const DiagnosticText& d) {
  std::string out;
  std::size_t width = 0;
  for (const CallFrame& frame : d.stack) width = std::max(width, title(frame).size());
  for (const CallFrame& frame : d.stack) {
    std::string line = "  " + title(frame);
    if (frame.line != 0) {
      line.append(width + 4 - line.size(), ' ').append(frame.source_name.empty() ? "<program>" : frame.source_name);
      line.append(":").append(std::to_string(frame.line)).append(":").append(std::to_string(frame.column));
    }
    out.append(line).append("\n");
  }
  return out;
}

}  // namespace

std::string call_line(std::span<const CallFrame> stack) {
  std::string out;
  if (stack.size() < 2) return out;
  for (const CallFrame& frame : stack) {
    if (!out.empty()) out += " < ";
    out += title(frame);
    if (frame.line == 0) continue;
    out.append(" ").append(std::to_string(frame.line)).append(":").append(std::to_string(frame.column));
  }
  return out;
}

std::string source_excerpt(std::string_view source, SourceSpan span) {
  if (span.line == 0 || source.empty()) return {};
  const Excerpt excerpt = excerpt_of(source, span);
  return excerpt.line + '\n' + excerpt.marks + '\n';
}

std::string render_diagnostic(const DiagnosticText& d, bool colour) {
  const auto in = [colour](std::string_view code) { return colour ? code : std::string_view(); };
  std::string out;
  out.append(in(kRed)).append("error[").append(d.kind).append("]").append(in(kPlain));
  out.append(in(kBold)).append(": ").append(d.message).append(in(kPlain)).append("\n");
  if (d.span.line > 0) {
    const std::string number = std::to_string(d.span.line);
    const std::string margin(number.size() + 1, ' ');
    out.append(margin).append(in(kBlue)).append("--> ").append(in(kPlain));
    out.append(d.source_name.empty() ? "<program>" : d.source_name);
    out.append(":").append(number).append(":").append(std::to_string(d.span.column)).append("\n");
    if (!d.source.empty() || !d.excerpt.empty()) {
      const Excerpt excerpt = d.excerpt.empty() ? excerpt_of(d.source, d.span) : excerpt_of_text(d.excerpt);
      out.append(in(kBlue)).append(margin).append(" |\n ").append(number).append(" | ").append(in(kPlain));
      out.append(excerpt.line).append("\n");
      out.append(in(kBlue)).append(margin).append(" | ").append(in(kRed)).append(excerpt.marks);
      out.append(in(kPlain)).append("\n");
    }
  }
  if (!d.found.empty()) out.append(in(kCyan)).append("found: ").append(in(kPlain)).append(d.found).append("\n");
  if (d.stack.size() > 1) {
    out.append(in(kCyan)).append("calls, innermost first:").append(in(kPlain)).append("\n").append(stack_lines(d));
  }
  if (!d.hint.empty()) out.append(in(kCyan)).append("hint: ").append(in(kPlain)).append(d.hint).append("\n");
  return out;
}

}  // namespace ptc
