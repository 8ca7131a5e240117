import { array, assert, asyncProperty, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { Activity } from '../../src/admission/activity.ts';
import { Lane, type Ticket } from '../../src/admission/lane.ts';
import { Schedule } from '../../src/admission/schedule.ts';
import { manualClock } from '../../src/clock/manual.ts';
import { nextTurn } from '@dramaturg/compiler/machine';

interface Stage {
  readonly lane: Lane;
  /** Keys, in the order in which they got a slot. */
  readonly started: string[];
  /** Ends the work of the oldest ticket. */
  readonly finishOne: () => Promise<void>;
  readonly activity: Activity;
  readonly clock: ReturnType<typeof manualClock>;
  readonly schedule: Schedule;
}

const onFailure = (_: Ticket, error: unknown) => {
  throw error;
};

function laneOf(concurrency: number): Stage {
  const clock = manualClock({ startAt: 0 });
  const schedule = new Schedule(clock);
  const activity = new Activity();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = ({ key }: Ticket, begin: () => void) => {
    begin();
    started.push(key);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const lane = new Lane({ concurrency, work, onFailure, schedule, activity });
  const finishOne = async () => {
    ends.shift()!();
    await nextTurn();
    await nextTurn();
  };
  return { lane, started, finishOne, activity, clock, schedule };
}

test('at most as many tickets as the concurrency have a slot', async () => {
  const { lane, started, finishOne } = laneOf(2);
  for (const key of ['a', 'b', 'c']) lane.add({ key, group: key });
  expect(started).toEqual(['a', 'b']);
  await finishOne();
  expect(started).toEqual(['a', 'b', 'c']);
});

test('in one turn of the event loop few instances start, and one instance many times', async () => {
  const started: string[] = [];
  let lane: Lane | undefined;
  const work = async ({ key }: Ticket, begin: () => void) => {
    begin();
    started.push(key);
    // As an instance that has more calls to make.
    if (key === 'many') lane!.add({ key, group: key });
  };
  const schedule = new Schedule(manualClock({ startAt: 0 }));
  lane = new Lane({ concurrency: Infinity, work, onFailure, schedule, activity: new Activity() });
  lane.add({ key: 'many', group: 'many' });
  expect(started).toHaveLength(1 + 7 * 8);
  started.length = 0;
  await nextTurn();
  lane.remove({ key: 'many', group: 'many' });
  started.length = 0;
  await nextTurn();
  for (let index = 0; index < 20; index += 1) lane.add({ key: `${index}`, group: `${index}` });
  expect(started).toHaveLength(8);
});

test('work that loads nothing starts at once, however much there is', () => {
  const started: string[] = [];
  const work = async ({ key }: Ticket) => void started.push(key);
  const schedule = new Schedule(manualClock({ startAt: 0 }));
  const activity = new Activity();
  const lane = new Lane({
    concurrency: 64,
    startsPerTurn: Infinity,
    work,
    onFailure,
    schedule,
    activity,
  });
  for (let index = 0; index < 100; index += 1) lane.add({ key: `${index}`, group: `${index}` });
  expect(started).toHaveLength(64);
});

test('groups take turns, and within a group the first ticket comes first', async () => {
  await assert(
    asyncProperty(
      array(integer({ min: 0, max: 4 }), { maxLength: 40 }),
      integer({ min: 1, max: 3 }),
      async (groups, concurrency) => {
        const { lane, started, finishOne } = laneOf(concurrency);
        const tickets = groups.map((group, index) => ({ key: `${index}`, group: `${group}` }));
        lane.limit(0);
        for (const ticket of tickets) lane.add(ticket);
        lane.limit(Infinity);
        while (started.length < tickets.length) await finishOne();
        expect(started).toEqual(inTurns(tickets));
      },
    ),
    { numRuns: 100 },
  );
});

/** One ticket of each group, then the next of each, and so on. */
function inTurns(tickets: readonly Ticket[]): string[] {
  const names = [...new Set(tickets.map(({ group }) => group))];
  const groups = names.map((name) => tickets.filter(({ group }) => group === name));
  return tickets.flatMap((_, round) => groups.flatMap((group) => group[round]?.key ?? []));
}

test('a group with a thousand tickets delays another group by one ticket', async () => {
  const { lane, started, finishOne } = laneOf(1);
  for (let index = 0; index < 1_000; index += 1) lane.add({ key: `loud ${index}`, group: 'loud' });
  lane.add({ key: 'quiet', group: 'quiet' });
  await finishOne();
  await finishOne();
  expect(started.slice(0, 3)).toContain('quiet');
});

test('a key is in the lane once until its work has begun', async () => {
  const { lane, started, finishOne } = laneOf(1);
  lane.add({ key: 'a', group: 'a' });
  lane.add({ key: 'b', group: 'b' });
  lane.add({ key: 'b', group: 'b' });
  // Its work has begun, so this is new work.
  lane.add({ key: 'a', group: 'a' });
  for (let index = 0; index < 3; index += 1) await finishOne();
  expect(started).toEqual(['a', 'b', 'a']);
});

test('a removed ticket gets no slot', async () => {
  const { lane, started, finishOne, activity, schedule } = laneOf(1);
  for (const key of ['a', 'b', 'c']) lane.add({ key, group: 'same' });
  lane.addAfter(5, { key: 'd', group: 'same' });
  lane.remove({ key: 'b', group: 'same' });
  lane.remove({ key: 'd', group: 'same' });
  await finishOne();
  await finishOne();
  expect(started).toEqual(['a', 'c']);
  expect(await activity.settled(0, schedule)).toBe(true);
});

test('a delayed ticket waits from its time on', async () => {
  const { lane, started, clock } = laneOf(1);
  lane.addAfter(1_000, { key: 'a', group: 'a' });
  clock.set(999);
  await nextTurn();
  expect(started).toEqual([]);
  clock.set(1_000);
  await nextTurn();
  expect(started).toEqual(['a']);
});

test('the delay of a removed ticket ends with it, and a new ticket with its key has its own', async () => {
  const { lane, started, activity, clock, schedule } = laneOf(1);
  const a = { key: 'a', group: 'a' };
  lane.addAfter(5, a);
  lane.remove(a);
  expect(await activity.settled(0, schedule)).toBe(true);
  lane.addAfter(10, a);
  lane.addAfter(5, { key: 'b', group: 'b' });
  lane.remove({ key: 'b', group: 'b' });
  clock.set(9);
  await nextTurn();
  expect(started).toEqual([]);
  clock.set(10);
  await nextTurn();
  expect(started).toEqual(['a']);
});

test('the end of all delays makes every ticket wait, in the order in which they were added', () => {
  const { lane, started } = laneOf(9);
  for (const [index, key] of ['a', 'b', 'c'].entries())
    lane.addAfter(1_000 - index, { key, group: key });
  lane.endDelays();
  expect(started).toEqual(['a', 'b', 'c']);
});

test('an urgent ticket goes first, and also while the lane is closed', async () => {
  const { lane, started, finishOne } = laneOf(1);
  lane.limit(0);
  lane.add({ key: 'a', group: 'a' });
  lane.add({ key: 'urgent', group: 'b', priority: 'urgent' });
  expect(started).toEqual(['urgent']);
  lane.add({ key: 'urgent 2', group: 'b', priority: 'urgent' });
  lane.limit(1);
  await finishOne();
  await finishOne();
  expect(started).toEqual(['urgent', 'urgent 2', 'a']);
});

test('a backlog of work that ends at once leaves the event loop free', async () => {
  const schedule = new Schedule(manualClock({ startAt: 0 }));
  let done = 0;
  const work = async () => void (done += 1);
  const lane = new Lane({ concurrency: 64, work, onFailure, schedule, activity: new Activity() });
  lane.limit(0);
  for (let index = 0; index < 10_000; index += 1) lane.add({ key: `${index}`, group: `${index}` });
  lane.limit(64);
  await nextTurn();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(100);
});

test('a stopped host admits nothing', async () => {
  const { lane, started, finishOne, schedule } = laneOf(1);
  for (const key of ['a', 'b']) lane.add({ key, group: key });
  schedule.stop();
  await finishOne();
  expect(started).toEqual(['a']);
});

/** A lane in which work waits: a ticket of each group, by its priority. */
function crowded(tickets: Readonly<Record<'interactive' | 'batch', number>>): Stage {
  const stage = laneOf(1);
  stage.lane.limit(0);
  for (const priority of ['batch', 'interactive'] as const)
    for (let index = 0; index < tickets[priority]; index += 1) {
      const key = `${priority} ${index}`;
      stage.lane.add({ key, group: key, priority });
    }
  stage.lane.limit(1);
  return stage;
}

test('while both wait, every fourth slot is for a batch ticket', async () => {
  const { started, finishOne } = crowded({ interactive: 7, batch: 4 });
  while (started.length < 11) await finishOne();
  expect(started.map((key) => key[0]).join('')).toBe('iiibiiibibb');
});

test('a backlog of batch tickets delays an interactive one by one ticket at most', async () => {
  await assert(
    asyncProperty(
      integer({ min: 0, max: 6 }),
      integer({ min: 20, max: 60 }),
      integer({ min: 1, max: 5 }),
      async (interactive, batch, finished) => {
        const { lane, started, finishOne } = crowded({ interactive, batch });
        for (let index = 0; index < finished; index += 1) await finishOne();
        while (started.filter((key) => key.startsWith('i')).length < interactive) await finishOne();
        const before = started.length;
        lane.add({ key: 'late', group: 'late' });
        await finishOne();
        await finishOne();
        expect(started.slice(before, before + 2)).toContain('late');
      },
    ),
    { numRuns: 100 },
  );
});

test('a batch ticket becomes interactive when it is added again as such, and never less', async () => {
  const { lane, started, finishOne, activity, schedule, clock } = crowded({
    interactive: 0,
    batch: 9,
  });
  lane.addAfter(1_000, { key: 'late', group: 'late', priority: 'batch' });
  for (const key of ['batch 7', 'late']) {
    lane.add({ key, group: key });
    lane.add({ key, group: key, priority: 'batch' });
  }
  clock.set(1_000);
  while (started.length < 10) await finishOne();
  await finishOne();
  expect(started.slice(0, 4)).toEqual(['batch 0', 'batch 7', 'late', 'batch 1']);
  expect(new Set(started).size).toBe(10);
  expect(await activity.settled(0, schedule)).toBe(true);
});

test('failed work is reported, and its slot is free again', async () => {
  const schedule = new Schedule(manualClock({ startAt: 0 }));
  const activity = new Activity();
  const failures: unknown[] = [];
  const lane = new Lane({
    concurrency: 1,
    work: async ({ key }) => {
      throw new Error(`There is no ${key}.`);
    },
    onFailure: ({ key }, error) => failures.push(key, error),
    schedule,
    activity,
  });
  for (const key of ['a', 'b']) lane.add({ key, group: key });
  expect(await activity.settled(Infinity, schedule)).toBe(true);
  const [first, second] = ['a', 'b'].map((key) => new Error(`There is no ${key}.`));
  expect(failures).toEqual(['a', first, 'b', second]);
});
