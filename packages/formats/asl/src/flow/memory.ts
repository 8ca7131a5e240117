import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import { readPath } from '../data/path/read.ts';
import { compileWrite } from '../data/path/write.ts';
import { compileTemplate } from '../data/template.ts';
import type { Dialect, Given } from '../definition/index.ts';
import type { Memory } from '../definition/memory.ts';
import { compileGiven } from './given.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** What is to be looked up. */
export interface Lookup {
  readonly type: Memory['type'];
  readonly namespace: string;
  readonly queries: string[];
  readonly limit: number;
  readonly keys?: string[];
  readonly filter?: JsonObject;
  readonly order?: 'newest' | 'oldest';
  readonly minScore?: number;
}

/** What is to be kept. */
export interface Keeping {
  readonly type: Memory['type'];
  readonly namespace: string;
  readonly name: string;
  readonly value: Json;
  readonly ttl?: number;
  readonly merge?: boolean;
  readonly overwrite?: boolean;
}

export interface MemoryFlow {
  readonly lookup: (run: Run, work: Json) => Lookup;
  /** The input of the agent with what was found. */
  readonly inject: (work: Json, found: Found) => Json;
  /** Paths lead into what the state hands on; where that has nothing, into its input. */
  readonly keepings: (run: Run, handedOn: Json) => readonly Keeping[];
}

export interface Found {
  readonly memories: readonly { readonly text: string; readonly score?: number | undefined }[];
  readonly values?: JsonObject | undefined;
}

/** Agent 3 §Memory */
export function compileMemory(memory: Memory, dialect: Dialect): MemoryFlow {
  const { type, read } = memory;
  const injectInto = read && compileWrite(read.injectAt);
  const namespace = compileText(memory.namespace, dialect, 'Namespace');
  const query = compileText(read?.query, dialect, 'Query');
  const filter = read?.filter && compileTemplate(read.filter as JsonObject, dialect, 'Filter');
  const writes = memory.writes.map((write) => ({
    write,
    key: compileText(write.key, dialect, 'Key'),
    value: write.value && compileGiven(write.value, dialect, 'Value'),
  }));
  const placeOf = (run: Run, data: Json, collection: string | undefined) => {
    const name = namespace?.(run, data) ?? nameOf(run);
    return collection === undefined ? name : `${name}/${filled(collection, run, data)}`;
  };
  return {
    lookup: (run, work) => ({
      type,
      namespace: placeOf(run, run.input, read!.collection),
      queries: query ? [query(run, work)] : [],
      limit: Math.max(read!.limit, read!.keys.length),
      ...(type === 'key_value' && { keys: read!.keys.map((key) => filled(key, run, run.input)) }),
      ...(filter && { filter: filter(evaluation(run, run.input)) as JsonObject }),
      ...(type === 'episodic' && { order: read!.order }),
      ...(read!.minScore > 0 && { minScore: read!.minScore }),
    }),
    inject(work, { memories, values = {} }) {
      const { keys, unlessThere } = read!;
      const found: Json =
        type === 'key_value'
          ? Object.fromEntries(
              keys.map((key) => [
                key,
                Object.hasOwn(values, key) ? values[key]! : (unlessThere as Json),
              ]),
            )
          : memories.map(({ text, score }) => ({ text, ...(score !== undefined && { score }) }));
      return injectInto!(isRecord(work) ? work : { input: work }, found);
    },
    keepings(run, handedOn) {
      return writes.map(({ write, key, value }) => {
        const either = <Value>(evaluate: (run: Run, data: Json) => Value): Value => {
          try {
            return evaluate(run, handedOn);
          } catch (error) {
            if (!(error instanceof StatesError)) throw error;
            return evaluate(run, run.input);
          }
        };
        return {
          type,
          namespace: placeOf(run, run.input, write.collection),
          name: key ? either(key) : run.world.uuid(),
          value: value ? either(value) : handedOn,
          ...(write.ttl !== undefined && { ttl: write.ttl }),
          ...(write.merge && { merge: true }),
          ...(!write.overwrite && { overwrite: false }),
        };
      });
    },
  };
}

function nameOf(run: Run): string {
  const { Name: name } = run.context()['Execution'] as { Name?: string };
  return name ?? '';
}

function compileText(
  given: Given<string> | undefined,
  dialect: Dialect,
  field: string,
): ((run: Run, data: Json) => string) | undefined {
  if (!given) return undefined;
  if ('value' in given) return (run, data) => filled(given.value, run, data);
  const read = compileGiven(given, dialect, field);
  return (run, data) => textOf(read(run, data));
}

/** `user_{{$.id}}`. Agent 3 §Namespaces */
function filled(text: string, run: Run, data: Json): string {
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{\s*(\$[^{}]*?)\s*\}\}/g, (written, path: string) => {
    const found = readPath(path, evaluation(run, data));
    return found.found ? textOf(found.value) : written;
  });
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
