// Any text as program text: refused with a kind and a place, or read; laid out anew it reads as the same forms, and
// laying it out once more changes nothing.
#include <algorithm>
#include <bit>
#include <string>

#include "compiler/read/reader.h"
#include "fuzz/fuzz_target.h"
#include "tools/ptcvm/source/formatter.h"

namespace {

// Returns all that the forms say, except their positions.
std::string outline(const std::vector<const ptc::Form*>& forms) {
  std::string out;
  std::vector<const ptc::Form*> open(forms.rbegin(), forms.rend());
  while (!open.empty()) {
    const ptc::Form& form = *open.back();
    open.pop_back();
    out += std::to_string(static_cast<unsigned>(form.kind)) + ' ' + std::to_string(form.items.size()) + ' ' +
           std::to_string(std::bit_cast<std::uint64_t>(form.real)) + ' ' + form.text + '\n';
    open.insert(open.end(), form.items.rbegin(), form.items.rend());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  const std::string_view text = ptc::fuzz::text_of(data, size);
  ptc::FormArena arena;
  const ptc::ReadResult read = read_forms(text, arena);
  if (read.failed) {
    promise(!read.error.message.empty() && read.error.span.line >= 1, "refused without reason or place");
    promise(read.error.span.begin <= size && read.error.span.end <= size, "refused at a place outside of the text");
    return 0;
  }
  const std::string formatted = ptcvm::cli::format_source(text);
  const ptc::ReadResult again = read_forms(formatted, arena);
  promise(!again.failed, "laid out anew, and refused");
  promise(outline(again.forms) == outline(read.forms), "laid out anew, and other forms");
  promise(ptcvm::cli::format_source(formatted) == formatted, "laid out twice, and another text");
  return 0;
}
