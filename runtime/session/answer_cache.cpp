#include "runtime/session/answer_cache.h"

#include <algorithm>

#include "vm/value/print.h"

namespace ptc {

std::string AnswerCache::key_of(std::string_view tool, Value borrowed_args) const {
  std::string key(tool);
  key += ' ';
  append_edn(key, borrowed_args, run_.heap());
  return key;
}

Value AnswerCache::find(const std::string& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? Value::absent() : found->second;
}

void AnswerCache::add(std::string key, Value borrowed) { fresh_.emplace_back(std::move(key), retained(borrowed)); }

void AnswerCache::keep_fresh() {
  for (auto& [key, answer] : fresh_) {
    const auto [at, is_new] = kept_.emplace(std::move(key), answer);
    if (is_new) continue;
    run_.heap().release(at->second);
    at->second = answer;
  }
  fresh_.clear();
}

std::vector<std::pair<std::string, Value>> AnswerCache::sorted() const {
  std::vector<std::pair<std::string, Value>> all(kept_.begin(), kept_.end());
  std::ranges::sort(all, {}, &std::pair<std::string, Value>::first);
  return all;
}

void AnswerCache::forget() {
  for (const auto& [key, answer] : kept_) run_.heap().release(answer);
  for (const auto& [key, answer] : fresh_) run_.heap().release(answer);
  kept_.clear();
  fresh_.clear();
}

}  // namespace ptc
