def run():
    m = {}
    for i in range(200000):
        m[f"key{i}"] = i
    total = 0
    for i in range(200000):
        total += m[f"key{i}"]
    return total
