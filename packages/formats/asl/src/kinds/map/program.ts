import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { EachOutput } from '@dramaturg/compiler/format';
import { itemsIn } from '../../data/dataset.ts';
import { bytesOf } from '../../data/size.ts';
import { StatesError } from '../../data/states-error.ts';
import type { Dialect, ValueSource } from '../../definition/index.ts';
import { dialects } from '../../dialect.ts';
import type { Item, MapRun, Run } from '../../flow/run.ts';
import {
  compileItemReader,
  compileNumber,
  type ItemReading,
  percent,
  positive,
  type Reading,
  type ReadItems,
  stateData,
  whole,
} from '../../flow/item-reader.ts';
import { compileResultWriter, type ResultWriting, type Writing } from '../../flow/result-writer.ts';
import {
  compileValueSource,
  type ValueReader,
  compileStateTemplate,
} from '../../flow/value-source.ts';
import type { ItemBatcher, MapState } from './definition.ts';

/** The items of a Map and the limits it runs them under. */
export interface MapWork {
  /** The items as `$$.Map.Item.Value` shows them, when an `ItemSelector` makes other inputs of them. */
  readonly values?: readonly Json[];
  /** The input of each item's machine. */
  readonly inputs: readonly Json[];
  /** The origins of a distributed Map's items; undefined for an inline Map, and for batches. */
  readonly origins?: readonly Origin[] | undefined;
  /** How many items run at once; 0 means all. */
  readonly concurrency: number;
  /** How many items may fail. With null the first failure fails the Map. */
  readonly tolerated: number | null;
}

/** The source of the items from the end of the previous origin up to an index. */
interface Origin {
  readonly source: string;
  readonly end: number;
  readonly isKeyed?: boolean | undefined;
}

/**
 * The item of a Map as its context object shows it.
 *
 * @param input of the item's machine
 */
export function itemAt(
  { values, origins }: Pick<MapWork, 'values' | 'origins'>,
  index: number,
  input: Json,
): Item {
  const value = values ? values[index]! : input;
  const origin = origins && originOf(origins, index);
  if (!origin) return { index, value };
  const { source, isKeyed } = origin;
  return isKeyed
    ? { index, value, source, key: (value as { Key: string }).Key }
    : { index, value, source };
}

/** Finds the first origin that ends after the index, by bisection. */
function originOf(origins: readonly Origin[], index: number): Origin | undefined {
  let [low, high] = [0, origins.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (origins[middle]!.end > index) high = middle;
    else low = middle + 1;
  }
  return origins[low];
}

/** The slice of the program that a Map owns. */
export interface MapProgram {
  readonly mapWork: CreateMapWork;
  readonly reader?: ItemReading | undefined;
  readonly writer?: ResultWriting | undefined;
}

/**
 * @param read the items of the `ItemReader`: `ItemsPath` does not apply
 * @throws StatesError States.Runtime when the items are not a list, or a number is invalid
 */
type CreateMapWork = (run: Run, selected: Json, read?: readonly ReadItems[]) => MapWork;

/** The slice of the visit that a Map owns. */
export interface MapVisit {
  readonly map: MapWork;
  readonly reading: Reading;
  /** The run of a distributed Map. */
  readonly mapRun: MapRun;
  /** The bucket and the prefix of the results, if they are written. */
  readonly target: JsonObject;
  readonly writing: Writing;
  /** The results of a Map that has failed because of them. */
  readonly ended: EachOutput;
}

/** Spec: Agent 2 §Map State, Amazon #map-state */
export function compileMap(state: MapState, dialect: Dialect): MapProgram {
  return {
    mapWork: compileMapWork(state, dialect),
    reader: compileItemReader(state, dialect),
    writer: compileResultWriter(state, dialect),
  };
}

function compileMapWork(state: MapState, dialect: Dialect): CreateMapWork {
  const list = compileItems(state, dialect);
  const shape = compileSelector(state, dialect);
  const batch = state.ItemBatcher && compileBatches(state.ItemBatcher, state, dialect);
  const bounds = dialects[dialect].itemsAtOnce[state.Mode];
  const concurrency = compileNumber(state.MaxConcurrency, 'MaxConcurrency', dialect, whole);
  const count = compileNumber(state.ToleratedFailureCount, 'ToleratedFailureCount', dialect, whole);
  const percentage = compileNumber(
    state.ToleratedFailurePercentage,
    'ToleratedFailurePercentage',
    dialect,
    percent,
  );
  return (run, selected, read) => {
    const lists = read ?? [list(run, selected)];
    const items = lists.length === 1 ? lists[0]!.items : lists.flatMap((part) => part.items);
    const origins = state.Mode === 'DISTRIBUTED' ? originsOf(lists) : undefined;
    const shaped = shape
      ? items.map((item, index) => shape(run, selected, itemAt({ origins }, index, item)))
      : items;
    if (shape) run.inspect?.('afterItemSelector', shaped);
    const inputs = batch ? batch(run, selected, shaped) : shaped;
    if (batch) run.inspect?.('afterItemBatcher', inputs);
    const atOnce = concurrency(run, selected) ?? 0;
    const most = count(run, selected);
    const part = percentage(run, selected);
    run.inspect?.('maxConcurrency', atOnce);
    if (most !== undefined) run.inspect?.('toleratedFailureCount', most);
    if (part !== undefined) run.inspect?.('toleratedFailurePercentage', part);
    const tolerated = toleratedOf(most, part, inputs.length, state.Mode);
    return {
      ...(batch ? {} : { ...(shape && { values: items }), ...(origins && { origins }) }),
      inputs,
      concurrency: atOnce === 0 ? bounds.unlimited : Math.min(atOnce, bounds.most),
      tolerated,
    };
  };
}

