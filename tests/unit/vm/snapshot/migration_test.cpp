// Snapshots of older formats. Format 1 is read as it is, so these are made up: "format 0" counted turns from 0.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "runtime/engine/engine.h"
#include "snapshot_generated.h"
#include "support/packed_snapshot.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {
namespace {

namespace json = boost::json;
using Bytes = Migration::Bytes;
using Made = std::variant<Bytes, std::string>;

struct Faces {
  Bytes binary;
  std::string text;
};

Faces of_today() {
  static const Engine engine;
  CompileRequest request;
  request.source = "(loop [i 0] (if (< i 40) (recur (inc i)) [i i]))";
  Run run(RunLimits{});
  run.start(engine.compile(request).program);
  EXPECT_EQ(run.step(10), StepStatus::Yielded);
  return {write_snapshot(run, {}), write_snapshot_json(run, {})};
}

Bytes octets(const std::string& text) { return {text.begin(), text.end()}; }

Bytes binary_of(std::uint16_t format, int turns) {
  const std::unique_ptr<schema::SnapshotT> parts(schema::GetSnapshot(of_today().binary.data())->UnPack());
  parts->format = parts->oldest_reader = format;
  parts->turn = static_cast<std::uint32_t>(static_cast<int>(parts->turn) + turns);
  return test::packed_snapshot(*parts);
}

std::string text_of(std::uint16_t format, int turns) {
  json::value document = json::parse(of_today().text);
  json::object& root = document.as_object();
  root["format"] = root["oldest_reader"] = format;
  root["turn"] = root["turn"].as_int64() + turns;
  return json::serialize(document);
}

Made one_turn_later(std::span<const std::uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<schema::Snapshot>(nullptr)) return "damaged";
  const std::unique_ptr<schema::SnapshotT> parts(schema::GetSnapshot(bytes.data())->UnPack());
  parts->format = parts->oldest_reader = 1;
  ++parts->turn;
  return test::packed_snapshot(*parts);
}

Made one_turn_later_in_json(std::span<const std::uint8_t> bytes) {
  json::error_code code;
  json::value document = json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, code);
  if (code) return code.message();
  json::object& root = document.as_object();
  root["format"] = root["oldest_reader"] = 1;
  root["turn"] = root["turn"].as_int64() + 1;
  return octets(json::serialize(document));
}

const Migration kFrom0 = {0, one_turn_later, one_turn_later_in_json};

std::string restored(const Bytes& bytes, std::span<const Migration> migrations) {
  RestoreOptions options;
  options.migrations = migrations;
  auto result = restore_snapshot(bytes, options);
  if (const auto* error = std::get_if<RestoreError>(&result)) {
    return std::string(snapshot_error_name(error->kind)) + ": " + error->message;
  }
  const Run& run = std::get<Restored>(result).run;
  return write_snapshot(run, {}) == of_today().binary ? "as it is written today" : "restored otherwise";
}

TEST(Migration, NoStepIsThereForFormatsThatNeverWere) {
  EXPECT_TRUE(own_migrations().empty());
  const std::string refused = "snapshot_unsupported_version: format 0, and no migration to 1 is known here";
  EXPECT_EQ(restored(binary_of(0, -1), {}), refused);
  EXPECT_EQ(restored(octets(text_of(0, -1)), {}), refused);
}

TEST(Migration, AStepMakesAnOlderFormatReadable) {
  const Migration known[] = {kFrom0};
  EXPECT_EQ(restored(binary_of(0, -1), known), "as it is written today");
  EXPECT_EQ(restored(octets(text_of(0, -1)), known), "as it is written today");
}

TEST(Migration, TheFormatOfTodayIsReadAsItIs) {
  const Migration known[] = {
      kFrom0, {1, one_turn_later, one_turn_later_in_json}, {2, one_turn_later, one_turn_later_in_json}};
  EXPECT_EQ(restored(of_today().binary, known), "as it is written today");
  EXPECT_EQ(restored(octets(of_today().text), known), "as it is written today");
}

TEST(Migration, AFaceWithoutAStepIsRefused) {
  const Migration known[] = {{0, one_turn_later, {}}};
  EXPECT_EQ(restored(binary_of(0, -1), known), "as it is written today");
  EXPECT_EQ(restored(octets(text_of(0, -1)), known),
            "snapshot_unsupported_version: format 0, and no migration to 1 is known here");
}

TEST(Migration, AStepMayRefuse) {
  const Migration known[] = {{0, [](auto) -> Made { return "the moon is wrong"; }, {}}};
  EXPECT_EQ(restored(binary_of(0, -1), known),
            "snapshot_damaged: migration from format 0 to 1: the moon is wrong");
}

TEST(Migration, AStepThatGoesNowhereEnds) {
  const auto itself = [](std::span<const std::uint8_t> bytes) -> Made { return Bytes(bytes.begin(), bytes.end()); };
  const Migration known[] = {{0, itself, itself}};
  EXPECT_EQ(restored(binary_of(0, -1), known), "snapshot_damaged: a migration did not make format 1");
  EXPECT_EQ(restored(octets(text_of(0, -1)), known), "snapshot_damaged: a migration did not make format 1");
}

TEST(Migration, WhatAStepMakesIsCheckedLikeAnything) {
  const Migration empty[] = {{0, [](auto) -> Made { return Bytes(); }, {}}};
  EXPECT_EQ(restored(binary_of(0, -1), empty), "not_a_snapshot: these bytes are no snapshot");
  const Migration wrong[] = {{0, [](std::span<const std::uint8_t> bytes) -> Made {
    Bytes made = std::get<Bytes>(one_turn_later(bytes));
    made.resize(made.size() - 8);
    return made;
  }, {}}};
  EXPECT_EQ(restored(binary_of(0, -1), wrong), "snapshot_damaged: the container is damaged");
}

TEST(Migration, TheHeaderIsFoundInAnyBytesOrNone) {
  const Bytes whole = of_today().binary;
  ASSERT_TRUE(snapshot_header(whole));
  EXPECT_EQ(snapshot_header(whole)->format, 3);
  EXPECT_EQ(snapshot_header(whole)->oldest_reader, 3);
  for (std::size_t size = 0; size < whole.size(); ++size) snapshot_header({whole.data(), size});   // sanitizers look
  for (std::size_t at = 0; at < 64; ++at) {
    for (const int byte : {0, 1, 127, 128, 255}) {
      Bytes other = whole;
      other[at] = static_cast<std::uint8_t>(byte);
      snapshot_header(other);
    }
  }
  EXPECT_FALSE(snapshot_header(Bytes(16, 255)));
}

}  // namespace
}  // namespace ptc
