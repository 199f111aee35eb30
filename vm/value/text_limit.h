// Watches text that a writer makes: its length, the memory of its pieces, and the time of the run.
#pragma once
#include <string>
#include <string_view>

#include "vm/value/account.h"
#include "vm/value/print.h"
#include "vm/value/text_pieces.h"
#include "vm/value/utf8.h"

namespace ptc {

class TextLimit {
 public:
  // The text must outlive this object. With pieces, the text must be empty.
  TextLimit(std::string& out, PrintLimit limit) : out_(out), limit_(limit), start_(out.size()) {
    if (limit_.truncated != nullptr) *limit_.truncated = false;
  }

  // Returns whether the writer may take its next step. Hands a full piece of the text over.
  bool goes_on() {
    const bool is_too_long = written() > limit_.max_bytes;
    const bool is_full = limit_.pieces != nullptr && out_.size() >= TextPieces::kPieceBytes;
    if (is_too_long || (is_full && !limit_.pieces->take(out_))) stop();
    work_done(1);
    return !stopped_;
  }
  // Gives a text to append(std::string_view) in blocks that end with whole code points. Between the blocks full pieces
  // are handed over, so that a long text in the middle of another one makes no long piece. Without pieces, the text is
  // one block.
  template <class Append>
  void in_blocks(std::string_view text, Append append) {
    constexpr std::size_t kBlockBytes = 8 * 1024;   // with all escapes less than a piece has room for
    while (limit_.pieces != nullptr && text.size() > kBlockBytes) {
      const std::string_view block = utf8_prefix(text, kBlockBytes);
      if (block.empty()) break;   // malformed text, in which no code point begins
      append(block);
      text.remove_prefix(block.size());
      if (!goes_on()) return;
    }
    append(text);
  }
  // Returns whether there is memory for so much more text. When there is none, the writer may not go on.
  bool admits(std::size_t bytes) {
    if (limit_.pieces != nullptr && !limit_.pieces->has_room(bytes)) stop();
    return !stopped_;
  }
  void stop() {
    stopped_ = true;
    if (limit_.truncated != nullptr) *limit_.truncated = true;
  }
  // Returns how many more bytes the text may have.
  std::size_t left() const {
    const std::size_t used = written();
    return used < limit_.max_bytes ? limit_.max_bytes - used : 0;
  }
  bool has_pieces() const { return limit_.pieces != nullptr; }
  std::size_t room() const { return limit_.pieces == nullptr ? SIZE_MAX : limit_.pieces->room(); }

 private:
  std::size_t written() const {
    return out_.size() - start_ + (limit_.pieces == nullptr ? 0 : limit_.pieces->size_bytes());
  }

  std::string& out_;
  PrintLimit limit_;
  std::size_t start_;
  bool stopped_ = false;
};

}  // namespace ptc
