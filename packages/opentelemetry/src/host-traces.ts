import { isRecord } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import { isUnknownInstance, journalLineOf } from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import type { SpanContext } from '@opentelemetry/api';
import type { Content } from './span.ts';
import { spanContextOf, traceIdOf } from './open-spans.ts';
import { InstanceTrace } from './instance-trace.ts';
import {
  type InstanceKind,
  SourceMap,
  type TraceContext,
  type Traced,
  type TracedHost,
  type TracedInstance,
} from './traced.ts';

interface StoredInstancesOptions {
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
class StoredInstances {
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
function isGone(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isUnknownInstance(error) || code === 'host/unknown-definition' || code === 'store/damaged';
}

export interface HostTracesOptions extends TraceContext, StoredInstancesOptions {}

/** Maximum number of instances in memory. Others are read again when they continue. */
const instancesMax = 10_000;
const nothing: Traced = { spans: [], measurements: [] };

/**
 * Traces all instances of a host. Open spans follow from events: an instance that is not in memory, such as after a restart, is
 * read again from its journal.
 *
 * Owns the traces of the most recently used instances.
 */
export class HostTraces {
  readonly #options: HostTracesOptions;
  /** The least recently used first. */
  readonly #traces = new Map<string, InstanceTrace>();
  readonly #instances: StoredInstances;

  constructor(options: HostTracesOptions) {
    this.#options = options;
    this.#instances = new StoredInstances(options);
  }

  /** Returns what an event of the host completes: nothing if the instance was erased or the event is not stored. */
  async apply(event: HostEvent): Promise<Traced> {
    const { instance: id, cursor } = event;
    if (cursor === undefined) return nothing;
    const line = journalLineOf(cursor);
    try {
      const trace = await this.#traceOf(id, event.within ?? [], line);
      await this.#findChildren(trace, event.event);
      const traced = trace.apply(event, line);
      if (trace.isOver) this.#traces.delete(id);
      return traced;
    } catch (error) {
      this.#traces.delete(id);
      if (isGone(error)) return nothing;
      throw error;
    }
  }

  /**
   * Finds the span of an open call, which may be newer than the events read so far.
   *
   * @returns undefined when the instance does not have the call
   */
  async callSpan(id: string, key: string): Promise<SpanContext | undefined> {
    const trace = this.#traces.get(id);
    const known = trace?.openCall(key);
    if (known) return known;
    try {
      const traceId =
        trace?.traceId ?? (await this.#instance(id, await this.#instances.ancestorsOf(id))).traceId;
      const begun = await this.#findLine(id, key, trace?.line ?? 0);
      return begun === undefined ? undefined : spanContextOf(traceId, id, begun, `call:${key}`);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Finds the journal line, after a given line, with which the span of an open call begins. */
  async #findLine(id: string, key: string, after: number): Promise<number | undefined> {
    let begun: number | undefined;
    for await (const [{ event }, line] of this.#instances.eventsOf(id, after, Infinity)) {
      if (event['key'] === key && event.type === 'call.started') begun = line;
      else if (event['key'] === key && event.type === 'call.ended') begun = undefined;
      else if (event.type === 'instance.forked' && begun !== undefined) begun = line;
    }
    return begun;
  }

  async #traceOf(id: string, within: readonly string[], line: number): Promise<InstanceTrace> {
    let trace = this.#traces.get(id);
    this.#traces.delete(id);
    // The journal begins again: the instance was erased, and its id is reused.
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
    for await (const [event, at] of this.#instances.eventsOf(id, 0, line - 1))
      trace.apply(event, at);
    return trace;
  }

  /**
   * Finds the children that answer open calls: the journal of the parent does not name them. Their own events do, but a process
   * that continues has not seen these, and on Restate they may come after those of the parent.
   */
  async #findChildren(trace: InstanceTrace, ending: HostEvent['event']): Promise<void> {
    for (const child of trace.possibleChildren(ending)) {
      try {
        await this.#options.host.get(child);
        trace.callOf(child);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  }

  async #instance(id: string, within: readonly string[]): Promise<TracedInstance> {
    const instance = await this.#instances.read(id, within);
    const [parent, ...others] = within;
    if (parent === undefined) return { ...instance, parent: undefined };
    return { ...instance, parent: await this.#callOf(parent, others, id) };
  }

  /** Finds the span of a parent's call that a child answers. */
  async #callOf(
    parent: string,
    within: readonly string[],
    child: string,
  ): Promise<SpanContext | undefined> {
    const known = this.#traces.get(parent)?.callOf(child);
    if (known) return known;
    // The call may have ended since: the present journal is read up to the call.
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
    for await (const [event, line] of this.#instances.eventsOf(parent, 0, Infinity)) {
      trace.apply(event, line);
      const call = trace.callOf(child);
      if (call) return call;
    }
    return undefined;
  }
}
