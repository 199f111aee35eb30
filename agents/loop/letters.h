// Letters to a log of a host: what somebody without a claim tells the run, under keys that are numbered without gaps
// (next_mail()), so that a parked log is woken by the next one.
#pragma once
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

// Puts a letter behind the others. Its key is set here.
Result<void> put_letter(HostLog& log, HostFact letter);

}  // namespace ptcvm::loop
