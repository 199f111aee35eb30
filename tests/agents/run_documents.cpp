// Documents of agents that are kept: what a library of each version wrote, and what must still come of it.
//
//   ptc_agent_documents FOLDER [--add]
//
// FOLDER/situations.jsonl has the situations (situation.h), FOLDER/vN/NAME.ptag and NAME.json the documents of version
// N in both faces. --add writes what the newest version lacks, and never touches a file that is there: documents that
// were kept once are kept for ever.
#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "agents/loop/agent_document.h"
#include "agents/situation.h"

namespace {

namespace fs = std::filesystem;
using ptcvm::loop::AgentRun;
using ptcvm::test::Situation;

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_new(const fs::path& path, const char* bytes, std::size_t size) {
  if (fs::exists(path)) return;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes, static_cast<std::streamsize>(size));
  std::printf("wrote %s\n", path.c_str());
}

std::vector<Situation> situations_of(const fs::path& folder) {
  std::vector<Situation> out;
  std::ifstream lines(folder / "situations.jsonl");
  for (std::string line; std::getline(lines, line);) out.emplace_back(boost::json::parse(line).as_object());
  return out;
}

int version_of(const fs::path& folder) { return std::atoi(folder.filename().c_str() + 1); }   // "v3"

class Documents {
 public:
  Documents(fs::path folder, bool adds) : folder_(std::move(folder)), adds_(adds) {}

  void check(const Situation& situation) {
    const ptcvm::loop::Agent agent = situation.agent(engine_);
    std::string complaint;
    auto run = situation.enter(agent, complaint);
    if (!run) return fail(situation.name(), complaint);
    const auto bytes = run->snapshot();
    const std::string text = run->snapshot_json();
    if (adds_) {
      const fs::path newest = folder_ / ("v" + std::to_string(ptcvm::loop::kDocumentVersion));
      write_new(newest / (situation.name() + ".ptag"), reinterpret_cast<const char*>(bytes.data()), bytes.size());
      write_new(newest / (situation.name() + ".json"), text.data(), text.size());
    }
    if (complaint = situation.leave(*run); !complaint.empty()) return fail(situation.name(), complaint);
    for (const auto& version : fs::directory_iterator(folder_)) {
      if (!version.is_directory() || version_of(version.path()) < situation.since()) continue;
      for (const char* const face : {".ptag", ".json"}) {
        check_file(situation, agent, version.path() / (situation.name() + face));
      }
    }
  }
  // Returns whether all documents that are there went on as they should, and each situation has its documents.
  bool is_good() const { return failures_ == 0 && checked_ > 0; }
  std::size_t checked() const { return checked_; }

 private:
  void check_file(const Situation& situation, const ptcvm::loop::Agent& agent, const fs::path& file) {
    const std::string bytes = file_text(file);
    if (bytes.empty()) return fail(file.string(), "there is no such file: write it with --add");
    auto run = AgentRun::restore(agent, std::as_bytes(std::span(bytes)));
    if (!run) return fail(file.string(), run.error().message);
    if (const std::string complaint = situation.leave(*run); !complaint.empty()) return fail(file.string(), complaint);
    ++checked_;
  }
  void fail(const std::string& what, const std::string& why) {
    std::printf("%s: %s\n", what.c_str(), why.c_str());
    ++failures_;
  }

  ptcvm::Engine engine_;
  const fs::path folder_;
  const bool adds_;
  std::size_t failures_ = 0, checked_ = 0;
};

}  // namespace

int main(int count, char** words) {
  const bool adds = count == 3 && std::string(words[2]) == "--add";
  if (count < 2 || (count > 2 && !adds)) {
    std::fputs("usage: ptc_agent_documents FOLDER [--add]\n", stderr);
    return 2;
  }
  Documents documents(words[1], adds);
  for (const Situation& situation : situations_of(words[1])) documents.check(situation);
  std::printf("%zu documents went on\n", documents.checked());
  return documents.is_good() ? 0 : 1;
}
