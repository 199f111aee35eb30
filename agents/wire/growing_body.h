// The body of a request whose conversation grows. The pieces that stay are written once, and each request is written
// behind them, so a request costs what is new in it.
//
// One thread at a time uses the object. The bodies that with() returns may be kept and freed by any thread.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/wire/request.h"

namespace ptcvm::wire {

class GrowingBody {
 public:
  using Body = std::shared_ptr<const std::string>;
  GrowingBody();

  // Forgets all pieces.
  void begin(const RequestFrame& frame);
  // Puts pieces in the place of `count` pieces from the number `first` on. Behind the last piece `first` is the number
  // of pieces, and `count` is 0.
  void replace(std::size_t first, std::size_t count, std::span<const ConversationPiece> pieces);

  // Returns what write_body() gives for the pieces and `newest` behind them. The next body is written in the memory of
  // this one when nobody has this one any more.
  Body with(const ConversationPiece& newest);
  // The same with another frame, whose head has an entry when the head of begin() has one. The body has its own memory.
  Body with(const ConversationPiece& newest, const RequestFrame& other) const;

 private:
  // Where one piece is in the text. An empty piece takes no room, not even for what separates pieces.
  struct Part {
    std::size_t begin = 0, text = 0;   // where its separator begins, and where the piece itself begins
    bool is_empty = false, begins_with_block = false, ends_with_block = false;
  };
  struct Memory;
  std::string& own_text();             // the kept text alone, which nobody else has
  bool has_entries_before(std::size_t part) const;
  bool is_open_before(std::size_t part) const;

  std::shared_ptr<Memory> memory_;
  std::size_t kept_bytes_ = 0;         // the head and the pieces; the last request is behind them
  std::size_t head_bytes_ = 0;
  bool head_has_entries_ = false;
  std::string tail_;
  std::vector<Part> parts_;
};

}  // namespace ptcvm::wire
