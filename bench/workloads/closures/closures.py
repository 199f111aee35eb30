def adder(n):
    return lambda x: x + n


def scaler(n):
    return lambda x: x * n


def compose(f, g):
    return lambda x: f(g(x))


def run():
    f = compose(adder(3), scaler(2))
    total = 0
    for i in range(1000000):
        total += f(i)
    return total
