#include "vm/value/text_pieces.h"

#include <utility>

namespace ptc {
namespace {

// Memory of more than a megabyte comes from the system and goes back at once, where smaller blocks stay with the
// process until all behind them are free. What a piece does not use is never touched.
constexpr std::size_t kReservedBytes = (std::size_t{1} << 20) + TextPieces::kPieceBytes;

}  // namespace

TextPieces::~TextPieces() { heap_.account(-static_cast<std::int64_t>(bytes_)); }

bool TextPieces::take(std::string& text) {
  if (!heap_.can_allocate(text.size())) return false;
  bytes_ += text.size();
  heap_.account(static_cast<std::int64_t>(text.size()));
  pieces_.push_back(std::move(text));
  text = std::string();
  text.reserve(kReservedBytes);
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
