// Converts values to fit a signature where nothing is lost: the result can always be turned back into the value.
//
//   wanted            also taken                                            becomes
//   :int              5.0 up to 2^53, "5" as an integer is written          5
//   :float            an integer that a float holds, "2.5"                  2.5
//   :bool             "true", "false"                                       true, false
//   :string           a keyword, a date, an instant, a duration             its name, its ISO text
//   :keyword          text that is the plain name of a keyword              the keyword
//   :date :datetime :duration   ISO text                                    the value
//   [type]            a set                                                 its members in canonical order
//
// A value that fits is returned as it is, at the cost of one walk along the type. A value that does not fit is returned
// unchanged, with a message and a place for each mismatch.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

struct CoercionResult {
  Value value;                                   // the caller owns it in any case
  std::vector<SignatureMismatch> mismatches;     // at most kMaxMismatches; empty when the value fits
  bool changed = false;                          // true when something was converted
  bool ok() const { return mismatches.empty(); }
};

// Takes a value and converts it to the type. Paths of mismatches begin with `root`: "return.items[2].id".
CoercionResult coerce_type(Heap& heap, const SignatureType& type, Value taken, std::string_view root);

// Converts the arguments of a call, a map by name. The result has string keys with "_" in place of "-". Optional
// arguments may be missing; unknown names are mismatches. A signature without a parameter list takes every map.
CoercionResult bind_arguments(Heap& heap, const Signature& signature, Value taken_arguments,
                              std::string_view root = "args");

}  // namespace ptc
