def random(x):
    return x * 16807 % 2147483647


def run():
    v, x = [], 42
    for _ in range(500000):
        v.append(x)
        x = random(x)
    return sorted(v)[1000]
