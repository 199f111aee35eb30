// How patterns of models are compiled: each within 1 MiB, so that a costly one is refused and not obeyed.
#pragma once
#include <re2/re2.h>

namespace ptcvm::chain {

inline RE2::Options bounded_regex_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace ptcvm::chain
