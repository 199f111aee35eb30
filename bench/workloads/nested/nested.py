def run():
    state = {"user": {"name": "Ada", "stats": {"count": 0, "last": 0}}, "version": 1}
    for i in range(200000):
        state["user"]["stats"]["count"] += 1
        state["user"]["stats"]["last"] = i
    return state["user"]["stats"]["count"] + state["user"]["stats"]["last"]
