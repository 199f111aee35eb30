#include "tools/ptcvm/store/host_parts.h"

#include <array>
#include <optional>
#include <string_view>

#include "ptcvm/host_log.hpp"

namespace ptcvm::cli {
namespace {

// What the logs of a task are called behind its id; the one of the driver has the id itself, or /driver.
constexpr std::array<std::string_view, 4> kChainParts = {"", "/driver", "/steps", "/feedback"};
constexpr std::string_view kChainSetup = "/setup", kPlanner = "/planner";

Result<bool> is_host_log(const Store& store, const std::string& id) {
  const auto first = HostLog::of(store, id).read(0, 1);
  if (!first && first.error().detail == "store_misuse") return false;   // no log can have such a name
  if (!first) return first.error();
  return !first->empty() && first->front().is_of_host;
}

// Returns the text before a suffix, or nullopt.
std::optional<std::string> text_before(const std::string& run, std::string_view suffix) {
  if (run.size() <= suffix.size() || !run.ends_with(suffix)) return std::nullopt;
  return run.substr(0, run.size() - suffix.size());
}

Error part_of(const std::string& run, const std::string& whole) {
  return {Errc::refused, "not_a_run: the log " + run + " belongs to " + whole + ", and is no run of its own",
          std::nullopt, "not_a_run"};
}

}  // namespace

Result<void> refuse_host_part(const Store& store, const std::string& run) {
  for (const std::string_view part : kChainParts) {
    const auto task = text_before(run, part);
    const auto is_part = task ? is_host_log(store, *task + std::string(kChainSetup)) : Result<bool>(false);
    if (!is_part) return is_part.error();
    if (*is_part) return part_of(run, "the task " + *task + " of ptcvm chain");
  }
  const auto conversation = text_before(run, kPlanner);
  const auto is_part = conversation ? is_host_log(store, *conversation) : Result<bool>(false);
  if (!is_part) return is_part.error();
  if (*is_part) return part_of(run, "the conversation " + *conversation);
  return {};
}

}  // namespace ptcvm::cli
