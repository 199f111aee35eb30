#include "runtime/log/run_tenant.h"

#include <utility>
#include <vector>

#include "runtime/log/queue_protocol.h"
#include "runtime/log/run_queue.h"
#include "runtime/log/store_rules.h"
#include "runtime/log/take_answer.h"

namespace ptc {
namespace {

constexpr std::size_t kPage = 500;

StoreResult<std::vector<JobRow>> jobs_of(FactStore& store, const std::vector<std::string>& logs) {
  RunQueue* const queue = store.queue();
  return queue == nullptr ? std::vector<JobRow>() : queue->jobs_of(logs);
}

std::optional<std::string> first_foreign(const std::vector<JobRow>& jobs, std::string_view tenant) {
  for (const JobRow& job : jobs) {
    if (job.tenant != tenant) return job.log;
  }
  return std::nullopt;
}

}   // namespace

StoreResult<std::optional<std::string>> tenant_of(FactStore& store, std::string_view log) {
  std::vector<std::string> logs = wholes_of(log);
  logs.emplace_back(log);
  PTC_TAKE(jobs, jobs_of(store, logs));
  const JobRow* nearest = nullptr;
  for (const JobRow& job : jobs) {
    if (nearest == nullptr || job.log.size() > nearest->log.size()) nearest = &job;
  }
  return nearest == nullptr ? std::nullopt : std::optional(nearest->tenant);
}

StoreResult<std::optional<std::string>> foreign_relative(FactStore& store, std::string_view log,
                                                         std::string_view tenant) {
  using Found = std::optional<std::string>;
  if (store.queue() == nullptr) return Found();
  const std::string below = std::string(log) + '/';
  std::vector<std::string> logs = wholes_of(log);
  logs.push_back(below);
  std::string after = below;
  for (bool has_more = true; has_more;) {
    PTC_TAKE(page, store.runs(after, kPage));
    has_more = page.size() == kPage;
    for (const RunInfo& info : page) {
      has_more = has_more && info.log.starts_with(below);
      if (info.log.starts_with(below)) logs.push_back(info.log);
      after = info.log;
    }
    PTC_TAKE(jobs, jobs_of(store, logs));
    if (Found foreign = first_foreign(jobs, tenant)) return foreign;
    logs.clear();
  }
  return Found();
}

StoreResult<std::monostate> check_same_tenant(FactStore& from, std::string_view log, FactStore& to,
                                              std::string_view name) {
  PTC_TAKE(tenant, tenant_of(from, log));
  PTC_TAKE(there, tenant_of(to, name));
  if (tenant.value_or("") == there.value_or("")) return std::monostate{};
  if (there) return wrong_tenant(name);
  const std::string whose = "the run " + std::string(log) + " is a tenant's, and no job says so of ";
  return StoreError{StoreError::Kind::WrongTenant,
                    whose + std::string(name) + ": it needs a name below a run of that tenant"};
}

}   // namespace ptc
