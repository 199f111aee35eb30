// Every builtin and every special form can be looked up, under each of its spellings.
#include "ptcvm/reference.hpp"

#include <gtest/gtest.h>

#include "schema/builtin_id.h"
#include "schema/special_form.h"

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

TEST(Reference, finds_words_and_similar_names) {
  EXPECT_EQ(search_reference("group-by").at(0).name, "group-by");
  EXPECT_TRUE(search_reference("zzzzqqq").empty());
  EXPECT_EQ(similar_names("grop-by").at(0), "group-by");
  EXPECT_TRUE(similar_names(std::string(1000, 'x')).empty());
}

}  // namespace
}  // namespace ptcvm::cli
