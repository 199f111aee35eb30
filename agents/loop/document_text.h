// Texts of hosts, tools and servers may be any bytes, and texts of a document are UTF-8.
#pragma once
#include <string>

#include "agent_state_generated.h"

namespace ptcvm::loop {

// Puts U+FFFD in the place of each byte that is not UTF-8, in all texts of the document.
void mend_texts(state::DocumentT& document);
void mend_text(std::string& text);

}  // namespace ptcvm::loop
