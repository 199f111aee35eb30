return function()
  local state = { user = { name = "Ada", stats = { count = 0, last = 0 } }, version = 1 }
  for i = 0, 199999 do
    state.user.stats.count = state.user.stats.count + 1
    state.user.stats.last = i
  end
  return state.user.stats.count + state.user.stats.last
end
