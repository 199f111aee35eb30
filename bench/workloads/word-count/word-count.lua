local function random(x) return x * 16807 % 2147483647 end
return function()
  local vocabulary = {}
  for i = 0, 4999 do vocabulary[i] = "word" .. i end
  local words, x = {}, 42
  for i = 1, 200000 do
    words[i] = vocabulary[x % 5000]
    x = random(x)
  end
  local text = table.concat(words, " ")
  local counts = {}
  for word in string.gmatch(text, "%S+") do counts[word] = (counts[word] or 0) + 1 end
  local distinct, most = 0, 0
  for _, count in pairs(counts) do
    distinct = distinct + 1
    most = math.max(most, count)
  end
  return 1000 * distinct + most
end
