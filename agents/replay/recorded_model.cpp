#include "agents/replay/recorded_model.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/replay/canonical_request.h"
#include "agents/replay/json_place.h"
#include "agents/replay/line_diff.h"
#include "agents/wire/json_member.h"
#include "ptcvm/json.hpp"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

// Headers that agents/wire reads. Cookies and account names of a provider have no place in a recording.
constexpr std::array<std::string_view, 4> kKeptHeaders = {"content-type", "retry-after", "retry-after-ms",
                                                          "x-should-retry"};

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

json::value parsed(std::string_view text, boost::system::error_code& error) {
  json::parse_options options;
  options.max_depth = 256;
  return json::parse(text, error, {}, options);
}

std::optional<HttpAnswer> read_answer(const json::value* reply) {
  if (reply == nullptr || !reply->is_object()) return std::nullopt;
  const auto status = wire::integer_member(*reply, "status");
  const auto body = wire::text_member(*reply, "body");
  if (!status || !body) return std::nullopt;
  HttpAnswer answer;
  answer.status = static_cast<int>(*status);
  answer.body = *body;
  const json::value* const ends = wire::member(*reply, "ends_properly");
  answer.ends_properly = ends == nullptr || !ends->is_bool() || ends->get_bool();
  if (const json::value* const headers = wire::object_member(*reply, "headers")) {
    for (const auto& [name, value] : headers->get_object()) {
      if (value.is_string()) answer.headers.emplace_back(name, value.get_string());
    }
  }
  return answer;
}

RecordedModel::Manner manner_of(const json::value& line, const json::value& request) {
  RecordedModel::Manner manner;
  manner.protocol = wire::parse_protocol(wire::text_member(line, "protocol").value_or("")).value_or(manner.protocol);
  const json::value* const is_stream = wire::member(line, "stream");
  manner.is_stream = is_stream != nullptr && is_stream->is_bool() && is_stream->get_bool();
  manner.model = wire::text_member(request, "model").value_or("");
  return manner;
}

ReplayFailure invalid(std::size_t number, std::string_view why) {
  return {std::string(kRecordingInvalid), "line " + std::to_string(number) + " of the recording " + std::string(why)};
}

}  // namespace

std::string recorded_line(const ModelCall& call, const HttpAnswer& answer) {
  boost::system::error_code error;
  json::value request = parsed(call.body, error);
  json::object headers;
  for (const auto& [name, value] : answer.headers) {
    const std::string lowered = lower(name);
    if (std::find(kKeptHeaders.begin(), kKeptHeaders.end(), lowered) != kKeptHeaders.end()) headers[lowered] = value;
  }
  const json::object line{
      {"request_hash", request_hash(canonical_request(call.body).value_or(""))},
      {"path", call.path},
      {"protocol", wire::protocol_name(call.protocol)},
      {"stream", call.is_stream},
      {"request", std::move(request)},
      {"reply",
       {{"status", answer.status},
        {"headers", std::move(headers)},
        {"body", answer.body},
        {"ends_properly", answer.ends_properly}}}};
  return json::serialize(line) + "\n";
}

Replayed<RecordedModel> RecordedModel::read(std::string_view text) {
  RecordedModel model;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    boost::system::error_code error;
    const json::value value = parsed(line, error);
    if (error) return invalid(number, "is no JSON: " + json_problem(line, number));
    const std::string doubled = doubled_member(line);
    if (!doubled.empty()) return invalid(number, "has the member " + doubled + " twice");
    const json::value* const request = wire::object_member(value, "request");
    if (request == nullptr) return invalid(number, "has no object \"request\"");
    auto answer = read_answer(wire::member(value, "reply"));
    if (!answer) return invalid(number, "has no \"reply\" with \"status\" and \"body\"");
    const std::string hash = request_hash(*canonical_request(json::serialize(*request)));
    if (!model.manner_) model.manner_ = manner_of(value, *request);
    model.by_hash_[hash].push_back(model.exchanges_.size());
    model.exchanges_.push_back({request_lines(*request), *std::move(answer)});
  }
  return model;
}

std::string RecordedModel::miss(std::string_view lines) const {
  if (exchanges_.empty()) return "the recording is empty";
  const bool has_unused =
      std::any_of(exchanges_.begin(), exchanges_.end(), [](const Exchange& known) { return !known.is_used; });
  std::optional<LineDiff> nearest;
  std::size_t place = 0;
  for (std::size_t i = 0; i < exchanges_.size(); ++i) {
    if (has_unused && exchanges_[i].is_used) continue;
    LineDiff diff = line_diff(exchanges_[i].lines, lines);
    if (nearest && nearest->changed <= diff.changed) continue;
    nearest = std::move(diff);
    place = i;
  }
  return "the request was not recorded; compared with recorded request " + std::to_string(place + 1) + ", " +
         std::to_string(nearest->changed) + " lines differ (- recorded, + asked):\n" + nearest->text +
         "Record the conversation again, or undo the change.";
}

Replayed<HttpAnswer> RecordedModel::answer(const ModelCall& call) {
  boost::system::error_code error;
  const json::value request = parsed(call.body, error);
  if (error) return ReplayFailure{std::string(kRequestInvalid), "the request is no JSON"};
  const auto found = by_hash_.find(request_hash(*canonical_request(call.body)));
  if (found == by_hash_.end()) return ReplayFailure{std::string(kRecordingMiss), miss(request_lines(request))};
  const std::vector<std::size_t>& places = found->second;
  const auto next = std::find_if(places.begin(), places.end(), [&](std::size_t i) { return !exchanges_[i].is_used; });
  Exchange& exchange = exchanges_[next == places.end() ? places.back() : *next];
  exchange.is_used = true;
  return exchange.answer;
}

}  // namespace ptcvm::replay
