#include "tools/ptcvm/queue/bulk_jobs.h"

#include <boost/json.hpp>

#include "ptcvm/json.hpp"
#include "schema/limits.h"
#include "tools/ptcvm/text/json_problem.h"
#include "tools/ptcvm/text/loading.h"
#include "tools/ptcvm/text/time_spans.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kMembers =
    "id, file, source, name, queue, tenant, priority, in, at, attempts, after, needs, data, signature, limits";

// One member of a line. Every function returns false, with the reason in `message`, when the value does not fit.
class JobMember {
 public:
  JobMember(std::string_view name, const json::value& value, std::string& message)
      : name_(name), value_(value), message_(message) {}

  bool text(std::string& out) const {
    if (!value_.is_string()) return refuse("must be a text");
    out = value_.get_string();
    return true;
  }
  // A name that a store keeps.
  bool name(std::string& out) const {
    if (!text(out)) return false;
    return out.find('\0') == std::string::npos || refuse("has a NUL character");
  }
  bool small(std::int32_t& out, std::int32_t least) const {
    boost::system::error_code failed;
    const auto number = value_.is_number() ? value_.to_number<std::int32_t>(failed) : 0;
    if (failed || !value_.is_number() || number < least) {
      return refuse("must be a whole number from " + std::to_string(least) + " to 2147483647");
    }
    out = number;
    return true;
  }
  bool names(std::vector<std::string>& out) const {
    if (!value_.is_array()) return refuse("must be an array of texts");
    out.clear();
    for (const json::value& each : value_.get_array()) {
      if (!each.is_string()) return refuse("must be an array of texts");
      if (each.get_string().empty()) return refuse("has an empty text: leave it out");
      if (each.get_string().find('\0') != std::string::npos) return refuse("has a text with a NUL character");
      out.emplace_back(each.get_string());
    }
    return true;
  }
  bool span(std::int64_t& out) const {
    const auto read = read_span(value_.is_number() ? as_text() + "ms" : as_text());
    if (!read) return refuse("must be a span like \"15s\" or \"2h\", or milliseconds");
    out = read->count();
    return true;
  }
  bool moment(std::int64_t& out) const {
    const auto read = read_moment(as_text());
    if (!read) return refuse("must be a moment like \"2026-12-01T08:00:00Z\", or milliseconds since 1970");
    out = *read;
    return true;
  }
  bool map_edn(std::string& out) const {
    if (!value_.is_object()) return refuse("must be an object");
    const auto read = Value::from_json(json::serialize(value_));
    if (!read) return refuse(read.error().message);
    out = read->to_edn();
    return true;
  }
  bool limits(Limits& out) const {
    if (!value_.is_object()) return refuse("must be an object of limits");
    ptc::Limits all;
    ptc::for_each_limit_of(all, out, [](const ptc::LimitInfo&, auto& member, const auto& given) { member = given; });
    for (const auto& [key, number] : value_.get_object()) {
      const ptc::LimitInfo* const limit = ptc::find_limit(std::string_view(key), ptc::LimitPlace::Option);
      if (limit == nullptr) return refuse("has no limit \"" + std::string(key) + '"');
      if (auto why = ptc::set_limit(all, *limit, json::serialize(number)); !why.empty()) return refuse(why);
    }
    ptc::for_each_limit_of(out, all, [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
    return true;
  }
  bool refuse(std::string_view why) const {
    message_ = "\"" + std::string(name_) + "\" " + std::string(why);
    return false;
  }

 private:
  std::string as_text() const {
    return value_.is_string() ? std::string(value_.get_string()) : json::serialize(value_);
  }

  std::string_view name_;
  const json::value& value_;
  std::string& message_;
};

// Takes a member that is no file. Returns false for a member that is refused.
bool take(QueuedJob& job, std::string_view name, const JobMember& member) {
  if (name == "id") return member.name(job.id);
  if (name == "source") return member.text(job.source);
  if (name == "name") return member.name(job.options.name);
  if (name == "queue") return member.name(job.queue);
  if (name == "tenant") return member.name(job.tenant);
  if (name == "priority") return member.small(job.priority, INT32_MIN);
  if (name == "attempts") return member.small(job.most_attempts, 1);
  if (name == "in") return member.span(job.delay_ms);
  if (name == "at") return member.moment(job.at_ms);
  if (name == "after") return member.names(job.after);
  if (name == "needs") return member.names(job.needs);
  if (name == "data") return member.map_edn(job.options.data_edn);
  if (name == "signature") return member.text(job.options.signature);
  if (name == "limits") return member.limits(job.options.limits);
  return member.refuse("is no member of a job; there are " + std::string(kMembers));
}

}  // namespace

// A program that was compiled is enqueued as its source.
const std::string* BulkJobs::program_of(const std::string& path, std::string& message) {
  if (const auto at = programs_.find(path); at != programs_.end()) return &at->second;
  auto loaded = load_program(Engine(), path, message);
  if (!loaded) return nullptr;
  std::string source = loaded->program ? std::string(loaded->program->source()) : std::move(loaded->source);
  return &programs_.emplace(path, std::move(source)).first->second;
}

std::optional<QueuedJob> BulkJobs::read(std::string_view line, std::string& message) {
  boost::system::error_code failed;
  const json::value document = json::parse(line, failed);
  if (failed || !document.is_object()) {
    message = failed ? "is no JSON: " + json_line_problem(line, failed.message()) : "must be an object";
    return std::nullopt;
  }
  static constexpr std::string_view kValues[] = {"data"};
  if (const std::string doubled = doubled_member(line, kValues); !doubled.empty()) {
    message = "has the member " + doubled + " twice";
    return std::nullopt;
  }
  const json::object& members = document.get_object();
  if (members.contains("in") && members.contains("at")) {
    message = "has \"in\" and \"at\": give one";
    return std::nullopt;
  }
  QueuedJob job = usual_;
  if (members.contains("in")) job.at_ms = 0;   // the line counts, and not --at of the command line
  if (members.contains("at")) job.delay_ms = 0;
  for (const auto& [key, value] : members) {
    const JobMember member(std::string_view(key), value, message);
    std::string path;
    if (std::string_view(key) != "file") {
      if (!take(job, std::string_view(key), member)) return std::nullopt;
      continue;
    }
    if (!member.text(path)) return std::nullopt;
    const std::string* const source = program_of(path, message);
    if (source == nullptr) return std::nullopt;
    job.source = *source;
    if (!members.contains("name")) job.options.name = path;
  }
  if (members.contains("file") && members.contains("source")) {
    message = "has \"file\" and \"source\": give one";
    return std::nullopt;
  }
  if (job.id.empty()) message = "has no \"id\"";
  if (!job.id.empty() && job.source.empty()) message = "has no program: give \"file\" or \"source\"";
  if (job.id.empty() || job.source.empty()) return std::nullopt;
  return job;
}

}  // namespace ptcvm::cli
