#include "agents/chain/memory/task_archive.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

constexpr std::size_t kMostWords = 32;
constexpr auto kEmptyWords = std::to_array<std::string_view>(
    {"a",  "an", "and", "are", "as", "at", "be", "by",  "do",   "for", "from", "has", "have", "i",    "in",   "is",
     "it", "me", "my",  "of",  "on", "or", "so", "the", "then", "this", "that", "to",  "was",  "we",   "with", "you"});

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  std::vector<std::string> words;
  for (auto at = text.begin(); words.size() < kMostWords;) {
    at = std::find_if(at, text.end(), is_letter);
    if (at == text.end()) break;
    const auto end = std::find_if_not(at, text.end(), is_letter);
    std::string word = lowercase(std::string_view(at, end));
    const bool is_empty = std::find(kEmptyWords.begin(), kEmptyWords.end(), word) != kEmptyWords.end();
    if (!is_empty && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    at = end;
  }
  return words;
}

std::int64_t feedback_time(const TaskRecord& record) {
  const boost::json::value* const said = record.feedback ? record.feedback->if_contains("createdAt") : nullptr;
  return said != nullptr && said->is_int64() ? said->get_int64() : record.created_ms;
}

std::vector<MemoryFact> facts_of(const TaskRecord& record) {
  std::vector<MemoryFact> facts;
  const boost::json::value* const list = record.feedback ? record.feedback->if_contains("corrections") : nullptr;
  if (list == nullptr || !list->is_array()) return facts;
  for (const boost::json::value& correction : list->get_array()) {
    if (!correction.is_string()) continue;
    const std::string key = "feedback/" + record.task_id + '/' + std::to_string(facts.size() + 1);
    facts.push_back({key, std::string(correction.get_string()), feedback_time(record)});
  }
  return facts;
}

}  // namespace ptcvm::chain
