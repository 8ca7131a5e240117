import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { definitionOf, openStored, storedInstances, storeKinds } from './stored-instances.ts';

/**
 * Stores an instance of each format in each kind of store, for the tests of later releases:
 * `node packages/dramaturg/test/releases/make-stores.ts 0.2.0`. Stores of earlier releases are never made again.
 */
const [, , release] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(release ?? '')) throw new Error('Name the release, such as 0.2.0.');

for (const [format, instance] of Object.entries(storedInstances)) {
  for (const kind of storeKinds) {
    const folder = join(import.meta.dirname, release!, `${format}-${kind}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const host = await openStored(kind, folder, definitionOf(instance));
    await host.start('it', { id: 'i', contact: 'i', ...instance.input });
    await host.settle();
    await instance.before(host, 'i');
    await host.settle();
    await host.stop();
  }
}
