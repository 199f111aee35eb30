#include "agents/harness/setup/deep_link.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <charconv>
#include <span>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"
#include "ptcvm/json.hpp"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::uint64_t kMostRev = (std::uint64_t{1} << 53) - 1;   // what JavaScript can count
constexpr std::string_view kKept[] = {"transport", "agentCardUrl", "mcpUrl", "llm", "roomTitle"};

Error refuse_link(const std::string& why) {
  return {Errc::invalid_value, "the link is refused: " + why, std::nullopt, {}};
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) {
      return refuse_link("a percent sign must be followed by two hexadecimal digits");
    }
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

// A URL may be relative, or of the schemes http and https.
bool is_harmless_url(std::string_view url) {
  if (std::ranges::any_of(url, [](unsigned char c) { return c < 0x20; })) return false;
  const std::size_t colon = url.find_first_of(":/?#");
  if (colon == std::string_view::npos || url[colon] != ':') return true;
  std::string scheme(url.substr(0, colon));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme == "http" || scheme == "https";
}

bool is_absent_or_text(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  return found == nullptr || found->is_string();
}

bool is_absent_or_object(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  return found == nullptr || found->is_object();
}

// Returns the member that must be an object and is something else, or "".
std::string no_object(const json::object& link) {
  for (const std::string_view member : {"planner", "planners", "llm", "seed"}) {
    if (!is_absent_or_object(link, member)) return std::string(member);
  }
  const json::object* const planner = object_at(link, "planner");
  if (planner != nullptr && !is_absent_or_object(*planner, "seed")) return "planner.seed";
  const json::object* const all = object_at(link, "planners");
  if (all == nullptr) return {};
  for (const auto& [id, own] : *all) {
    if (!own.is_object()) return "planners." + std::string(id);
    if (!is_absent_or_object(own.get_object(), "seed")) return "planners." + std::string(id) + ".seed";
  }
  return {};
}

using Names = std::span<const std::string_view>;

// Returns the first member that is not known, with the names of those that are, or "".
std::string unknown_member(const json::object& object, const std::string& place, Names known) {
  for (const auto& [name, value] : object) {
    if (std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    std::string names;
    for (const std::string_view member : known) names.append(names.empty() ? "" : ", ").append(member);
    return place + std::string(name) + ": there is no such member; there are " + names;
  }
  return {};
}

// Returns the first member that no link has, or "". Planners that the link does not choose are left alone.
std::string unknown_members(const json::object& link, std::string_view planner_here) {
  constexpr std::string_view kLink[] = {"transport", "agentCardUrl", "mcpUrl",        "llm",  "planner",
                                        "planners",  "roomTitle",    "requireReview", "seed", "rev"};
  constexpr std::string_view kPlanner[] = {"id", "mode", "seed"}, kOwn[] = {"seed"};
  constexpr std::string_view kModel[] = {"provider", "model", "baseUrl", "apiKey"};
  std::string unknown = unknown_member(link, "", kLink);
  const json::object* const planner = object_at(link, "planner");
  if (unknown.empty() && planner != nullptr) unknown = unknown_member(*planner, "planner.", kPlanner);
  const json::object* const model = object_at(link, "llm");
  if (unknown.empty() && model != nullptr) unknown = unknown_member(*model, "llm.", kModel);
  const json::object* const all = object_at(link, "planners");
  const std::string id(planner != nullptr && planner->contains("id") ? text_of(*planner, "id") : planner_here);
  const json::object* const own = all == nullptr ? nullptr : object_at(*all, id);
  if (unknown.empty() && own != nullptr) unknown = unknown_member(*own, "planners." + id + ".", kOwn);
  return unknown;
}

// Returns what is wrong with members that no seed is needed for, or "".
std::string wrong_members(const json::object& link) {
  if (const std::string member = no_object(link); !member.empty()) return member + ": must be an object";
  const json::value* const review = link.if_contains("requireReview");
  if (review != nullptr && !review->is_bool()) return "requireReview: must be true or false";
  for (const std::string_view member : {"transport", "agentCardUrl", "mcpUrl", "roomTitle"}) {
    if (!is_absent_or_text(link, member)) return std::string(member) + ": must be a text";
  }
  for (const std::string_view member : {"agentCardUrl", "mcpUrl"}) {
    if (!is_harmless_url(text_of(link, member))) return std::string(member) + ": must be a URL of http or https";
  }
  if (const json::object* const llm = object_at(link, "llm")) {
    for (const std::string_view member : {"provider", "model", "baseUrl"}) {
      if (!is_absent_or_text(*llm, member)) return "llm." + std::string(member) + ": must be a text";
    }
    if (!is_harmless_url(text_of(*llm, "baseUrl"))) return "llm.baseUrl: must be a URL of http or https";
  }
  return {};
}

Error refuse_rev() {
  return refuse_link("rev: must be a whole number from 0 to " + std::to_string(kMostRev));
}

Result<std::optional<std::uint64_t>> rev_of(const json::object& link) {
  const json::value* const rev = link.if_contains("rev");
  if (rev == nullptr) return std::optional<std::uint64_t>{};
  boost::system::error_code error;
  const auto number = rev->is_number() ? rev->to_number<std::uint64_t>(error) : 0;
  if (!rev->is_number() || error || number > kMostRev) return refuse_rev();
  return std::optional<std::uint64_t>{number};
}

Error refuse_step(std::uint64_t rev, std::uint64_t last) {
  return refuse_link("rev: " + std::to_string(rev) + " is more than " + std::to_string(kMostRevStep) +
                     " ahead of " + std::to_string(last) + ", the last one here; a link without rev always counts");
}

Result<SendMode> mode_of(const json::object& link, SendMode otherwise) {
  const json::object* const planner = object_at(link, "planner");
  const json::value* const named = planner == nullptr ? nullptr : planner->if_contains("mode");
  if (named != nullptr) {
    const auto mode = named->is_string() ? find_send_mode(named->get_string()) : std::nullopt;
    if (!mode) return refuse_link("planner.mode: must be \"approve\" or \"auto\"");
    return *mode;
  }
  const json::value* const review = link.if_contains("requireReview");
  if (review == nullptr) return otherwise;
  return review->get_bool() ? SendMode::Approve : SendMode::Auto;
}

Result<std::string> planner_of(const json::object& link, const std::string& otherwise) {
  const json::object* const planner = object_at(link, "planner");
  const json::value* const id = planner == nullptr ? nullptr : planner->if_contains("id");
  if (id == nullptr) return otherwise;
  if (!id->is_string() || !is_planner(id->get_string())) {
    return refuse_link("planner.id: there is no planner " + json::serialize(*id));
  }
  return std::string(id->get_string());
}

// Returns the seed of the planner, or nullptr when the link has none. Error: a member of the seed is of a wrong type.
Result<const json::object*> seed_of(const json::object& link, std::string_view planner, LinkSource source) {
  const json::object* const all = object_at(link, "planners");
  const json::object* const own = all == nullptr ? nullptr : object_at(*all, planner);
  for (const json::object* const place : {own, object_at(link, "planner"), &link}) {
    const json::object* const seed = place == nullptr ? nullptr : object_at(*place, "seed");
    if (seed == nullptr) continue;
    const std::string wrong = source == LinkSource::Journal ? "" : wrong_seed(planner, *seed);
    if (!wrong.empty()) return refuse_link("seed." + wrong);
    if (!is_harmless_url(text_of(*seed, "scenarioUrl"))) {
      return refuse_link("seed.scenarioUrl: must be a URL of http or https");
    }
    return seed;
  }
  return static_cast<const json::object*>(nullptr);
}

}  // namespace

