// What pg-boss and graphile-worker do, one measurement a process: the peers of ptc_nodes_bench. bench/nodes installs the
// packages and calls this.
//
//   PEERS=…/node_modules node queues.mjs pg-boss|graphile-worker MEASUREMENT URL …
//
// MEASUREMENT is setup; enqueue CLIENTS SECONDS; bulk JOBS; drain JOBS PARALLEL; start COUNT. pg-boss takes 64 jobs at
// once and completes them in one call; graphile-worker has PARALLEL jobs in hand and completes each by itself. The result
// is a line of JSON.
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.PEERS, "x.js"));
const [library, measurement, url, ...numbers] = process.argv.slice(2);
const [first, second] = numbers.map(Number);
const now = () => performance.now();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const libraries = {
  "pg-boss": async () => {
    const PgBoss = require("pg-boss");
    const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
    boss.on("error", (error) => { throw error; });
    await boss.start();
    await boss.createQueue("jobs");
    return {
      one: (data) => boss.send("jobs", data),
      many: (count) => boss.insert(Array.from({ length: count }, () => ({ name: "jobs", data: {} }))),
      work: async (handle) => boss.work("jobs", { batchSize: 64, pollingIntervalSeconds: 0.5 },
                                        async (jobs) => { for (const job of jobs) handle(job.data); }),
      end: () => boss.stop({ graceful: false, wait: false }),
    };
  },
  "graphile-worker": async () => {
    const { run, makeWorkerUtils, Logger } = require("graphile-worker");
    const logger = new Logger(() => () => {});
    const utils = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 10 });
    await utils.migrate();
    let runner = null;
    return {
      one: (data) => utils.addJob("jobs", data),
      many: (count) => utils.addJobs(Array.from({ length: count }, () => ({ identifier: "jobs", payload: {} }))),
      work: async (handle, parallel) => {
        runner = await run({ connectionString: url, concurrency: parallel, logger, maxPoolSize: parallel + 2,
                             noHandleSignals: true, taskList: { jobs: async (payload) => handle(payload) } });
      },
      end: async () => { await runner?.stop(); await utils.release(); },
    };
  },
};

const share = (sorted, part) => sorted[Math.floor(part * (sorted.length - 1))];

const measurements = {
  setup: async () => ({}),
  enqueue: async (queue) => {
    const began = now();
    let count = 0;
    await Promise.all(Array.from({ length: first }, async () => {
      for (; now() - began < second * 1000; ++count) await queue.one({});
    }));
    return { per_s: count / (now() - began) * 1000 };
  },
  bulk: async (queue) => {
    const began = now();
    await queue.many(first);
    return { per_s: first / (now() - began) * 1000 };
  },
  drain: async (queue) => {
    for (let left = first; left > 0; left -= 1000) await queue.many(Math.min(left, 1000));
    let began = 0, count = 0, done;
    const over = new Promise((resolve) => { done = resolve; });
    began = now();
    await queue.work(() => { if (++count === first) done(); }, second);
    await over;
    return { per_s: first / (now() - began) * 1000 };
  },
  start: async (queue) => {
    const waiting = new Map(), times = [];
    await queue.work(({ n }) => waiting.get(n)?.(now()), 4);
    await pause(1000);
    for (let n = 0; n < first; ++n) {
      const seen = new Promise((resolve) => waiting.set(n, resolve)), began = now();
      await queue.one({ n });
      times.push(await seen - began);
      await pause(2);
    }
    times.sort((a, b) => a - b);
    return { p50_ms: share(times, 0.5), p99_ms: share(times, 0.99), most_ms: times.at(-1) };
  },
};

const queue = await libraries[library]();
console.log(JSON.stringify(await measurements[measurement](queue)));
await queue.end();
process.exit(0);
