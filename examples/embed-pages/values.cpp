// docs/embedding/values.md
#include "shown.h"

// [struct]
struct Item {
  std::int64_t id = 0;
  std::string name;
  std::optional<double> price;
};
BOOST_DESCRIBE_STRUCT(Item, (), (id, name, price))
// [/struct]

// [convert]
struct Money {
  std::int64_t cents = 0;
};

template <>
struct ptcvm::Convert<Money> {
  static void write(ValueWriter& out, const Money& m) { out.integer(m.cents); }
  static Result<Money> read(ValueView v, const Path& at) {
    if (const auto cents = v.as_int(); cents && *cents >= 0) return Money{*cents};
    return expected("an amount in cents", v, at);
  }
};
// [/convert]

int main() {
  // [views]
  const ptcvm::Value value =
      ptcvm::Value::from_edn("{:order-id 7 \"lines\" [{:sku \"a\" :n 2} {:sku \"b\" :n 1}]}").value();
  const ptcvm::ValueView order = value;                  // three words; good as long as `value` is
  show("order", std::to_string(*order["order_id"].as_int()));
  for (const ptcvm::ValueView line : order["lines"].items()) show("line", *line["sku"].as_string());
  show("missing", order["lines"][9]["sku"].to_edn());    // nil all the way down, no crash
  show("no int", order["lines"].as_int() ? "?" : "nothing");
  // [/views]

  // [writer]
  const ptcvm::Value built = ptcvm::Value::build([](ptcvm::ValueWriter& out) {
    out.map([](ptcvm::ValueWriter& map) {
      map.entry("name", "Ada").entry("age", 36);
      map.key("tags").vector([](ptcvm::ValueWriter& tags) { tags.keyword("vip").string("early"); });
    });
  });
  show("built", built.to_edn());
  show("as JSON", built.to_json());
  // [/writer]

  // [described]
  const std::vector<Item> items{{1, "pen", 2.5}, {2, "ink", std::nullopt}};
  const ptcvm::Value list = ptcvm::Value::of(items);
  show("items", list.to_edn());
  const auto back = ptcvm::read<std::vector<Item>>(list);
  show("read back", std::to_string(back->size()));
  const ptcvm::Value json = ptcvm::Value::from_json(R"([{"id": "x", "name": "pen"}])").value();
  const auto wrong = ptcvm::read<std::vector<Item>>(json, "body");
  show("wrong", wrong.error().message);
  // [/described]

  // [money]
  show("money", ptcvm::Value::of(std::map<std::string, Money>{{"total", {250}}}).to_edn());
  show("no money", ptcvm::read<Money>(ptcvm::Value::of(-1), "total").error().message);
  // [/money]
}
