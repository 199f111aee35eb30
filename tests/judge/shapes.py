"""Tasks over data of less regular shapes: graphs, trees, stock, intervals, values in many spellings."""
import random
from collections import Counter

from task import task


@task("algorithm")
def fewest_hops():
    rng = random.Random(41)
    nodes = [f"n{i}" for i in range(24)]
    edges = sorted({tuple(sorted(rng.sample(nodes, 2))) for _ in range(34)})
    near = {n: set() for n in nodes}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    hops, level = {"n0": 0}, ["n0"]
    while level:
        level = [m for n in level for m in near[n] if m not in hops and not hops.update({m: hops[n] + 1})]
    far = max(hops.values())
    return dict(prompt="The edges go both ways. How many nodes of {{nodes}} can be reached from {{start}} (itself "
                       "included), "
                       "how many hops is the farthest of them away on the shortest way, and which nodes are that far, "
                       "in "
                       "alphabetical order?",
                signature="(nodes [:string], edges [[:string]], start :string) -> "
                          "{reached :int, hops :int, farthest [:string]}",
                data={"nodes": nodes, "edges": [list(e) for e in edges], "start": "n0"},
                answer={"reached": len(hops), "hops": far, "farthest": sorted(n for n in hops if hops[n] == far)})


@task("algorithm")
def build_order():
    rng = random.Random(42)
    names = sorted(["app", "auth", "core", "db", "docs", "http", "json", "log", "mail", "net", "test", "ui"])
    order = names[:]
    rng.shuffle(order)
    needs = {n: sorted(rng.sample(order[:i], min(i, rng.randrange(3)))) for i, n in enumerate(order)}
    done, answer = set(), []
    while len(answer) < len(names):
        name = min(n for n in names if n not in done and set(needs[n]) <= done)
        done.add(name)
        answer.append(name)
    return dict(prompt="In which order can the packages be built? A package is built after all that it needs. Of the "
                       "packages that can be built next, the first in the alphabet is built.",
                signature="(needs :map) -> [:string]", data={"needs": needs}, answer=answer)


@task("algorithm")
def orders_from_stock():
    rng = random.Random(43)
    stock = {"bolt": 40, "nut": 55, "washer": 25}
    orders = [{"id": n, "item": rng.choice(sorted(stock)), "count": rng.randrange(1, 14)} for n in range(1, 26)]
    left, refused = dict(stock), []
    for order in orders:
        if order["count"] <= left[order["item"]]:
            left[order["item"]] -= order["count"]
        else:
            refused.append(order["id"])
    return dict(prompt="The orders come one after the other. An order is filled when the stock has as many as it "
                       "wants, and "
                       "refused otherwise; a later, smaller one may still be filled. Which orders are refused, and "
                       "what is "
                       "left?",
                signature="(stock :map, orders [:map]) -> {refused [:int], left {bolt :int, nut :int, washer :int}}",
                data={"stock": stock, "orders": orders}, answer={"refused": refused, "left": left})


@task("join")
def people_for_jobs():
    rng = random.Random(44)
    skills = ["cook", "drive", "sail", "sew", "swim", "weld"]
    people = {n: sorted(rng.sample(skills, rng.randrange(2, 5))) for n in ["Ann", "Bo", "Cleo", "Dag", "Eva", "Finn"]}
    jobs = [{"job": f"job-{i}", "needs": sorted(rng.sample(skills, 2))} for i in range(7)]
    rows = [{"job": j["job"], "people": sorted(n for n in people if set(j["needs"]) <= set(people[n]))} for j in jobs]
    return dict(prompt="Who has all the skills that a job needs? People in alphabetical order, jobs in theirs.",
                signature="(people :map, jobs [:map]) -> [{job :string, people [:string]}]",
                data={"people": people, "jobs": jobs}, answer=rows)