/**
 * With both a count and a percentage, the Map fails when either is exceeded. Null in an inline Map: its first failure fails
 * the Map. A distributed Map tolerates none by default. AWS "Map state", tolerated failures
 */
function toleratedOf(
  count: number | undefined,
  percentage: number | undefined,
  items: number,
  mode: MapState['Mode'],
): number | null {
  if (count === undefined && percentage === undefined) return mode === 'DISTRIBUTED' ? 0 : null;
  const share =
    percentage === undefined ? Infinity : Math.floor((percentage * items) / 100 + roundingError);
  return Math.min(count ?? Infinity, share);
}

/** 2.3 % of 1,000 items are 23 items, and not 22.999999999999996. */
const roundingError = 1e-9;

function compileItems(state: MapState, dialect: Dialect): (run: Run, selected: Json) => ReadItems {
  const { Items: source } = state;
  const field = state.QueryLanguage === 'JSONata' ? 'Items' : 'ItemsPath';
  const read: ValueReader = source
    ? compileItemsSource(source, state, dialect)
    : (_, selected) => selected;
  return (run, selected) => {
    const items = read(run, selected);
    if (Array.isArray(items) || (state.Mode === 'DISTRIBUTED' && isRecord(items))) {
      if (state.QueryLanguage === 'JSONPath') run.inspect?.('afterItemsPath', items);
      if (Array.isArray(items)) return { source: stateData, items };
      return { source: stateData, items: itemsIn(items), isKeyed: true };
    }
    if (source && 'expression' in source) {
      throw new StatesError(
        'States.QueryEvaluationError',
        `The JSONata expression '${source.expression.slice(2, -2).trim()}' specified for the field 'Items' must give a list.`,
      );
    }
    const path = source && 'path' in source ? source.path.replace(/^\$\$/, '$') : '$';
    throw new StatesError(
      field === 'Items' ? 'States.QueryEvaluationError' : 'States.Runtime',
      `Reference path "${path}" must point to array.`,
    );
  };
}

function originsOf(lists: readonly ReadItems[]): Origin[] {
  let end = 0;
  return lists.map(({ source, items, isKeyed }) => {
    end += items.length;
    return isKeyed ? { source, end, isKeyed } : { source, end };
  });
}

/** Written-out items may hold expressions. */
function compileItemsSource(source: ValueSource, state: MapState, dialect: Dialect): ValueReader {
  return state.QueryLanguage === 'JSONata' && 'value' in source
    ? compileStateTemplate(source.value, state, dialect, 'Items')
    : compileValueSource(source, dialect, 'Items');
}

type Shape = (run: Run, selected: Json, item: Item) => Json;

function compileSelector(state: MapState, dialect: Dialect): Shape | undefined {
  const { ItemSelector: selector } = state;
  if (selector === undefined) return undefined;
  const evaluate = compileStateTemplate(selector, state, dialect, 'ItemSelector');
  return (run, selected, item) =>
    evaluate({ ...run, work: run.work.withItem(), context: () => run.context(item) }, selected);
}

/** Amazon #map-state-item-batcher */
function compileBatches(
  batcher: ItemBatcher,
  state: MapState,
  dialect: Dialect,
): (run: Run, selected: Json, items: readonly Json[]) => Json[] {
  const most = compileNumber(batcher.MaxItemsPerBatch, 'MaxItemsPerBatch', dialect, positive);
  const bytes = compileNumber(
    batcher.MaxInputBytesPerBatch,
    'MaxInputBytesPerBatch',
    dialect,
    positive,
  );
  const { BatchInput: input } = batcher;
  const batchInput =
    input === undefined ? undefined : compileStateTemplate(input, state, dialect, 'BatchInput');
  return (run, selected, items) => {
    const extra = batchInput ? { BatchInput: batchInput(run, selected) } : {};
    const mostItems = most(run, selected) ?? Infinity;
    const mostBytes = bytes(run, selected) ?? largestBatch;
    const batches: Json[][] = [];
    let room = 0;
    for (const item of items) {
      const size = bytesOf(item, mostBytes) + 1;
      const last = batches.at(-1);
      if (last && last.length < mostItems && size <= room) last.push(item);
      else {
        batches.push([item]);
        // The last item has no comma.
        room = mostBytes - bytesOf({ Items: [], ...extra }, mostBytes) + 1;
      }
      room -= size;
    }
    return batches.map((Items) => ({ ...extra, Items }));
  };
}

/** Bytes of input that the machine of an item can have. AWS "Quotas" */
const largestBatch = 262_144;
