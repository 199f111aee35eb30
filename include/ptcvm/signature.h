// Signatures, what tools take and give, read and checked without a run, for C. Include this file beside ptcvm.h.
#pragma once

#include "ptcvm/ptcvm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptcvm_signature ptcvm_signature;
enum { PTCVM_PARAMS = 0, PTCVM_RESULT };

// Read "(a :int) -> :string" or a type alone, or a JSON Schema. PTCVM_INVALID_SIGNATURE: the message says where.
PTCVM_EXPORT ptcvm_status ptcvm_signature_parse(ptcvm_text text, ptcvm_signature** out, ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_signature_from_json_schema(ptcvm_text json, ptcvm_signature** out, ptcvm_error** error);
PTCVM_EXPORT void ptcvm_signature_free(ptcvm_signature* signature);
// Return the signature in its usual form, and its JSON Schema (draft 2020-12).
PTCVM_EXPORT ptcvm_status ptcvm_signature_text(const ptcvm_signature* signature, ptcvm_buffer** out,
                                               ptcvm_error** error);
PTCVM_EXPORT ptcvm_status ptcvm_signature_json_schema(const ptcvm_signature* signature, ptcvm_buffer** out,
                                                      ptcvm_error** error);
// Gives the value as a tool gets its arguments (PTCVM_PARAMS) or as the result (PTCVM_RESULT), converted where nothing
// is lost. PTCVM_INVALID_VALUE: the message has the path of each part that does not fit.
PTCVM_EXPORT ptcvm_status ptcvm_signature_fit(const ptcvm_signature* signature, int32_t part, ptcvm_view value,
                                              ptcvm_value** out, ptcvm_error** error);

#ifdef __cplusplus
}
#endif
