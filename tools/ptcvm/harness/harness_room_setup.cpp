#include "tools/ptcvm/harness/harness_room_setup.h"

#include <boost/json.hpp>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

constexpr std::string_view kProgram = "program";   // how pages call the program of the command line
constexpr std::string_view kGivenScenario = "scenario.json";   // the URL of a scenario that came without one

Error refuse_setup(Errc code, std::string message) { return {code, std::move(message), std::nullopt, {}}; }

std::unique_ptr<harness::ConfigStore> form_of(std::string_view planner, const json::object& initial) {
  if (planner == harness::kDrafterPlanner) return std::make_unique<harness::DrafterConfigStore>(initial);
  if (planner == harness::kScenarioPlanner) return std::make_unique<harness::ScenarioConfigStore>(initial);
  return nullptr;
}

const json::object* scenario_of(const json::object& config) { return harness::object_at(config, "resolvedScenario"); }

}  // namespace

RoomSetup::RoomSetup() : link_([this](const std::string& url) { return document(url); }) {}

Result<std::unique_ptr<RoomSetup>> RoomSetup::make(const PlannerParts& usual, harness::SendMode mode) {
  std::unique_ptr<RoomSetup> setup(new RoomSetup());
  if (!harness::is_planner(usual.planner)) {
    setup->program_ = usual.planner;
    if (const auto chosen = setup->choose(std::string(kProgram), mode); !chosen) return chosen.error();
    return setup;
  }
  if (const auto chosen = setup->choose(usual.planner, mode); !chosen) return chosen.error();
  if (usual.planner == harness::kPlannerOff) return setup;
  json::object config = usual.config;
  if (const json::object* const scenario = scenario_of(usual.config)) {   // `config` moves its members as it grows
    if (!config.contains("scenarioUrl")) config["scenarioUrl"] = kGivenScenario;
    setup->add_document(std::string(harness::text_of(config, "scenarioUrl")), *scenario);
  }
  if (const auto form = form_of(usual.planner, config)) {
    const harness::FullConfig full = form->export_full_config();
    const bool is_partial = !full.is_ready && usual.config.empty();
    if (is_partial) return setup;   // people fill the form
    if (!full.is_ready) {
      return refuse_setup(Errc::invalid_value, "--config and --scenario are no complete configuration of " +
                                                   usual.planner);
    }
    config = full.config;
  }
  setup->written_ = setup->link_.apply(std::move(config));
  setup->changed();
  return setup;
}

Result<json::object> RoomSetup::document(const std::string& url) const {
  const auto found = documents_.find(url);
  if (found != documents_.end()) return found->second;
  return refuse_setup(Errc::not_available, "nobody has loaded " + url);
}

void RoomSetup::add_document(const std::string& url, json::object document) {
  documents_[url] = std::move(document);
}

void RoomSetup::changed() {
  ++choice_.revision;
  choice_.mode = link_.mode();
  choice_.planner = uses_program_ ? program_ : link_.planner();
  choice_.config = uses_program_ ? json::object() : link_.config().config;
  choice_.is_ready = uses_program_ || (link_.planner() != harness::kPlannerOff && link_.config().is_ready);
  const bool has_seed = choice_.is_ready && !uses_program_;
  choice_.seed = has_seed ? json::value(harness::dehydrate(link_.planner(), choice_.config)) : json::value();
  make_form();
}

void RoomSetup::make_form() {
  form_ = uses_program_ ? nullptr : form_of(link_.planner(), link_.config().config);
  scenario_form_ = dynamic_cast<harness::ScenarioConfigStore*>(form_.get());
}

json::object RoomSetup::shown() const {
  json::array planners{harness::kPlannerOff, harness::kDemoPlanner, harness::kDrafterPlanner,
                       harness::kScenarioPlanner};
  if (!program_.empty()) planners.emplace_back(kProgram);
  std::string summary;
  if (choice_.is_ready) {
    summary = uses_program_ ? "the program " + program_ : harness::summarize_applied(link_.planner(), choice_.config);
  }
  return {{"planner", uses_program_ ? kProgram : std::string_view(link_.planner())},
          {"mode", harness::send_mode_name(choice_.mode)},
          {"ready", choice_.is_ready},
          {"summary", summary},
          {"planners", std::move(planners)},
          {"form", form_ == nullptr ? json::value() : json::value(harness::snapshot_json(form_->snapshot()))},
          {"link", uses_program_ ? std::string() : "#" + json::serialize(written_)}};
}

