#include "runtime/session/outcome.h"

#include "runtime/engine/diagnostic_text.h"

namespace ptc {

std::string render_fault(const OutcomeFault& fault, bool colour) {
  return render_diagnostic(
      {fault_name(fault.kind), fault.message, fault.hint, fault.source_name, fault.source, fault.span, {},
       fault.stack, fault.found},
      colour);
}

}  // namespace ptc
