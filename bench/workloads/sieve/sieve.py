def run():
    flags = [True] * 200001
    for i in range(2, 448):
        if flags[i]:
            for j in range(i * i, 200001, i):
                flags[j] = False
    count = 0
    for i in range(2, 200001):
        if flags[i]:
            count += 1
    return count
