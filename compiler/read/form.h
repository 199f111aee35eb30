// Forms: program text as data, with the exact span of each. Made by the reader, rewritten by the analyzer.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/read/block_list.h"
#include "compiler/read/compile_meter.h"
#include "schema/source_span.h"

namespace ptc {

enum class FormKind : std::uint8_t {
  Nil, True, False,
  Int,         // text: canonical decimal, any size
  Float,       // real
  String,      // text: decoded
  Keyword,     // text: name without the colon
  Symbol,      // text
  Regex,       // text: pattern as decoded by the reader
  Date, Instant, Duration,   // #date "…", #inst "…", #duration "…"; text: decoded
  List, Vector, Map, Set,   // items; Map: key, value, key, value …
  Lambda,      // #( … ): items
  VarQuote,    // #'symbol: text
  LocalAlias,  // made by the analyzer only: stands for the local variable `local`, cannot be captured or shadowed
};

struct Form {
  FormKind kind{};
  SourceSpan span;
  double real = 0;
  std::uint32_t local = 0;
  std::string text;
  std::vector<const Form*> items;
};

// Owns forms; pointers stay valid for its lifetime.
class FormArena {
 public:
  // Without a meter the forms are not counted. The meter must outlive the arena.
  explicit FormArena(CompileMeter* meter = nullptr) : meter_(meter) {}

  Form* make(FormKind kind, SourceSpan span) {
    if (meter_ != nullptr) meter_->take(sizeof(Form) + sizeof(const Form*), span);
    Form& form = forms_.add();
    form.kind = kind;
    form.span = span;
    return &form;
  }

 private:
  CompileMeter* meter_;
  BlockList<Form> forms_;
};

}  // namespace ptc
