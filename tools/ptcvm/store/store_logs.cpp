#include "tools/ptcvm/store/store_logs.h"

#include "ptcvm/host_log.hpp"
#include "ptcvm/queues.hpp"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {

std::string shared_log(const StoreOptions& options, const std::string& name) {
  return options.keys.empty() ? name : name + '/' + ring_tenant(options.tenant);
}

bool passes_over(const Error& error, const std::string& log, int& status) {
  if (is_of_other_tenant(error)) return true;
  Error named = error;
  named.message = log + ": " + error.message;
  status = complain_of_store(named);
  return error.code == Errc::seal_refused || error.detail == "store_corrupt";
}

bool needs_ring(const Store& store, const std::string& log) {
  const auto written = HostLog::of(store, log).put(HostCut::blind(), {});   // writes nothing
  return !written && written.error().detail == "keys_needed";
}

std::string retry_words(const StoreOptions& options, const std::string& run) {
  const char* const names = run.starts_with('-') ? " -- " : " ";
  return "ptcvm runs retry " + store_words(options) + names + shell_quoted(run);
}

bool refuses_answers(const Store& store, const StoreOptions& options, const std::string& run) {
  const auto queued = queued_run(store, run);
  if (!queued || !*queued || !(*queued)->is_cancelled) return false;
  complain("run_cancelled: " + run + " was cancelled and takes no answers, until it is made ready again: " +
           retry_words(options, run));
  return true;
}

bool refuses_to_go_on(const Store& store, const std::string& run) {
  const auto queued = queued_run(store, run);
  if (!queued || !*queued || !(*queued)->is_cancelled || (*queued)->state != "dead") return false;
  complain("run_cancelled: " + run + " was cancelled; `ptcvm runs retry` makes it ready again");
  return true;
}

}  // namespace ptcvm::cli
