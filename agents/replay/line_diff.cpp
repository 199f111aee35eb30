#include "agents/replay/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ptcvm::replay {

namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kMostCells = 4'000'000;   // a larger table is not made
constexpr std::size_t kAround = 2;              // equal lines that are shown before and behind a change

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Edit {
  char mark;   // ' ', '-' or '+'
  std::string_view line;
};

// Appends the edits of two blocks by the longest common subsequence of their lines.
void compare_blocks(std::span<const std::string_view> before, std::span<const std::string_view> after,
                    std::vector<Edit>& edits) {
  const std::size_t rows = before.size(), columns = after.size();
  if ((rows + 1) * (columns + 1) > kMostCells) {
    for (const std::string_view line : before) edits.push_back({'-', line});
    for (const std::string_view line : after) edits.push_back({'+', line});
    return;
  }
  std::vector<std::uint32_t> common((rows + 1) * (columns + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) = before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      edits.push_back({' ', before[i++]});
      ++j;
    } else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      edits.push_back({'-', before[i++]});
    } else {
      edits.push_back({'+', after[j++]});
    }
  }
}

std::vector<Edit> edits_between(const Lines& before, const Lines& after) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < head; ++i) edits.push_back({' ', before[i]});
  compare_blocks(std::span(before).subspan(head, before.size() - head - tail),
                 std::span(after).subspan(head, after.size() - head - tail), edits);
  for (std::size_t i = before.size() - tail; i < before.size(); ++i) edits.push_back({' ', before[i]});
  return edits;
}

}  // namespace

LineDiff line_diff(std::string_view old_text, std::string_view new_text, std::size_t most_lines) {
  const std::vector<Edit> edits = edits_between(lines_of(old_text), lines_of(new_text));
  LineDiff diff;
  std::vector<bool> is_near(edits.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    ++diff.changed;
    const std::size_t end = std::min(edits.size(), i + kAround + 1);
    for (std::size_t near = i - std::min(i, kAround); near < end; ++near) is_near[near] = true;
  }
  std::size_t shown = 0, left_out = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!is_near[i]) continue;
    if (i > 0 && !is_near[i - 1] && shown > 0 && shown < most_lines) diff.text += "  …\n";
    if (shown++ >= most_lines) {
      ++left_out;
    } else {
      diff.text.append(1, edits[i].mark).append(" ").append(edits[i].line).append("\n");
    }
  }
  if (left_out > 0) diff.text += "  … and " + std::to_string(left_out) + " more lines\n";
  return diff;
}

}  // namespace ptcvm::replay
