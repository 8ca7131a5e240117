import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  sharedPostgres,
  sharedRestate,
  whyNoPostgres,
  whyNoRestate,
} from '@dramaturg/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { ContenderName } from '../src/side-by-side/contenders.ts';
import { Answers, Load, openContender } from '../src/side-by-side/opened.ts';
import { messageText, replyText } from '../src/host/stage.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dramaturg-side-by-side-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const whyNoPeers = existsSync(join(import.meta.dirname, '../peers/node_modules'))
  ? undefined
  : 'The packages to compare with are not installed: npm ci --prefix apps/bench/peers';

const [postgres, restate] = [whyNoPostgres(), whyNoRestate()];

const needs: Record<ContenderName, string | undefined> = {
  'ours on lowdb': undefined,
  'ours on sqlite': undefined,
  'ours on Postgres': postgres,
  'ours on Postgres, followed': postgres,
  'ours on Restate': restate,
  'LangGraph with SqliteSaver': whyNoPeers,
  DBOS: whyNoPeers ?? postgres,
  openworkflow: whyNoPeers ?? postgres,
  'LangGraph with PostgresSaver': whyNoPeers ?? postgres,
  'three inserts on Postgres': postgres,
  'a Restate object that accepts messages': restate,
  'a Restate object of one handler': restate,
};

for (const [name, reason] of Object.entries(needs) as [ContenderName, string | undefined][]) {
  test.skipIf(reason !== undefined)(
    `${name} takes turns of several conversations at a time${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    async () => {
      const { ingress, admin } = name.includes('Restate')
        ? await sharedRestate()
        : { ingress: '', admin: '' };
      const onPostgres = ['DBOS', 'openworkflow'].includes(name) || name.includes('Postgres');
      const { load, close } = await openContender(
        {
          name,
          folder,
          postgres: onPostgres ? (await sharedPostgres()).createDatabase().url : '',
          ingress,
          admin,
          conversations: 5,
        },
        () => {},
      );
      for (const inFlight of [1, 5]) {
        const { turns, p50, p99 } = await load.run(inFlight, 200);
        expect(turns).toBeGreaterThan(0);
        expect(p50).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
      await close();
    },
  );
}

test('a load keeps that many turns in flight, one for each conversation, and counts all of them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = new Set<string>();
  let most = 0;
  let count = 0;
  const lastTurns = new Map<string, number>();
  const turn = async (id: string, number: number) => {
    expect(running.has(id)).toBe(false);
    expect(number).toBe((lastTurns.get(id) ?? 0) + 1);
    lastTurns.set(id, number);
    running.add(id);
    most = Math.max(most, running.size);
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(5);
    running.delete(id);
    count += 1;
  };
  const load = new Load(
    { turn },
    Array.from({ length: 7 }, (_, index) => `${index}`),
  );
  const { turns, p50, count: counted } = await load.run(3, 200);
  expect(most).toBe(3);
  expect(counted).toBe(count);
  expect(lastTurns.size).toBe(7);
  expect(turns).toBeCloseTo(200);
  expect(p50).toBe(15);
});

test('a turn that has not delivered its answer fails the measurement', () => {
  const answers = new Answers();
  answers.deliver('ada', replyText(messageText(1)));
  expect(() => answers.check('ada', 1)).not.toThrow();
  expect(() => answers.check('ada', 2)).toThrow('Turn 2 of ada delivered "You said: ');
  expect(() => answers.check('ben', 1)).toThrow('Turn 1 of ben delivered undefined.');
});
