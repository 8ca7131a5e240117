import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { nodeSystem, type System } from '../../src/store/disk/system.ts';
import type { OpenFile } from '../../src/store/disk/file-system.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ran } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

const kinds = {
  lowdb: { storeAt: lowdbStore, lock: (path: string) => join(path, 'owner.lock') },
  sqlite: { storeAt: sqliteStore, lock: (path: string) => `${path}.lock` },
} as const;

const aRecord = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1 };

/** Steps that are counted. The one with the number `failing` fails, and those after it if the fault lasts. */
class Steps {
  readonly names: string[] = [];
  failing = -1;
  lasts = false;

  readonly step = (name: string): void => {
    this.names.push(name);
    const step = this.names.length - 1;
    if (step !== this.failing && !(this.lasts && step > this.failing && this.failing >= 0)) return;
    throw Object.assign(new Error(`EIO: the step ${name} fails`), { code: 'EIO' });
  };
}

/** A system whose file operations are steps. */
function stepping(steps: Steps): System {
  const real = nodeSystem();
  const stepped = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (_, name) => {
        const call: unknown = Reflect.get(target, name);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]) => {
          steps.step(String(name));
          const result: unknown = await Reflect.apply(call, target, args);
          return name === 'open' ? stepped(result as OpenFile) : result;
        };
      },
    });
  return { ...real, files: stepped(real.files) };
}

/** Makes each command of SQLite two steps: it fails before it is carried out, or after, as a flush does. */
function stepSqlite(steps: Steps): () => void {
  const statement = new Database(':memory:').prepare('SELECT 1');
  const spies = [
    [Database.prototype, 'pragma'] as const,
    [Database.prototype, 'exec'] as const,
    [Object.getPrototypeOf(statement) as typeof statement, 'run'] as const,
  ].map(([target, name]) => {
    const call: (...values: unknown[]) => unknown = Reflect.get(target, name);
    const object = target as unknown as Record<string, (...values: unknown[]) => unknown>;
    return vi.spyOn(object, name).mockImplementation(function (
      this: unknown,
      ...values: unknown[]
    ) {
      steps.step(`${name} ${String(values[0])}`);
      const result = call.apply(this, values);
      steps.step(`${name} ${String(values[0])}, flushed`);
      return result;
    });
  });
  return () => spies.forEach((spy) => spy.mockRestore());
}

describe.each(['lowdb', 'sqlite'] as const)('%s', (kind) => {
  const { storeAt, lock } = kinds[kind];

  test.each([
    ['a new store', 'passes'],
    ['a store that was closed', 'passes'],
    ['a store that was closed', 'lasts'],
    ['a store whose owner is dead', 'passes'],
  ])(
    'each step of opening %s can fail, the fault %s, and the next open succeeds at once',
    async (state, fault) => {
      const template = temporaryFolder();
      const before = join(template, 'store');
      if (state === 'a store that was closed') await ran({ store: kind, path: before });
      if (state === 'a store whose owner is dead')
        await ran({ store: kind, path: before, exit: true });
      let failing = 0;
      for (; ; failing += 1) {
        const folder = temporaryFolder();
        cpSync(template, folder, { recursive: true });
        const path = join(folder, 'store');
        const steps = new Steps();
        steps.failing = failing;
        steps.lasts = fault === 'lasts';
        const system = stepping(steps);
        const end = stepSqlite(steps);
        const place = storeAt(path, {
          system,
          atWritePoint: steps.step,
          onError: () => undefined,
        });
        const outcome = await place.open('the one that fails').then(
          (store) =>
            store.close().then(
              () => 'opened',
              () => 'opened',
            ),
          (error: { code: string }) => error.code,
        );
        end();
        steps.failing = -1;
        const failed = `${failing} ${steps.names[failing]}`.slice(0, 100);
        expect([failed, outcome]).toEqual([failed, expect.stringMatching(/^(store\/.*|opened)$/)]);
        // Nothing can remove the lock while the fault lasts.
        const released = fault === 'lasts' || !lockIn(lock(path)).includes('fails');
        expect([failed, released]).toEqual([failed, true]);
        const store = await storeAt(path).open(`the next after ${failed}`);
        if ((await store.read('a')) === undefined) await store.create(aRecord);
        await store.close();
        const names = readdirSync(kind === 'lowdb' ? path : folder);
        expect([
          failed,
          names.filter((name) => (fault === 'lasts' ? /lock/ : /lock|\.new/).test(name)),
        ]).toEqual([failed, []]);
        if (failing >= steps.names.length) break;
      }
      expect(failing).toBeGreaterThan(10);
    },
  );
});

function lockIn(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
