def random(x):
    return x * 16807 % 2147483647


def run():
    vocabulary = [f"word{i}" for i in range(5000)]
    words, x = [], 42
    for _ in range(200000):
        words.append(vocabulary[x % 5000])
        x = random(x)
    text = " ".join(words)
    counts = {}
    for word in text.split(" "):
        counts[word] = counts.get(word, 0) + 1
    return 1000 * len(counts) + max(counts.values())
