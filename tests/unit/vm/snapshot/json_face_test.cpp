// The JSON face: what people and jq find where, what they may change, what is refused, and that nothing is lost.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "runtime/text/edn.h"
#include "runtime/engine/engine.h"
#include "runtime/session/session.h"
#include "vm/snapshot/snapshot.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

namespace json = boost::json;

const Engine& engine() {
  static const Engine made;
  return made;
}

// A session whose async tool `ask` answers later.
std::unique_ptr<Session> session_for(RunLimits limits = {}) {
  SessionOptions options;
  options.limits = limits;
  options.fixed_clock_millis = 1'000'000;
  auto session = std::make_unique<Session>(engine(), options);
  session->journal().enable();
  ToolDefinition definition;
  definition.name = "ask";
  definition.async = AsyncMode::Yes;
  session->tools().add(definition, [](const ToolCall&) { return ToolReply::pending("", Value::nil()); });
  return session;
}

std::unique_ptr<Session> suspended(std::string_view source, RunLimits limits = {}) {
  auto session = session_for(limits);
  const Outcome outcome = session->turn(source);
  EXPECT_EQ(outcome.status, OutcomeStatus::Suspended) << outcome.fault.message << outcome.value_edn;
  return session;
}

json::value parsed(const std::string& text) {
  json::error_code code;
  json::parse_options options;
  options.max_depth = 200;
  json::value value = json::parse(text, code, {}, options);
  EXPECT_FALSE(code) << text;
  return value;
}

std::string at(const json::value& root, std::string_view pointer) {
  json::error_code code;
  const json::value* const found = root.find_pointer({pointer.data(), pointer.size()}, code);
  return found == nullptr ? "nothing" : json::serialize(*found);
}

