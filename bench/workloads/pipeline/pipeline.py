def run():
    return sum(x * 2 for x in range(1000000) if x % 2 == 0)
