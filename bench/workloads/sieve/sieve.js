module.exports = () => {
  const flags = new Array(200001).fill(true);
  for (let i = 2; i * i <= 200000; i++) {
    if (flags[i]) {
      for (let j = i * i; j <= 200000; j += i) flags[j] = false;
    }
  }
  let count = 0;
  for (let i = 2; i <= 200000; i++) {
    if (flags[i]) count++;
  }
  return count;
};