std::variant<Restored, RestoreError> restore(const std::string& text) {
  return restore_snapshot({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string refusal(const std::string& text) {
  const auto result = restore(text);
  const auto* const error = std::get_if<RestoreError>(&result);
  return error == nullptr ? "restored" : std::string(snapshot_error_name(error->kind)) + " " + error->message;
}

// Binary, JSON, binary and JSON again are the same, and the run takes as much memory as before.
void expect_lossless(const Session& session) {
  const std::string text = session.snapshot_json();
  auto result = restore(text);
  const auto* const error = std::get_if<RestoreError>(&result);
  ASSERT_EQ(error, nullptr) << error->message << text.substr(0, 4000);
  Restored& restored = std::get<Restored>(result);
  EXPECT_EQ(write_snapshot(restored.run, restored.host), session.snapshot());
  EXPECT_TRUE(write_snapshot_json(restored.run, restored.host) == text);
  for (const auto& [key, value] : restored.host.cached_answers) restored.run.heap().release(value);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << "\n" << text;
  if (place != std::string::npos) text.replace(place, from.size(), to);
  return text;
}

TEST(JsonFace, AnswersTheQuestionsOfJq) {
  const auto session = suspended(
      "(def x [1 \"a\" {\"k\" 2}])\n(task \"t\" 5)\n(let [who \"bob\"]\n  (await (tool/ask {:to who})))");
  const json::value root = parsed(session->snapshot_json());
  EXPECT_EQ(at(root, "/pending/0/tool"), "\"ask\"");
  EXPECT_EQ(at(root, "/pending/0/op"), "\"op1\"");
  EXPECT_EQ(at(root, "/pending/0/args"), R"({"to":"bob"})");
  EXPECT_EQ(at(root, "/pending/0/since"), "1000000");
  EXPECT_EQ(at(root, "/fibers/0/frames/0/at"), "\"4:3\"");
  EXPECT_EQ(at(root, "/fibers/0/frames/0/builtin"), "\"await\"");
  EXPECT_EQ(at(root, "/namespace/x"), R"([1,"a",{"k":2}])");
  EXPECT_EQ(at(root, "/journal"), R"({"t":5})");
  EXPECT_EQ(at(root, "/used/tool_calls"), "1");
  EXPECT_EQ(at(root, "/limits/tool_calls"), "1000");
  EXPECT_EQ(at(root, "/session/tools/0/name"), "\"ask\"");
  EXPECT_EQ(at(root, "/session/tools/0/mode"), "\"async\"");
}

TEST(JsonFace, NamesTheLocalsOfAFrame) {
  const auto session = suspended("(defn f [n m] (let [k (* 2 n)] (str (await (tool/ask {})) k m))) (f 20 \"z\")");
  const json::value root = parsed(session->snapshot_json());
  EXPECT_EQ(at(root, "/fibers/0/frames/1/name"), "\"f\"");
  EXPECT_EQ(at(root, "/fibers/0/frames/1/locals/k"), "40");
  EXPECT_EQ(at(root, "/fibers/0/frames/1/locals/m"), "\"z\"");
}

TEST(JsonFace, SettledOperationsStandApart) {
  const auto session = suspended("(let [a (tool/ask {:n 1}) b (tool/ask {:n 2})] [(await a) (await b)])");
  std::vector<Resolution> resolutions;
  resolutions.push_back(Resolution::ok("op1", Value::integer(7)));
  EXPECT_EQ(session->resume(std::move(resolutions), 1'000'500).status, OutcomeStatus::Suspended);
  const json::value root = parsed(session->snapshot_json());
  EXPECT_EQ(at(root, "/pending/0/op"), "\"op2\"");
  EXPECT_EQ(at(root, "/pending/1"), "nothing");
  EXPECT_EQ(at(root, "/operations/0/op"), "\"op1\"");
  EXPECT_EQ(at(root, "/operations/0/status"), "\"ok\"");
  EXPECT_EQ(at(root, "/operations/0/result"), "7");
  expect_lossless(*session);
}

TEST(JsonFace, WritesEveryKindOfValue) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nil", "null"},
      {"true", "true"},
      {"-7", "-7"},
      {"9007199254740991", "9007199254740991"},
      {"9007199254740992", R"({"$":"int","v":"9007199254740992"})"},
      {"123456789012345678901", R"({"$":"int","v":"123456789012345678901"})"},
      {"1.0", R"({"$":"f","v":"1.0"})"},
      {"-0.0", R"({"$":"f","v":"-0.0"})"},
      {"(/ 0.0 0.0)", R"({"$":"f","v":"nan"})"},
      {"(/ -1.0 0.0)", R"({"$":"f","v":"-inf"})"},
      {"\"a\\n\\\"b\"", R"("a\n\"b")"},
      {":status", R"({"$":"kw","v":"status"})"},
      {"[]", "[]"},
      {"{}", "{}"},
      {"(conj [1] 2)", "[1,2]"},
      {"{\"a\" 1 \"b\" [2]}", R"({"a":1,"b":[2]})"},
      {"{\"$x\" 1}", R"({"$":"map","v":[["$x",1]]})"},
      {"{:a 1}", R"({"$":"map","v":[[{"$":"kw","v":"a"},1]]})"},
      {"{1 2}", R"({"$":"map","v":[[1,2]]})"},
      {"#{1 \"a\"}", R"({"$":"set","v":[1,"a"]})"},
      {"#\"\\\\d+\"", R"({"$":"re","v":"\\d+"})"},
      {"(LocalDate/parse \"2024-02-29\")", R"({"$":"date","v":"2024-02-29"})"},
      {"map", R"({"$":"fn","v":"map"})"},
      {"(range 3 9)", R"({"$":"range","first":3,"step":1,"count":6})"},
      {"(tool/ask {})", R"({"$":"pending","id":"op1"})"},
      {"(vec (map str (range 40)))", ""},
      {"(into {} (map (fn [i] [(str i) i]) (range 40)))", ""},
      {"(into {} (map (fn [i] [i i]) (range 40)))", ""},
      {"(set (range 100))", ""},
      {"(fn [y] y)", ""},
  };
  for (const auto& [source, expected] : cases) {
    SCOPED_TRACE(source);
    const auto session = suspended("(def x " + source + ") (await (tool/ask {}))");
    if (!expected.empty()) {
      EXPECT_EQ(at(parsed(session->snapshot_json()), "/namespace/x"), expected);
    }
    expect_lossless(*session);
  }
}

TEST(JsonFace, WritesASharedCollectionOnce) {
  const auto session = suspended("(def x [(str 1)]) (def y {\"a\" x \"b\" x}) (await (tool/ask {}))");
  const json::value root = parsed(session->snapshot_json());
  EXPECT_EQ(at(root, "/namespace/x"), R"(["1"])");
  EXPECT_EQ(at(root, "/namespace/y"), R"({"a":{"$":"ref","v":2},"b":{"$":"ref","v":2}})");
  expect_lossless(*session);
}

TEST(JsonFace, DoesNotGrowWithWhatIsShared) {
  const auto session = suspended(
      "(def x (reduce (fn [v i] [v v]) [(str 1)] (range 60))) (def k (apply str (repeat 2000 \"k\")))"
      "(def ms (mapv (fn [i] {k i}) (range 200))) (await (tool/ask {}))");
  EXPECT_LT(session->snapshot_json().size(), 40'000u);
  expect_lossless(*session);
}

TEST(JsonFace, KeepsVeryDeepValues) {
  RunLimits limits;
  limits.loop = 200'000;
  const auto session = suspended(
      "(def x (loop [v 1 i 0] (if (< i 100000) (recur {\"d\" [v]} (inc i)) v))) (await (tool/ask {}))", limits);
  expect_lossless(*session);
}

TEST(JsonFace, KeepsLargeCollectionsThatShareTheirInside) {
  const auto session = suspended(
      "(def v (vec (map str (range 3000)))) (def w (conj v 1)) (def u (subvec v 500 2500)) (def t (assoc v 7 :x))"
      "(def m (into {} (map (fn [i] [i (str i)]) (range 3000)))) (def n (assoc m 5 :y)) (def o (dissoc m 1 2 3))"
      "(def s (set (range 500))) (def r (conj s :more)) (await (tool/ask {}))");
  expect_lossless(*session);
}

TEST(JsonFace, KeepsNamesThatLookLikeFacts) {
  const auto session = suspended("(task \"$id\" [(str 1)]) (task \"$keys\" {\"$id\" (conj [1] 2)})"
                                 "(def x (task \"$id\" 0)) (await (tool/ask {}))");
  expect_lossless(*session);
}

TEST(JsonFace, ABranchOfPmapSaysWhereItWaits) {
  const auto session = suspended("(pmap (fn [n]\n  (inc (await (tool/ask {:n n})))) [1 2])");
  const json::value root = parsed(session->snapshot_json());
  EXPECT_EQ(at(root, "/fibers/0/state"), "\"waits_for_branches\"");
  EXPECT_EQ(at(root, "/fibers/0/frames/0/at"), "\"1:1\"");
  EXPECT_EQ(at(root, "/fibers/2/parent"), "0");
  EXPECT_EQ(at(root, "/fibers/2/frames/0/at"), "\"2:8\"");
  expect_lossless(*session);
}

TEST(JsonFace, AHandMadeChangeIsTaken) {
  const auto session = suspended("(def x [1 \"a\" {\"k\" 2}]) (await (tool/ask {})) x");
  const std::string text = session->snapshot_json();
  for (const auto& [to, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"([2, "a", {"k": 2}])", R"([2 "a" {"k" 2}])"},
           {R"([1, "a", {"k": 2, "l": [3]}, null])", R"([1 "a" {"k" 2 "l" [3]} nil])"},
           {R"({"$": "kw", "v": "new"})", ":new"}}) {
    const std::string changed = replaced(text, R"("x": [1, "a", {"k": 2}])", "\"x\": " + to);
    auto result = restore(changed);
    ASSERT_TRUE(std::holds_alternative<Restored>(result)) << std::get<RestoreError>(result).message;
    Restored& restored = std::get<Restored>(result);
    std::string shown;
    restored.run.for_each_definition([&](std::string_view name, Value value) {
      if (name == "x") append_edn(shown, value, restored.run.heap());
    });
    EXPECT_EQ(shown, expected);
  }
}

TEST(JsonFace, AChangeThatBreaksSomethingIsRefusedByItsPath) {
  const auto session = suspended("(def x [1 \"a\"]) (let [k (str 1)] (str (await (tool/ask {:n 1})) k))");
  const std::string text = session->snapshot_json();
  const std::vector<std::array<std::string, 3>> cases = {
      {R"("x": [1, "a"])", R"("x": [1.5])", "/namespace/x/0: floats are written"},
      {R"("x": [1, "a"])", R"("x": {"$": "nonsense"})", "/namespace/x: unknown tag"},
      {R"("x": [1, "a"])", R"("x": {"$": "ref", "v": 77})", "/namespace/x: there is no object 77"},
      {R"("x": [1, "a"])", R"("x": {"$": "map", "v": [[1, 2], [1, 3]]})", "/namespace/x: one key twice"},
      {R"("x": [1, "a"])", R"("x": {"$": "clo", "program": 9, "function": 1, "captured": []})",
       "/namespace/x: function of an unknown program"},
      {R"("tool": "ask")", R"("tool": 5)", "/pending/0/tool: must be text"},
      {R"("opened": 0)", R"("opened": 3)", "/pending/0/opened: the operations must be numbered"},
      {R"("pc": )", R"("pc": 9999)", "/fibers/0/frames/1/pc"},
      {R"("format": 3)", R"("format": 3, "oldest": 1)", "/oldest: unknown member"},
      {R"("turn": 1)", R"("turn": 1, "turn": 1)", "twice"},
      {R"("turn": 1)", R"("turn": -1)", "/turn: must be a whole number"},
      {R"("fuel": 100000000)", R"("fuel": "many")", "/limits/fuel: must be a whole number"},
      {R"("source": "(def)", R"("source": "(fed)", "/programs/0/source: is not what its bytecode was made from"},
      {R"("bytecode": ")", R"("bytecode": "!)", "/programs/0/bytecode: must be base64"},
      {R"("oldest_reader": 3)", R"("oldest_reader": 9)", "snapshot_unsupported_version"},
      {R"("locals": {"k": )", R"("locals": {"q": 1, "k": )", "/locals: names that the frame has not"},
  };
  for (const auto& [from, to, expected] : cases) {
    const std::string answer = refusal(replaced(text, from, to));
    EXPECT_NE(answer.find(expected), std::string::npos) << from << " -> " << to << "\n" << answer;
  }
}

TEST(JsonFace, ReferencesThatLeadToThemselvesAreRefused) {
  const auto session = suspended("(def x [1]) (await (tool/ask {}))");
  const std::string text = session->snapshot_json();
  const std::string looped = replaced(replaced(text, R"("x": [1])", R"("x": {"$": "ref", "v": 9})"), "\"running\": 0",
                                      "\"running\": 0, \"objects\": {\"9\": [{\"$\": \"ref\", \"v\": 9}]}");
  EXPECT_NE(refusal(looped).find("part of itself"), std::string::npos) << refusal(looped);
}

// Whatever is cut off or spoilt gives a named error or a run, at once and without much memory.
TEST(JsonFace, CutOffAtAnyByteIsRefused) {
  const std::string text = suspended("(def x {\"a\" [1 2 (str 3)]}) (await (tool/ask {:n #{1}}))")->snapshot_json();
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_NE(refusal(text.substr(0, size)), "restored") << size;
  }
}

TEST(JsonFace, SpoiltMembersNeverDoHarm) {
  const std::string text =
      suspended("(def x {\"a\" [1 2 (str 3)] 5 #{:k}}) (await (tool/ask {:n #{1}}))")
          ->snapshot_json();
  const std::vector<std::string> spoils = {"null", "-1", "99999999999999999999", "1e999", "\"\"", "[]", "{}",
                                           "[[[[]]]]", "4294967295", R"({"$": "ref", "v": 1})",
                                           R"({"$": "const", "v": 2})"};
  std::size_t refused = 0;
  for (std::size_t place = text.find(": "); place != std::string::npos; place = text.find(": ", place + 1)) {
    const std::size_t end = text.find_first_of(",}]\n", place + 2);
    for (const std::string& spoil : spoils) {
      const std::string answer = refusal(text.substr(0, place + 2) + spoil + text.substr(end));
      if (answer != "restored") ++refused;
    }
  }
  EXPECT_GT(refused, 500u);
}

// Each of these would take hours, or all memory, if its work grew faster than the text.
TEST(JsonFace, HostileTextIsRefusedSoon) {
  const std::string text = suspended("(def x [1]) (await (tool/ask {}))")->snapshot_json();
  const auto with_x = [&text](const std::string& value) { return replaced(text, R"("x": [1])", "\"x\": " + value); };
  std::string deep, many_keys = "{\"$\": \"map\", \"v\": [", chain;
  for (int k = 0; k < 20'000; ++k) deep += '[';
  for (int k = 0; k < 20'000; ++k) many_keys += (k == 0 ? "" : ",") + std::string("[{\"$\": \"ref\", \"v\": 1},1]");
  many_keys += "]}";
  chain = "\"running\": 0, \"objects\": {\"10\": [0]";
  for (int k = 11; k < 5'000; ++k) {
    const std::string below = "{\"$\": \"ref\", \"v\": " + std::to_string(k - 1) + "}";
    chain += ", \"" + std::to_string(k) + "\": [" + below + ", " + below + "]";
  }
  chain += "}";
  const std::string dag = replaced(with_x("{\"$\": \"ref\", \"v\": 4999}"), "\"running\": 0", chain);
  const std::string dag_key =
      replaced(with_x("{\"$\": \"set\", \"v\": [{\"$\": \"ref\", \"v\": 4999}]}"), "\"running\": 0", chain);
  const std::string wide = with_x("{\"$\": \"int\", \"v\": \"" + std::string(500'000, '9') + "\"}");
  const std::string hex = with_x("{\"$\": \"int\", \"v\": \"0x" + std::string(500'000, 'f') + "\"}");
  EXPECT_NE(refusal(with_x(deep)), "restored");
  EXPECT_NE(refusal(with_x(many_keys)), "restored");
  EXPECT_EQ(refusal(dag), "restored");
  EXPECT_NE(refusal(dag_key).find("take too long"), std::string::npos) << refusal(dag_key);
  EXPECT_NE(refusal(wide), "restored");
  EXPECT_NE(refusal(hex), "restored");
  EXPECT_NE(refusal(with_x("{\"$\": \"range\", \"first\": 0, \"step\": 1, \"count\": 4294967295}")), "");
  EXPECT_NE(refusal(replaced(text, "\"stack_size\": ", "\"stack_size\": 99999999")), "restored");
}

// What a long text says at its top is looked at before a document is built from it.
TEST(JsonFace, LongTextIsRefusedByItsTop) {
  std::string junk = "[";
  for (int k = 0; k < 400'000; ++k) junk += "{}, ";
  junk += "1]";
  const std::string head = "{\"format\": 3, \"oldest_reader\": 3, ", late = "\"format\": 3, \"oldest_reader\": 3}";
  const auto is_refused_as = [](const std::string& whole, const std::string& name) {
    EXPECT_EQ(refusal(whole).substr(0, name.size() + 1), name + ' ');
  };
  is_refused_as("{\"context\": " + junk + ", " + late, "not_a_snapshot");
  is_refused_as(head + "\"context\": " + junk + "}", "snapshot_invalid");
  is_refused_as(head + "\"programs\": [], \"junk\": " + junk + "}", "snapshot_invalid");
  is_refused_as(head + "\"context\": " + junk, "snapshot_damaged");
  is_refused_as(head + "\"programs\": " + junk + "} 1", "snapshot_damaged");
  is_refused_as("{\"format\": 9, \"oldest_reader\": 9, \"context\": " + junk + "}", "snapshot_unsupported_version");
  is_refused_as("{\"format\": -3, \"oldest_reader\": 3, \"context\": " + junk + "}", "snapshot_invalid");
}

TEST(JsonFace, LongTextIsRestored) {
  const std::string text =
      suspended("(def x (vec (map str (range 200000)))) (await (tool/ask {})) (count x)")->snapshot_json();
  EXPECT_GT(text.size(), 1u << 20);
  EXPECT_EQ(refusal(text), "restored");
}

}  // namespace
}  // namespace ptc
