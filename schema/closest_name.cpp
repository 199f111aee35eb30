#include "schema/closest_name.h"

#include <algorithm>
#include <string>

namespace ptc {
namespace {

// Longer names are not compared: nobody mistypes them into a builtin, and the comparison is quadratic.
constexpr std::size_t kMaxComparedLength = 64;

bool same_characters(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  std::string x(a);
  std::string y(b);
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  return x == y;
}

}  // namespace

double jaro_similarity(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  if (a.empty() || b.empty()) return 0;
  const std::size_t longest = std::max(a.size(), b.size());
  const std::size_t window = longest / 2 > 0 ? longest / 2 - 1 : 0;
  std::vector<bool> used(b.size());
  std::string in_a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t from = i > window ? i - window : 0;
    const std::size_t to = std::min(b.size(), i + window + 1);
    for (std::size_t j = from; j < to; ++j) {
      if (used[j] || a[i] != b[j]) continue;
      used[j] = true;
      in_a.push_back(a[i]);
      break;
    }
  }
  if (in_a.empty()) return 0;
  std::size_t swapped = 0;
  std::size_t k = 0;
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (used[j] && in_a[k++] != b[j]) ++swapped;
  }
  const auto matches = static_cast<double>(in_a.size());
  const auto transpositions = static_cast<double>(swapped) / 2;
  return (matches / static_cast<double>(a.size()) + matches / static_cast<double>(b.size()) +
          (matches - transpositions) / matches) / 3;
}

std::string_view closest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.size() > kMaxComparedLength) return {};
  std::string_view best;
  double best_score = 0;
  for (const std::string_view candidate : candidates) {
    if (candidate == name || candidate.empty() || candidate.size() > kMaxComparedLength) continue;
    const double similarity = jaro_similarity(name, candidate);
    const auto difference = static_cast<double>(std::max(name.size(), candidate.size()) -
                                                std::min(name.size(), candidate.size()));
    const double score = similarity + (same_characters(name, candidate) ? 0.3 : 0) - 0.05 * difference;
    if ((score > 0.8 || similarity > 0.85) && score > best_score) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

}  // namespace ptc
