def run():
    total = 0
    for i in range(10000000):
        total += i
    return total
