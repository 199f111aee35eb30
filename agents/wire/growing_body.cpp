#include "agents/wire/growing_body.h"

#include <atomic>
#include <utility>

#include "agents/wire/request_fold.h"

namespace ptcvm::wire {

namespace {

// The end of a text to which pieces of a conversation are added.
struct End {
  bool has_entries = false;
  bool is_open = false;   // a message of the user is not closed
};

void separate(std::string& out, End end, bool begins_with_block) {
  if (end.is_open && !begins_with_block) out += kUserEnd;
  if (end.has_entries) out += ',';
  if (begins_with_block && !end.is_open) out += kUserBegin;
}

void add(std::string& out, End& end, const ConversationPiece& piece) {
  if (piece.text.empty()) return;
  separate(out, end, piece.begins_with_block);
  out += piece.text;
  end = {true, piece.ends_with_block};
}

void finish(std::string& out, End end, const std::string& tail) {
  if (end.is_open) out += kUserEnd;
  out += tail;
}

}  // namespace

// The text, and whether somebody has it as a body. The last owner of a body clears the flag, perhaps in another thread.
struct GrowingBody::Memory {
  std::string text;
  std::atomic<bool> is_lent = false;
};

std::string write_body(const RequestFrame& frame, std::span<const ConversationPiece* const> pieces) {
  std::size_t bytes = frame.head.size() + frame.tail.size() + kUserEnd.size();
  for (const ConversationPiece* const piece : pieces) {
    bytes += piece->text.size() + kUserEnd.size() + kUserBegin.size() + 1;
  }
  std::string body;
  body.reserve(bytes);
  body += frame.head;
  End end{frame.has_entries, false};
  for (const ConversationPiece* const piece : pieces) add(body, end, *piece);
  finish(body, end, frame.tail);
  return body;
}

GrowingBody::GrowingBody() : memory_(std::make_shared<Memory>()) {}

void GrowingBody::begin(const RequestFrame& frame) {
  parts_.clear();
  kept_bytes_ = 0;
  own_text() = frame.head;
  kept_bytes_ = head_bytes_ = frame.head.size();
  head_has_entries_ = frame.has_entries;
  tail_ = frame.tail;
}

std::string& GrowingBody::own_text() {
  if (memory_->is_lent.load(std::memory_order_acquire)) {
    auto other = std::make_shared<Memory>();
    other->text.assign(memory_->text, 0, kept_bytes_);
    memory_ = std::move(other);
  }
  memory_->text.resize(kept_bytes_);
  return memory_->text;
}

bool GrowingBody::has_entries_before(std::size_t part) const {
  while (part > 0 && parts_[part - 1].is_empty) --part;
  return part > 0 || head_has_entries_;
}

bool GrowingBody::is_open_before(std::size_t part) const {
  while (part > 0 && parts_[part - 1].is_empty) --part;
  return part > 0 && parts_[part - 1].ends_with_block;
}

void GrowingBody::replace(std::size_t first, std::size_t count, std::span<const ConversationPiece> pieces) {
  std::string& text = own_text();
  const std::size_t begin = first < parts_.size() ? parts_[first].begin : kept_bytes_;
  End end{has_entries_before(first), is_open_before(first)};
  std::string made;
  std::vector<Part> added;
  for (const ConversationPiece& piece : pieces) {
    Part& part = added.emplace_back();
    part.begin = begin + made.size();
    add(made, end, piece);
    part.text = begin + made.size() - piece.text.size();
    part.is_empty = piece.text.empty();
    part.begins_with_block = piece.begins_with_block;
    part.ends_with_block = piece.ends_with_block;
  }
  std::size_t next = first + count;   // the piece behind, which is separated anew
  for (; next < parts_.size() && parts_[next].is_empty; ++next) {
    parts_[next].begin = parts_[next].text = begin + made.size();
  }
  const std::size_t old_end = next < parts_.size() ? parts_[next].text : kept_bytes_;
  if (next < parts_.size()) {
    parts_[next].begin = begin + made.size();
    separate(made, end, parts_[next].begins_with_block);
    parts_[next].text = begin + made.size();
  }
  text.replace(begin, old_end - begin, made);
  const auto moved = [&](std::size_t at) { return at - old_end + begin + made.size(); };
  for (std::size_t i = next + 1; i < parts_.size(); ++i) {
    parts_[i].begin = moved(parts_[i].begin);
    parts_[i].text = moved(parts_[i].text);
  }
  kept_bytes_ = moved(kept_bytes_);
  const auto at = parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(first),
                               parts_.begin() + static_cast<std::ptrdiff_t>(first + count));
  parts_.insert(at, added.begin(), added.end());
}

GrowingBody::Body GrowingBody::with(const ConversationPiece& newest) {
  std::string& text = own_text();
  End end{has_entries_before(parts_.size()), is_open_before(parts_.size())};
  add(text, end, newest);
  finish(text, end, tail_);
  memory_->is_lent.store(true, std::memory_order_relaxed);
  return {&memory_->text, [memory = memory_](const std::string*) {
            memory->is_lent.store(false, std::memory_order_release);
          }};
}

GrowingBody::Body GrowingBody::with(const ConversationPiece& newest, const RequestFrame& other) const {
  std::string text = other.head;
  text.append(memory_->text, head_bytes_, kept_bytes_ - head_bytes_);
  End end{has_entries_before(parts_.size()), is_open_before(parts_.size())};
  add(text, end, newest);
  finish(text, end, other.tail);
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace ptcvm::wire
