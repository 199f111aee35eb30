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

}  // namespace

std::string diagnostic_text(const Diagnostic& d, bool colour) {
  return ptc::render_diagnostic({d.kind, d.message, d.hint, d.source_name, {}, span_of(d), d.excerpt}, colour);
}

std::string source_excerpt(const Diagnostic& diagnostic, std::string_view source) {
  return ptc::source_excerpt(source, span_of(diagnostic));
}

}  // namespace ptcvm
