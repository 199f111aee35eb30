#include "tools/ptcvm/program/journal_file.h"

#include <filesystem>

#include "tools/ptcvm/process/files.h"

namespace ptcvm::cli {

bool keep_journal(const Run& run, const std::string& path, std::string& message) {
  if (path.empty()) return true;
  const std::string beside = path + ".new";
  std::string text = run.journal_edn();
  if (text.empty()) {
    message = path + " is as it was: the journal takes more text than the run has memory left. Give more with "
                     "--memory-bytes, or keep the run in a store with --store FILE.db --id NAME";
    return false;
  }
  text += '\n';
  if (!write_file(beside, text, message)) return false;
  std::error_code failed;
  std::filesystem::rename(beside, path, failed);
  if (failed) message = "cannot write " + path + ": " + failed.message();
  return !failed;
}

}  // namespace ptcvm::cli
