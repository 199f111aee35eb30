// Keeps text that is being written for somebody outside of the run: the result of a turn, the arguments of a call. The
// text grows in pieces of a fixed size, so it is never copied while it grows, and each piece is counted in the heap of
// the run before the system is asked for it.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {

class TextPieces {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

  explicit TextPieces(Heap& heap) : heap_(heap) {}
  ~TextPieces();   // gives back to the account what was counted
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;

  // Returns whether the heap has room for that many more bytes.
  bool has_room(std::size_t bytes) const { return bytes < kPieceBytes || heap_.can_allocate(bytes); }
  // Returns how many more bytes the heap has room for.
  std::size_t room() const {
    const std::uint64_t used = heap_.bytes_used(), limit = heap_.limit_bytes();
    return used < limit ? static_cast<std::size_t>(limit - used) : 0;
  }
  std::size_t size_bytes() const { return bytes_; }   // counts all pieces that were taken
  // Takes a copy of the text, and leaves the text empty with its room. Returns false when the heap has no room for it.
  bool take(std::string& text);
  // Gives all text with `rest` at its end to take(std::string_view), piece by piece, and frees each piece behind it.
  template <class Take>
  void drain(std::string_view rest, Take take) {
    for (std::string& piece : pieces_) {
      take(std::string_view(piece));
      heap_.account(-static_cast<std::int64_t>(piece.size()));
      bytes_ -= piece.size();
      std::string().swap(piece);
    }
    pieces_.clear();
    take(rest);
  }
  // Returns all text with `rest` at its end. Each piece is freed when it was copied, so the text is in memory once.
  std::string joined(std::string rest);

 private:
  Heap& heap_;
  std::vector<std::string> pieces_;
  std::size_t bytes_ = 0;
};

}  // namespace ptc
