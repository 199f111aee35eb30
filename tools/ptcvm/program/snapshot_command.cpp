// ptcvm snapshot show | json | from-json | diff | verify: looking at snapshots without running them.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iostream>
#include <set>
#include <span>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/snapshot_file.h"
#include "tools/ptcvm/program/snapshot_show.h"
#include "tools/ptcvm/text/loading.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxJsonDepth = 256;   // the JSON face has deeper values in a list of their own

struct LookRequest {
  std::string file, other, output = "-", program;
  SealOptions seal;
};

// A snapshot that is only looked at: no tools, and nobody steps it.
class Looker {
 public:
  explicit Looker(const LookRequest& request) : request_(request) {}

  std::optional<SnapshotView> open(const std::string& path) {
    const auto file = read_snapshot_file(path, request_.seal, message_);
    if (!file || !shelve_program(engine_, request_.program, {}, message_)) return std::nullopt;
    size_bytes_ = file->bytes.size();
    auto opened = SnapshotView::open(engine_, std::as_bytes(std::span(file->bytes)), kMostSnapshotBytes);
    if (opened) return std::move(*opened);
    message_ = restore_complaint(path, opened.error(), request_.program, file->bytes);
    return std::nullopt;
  }

  std::optional<std::string> open_json(const std::string& path) {
    const auto opened = open(path);
    return opened ? std::optional(opened->json()) : std::nullopt;
  }

  int refuse() const {
    complain(message_);
    return kBadInput;
  }
  std::size_t size_bytes() const { return size_bytes_; }
  std::string& message() { return message_; }

 private:
  const LookRequest& request_;
  const Engine engine_;
  std::size_t size_bytes_ = 0;
  std::string message_;
};

// Files of either face are for their owner only.
bool put(const std::string& path, std::string_view text, std::string& message) {
  if (path == "-") return write_file(path, text, message);
  return write_whole_file(path, text, message);
}

int print_state(const LookRequest& request) {
  Looker looker(request);
  const auto opened = looker.open(request.file);
  if (!opened) return looker.refuse();
  std::cout << show_snapshot(*opened, looker.size_bytes(), now_millis());
  return kSuccess;
}

int write_json(const LookRequest& request) {
  Looker looker(request);
  const auto text = looker.open_json(request.file);
  if (!text || !put(request.output, *text, looker.message())) return looker.refuse();
  return kSuccess;
}

int write_binary(const LookRequest& request) {
  Looker looker(request);
  const auto opened = looker.open(request.file);
  if (!opened) return looker.refuse();
  const std::vector<std::byte> bytes = opened->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return put(request.output, text, looker.message()) ? kSuccess : looker.refuse();
}

int verify_state(const LookRequest& request) {
  Looker looker(request);
  if (!looker.open(request.file)) {
    complain(looker.message());
    return kProgramFailed;
  }
  std::cout << request.file << ": good\n";
  return kSuccess;
}

// How likely a person made a change: an edit of a value, what the program does next, what the engine counts.
enum class DifferenceRank : std::uint8_t { Edit, Place, Count };

DifferenceRank rank_of(std::string_view path) {
  static constexpr auto kEdits = std::to_array<std::string_view>(
      {"context", "journal", "limits", "namespace", "operations", "pending", "prints", "run"});
  static constexpr auto kCounts =
      std::to_array<std::string_view>({"counters", "engine", "format", "oldest_reader", "used"});
  const std::string_view first = path.substr(0, path.find_first_of(".["));
  if (std::ranges::binary_search(kCounts, first) || path.find(".bytecode") != path.npos) return DifferenceRank::Count;
  if (std::ranges::binary_search(kEdits, first)) return DifferenceRank::Edit;
  const bool is_edit = path.find(".locals") != path.npos || path.ends_with(".source");
  return is_edit ? DifferenceRank::Edit : DifferenceRank::Place;
}

