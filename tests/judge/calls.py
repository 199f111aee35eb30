"""Tasks that need tools, people, children, or several turns."""
import random

from task import Tool, task


@task("tools")
def basket():
    rng = random.Random(51)
    prices = {f"sku-{n}": {"cents": rng.randrange(100, 9000), "in_stock": rng.random() < 0.75} for n in range(12)}
    lines = [{"sku": f"sku-{n}", "count": rng.randrange(1, 6)} for n in range(12)]
    have = [x for x in lines if prices[x["sku"]]["in_stock"]]
    return dict(prompt="What does the basket cost in cents, without what is not in stock? List the missing skus in "
                       "the order "
                       "of the basket.",
                signature="(basket [{sku :string, count :int}]) -> {cents :int, missing [:string]}",
                data={"basket": lines},
                tools={"price": Tool("(sku :string) -> {cents :int, in_stock :bool}", "Looks an article up", "sku",
                                     prices)},
                answer={"cents": sum(prices[x["sku"]]["cents"] * x["count"] for x in have),
                        "missing": [x["sku"] for x in lines if x not in have]})


@task("tools")
def all_pages():
    rng = random.Random(52)
    amounts = [rng.randrange(1, 1000) for _ in range(47)]
    pages = {str(p): {"rows": [{"amount": a} for a in amounts[p * 10 - 10:p * 10]], "next": p + 1 if p < 5 else None}
             for p in range(1, 6)}
    return dict(prompt="Read all pages of the bookings. How many are there, what is their sum, and which is the "
                       "largest?",
                signature="() -> {count :int, sum :int, largest :int}", data={},
                tools={"bookings": Tool("(page :int) -> {rows [:map], next :int?}",
                                        "Gives a page of bookings, from 1; next is the number of the next page", "page",
                                        pages)},
                answer={"count": 47, "sum": sum(amounts), "largest": max(amounts)})


@task("tool that fails once")
def busy_service():
    return dict(prompt="Report the temperatures of the stations {{stations}}. The service is sometimes busy.",
                signature="(stations [:string]) -> [{station :string, celsius :float}]",
                data={"stations": ["Bergen", "Oslo", "Vardø"]},
                tools={"temperature": Tool("(station :string) -> {celsius :float}", "Measures now", "station",
                                           {"Bergen": {"celsius": 7.5}, "Oslo": {"celsius": -2.25},
                                            "Vardø": {"celsius": -9.0}},
                                           fails={"Oslo": 1})},
                answer=[{"station": "Bergen", "celsius": 7.5}, {"station": "Oslo", "celsius": -2.25},
                        {"station": "Vardø", "celsius": -9.0}])


@task("tools at once")
def cheapest_supplier():
    offers = {"acme": {"cents": 900, "days": 9}, "bolt": {"cents": 700, "days": 3}, "cord": {"cents": 850, "days": 2},
              "edge": {"cents": 650, "days": 12}}
    return dict(prompt="Ask all suppliers {{suppliers}} for an offer, all at once. Who is the cheapest that delivers "
                       "within 5 "
                       "days, for how much, and who gave no offer, in alphabetical order?",
                signature="(suppliers [:string]) -> {supplier :string, cents :int, silent [:string]}",
                data={"suppliers": ["acme", "bolt", "cord", "dorn", "edge", "fisk"]},
                tools={"offer": Tool("(supplier :string) -> {cents :int, days :int}",
                                     "Asks a supplier; some do not answer, which is an error of the call", "supplier",
                                     offers, words="no answer", mode="async")},
                answer={"supplier": "bolt", "cents": 700, "silent": ["dorn", "fisk"]})


@task("approval")
def payment_with_a_manager():
    return dict(prompt="Pay {{cents}} cents to {{to}}. A manager decides about each payment; when he names another "
                       "sum, pay "
                       "that sum instead. Report what was paid.",
                signature="(to :string, cents :int) -> {paid :int, receipt :string}",
                data={"to": "Ann", "cents": 80000},
                tools={"pay": Tool("(to :string, cents :int) -> :string", "Pays and gives a receipt", "to",
                                   {"*": "receipt-88"}, effect="unsafe", ask=True)},
                agent={"journal": True},
                decisions=[["--reject", "approve:pay=too much; pay 50000 cents"], ["--resolve", "approve:pay#2=true"]],
                effects=[("pay", {"to": "Ann", "cents": 50000})], answer={"paid": 50000, "receipt": "receipt-88"})


@task("journal")
def seats_for_three():
    seats = {"Ann": "12A", "Bo": "12B", "Cleo": "14F"}
    return dict(prompt="Book a seat for each of {{people}}, exactly one. Booking costs money, and the service fails "
                       "at times.",
                signature="(people [:string]) -> [{who :string, seat :string}]", data={"people": sorted(seats)},
                tools={"book": Tool("(who :string) -> :string", "Books a seat and gives its number", "who", seats,
                                    fails={"Bo": 1}, words="the connection was lost; nothing was booked",
                                    effect="keyed")},
                agent={"journal": True}, effects=[("book", {"who": who}) for who in sorted(seats)],
                answer=[{"who": who, "seat": seat} for who, seat in sorted(seats.items())])


