module.exports = () =>
  Array.from({ length: 1000000 }, (_, i) => i)
    .filter((x) => x % 2 === 0)
    .map((x) => x * 2)
    .reduce((a, b) => a + b, 0);
