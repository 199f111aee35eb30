// Makes the errors and diagnostics of the public API out of the errors and diagnostics of the runtime.
#pragma once
#include <string>

#include "ptcvm/result.hpp"
#include "runtime/log/fact_store.h"
#include "runtime/session/outcome.h"
#include "runtime/text/value_builder.h"
#include "vm/snapshot/snapshot.h"

namespace ptcvm {

inline Error host_error(Errc code, std::string message) { return {code, std::move(message), std::nullopt, {}}; }
Diagnostic diagnostic_of(const ptc::OutcomeFault& fault);
Error program_error(const ptc::OutcomeFault& fault);
Error restore_error(const ptc::RestoreError& error);
Error store_error(const ptc::StoreError& error);
// Returns invalid_value for a text that cannot be read, with the place in the diagnostic; `what` names its format.
Error text_error(std::string_view what, std::string_view text, const ptc::TextError& error);

}  // namespace ptcvm
