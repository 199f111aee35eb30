// The calls that a program was in when it failed, for C. Include this file beside ptcvm.h.
#pragma once

#include "ptcvm/ptcvm.h"

#ifdef __cplusplus
extern "C" {
#endif

// A call around a fault. An output struct.
typedef struct ptcvm_call_frame {
  size_t struct_size;
  ptcvm_text kind;                // "function", "builtin", "tool", "task", "branch", "omitted" (name: how many frames)
  ptcvm_text name;                // "program" for the top level, "fn" for a function without a name
  ptcvm_text source_name;
  uint32_t line, column;          // count from 1; a builtin has the place of its call; 0 when there is no place
} ptcvm_call_frame;

// Returns 1 and fills `out` with a call around the fault that ptcvm_run_diagnostic() told last. Index 0 is the
// innermost call, and there are at most 26. Returns 0 when there is no such call. Texts are valid as long as the
// diagnostic is.
PTCVM_EXPORT int32_t ptcvm_run_call_frame(const ptcvm_run* run, size_t index, ptcvm_call_frame* out);
// Returns 1 and fills `out` in the same way for the outcome of a stored run.
PTCVM_EXPORT int32_t ptcvm_stored_call_frame(const ptcvm_stored* stored, size_t index, ptcvm_call_frame* out);

#ifdef __cplusplus
}
#endif
