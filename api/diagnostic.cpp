// Diagnostics as text, over the runtime's.
#include "ptcvm/diagnostic.hpp"

#include "runtime/engine/diagnostic_text.h"

namespace ptcvm {
namespace {

ptc::SourceSpan span_of(const Diagnostic& diagnostic) {
  ptc::SourceSpan span;
  span.begin = diagnostic.begin;
  span.end = diagnostic.end;
  span.line = diagnostic.line;
  span.column = diagnostic.column;
  return span;
}

// The frames borrow their kinds.
std::vector<ptc::CallFrame> frames_of(const std::vector<CallFrame>& stack) {
  std::vector<ptc::CallFrame> frames;
  for (const CallFrame& frame : stack) {
    frames.push_back({frame.kind, frame.name, frame.source_name, frame.line, frame.column});
  }
  return frames;
}

}  // namespace

std::string call_line(const std::vector<CallFrame>& stack) { return ptc::call_line(frames_of(stack)); }

std::string diagnostic_text(const Diagnostic& d, bool colour) {
  const std::vector<ptc::CallFrame> stack = frames_of(d.stack);
  return ptc::render_diagnostic(
      {d.kind, d.message, d.hint, d.source_name, {}, span_of(d), d.excerpt, stack, d.found}, colour);
}

std::string source_excerpt(const Diagnostic& diagnostic, std::string_view source) {
  return ptc::source_excerpt(source, span_of(diagnostic));
}

}  // namespace ptcvm
