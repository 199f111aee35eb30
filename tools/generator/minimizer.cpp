#include "tools/generator/minimizer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tools/generator/form_tree.h"

namespace ptc::generator {
namespace {

// What a form can become. A candidate that is no shorter is not tried.
constexpr std::array<std::string_view, 6> kLiterals = {"0", "1", "[]", "{}", "nil", "\"\""};

std::string without(const std::string& text, std::size_t begin, std::size_t end, std::string_view instead = {}) {
  std::string changed = text.substr(0, begin);
  changed += instead;
  // Two atoms must not become one.
  if (instead.empty() && begin > 0 && end < text.size() && text[begin - 1] != ' ' && text[end] != ' ') changed += ' ';
  return changed.append(text, end, std::string::npos);
}

// The nodes in the order in which they are worth a try: large ones first.
std::vector<std::size_t> by_size(const std::vector<FormNode>& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return nodes[a].end - nodes[a].begin > nodes[b].end - nodes[b].begin;
  });
  return order;
}

// Blanks that nothing needs any more: runs become one, and those beside a delimiter go.
std::string tidied(const std::string& text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\' && i + 1 < text.size()) {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    const bool is_blank = !in_string && (c == ' ' || c == '\n');
    if (is_blank) {
      const char last = out.empty() ? ' ' : out.back();
      const std::size_t next = text.find_first_not_of(" \n", i);
      const bool is_needless = last == ' ' || last == '(' || last == '[' || last == '{' || next == std::string::npos ||
                               text[next] == ')' || text[next] == ']' || text[next] == '}';
      if (!is_needless) out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

// Returns whether the form begins with a bracket that no bracket closes.
bool is_left_open(const std::string& text, const FormNode& node) {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}";
  const std::size_t kind = kOpening.find(text[node.begin]);
  return kind != std::string_view::npos && (node.end - node.begin < 2 || text[node.end - 1] != kClosing[kind]);
}

}  // namespace

bool Minimizer::try_text(std::string candidate) {
  if (left_ == 0 || candidate.size() >= program_.size()) return false;
  --left_;
  ++tried_;
  if (!fails_(candidate)) return false;
  program_ = std::move(candidate);
  return true;
}

// Tries a change on every form, large ones first, and goes on where it is after a change that kept the failure: what is
// larger was tried before.
bool Minimizer::change_all(const Change& change) {
  bool is_changed = false;
  std::vector<FormNode> nodes = form_tree(program_);
  std::vector<std::size_t> order = by_size(nodes);
  for (std::size_t k = 0; k < order.size() && left_ > 0;) {
    if (!change(nodes, order[k])) {
      ++k;
      continue;
    }
    is_changed = true;
    nodes = form_tree(program_);
    order = by_size(nodes);
  }
  return is_changed;
}

// Leaves out parts of a form: halves first, single ones last.
bool Minimizer::remove_parts(const std::vector<FormNode>& nodes, std::size_t node) {
  const std::vector<std::size_t>& parts = nodes[node].parts;
  for (std::size_t width = parts.size(); width > 0; width /= 2) {
    for (std::size_t first = 0; first < parts.size(); first += width) {
      const std::size_t last = std::min(first + width, parts.size()) - 1;
      if (try_text(without(program_, nodes[parts[first]].begin, nodes[parts[last]].end))) return true;
    }
  }
  return false;
}

// Puts its own parts in the place of a form: all of them without their brackets, or one.
bool Minimizer::hoist_part(const std::vector<FormNode>& nodes, std::size_t node) {
  const std::vector<std::size_t>& parts = nodes[node].parts;
  const std::size_t first = nodes[node].begin;
  if (is_left_open(program_, nodes[node]) && try_text(without(program_, first, first + 1))) return true;
  if (parts.size() > 1) {
    const std::size_t begin = nodes[parts.front()].begin;
    const std::string inner = program_.substr(begin, nodes[parts.back()].end - begin);
    if (try_text(without(program_, nodes[node].begin, nodes[node].end, inner))) return true;
  }
  for (const std::size_t part : parts) {
    const std::string inner = program_.substr(nodes[part].begin, nodes[part].end - nodes[part].begin);
    if (try_text(without(program_, nodes[node].begin, nodes[node].end, inner))) return true;
  }
  return false;
}

// Leaves out closing brackets that close nothing. They are in no node.
bool Minimizer::drop_stray_brackets() {
  const std::vector<FormNode> nodes = form_tree(program_);
  for (std::size_t at = 0; at < program_.size(); ++at) {
    if (std::string_view(")]}").find(program_[at]) == std::string_view::npos) continue;
    const bool is_of_node = std::any_of(nodes.begin() + 1, nodes.end(), [&](const FormNode& node) {
      return node.end == at + 1 || (program_[node.begin] == '"' && node.begin < at && at < node.end);
    });
    if (!is_of_node && try_text(without(program_, at, at + 1))) return true;
  }
  return false;
}

bool Minimizer::simplify(const std::vector<FormNode>& nodes, std::size_t node) {
  for (const std::string_view literal : kLiterals) {
    if (try_text(without(program_, nodes[node].begin, nodes[node].end, literal))) return true;
  }
  return false;
}

std::string Minimizer::minimize(std::string program) {
  program_ = std::move(program);
  for (bool is_changed = true; is_changed && left_ > 0;) {
    is_changed = change_all([this](const auto& nodes, std::size_t node) { return remove_parts(nodes, node); });
    is_changed |= change_all([this](const auto& nodes, std::size_t node) { return hoist_part(nodes, node); });
    is_changed |= change_all([this](const auto& nodes, std::size_t node) { return simplify(nodes, node); });
    while (drop_stray_brackets()) is_changed = true;
  }
  try_text(tidied(program_));
  return program_;
}

}  // namespace ptc::generator
