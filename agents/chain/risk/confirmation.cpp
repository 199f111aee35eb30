#include "agents/chain/risk/confirmation.h"

#include <charconv>

#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kBegin = "confirm/";

std::optional<std::string_view> taken_part(std::string_view& text) {
  const std::size_t at = text.find('/');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + 1);
  return part;
}

}  // namespace

std::string confirmation_id(std::uint32_t revision, std::string_view step, std::string_view signature) {
  std::string id(kBegin);
  id += std::to_string(revision) + '/';
  id += step;
  id += '/';
  id += signature;
  return id;
}

std::optional<ConfirmationId> read_confirmation_id(std::string_view id) {
  if (!id.starts_with(kBegin)) return std::nullopt;
  id.remove_prefix(kBegin.size());
  const auto revision = taken_part(id);
  const auto step = taken_part(id);
  if (!revision || !step) return std::nullopt;
  std::uint32_t number = 0;
  std::from_chars(revision->data(), revision->data() + revision->size(), number);
  return ConfirmationId{number, *step, id};
}

ConfirmationReply read_confirmation(std::string_view reply) {
  const std::string said = lowercase(trimmed(reply));
  const bool is_lasting = said == "always" || said == "a";
  return {is_lasting || said == "yes" || said == "y", is_lasting};
}

bool is_confirmation(std::string_view reply) {
  const std::string said = lowercase(trimmed(reply));
  return read_confirmation(said).is_approved || said == "no" || said == "n";
}

}  // namespace ptcvm::chain
