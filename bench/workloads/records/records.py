def run():
    records = [{"id": i, "team": i % 100, "score": i * 48271 % 100003} for i in range(100000)]
    teams = {}
    for record in records:
        teams.setdefault(record["team"], []).append(record)
    ranked = sorted(records, key=lambda record: record["score"])
    return sum([team * len(members) for team, members in teams.items()]) + ranked[1000]["id"]
