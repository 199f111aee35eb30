def run():
    items = [f"item{i}" for i in range(100000)]
    text = ",".join(items)
    parts = text.split(",")
    lines = [part + "!" for part in parts]
    return len(lines) + len("\n".join(lines))
