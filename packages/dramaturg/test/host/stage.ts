import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createHost,
  type Host,
  type HostOptions,
  lowdbStore,
  memoryStore,
  type PortInput,
  sqliteStore,
  type StoreLocation,
} from '../../src/index.ts';

/** A place of each kind, by its name. */
export const places: Readonly<Record<string, () => StoreLocation>> = {
  memory: memoryStore,
  lowdb: () => lowdbStore(temporary()),
  sqlite: () => sqliteStore(join(temporary(), 'store.sqlite')),
};

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Entry {
  readonly source: string;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
}

/** A host that can be stopped and started on the same store. */
export class Stage {
  readonly #options: HostOptions;
  host!: Host;

  private constructor(options: HostOptions) {
    this.#options = options;
  }

  static async open(options: HostOptions): Promise<Stage> {
    const stage = new Stage(options);
    await stage.open();
    onTestFinished(() => stage.host.stop({ within: 0 }));
    return stage;
  }

  async open(): Promise<void> {
    this.host = await createHost(this.#options);
  }

  async restart(): Promise<void> {
    await this.host.stop({ within: 0 });
    await this.open();
  }

  async events(id: string): Promise<Entry['event'][]> {
    const lines = await this.host.journal(id, { from: 0, limit: 10_000 });
    return (lines as unknown as Entry[])
      .filter(({ source }) => source === 'flow')
      .map(({ event }) => event);
  }

  /** The event that ended a workflow; undefined while it runs. */
  async ended(id: string): Promise<Entry['event'] | undefined> {
    return (await this.events(id)).find(({ type }) => type === 'workflow.ended');
  }

  async output(id: string): Promise<unknown> {
    return (await this.ended(id))?.['output'];
  }

  async until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const deadline = Date.now() + 300_000;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`It did not come to ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Agents that answer at once, and remember the keys of their calls. */
export function agents(answer: (call: PortInput<'runAgent'>) => unknown = ({ agent }) => agent) {
  const keys: string[] = [];
  const ports: HostOptions['ports'] = {
    runAgent: (call) => {
      keys.push(call.key);
      return { result: answer(call) as never };
    },
  };
  return { keys, ports };
}
