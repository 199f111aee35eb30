// The journal of tasks against a map and a list: ids that are found, that are gone, and the order of what stays.
#include "vm/builtins/task_journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace ptc {
namespace {

TEST(TaskJournal, FindsWhatAMapFinds) {
  Heap heap;
  Journal journal(heap);
  std::map<std::string, std::int64_t> model;
  std::vector<std::string> order;
  std::mt19937 random(1);
  for (int i = 0; i < 4'000; ++i) {
    const std::string id = std::string(random() % 40, 'i') + std::to_string(random() % 900);
    if (random() % 8 == 0) {
      EXPECT_EQ(journal.erase(id), model.erase(id) == 1);
      std::erase(order, id);
    } else {
      journal.commit(id, Value::integer(i), 0);
      if (model.emplace(id, i).second) order.push_back(id);
    }
  }
  ASSERT_EQ(journal.entries().size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(journal.entries()[i].id, order[i]);
  for (const auto& [id, number] : model) {
    ASSERT_NE(journal.find(id), nullptr) << id;
    EXPECT_EQ(journal.find(id)->i, number) << "the first commit wins";
  }
  EXPECT_EQ(journal.find("no such id"), nullptr);
  journal.clear();
  EXPECT_EQ(journal.find(order[0]), nullptr);
  journal.restore(order[0], Value::integer(7));
  EXPECT_EQ(journal.find(order[0])->i, 7);
}

}  // namespace
}  // namespace ptc
