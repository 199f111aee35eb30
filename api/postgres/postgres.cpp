#include "ptcvm/postgres.hpp"

#include "api/errors.h"
#include "api/queue_access.h"
#include "api/sealing_access.h"
#include "api/store_access.h"
#include "runtime/log/postgres/postgres_jobs.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"

namespace ptcvm {

Result<Store> open_postgres(const std::string& url, const PostgresOptions& options) {
  ptc::PostgresOptions wanted;
  wanted.connections = options.connections;
  wanted.patience = options.patience;
  wanted.sealer = sealer_of(options);
  auto opened = ptc::PostgresStore::open(url, wanted);
  if (const auto* error = std::get_if<ptc::StoreError>(&opened)) return store_error(*error);
  return StoreAccess::made(std::get<std::unique_ptr<ptc::PostgresStore>>(std::move(opened)));
}

Result<int> migrate_postgres(const std::string& url) {
  auto before = ptc::migrate_postgres(url);
  if (const auto* error = std::get_if<ptc::StoreError>(&before)) return store_error(*error);
  return std::get<int>(before);
}

std::string postgres_sql() { return ptc::postgres_sql(); }

Result<std::vector<PostgresFinding>> check_postgres(const std::string& url) {
  auto found = ptc::examine_postgres(url);
  if (const auto* error = std::get_if<ptc::StoreError>(&found)) return store_error(*error);
  std::vector<PostgresFinding> out;
  for (ptc::PostgresFinding& each : std::get<std::vector<ptc::PostgresFinding>>(found)) {
    out.push_back({each.is_refused, std::move(each.message)});
  }
  return out;
}

Result<std::vector<bool>> enqueue(pg_conn* connection, const Engine& engine, std::span<const QueuedJob> jobs) {
  std::vector<ptc::Job> made;
  made.reserve(jobs.size());
  for (const QueuedJob& job : jobs) {
    auto one = runtime_job(engine, job);
    if (!one) return std::move(one).error();
    made.push_back(std::move(*one));
  }
  const auto answer = ptc::enqueue_on(connection, made);
  if (const auto* error = std::get_if<ptc::StoreError>(&answer)) return store_error(*error);
  std::vector<bool> is_new;
  for (const ptc::Enqueued& each : std::get<std::vector<ptc::Enqueued>>(answer)) is_new.push_back(each.is_new);
  return is_new;
}

Result<bool> enqueue(pg_conn* connection, const Engine& engine, const QueuedJob& job) {
  const auto answer = enqueue(connection, engine, std::span(&job, 1));
  if (!answer) return answer.error();
  return static_cast<bool>(answer->at(0));
}

}  // namespace ptcvm
