import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type InstanceSummary, lowdbStore, sqliteStore } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { Collector } from '@dramaturg/test-servers';
import type { Mission } from './traced-process.ts';

/** `KILLS=1000` kills as many processes, half of them on each store. */
const kills = Math.ceil(Number(process.env['KILLS'] ?? 20) / 2);

async function everyParent(host: Host): Promise<InstanceSummary[]> {
  const all: InstanceSummary[] = [];
  for (let after: string | undefined; ;) {
    const page = { limit: 1000, ...(after === undefined ? {} : { after }) };
    const { items, next } = await host.list({ definition: 'parent' }, page);
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

function start(mission: Mission, ...more: string[]) {
  return fork(join(import.meta.dirname, 'traced-process.ts'), [JSON.stringify(mission), ...more], {
    stdio: 'inherit',
  });
}

test.each(['lowdb', 'sqlite'] as const)(
  `after ${kills} kills of a host on %s no span comes twice, and no more are missing than were being handed on`,
  async (store) => {
    const folder = mkdtempSync(join(tmpdir(), 'kills-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const collector = await Collector.start();
    onTestFinished(() => collector.stop());
    for (let run = 0; run < kills; run += 1) {
      const victim = start({ folder, store, collector: collector.url, run });
      await once(victim, 'message');
      // Half of them while a batch is being handed on, which the collector has and the process does not know.
      if (run % 2 === 0) {
        let requests = run % 6;
        collector.onRequest = () => {
          requests -= 1;
          if (requests < 0) victim.kill('SIGKILL');
        };
      } else setTimeout(() => victim.kill('SIGKILL'), (run * 37) % 150);
      await once(victim, 'exit');
    }
    collector.onRequest = () => {};
    const last = start({ folder, store, collector: collector.url, run: kills }, 'only goes on');
    await once(last, 'message');
    last.send('stop');
    await once(last, 'exit');

    expect(collector.twice).toEqual([]);
    const instances = collector.spans.filter(({ name }) => name === 'invoke_workflow parent');
    const path = join(folder, 'store');
    const host = await createHost({
      store: store === 'lowdb' ? lowdbStore(path) : sqliteStore(`${path}.db`),
      definitions: {},
    });
    const all = await everyParent(host);
    await host.stop();
    const errors = join(folder, 'errors.txt');
    const told = existsSync(errors) ? readFileSync(errors, 'utf8') : '';
    const missing = [...told.matchAll(/handed (\d+) spans to the collector/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    expect(all.length).toBeGreaterThan(kills / 2);
    expect(all.every(({ ended }) => ended)).toBe(true);
    // Two instances, two turns, four transitions and four calls.
    const spansOfRun = 12;
    expect(collector.spans.length).toBeLessThanOrEqual(all.length * spansOfRun);
    expect(collector.spans.length).toBeGreaterThanOrEqual(all.length * spansOfRun - missing);
    expect(instances.length).toBeLessThanOrEqual(all.length);
    const traces = new Set(collector.spans.map(({ traceId }) => traceId));
    expect(traces.size).toBeLessThanOrEqual(all.length);
  },
  120_000 + kills * 60_000,
);
