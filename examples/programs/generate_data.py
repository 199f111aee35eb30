#!/usr/bin/env python3
"""Writes the data files of the examples. The same files every time: the numbers come from a generator of its own."""
import datetime
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


class Dice:
    """A linear congruential generator (Knuth's MMIX constants); the high bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def pick(self, items):
        return items[self.below(len(items))]


def write(path, value, per_line=None):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if per_line is not None:
        parts = []
        for key, rows in value.items():
            if isinstance(rows, list):
                body = ",\n".join("  " + json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
                parts.append(f'"{key}": [\n{body}\n]')
            else:
                parts.append(f'"{key}": {json.dumps(rows, ensure_ascii=False)}')
        text = "{" + ",\n".join(parts) + "}"
    (HERE / path).write_text(text + "\n", encoding="utf-8")


FIRST = ["Ada", "Blaise", "Chien", "Dorota", "Edsger", "Frances", "Grace", "Hedy", "Ivan", "Joan", "Katarína", "Leslie"]
LAST = ["Novák", "Okafor", "Park", "Quist", "Rossi", "Sato", "Tóth", "Ueda", "Vogel", "Wójcik", "Xu", "Young"]
CITIES = ["Berlin", "Kraków", "Lyon", "Oslo", "Porto", "Turin"]
GOODS = ["lamp", "chair", "desk", "shelf", "kettle", "rug", "mirror", "clock", "vase", "stool"]


def orders():
    dice = Dice(1)
    customers = [{"id": f"c{i:03}", "name": f"{dice.pick(FIRST)} {dice.pick(LAST)}", "city": dice.pick(CITIES),
                  "tier": dice.pick(["basic", "basic", "gold"])} for i in range(60)]
    products = [{"sku": f"p{i:02}", "title": f"{dice.pick(GOODS)} {i}", "price": (500 + dice.below(20000)) / 100,
                 "stock": dice.below(40)} for i in range(30)]
    day = datetime.date(2024, 1, 1)
    rows = [{"order_id": 1000 + i, "customer_id": f"c{dice.below(63):03}",
             "date": str(day + datetime.timedelta(i // 4)),
             "lines": [{"sku": f"p{dice.below(30):02}", "qty": 1 + dice.below(4)} for _ in range(1 + dice.below(3))],
             "status": dice.pick(["paid", "paid", "paid", "open", "cancelled"])} for i in range(320)]
    write("order-report/data.json", {"customers": customers, "products": products, "orders": rows}, per_line=True)


def sales():
    dice = Dice(2)
    start = datetime.date(2024, 1, 1)
    rows = [{"day": str(start + datetime.timedelta(dice.below(366))), 
             "region": dice.pick(["north", "south", "east", "west"]),
             "rep": f"r{dice.below(12):02}", "amount": dice.below(500000) / 100 if dice.below(40) else None}
            for _ in range(1500)]
    write("sales-summary/data.json", {"sales": rows}, per_line=True)


def log():
    dice = Dice(3)
    moment = datetime.datetime(2024, 5, 17, 8, 0)
    lines = []
    for _ in range(600):
        moment += datetime.timedelta(seconds=1 + dice.below(30))
        service = dice.pick(["auth", "billing", "search", "mail"])
        level = dice.pick(["INFO", "INFO", "INFO", "INFO", "WARN", "ERROR"])
        text = {"INFO": f"request {dice.below(9999):04} done in {5 + dice.below(900)}ms",
                "WARN": f"retry {1 + dice.below(3)} of request {dice.below(9999):04}",
                "ERROR": dice.pick(["timeout after 3000ms", "connection refused by 10.0.0.7",
                                    "quota exceeded for user ada@example.org"]),
                }[level]
        lines.append(f"{moment.isoformat()}Z {level} [{service}] {text}")
    (HERE / "service-log/data.json").write_text(
        json.dumps({"log": "\n".join(lines)}, ensure_ascii=False) + "\n", encoding="utf-8")


def invoices():
    dice = Dice(4)
    today = datetime.date(2024, 6, 30)
    rows = []
    for i in range(160):
        issued = today - datetime.timedelta(dice.below(150))
        rows.append({"no": f"2024-{i + 1:04}", "customer": dice.pick(LAST), "issued": str(issued),
                     "due": str(issued + datetime.timedelta(30)), "amount": (1000 + dice.below(300000)) / 100,
                     "paid": str(issued + datetime.timedelta(dice.below(45))) if dice.below(3) else None})
    write("invoice-ageing/data.json", {"today": str(today), "invoices": rows}, per_line=True)


def payments():
    dice = Dice(5)
    rows = [{"id": f"{i:03}", "iban": f"DE{dice.below(10**9):09}", "amount": 100 * (1 + dice.below(90))}
            for i in range(1, 9)]
    write("payment-run/data.json", {"payments": rows}, per_line=True)


def quote():
    write("quote-tools/data.json", {"customer": "Ueda GmbH", "currency": "EUR",
                                    "items": [{"sku": "A-100", "qty": 3}, {"sku": "B-220", "qty": 1},
                                              {"sku": "Z-999", "qty": 2}]})


def invoice():
    write("invoice-text/data.json", {
        "invoice": {"no": "2024-0815", "date": "2024-05-31", "tax_rate": 0.19,
                    "to": {"name": "Katarína Wójcik", "street": "Lindenweg 4", "city": "10115 Berlin"},
                    "lines": [{"text": "Oak desk", "qty": 1, "price": 649.0},
                              {"text": "Lamp “Étoile”", "qty": 4, "price": 39.9},
                              {"text": "Delivery", "qty": 1, "price": 25.0}]}})


def config():
    write("config-update/data.json", {
        "config": {"version": 7, "features": {"beta-search": False, "dark_mode": True},
                   "services": {"web": {"replicas": 2, "image": "web:1.4.0", "env": {"LOG": "info", "DEBUG": "true"}},
                                "worker": {"replicas": 1, "image": "worker:1.4.0", "env": {"LOG": "debug"}},
                                "cron": {"replicas": 0, "image": "worker:1.4.0", "env": {}}}},
        "patch": {"features": {"beta-search": True}, "services": {"worker": {"replicas": 3, "env": {"QUEUE": "fast"}}}},
        "release": "1.5.2"})


if __name__ == "__main__":
    for make in (orders, sales, log, invoices, payments, quote, invoice, config):
        make()
