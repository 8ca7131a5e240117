import { type Chart, isRecord, type Path, type Source } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import type { DefinitionSource } from '../definitions/definition.ts';
import { type LoadedDefinition, storedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { DefinitionVersion, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { TextPosition } from './standing.ts';

/** Finds the place of a part in the source; undefined when the source does not have the part. */
type Locate = (path: Path) => TextPosition | undefined;

/** A stored definition, for people. */
export interface ReadDefinition {
  readonly chart: Chart;
  readonly locate: Locate;
}

/** How many definitions stay in memory. */
const mostKept = 16;

/** Reads the definitions of instances. A version never changes, so the latest ones stay in memory. */
export class DefinitionReader {
  readonly #store: StoreReader;
  readonly #kept = new Map<string, ReadDefinition>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** Keeps a definition that the host has loaded, so that it is not read from the store. */
  learn({ ref, chart, source }: LoadedDefinition): void {
    this.#keep(keyOf(ref), { chart, locate: sharedLocate(chart, source) });
  }

  /** @returns undefined when the store does not have the definition in a usable form */
  async read(ref: DefinitionVersion): Promise<ReadDefinition | undefined> {
    const key = keyOf(ref);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const definition = await this.#readNew(ref);
    if (definition) this.#keep(key, definition);
    return definition;
  }

  #keep(key: string, definition: ReadDefinition): void {
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, definition);
  }

  async #readNew(ref: DefinitionVersion): Promise<ReadDefinition | undefined> {
    try {
      const { chart, source } = await storedDefinition(this.#store, ref);
      return { chart, locate: locateIn(source) };
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/unknown-definition') return undefined;
      // `verify` and `damaged` report the damage: the rest of the instance is still shown.
      if (error instanceof StoreError && error.code === 'store/damaged') return undefined;
      throw error;
    }
  }
}

function keyOf({ name, version }: DefinitionVersion): string {
  return JSON.stringify([name, version]);
}

/** Sources by chart, because charts never change. Hosts with the same chart, such as those of tests, read its source once. */
const shared = new WeakMap<Chart, { readonly text: string; readonly locate: Locate }>();

function sharedLocate(chart: Chart, source: DefinitionSource | undefined): Locate {
  const known = shared.get(chart);
  if (known && known.text === source?.text) return known.locate;
  const locate = locateIn(source);
  if (source) shared.set(chart, { text: source.text, locate });
  return locate;
}

/** Finds places in the source of a definition. */
export function locateIn(definition: DefinitionSource | undefined): Locate {
  let source: Source | undefined;
  return (path) => {
    if (!definition) return undefined;
    source ??= read(definition.text);
    // A definition that was inside another file has other paths there.
    if (!hasPart(source.value, path)) return undefined;
    const { line, column } = source.locate(path).start;
    return { line, column };
  };
}

function hasPart(value: unknown, path: Path): boolean {
  let at = value;
  for (const key of path) {
    const isList = Array.isArray(at) && typeof key === 'number' && key < at.length;
    if (!isList && !(isRecord(at) && Object.hasOwn(at, key))) return false;
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}