Result<json::object> read_fragment(std::string_view fragment) {
  if (fragment.size() > kMostLinkBytes) {
    return Error{Errc::too_large, "the link is refused: it has more than 65,536 bytes", std::nullopt, {}};
  }
  if (fragment.starts_with('#')) fragment.remove_prefix(1);
  std::string text(fragment);
  if (!trimmed(fragment).starts_with('{')) {
    Result<std::string> decoded = percent_decoded(fragment);
    if (!decoded) return decoded.error();
    text = *std::move(decoded);
  }
  boost::system::error_code error;
  json::value link = json::parse(text, error);
  if (error || !link.is_object()) return refuse_link("the fragment is no JSON object");
  const std::string doubled = doubled_member(text);
  if (!doubled.empty()) return refuse_link("the member " + doubled + " is written twice");
  return std::move(link.get_object());
}

Result<bool> DeepLink::read(const json::object& link, LinkSource source) {
  if (const std::string why = wrong_members(link); !why.empty()) return refuse_link(why);
  const std::string unknown = source == LinkSource::Journal ? "" : unknown_members(link, planner_);
  if (!unknown.empty()) return refuse_link(unknown);
  const auto rev = rev_of(link);
  if (!rev) return rev.error();
  if (*rev && rev_ != 0 && **rev <= rev_) return false;
  if (*rev && source != LinkSource::Journal && **rev > rev_ + kMostRevStep) return refuse_step(**rev, rev_);
  const Result<std::string> planner = planner_of(link, planner_);
  if (!planner) return planner.error();
  const Result<SendMode> mode = mode_of(link, mode_);
  if (!mode) return mode.error();
  const Result<const json::object*> seed = seed_of(link, *planner, source);
  if (!seed) return seed.error();
  if (*seed != nullptr) {
    Result<FullConfig> config = hydrate(*planner, **seed, fetch_);
    if (!config) return config.error();
    configs_[*planner] = *std::move(config);
  }
  planner_ = *planner;
  mode_ = *mode;
  if (*rev) rev_ = **rev;
  kept_.clear();
  for (const std::string_view member : kKept) {
    if (const json::value* const value = link.if_contains(member)) kept_[member] = *value;
  }
  if (json::value* const llm = kept_.if_contains("llm")) llm->get_object().erase("apiKey");
  return true;
}

const FullConfig& DeepLink::config() const {
  static const FullConfig none;
  const auto found = configs_.find(planner_);
  return found == configs_.end() ? none : found->second;
}

json::object DeepLink::write() {
  ++rev_;
  return link();
}

json::object DeepLink::link() const {
  json::object link = kept_;
  link["planner"] = json::object{{"id", planner_}, {"mode", send_mode_name(mode_)}};
  if (const auto found = configs_.find(planner_); found != configs_.end()) {
    link["planners"] = json::object{{planner_, {{"seed", dehydrate(planner_, found->second.config)}}}};
  }
  link["rev"] = rev_;
  return link;
}

json::object DeepLink::apply(json::object config) {
  configs_[planner_] = {std::move(config), planner_ != kPlannerOff};
  return write();
}

Result<json::object> DeepLink::choose(std::string_view planner, SendMode mode) {
  if (!is_planner(planner)) {
    return Error{Errc::invalid_value, "there is no planner \"" + std::string(planner) + '"', std::nullopt, {}};
  }
  planner_ = planner;
  mode_ = mode;
  return write();
}

}  // namespace ptcvm::harness
