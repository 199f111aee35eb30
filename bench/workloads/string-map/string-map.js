module.exports = () => {
  const m = new Map();
  for (let i = 0; i < 200000; i++) m.set("key" + i, i);
  let sum = 0;
  for (let i = 0; i < 200000; i++) sum += m.get("key" + i);
  return sum;
};
