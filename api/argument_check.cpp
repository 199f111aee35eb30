#include "api/argument_check.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "runtime/signature/coercion.h"
#include "runtime/text/edn.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptcvm {
namespace {

constexpr std::uint64_t kMemoryBytes = 64u << 20;    // for the literals of one call
constexpr std::string_view kRoot = "args";

// The values of the arguments that are literals, in the order of the arguments; Absent for others, and for a text that
// is no EDN.
class Literals {
 public:
  Literals(ptc::Heap& heap, const ptc::ToolUse& use, std::string_view source) : heap_(heap), use_(use) {
    for (const ptc::ToolArgument& argument : use.arguments) {
      values_.push_back(ptc::Value::absent());
      if (!argument.is_literal) continue;
      const std::size_t size = argument.span.end - argument.span.begin;
      auto read = ptc::read_edn(heap, source.substr(argument.span.begin, size));
      if (const auto* const value = std::get_if<ptc::Value>(&read)) values_.back() = *value;
    }
  }
  ~Literals() {
    for (const ptc::Value& value : values_) heap_.release(value);
  }
  Literals(const Literals&) = delete;
  Literals& operator=(const Literals&) = delete;

  // Returns the signature as the text of the call can be checked against it: what is not in the text fits.
  ptc::Signature visible_part(const ptc::Signature& contract) const {
    ptc::Signature out = contract;
    for (ptc::SignatureField& param : out.params) {
      const auto given = find(param.name);
      const bool is_open = given ? values_[*given].is_absent() : !use_.has_all;
      param.type.optional = param.type.optional || is_open;
    }
    return out;
  }

  // Returns the literals by name, and arguments that the signature does not know; the caller owns the map.
  ptc::Value as_map(const ptc::Signature& contract) const {
    ptc::Value map = ptc::map_empty(heap_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::string& name = use_.arguments[i].name;
      const bool is_known = std::ranges::any_of(contract.params, [&name](const ptc::SignatureField& param) {
        return ptc::same_field_name(name, param.name);
      });
      if (is_known && values_[i].is_absent()) continue;
      const ptc::Value value = values_[i].is_absent() ? ptc::Value::nil() : ptc::retained(values_[i]);
      map = ptc::map_assoc(heap_, map, ptc::string_of(heap_, name), value);
    }
    return map;
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < use_.arguments.size(); ++i) {
      if (ptc::same_field_name(use_.arguments[i].name, name)) return i;
    }
    return std::nullopt;
  }

  ptc::Heap& heap_;
  const ptc::ToolUse& use_;
  std::vector<ptc::Value> values_;   // owned
};

// Returns the place of the argument that a path is about, or the place of the call.
ptc::SourceSpan place_of(std::string_view path, const ptc::ToolUse& use) {
  path.remove_prefix(std::min(path.size(), kRoot.size() + 1));
  const std::string_view name = path.substr(0, path.find_first_of(".["));
  const auto found = std::ranges::find_if(use.arguments, [name](const ptc::ToolArgument& argument) {
    return ptc::same_field_name(argument.name, name);
  });
  return found == use.arguments.end() ? use.span : found->span;
}

}  // namespace

std::vector<ptc::OutcomeFault> wrong_arguments(const ptc::ToolUse& use, const std::string& tool,
                                               const ptc::Signature& contract, std::string_view source) {
  std::vector<ptc::OutcomeFault> out;
  if (!contract.has_params) return out;
  ptc::Heap heap(kMemoryBytes);
  const Literals literals(heap, use, source);
  const ptc::CoercionResult fitted =
      ptc::bind_arguments(heap, literals.visible_part(contract), literals.as_map(contract), kRoot);
  heap.release(fitted.value);
  for (const ptc::SignatureMismatch& mismatch : fitted.mismatches) {
    ptc::OutcomeFault& fault = out.emplace_back();
    fault.kind = ptc::FaultKind::InvalidToolArgs;
    fault.message = tool + ": " + mismatch.path + ": " + mismatch.message;
    fault.hint = "it takes " + ptc::render_signature(contract);
    fault.found = mismatch.found;
    fault.span = place_of(mismatch.path, use);
    fault.source = source;
  }
  return out;
}

}  // namespace ptcvm