@task("algorithm")
def busy_minutes():
    rng = random.Random(45)
    meetings = []
    for _ in range(18):
        start = rng.randrange(8 * 60, 17 * 60)
        end = start + rng.randrange(10, 70)
        meetings.append({"from": f"{start // 60:02d}:{start % 60:02d}", "to": f"{end // 60:02d}:{end % 60:02d}"})
    busy = set()
    for m in meetings:
        start, end = (int(t[:2]) * 60 + int(t[3:]) for t in (m["from"], m["to"]))
        busy.update(range(start, end))
    longest, run = 0, 0
    for minute in range(24 * 60):
        run = run + 1 if minute in busy else 0
        longest = max(longest, run)
    return dict(prompt="Meetings of one day overlap. How many minutes is at least one meeting on, and how many "
                       "minutes is "
                       "the longest time without a break?",
                signature="(meetings [{from :string, to :string}]) -> {busy :int, longest :int}",
                data={"meetings": meetings}, answer={"busy": len(busy), "longest": longest})


def folder(rng, name, depth):
    files = [{"name": f"f{i}", "bytes": rng.randrange(1, 5000)} for i in range(rng.randrange(4))]
    return {"name": name, "files": files,
            "folders": [folder(rng, f"{name}{i}", depth - 1) for i in range(rng.randrange(1, 4))] if depth else []}


@task("tree")
def biggest_folder():
    root = folder(random.Random(46), "d", 4)
    own = {}

    def total(f, path):
        own[path] = sum(x["bytes"] for x in f["files"])
        return own[path] + sum(total(g, path + "/" + g["name"]) for g in f["folders"])
    everything = total(root, root["name"])
    best = max(own.items(), key=lambda pair: pair[1])
    return dict(prompt="How many bytes are in {{root}} with all folders below, how many folders are there (the root "
                       "counts), "
                       "and which folder has the most bytes in its own files? Write its path with / from the root on.",
                signature="(root :map) -> {bytes :int, folders :int, biggest :string}", data={"root": root},
                answer={"bytes": everything, "folders": len(own), "biggest": best[0]})


@task("look first")
def prices_in_many_spellings():
    rng = random.Random(47)
    items, total = [], 0
    for number in range(80):
        cents = rng.randrange(100, 20000)
        way = 0 if number < 12 else rng.randrange(5)
        price = [cents, f"{cents / 100:.2f}", {"amount": cents, "unit": "cent"}, f"{cents} ct", None][way]
        items.append({"sku": f"s{number}", "price": price})
        total += cents if way != 4 else 0
    return dict(prompt="What do the items cost together, in cents? Whole numbers are cents. The prices come from "
                       "several "
                       "systems, so look at how they are written; an item without a price costs nothing.",
                signature="(items [:map]) -> :int", data={"items": items}, answer=total)


@task("look first")
def sensors_anywhere():
    rng = random.Random(48)
    counts = Counter()

    def part(depth):
        if depth == 0 or rng.random() < 0.2:
            state = rng.choice(["ok", "ok", "low", "dead"])
            counts[state] += 1
            return {"kind": "sensor", "state": state, "id": sum(counts.values())}
        if rng.random() < 0.4:
            return [part(depth - 1) for _ in range(rng.randrange(1, 4))]
        return {"state": "ok", "kind": "box", "parts": {f"p{i}": part(depth - 1) for i in range(rng.randrange(1, 4))}}
    plant = {"halls": [part(6) for _ in range(5)], "state": "ok"}
    return dict(prompt="Count the sensors of {{plant}} by state, wherever they are. Only things of kind \"sensor\" are "
                       "sensors.",
                signature="(plant :map) -> {ok :int, low :int, dead :int}", data={"plant": plant},
                answer={s: counts[s] for s in ("ok", "low", "dead")})


@task("cannot be done")
def nobody_of_that_name():
    rows = [{"name": n, "points": i} for i, n in enumerate(["Ann", "Bo", "Cleo"])]
    return dict(prompt="How many points does {{name}} have? When nobody has that name, fail with the reason "
                       "unknown_player.",
                signature="(name :string, players [:map]) -> :int", data={"name": "Dora", "players": rows},
                fails_with="unknown_player")
