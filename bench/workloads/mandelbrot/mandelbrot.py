def iterations(cx, cy):
    x, y, n = 0.0, 0.0, 0
    while n < 50:
        x2, y2 = x * x, y * y
        if x2 + y2 > 4.0:
            break
        x, y = x2 - y2 + cx, 2.0 * x * y + cy
        n += 1
    return n


def run():
    total = 0
    for row in range(360):
        for column in range(360):
            total += iterations(column * 0.0075 - 2.0, row * 0.0075 - 1.35)
    return total
