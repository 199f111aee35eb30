// Any text as a link: a first line that is a scenario, and a link. Refused, and nothing has changed; or what is set up
// is written as a link that sets up the same. The scenario is read by itself, too.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/harness/setup/config_stores.h"
#include "agents/harness/setup/deep_link.h"
#include "fuzz/fuzz_target.h"

namespace {

using ptc::fuzz::promise;
namespace harness = ptcvm::harness;
namespace json = boost::json;

json::object object_in(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return !error && value.is_object() ? value.get_object() : json::object{};
}

void try_scenario(const json::object& document) {
  constexpr std::size_t kMostErrorBytes = 1'000;
  const auto scenario = harness::read_scenario(document);
  if (!scenario) {
    const std::size_t size = scenario.error().message.size();
    promise(size > 0 && size <= kMostErrorBytes, "a scenario is refused without a reason, or with a long one");
    return;
  }
  promise(!scenario->agents.empty(), "a scenario has no agent");
  harness::ScenarioConfigStore form({{"scenarioUrl", "u"}, {"resolvedScenario", document}});
  const auto full = form.export_full_config();
  promise(full.is_ready == form.snapshot().can_save, "a form that can be saved is not ready");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = ptc::fuzz::text_of(data, size);
  const json::object document = object_in(ptc::fuzz::take_line(rest));
  try_scenario(document);
  const harness::FetchJson fetch = [&document](const std::string&) -> ptcvm::Result<json::object> { return document; };
  const auto fragment = harness::read_fragment(rest);
  if (!fragment) return 0;
  harness::DeepLink link(fetch);
  const auto read = link.read(*fragment);
  if (!read) {
    promise(link.planner() == harness::kPlannerOff && link.rev() == 0 && link.config().config.empty(),
            "a link that is refused changed something");
    return 0;
  }
  if (!link.config().is_ready) return 0;
  const json::object written = link.apply(link.config().config);
  harness::DeepLink again(fetch);
  const auto taken = again.read(written, harness::LinkSource::Journal);
  promise(taken && *taken, "a link that was written is refused");
  promise(again.planner() == link.planner() && again.mode() == link.mode() && again.rev() == link.rev(),
          "a link sets up another planner");
  promise(again.config().config == link.config().config, "a link sets up another configuration");
  return 0;
}
