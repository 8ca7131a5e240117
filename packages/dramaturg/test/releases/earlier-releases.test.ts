import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceHistory } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { behaviours } from '../../src/host.ts';
import { openStored, storedInstances, storeKinds } from './stored-instances.ts';

/** The promise from 0.2.0 on: instances that an earlier release has stored are opened, go on, and are replayed. */

const releases = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

const stored = releases.flatMap((release) =>
  Object.keys(storedInstances).flatMap((format) =>
    storeKinds.map((kind) => [release, format, kind] as const),
  ),
);

test('there are stores of an earlier release', () => {
  expect(releases).toContain('0.2.0');
});

test.each(stored)('release %s: the %s instance in %s goes on', async (release, format, kind) => {
  const origin = join(import.meta.dirname, release, `${format}-${kind}`);
  expect(existsSync(origin)).toBe(true);
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
