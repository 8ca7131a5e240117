import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceHistory } from '@dramaturg/host';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { behaviours } from '../../src/host.ts';
import { openStored, storedInstances, storeInstances, storeKinds } from './stored-instances.ts';

/** The promise from 0.2.0 on: instances that an earlier release has stored are opened, continue, and are replayed. */

const today = mkdtempSync(join(tmpdir(), 'dramaturg-release-'));
beforeAll(() => storeInstances(today));
afterAll(() => rmSync(today, { recursive: true, force: true }));

const folders = new Map([
  ['this version', today],
  ...readdirSync(import.meta.dirname)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .map((release) => [release, join(import.meta.dirname, release)] as const),
]);

const stored = [...folders.keys()].flatMap((release) =>
  Object.keys(storedInstances).flatMap((format) =>
    storeKinds.map((kind) => [release, format, kind] as const),
  ),
);

test.each(stored)('%s: the %s instance in %s continues', async (release, format, kind) => {
  const origin = join(folders.get(release)!, `${format}-${kind}`);
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(origin, folder, { recursive: true });
  const host = await openStored(kind, folder);
  onTestFinished(() => host.stop({ within: 0 }));
  expect(await host.verify()).toMatchObject({ damaged: [] });
  await replayed();
  const { after, state } = storedInstances[format]!;
  expect(await after(host, 'i')).toMatchObject({ accepted: true });
  await host.settle();
  expect((await host.get('i')).state).toBe(state);
  await replayed();

  async function replayed(): Promise<void> {
    const history = new InstanceHistory({ id: 'i', charts: await host.charts('i'), behaviours });
    await history.take(await host.journal('i', { from: 0, limit: 10_000 }));
    expect(history.departures).toEqual([]);
    const { state: status, flow } = await host.get('i');
    expect([history.view().state, history.view().flow]).toEqual([status, flow]);
  }
});
