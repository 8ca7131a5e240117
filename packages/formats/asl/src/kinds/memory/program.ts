import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { compileWrite } from '../../data/path/write.ts';
import { StatesError, toText } from '../../data/states-error.ts';
import { compileTemplate } from '../../data/template.ts';
import type { Dialect, ValueSource } from '../../definition/index.ts';
import type { Memory } from '../../definition/task-blocks.ts';
import { evaluation } from '../../flow/jsonpath-flow.ts';
import { compileKeySource, compileValueSource, fillPlaceholders } from '../../flow/value-source.ts';
import type { Run } from '../../flow/run.ts';

/** A query of memory. */
interface Lookup {
  readonly type: Memory['type'];
  readonly namespace: string;
  readonly queries: string[];
  readonly limit: number;
  readonly keys?: string[];
  readonly filter?: JsonObject;
  readonly order?: 'newest' | 'oldest';
  readonly minScore?: number;
}

/** An entry to store in memory. */
interface MemoryWrite {
  readonly type: Memory['type'];
  readonly namespace: string;
  readonly name: string;
  readonly value: Json;
  readonly ttl?: number;
  readonly merge?: boolean;
  readonly overwrite?: boolean;
}

/** The slice of the program that `Memory` owns. */
export interface MemoryProgram {
  readonly memory: MemoryFlow;
}

/** The slice of the visit that `Memory` owns. */
export interface MemoryVisit {
  readonly lookup: Lookup;
  /** The writes that are still to do. */
  readonly memoryWrites: readonly MemoryWrite[];
}

interface MemoryFlow {
  readonly lookup: (run: Run, work: Json) => Lookup;
  /** The input of the agent with the memories. */
  readonly inject: (work: Json, found: Found) => Json;
  /** Paths are read in the output of the state; if they have no value there, in its input. */
  readonly writes: (run: Run, output: Json) => readonly MemoryWrite[];
}

export interface Found {
  readonly memories: readonly { readonly text: string; readonly score?: number | undefined }[];
  readonly values?: JsonObject | undefined;
}

/** Agent 3 §Memory */
export function compileMemory(definition: Memory, dialect: Dialect): MemoryProgram {
  const { type, read } = definition;
  const injectInto = read && compileWrite(read.injectAt);
  const namespace = compileText(definition.namespace, dialect, 'Namespace');
  const query = compileText(read?.query, dialect, 'Query');
  const filter = read?.filter && compileTemplate(read.filter, dialect, 'Filter');
  const writes = definition.writes.map((write) => ({
    write,
    key: compileText(write.key, dialect, 'Key'),
    value: write.value && compileValueSource(write.value, dialect, 'Value'),
  }));
  const namespaceOf = (run: Run, data: Json, collection: string | undefined) => {
    const name = namespace?.(run, data) ?? nameOf(run);
    return collection === undefined ? name : `${name}/${fillPlaceholders(collection, run, data)}`;
  };
  const memory: MemoryFlow = {
    lookup: (run, work) => ({
      type,
      namespace: namespaceOf(run, run.input, read!.collection),
      queries: query ? [query(run, work)] : [],
      limit: Math.max(read!.limit, read!.keys.length),
      ...(type === 'key_value' && {
        keys: read!.keys.map((key) => fillPlaceholders(key, run, run.input)),
      }),
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
    writes(run, output) {
      return writes.map(({ write, key, value }) => {
        const either = <Value>(evaluate: (run: Run, data: Json) => Value): Value => {
          try {
            return evaluate({ ...run, missing: 'fail' }, output);
          } catch (error) {
            if (!(error instanceof StatesError)) throw error;
            return evaluate(run, run.input);
          }
        };
        return {
          type,
          namespace: namespaceOf(run, run.input, write.collection),
          name: key ? either(key) : run.world.uuid(),
          value: value ? either(value) : output,
          ...(write.ttl !== undefined && { ttl: write.ttl }),
          ...(write.merge && { merge: true }),
          ...(!write.overwrite && { overwrite: false }),
        };
      });
    },
  };
  return { memory };
}

function nameOf(run: Run): string {
  const { Name: name } = run.context()['Execution'] as { Name?: string };
  return name ?? '';
}

function compileText(
  source: ValueSource<string> | undefined,
  dialect: Dialect,
  field: string,
): ((run: Run, data: Json) => string) | undefined {
  if (!source) return undefined;
  if ('value' in source) return (run, data) => fillPlaceholders(source.value, run, data);
  const read = compileKeySource(source, dialect, field);
  return (run, data) => toText(read(run, data));
}
