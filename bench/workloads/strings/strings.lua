return function()
  local items = {}
  for i = 0, 99999 do items[#items + 1] = "item" .. i end
  local text = table.concat(items, ",")
  local lines = {}
  for part in string.gmatch(text, "[^,]+") do lines[#lines + 1] = part .. "!" end
  return #lines + #table.concat(lines, "\n")
end
