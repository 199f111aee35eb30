#include "vm/value/text_pieces.h"

#include <utility>

namespace ptc {

TextPieces::~TextPieces() { heap_.account(-static_cast<std::int64_t>(bytes_)); }

bool TextPieces::take(std::string& text) {
  if (!heap_.can_allocate(text.size())) return false;
  bytes_ += text.size();
  heap_.account(static_cast<std::int64_t>(text.size()));
  pieces_.emplace_back(text);   // takes no more memory than its bytes; the writer goes on in the memory that it has
  text.clear();
  return true;
}

std::string TextPieces::joined(std::string rest) {
  if (pieces_.empty()) return rest;
  std::string whole;
  whole.reserve(bytes_ + rest.size());
  for (std::string& piece : pieces_) {
    whole += piece;
    std::string().swap(piece);
  }
  whole += rest;
  pieces_.clear();
  return whole;
}

}  // namespace ptc
