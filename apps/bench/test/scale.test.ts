import { expect, test } from 'vitest';
import { fitSharedCost } from '../src/scale/calibration/fit.ts';
import { processTimeOf } from '../src/scale/calibration/postgres.ts';
import type { Calibration, PostgresCosts, RestateCosts } from '../src/scale/costs.ts';
import { needsOfPostgres, studyPostgres, studyRestate } from '../src/scale/stores.ts';
import { studyChart } from '../src/scale/report/study-chart.ts';
import { studyText } from '../src/scale/report/text.ts';
import { closedLoad, openLoad } from '../src/scale/simulation/loads.ts';
import { Random } from '../src/scale/simulation/random.ts';
import { Simulation } from '../src/scale/simulation/simulation.ts';
import { Batches, Cores } from '../src/scale/simulation/stations.ts';

const postgres: PostgresCosts = {
  handler: { turnMs: 0.6, groupMs: 0.3 },
  server: { turnMs: 0.5, groupMs: 0.2 },
  flushMs: 1,
  roundTripMs: 0.2,
  logBytes: 8_000,
  pagesAfterCheckpoint: 10,
  conversationBytes: 10_000,
  turnBytes: 2_000,
};

const restate: RestateCosts = {
  handlerMs: 2,
  serverMs: 4,
  stepMs: 2,
  partitionTurns: 150,
  diskBytes: 20_000,
};

const options = {
  conversations: 1e6,
  rate: 400,
  turns: 20,
  seconds: 3,
  hosts: undefined,
  cores: undefined,
  partitions: undefined,
  nodes: 3,
  replication: 2,
};

test('events happen in order of their times, and those of one time in the order in which they were scheduled', () => {
  const simulation = new Simulation();
  const random = new Random(7);
  const times = Array.from({ length: 500 }, () => random.below(50));
  const happened: { readonly time: number; readonly index: number }[] = [];
  for (const [index, time] of times.entries())
    simulation.pause(time)(() => {
      expect(simulation.now).toBe(time);
      happened.push({ time, index });
    });
  simulation.run(1_000);
  expect(happened).toEqual(
    times.map((time, index) => ({ time, index })).toSorted((a, b) => a.time - b.time),
  );
  expect(simulation.now).toBe(1_000);
});

test('a queue with one server waits as long as queueing theory says', () => {
  // M/D/1 at 70 %: the mean wait is 0.7 / (2 × 0.3) of a service time, so a job takes 2.17 of them.
  const outcome = openLoad(
    (simulation) => {
      const server = new Cores(simulation, 'server', 1);
      return {
        stations: [server],
        *turn() {
          yield server.work(1);
        },
      };
    },
    { rate: 700, seconds: 60 },
  );
  expect(outcome.stations[0]!.utilisation).toBeCloseTo(0.7, 1);
  expect(outcome.turns).toBeGreaterThan(690);
  const meanInSystem = mean(outcomeTimes(0.7));
  expect(meanInSystem).toBeGreaterThan(2.0);
  expect(meanInSystem).toBeLessThan(2.35);
});

test('what waits while a batch is worked on is the next batch', () => {
  const simulation = new Simulation();
  const sizes: number[] = [];
  const batches = new Batches(simulation, {
    sizeMax: 3,
    work: (size) => {
      sizes.push(size);
      return simulation.pause(10);
    },
  });
  const ends: number[] = [];
  const join = () => batches.join()(() => ends.push(simulation.now));
  join();
  simulation.pause(1)(() => [1, 2, 3, 4].forEach(join));
  simulation.run(100);
  expect(sizes).toEqual([1, 3, 1]);
  expect(ends).toEqual([10, 20, 20, 20, 30]);
  expect(batches.rate).toBe(30);
});

test('a host with one turn in flight takes the sum of all costs', () => {
  const { checks } = studyPostgres(
    { machine: 'test', postgres: { costs: postgres, checks: [{ inFlight: 1, turns: 1, p50: 1 }] } },
    options,
  );
  const group = 0.3 + 0.2 + 1 + 0.2;
  expect(checks[0]!.simulatedP50).toBeCloseTo(0.6 + 0.5 + 3 * group, 6);
});

