const random = (x) => (x * 16807) % 2147483647;
module.exports = () => {
  const vocabulary = [];
  for (let i = 0; i < 5000; i++) vocabulary.push("word" + i);
  const words = [];
  for (let i = 0, x = 42; i < 200000; i++) {
    words.push(vocabulary[x % 5000]);
    x = random(x);
  }
  const text = words.join(" ");
  const counts = new Map();
  for (const word of text.split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
  return 1000 * counts.size + Math.max(...counts.values());
};
