#include "tools/ptcvm/command_line/help_formatter.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace ptcvm::cli {
namespace {

std::string listed(std::string_view label, const std::set<CLI::Option*>& options) {
  if (options.empty()) return "";
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  std::string text = " " + std::string(label) + ":";
  for (const std::string& name : names) text += " " + name;
  return text;
}

// Returns what stands for the value of an option: "TEXT=default ...".
std::string value_text(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string text;
  if (!option.get_type_name().empty()) text += " " + option.get_type_name();
  if (!option.get_default_str().empty()) text += "=" + option.get_default_str();
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) {
    text += " ...";
  } else if (option.get_expected_min() > 1) {
    text += " x " + std::to_string(option.get_expected_min());
  }
  return option.get_required() ? text + " REQUIRED" : text;
}

}  // namespace

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text = option->get_option_text().empty() ? value_text(*option) : " " + option->get_option_text();
  if (!option->get_envname().empty()) text += " (Env:" + option->get_envname() + ")";
  return text + listed("Needs", option->get_needs()) + listed("Excludes", option->get_excludes());
}

}  // namespace ptcvm::cli
