// Whose a run is. A job has a tenant. What has no job belongs to the nearest run above it that has one: RUN/… to RUN.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/log/fact_store.h"

namespace ptc {

// Returns the tenant of a log, or of one that would have that name. nullopt: neither it nor a run above it is a job.
StoreResult<std::optional<std::string>> tenant_of(FactStore& store, std::string_view log);
// Returns a job of another tenant that has the name of a part of that run, or of a run that it would be a part of.
// nullopt: there is none.
StoreResult<std::optional<std::string>> foreign_relative(FactStore& store, std::string_view log,
                                                         std::string_view tenant);
// Returns the error WrongTenant when a run without a job would belong to nobody, or to another tenant, under this name
// in `to`.
StoreResult<std::monostate> check_same_tenant(FactStore& from, std::string_view log, FactStore& to,
                                              std::string_view name);

}   // namespace ptc
