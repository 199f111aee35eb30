module.exports = () => {
  const items = [];
  for (let i = 0; i < 100000; i++) items.push("item" + i);
  const text = items.join(",");
  const lines = text.split(",").map((part) => part + "!");
  return lines.length + lines.join("\n").length;
};
