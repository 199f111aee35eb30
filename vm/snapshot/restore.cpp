// Bytes -> run: the order of the checks, and what is put together when.
#include <algorithm>
#include <cstring>
#include <optional>

#include "schema/flat_tree.h"
#include "schema/version.h"
#include "snapshot_generated.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/binary_reader.h"
#include "vm/snapshot/checksum.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/install.h"
#include "vm/snapshot/json/json_reader.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {
namespace {

using Result = std::variant<Restored, RestoreError>;

enum class Face : std::uint8_t { Binary, Json };

constexpr flatbuffers::uoffset_t kMaxTables = UINT32_MAX;   // a tree has no more than it has bytes

// The values of a state belong to somebody at every moment: here until install() took them.
class OwnedState {
 public:
  explicit OwnedState(Heap& heap) : heap_(heap) {}
  ~OwnedState() {
    for_each_value(state, [this](Value& value) { heap_.release(value); });
    for (const auto& [key, value] : host.cached_answers) heap_.release(value);
  }
  OwnedState(const OwnedState&) = delete;
  OwnedState& operator=(const OwnedState&) = delete;
  RunState state;
  HostState host;

 private:
  Heap& heap_;
};

std::string host_problem(const HostState& host) {
  constexpr std::uint64_t kMaxMillis = 1'000'000'000'000;   // 31 years; in nanoseconds they still fit
  constexpr int kMaxPrecision = 300;
  if (host.active_ms > kMaxMillis) return "time that the turn has used";
  if (host.float_precision < -1 || host.float_precision > kMaxPrecision) return "float precision";
  const auto not_ascending = [](const auto& a, const auto& b) { return a.first >= b.first; };
  const auto& cached = host.cached_answers;
  return std::adjacent_find(cached.begin(), cached.end(), not_ascending) == cached.end() ? "" : "cached answers";
}

class Restore {
 public:
  Restore(SnapshotReader& reader, const RestoreOptions& options) : reader_(reader), options_(options) {}

  Result run() {
    HostState host;
    RunState skeleton;
    if (!reader_.read_host(host)) return reader_.error;
    if (std::string why = host_problem(host); !why.empty()) return invalid(std::move(why));
    if (!reader_.read_programs(options_.programs, skeleton)) return reader_.error;
    if (options_.check) {
      if (std::string why = options_.check(host); !why.empty()) return RestoreError{SnapshotError::Refused, why};
    }
    skeleton.limits = reader_.limits();
    if (std::string why = limits_problem(skeleton.limits); !why.empty()) return invalid(std::move(why));
    static_cast<Limits&>(skeleton.limits) = smaller(skeleton.limits, options_.most);
    MachineState run(skeleton.limits, options_.memory);
    OwnedState owned(run.heap());
    owned.state = std::move(skeleton);
    owned.host = std::move(host);
    const bool built = build(run, owned.state, owned.host);
    reader_.forget_values();
    if (!built) return reader_.error;
    if (std::string why = install(owned.state, run); !why.empty()) return invalid(std::move(why));
    HostState out = std::move(owned.host);
    owned.host.cached_answers.clear();
    return Restored{run.take_run(), std::move(out)};
  }

 private:
  RestoreError invalid(std::string why) { return {SnapshotError::Invalid, std::move(why)}; }
  bool fail(std::string why) {
    if (reader_.error.message.empty()) reader_.error = invalid(std::move(why));
    return false;
  }

  bool build(MachineState& run, RunState& state, HostState& host) {
    if (!reader_.read_state(run, state, host)) return false;
    for (const CellState& cell : state.cells) {
      if (!run.add_cell(cell.name)) return fail("one name twice");
    }
    for (const LinkState& link : state.links) run.begin_link(link.program, link.is_prelude);
    if (!reader_.read_shapes()) return false;
    for (std::size_t k = 0; k < state.links.size(); ++k) run.finish_link(k, state.links[k].functions);
    if (run.cells().size() != state.cells.size()) return fail("names of a program are missing");
    return assign(run.heap(), state, host);
  }

