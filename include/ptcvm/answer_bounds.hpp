// Bounds for what people answer, before a value is made of it. A value takes many times the memory of a text such as
// [{},{},…], so a host that reads answers from files or from the network looks at the limits of the run first:
//
//   const auto limits = ptcvm::begun_limits(store, "order-17").value().value_or(ptcvm::Limits());
//   if (text.size() > limits.result_bytes) return refuse("an answer has at most so many bytes");
//   const auto value = ptcvm::json_within(text, limits.memory_bytes);
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptcvm/limits.hpp"
#include "ptcvm/store.hpp"
#include "ptcvm/value.hpp"

namespace ptcvm {

// Returns the limits with which the last turn of a stored run was begun; nullopt when no turn was, or when a version
// wrote them that this one does not know. Limits::result_bytes bounds what Store::resolve() takes, as EDN. Errors:
// store_failed; seal_refused.
PTCVM_API Result<std::optional<Limits>> begun_limits(const Store& store, std::string_view run);

// Read as Value::from_json() and Value::from_edn() do, and take at most about so many bytes for the value. EDN may have
// as many regular expressions as a program. Errors: as there; too_large when the value does not fit.
PTCVM_API ValueResult json_within(std::string_view json, std::uint64_t memory_bytes);
PTCVM_API ValueResult edn_within(std::string_view edn, std::uint64_t memory_bytes);

}  // namespace ptcvm
