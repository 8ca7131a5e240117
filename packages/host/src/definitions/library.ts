import type { Behaviours } from './behaviours.ts';
import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import {
  atOnce,
  type Behaviour,
  checkedChart,
  type Identity,
  nextTurn,
  runSliced,
  type Sliced,
  type World,
} from '@dramaturg/compiler/machine';
import { badRequest, HostError } from '../errors.ts';
import { startWordsOf } from '../instance/spoken-words.ts';
import { readPages } from '../store/pages.ts';
import type { DefinitionVersion, Store, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { type DurableMachine, durably } from '../xstate/machine-actor.ts';
import {
  type Definition,
  type DefinitionSource,
  packing,
  requireDefinition,
  unpacking,
  versioning,
} from './definition.ts';

/** A version of a definition, linked and ready to run. */
export interface LoadedDefinition {
  readonly ref: DefinitionVersion;
  readonly chart: Chart;
  readonly machine: DurableMachine;
  /** The lifecycle of its instances; undefined when the chart is a lifecycle itself. */
  readonly lifecycle?: DefinitionVersion;
  readonly source?: DefinitionSource;
}

/** The stored version of a definition. */
interface StoredDefinition {
  readonly ref: DefinitionVersion;
  readonly chart: Chart;
  readonly lifecycle?: DefinitionVersion;
  readonly source?: DefinitionSource;
}

/**
 * Reads a version of a definition from a store.
 *
 * @throws HostError `host/unknown-definition`
 */
export async function storedDefinition(
  store: Pick<StoreReader, 'read'>,
  ref: DefinitionVersion,
): Promise<StoredDefinition> {
  const record = await store.read(keyOf(ref));
  const stored = record?.snapshot;
  if (!isRecord(stored)) throw unknownVersion(ref);
  const { chart, ...rest } = stored as unknown as Omit<StoredDefinition, 'chart'> & { chart: Json };
  try {
    // Stored charts are data (H8), so they are validated like charts from outside.
    const unpacked = await runSliced(unpacking(chart), nextTurn);
    return { ...rest, ref, chart: await runSliced(checkedChart(unpacked), nextTurn) };
  } catch (cause) {
    throw unknownVersion(ref, cause);
  }
}

/** The prefix of the ids of definition records. */
export const definitionPrefix = 'definition:';

/** The store of definitions. */
export type DefinitionStore = Pick<Store, 'read' | 'list' | 'create'>;

export interface LibraryOptions {
  readonly store: DefinitionStore;
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: Behaviours;
  readonly world: World;
  /** Whether the ports need the next reply: see `PortWishes`. */
  readonly nextReplies?: boolean | undefined;
  readonly onError: (error: unknown, doing: string) => void;
  /** Receives each definition that is added or loaded. */
  readonly onDefinition: (definition: LoadedDefinition) => void;
}

/**
 * Owns the definitions of a host, and those of earlier hosts in the same store. Every instance is pinned to the version that
 * it began with, so each version is stored before its first instance. States of a version: stored, loaded, or both.
 */
export class Library {
  readonly #store: DefinitionStore;
  readonly #behaviours: Behaviours;
  readonly #world: World;
  readonly #nextTurn: () => Promise<void>;
  readonly #nextReplies: boolean | undefined;
  readonly #onError: LibraryOptions['onError'];
  readonly #onDefinition: LibraryOptions['onDefinition'];
  readonly #current = new Map<string, DefinitionVersion>();
  readonly #definitions = new Map<string, LoadedDefinition>();
  readonly #lifecycles = new WeakMap<Chart, DefinitionVersion>();
  /** The names of all definitions, in the host or in the store. */
  readonly #names = new Set<string>();
  readonly #stored = new Map<string, Promise<void>>();
  /** The words of all loaded lifecycles that end an opt-out. */
  readonly startWords = new Set<string>();

  constructor({ store, behaviours, world, nextReplies, onError, onDefinition }: LibraryOptions) {
    this.#store = store;
    this.#behaviours = behaviours;
    this.#world = world;
    this.#nextTurn = world.nextTurn ?? nextTurn;
    this.#nextReplies = nextReplies;
    this.#onError = onError;
    this.#onDefinition = onDefinition;
  }

  /**
   * Adds a definition. It replaces a definition with the same name for instances that start from now on.
   *
   * @throws LinkError, ChartError when the chart names code that its format does not have
   */
  add(added: Definition): LoadedDefinition {
    return atOnce(this.#adding(added));
  }

  /**
   * Adds a definition in slices, which do not block the event loop.
   *
   * @throws as `add`
   */
  async addInSlices(added: Definition): Promise<void> {
    await runSliced(this.#adding(added), this.#nextTurn);
  }

  *#adding(added: Definition): Sliced<LoadedDefinition> {
    const { name, chart, lifecycle: given, source } = requireDefinition(added);
    const lifecycle = given === 'own' ? undefined : yield* this.#addLifecycle(given);
    const version = yield* versioning(chart, lifecycle);
    const definition = yield* this.#linked({ name, version }, chart, lifecycle, source);
    this.#current.set(name, definition.ref);
    return definition;
  }

  /** The names of the added definitions. */
  get names(): readonly string[] {
    return [...this.#current.keys()];
  }

  /** Whether the host or the store has a definition with the name. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Reads the names of the definitions in the store. */
  async learn(): Promise<void> {
    for (const { name } of await this.#storedRefs()) this.#names.add(name);
  }

  /** The charts of all loaded versions. */
  charts(): readonly Chart[] {
    return Array.from(this.#definitions.values(), ({ chart }) => chart);
  }

  /**
   * The version for new instances of a definition: the last added one, or else the last stored one.
   *
   * @throws HostError `host/unknown-definition`
   */
  async latest(name: string): Promise<LoadedDefinition> {
    const current = this.#current.get(name);
    if (current) return this.#definitions.get(keyOf(current))!;
    const stored = await this.#storedRefs();
    const last = stored.findLast((ref) => ref.name === name);
    if (last) return this.load(last);
    const names = new Set([...this.#current.keys(), ...stored.map((ref) => ref.name)]);
    const known = Array.from(names, (each) => JSON.stringify(each)).join(', ') || 'none';
    throw new HostError(
      'host/unknown-definition',
      `There is no definition ${JSON.stringify(name)}. The host has these: ${known}.`,
    );
  }

  /** Versions of definitions in the store, the oldest first. */
  async #storedRefs(): Promise<readonly DefinitionVersion[]> {
    const refs: DefinitionVersion[] = [];
    const kind = { kind: 'definition', status: 'stored' };
    for await (const records of readPages((page) => this.#store.list(kind, page)))
      refs.push(...records.map(({ id }) => refOf(id)));
    return refs;
  }

  /** A version, if it is loaded. */
  peek(ref: DefinitionVersion): LoadedDefinition | undefined {
    return this.#definitions.get(keyOf(ref));
  }

  /** Loads the version that an instance is pinned to, from the store unless it is loaded. */
  async load(ref: DefinitionVersion): Promise<LoadedDefinition> {
    const known = this.peek(ref);
    if (known) return known;
    const { chart, lifecycle, source } = await storedDefinition(this.#store, ref);
    try {
      this.#stored.set(keyOf(ref), Promise.resolve());
      const loaded = await runSliced(this.#linked(ref, chart, lifecycle, source), this.#nextTurn);
      // The first step with a large definition is long enough without the last slice before it.
      await this.#nextTurn();
      return loaded;
    } catch (cause) {
      throw unknownVersion(ref, cause);
    }
  }

  /** The lifecycle of the instances of a version: its own, or the version itself. */
  async lifecycleOf(ref: DefinitionVersion): Promise<LoadedDefinition> {
    const definition = await this.load(ref);
    return definition.lifecycle ? this.load(definition.lifecycle) : definition;
  }

  /**
   * Stores a version and its lifecycle, unless the store has them.
   *
   * @param status a `lifecycle` is a part of definitions, and cannot be started by name
   */
  async keep(
    { ref, chart, lifecycle, source }: LoadedDefinition,
    status: 'stored' | 'lifecycle' = 'stored',
  ): Promise<void> {
    if (lifecycle) await this.keep(await this.load(lifecycle), 'lifecycle');
    const key = keyOf(ref);
    let storing = this.#stored.get(key);
    if (!storing) {
      const rest = { ...(lifecycle && { lifecycle: { ...lifecycle } }), ...(source && { source }) };
      storing = this.#write(key, status, chart, rest);
      this.#stored.set(key, storing);
      storing.catch(() => this.#stored.delete(key));
    }
    await storing;
  }

  /**
   * How the format of a definition identifies its runs.
   *
   * @throws HostError `host/bad-request` when the format does not support copies
   */
  identityOf({ chart, ref }: LoadedDefinition): Identity {
    const identity = this.#behaviours.get(chart.format)?.identity;
    if (identity) return identity;
    throw badRequest(
      `Instances of ${JSON.stringify(ref.name)} cannot be copied: its format does not know how.`,
    );
  }

  /** Links a lifecycle once: most definitions share it. */
  *#addLifecycle(chart: Chart): Sliced<DefinitionVersion> {
    const known = this.#lifecycles.get(chart);
    if (known) return known;
    const ref = { name: chart.id, version: yield* versioning(chart) };
    if (!this.#definitions.has(keyOf(ref))) yield* this.#linked(ref, chart);
    this.#lifecycles.set(chart, ref);
    return ref;
  }

  *#linked(
    ref: DefinitionVersion,
    chart: Chart,
    lifecycle?: DefinitionVersion,
    source?: DefinitionSource,
  ): Sliced<LoadedDefinition> {
    const behaviour = this.#behaviours.get(chart.format);
    if (!behaviour) {
      throw new HostError(
        'host/unknown-definition',
        `The host has no code for charts of the format ${JSON.stringify(chart.format)}.`,
      );
    }
    const machine = yield* linkedMachineOf(chart, behaviour, {
      world: this.#world,
      nextReplies: this.#nextReplies,
      isFlow: lifecycle !== undefined,
    });
    const definition: LoadedDefinition = {
      ref,
      chart,
      machine,
      ...(lifecycle ? { lifecycle } : {}),
      ...(source ? { source } : {}),
    };
    for (const word of startWordsOf(chart)) this.startWords.add(word);
    this.#names.add(ref.name);
    this.#definitions.set(keyOf(ref), definition);
    this.#onDefinition(definition);
    return definition;
  }

  async #write(id: string, status: string, chart: Chart, rest: JsonObject): Promise<void> {
    const createdAt = this.#world.now();
    try {
      const snapshot = { chart: await runSliced(packing(chart), this.#nextTurn), ...rest };
      await this.#store.create({ id, kind: 'definition', status, createdAt, snapshot });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // This host has the chart, so its instances run. Other hosts need the repaired record.
      if (error.code === 'store/damaged') this.#onError(error, `storing ${JSON.stringify(id)}`);
      else if (error.code !== 'store/exists') throw error;
    }
  }
}

/** The version in the id of a definition record. */
export function refOf(id: string): DefinitionVersion {
  const at = id.lastIndexOf('@');
  return { name: id.slice(definitionPrefix.length, at), version: id.slice(at + 1) };
}

function keyOf({ name, version }: DefinitionVersion): string {
  return `${definitionPrefix}${name}@${version}`;
}

function unknownVersion({ name, version }: DefinitionVersion, cause?: unknown): HostError {
  return new HostError(
    'host/unknown-definition',
    `The version ${version} of ${JSON.stringify(name)} is not in the store, or is not what this release can run.`,
    cause === undefined ? {} : { cause },
  );
}

interface Linked {
  readonly behaviour: Behaviour;
  readonly nextReplies: boolean;
  readonly isFlow: boolean;
  readonly machine: DurableMachine;
}

/** Linked machines do not depend on a host, so hosts with the same world share them, and their caches of steps. */
const known = new WeakMap<World, WeakMap<Chart, Linked[]>>();

/**
 * The machine of a chart, linked once for each world.
 *
 * @throws LinkError, ChartError when the chart names code that its format does not have
 */
function* linkedMachineOf(
  chart: Chart,
  behaviour: Behaviour,
  {
    world,
    nextReplies = false,
    isFlow = false,
  }: {
    readonly world: World;
    readonly nextReplies?: boolean | undefined;
    readonly isFlow?: boolean | undefined;
  },
): Sliced<DurableMachine> {
  const charts = known.get(world) ?? new WeakMap<Chart, Linked[]>();
  known.set(world, charts);
  const linked = charts.get(chart) ?? [];
  charts.set(chart, linked);
  const find = () =>
    linked.find(
      (each) =>
        each.behaviour === behaviour && each.nextReplies === nextReplies && each.isFlow === isFlow,
    );
  const same = find();
  if (same) return same.machine;
  const machine = yield* durably(chart, behaviour, { world, nextReplies, isFlow });
  // Other code may have linked the chart between two slices.
  const other = find();
  if (other) return other.machine;
  linked.push({ behaviour, nextReplies, isFlow, machine });
  return machine;
}
