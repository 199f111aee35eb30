return function()
  local records = {}
  for i = 0, 99999 do
    records[#records + 1] = { id = i, team = i % 100, score = i * 48271 % 100003 }
  end
  local teams = {}
  for _, record in ipairs(records) do
    local members = teams[record.team]
    if not members then
      members = {}
      teams[record.team] = members
    end
    members[#members + 1] = record
  end
  table.sort(records, function(a, b) return a.score < b.score end)
  local sum = 0
  for team, members in pairs(teams) do sum = sum + team * #members end
  return sum + records[1001].id
end
