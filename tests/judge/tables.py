"""Tasks over tables: sums, groups, joins, dates, ranks."""
import random
from collections import Counter, defaultdict
from datetime import date, timedelta
from statistics import median

from task import task

CITIES = ["Bergen", "Bodø", "Oslo", "Tromsø", "Trondheim"]
NAMES = ["Ann", "Bo", "Cleo", "Dag", "Eva", "Finn", "Gro", "Hal", "Ida", "Jon", "Kari", "Liv"]
KINDS = ["books", "games", "garden", "tools"]


def shop(seed, orders=180):
    """Customers with a city, and orders of a year; some orders have a customer that is not there, or no amount."""
    rng = random.Random(seed)
    customers = [{"id": i + 1, "name": name, "city": rng.choice(CITIES)} for i, name in enumerate(NAMES)]
    rows = []
    for number in range(orders):
        day = date(2024, 1, 1) + timedelta(days=rng.randrange(366))
        rows.append({"id": 1000 + number, "customer_id": rng.randrange(1, 15), "date": day.isoformat(),
                     "kind": rng.choice(KINDS), "cents": None if rng.random() < 0.06 else rng.randrange(100, 90000)})
    return {"customers": customers, "orders": rows}


@task("join")
def revenue_by_city():
    data = shop(11)
    city = {c["id"]: c["city"] for c in data["customers"]}
    sums = Counter()
    for order in data["orders"]:
        if order["customer_id"] in city and order["cents"] is not None:
            sums[city[order["customer_id"]]] += order["cents"]
    rows = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(prompt="Sum up the cents of the orders by the city of their customer. Orders of unknown customers and "
                       "orders without cents do not count. The city with the highest sum comes first.",
                signature="(customers [:map], orders [:map]) -> {cities [{city :string, cents :int}]}", data=data,
                answer={"cities": [{"city": name, "cents": cents} for name, cents in rows]})


@task("group")
def best_customers():
    data = shop(12)
    counts, sums = Counter(), Counter()
    for order in data["orders"]:
        counts[order["customer_id"]] += 1
        sums[order["customer_id"]] += order["cents"] or 0
    known = sorted(data["customers"], key=lambda c: (-sums[c["id"]], c["name"]))[:3]
    return dict(prompt="Name the three customers with the highest sum of cents, highest first, with the number of all "
                       "their orders and the sum. A missing amount counts as 0 cents.",
                signature="(customers [:map], orders [:map]) -> [{name :string, orders :int, cents :int}]", data=data,
                answer=[{"name": c["name"], "orders": counts[c["id"]], "cents": sums[c["id"]]} for c in known])


@task("group")
def revenue_by_month():
    data = shop(13)
    sums = Counter()
    for order in data["orders"]:
        sums[order["date"][:7]] += order["cents"] or 0
    return dict(prompt="Sum up the cents of all orders by month, for example \"2024-03\". Months in order.",
                signature="(orders [:map]) -> [{month :string, cents :int}]", data={"orders": data["orders"]},
                answer=[{"month": month, "cents": sums[month]} for month in sorted(sums)])


@task("aggregate")
def median_by_kind():
    data = shop(14, 121)
    groups = defaultdict(list)
    for order in data["orders"]:
        if order["cents"] is not None:
            groups[order["kind"]].append(order["cents"])
    return dict(prompt="Give the median of cents for each kind of order; orders without cents do not count. With an "
                       "even number of orders the median is the mean of the two in the middle.",
                signature="(orders [:map]) -> {books :float, games :float, garden :float, tools :float}",
                data={"orders": data["orders"]}, answer={kind: float(median(v)) for kind, v in groups.items()})


@task("join")
def orders_of_nobody():
    data = shop(15)
    ids = {c["id"] for c in data["customers"]}
    return dict(prompt="List the ids of the orders whose customer_id belongs to no customer, ascending.",
                signature="(customers [:map], orders [:map]) -> [:int]", data=data,
                answer=sorted(o["id"] for o in data["orders"] if o["customer_id"] not in ids))


@task("dates")
def orders_in_a_window():
    data = shop(16, 400)
    inside = [o for o in data["orders"] if "2024-02-27" <= o["date"] <= "2024-03-02"]
    return dict(prompt="How many orders were made from {{first}} to {{last}}, both days included, and what do they sum "
                       "up to? A missing amount counts as 0.",
                signature="(orders [:map], first :string, last :string) -> {count :int, cents :int}",
                data={"orders": data["orders"], "first": "2024-02-27", "last": "2024-03-02"},
                answer={"count": len(inside), "cents": sum(o["cents"] or 0 for o in inside)})


