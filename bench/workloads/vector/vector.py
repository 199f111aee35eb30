def run():
    v = []
    for i in range(1000000):
        v.append(i)
    total = 0
    for i in range(1000000):
        total += v[i]
    return total
