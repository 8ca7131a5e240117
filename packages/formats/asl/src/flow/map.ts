import { isRecord, type Json } from '@dramaturg/compiler';
import type { Evaluate } from '../data/evaluation.ts';
import { compileJsonata } from '../data/jsonata/index.ts';
import { bytesOf } from '../data/size.ts';
import { StatesError } from '../data/states-error.ts';
import { compileTemplate } from '../data/template.ts';
import { toText } from '../data/to-text.ts';
import type { Dialect, ValueSource, ItemBatcher, MapState } from '../definition/index.ts';
import { compileValueSource, compileOptionalSource, type ValueReader } from './value-source.ts';
import { scope } from './jsonata-flow.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** The items of a Map and the limits it runs them under. */
export interface MapWork {
  /** The items, as `$$.Map.Item.Value` shows them; batches when there is an `ItemBatcher`. */
  readonly values: readonly Json[];
  /** The input of each item's machine; the same as `values` without an `ItemSelector`. */
  readonly inputs: readonly Json[];
  /** How many items run at once; 0 means no limit. */
  readonly concurrency: number;
  /** How many items may fail. With null the first failure is the failure of the Map. */
  readonly tolerated: number | null;
}

/** The slice of the program that a Map owns. */
export interface MapProgram {
  readonly mapWork: CreateMapWork;
}

/**
 * @param isRead the selected value is a list that the `ItemReader` has read: `ItemsPath` does not apply
 * @throws StatesError States.Runtime when the items are not a list, or a number is invalid
 */
type CreateMapWork = (run: Run, selected: Json, isRead?: boolean) => MapWork;

/** The slice of the visit that a Map owns. */
export interface MapVisit {
  readonly map: MapWork;
}

/** Spec: Agent 2 §Map State, Amazon #map-state */
export function compileMap(state: MapState, dialect: Dialect): MapProgram {
  return { mapWork: compileMapWork(state, dialect) };
}

function compileMapWork(state: MapState, dialect: Dialect): CreateMapWork {
  const list = compileItems(state, dialect);
  const shape = compileSelector(state, dialect);
  const batch = state.ItemBatcher && compileBatches(state.ItemBatcher, state, dialect);
  const concurrency = compileNumber(state.MaxConcurrency, 'MaxConcurrency', dialect, whole);
  const count = compileNumber(state.ToleratedFailureCount, 'ToleratedFailureCount', dialect, whole);
  const percentage = compileNumber(
    state.ToleratedFailurePercentage,
    'ToleratedFailurePercentage',
    dialect,
    percent,
  );
  return (run, selected, isRead = false) => {
    const items = isRead ? asItems(selected) : list(run, selected);
    const shaped = shape
      ? items.map((value, index) => shape(run, selected, { index, value }))
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
    const tolerated = toleratedOf(most, part, inputs.length);
    return { values: batch ? inputs : items, inputs, concurrency: atOnce, tolerated };
  };
}

/** With both a count and a percentage, the Map fails when either is exceeded. AWS "Map state", tolerated failures */
function toleratedOf(
  count: number | undefined,
  percentage: number | undefined,
  items: number,
): number | null {
  if (count === undefined && percentage === undefined) return null;
  const share = percentage === undefined ? Infinity : Math.floor((percentage * items) / 100);
  return Math.min(count ?? Infinity, share);
}

