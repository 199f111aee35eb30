#include "vm/builtins/task_journal.h"

#include <algorithm>
#include <utility>

namespace ptc {

Journal::~Journal() { clear(); }

void Journal::clear() {
  for (Entry& entry : entries_) heap_.release(entry.value);
  for (Change& change : changes_) heap_.release(change.value);
  entries_.clear();
  count_record(-static_cast<std::int64_t>(record_bytes_));
  index_.clear();
  changes_.clear();
}

namespace {

// A host keeps a long id in its own tables, too.
std::uint64_t record_bytes_of(std::string_view id) {
  constexpr std::size_t kShortId = 4096, kCopies = 4;
  return Journal::entry_bytes(id) + (id.size() > kShortId ? kCopies * id.size() : 0);
}

}  // namespace

void Journal::count_record(std::int64_t bytes) {
  heap_.account(bytes);
  record_bytes_ += static_cast<std::uint64_t>(bytes);
}

const Value* Journal::find(std::string_view id) const {
  const auto at = index_.find(id);
  return at == index_.end() ? nullptr : &entries_[at->second].value;
}

const Value* Journal::look_up(std::string_view id, bool& returned) {
  returned = false;
  if (const Value* known = find(id)) return known;
  const auto is_reset = [id](const Change& change) { return change.kind == Change::Kind::Reset && change.id == id; };
  if (!source_ || std::any_of(changes_.begin(), changes_.end(), is_reset)) return nullptr;
  const Found found = source_(id);
  if (found.value.is_absent()) return nullptr;
  returned = found.returned;
  restore(std::string(id), found.value);
  return find(id);
}

void Journal::restore(std::string id, Value taken) {
  count_record(static_cast<std::int64_t>(record_bytes_of(id)));
  index_.emplace(id, entries_.size());
  entries_.push_back({std::move(id), taken});
}

void Journal::commit(std::string_view id, Value taken, std::size_t operations, bool returned) {
  if (find(id) != nullptr) {
    heap_.release(taken);
    return;
  }
  if (keeps_changes_) {
    changes_.push_back({Change::Kind::Commit, std::string(id), retained(taken), {}, returned, operations});
  }
  restore(std::string(id), taken);
}

void Journal::reset(std::string_view id, std::string reason, std::size_t operations) {
  const bool is_known = erase(id) || source_;   // the host may know more of it than this journal
  if (keeps_changes_ && is_known) {
    changes_.push_back({Change::Kind::Reset, std::string(id), Value::nil(), std::move(reason), false, operations});
  }
}

bool Journal::erase(std::string_view id) {
  const auto known = index_.find(id);
  if (known == index_.end()) return false;
  const std::size_t at = known->second;
  count_record(-static_cast<std::int64_t>(record_bytes_of(id)));
  heap_.release(entries_[at].value);
  index_.erase(known);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t k = at; k < entries_.size(); ++k) index_.find(entries_[k].id)->second = k;
  return true;
}

std::vector<Journal::Change> Journal::take_changes() { return std::exchange(changes_, {}); }

}  // namespace ptc
