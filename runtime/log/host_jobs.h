// Jobs of runs that are no programs: their logs belong to hosts (decision 0024), and begin with a HostNoted that has
// what the host reads.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/log/fact.h"

namespace ptc {

inline constexpr std::string_view kHostJobPrefix = "job/";

inline std::string host_job_name(std::string_view kind) { return std::string(kHostJobPrefix).append(kind); }
// What a node must have besides tools, so that it can execute runs of the kind. No tool has such a name.
inline std::string host_kind_need(std::string_view kind) { return std::string("kind:").append(kind); }

// Returns the kind of a job by the first fact of its log, or nullopt when the fact is of no such job.
inline std::optional<std::string_view> host_job_kind(const Fact& fact) {
  const std::string_view name = fact.id;
  if (fact.kind != FactKind::HostNoted || !name.starts_with(kHostJobPrefix)) return std::nullopt;
  return name.substr(kHostJobPrefix.size());
}

}   // namespace ptc
