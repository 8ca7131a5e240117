import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServerOptions } from './mcp-host.ts';
import { transcriptOf } from './resources.ts';

/** Resources that a client may subscribe to at the same time. */
const subscriptionsMax = 1_000;
/** Milliseconds in which several changes are one notification. */
const quietMs = 100;
/** Milliseconds between two looks at the names of the definitions, of which no events tell. */
const lookIntervalMs = 2_000;

/** Notifies the client of a server about new lines of transcripts, new instances and other definitions. */
export class Updates {
  readonly #server: Server;
  readonly #subscribed = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #end = new AbortController();
  #hasNewInstances = false;
  #flush: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** @returns false when the client has too many subscriptions */
  subscribe(uri: string): boolean {
    if (this.#subscribed.size >= subscriptionsMax && !this.#subscribed.has(uri)) return false;
    this.#subscribed.add(uri);
    return true;
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
  }

  /** @param events absent when the client may not read instances */
  begin({ host, events }: Pick<McpServerOptions, 'host' | 'events'>): void {
    if (events) void this.#follow(events).catch(() => {});
    let known: string | undefined;
    const look = async () => {
      const names = JSON.stringify(await host.definitions());
      if (known !== undefined && names !== known) await this.#server.sendToolListChanged();
      known = names;
    };
    const looking = setInterval(() => void look().catch(() => {}), lookIntervalMs).unref();
    void look().catch(() => {});
    this.#end.signal.addEventListener('abort', () => clearInterval(looking), { once: true });
  }

  end(): void {
    clearTimeout(this.#flush);
    this.#end.abort();
  }

  async #follow(events: NonNullable<McpServerOptions['events']>): Promise<void> {
    const types = ['message.*', 'state.entered'];
    for await (const { instance, source, event } of events({ types, signal: this.#end.signal })) {
      const uri = transcriptOf(instance);
      if (event.type.startsWith('message.')) {
        if (this.#subscribed.has(uri)) this.#changed.add(uri);
      } else if (source === 'lifecycle' && !('from' in event)) this.#hasNewInstances = true;
      if (this.#changed.size > 0 || this.#hasNewInstances)
        this.#flush ??= setTimeout(() => void this.#notify().catch(() => {}), quietMs).unref();
    }
  }

  async #notify(): Promise<void> {
    this.#flush = undefined;
    const changed = [...this.#changed];
    const hasNewInstances = this.#hasNewInstances;
    this.#changed.clear();
    this.#hasNewInstances = false;
    if (hasNewInstances) await this.#server.sendResourceListChanged();
    for (const uri of changed) await this.#server.sendResourceUpdated({ uri });
  }
}
