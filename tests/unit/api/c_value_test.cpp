// Values for C: views, parts of collections, writers.
#include "c_fixture.h"

namespace ptcvm {
namespace {

CValue value_of(std::string_view edn_text) {
  CValue value;
  EXPECT_EQ(ptcvm_value_from_edn(text(edn_text), value.out(), nullptr), PTCVM_OK) << edn_text;
  return value;
}

TEST(CValueTest, ViewsGiveWhatIsThereAndConvertNothing) {
  CValue value = value_of("{:id 7 \"name\" \"Ada\" :tags [:a :b] :rate 2.5 :ok true :big 99999999999999999999}");
  const ptcvm_view map = ptcvm_value_view(value);
  EXPECT_EQ(ptcvm_view_kind(map), PTCVM_MAP);
  EXPECT_EQ(ptcvm_view_size(map), 6u);
  int64_t id = 0;
  int32_t ok = 0;
  double rate = 0;
  ptcvm_text name = {}, tag = {};
  EXPECT_EQ(ptcvm_view_int(ptcvm_view_get(map, text("id")), &id), 1);
  EXPECT_EQ(ptcvm_view_bool(ptcvm_view_get(map, text("ok")), &ok), 1);
  EXPECT_EQ(ptcvm_view_double(ptcvm_view_get(map, text("rate")), &rate), 1);
  EXPECT_EQ(ptcvm_view_string(ptcvm_view_get(map, text("name")), &name), 1);
  EXPECT_EQ(ptcvm_view_keyword(ptcvm_view_at(ptcvm_view_get(map, text("tags")), 1), &tag), 1);
  EXPECT_EQ(id + ok + static_cast<int64_t>(rate * 2), 13);
  EXPECT_EQ(str(name) + str(tag), "Adab");
  EXPECT_EQ(ptcvm_view_kind(ptcvm_view_get(map, text("big"))), PTCVM_BIGINT);
  EXPECT_EQ(ptcvm_view_int(ptcvm_view_get(map, text("big")), &id) + ptcvm_view_int(map, &id) +
                ptcvm_view_string(map, &name) + ptcvm_view_pending(map, &name) + ptcvm_view_int(map, nullptr), 0);
  EXPECT_EQ(id, 7);                                           // as it was
  EXPECT_EQ(ptcvm_view_kind(ptcvm_view_get(map, text("nothing"))), PTCVM_NIL);
  EXPECT_EQ(ptcvm_view_kind(ptcvm_view_at(map, 0)), PTCVM_NIL);
  EXPECT_EQ(ptcvm_view_is_truthy(map), 1);
  EXPECT_EQ(ptcvm_view_is_truthy({}), 0);
  CBuffer json;
  ASSERT_EQ(ptcvm_view_json(ptcvm_view_get(map, text("tags")), json.out(), nullptr), PTCVM_OK);
  EXPECT_STREQ(ptcvm_buffer_text(json).data, "[\"a\",\"b\"]");   // terminated
}

TEST(CValueTest, EntriesAreInTheLanguagesOrder) {
  CValue map = value_of("{:b 2 :a 1}"), set = value_of("#{3 1 2}"), vector = value_of("[9 8]"), number = value_of("5");
  const auto shown = [](ptcvm_view view) {
    CEntries entries;
    EXPECT_EQ(ptcvm_view_entries(view, entries.out(), nullptr), PTCVM_OK);
    std::string out;
    for (std::size_t i = 0; i <= ptcvm_entries_count(entries); ++i) {   // one beyond the end: nil nil
      out += edn(ptcvm_entries_key(entries, i)) + '=' + edn(ptcvm_entries_value(entries, i)) + ' ';
    }
    return out;
  };
  EXPECT_EQ(shown(ptcvm_value_view(map)), ":a=1 :b=2 nil=nil ");
  EXPECT_EQ(shown(ptcvm_value_view(set)), "nil=1 nil=2 nil=3 nil=nil ");
  EXPECT_EQ(shown(ptcvm_value_view(vector)), "nil=9 nil=8 nil=nil ");
  EXPECT_EQ(shown(ptcvm_value_view(number)), "nil=nil ");
}

TEST(CValueTest, CopiesAreEqualAndLiveAlone) {
  CValue copy;
  {
    CValue value = value_of("{:a [1 {:b #{2}}]}");
    ASSERT_EQ(ptcvm_value_copy(ptcvm_value_view(value), copy.out(), nullptr), PTCVM_OK);
    EXPECT_EQ(ptcvm_view_equal(ptcvm_value_view(value), ptcvm_value_view(copy)), 1);
    EXPECT_EQ(ptcvm_view_equal(ptcvm_value_view(value), {}), 0);
  }
  EXPECT_EQ(edn(ptcvm_value_view(copy)), "{:a [1 {:b #{2}}]}");
}

TEST(CValueTest, WritersTakeAnySequence) {
  CWriter writer;
  ASSERT_EQ(ptcvm_writer_new(writer.out(), nullptr), PTCVM_OK);
  const auto finished = [&writer] {
    CValue value;
    EXPECT_EQ(ptcvm_writer_finish(writer, value.out(), nullptr), PTCVM_OK);
    return edn(ptcvm_value_view(value));
  };
  EXPECT_EQ(finished(), "nil");
  ptcvm_writer_begin(writer, PTCVM_MAP);
  ptcvm_writer_keyword(writer, text("ids"));
  ptcvm_writer_begin(writer, PTCVM_VECTOR);
  ptcvm_writer_int(writer, 1);
  ptcvm_writer_double(writer, 0.5);
  ptcvm_writer_bool(writer, 3);
  ptcvm_writer_nil(writer);
  ptcvm_writer_end(writer);
  ptcvm_writer_string(writer, text("set"));
  ptcvm_writer_begin(writer, PTCVM_SET);
  CValue part = value_of("[1 2]");
  ptcvm_writer_copy(writer, ptcvm_value_view(part));
  ptcvm_writer_end(writer);
  ptcvm_writer_end(writer);
  ptcvm_writer_end(writer);                                   // one too many
  EXPECT_EQ(finished(), "{\"set\" #{[1 2]} :ids [1 0.5 true nil]}");
  ptcvm_writer_begin(writer, PTCVM_MAP);
  ptcvm_writer_keyword(writer, text("open"));
  EXPECT_EQ(finished(), "{:open nil}");
  ptcvm_writer_begin(writer, PTCVM_VECTOR);
  ptcvm_writer_string(writer, text("\xff"));                  // freed with what it holds
}

}  // namespace
}  // namespace ptcvm
