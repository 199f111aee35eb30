module.exports = () => {
  const records = [];
  for (let i = 0; i < 100000; i++) {
    records.push({ id: i, team: i % 100, score: (i * 48271) % 100003 });
  }
  const teams = new Map();
  for (const record of records) {
    const members = teams.get(record.team);
    if (members) members.push(record);
    else teams.set(record.team, [record]);
  }
  const ranked = [...records].sort((a, b) => a.score - b.score);
  let sum = 0;
  for (const [team, members] of teams) sum += team * members.length;
  return sum + ranked[1000].id;
};
