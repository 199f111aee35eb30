#include "agents/chain/risk/path_rules.h"

#include <algorithm>

namespace ptcvm::chain {

namespace {

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (end != 0) names.push_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return names;
}

bool is_in(std::string_view path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return path == folder || folder == "/" ||
           (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
  });
}

// Returns whether one of the folders is the path or below it.
bool holds(std::string_view path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return is_in(folder, {std::string(path)}); });
}

}  // namespace

bool goes_up(std::string_view path) {
  const std::vector<std::string_view> names = names_of(path);
  return std::find(names.begin(), names.end(), "..") != names.end();
}

PathRules::PathRules(const SafetyRules& rules) : home_(rules.home), working_folder_(rules.working_folder) {
  denied_ = resolved(rules.deny_paths);
  allowed_ = resolved(rules.allow_paths);
  protected_ = resolved(rules.user_data_dirs);
  const std::vector<std::string> system = resolved(rules.system_dirs);
  protected_.insert(protected_.end(), system.begin(), system.end());
}

std::vector<std::string> PathRules::resolved(const std::vector<std::string>& folders) const {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) paths.push_back(absolute(folder));
  return paths;
}

bool PathRules::is_relative(std::string_view path) const {
  return !path.starts_with('/') && path != "~" && !path.starts_with("~/");
}

std::string PathRules::absolute(std::string_view path) const {
  std::string full;
  if (path == "~" || path.starts_with("~/")) {
    full = home_ + std::string(path.substr(1));
  } else if (is_relative(path)) {
    full = working_folder_ + '/' + std::string(path);
  } else {
    full = path;
  }
  std::vector<std::string_view> kept;
  for (const std::string_view name : names_of(full)) {
    if (name == ".") continue;
    if (name != "..") {
      kept.push_back(name);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  std::string out;
  for (const std::string_view name : kept) out.append(1, '/').append(name);
  return out.empty() ? "/" : out;
}

bool PathRules::holds_denied(std::string_view path) const { return holds(path, denied_); }

bool PathRules::holds_guarded(std::string_view path) const { return holds(path, denied_) || holds(path, protected_); }

bool PathRules::may_reach_guarded(std::string_view begin) const {
  std::string full = absolute(begin);
  if (begin.ends_with('/') && full != "/") full += '/';
  const auto can_be = [&full](const std::string& folder) { return folder.starts_with(full) || is_in(full, {folder}); };
  return std::ranges::any_of(denied_, can_be) || std::ranges::any_of(protected_, can_be);
}

PathClass PathRules::class_of(std::string_view path) const {
  if (is_in(path, denied_)) return PathClass::Denied;
  if (is_in(path, allowed_)) return PathClass::Allowed;
  return is_in(path, protected_) ? PathClass::Protected : PathClass::Other;
}

}  // namespace ptcvm::chain
