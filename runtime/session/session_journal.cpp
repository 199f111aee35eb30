#include "runtime/session/session_journal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/text/counted_bytes.h"
#include "runtime/text/edn.h"
#include "runtime/text/written_size.h"
#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/weight.h"

namespace ptc {
namespace {

// Returns how large the text of a value is. Looking at a value is work of the program, and so are the digits of wide
// integers, which somebody writes later: a unit for each part, as in a result. Writing a small value with its id is
// work, too, so that a task has a charge of its own, and no part of its value is free.
std::uint64_t charged_size(Heap& heap, Value borrowed) {
  constexpr std::uint64_t kUnitsOfTask = 8;
  const WrittenSize size = measure_written(borrowed, kMaxWrittenSize);
  heap.add_work(kUnitsOfTask + (size.parts < kFreeParts ? size.parts / kPartsPerUnit : 0));
  charge_parts(size.parts);
  if (size.digits >= kFreeParts) charge_parts(size.digits * kPartsPerUnit);
  return size.parts;
}

// A journal in memory keeps every value. The turn has a warning for a value that cannot be written out.
bool charge_only(Heap& heap, Value borrowed) {
  charged_size(heap, borrowed);
  return true;
}

// The text of a value is memory of the run until a store has the text: as the text (with room to grow), in a fact, in
// the bytes of the fact and in the pages of a database.
bool has_room_to_write(Heap& heap, Value borrowed) {
  constexpr std::uint64_t kCopies = 6, kPartBytes = 8, kLargeText = 64 * 1024;
  const std::uint64_t size = charged_size(heap, borrowed);
  const std::uint64_t bytes = std::max(written_bytes(heap, borrowed), kPartBytes * size);
  if (kCopies * bytes > room_of(heap)) heap.free_garbage();
  if (size >= kMaxWrittenSize || kCopies * bytes > room_of(heap)) return false;
  if (bytes < kLargeText) return true;
  const CountedBytes copies(heap, kCopies * bytes);   // so that the engine keeps less of what the run gave back
  return true;
}

// A text that doubles its room takes twice its bytes while it is copied. A long one gets all the room that it may have
// at once: what is not written to takes no memory of the machine.
void make_room(std::string& text, std::uint64_t more, std::uint64_t most_bytes) {
  constexpr std::uint64_t kLongText = std::uint64_t{1} << 20, kMostReserved = std::uint64_t{1} << 30;
  constexpr std::uint64_t kEnd = 4096;   // for what comes behind the last value
  if (text.size() + more <= kLongText || most_bytes > kMostReserved || text.capacity() > most_bytes) return;
  text.reserve(most_bytes + kEnd);
}

}  // namespace

std::optional<std::string> SessionJournal::load(std::string_view edn) {
  std::string message;
  auto journal = edn_.read(edn, {}, message);   // values that a run committed: no bound but the memory
  if (journal && journal->is_nil()) journal = map_empty(run_.heap());
  if (journal && !journal->is_map()) {
    run_.heap().release(*journal);
    return "the journal must be a map";
  }
  if (!journal) return message;
  const Owned owner(run_.heap(), *journal);
  enable();
  for (MapCursor entry(run_.heap(), *journal); entry.next();) {
    const auto id = edn_name(entry.key());
    if (!id) return "ids in the journal must be strings";
    if (!has(*id)) restore(*id, retained(entry.value()));
  }
  return std::nullopt;
}

std::optional<std::string> SessionJournal::load_task(std::string_view id, std::string_view edn) {
  std::string message;
  const auto value = edn_.read(edn, {}, message);
  if (!value) return message;
  enable();
  if (has(id)) {
    run_.heap().release(*value);
    return "two entries of the journal for " + std::string(id);
  }
  restore(id, *value);
  return std::nullopt;
}

void SessionJournal::restore(std::string_view id, Value taken) {
  run_.environment().journal.restore(std::string(id), taken);
  run_.environment().operations.detach_task(id);   // what its body opened is done with
}

void SessionJournal::forget_all_but(const std::function<bool(std::string_view id)>& keep) {
  Journal& journal = run_.environment().journal;
  std::vector<std::string> gone;
  for (const Journal::Entry& entry : journal.entries()) {
    if (!keep(entry.id)) gone.push_back(entry.id);
  }
  for (const std::string& id : gone) journal.erase(id);
}

std::optional<std::string> SessionJournal::edn(std::uint64_t most_bytes) const {
  Heap& heap = run_.heap();
  const Environment& records = run_.environment();
  if (!records.has_journal) return std::nullopt;
  std::string text = "{";
  for (const Journal::Entry& entry : records.journal.entries()) {
    const WrittenSize size = measure_written(entry.value, kMaxWrittenSize);
    if (size.parts >= kMaxWrittenSize) continue;
    if (text.size() > 1) text += ' ';
    append_quoted(text, entry.id);
    text += ' ';
    if (text.size() + size.least_bytes > most_bytes) return std::string();
    make_room(text, size.least_bytes, most_bytes);
    bool is_cut = false;
    append_edn(text, entry.value, heap, {.max_bytes = most_bytes - text.size(), .truncated = &is_cut});
    if (is_cut) return std::string();     // entries may share what is written for each of them
  }
  text += "}";
  return text;
}

void SessionJournal::set_source(TaskSource source, std::function<void(std::string_view)> complain) {
  enable();
  run_.environment().journal.set_source(
      [this, source = std::move(source), complain = std::move(complain)](std::string_view id) -> Journal::Found {
        const TaskText text = source(id);
        if (text.edn == nullptr) return {};
        auto read = read_edn(run_.heap(), *text.edn);
        if (const auto* value = std::get_if<Value>(&read)) return {*value, text.returned};
        if (std::get<EdnError>(read).kind == EdnError::Kind::Malformed) complain(id);   // else the run ends
        return {Value::nil(), text.returned};
      });
}

void SessionJournal::bound_commits(bool are_written) {
  run_.environment().journal.set_rule(are_written ? has_room_to_write : charge_only, are_written);
}

void SessionJournal::set_reset_rule(std::function<bool(std::string_view)> needs_reason) {
  run_.environment().reset_needs_reason = std::move(needs_reason);
}

}  // namespace ptc
