module.exports = () => {
  const state = { user: { name: "Ada", stats: { count: 0, last: 0 } }, version: 1 };
  for (let i = 0; i < 200000; i++) {
    state.user.stats.count += 1;
    state.user.stats.last = i;
  }
  return state.user.stats.count + state.user.stats.last;
};
