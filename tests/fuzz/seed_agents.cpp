#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/seed_sources.h"

namespace ptc::fuzz {

void add_agent_seeds(SeedFolder& seeds, const std::filesystem::path& documents) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(documents)) {
    const auto extension = entry.path().extension();
    if (extension == ".ptag" || extension == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.add("agent_document", std::string(std::istreambuf_iterator<char>(in), {}));
  }
  for (const char* const word : {"\"phase\":\"", "\"turns\":[", "\"children\":[", "\"operations\":[", "\"session\":\"",
                                 "\"limits\":{", "\"Awaiting\"", "\"Running\"", "\"Exhausted\"", "\"Ended\""}) {
    seeds.word("agent_document", word);
  }
}

}  // namespace ptc::fuzz
