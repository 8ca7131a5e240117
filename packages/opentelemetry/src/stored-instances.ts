import { isRecord } from '@dramaturg/compiler';
import type { HostEvent, StoredChart } from '@dramaturg/host';
import type { Content } from './content.ts';
import { traceIdOf } from './ids.ts';
import { isGone } from './is-gone.ts';
import { SourceMap } from './source-map.ts';
import type { InstanceKind, TracedInstance } from './traced.ts';
import type { TracedHost } from './traced-host.ts';

export interface StoredInstancesOptions {
  readonly host: TracedHost;
  readonly content: Content;
  /** The paths of definitions, by name. */
  readonly files: Readonly<Record<string, string>>;
}

const definitionsMax = 256;
const linesPerPage = 500;

/**
 * Reads of a host what its events do not say of their instances.
 *
 * Owns the source maps of the definitions that were read last.
 */
export class StoredInstances {
  readonly #options: StoredInstancesOptions;
  readonly #sources = new Map<string, SourceMap>();

  constructor(options: StoredInstancesOptions) {
    this.#options = options;
  }

  /** @param within the parent of the instance, its parent, and so on */
  async read(id: string, within: readonly string[]): Promise<Omit<TracedInstance, 'parent'>> {
    const { host, content } = this.#options;
    const { definition, createdAt, input } = await host.get(id);
    const { flow, lifecycle } = await host.charts(id);
    const sources = this.#sourcesOf(flow ?? lifecycle);
    const root = within.at(-1) ?? id;
    const rootCreatedAt = root === id ? createdAt : await this.#createdAt(root, createdAt);
    return {
      id,
      traceId: traceIdOf(root, rootCreatedAt),
      definition,
      kind: kindOf(flow && sources),
      createdAt,
      sources,
      input: content.isOn ? input : undefined,
    };
  }

  /** The parent of an instance, its parent, and so on. */
  async ancestorsOf(id: string): Promise<readonly string[]> {
    const ancestors: string[] = [];
    for (let each = await this.#parentOf(id); each !== undefined; each = await this.#parentOf(each))
      ancestors.push(each);
    return ancestors;
  }

  async #parentOf(id: string): Promise<string | undefined> {
    return (await this.#options.host.get(id)).parent;
  }

  /** The events in the journal of an instance, each with its line. */
  async *eventsOf(
    id: string,
    first: number,
    end: number,
  ): AsyncGenerator<readonly [event: HostEvent, line: number], void> {
    for (let from = first; from < end; from += linesPerPage) {
      const limit = Math.min(linesPerPage, end - from);
      const lines = await this.#options.host.journal(id, { from, limit });
      for (const [index, each] of lines.entries())
        if (isRecord(each) && each['source'] !== 'step')
          yield [each as unknown as HostEvent, from + index + 1];
      if (lines.length < limit) return;
    }
  }

  async #createdAt(root: string, otherwise: number): Promise<number> {
    try {
      return (await this.#options.host.get(root)).createdAt;
    } catch (error) {
      if (isGone(error)) return otherwise;
      throw error;
    }
  }

  #sourcesOf(stored: StoredChart): SourceMap {
    const { name, version } = stored.ref;
    const key = JSON.stringify([name, version]);
    const known = this.#sources.get(key);
    if (known) return known;
    const { files } = this.#options;
    const sources = new SourceMap(stored, Object.hasOwn(files, name) ? files[name] : undefined);
    if (this.#sources.size >= definitionsMax)
      this.#sources.delete(this.#sources.keys().next().value!);
    this.#sources.set(key, sources);
    return sources;
  }
}

function kindOf(flow: SourceMap | undefined): InstanceKind {
  if (!flow) return 'lifecycle';
  return flow.converses ? 'conversation' : 'workflow';
}