function compileItems(
  state: MapState,
  dialect: Dialect,
): (run: Run, selected: Json) => readonly Json[] {
  const { Items: source } = state;
  const field = state.QueryLanguage === 'JSONata' ? 'Items' : 'ItemsPath';
  const read: ValueReader = source
    ? compileItemsSource(source, state, dialect)
    : (_, selected) => selected;
  return (run, selected) => {
    const items = read(run, selected);
    if (Array.isArray(items) || (state.Mode === 'DISTRIBUTED' && isRecord(items))) {
      if (state.QueryLanguage === 'JSONPath') run.inspect?.('afterItemsPath', items);
      return asItems(items);
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

/** Each field of an object is an item. AWS "Map state", distributed mode */
function asItems(read: Json): readonly Json[] {
  if (Array.isArray(read)) return read;
  return isRecord(read)
    ? Object.entries(read).map(([Key, Value]) => ({ Key, Value: Value }))
    : [read];
}

/** Written-out items may hold expressions. */
function compileItemsSource(source: ValueSource, state: MapState, dialect: Dialect): ValueReader {
  if (state.QueryLanguage !== 'JSONata' || !('value' in source)) {
    return compileValueSource(source, dialect, 'Items');
  }
  const evaluate = compileJsonata(source.value, 'Items');
  return (run) => evaluate(scope(run));
}

type Shape = (run: Run, selected: Json, item: { index: number; value: Json }) => Json;

function compileSelector(state: MapState, dialect: Dialect): Shape | undefined {
  const { ItemSelector: selector } = state;
  if (selector === undefined) return undefined;
  const atItem = (run: Run, item: { index: number; value: Json }): Run => ({
    ...run,
    context: () => run.context(item),
  });
  if (state.QueryLanguage === 'JSONata') {
    const evaluate = compileJsonata(selector, 'ItemSelector');
    return (run, _, item) => evaluate(scope(atItem(run, item)));
  }
  const evaluate: Evaluate = compileTemplate(selector, dialect, 'ItemSelector');
  return (run, selected, item) => evaluate(evaluation(atItem(run, item), selected));
}

/** Amazon #map-state-item-batcher */
function compileBatches(
  batcher: ItemBatcher,
  state: MapState,
  dialect: Dialect,
): (run: Run, selected: Json, items: readonly Json[]) => Json[] {
  const most = compileNumber(batcher.MaxItemsPerBatch, 'MaxItemsPerBatch', dialect, whole);
  const bytes = compileNumber(
    batcher.MaxInputBytesPerBatch,
    'MaxInputBytesPerBatch',
    dialect,
    whole,
  );
  const batchInput = compileBatchInput(batcher.BatchInput, state, dialect);
  return (run, selected, items) => {
    const extra = batchInput ? { BatchInput: batchInput(run, selected) } : {};
    const mostItems = most(run, selected) || Infinity;
    const mostBytes = bytes(run, selected) || largestBatch;
    const batches: Json[][] = [];
    let room = 0;
    for (const item of items) {
      const size = bytesOf(item, mostBytes) + 1;
      const last = batches.at(-1);
      if (last && last.length < mostItems && size <= room) last.push(item);
      else {
        batches.push([item]);
        room = mostBytes - bytesOf({ Items: [], ...extra }, mostBytes);
      }
      room -= size;
    }
    return batches.map((Items) => ({ ...extra, Items }));
  };
}

/** Bytes of input that the machine of an item can have. AWS "Quotas" */
const largestBatch = 262_144;

function compileBatchInput(
  input: Json | undefined,
  state: MapState,
  dialect: Dialect,
): ValueReader | undefined {
  if (input === undefined) return undefined;
  if (state.QueryLanguage === 'JSONata') {
    const evaluate = compileJsonata(input, 'BatchInput');
    return (run) => evaluate(scope(run));
  }
  const evaluate = compileTemplate(input, dialect, 'BatchInput');
  return (run, selected) => evaluate(evaluation(run, selected));
}

interface NumberKind {
  readonly name: string;
  readonly fits: (value: number) => boolean;
  /** Why the number is out of range, or undefined. */
  readonly fault: (value: number) => string | undefined;
}

const whole: NumberKind = {
  name: 'integer',
  fits: Number.isInteger,
  fault: (value) => (value < 0 ? 'cannot be negative' : undefined),
};

const percent: NumberKind = {
  name: 'float',
  fits: Number.isFinite,
  fault: (value) => (value < 0 || value > 100 ? 'must be between 0 and 100' : undefined),
};

/** @throws StatesError States.Runtime in AWS's words, States.QueryEvaluationError for an expression */
function compileNumber(
  source: ValueSource<number> | undefined,
  field: string,
  dialect: Dialect,
  kind: NumberKind,
): (run: Run, selected: Json) => number | undefined {
  const read = compileOptionalSource(source, dialect, field);
  if (!read || !source) return () => undefined;
  return (run, selected) => {
    const value = asNumber(read(run, selected), source);
    if (typeof value !== 'number' || !kind.fits(value))
      throw invalidNumber(value, source, field, kind);
    const fault = kind.fault(value);
    if (fault !== undefined) throw new StatesError('States.Runtime', `${field} ${fault}.`);
    return value;
  };
}

/** AWS reads a string at a path as a number when it looks like one. */
function asNumber(value: Json, source: ValueSource): Json {
  const isWritten = 'path' in source && typeof value === 'string' && value.trim() !== '';
  return isWritten && Number.isFinite(Number(value)) ? Number(value) : value;
}

function invalidNumber(
  value: Json,
  source: ValueSource,
  field: string,
  kind: NumberKind,
): StatesError {
  const shown = toText(value).slice(0, 200);
  if ('path' in source) {
    return new StatesError(
      'States.Runtime',
      `The ${field}Path field refers to value "${shown}" which is not a valid ${kind.name}: ${source.path}`,
    );
  }
  return new StatesError(
    'States.QueryEvaluationError',
    `The value ${shown} for the field '${field}' is not a valid ${kind.name}.`,
  );
}