@task("dates")
def weekend_orders():
    data = shop(17)
    days = Counter(date.fromisoformat(o["date"]).weekday() for o in data["orders"])
    return dict(prompt="How many orders were made on a Saturday, and how many on a Sunday?",
                signature="(orders [:map]) -> {saturday :int, sunday :int}", data={"orders": data["orders"]},
                answer={"saturday": days[5], "sunday": days[6]})


@task("dates")
def longest_gap():
    data = shop(18)
    days = sorted({date.fromisoformat(o["date"]) for o in data["orders"]})
    gap, first = max(((b - a).days, -a.toordinal()) for a, b in zip(days, days[1:]))
    start = date.fromordinal(-first)
    return dict(prompt="Find the longest time between two consecutive days with orders. Say on which day it begins, on "
                       "which day it ends, and how many days later that is. The earliest counts when there are "
                       "several.",
                signature="(orders [:map]) -> {from :string, to :string, days :int}", data={"orders": data["orders"]},
                answer={"from": start.isoformat(), "to": (start + timedelta(days=gap)).isoformat(), "days": gap})


@task("aggregate")
def overdrawn():
    rng = random.Random(19)
    bookings = [{"day": n + 1, "cents": rng.randrange(-5200, 5000)} for n in range(90)]
    rng.shuffle(bookings)
    balance, low, first = 20000, (20000, 0), None
    for booking in sorted(bookings, key=lambda b: b["day"]):
        balance += booking["cents"]
        low = min(low, (balance, booking["day"]))
        if balance < 15000 and first is None:
            first = booking["day"]
    return dict(prompt="An account begins with {{start}} cents; the bookings are in no order, one for each day. On "
                       "which "
                       "day is the balance below 15000 for the first time, what is the lowest balance, and what the "
                       "last?",
                signature="(start :int, bookings [{day :int, cents :int}]) -> {first_day :int, lowest :int, last :int}",
                data={"start": 20000, "bookings": bookings},
                answer={"first_day": first, "lowest": low[0], "last": balance})


@task("group")
def same_mail_address():
    rng = random.Random(20)
    users = []
    for number in range(60):
        mail = f"{rng.choice(NAMES).lower()}{rng.randrange(4)}@example.org"
        shown = "".join(c.upper() if rng.random() < 0.3 else c for c in mail)
        users.append({"id": number, "mail": " " * rng.randrange(2) + shown + " " * rng.randrange(2)})
    groups = defaultdict(list)
    for user in users:
        groups[user["mail"].strip().lower()].append(user["id"])
    rows = [{"mail": mail, "ids": ids} for mail, ids in sorted(groups.items()) if len(ids) > 2]
    return dict(prompt="Which mail addresses do at least three users have? Upper and lower case and spaces around an "
                       "address make no difference. Write addresses in lower case, in alphabetical order, ids "
                       "ascending.",
                signature="(users [{id :int, mail :string}]) -> [{mail :string, ids [:int]}]", data={"users": users},
                answer=rows)


@task("aggregate")
def share_of_cancelled():
    rng = random.Random(21)
    rows = [{"region": rng.choice(["north", "south", "east", "west"]),
             "state": rng.choice(["sent", "sent", "cancelled"])}
            for _ in range(230)]
    every = Counter(r["region"] for r in rows)
    gone = Counter(r["region"] for r in rows if r["state"] == "cancelled")
    return dict(prompt="For each region, how many percent of its orders are cancelled? Give the whole percent that is "
                       "not "
                       "above the exact value (58.9 gives 58). Regions in alphabetical order.",
                signature="(orders [{region :string, state :string}]) -> [{region :string, percent :int}]",
                data={"orders": rows},
                answer=[{"region": r, "percent": 100 * gone[r] // every[r]} for r in sorted(every)])


@task("aggregate")
def ranks_with_ties():
    rng = random.Random(22)
    scores = {name: rng.randrange(60, 70) for name in NAMES}
    rows = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(prompt="Rank the players by points, highest first. Players with the same points have the same rank and "
                       "are in alphabetical order; the rank after them counts all of them (1, 2, 2, 4).",
                signature="(players [{name :string, points :int}]) -> [{rank :int, name :string}]",
                data={"players": [{"name": n, "points": p} for n, p in scores.items()]},
                answer=[{"rank": 1 + sum(1 for q in scores.values() if q > p), "name": n} for n, p in rows])


@task("group")
def kinds_by_quarter():
    data = shop(23)
    table = {kind: {f"q{n}": 0 for n in range(1, 5)} for kind in KINDS}
    for order in data["orders"]:
        table[order["kind"]][f"q{(int(order['date'][5:7]) + 2) // 3}"] += order["cents"] or 0
    return dict(prompt="Make a table of cents: for each kind a map with the sums of the quarters \"q1\" to \"q4\".",
                signature="(orders [:map]) -> {books :map, games :map, garden :map, tools :map}",
                data={"orders": data["orders"]}, answer=table)
