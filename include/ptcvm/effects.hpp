// Says what may be done about a call of a tool when nobody knows whether the call happened.
#pragma once
#include "ptcvm/tools.hpp"

namespace ptcvm {

// Returns whether a call of this class is made again unasked. Otherwise the tool is asked, or a person is.
PTCVM_API bool is_called_again(Effect effect);

}  // namespace ptcvm
