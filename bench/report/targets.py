"""What the workloads must come to, and the times that are asked for: ratios of our time over a peer's."""
import dataclasses
import math

BEST = "best"   # the fastest of all peers


@dataclasses.dataclass
class Workload:
    name: str
    title: str
    result: int
    must: dict      # peer -> the largest ratio allowed
    aim: dict


CALLS = ({"lua5.4": 0.5}, {"luajit-off": 0.65})
UPDATES = ({"clojure": 0.35, "lua5.4": 1.0}, {"lua5.4": 0.7})
STRING_KEYS = ({"clojure": 0.6, "lua5.4": 0.6}, {"luajit-off": 1.0})
SORTS = ({"lua5.4": 0.5}, {BEST: 1.0})

WORKLOADS = [
    Workload("fib", "fib 30", 832040, *CALLS),
    Workload("tak", "tak 24 16 8", 9, *CALLS),
    Workload("loop", "integer loop, 10^7", 49999995000000, {"lua5.4": 1.0}, {"lua5.4": 0.75}),
    Workload("mandelbrot", "float loop", 1907114, {"lua5.4": 0.85}, {"luajit-off": 0.95}),
    Workload("vector", "vector of 10^6, built and indexed", 499999500000, *UPDATES),
    Workload("sieve", "sieve to 200,000", 17984, *UPDATES),
    Workload("strings", "100,000 strings: join, split, build", 1188889, {"python3": 1.0}, {BEST: 1.0}),
    Workload("string-map", "map of 200,000 string keys", 19999900000, *STRING_KEYS),
    Workload("word-count", "200,000 words counted", 5000064, *STRING_KEYS),
    Workload("records", "100,000 records: group-by, sort-by", 4965689, {"clojure": 0.8}, {"python3": 1.0}),
    Workload("pipeline", "filter, map, reduce over 10^6", 499999000000, {"lua5.4": 0.4}, {"clojure": 1.0}),
    Workload("nested", "200,000 nested updates", 399999, *UPDATES),
    Workload("closures", "composed closures, 10^6 calls", 1000002000000, *CALLS),
    Workload("sort-ints", "sort 500,000 ints", 4164725, *SORTS),
    Workload("sort-floats", "sort 500,000 floats, comparator", 998050, *SORTS),
]
MEAN_MUST = {"lua5.4": 0.55}
MEAN_AIM = {"lua5.4": 0.40}


def meets(ratios, rule):
    """Whether every ratio that the rule names is small enough; None when one was not measured."""
    best = max(ratios.values(), default=None)
    known = [best if peer == BEST else ratios.get(peer) for peer in rule]
    if any(ratio is None for ratio in known):
        return None
    return all(ratio <= most for ratio, most in zip(known, rule.values()))


def verdict(ratios, must, aim):
    """"aim", "must", "no", or "?" when a peer that counts was not measured."""
    must_met, aim_met = meets(ratios, must), meets(ratios, aim)
    if must_met is None or aim_met is None and must_met:
        return "?" if must_met is None else "must"
    return "no" if not must_met else "aim" if aim_met else "must"


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def ratios_of(times):
    """Peer -> our least time over the peer's least."""
    ours = min(times["ptcvm"])
    return {peer: ours / min(ms) for peer, ms in times.items() if peer != "ptcvm" and ms}
