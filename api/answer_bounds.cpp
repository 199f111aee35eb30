#include "ptcvm/answer_bounds.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api/errors.h"
#include "api/store_access.h"
#include "api/value_access.h"
#include "runtime/durable/turn_options.h"
#include "runtime/log/log_writer.h"
#include "runtime/text/edn.h"
#include "runtime/text/json_value.h"
#include "schema/limits.h"

namespace ptcvm {
namespace {

template <class Read>
ValueResult read_within(std::string_view what, std::string_view text, std::uint64_t memory_bytes, const Read& read) {
  auto impl = std::make_unique<Value::Impl>();
  impl->heap.set_limit_bytes(memory_bytes);
  auto found = read(impl->heap, text);
  if (const auto* error = std::get_if<ptc::TextError>(&found)) {
    if (error->kind != ptc::TextError::Kind::TooLarge) return text_error(what, text, *error);
    return host_error(Errc::too_large,
                      "the values take more than " + std::to_string(memory_bytes) + " bytes of memory");
  }
  impl->heap.set_limit_bytes(UINT64_MAX);
  impl->root = std::get<ptc::Value>(found);
  return ValueAccess::made(std::move(impl));
}

}  // namespace

Result<std::optional<Limits>> begun_limits(const Store& store, std::string_view run) {
  ptc::RunLog log;
  const auto add = [&log](const ptc::Fact& fact) { log.add(fact); };
  if (const auto error = ptc::visit_notable(StoreAccess::store(store), run, add)) return store_error(*error);
  ptc::SessionOptions begun;
  if (!log.last_start() || ptc::read_turn_options(log.last_start()->limits, begun)) return std::optional<Limits>{};
  Limits limits;
  ptc::for_each_limit_of(limits, begun.limits,
                         [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
  return std::optional<Limits>{limits};
}

ValueResult json_within(std::string_view json, std::uint64_t memory_bytes) {
  const auto read = [](ptc::Heap& heap, std::string_view text) { return ptc::read_json(heap, text); };
  return read_within("JSON", json, memory_bytes, read);
}

ValueResult edn_within(std::string_view edn, std::uint64_t memory_bytes) {
  ptc::EdnHooks hooks;
  hooks.bounds_regexes = true;
  const auto read = [&hooks](ptc::Heap& heap, std::string_view text) { return ptc::read_edn(heap, text, hooks); };
  return read_within("EDN", edn, memory_bytes, read);
}

}  // namespace ptcvm
