// What a check of a program finds before the program runs, for C. Include this file beside ptcvm.h.
#pragma once

#include "ptcvm/ptcvm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptcvm_findings ptcvm_findings;   // owns a list of findings, in the order of the source

// Returns every error of the source and what looks like a slip, without running anything. Knows the definitions, data
// and tools of the session. Errors have the kind of a fault; the kinds of warnings are "unused_name",
// "unused_definition", "defined_twice", "missing_data" (data/… names what the data of the session lacks, and is nil)
// and "more_findings". The library without a compiler finds nothing. PTCVM_WRONG_STATE: the session is being stepped.
PTCVM_EXPORT ptcvm_status ptcvm_session_check(const ptcvm_session* session, ptcvm_text source, ptcvm_findings** out,
                                              ptcvm_error** error);
PTCVM_EXPORT size_t ptcvm_findings_count(const ptcvm_findings* findings);
// Fills `out` with a finding. Texts are borrowed from the list.
PTCVM_EXPORT ptcvm_status ptcvm_findings_at(const ptcvm_findings* findings, size_t index, ptcvm_diagnostic* out);
// Returns 1 for an error (the program cannot begin, or fails where the place is reached), 0 for a warning.
PTCVM_EXPORT int32_t ptcvm_findings_is_error(const ptcvm_findings* findings, size_t index);
PTCVM_EXPORT void ptcvm_findings_free(ptcvm_findings* findings);

#ifdef __cplusplus
}
#endif
