#include "vm/builtins/task_journal.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ptc {

Journal::~Journal() { clear(); }

void Journal::clear() {
  for (Entry& entry : entries_) heap_.release(entry.value);
  for (Change& change : changes_) heap_.release(change.value);
  entries_.clear();
  count_record(-static_cast<std::int64_t>(record_bytes_));
  hashes_.clear();
  slots_.clear();
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

std::uint32_t Journal::hash_of(std::string_view id) {
  const std::uint64_t hash = std::hash<std::string_view>()(id);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

std::size_t Journal::place_of(std::string_view id) const {
  if (slots_.empty()) return entries_.size();
  const std::uint32_t hash = hash_of(id);
  for (std::size_t at = hash;; ++at) {
    const std::uint32_t slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0) return entries_.size();
    if (hashes_[slot - 1] == hash && entries_[slot - 1].id == id) return slot - 1;
  }
}

void Journal::index_entry(std::size_t place) {
  std::size_t at = hashes_[place];
  while (slots_[at & (slots_.size() - 1)] != 0) ++at;
  slots_[at & (slots_.size() - 1)] = static_cast<std::uint32_t>(place) + 1;
}

void Journal::index_all(std::size_t slots) {
  slots_.assign(slots, 0);
  for (std::size_t place = 0; place < hashes_.size(); ++place) index_entry(place);
}

const Value* Journal::find(std::string_view id) const {
  const std::size_t place = place_of(id);
  return place == entries_.size() ? nullptr : &entries_[place].value;
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
  hashes_.push_back(hash_of(id));
  entries_.push_back({std::move(id), taken});
  if (2 * entries_.size() > slots_.size()) return index_all(std::max(kFirstSlots, 2 * slots_.size()));
  index_entry(entries_.size() - 1);
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
  const std::size_t at = place_of(id);
  if (at == entries_.size()) return false;
  count_record(-static_cast<std::int64_t>(record_bytes_of(id)));
  heap_.release(entries_[at].value);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
  hashes_.erase(hashes_.begin() + static_cast<std::ptrdiff_t>(at));
  index_all(slots_.size());
  return true;
}

std::vector<Journal::Change> Journal::take_changes() { return std::exchange(changes_, {}); }

}  // namespace ptc
