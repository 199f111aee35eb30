#include "tools/ptcvm/program/journal_file.h"

#include <filesystem>

#include "tools/ptcvm/process/files.h"

namespace ptcvm::cli {
namespace {

// Returns the first task that has one value in the run and another one in the text, as EDN; or "".
std::string differing_task(const Run& run, const std::string& text) {
  const auto own = Value::from_edn(run.journal_edn()), given = Value::from_edn(text);
  if (!own || !given || given->view().kind() != ValueKind::Map) return {};   // functions, which only the run can read
  for (const ValueEntry& task : own->view().entries()) {
    const ValueView other = given->view()[task.key.as_string().value_or("")];
    if (!other.is_nil() && other != task.value) return task.key.to_edn();
  }
  return {};
}

}  // namespace

bool read_journal(Session& session, const std::string& path, std::string& message) {
  const auto text = read_file(path, message, session.run().memory_left());
  if (!text) return false;
  if (const std::string task = differing_task(session.run(), *text); !task.empty()) {
    message = path + " is the journal of another run: task " + task + " has another value there. Give the journal that "
                     "`ptcvm run --journal` wrote for this program";
    return false;
  }
  const auto loaded = session.load_journal(*text);
  if (!loaded) message = path + ": " + loaded.error().message;
  return loaded.has_value();
}

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