void RoomSetup::take_note(const json::object& note) {
  const json::object* const link = harness::object_at(note, "link");
  if (link == nullptr || *link == written_) return;
  const json::object* const config = harness::object_at(note, "config");
  if (config != nullptr && scenario_of(*config) != nullptr) {
    add_document(std::string(harness::text_of(*config, "scenarioUrl")), *scenario_of(*config));
  }
  const bool uses_program = harness::is_true(note, "program");
  if (uses_program && program_.empty()) return;
  harness::DeepLink fresh([this](const std::string& url) { return document(url); });
  if (const auto read = fresh.read(*link, harness::LinkSource::Journal); !read || !*read) return;
  link_ = std::move(fresh);
  written_ = *link;
  uses_program_ = uses_program;
  changed();
}

json::object RoomSetup::note() const {
  return {{"link", written_}, {"config", choice_.config}, {"program", uses_program_}};
}

Result<void> RoomSetup::choose(const std::string& planner, harness::SendMode mode) {
  const bool uses_program = planner == kProgram && !program_.empty();
  auto link = link_.choose(uses_program ? std::string(harness::kPlannerOff) : planner, mode);
  if (!link) return link.error();
  uses_program_ = uses_program;
  written_ = *std::move(link);
  const bool has_nothing_to_fill = link_.planner() == harness::kDemoPlanner && !link_.config().is_ready;
  if (has_nothing_to_fill) written_ = link_.apply(harness::hydrate(link_.planner(), {}, {}).value().config);
  changed();
  return {};
}

Result<void> RoomSetup::set_field(std::string_view key, const json::value& value, std::int64_t now_ms) {
  if (form_ == nullptr) return refuse_setup(Errc::wrong_state, "this planner has no form");
  const std::string wrong = harness::refuse_field(form_->snapshot(), key, value);
  if (!wrong.empty()) return refuse_setup(Errc::invalid_value, wrong);
  return form_->set_field(key, value, now_ms);
}

std::string RoomSetup::field_error(std::string_view key) const {
  if (form_ == nullptr) return {};
  for (harness::FieldState& field : form_->snapshot().fields) {
    if (field.key == key) return std::move(field.error);
  }
  return {};
}

Result<void> RoomSetup::apply() {
  if (uses_program_ || link_.planner() == harness::kPlannerOff) {
    return refuse_setup(Errc::wrong_state, "choose a planner that has a configuration first");
  }
  json::object config = link_.config().config;
  if (form_ != nullptr) {
    harness::FullConfig full = form_->export_full_config();
    if (!form_->snapshot().can_save || !full.is_ready) {
      return refuse_setup(Errc::wrong_state, "the form is not complete; look at the fields with an error");
    }
    config = std::move(full.config);
  }
  if (const json::object* const scenario = scenario_of(config)) {
    add_document(std::string(harness::text_of(config, "scenarioUrl")), *scenario);
  }
  written_ = link_.apply(std::move(config));
  changed();
  return {};
}

std::string RoomSetup::missing_document(const json::object& link) const {
  const json::object* const planner = harness::object_at(link, "planner");
  const bool names_one = planner != nullptr && planner->contains("id");
  const std::string_view id = names_one ? harness::text_of(*planner, "id") : std::string_view(link_.planner());
  if (id != harness::kScenarioPlanner) return {};
  const json::object* const all = harness::object_at(link, "planners");
  const json::object* const own = all == nullptr ? nullptr : harness::object_at(*all, id);
  for (const json::object* const place : {own, planner, &link}) {
    const json::object* const seed = place == nullptr ? nullptr : harness::object_at(*place, "seed");
    if (seed == nullptr) continue;
    std::string url(harness::text_of(*seed, "scenarioUrl"));
    return documents_.contains(url) ? std::string() : url;
  }
  return {};
}

Result<void> RoomSetup::open_link(const json::object& link) {
  const auto read = link_.read(link);
  if (!read) return read.error();
  if (!*read) {
    return refuse_setup(Errc::wrong_state,
                        "the link is older than what is set up here; a link without rev always counts");
  }
  const json::object* const planner = harness::object_at(link, "planner");
  if (planner != nullptr && planner->contains("id")) uses_program_ = false;   // another link keeps the planner
  // A link keeps its rev, so that the next one of its writer is newer. Another one gets the next rev.
  written_ = link.contains("rev") ? link_.link() : link_.choose(link_.planner(), link_.mode()).value();
  changed();
  return {};
}

std::optional<harness::PendingLoad> RoomSetup::due_load(std::int64_t now_ms) {
  if (scenario_form_ == nullptr) return std::nullopt;
  auto load = scenario_form_->due_load(now_ms);
  if (!load || !documents_.contains(load->url)) return load;
  scenario_form_->loaded(load->number, documents_[load->url]);
  return std::nullopt;
}

void RoomSetup::loaded(const harness::PendingLoad& load, Result<json::object> document) {
  if (scenario_form_ != nullptr) scenario_form_->loaded(load.number, std::move(document));
}

}  // namespace ptcvm::cli
