import { join } from 'node:path';
import { storeInstances } from './stored-instances.ts';

/**
 * Stores an instance of each format in each kind of store, for the tests of later releases:
 * `node packages/dramaturg/test/releases/make-stores.ts 0.2.0`. Stores of earlier releases are never made again.
 */
const [, , release] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(release ?? '')) throw new Error('Name the release, such as 0.2.0.');
await storeInstances(join(import.meta.dirname, release!));
