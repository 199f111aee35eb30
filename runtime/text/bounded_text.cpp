#include "runtime/text/bounded_text.h"

#include "runtime/text/json_value.h"
#include "vm/value/account.h"
#include "vm/value/print.h"
#include "vm/value/text_pieces.h"

namespace ptc {
namespace {

using End = BoundedText::End;

// `write` appends the text to a string, hands long text over to the pieces, and sets the flag when it gave up.
BoundedText written(Heap& heap, const auto& write) {
  TextPieces pieces(heap);
  std::string text;
  bool is_cut = false;
  const auto ending = account::within([&] { write(text, PrintLimit{.truncated = &is_cut, .pieces = &pieces}); });
  if (ending == account::Ending::Stopped) return {End::Stopped, {}};
  if (ending == account::Ending::NoMemory || is_cut || !pieces.has_room(text.size())) return {End::TooLarge, {}};
  return {End::Whole, pieces.joined(std::move(text))};
}

}  // namespace

BoundedText edn_within(Heap& heap, Value borrowed) {
  return written(heap, [&](std::string& out, PrintLimit limit) { append_edn(out, borrowed, heap, limit); });
}

BoundedText json_within(Heap& heap, Value borrowed) {
  return written(heap, [&](std::string& out, PrintLimit limit) { append_json(out, borrowed, heap, limit); });
}

}  // namespace ptc
