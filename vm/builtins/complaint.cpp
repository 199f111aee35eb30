// Spelling of type errors; see complaint.h.
#include "vm/builtins/complaint.h"

#include "vm/value/print.h"

namespace ptc {

Value wrong_kind(Call& call, std::string_view function, std::string_view subject, std::string_view expected,
                 Value got, std::string hint) {
  std::string text(function);
  text += ": ";
  text += subject;
  if (got.is(Tag::Pending)) {
    text += " is a pending operation (";
    text += static_cast<const Pending*>(got.object)->id->view();
    text += "); use (await …)";
    return call.fail(FaultKind::TypeError, std::move(text), std::move(hint));
  }
  text += " expected ";
  text += expected;
  text += ", got ";
  text += kind_text(got);
  return call.fail_about(got, FaultKind::TypeError, std::move(text), std::move(hint));
}

Value wrong_argument(Call& call, std::string_view function, std::int64_t arg_number,
                     std::string_view expected, Value got, std::string hint) {
  return wrong_kind(call, function, "arg " + std::to_string(arg_number), expected, got, std::move(hint));
}

std::string shown(Call& call, Value borrowed) {
  constexpr std::size_t kShownBytes = 60;
  std::string text;
  bool truncated = false;
  append_readable(text, borrowed, call.heap, {kShownBytes, &truncated});
  if (truncated) text += "…";
  return text;
}

}  // namespace ptc
