/* oxlint-disable vitest/valid-title, vitest/expect-expect, vitest/no-conditional-tests -- A fact's name and checks come from its chapter. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import type { Page, Store, StoreLocation } from '@dramaturg/host';
import type { Change, NewRecord } from '@dramaturg/host/store';
import { onTestFinished, test } from 'vitest';

/** Registers one fact about a store. The test gets an open, empty store and its location. */
export type Fact = (
  name: string,
  check: (store: Store, place: StoreLocation) => Promise<void>,
) => void;

export function factsOf(
  makeStore: () => StoreLocation | Promise<StoreLocation>,
  reasonsToSkip: ReadonlyMap<string, string>,
): Fact {
  return (name, check) => {
    const reason = reasonsToSkip.get(name);
    if (reason !== undefined) {
      test.skip(`${name} (${reason})`);
      return;
    }
    test(name, async () => {
      const place = await makeStore();
      const store = await place.open('the contract');
      onTestFinished(() => store.close());
      await check(store, place);
    });
  };
}

/** Stores on a disk, for tests that look at their files. */
export interface DiskStores {
  /** A path where nothing exists. */
  readonly newPath: () => string;
  readonly at: (path: string) => StoreLocation;
}

/**
 * Registers one fact about a store on a disk.
 *
 * @param open opens the store at `path`; it is closed at the end of the test
 */
export type DiskFact = (
  name: string,
  check: (open: () => Promise<Store>, path: string, at: DiskStores['at']) => Promise<void>,
) => void;

export function diskFactsOf(
  disk: DiskStores | undefined,
  reasonsToSkip: ReadonlyMap<string, string>,
): DiskFact {
  return (name, check) => {
    const reason = disk === undefined ? 'The store has no files.' : reasonsToSkip.get(name);
    if (disk === undefined || reason !== undefined) {
      test.skip(`${name} (${reason})`);
      return;
    }
    test(name, async () => {
      const path = disk.newPath();
      const open = async () => {
        const store = await disk.at(path).open('the contract');
        onTestFinished(() => store.close());
        return store;
      };
      await check(open, path, disk.at);
    });
  };
}

/** A record to create, with every field that a record can have. */
export function aRecord(fields: Partial<NewRecord> = {}): NewRecord {
  return {
    id: 'lunch-with-maria',
    kind: 'conversation',
    contact: '+56912345678',
    parent: 'contact:+56912345678',
    definition: { name: 'intake', version: '3' },
    createdAt: 1_000,
    status: 'ACTIVE',
    snapshot: { state: 'greeting', collected: {} },
    ...fields,
  };
}

/** A change to the record that `aRecord` makes, at its first revision. */
export function aChange(fields: Partial<Change> = {}): Change {
  return { id: 'lunch-with-maria', expectedRevision: 1, ...fields };
}

export function aLetter(id: string, body: Json = { type: 'message.received', text: id }) {
  return { id, body };
}

/** Opens a place again, as a host does after a restart. */
export async function reopened(store: Store, place: StoreLocation): Promise<Store> {
  await store.close();
  const again = await place.open('the contract, again');
  onTestFinished(() => again.close());
  return again;
}

/** All pages, one after another. */
export async function allOf<Item>(
  page: (after: { readonly after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let from: { readonly after?: string } = {};
  for (;;) {
    const { items: found, next } = await page(from);
    items.push(...found);
    if (next === undefined) return items;
    from = { after: next };
  }
}

/** Unique strings of letters and digits, which no encoding changes. */
export function plantedTexts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `zq${index}x${randomLetters()}`);
}

function randomLetters(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    String.fromCodePoint(97 + (byte % 26)),
  ).join('');
}

/** All files of a store: those in its folder, or its file and the files next to it whose names begin with its name. */
export function filesIn(path: string): string[] {
  const name = basename(path);
  const names = readdirSync(dirname(path)).filter(
    (each) => each === name || each.startsWith(`${name}-`) || each.startsWith(`${name}.lock`),
  );
  return names.flatMap((each) => filesUnder(join(dirname(path), each)));
}

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

/** Searches the names and all bytes of the files of a store. @returns each string that was found, with a file that contains it */
export function filesWith(path: string, texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const file of filesIn(path)) {
    const content = `${file}\n${readFileSync(file, 'latin1')}`;
    for (const text of texts) if (content.includes(text)) found[text] = file;
  }
  return found;
}
