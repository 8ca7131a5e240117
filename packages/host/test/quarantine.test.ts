import { afterEach, beforeEach, expect, test } from 'vitest';
import { Schedule } from '../src/admission/schedule.ts';
import { manualClock } from '../src/clock/manual.ts';
import { Quarantine } from '../src/host/quarantine.ts';
import type { Store } from '../src/store/contract.ts';
import { memoryStore } from '../src/store/memory.ts';
import { overriding } from '../src/store/overriding.ts';

/** A note of the last host, and what the next host does with it before its first step. */

let store: Store;
let schedule: Schedule;
let reports: string[];

beforeEach(async () => {
  store = await memoryStore().open('a test');
  schedule = new Schedule(manualClock({ startAt: 1_000 }));
  reports = [];
  const fields = { createdAt: 1, status: 'WORKING', ended: false, snapshot: {} };
  await store.create({
    ...fields,
    id: 'poison',
    kind: 'instance',
    timers: [{ key: 'reminder', at: 5_000 }],
    outbox: [{ id: 'call', body: { kind: 'call', port: 'runAgent' } }],
  });
  const snapshot = {
    deciding: { poison: 1 },
    suspects: { poison: { revision: 1, deaths: 1 } },
  };
  await store.create({
    ...fields,
    id: 'host:deciding',
    kind: 'host',
    status: 'deciding',
    snapshot,
  });
});

afterEach(() => schedule.stop());

async function begun(opened = store): Promise<Quarantine> {
  const onError = (error: unknown) => void reports.push((error as { code: string }).code);
  const quarantine = new Quarantine({ store: opened, schedule, onError });
  await quarantine.begin();
  return quarantine;
}

test('the second death sets an instance aside: it is in the queue, has no timer, and resumes with a letter', async () => {
  const quarantine = await begun();
  const record = (await store.read('poison'))!;
  expect(record).toMatchObject({
    revision: 2,
    attention: { queue: 'setAside', since: 1_000 },
    timers: [],
  });
  expect(record.outbox.map(({ id }) => id)).toEqual(['call', 'continuation']);
  expect(reports).toEqual(['host/set-aside']);
  // It is not a suspect any more, so its next decision, to cancel or resume it, does not wait.
  expect(quarantine.enter('poison', 2)).toBeUndefined();
});

test('an instance that was written since it was noted is not set aside', async () => {
  await store.commit({ id: 'poison', expectedRevision: 1, status: 'WORKING' });
  await begun();
  expect(await store.read('poison')).toMatchObject({ revision: 2, timers: [{ at: 5_000 }] });
  expect(reports).toEqual([]);
});

test('an instance that cannot be set aside stays a suspect, whose next decision waits', async () => {
  const failure = Object.assign(new Error(), { code: 'store/failed' });
  const failing = overriding<Store>(store, { commit: () => Promise.reject(failure) });
  const quarantine = await begun(failing);
  expect(reports).toEqual(['store/failed']);
  expect(quarantine.enter('poison', 1)).toBeInstanceOf(Promise);
});

test('a decision while the note is removed is noted anew, and leaves no note', async () => {
  await store.commit({ id: 'poison', expectedRevision: 1, status: 'WORKING' });
  const decided: Promise<unknown>[] = [];
  const slow = overriding<Store>(store, {
    delete: async (id) => {
      const wasThere = await store.delete(id);
      if (decided.length > 0) return wasThere;
      decided.push(quarantine.enter('poison', 2)!.then((leave) => leave(3)));
      await Promise.all(decided);
      return wasThere;
    },
  });
  const quarantine = await begun(slow);
  quarantine.watch('poison');
  await quarantine.end();
  expect(decided).toHaveLength(1);
  expect(await store.read('host:deciding')).toBeUndefined();
});
