import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, sqliteStore } from '@dramaturg/host';
import { chaptersOfStores, hostContract } from '@dramaturg/testing';
import { afterAll } from 'vitest';
import { lifecycles } from './lifecycles.ts';

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-host-'));
afterAll(() => rmSync(folder, { recursive: true }));
let places = 0;

hostContract(
  () => {
    places += 1;
    const store = sqliteStore(join(folder, `${places}.sqlite`), { fsync: 'never' });
    return { open: (options) => createHost({ ...options, store }) };
  },
  { lifecycles, concurrent: true, chapters: chaptersOfStores },
);
