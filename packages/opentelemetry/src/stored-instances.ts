import { isRecord } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import { isUnknownInstance } from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import type { Content } from './content.ts';
import { traceIdOf } from './ids.ts';
import { SourceMap } from './source-map.ts';
import type { TracedHost } from './traced-host.ts';
import type { InstanceKind, TracedInstance } from './traced.ts';

export interface StoredInstancesOptions {
  readonly host: TracedHost;
  readonly content: Content;
  /** The paths of definitions, by name. */
  readonly files: Readonly<Record<string, string>>;
}

const definitionsMax = 256;
const linesPerPage = 500;

/**
 * Reads from a host the facts about instances that its events do not contain.
 *
 * Caches the definitions that were read last.
 */
export class StoredInstances {
  readonly #options: StoredInstancesOptions;
  readonly #definitions = new Map<string, KnownDefinition>();

  constructor(options: StoredInstancesOptions) {
    this.#options = options;
  }

  /** @param within the parent of the instance, its parent, and so on */
  async read(id: string, within: readonly string[]): Promise<Omit<TracedInstance, 'parent'>> {
    const { host, content } = this.#options;
    const root = within.at(-1);
    // In parallel: each answer of a remote host takes milliseconds.
    const [{ definition, createdAt, input }, begun] = await Promise.all([
      host.get(id),
      root === undefined ? undefined : this.#createdAt(root),
    ]);
    const { sources, kind } = await this.#sourcesOf(id, definition);
    return {
      id,
      traceId: traceIdOf(root ?? id, begun ?? createdAt),
      definition,
      kind,
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

  /** @returns undefined when the instance was erased */
  async #createdAt(id: string): Promise<number | undefined> {
    try {
      return (await this.#options.host.get(id)).createdAt;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** A version of a definition never changes, so it is read once. */
  async #sourcesOf(id: string, { name, version }: DefinitionVersion): Promise<KnownDefinition> {
    const key = JSON.stringify([name, version]);
    const known = this.#definitions.get(key);
    if (known) return known;
    const { files, host } = this.#options;
    const { flow, lifecycle } = await host.charts(id);
    const sources = new SourceMap(
      flow ?? lifecycle,
      Object.hasOwn(files, name) ? files[name] : undefined,
    );
    const definition = { sources, kind: kindOf(flow && sources) };
    if (this.#definitions.size >= definitionsMax)
      this.#definitions.delete(this.#definitions.keys().next().value!);
    this.#definitions.set(key, definition);
    return definition;
  }
}

interface KnownDefinition {
  readonly sources: SourceMap;
  readonly kind: InstanceKind;
}

function kindOf(flow: SourceMap | undefined): InstanceKind {
  if (!flow) return 'lifecycle';
  return flow.converses ? 'conversation' : 'workflow';
}

/** Whether an instance was erased, or is damaged. */
export function isGone(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isUnknownInstance(error) || code === 'host/unknown-definition' || code === 'store/damaged';
}