// Differences by path as jq takes it: "namespace.x: 1 -> 2". What a person changed comes first.
class Differences {
 public:
  void compare(const std::string& path, const json::value* a, const json::value* b) {
    if (a == nullptr || b == nullptr) {
      line(path, a == nullptr ? "absent" : shown(*a), b == nullptr ? "absent" : shown(*b));
    } else if (a->is_object() && b->is_object()) {
      members(path, a->get_object(), b->get_object());
    } else if (a->is_array() && b->is_array()) {
      const json::array &x = a->get_array(), &y = b->get_array();
      for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k) {
        compare(path + '[' + std::to_string(k) + ']', k < x.size() ? &x[k] : nullptr, k < y.size() ? &y[k] : nullptr);
      }
    } else if (*a != *b) {
      line(path, shown(*a), shown(*b));
    }
  }
  std::size_t count() const { return lines_.size(); }
  std::string text() {
    std::ranges::stable_sort(lines_, {}, &Line::rank);
    std::string out;
    for (const Line& line : lines_) out += line.text;
    return out;
  }

 private:
  struct Line {
    DifferenceRank rank;
    std::string text;
  };

  // The order of members matters, too: in a journal it is the order of the commits.
  void members(const std::string& path, const json::object& a, const json::object& b) {
    std::set<std::string_view> names;
    const auto names_of = [&names](const json::object& object) {
      json::array list;
      for (const auto& member : object) {
        names.emplace(member.key().data(), member.key().size());
        list.emplace_back(member.key());
      }
      return list;
    };
    const json::array left = names_of(a), right = names_of(b);
    const bool same_names = names.size() == a.size() && names.size() == b.size();
    for (const std::string_view name : names) {
      const json::string_view key(name.data(), name.size());
      compare(below(path, name), a.if_contains(key), b.if_contains(key));
    }
    if (same_names && left != right) line(path, "order " + shown(left), "order " + shown(right));
  }

  static std::string below(const std::string& path, std::string_view name) {
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const bool plain = !name.empty() && is_plain(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
      return is_plain(c) || (c >= '0' && c <= '9');
    });
    if (!plain) return path + '[' + json::serialize(json::string_view(name.data(), name.size())) + ']';
    return path.empty() ? std::string(name) : path + '.' + std::string(name);
  }

  static std::string shown(const json::value& value) {
    constexpr std::size_t kMost = 100;
    std::string text = json::serialize(value);
    if (text.size() <= kMost) return text;
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80) --end;   // not inside of a character
    return text.substr(0, end) + "…";
  }
  void line(const std::string& path, const std::string& a, const std::string& b) {
    lines_.push_back({rank_of(path), path + ": " + a + " -> " + b + '\n'});
  }
  std::vector<Line> lines_;
};

int print_difference(const LookRequest& request) {
  Looker looker(request);
  const auto a = looker.open_json(request.file);
  if (!a) return looker.refuse();
  const auto b = looker.open_json(request.other);
  if (!b) return looker.refuse();
  if (*a == *b) return kSuccess;
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  const json::value left = json::parse(*a, {}, options), right = json::parse(*b, {}, options);
  Differences differences;
  differences.compare("", &left, &right);
  std::cout << differences.text();
  return differences.count() == 0 ? kSuccess : kProgramFailed;
}

template <class Action>
void add_part(CLI::App& command, int& status, const char* name, const char* what, const char* output, bool two,
              Action action) {
  auto* part = command.add_subcommand(name, what);
  auto request = std::make_shared<LookRequest>();
  part->add_option(two ? "A" : "FILE", request->file, "A snapshot, of either face")->required();
  if (two) part->add_option("B", request->other, "The other one")->required();
  if (output != nullptr) part->add_option("-o,--output", request->output, output)->type_name("OUT");
  part->add_option("--program", request->program, "The program, when the snapshot only names it (.ptc or .ptcp)")
      ->type_name("FILE");
  declare_seal_options(*part, request->seal);
  part->callback([request, action, &status] { status = action(*request); });
}

}   // namespace

void add_snapshot_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("snapshot", "Look at snapshots: show, json, from-json, diff, verify");
  command->require_subcommand(1);
  command->footer(R"(Examples:
  ptcvm snapshot show state.ptcs
  ptcvm snapshot json state.ptcs | jq -r '.pending[].tool'
  ptcvm snapshot from-json state.json -o state.ptcs
  ptcvm snapshot diff before.ptcs after.ptcs
  ptcvm snapshot verify state.ptcs

Exit status of diff: 0 equal, 1 different; of verify: 0 good, 1 refused.)");
  add_part(*command, status, "show", "What it waits for, where, with which values and budgets", nullptr, false,
           print_state);
  add_part(*command, status, "json", "The snapshot as JSON", "Where to write; - is standard output", false, write_json);
  add_part(*command, status, "from-json", "JSON back to the binary face", "Where to write; - is standard output", false,
           write_binary);
  add_part(*command, status, "diff", "Where two snapshots differ, edits of values first", nullptr, true,
           print_difference);
  add_part(*command, status, "verify", "Whether it could be restored", nullptr, false, verify_state);
}

}   // namespace ptcvm::cli