test('more turns in flight share transactions, up to what the thread of the host can do', () => {
  const deployment = studyPostgres(
    {
      machine: 'test',
      postgres: {
        costs: postgres,
        checks: [1, 32, 256].map((inFlight) => ({ inFlight, turns: 1, p50: 1 })),
      },
    },
    options,
  );
  const [one, some, many] = deployment.checks.map(({ simulatedTurns }) => simulatedTurns);
  expect(some).toBeGreaterThan(3 * one!);
  expect(many).toBeGreaterThan(some!);
  expect(many).toBeLessThan(1000 / postgres.handler.turnMs);
});

test.each(['postgres', 'restate'] as const)(
  'on %s the size that is found carries the rate, and twice the rate where it is said to break does not',
  (store) => {
    const calibration: Calibration = {
      machine: 'test',
      postgres: { costs: postgres, checks: [] },
      restate: { costs: restate, checks: [] },
    };
    const study = store === 'postgres' ? studyPostgres : studyRestate;
    const found = study(calibration, options);
    expect(found.outcome.turns).toBeGreaterThan(0.97 * options.rate);
    for (const { utilisation } of found.outcome.stations) expect(utilisation).toBeLessThan(0.85);
    expect(found.first.rate).toBeGreaterThan(options.rate);
    const parts = Object.values(found.size);
    const beyond = study(calibration, {
      ...options,
      rate: 2 * found.first.rate,
      hosts: parts[0],
      cores: store === 'postgres' ? parts[1] : parts[2],
      partitions: parts[3],
    });
    expect(beyond.outcome.turns).toBeLessThan(0.75 * 2 * found.first.rate);
    expect(beyond.outcome.turn.p99).toBeGreaterThan(10 * found.outcome.turn.p99);
    expect(studyText(found)).toContain(`Saturated first: ${found.first.name}`);
    const chart = studyChart(found);
    expect(chart).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  },
);

test('with a million conversations, most turns after a checkpoint are the first of theirs', () => {
  const at = (conversations: number) =>
    needsOfPostgres(postgres, { conversations, rate: 2_000, turns: 20 }).find(({ name }) =>
      name.startsWith('turns that are the first'),
    )!.value;
  // 600,000 turns in five minutes.
  expect(at(1e6)).toBeCloseTo((100 * (1 - Math.exp(-0.6))) / 0.6, 3);
  expect(at(1_000)).toBeCloseTo(100 / 600, 3);
});

test('the cost of a turn and of a group are told apart', () => {
  const of = (groupsPerTurn: number) => ({ groupsPerTurn, perTurnMs: 2 + 0.5 * groupsPerTurn });
  const { turnMs, groupMs } = fitSharedCost([of(3), of(1), of(0.1)]);
  expect(turnMs).toBeCloseTo(2, 9);
  expect(groupMs).toBeCloseTo(0.5, 9);
});

test.skipIf(process.platform !== 'linux')(
  'the processor time of a process grows with its work',
  () => {
    const before = processTimeOf(process.pid);
    const used = process.cpuUsage();
    while (process.cpuUsage(used).user < 200_000);
    expect(processTimeOf(process.pid) - before).toBeGreaterThan(100);
  },
);

test('a load with senders keeps that many turns in flight', () => {
  const outcome = closedLoad(
    (simulation) => ({
      stations: [],
      *turn(onStored) {
        yield simulation.pause(4);
        onStored();
        yield simulation.pause(6);
      },
    }),
    { inFlight: 5, seconds: 10 },
  );
  expect(outcome.turns).toBeCloseTo(500, 0);
  expect(outcome.acknowledgement).toEqual({ p50: 4, p99: 4 });
  expect(outcome.turn.p50).toBeCloseTo(10, 9);
});

/** The times in an M/D/1 queue with a service time of 1. */
function outcomeTimes(busy: number): number[] {
  const simulation = new Simulation();
  const server = new Cores(simulation, 'server', 1);
  const random = new Random(3);
  const times: number[] = [];
  simulation.start(
    (function* arrive() {
      for (;;) {
        yield simulation.pause(random.exponential(1 / busy));
        const at = simulation.now;
        server.work(1)(() => times.push(simulation.now - at));
      }
    })(),
  );
  simulation.run(100_000);
  return times;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
