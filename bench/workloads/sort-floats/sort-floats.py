def random(x):
    return x * 16807 % 2147483647


def run():
    v, x = [], 42
    for _ in range(500000):
        v.append(x / 2147483647.0)
        x = random(x)
    v = sorted(v, key=lambda a: -a)
    return int(1000000 * v[1000])
