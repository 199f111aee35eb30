#include "fuzz/command_line_trial.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "fuzz/fuzz_target.h"
#include "tools/ptcvm/command_line/command_line.h"
#include "tools/ptcvm/commands.h"

// No input starts a program or opens a connection: these take the place of the functions of the C library.
extern "C" int posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                            char* const[], char* const[]) {
  return ENOENT;
}
extern "C" int socket(int, int, int) noexcept {
  errno = EACCES;
  return -1;
}

namespace ptc::fuzz {
namespace {

namespace fs = std::filesystem;
namespace cli = ptcvm::cli;

// The files of the scratch folder, by their names in the table of options.
constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"p.ptc", "(def a 1)\n[data/a (await (tool/call {})) (await-signal \"go\")]"},
    {"d.json", "{\"a\": [1, 2.5, null]}"},
    {"m.edn", "{a 1}"},
    {"j.edn", "{\"t\" 1}"},
    {"c.json", "{\"targetWords\": 20}"},
    {"plan.edn", "[\"t\" [\"u\" \"text\"]]"},
    {"p.json", "{\"*\": {\"input\": 1, \"output\": 2}}"},
    {"a.json", R"({"name": "p", "prompt": "Pay Ann.", "signature": "() -> {receipt :string}", "tools": [{"name": "pay",
      "signature": "(to :string) -> :string", "description": "Pays", "effect": "keyed"}]})"},
    {"s.jsonl", R"({"text": "{\"category\": \"action\", \"summary\": \"s\", \"complexity\": \"simple\"}"}
{"text": "{\"steps\": [{\"id\": \"s1\", \"type\": \"action\", \"description\": \"d\", \"tool\": \"say\"}]}"}
)"},
    {"r.jsonl", "{\"program\": \"(return {:receipt (tool/pay {:to \\\"ann\\\"})})\"}\n"},
    {"t.json", R"([{"name": "say", "signature": "(text :string) -> :any", "description": "says", "effect": "keyed",
      "command": ["true"]}])"},
};

constexpr std::string_view kEmptyWord = "\x1f";

