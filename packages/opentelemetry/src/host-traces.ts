import { isRecord } from '@dramaturg/compiler';
import type { HostEvent, StoredChart } from '@dramaturg/host';
import { isUnknownInstance, journalLineOf } from '@dramaturg/host/engine';
import type { SpanContext } from '@opentelemetry/api';
import { traceIdOf } from './ids.ts';
import { InstanceTrace } from './instance-trace.ts';
import { SourceMap } from './source-map.ts';
import type { InstanceKind, TraceContext, Traced, TracedInstance } from './traced.ts';
import type { TracedHost } from './traced-host.ts';

export interface HostTracesOptions extends TraceContext {
  readonly host: TracedHost;
  /** The paths of definitions, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** How many instances stay in memory. The others are read again when they go on. */
const instancesMax = 10_000;
const definitionsMax = 256;
const linesPerPage = 500;
const nothing: Traced = { spans: [], measurements: [] };

/**
 * Traces all instances of a host. What an instance has open is known from its events: an instance that is not in memory, as after a
 * restart, is read again from its journal.
 *
 * Owns the traces of the instances that it has seen last.
 */
export class HostTraces {
  readonly #options: HostTracesOptions;
  /** The least recently used first. */
  readonly #traces = new Map<string, InstanceTrace>();
  readonly #sources = new Map<string, SourceMap>();

  constructor(options: HostTracesOptions) {
    this.#options = options;
  }

  /** What an event of the host has completed: nothing when the instance was erased, or when the event is not stored. */
  async apply(event: HostEvent): Promise<Traced> {
    const { instance: id, cursor } = event;
    if (cursor === undefined) return nothing;
    const line = journalLineOf(cursor);
    try {
      const trace = await this.#traceOf(id, event.within ?? [], line);
      const traced = trace.apply(event, line);
      if (trace.isOver) this.#traces.delete(id);
      return traced;
    } catch (error) {
      this.#traces.delete(id);
      if (isGone(error)) return nothing;
      throw error;
    }
  }

  async #traceOf(id: string, within: readonly string[], line: number): Promise<InstanceTrace> {
    let trace = this.#traces.get(id);
    this.#traces.delete(id);
    // The journal begins anew: the instance was erased, and its id is used again.
    if (trace === undefined || line <= trace.line) trace = await this.#read(id, within, line);
    this.#traces.set(id, trace);
    for (const oldest of this.#traces.keys()) {
      if (this.#traces.size <= instancesMax) break;
      this.#traces.delete(oldest);
    }
    return trace;
  }

  /** @param line the journal line before which to stop */
  async #read(id: string, within: readonly string[], line: number): Promise<InstanceTrace> {
    const trace = new InstanceTrace(await this.#instance(id, within), this.#options);
    for (let from = 0; from < line - 1; from += linesPerPage) {
      const limit = Math.min(linesPerPage, line - 1 - from);
      const lines = await this.#options.host.journal(id, { from, limit });
      for (const [index, each] of lines.entries())
        if (isRecord(each) && each['source'] !== 'step')
          trace.apply(each as unknown as HostEvent, from + index + 1);
    }
    if (line > 2) await this.#findChildren(trace);
    return trace;
  }

  /** Which calls children answer is not in the journal of the parent. */
  async #findChildren(trace: InstanceTrace): Promise<void> {
    for (const child of trace.possibleChildren()) {
      try {
        await this.#options.host.get(child);
        trace.callOf(child);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  }

  async #instance(id: string, within: readonly string[]): Promise<TracedInstance> {
    const { host, content } = this.#options;
    const view = await host.get(id);
    const { definition, createdAt, input } = view;
    const { flow, lifecycle } = await host.charts(id);
    const sources = this.#sourcesOf(flow ?? lifecycle);
    const [parent] = within;
    const root = within.at(-1) ?? id;
    const rootCreatedAt = root === id ? createdAt : await this.#createdAt(root, createdAt);
    return {
      id,
      traceId: traceIdOf(root, rootCreatedAt),
      definition,
      kind: kindOf(flow && sources),
      createdAt,
      sources,
      parent: parent === undefined ? undefined : await this.#callOf(parent, within.slice(1), id),
      input: content.isOn ? input : undefined,
    };
  }

  async #createdAt(root: string, otherwise: number): Promise<number> {
    try {
      return (await this.#options.host.get(root)).createdAt;
    } catch (error) {
      if (isGone(error)) return otherwise;
      throw error;
    }
  }

  /** The span of the call of a parent that a child answers. */
  async #callOf(
    parent: string,
    within: readonly string[],
    child: string,
  ): Promise<SpanContext | undefined> {
    const known = this.#traces.get(parent)?.callOf(child);
    if (known) return known;
    // The call may have ended since: all of the journal that there is now is read, up to the call.
    try {
      return await this.#findCall(parent, within, child);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async #findCall(
    parent: string,
    within: readonly string[],
    child: string,
  ): Promise<SpanContext | undefined> {
    const trace = new InstanceTrace(await this.#instance(parent, within), this.#options);
    for (let from = 0; ; from += linesPerPage) {
      const lines = await this.#options.host.journal(parent, { from, limit: linesPerPage });
      for (const [index, each] of lines.entries()) {
        if (!isRecord(each) || each['source'] === 'step') continue;
        trace.apply(each as unknown as HostEvent, from + index + 1);
        const call = trace.callOf(child);
        if (call) return call;
      }
      if (lines.length < linesPerPage) return undefined;
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

/** Whether an instance was erased, or is damaged. */
function isGone(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isUnknownInstance(error) || code === 'host/unknown-definition' || code === 'store/damaged';
}
