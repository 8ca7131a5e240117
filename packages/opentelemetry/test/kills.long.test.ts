import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, InstanceSummary } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import {
  Collector,
  freePort,
  sharedPostgres,
  sharedRestate,
  whyNoPostgres,
  whyNoRestate,
} from '@dramaturg/test-servers';
import { firstWord } from '../../../.config/first-word.ts';
import { openHost, type TracedPlace } from './traced-place.ts';
import type { Mission } from './traced-process.ts';

/** `KILLS=1000` kills as many processes, half of them on each store in files, and a fifth more on each server. */
const killCount = Number(process.env['KILLS'] ?? 4);

interface Stage {
  readonly kills: number;
  readonly missing?: string | undefined;
  readonly place: (folder: string) => Promise<TracedPlace>;
}

const stages: Readonly<Record<TracedPlace['kind'], Stage>> = {
  lowdb: {
    kills: Math.ceil(killCount / 2),
    place: async (folder) => ({ kind: 'lowdb', path: join(folder, 'store') }),
  },
  sqlite: {
    kills: Math.ceil(killCount / 2),
    place: async (folder) => ({ kind: 'sqlite', path: join(folder, 'store') }),
  },
  postgres: {
    kills: Math.ceil(killCount / 5),
    missing: whyNoPostgres(),
    place: async () => ({ kind: 'postgres', url: (await sharedPostgres()).createDatabase().url }),
  },
  restate: {
    kills: Math.ceil(killCount / 5),
    missing: whyNoRestate(),
    place: async () => {
      const { ingress, admin } = await sharedRestate();
      const namespace = `kills-${process.pid}`;
      return { kind: 'restate', ingress, admin, namespace, port: await freePort() };
    },
  },
};

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
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
}

for (const [kind, { kills, missing: why, place: placeIn }] of Object.entries(stages))
  // oxlint-disable-next-line vitest/valid-title -- The reason is a part of the name.
  test.skipIf(why !== undefined)(
    `after ${kills} kills of a host on ${kind} no span comes twice, and no more are missing than were being handed on${why ? ` (${why})` : ''}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'kills-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const place = await placeIn(folder);
      const collector = await Collector.start();
      onTestFinished(() => collector.stop());
      for (let run = 0; run < kills; run += 1) {
        const victim = start({ folder, place, collector: collector.url, run });
        await firstWord(victim);
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
      const last = start({ folder, place, collector: collector.url, run: kills }, 'only goes on');
      await firstWord(last);
      last.send('stop');
      await once(last, 'exit');

      expect(collector.twice).toEqual([]);
      const instances = collector.spans.filter(({ name }) => name === 'invoke_workflow parent');
      const host = await openHost(place, { definitions: {} });
      const parents = await everyParent(host);
      await host.stop();
      const errors = join(folder, 'errors.txt');
      const told = existsSync(errors) ? readFileSync(errors, 'utf8') : '';
      const missing = [...told.matchAll(/handed (\d+) spans to the collector/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
      expect(parents.length).toBeGreaterThan(0);
      expect(parents.every(({ ended }) => ended)).toBe(true);
      // Two instances, two turns, four transitions and four calls.
      const spansOfRun = 12;
      expect(collector.spans.length).toBeLessThanOrEqual(parents.length * spansOfRun);
      expect(collector.spans.length).toBeGreaterThanOrEqual(parents.length * spansOfRun - missing);
      expect(instances.length).toBeLessThanOrEqual(parents.length);
      const traces = new Set(collector.spans.map(({ traceId }) => traceId));
      expect(traces.size).toBeLessThanOrEqual(parents.length);
    },
  );
