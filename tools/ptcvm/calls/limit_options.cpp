#include "tools/ptcvm/calls/limit_options.h"

namespace ptcvm::cli {
namespace {

std::string shown_default(const ptc::LimitInfo& limit) {
  if (limit.initial == 0 && limit.zero == ptc::LimitZero::None) return "none";
  return std::to_string(limit.initial);
}

}  // namespace

void GivenLimits::declare(CLI::App& command) {
  for (const ptc::LimitInfo& limit : ptc::kLimits) {
    const auto taker = [this, &limit](const std::string& text) { take(limit, text); };
    const std::string help = std::string(limit.doc) + " (" + shown_default(limit) + " " + std::string(limit.unit) + ")";
    command.add_option_function<std::string>("--" + ptc::dashed_name(limit), taker, help)
        ->type_name("N")
        ->group("Limits");
    const std::string_view earlier = ptc::earlier_spelling(limit, ptc::LimitPlace::Option);
    if (!earlier.empty()) command.add_option_function<std::string>("--" + std::string(earlier), taker)->group("");
  }
}

void GivenLimits::take(const ptc::LimitInfo& limit, const std::string& text) {
  ptc::Limits ignored;
  const std::string name = "--" + ptc::dashed_name(limit);
  if (const std::string problem = ptc::set_limit(ignored, limit, text); !problem.empty()) {
    throw CLI::ValidationError(name, problem);
  }
  if (!given_.emplace(&limit, text).second) throw CLI::ValidationError(name, "the limit is given twice");
}

Limits GivenLimits::over(const ptc::Limits& others) const {
  ptc::Limits all = others;
  for (const auto& [limit, text] : given_) ptc::set_limit(all, *limit, text);
  Limits out;
  ptc::for_each_limit_of(out, all, [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
  return out;
}

Limits GivenLimits::with_defaults() const { return over(ptc::Limits()); }
Limits GivenLimits::bounds() const { return over(ptc::largest_limits()); }

}  // namespace ptcvm::cli
