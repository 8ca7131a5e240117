import type { Host } from 'dramaturg';

/** Ids that exist, for the places that requests leave for them. */
export class LiveIds {
  readonly #hosts: readonly Host[];
  readonly #folder: string;
  #ids: Readonly<Record<string, readonly string[]>> = {};

  /** @param folder for copies of the store */
  constructor(hosts: readonly Host[], folder: string) {
    this.#hosts = hosts;
    this.#folder = folder;
  }

  /** Reads the ids that exist now. */
  async refresh(): Promise<void> {
    const instance: string[] = [];
    const decision: string[] = [];
    const checkpoint: string[] = [];
    const cursor: string[] = [];
    for (const host of this.#hosts) {
      const { items } = await host.list({}, { limit: 60 });
      const open = await host.decisions({}, { limit: 60 });
      instance.push(...items.map(({ id }) => id));
      decision.push(...open.items.map((each) => each.decision));
      for (const { id } of items.slice(0, 3)) {
        const found = await tracesOf(host, id).catch(() => undefined);
        checkpoint.push(...(found?.checkpoints ?? []));
        cursor.push(...(found?.cursors ?? []));
      }
    }
    this.#ids = { instance, decision, checkpoint, cursor };
  }

  /** @param write how an id is written in this text */
  inText(text: string, write: (id: string) => string): string {
    return text
      .replaceAll('@folder', () => this.#folder)
      .replaceAll(/@(instance|decision|checkpoint|cursor):(\d+)/g, (_, kind: string, number) => {
        const ids = this.#ids[kind] ?? [];
        return write(ids[Number(number) % (ids.length || 1)] ?? 'none');
      });
  }
}

/** Rejects when the instance has been erased. */
async function tracesOf(host: Host, id: string) {
  const checkpoints = (await host.checkpoints(id)).map(({ name }) => name);
  const cursors: string[] = [];
  const signal = AbortSignal.timeout(20);
  for await (const event of host.events({ instance: id, after: 'beginning', signal }))
    if ('cursor' in event) cursors.push(event.cursor);
  return { checkpoints, cursors };
}