  // Deals the values out to their places.
  bool assign(Heap& heap, RunState& state, HostState& host) {
    std::vector<Value> roots;
    const bool read = reader_.read_values(roots);
    const std::string why = read ? place_frame_values(state, roots.size()) : std::string();
    std::size_t next = 0;
    bool enough = read && why.empty();
    const auto deal = [&](Value& place) {
      if (next == roots.size()) {
        enough = false;
      } else {
        place = roots[next++];
      }
    };
    if (enough) {
      for_each_value(state, deal);
      for (auto& [key, value] : host.cached_answers) deal(value);
    }
    const bool all = enough && next == roots.size();
    for (; next < roots.size(); ++next) heap.release(roots[next]);
    if (!read) return false;
    if (!why.empty()) return fail(why);
    if (!all) return fail("another number of values than places for them");
    return std::none_of(host.cached_answers.begin(), host.cached_answers.end(),
                        [](const auto& answer) { return answer.second.is_absent(); }) ||
           fail("cached answers");
  }

  // How many values a frame has follows from its code; here the places are made.
  std::string place_frame_values(RunState& state, std::size_t available) {
    std::uint64_t total = 0;
    for (FiberState& fiber : state.fibers) {
      for (std::size_t k = 0; k < fiber.frames.size(); ++k) {
        FrameState& frame = fiber.frames[k];
        const auto count = frame_value_count(state, fiber, k);
        if (!count) return "program counter that is never reached";
        total += *count + 1;
        if (total > available) return "another number of values than places for them";
        frame.first_value = static_cast<std::uint32_t>(fiber.values.size());
        frame.value_count = *count;   // only places that are there, because giving up visits them all
        fiber.values.resize(fiber.values.size() + *count, Value::nil());
      }
    }
    return {};
  }

