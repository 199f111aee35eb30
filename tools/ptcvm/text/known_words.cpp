#include "tools/ptcvm/text/known_words.h"

#include "schema/closest_name.h"

namespace ptcvm::cli {

std::string unknown_word(std::string_view thing, std::string_view given, const std::vector<std::string_view>& known) {
  std::string text = "there is no " + std::string(thing) + ' ' + std::string(given);
  const std::string_view nearest = ptc::closest_name(given, known);
  if (!nearest.empty()) return text + ". Did you mean: " + std::string(nearest) + '?';
  std::string words;
  for (const std::string_view word : known) words.append(words.empty() ? "" : ", ").append(word);
  return text + ". It is one of " + words;
}

}  // namespace ptcvm::cli
