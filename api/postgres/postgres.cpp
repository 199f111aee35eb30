#include "ptcvm/postgres.hpp"

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"

namespace ptcvm {

Result<Store> open_postgres(const std::string& url, const PostgresOptions& options) {
  ptc::PostgresOptions wanted;
  wanted.connections = options.connections;
  wanted.patience = options.patience;
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

}  // namespace ptcvm