  SnapshotReader& reader_;
  const RestoreOptions& options_;
};

// A migration made bytes of an older format than it said: following it could go on for ever.
RestoreError no_progress(std::uint32_t wanted) {
  return {SnapshotError::Damaged, "a migration did not make format " + std::to_string(wanted)};
}

Result restore_face(std::span<const std::uint8_t> bytes, Face face, std::uint32_t at_least,
                    const RestoreOptions& options);

// Returns nullopt when this format is read as it is.
std::optional<Result> restore_older(std::span<const std::uint8_t> bytes, SnapshotHeader header, Face face,
                                    const RestoreOptions& options) {
  if (auto error = unsupported_format(header.format, header.oldest_reader)) return *error;
  if (header.format >= kSnapshotOldestRead) return std::nullopt;
  const std::string from = std::to_string(header.format), to = std::to_string(header.format + 1);
  for (const std::span<const Migration> known : {options.migrations, own_migrations()}) {
    for (const Migration& migration : known) {
      const Migration::Step& step = face == Face::Json ? migration.json : migration.binary;
      if (migration.from != header.format || step == nullptr) continue;
      const auto made = step(bytes);
      if (const auto* why = std::get_if<std::string>(&made)) {
        return RestoreError{SnapshotError::Damaged, "migration from format " + from + " to " + to + ": " + *why};
      }
      return restore_face(std::get<Migration::Bytes>(made), face, header.format + 1, options);
    }
  }
  return RestoreError{SnapshotError::UnsupportedVersion,
                      "format " + from + ", and no migration to " + to + " is known here"};
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_json(std::span<const std::uint8_t> bytes) {
  const std::string_view text = text_of(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result restore_binary(std::span<const std::uint8_t> bytes, std::uint32_t at_least, const RestoreOptions& options) {
  std::vector<std::uint64_t> aligned;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {   // scalars are read where they lie
    aligned.resize((bytes.size() + 7) / 8);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const std::uint8_t*>(aligned.data()), bytes.size()};
  }
  const SnapshotKind kind = snapshot_kind(bytes);
  if (kind == SnapshotKind::None) return RestoreError{SnapshotError::NotASnapshot, "these bytes are no snapshot"};
  const auto header = snapshot_header(bytes);
  if (!header) return RestoreError{SnapshotError::Damaged, "the container is damaged"};
  if (header->format < at_least) return no_progress(at_least);
  if (auto older = restore_older(bytes, *header, Face::Binary, options)) return std::move(*older);
  if (bytes.size() % 8 != 0) return RestoreError{SnapshotError::Damaged, "the container is cut off"};
  const bool has_checksum = kind == SnapshotKind::WithChecksum;
  if (has_checksum && !take_checksum(bytes)) {
    return RestoreError{SnapshotError::Damaged, "the checksum is wrong: bytes were lost or changed"};
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 64, kMaxTables);
  if (has_checksum != (header->format >= kFirstFormatWithChecksum) ||
      !is_flat_tree(bytes, schema::SnapshotTypeTable()) || !verifier.VerifyBuffer<schema::Snapshot>(nullptr)) {
    return RestoreError{SnapshotError::Damaged, "the container is damaged"};
  }
  BinaryReader reader(*schema::GetSnapshot(bytes.data()));
  reader.has_read = options.has_read;
  return Restore(reader, options).run();
}

Result restore_json(std::span<const std::uint8_t> bytes, std::uint32_t at_least, const RestoreOptions& options) {
  JsonReader reader;
  if (!reader.parse(text_of(bytes))) return reader.error;
  if (reader.header().format < at_least) return no_progress(at_least);
  if (auto older = restore_older(bytes, reader.header(), Face::Json, options)) return std::move(*older);
  if (!reader.begin()) return reader.error;
  return Restore(reader, options).run();
}

Result restore_face(std::span<const std::uint8_t> bytes, Face face, std::uint32_t at_least,
                    const RestoreOptions& options) {
  return face == Face::Json ? restore_json(bytes, at_least, options) : restore_binary(bytes, at_least, options);
}

}  // namespace

std::string_view snapshot_error_name(SnapshotError error) {
  switch (error) {
    case SnapshotError::NotASnapshot: return "not_a_snapshot";
    case SnapshotError::Damaged: return "snapshot_damaged";
    case SnapshotError::UnsupportedVersion: return "snapshot_unsupported_version";
    case SnapshotError::MissingProgram: return "snapshot_missing_program";
    case SnapshotError::BadProgram: return "snapshot_bad_program";
    case SnapshotError::TooLarge: return "snapshot_too_large";
    case SnapshotError::Refused: return "snapshot_refused";
    case SnapshotError::Invalid: return "snapshot_invalid";
  }
  return "";
}

RunLimits RestoreOptions::unlimited() {
  RunLimits most;
  static_cast<Limits&>(most) = largest_limits();
  return most;
}

std::optional<RestoreError> unsupported_format(std::uint64_t format, std::uint64_t oldest_reader) {
  if (oldest_reader <= kSnapshotFormat) return std::nullopt;
  return RestoreError{SnapshotError::UnsupportedVersion,
                      "format " + std::to_string(format) + ", readable from " + std::to_string(oldest_reader) +
                          " on; this engine reads up to " + std::to_string(kSnapshotFormat)};
}

bool may_be_snapshot(std::span<const std::uint8_t> beginning) {
  constexpr std::size_t kLeastBytes = 8;   // before that a container shows no kind
  if (is_json(beginning)) return JsonReader::may_begin_with(text_of(beginning));
  return beginning.size() < kLeastBytes || snapshot_kind(beginning) != SnapshotKind::None;
}

Result restore_snapshot(std::span<const std::uint8_t> bytes, const RestoreOptions& options) {
  if (bytes.size() > options.most_bytes) {
    return RestoreError{SnapshotError::TooLarge, std::to_string(bytes.size()) + " bytes, at most " +
                                                     std::to_string(options.most_bytes) + " are read"};
  }
  return restore_face(bytes, is_json(bytes) ? Face::Json : Face::Binary, 0, options);
}

}  // namespace ptc
