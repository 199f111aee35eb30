// Reads JSON into a RunState: the second face of a snapshot, as json_writer.cpp writes it or as a person changed it.
// The reader ignores members that are only for people (the place of a frame, the name of its function). The reader or
// install.h checks members that must agree with others.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "vm/snapshot/json/json_fields.h"
#include "vm/snapshot/json/json_value_reader.h"
#include "vm/snapshot/snapshot_reader.h"

namespace ptc {

class JsonReader : public SnapshotReader {
 public:
  // Returns false when no snapshot begins like this.
  static bool may_begin_with(std::string_view text);
  bool parse(std::string_view text);                    // header() is known afterwards
  const SnapshotHeader& header() const { return header_; }
  bool begin();   // needs a format that is read as it is; call it before the functions below

  bool read_host(HostState& out) override;
  bool read_programs(ProgramSource* known, RunState& out) override;
  RunLimits limits() override { return limits_; }
  bool read_state(MachineState& run, RunState& out, HostState& host) override;
  bool read_shapes() override;
  bool read_values(std::vector<Value>& roots) override;
  void forget_values() override { values_.reset(); }

 private:
  // The place of a value; places are in the order of for_each_value.
  struct Place {
    enum class What : std::uint8_t { Document, Nil, Absent, AsBefore, Function };
    What what{};
    JsonNode node;
    std::uint32_t link = 0, function = 0;   // Function: the function that linking made
  };

  bool survey(std::string_view text);
  bool damaged(const std::string& why);
  bool report();                             // reports the problem as an error
  JsonNode section(std::string_view name);   // null when the section is missing
  bool program(JsonNode node, ProgramSource* known, RunState& out);
  void nothing(Place::What what) { places_.push_back({what, {}, 0, 0}); }
  void place(JsonNode node, Place::What otherwise = Place::What::Nil) {
    places_.push_back({node ? Place::What::Document : otherwise, node, 0, 0});
  }
  void cells(RunState& out);
  void journal(RunState& out);
  void operations(RunState& out);
  void operation(JsonNode node, bool waiting, Operation& out);
  void records(RunState& out);
  void counters(RunState& out);
  void fiber(JsonNode node, RunState& out);
  bool has_operation(const RunState& state, std::string_view id);
  void definitions(JsonFields& fields, const RunState& state, FiberState& fiber);
  void frame(JsonNode node, const RunState& state, FiberState& out);
  void frame_places(JsonNode node, const RunState& state, FiberState& fiber, std::size_t index);

  json::value root_;
  JsonProblem problem_;
  std::size_t text_bytes_ = 0;
  RunLimits limits_;
  SnapshotHeader header_;
  MachineState* run_ = nullptr;
  std::optional<JsonValueReader> values_;
  std::vector<Place> places_;
  std::vector<JsonNode> cached_answers_;
  boost::unordered_flat_map<std::string_view, std::uint32_t> cell_index_;
  boost::unordered_flat_set<std::string_view> operation_ids_;
};

}  // namespace ptc
