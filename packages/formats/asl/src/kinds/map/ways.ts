import type { Json } from '@dramaturg/compiler';
import { sourceValues } from '../../check/flow/language-flow.ts';
import { sourceAt } from '../../check/flow/source.ts';
import {
  elementsIn,
  listOfEach,
  objectOf,
  scalarFrom,
  union,
  type ValueSet,
} from '../../check/flow/value-set.ts';
import { onwards, recoveries, type StateWays, type Visit } from '../../check/flow/ways.ts';
import type { MapState, ValueSource } from '../../definition/index.ts';

export const mapWays: StateWays<MapState> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    readNumbers(visit, selected);
    readArguments(visit, selected, 'ItemReader', state.ItemReader?.Arguments);
    readArguments(visit, selected, 'ResultWriter', state.ResultWriter?.Arguments);
    const data = itemInput(visit, selected);
    const machine = state.ItemProcessor;
    return {
      exits: recoveries(visit),
      machines: machine && data ? [{ machine, passed: { data, variables: sight.variables } }] : [],
    };
  },
  leave({ state, sight, flow }, [output]) {
    const source = sourceAt(sight.state, 'ItemProcessor');
    // An item that may fail has the result null.
    const each = union(output, scalarFrom([source]));
    const result = state.ResultWriter ? 'any' : listOfEach(each, [source]);
    return { exits: onwards(state, flow.finish(result)) };
  },
};

function readNumbers({ state, sight }: Visit<MapState>, selected: ValueSet): void {
  const numbers: readonly (ValueSource | undefined)[] = [
    state.MaxConcurrency,
    state.ToleratedFailureCount,
    state.ToleratedFailurePercentage,
    state.ItemReader?.MaxItems,
    state.ItemBatcher?.MaxItemsPerBatch,
    state.ItemBatcher?.MaxInputBytesPerBatch,
  ];
  for (const number of numbers) sourceValues(number, selected, sight);
}

function readArguments(
  { state, sight, flow }: Visit<MapState>,
  selected: ValueSet,
  block: string,
  template: Json | undefined,
): void {
  if (template === undefined) return;
  const field = state.QueryLanguage === 'JSONata' ? 'Arguments' : 'Parameters';
  flow.template(template, selected, sourceAt(sight.state, block, [...state.at, block, field]));
}

/** The input of an item's machine; undefined when there are no items. */
function itemInput(visit: Visit<MapState>, selected: ValueSet): ValueSet | undefined {
  const { state, sight, flow } = visit;
  const element = elementOf(visit, selected);
  if (element === undefined) return undefined;
  const { ItemSelector: selector, ItemBatcher: batcher } = state;
  const field = Object.hasOwn(state.authored, 'ItemSelector') ? 'ItemSelector' : 'Parameters';
  const source = sourceAt(sight.state, field);
  const input =
    selector === undefined
      ? element
      : flow.template(selector, selected, source, sight.withItem(element));
  if (!batcher) return input;
  const batch = sourceAt(sight.state, 'ItemBatcher');
  const fields = new Map([['Items', listOfEach(input, [batch])]]);
  if (batcher.BatchInput !== undefined) {
    const place = sourceAt(sight.state, 'BatchInput', [...batch.at, 'BatchInput']);
    fields.set('BatchInput', flow.template(batcher.BatchInput, selected, place));
  }
  return objectOf(fields, [batch]);
}

/**
 * The values that an item may have. Each field of an object is an item with its key and value. AWS "Map state",
 * distributed mode
 */
function elementOf({ state, sight }: Visit<MapState>, selected: ValueSet): ValueSet | undefined {
  if (state.ItemReader) return 'any';
  const items = state.Items ? sourceValues(state.Items, selected, sight) : selected;
  if (items === 'any' || (items.object && state.Mode === 'DISTRIBUTED')) return 'any';
  return elementsIn(items);
}
