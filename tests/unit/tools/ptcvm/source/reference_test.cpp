// Every builtin and every special form can be looked up, under each of its spellings.
#include "ptcvm/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ptcvm/result.hpp"
#include "runtime/log/fact_store.h"
#include "runtime/seal/sealing.h"
#include "schema/builtin_id.h"
#include "schema/fault_kind.h"
#include "schema/special_form.h"
#include "vm/snapshot/snapshot.h"

namespace ptcvm::cli {
namespace {

TEST(Reference, knows_every_builtin) {
  for (const ptc::BuiltinInfo& info : ptc::kBuiltins) {
    if (info.category == ptc::BuiltinCategory::Hidden) continue;
    const auto found = find_reference(info.name);
    ASSERT_FALSE(found.empty()) << info.name;
    EXPECT_FALSE(found.back().usage.empty()) << info.name;
    EXPECT_FALSE(found.back().doc.empty()) << info.name;
  }
}

TEST(Reference, knows_every_form_and_spelling) {
  for (const ptc::SpecialFormInfo& info : ptc::kSpecialForms) {
    EXPECT_FALSE(find_reference(info.name).empty()) << info.name;
    EXPECT_FALSE(info.doc.empty()) << info.name;
    if (info.category == ptc::FormCategory::Absent) continue;
    EXPECT_FALSE(info.usage.empty()) << info.name;
  }
  EXPECT_EQ(find_reference(":strs").at(0).name, ":keys :strs :or :as");
  EXPECT_EQ(find_reference("data/").at(0).name, "data/KEY");
}

TEST(Reference, takes_full_names) {
  EXPECT_EQ(find_reference("clojure.string/join").at(0).name, "join");
  EXPECT_EQ(find_reference("java.time.LocalDate/parse").at(0).name, "LocalDate/parse");
  EXPECT_EQ(find_reference("clojure.string/reverse").at(0).name, "clojure.string/reverse");
  EXPECT_TRUE(find_reference("%seq").empty());
  EXPECT_TRUE(find_reference("no-such-name").empty());
}

TEST(Reference, synonyms_are_of_builtins) {
  for (const std::string_view name : {
#define SYNONYM(name, words) std::string_view(name),
#include "schema/synonyms.def"
#undef SYNONYM
       }) {
    EXPECT_TRUE(ptc::find_builtin(name)) << name;
  }
}

TEST(Reference, finds_what_people_mean) {
  const auto finds = [](std::string_view word, std::string_view name) {
    const auto found = search_reference(word);
    return std::ranges::find(found, name, &ReferenceEntry::name) != found.end();
  };
  EXPECT_TRUE(finds("average", "avg"));
  EXPECT_TRUE(finds("mean", "avg-by"));
  EXPECT_TRUE(finds("unique", "distinct"));
  EXPECT_TRUE(finds("date", "LocalDate/parse"));
  EXPECT_TRUE(finds("percent", "format"));
}

TEST(Reference, lists_every_name) {
  const std::string index = doc_index_text();
  for (const ptc::BuiltinInfo& info : ptc::kBuiltins) {
    const bool is_hidden = info.category == ptc::BuiltinCategory::Hidden;
    EXPECT_EQ(index.find(" " + std::string(info.name) + " ") == std::string::npos &&
                  index.find(" " + std::string(info.name) + "\n") == std::string::npos,
              is_hidden)
        << info.name;
  }
}

// Calls visit(text) for each name that `name_of` has from the first value of the enum on.
template <class Enum, class Visit>
void for_each_name(std::string_view (*name_of)(Enum), Visit visit) {
  for (int value = 0; !name_of(static_cast<Enum>(value)).empty(); ++value) visit(name_of(static_cast<Enum>(value)));
}

TEST(Reference, explains_every_error_once) {
  const auto explained = [](std::string_view name) {
    EXPECT_EQ(std::ranges::count(explanations(), name, &Explanation::name), 1) << name;
  };
  for (const ptc::FaultInfo& fault : ptc::kFaults) explained(fault.name);
  for (int code = 0; code <= static_cast<int>(Errc::seal_refused); ++code) {
    explained(errc_name(static_cast<Errc>(code)));
  }
  for_each_name(ptc::snapshot_error_name, explained);
  for_each_name(ptc::store_error_name, explained);
  for_each_name(ptc::seal_error_name, explained);
  for (const Explanation& known : explanations()) {
    EXPECT_FALSE(known.when.empty()) << known.name;
    EXPECT_FALSE(known.advice.empty()) << known.name;
    EXPECT_EQ(known.example.empty(), known.cure.empty()) << known.name;
    EXPECT_NE(known.example.empty(), known.unseen.empty()) << known.name;
  }
  EXPECT_EQ(unknown_error_text("tpye_error"), "no error is named tpye_error. Did you mean: type_error");
}

TEST(Reference, finds_words_and_similar_names) {
  EXPECT_EQ(search_reference("group-by").at(0).name, "group-by");
  EXPECT_TRUE(search_reference("zzzzqqq").empty());
  EXPECT_EQ(similar_names("grop-by").at(0), "group-by");
  EXPECT_TRUE(similar_names(std::string(1000, 'x')).empty());
}

}  // namespace
}  // namespace ptcvm::cli
