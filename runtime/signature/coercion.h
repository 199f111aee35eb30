// Making values fit a signature where nothing is lost: what a value becomes can be turned back into what it was.
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
// A value that fits is handed back as it is: the cost is one walk along the type. A value that does not fit is handed
// back unchanged, with what is wrong and where.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

struct CoercionResult {
  Value value;                                   // owned by the caller in any case
  std::vector<SignatureMismatch> mismatches;     // at most kMaxMismatches; empty: the value fits
  bool changed = false;                          // something was converted
  bool ok() const { return mismatches.empty(); }
};

// Paths begin with `root`: "return.items[2].id".
CoercionResult coerce_type(Heap& heap, const SignatureType& type, Value taken, std::string_view root);

// Arguments of a call, a map by name. The result has string keys in which "-" is "_". Optional ones may be missing,
// unknown names are mismatches. A signature without a parameter list takes every map.
CoercionResult bind_arguments(Heap& heap, const Signature& signature, Value taken_arguments,
                              std::string_view root = "args");

}  // namespace ptc
