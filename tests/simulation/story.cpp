#include "tests/simulation/story.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ptcvm::simulation {

void Story::tell(std::int64_t now_ms, std::string_view run, std::string sentence, bool is_quiet) {
  if (is_told_) lines_.push_back({now_ms, std::string(run), std::move(sentence), is_quiet});
}

void Story::fail(std::string_view run, std::string why) {
  if (!failure_.empty()) return;
  failure_ = std::move(why);
  failed_run_ = run;
}

std::string Story::text(std::size_t most, bool all) const {
  std::vector<const Line*> told;
  for (const Line& line : lines_) {
    const bool matters = line.run.empty() || failed_run_.empty() || line.run == failed_run_;
    if (all || (matters && !line.is_quiet)) told.push_back(&line);
  }
  const std::size_t left_out = all ? 0 : told.size() - std::min(most, told.size());
  std::string out = left_out == 0 ? "" : "  (" + std::to_string(left_out) + " sentences before this)\n";
  for (std::size_t i = left_out; i < told.size(); ++i) {
    char time[32];
    std::snprintf(time, sizeof time, "  %7.3f s  ", static_cast<double>(told[i]->at_ms) / 1'000);
    out += time + told[i]->sentence + "\n";
  }
  return out;
}

}  // namespace ptcvm::simulation