@task("few turns")
def order_state_in_two_turns():
    return dict(prompt="What is the state of the newest order of the customer called {{name}}?",
                signature="(name :string) -> {order :int, state :string}", data={"name": "Eva Dahl"},
                tools={"customers": Tool("(name :string) -> [{id :int, city :string}]", "Finds customers by name",
                                         "name",
                                         {"Eva Dahl": [{"id": 77, "city": "Oslo"}]}),
                       "orders": Tool("(customer_id :int) -> [{order :int, date :string, state :string}]",
                                      "Lists orders of a customer, in no order", "customer_id",
                                      {"77": [{"order": 5, "date": "2024-03-01", "state": "sent"},
                                              {"order": 9, "date": "2024-06-11", "state": "packed"},
                                              {"order": 3, "date": "2024-01-30", "state": "sent"}]})},
                agent={"max_turns": 2}, answer={"order": 9, "state": "packed"})


@task("tools")
def chain_of_nodes():
    rng = random.Random(58)
    names = ["start"] + [f"x{rng.randrange(1000)}" for _ in range(7)]
    values = [rng.randrange(100) for _ in names]
    nodes = {n: {"value": v, "next": m} for n, v, m in zip(names, values, names[1:] + [None])}
    return dict(prompt="Begin with the node \"start\" and follow next until there is none. What is the sum of all "
                       "values, and "
                       "what is the name of the last node?",
                signature="() -> {sum :int, last :string}", data={},
                tools={"node": Tool("(name :string) -> {value :int, next :string?}", "Reads a node", "name", nodes)},
                answer={"sum": sum(values), "last": names[-1]})


@task("child")
def child_counts_vowels():
    texts = ["The harbour is closed today", "A new crane", "Why not"]
    return dict(prompt="Let the agent tool/vowels count the vowels of each of {{texts}}, all at once, and give the "
                       "numbers in "
                       "order, with their sum.",
                signature="(texts [:string]) -> {counts [:int], sum :int}", data={"texts": texts},
                children={"vowels": {"prompt": "How many vowels (a, e, i, o, u; both cases) are in {{text}}?",
                                     "signature": "(text :string) -> :int", "max_turns": 3,
                                     "description": "Counts the vowels of a text"}},
                answer={"counts": [sum(c in "aeiouAEIOU" for c in t) for t in texts],
                        "sum": sum(c in "aeiouAEIOU" for t in texts for c in t)})


@task("plan")
def two_steps():
    rows = [{"team": t, "points": p} for t, p in [("red", 4), ("blue", 9), ("red", 5), ("green", 9), ("blue", 1)]]
    return dict(prompt="Work through the plan and tick its steps off; then return.",
                signature="(rows [:map]) -> {best :string, points :int}", data={"rows": rows},
                agent={"plan": [["sum", "Sum up the points of each team"],
                                ["best", "Find the team with the most points"]],
                       "journal": True},
                answer={"best": "blue", "points": 10})


@task("several turns")
def conversation_about_orders():
    rows = [{"who": w, "cents": c} for w, c in [("Ann", 900), ("Bo", 1250), ("Ann", 50), ("Cleo", 3000), ("Bo", 1)]]
    return dict(prompt="What do the orders of {{who}} sum up to?", signature="(who :string, orders [:map]) -> :int",
                data={"who": "Ann", "orders": rows}, answer=950,
                says=[("And the orders of Bo?", 1251), ("And all that are neither of Ann nor of Bo?", 3000)])


@task("several turns")
def warehouse_by_letter():
    rng = random.Random(62)
    shelves = {f"shelf-{n}": {"code": "".join(rng.choice("ABC") for _ in range(40)), "kg": rng.randrange(5, 90)}
               for n in range(9)}
    key = {"A": 3, "B": 5, "C": 11}
    weights = {n: sum(key[c] for c in s["code"]) + s["kg"] for n, s in shelves.items()}
    heavy = max(weights, key=lambda n: weights[n])
    return dict(prompt="The weight of a shelf is its kg plus the weight of every letter of its code. How letters "
                       "weigh is "
                       "said by tool/manual, in words. Which shelf is the heaviest, and how heavy is it?",
                signature="(shelves :map) -> {shelf :string, weight :int}", data={"shelves": shelves},
                tools={"manual": Tool("(page :int) -> :string", "Reads a page of the manual, 1 to 3", "page",
                                      {"1": "This warehouse was built in 1974. See page 3 for weights.",
                                       "2": "No smoking. Codes have forty letters.",
                                       "3": "An A weighs three, a B two more than an A, and a C one "
                                            "more than two Bs."})},
                answer={"shelf": heavy, "weight": weights[heavy]})
