import { badRequest } from '../errors.ts';
import type { Json, JsonObject } from '@dramaturg/compiler';
import {
  type Behaviour,
  type ItemView,
  itemsOf,
  type NodePlace,
  type RunFailure,
  sharedByItemsOf,
  type Standing,
  type ItemDescription,
} from '@dramaturg/compiler/machine';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import type { InstanceState } from '../instance/state.ts';
import type { Page, PageRequest } from '../store/contract.ts';
import { contextIn } from '../xstate/persisted-snapshot.ts';
import { type StateAtRest, statesAtRest } from '../xstate/resting-states.ts';
import { pathInItem, pathToNode, type StatePath, type StateStep } from '../xstate/state-paths.ts';
import type { ReadDefinition } from './definition-reader.ts';
import type { InstanceFailure, StatePosition } from './standing.ts';

/** `stopped`: the state that runs the item failed before the item ended, or before it began. */
export type ItemStatus = ItemView['status'] | 'stopped';

/** Selects items. All given fields have to match. */
export interface ItemFilter {
  readonly status?: ItemStatus;
  /** The name of the state that runs the items. */
  readonly state?: string;
}

/** An item of a list that a state of an instance works on, such as a child execution of a distributed Map. */
export interface ItemSummary extends Omit<ItemDescription, 'failure'> {
  /** The state that runs the item, with the states around it. The last step has the index of the item. */
  readonly path: readonly StateStep[];
  readonly status: ItemStatus;
  readonly failure?: InstanceFailure;
  /** The states in which a running item rests. */
  readonly states: readonly StatePosition[];
}

/**
 * The items of the states in which an instance rests, or that failed with it. A state that has ended well has its results as output.
 *
 * @param behaviour the behaviour of the format; without it, an item has no name
 * @throws HostError `host/bad-request`
 */
export function readItems(
  state: InstanceState,
  definition: ReadDefinition,
  behaviour: Behaviour | undefined,
  filter: ItemFilter,
  { after, limit }: PageRequest,
): Page<ItemSummary> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw badRequest('A page has 1 to 10,000 items.');
  const start = after === undefined ? 0 : Number(after);
  if (!Number.isSafeInteger(start) || start < 0)
    throw badRequest(`${JSON.stringify(after?.slice(0, 100))} is not where a page begins.`);
  const lists = [...listsOf(state.flow, definition, behaviour?.standing ?? {})];
  const items: ItemSummary[] = [];
  let position = 0;
  for (const list of lists) {
    const isWanted = filter.state === undefined || list.state === filter.state;
    for (const view of list.items) {
      position += 1;
      if (position <= start || !isWanted) continue;
      if (filter.status !== undefined && list.statusOf(view) !== filter.status) continue;
      if (items.length === limit) return { items, next: String(position - 1) };
      items.push(list.summaryOf(view));
    }
  }
  return { items };
}

/** The items of one state. */
interface ItemList {
  readonly state: string | undefined;
  readonly items: readonly ItemView[];
  readonly statusOf: (item: ItemView) => ItemStatus;
  readonly summaryOf: (item: ItemView) => ItemSummary;
}

function* listsOf(
  snapshot: Json | undefined,
  definition: ReadDefinition,
  standing: Standing,
): Generator<ItemList> {
  for (const at of statesAtRest(definition.chart, snapshot)) {
    if (!at.supervisor) continue;
    const shared = sharedByItemsOf(at.supervisor.snapshot);
    const statusOf = ({ status }: ItemView) => status;
    yield listOf(at, itemsOf(at.supervisor.snapshot), shared, statusOf, at.supervisor.chart);
  }
  const context = contextIn(snapshot);
  const failed = context === null ? [] : (standing.failedItems?.(context) ?? []);
  for (const { at, items, shared } of failed) {
    const found = pathToNode(definition.chart, at);
    if (found) yield listOf(found, items, shared, statusOfFailed);
  }

  function listOf(
    around: StatePath,
    items: readonly ItemView[],
    shared: JsonObject,
    statusOf: ItemList['statusOf'],
    chart?: NonNullable<StateAtRest['supervisor']>['chart'],
  ): ItemList {
    return {
      state: around.path.at(-1)?.state,
      items,
      statusOf,
      summaryOf(view) {
        const here = pathInItem(around, view.index);
        const told = standing.item?.(view, shared, definition.chart.meta ?? {}) ?? {
          input: view.item,
          ...(view.output !== undefined && { output: view.output }),
        };
        const { failure, ...rest } = told;
        const states = chart && view.snapshot ? statesAtRest(chart, view.snapshot, here) : [];
        return {
          path: here.path,
          status: statusOf(view),
          ...rest,
          ...(failure && { failure: failureOf(failure) }),
          states: states
            .filter(({ path }) => path.length > here.path.length)
            .map((state) => positionOf(state)),
        };
      },
    };
  }

  function failureOf({ error, cause, at }: RunFailure): InstanceFailure {
    const state = at && stateAt(at);
    return {
      error,
      cause: cause === null ? null : withoutSecrets(cause),
      ...(state && { state }),
    };
  }

  function stateAt(at: NodePlace): StatePosition | undefined {
    const found = pathToNode(definition.chart, at);
    return found && positionOf(found);
  }

  function positionOf({ path, origin }: StatePath): StatePosition {
    const position = origin && definition.locate(origin);
    return { path, ...(position && { position }) };
  }
}

function statusOfFailed({ status }: ItemView): ItemStatus {
  return status === 'waiting' ? 'stopped' : status;
}