// Command lines that make the other files, in their order.
constexpr std::string_view kMakers[] = {
    "keys new ring --id k1",
    "run p.ptc --async-tool call --data d.json --snapshot s.ptcs",
    "run p.ptc --async-tool call --data d.json --store s.db --id r --trace t.jsonl",
    "run p.ptc --async-tool call --data d.json --store t.db --id r --keys ring --tenant acme",
    "agent run a.json --model scripted:r.jsonl --store s.db --id g",
    "agent run a.json --model scripted:r.jsonl --store t.db --id g --keys ring --tenant acme",
    "chain run tidy --tools t.json --model scripted:s.jsonl --store s.db --id t",
    "harness say hello --store s.db --id c",
    "harness run --planner simple-demo --store s.db --id c",
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

// Keeps what the commands write, and gives the streams back.
class Streams {
 public:
  Streams() : out_(std::cout.rdbuf(written_.rdbuf())), error_(std::cerr.rdbuf(said_.rdbuf())) {}
  ~Streams() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(error_);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  std::string written() const { return written_.str(); }
  bool has_said() const { return !said_.str().empty(); }

 private:
  std::ostringstream written_, said_;
  std::streambuf* const out_;
  std::streambuf* const error_;
};

struct Answer {
  int status = 0;
  bool has_said = false;
};

Answer answer(const std::vector<std::string>& words) {
  std::vector<std::string> texts = {"ptcvm"};
  texts.insert(texts.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const Streams streams;
  const int status = cli::answer_command_line(static_cast<int>(texts.size()), arguments.data());
  return {status, streams.has_said()};
}

// The folder in which command lines run.
class Scratch {
 public:
  Scratch() {
    const fs::path fast = "/dev/shm";
    const fs::path above = fs::is_directory(fast) ? fast : fs::temp_directory_path();
    std::string pattern = (above / "ptcvm-fuzz-XXXXXX").string();
    promise(mkdtemp(pattern.data()) != nullptr, "there is no room for a scratch folder");
    folder_ = pattern;
    fs::current_path(folder_);
    for (const auto& [name, text] : kFiles) write(name, text);
    for (const std::string_view line : kMakers) {
      const Answer made = answer(split(line, ' '));
      promise(made.status == 0 || made.status == cli::kSuspended || made.status == cli::kProgramFailed, line);
    }
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::ifstream in(entry.path(), std::ios::binary);
      kept_[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
    }
  }
  ~Scratch() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  static void write(std::string_view name, std::string_view bytes) {
    std::ofstream out(std::string(name), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  void fill(const CommandLineInput& input) const {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    for (const auto& [name, bytes] : kept_) write(name, bytes);
    write("a", input.a);
    write("b", input.b);
    write("in", input.standard_input);
    fs::permissions("ring", fs::perms::owner_read | fs::perms::owner_write);
    promise(std::freopen("in", "r", stdin) != nullptr, "standard input cannot be opened");
    std::cin.clear();
  }

  // Returns the names and sizes of all files.
  std::map<std::string, std::uintmax_t> files() const {
    std::map<std::string, std::uintmax_t> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      out[entry.path().string()] = entry.is_regular_file() ? entry.file_size() : 0;
    }
    return out;
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> kept_;
};

// Takes out of the words what would leave the scratch folder, talk to a server, or take for ever because it says so.
std::string harmless(std::string word, bool is_count) {
  std::replace(word.begin(), word.end(), '/', '_');
  std::erase(word, '\0');
  if (word == "..") return ".";
  for (const std::string_view server : {"mailbox:", "chat:", "responses:", "messages:"}) {
    if (word.starts_with(server)) return "scripted:s.jsonl";
  }
  if (is_count) word.resize(std::min<std::size_t>(word.size(), 1));
  return word;
}

bool is_patient(std::string_view text) {
  for (const std::string_view name : {"sleep", "timeout", "-ms", "--endpoint", "--group-window", "serve", "mailbox"}) {
    if (text.find(name) != std::string_view::npos) return true;
  }
  return false;
}

bool is_documented(int status) {
  constexpr std::array kStatuses = {cli::kSuccess, cli::kProgramFailed, cli::kUsage,    cli::kBadInput,
                                    cli::kBusy,    cli::kStoreFailed,   cli::kSuspended};
  return std::ranges::find(kStatuses, status) != kStatuses.end();
}

}  // namespace

CommandLineInput CommandLineInput::read(std::string_view bytes) {
  CommandLineInput input;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (line.empty()) break;
    input.words.emplace_back(line == kEmptyWord ? std::string_view() : line);
  }
  std::vector<std::string> parts = split(bytes, kNextPart);
  parts.resize(3);
  input.standard_input = std::move(parts[0]);
  input.a = std::move(parts[1]);
  input.b = std::move(parts[2]);
  return input;
}

std::string CommandLineInput::text() const {
  std::string out;
  for (const std::string& word : words) out.append(word.empty() ? kEmptyWord : word) += '\n';
  return out + '\n' + standard_input + kNextPart + a + kNextPart + b;
}

void try_command_line(std::string_view bytes) {
  CommandLineInput input = CommandLineInput::read(bytes);
  if (is_patient(bytes) || input.words.size() > 40) return;
  const bool is_generator = !input.words.empty() && input.words.front() == "gen";
  for (std::size_t i = 1; i < input.words.size(); ++i) {
    std::string& word = input.words[i];
    const bool is_number = !word.empty() && std::isdigit(static_cast<unsigned char>(word.back())) != 0;
    word = harmless(std::move(word), is_generator && is_number);
  }
  static const Scratch scratch;
  scratch.fill(input);
  const auto before = scratch.files();
  const Answer answered = answer(input.words);
  promise(is_documented(answered.status), "the exit status is not documented");
  promise(answered.status != cli::kUsage || scratch.files() == before, "a usage error changed a file");
  const bool is_refusal = answered.status == cli::kUsage || answered.status == cli::kBadInput ||
                          answered.status == cli::kBusy || answered.status == cli::kStoreFailed;
  promise(!is_refusal || answered.has_said, "a refusal without a word");
}

}  // namespace ptc::fuzz
