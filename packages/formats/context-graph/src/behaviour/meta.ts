import type { JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import type { HandledEvent, OnEnd } from '@dramaturg/conversation';
import type { GraphContext, Traversal } from '../context.ts';
import type { ReadFields, ToolCallSpec } from '../definition.ts';
import type { StateType } from '../shape.ts';
import { type Address, graphNode, graphPath, type Need, stateNode } from '../names.ts';

/** The data that behaviour is evaluated against. */
export type GraphScope = Scope<GraphContext, HandledEvent>;
/** A moment of a conversation, without an event. */
export type Place = Pick<GraphScope, 'context' | 'meta'>;
export type GraphAction<Params = unknown> = Action<GraphContext, HandledEvent, Params>;
export type GraphActions = Readonly<Record<string, Action<GraphContext, HandledEvent>>>;
export type GraphGuard = Guard<GraphContext, HandledEvent>;

interface OptionMeta {
  readonly id: string;
  readonly description: string;
}

export interface ExitMeta extends OptionMeta {
  /** As written by the author. */
  readonly next_state: string;
  readonly to: Address;
}

export interface ToolMeta {
  readonly tool_id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly result_persistence: ToolCallSpec['result_persistence'];
}

/** A state as stored in the meta of its node; the fields depend on its type. */
export interface StateMeta extends Partial<Omit<ReadFields, 'actions' | 'exit_conditions'>> {
  readonly title: string;
  readonly type: StateType;
  /** What it needs first from the turn; absent when it is passed. */
  readonly needs?: Need;
  /** The conversation ends with its message. */
  readonly ends?: true;
  /** The terminal state of a referenced graph: the agent says nothing in it, or the calling graph takes the answer to it. */
  readonly silent?: true;
  readonly returns?: true;
  readonly actions?: readonly OptionMeta[];
  readonly exits?: readonly ExitMeta[];
  readonly action_tools?: readonly ToolMeta[];
  readonly exit_tools?: readonly ToolMeta[];
  readonly tools?: readonly ToolMeta[];
  readonly cut?: true;
  readonly designated?: ToolMeta;
  readonly context?: string;
  readonly guidances?: readonly string[];
  readonly validations?: readonly string[];
}

/** A graph as stored in the meta of its node. */
export interface GraphMeta {
  readonly description: string;
  /** Its own map and those of its references, as indexes in `maps` of the compiled graph. */
  readonly topology: readonly { readonly title: string; readonly map: number }[];
  readonly global_intra_state_navigation_guidelines: readonly string[];
  readonly global_action_guidelines: readonly string[];
  readonly global_boundary_constraints: readonly string[];
  /** Only in the compiled graph: the maps of all graphs, and the limits of every turn. */
  readonly maps?: readonly string[];
  readonly on_end?: OnEnd;
  readonly maxTransitionsPerTurn?: number;
  readonly maxVisitsPerState?: number;
}

type Metas = ReadonlyMap<string, NodeMeta>;

export function stateMeta(meta: Metas, state: Address): StateMeta {
  return meta.get(stateNode(state)) as unknown as StateMeta;
}

/** The graph of a state: only its globals apply in the state. */
export function graphMeta(meta: Metas, state: Address): GraphMeta {
  return meta.get(graphNode(graphPath(state))) as unknown as GraphMeta;
}

/** The compiled graph. */
export function rootMeta(meta: Metas): GraphMeta {
  return graphMeta(meta, '');
}

/** The current turn. Only nodes that are entered during a turn call this. */
export function traversalOf({ context }: Pick<GraphScope, 'context'>): Traversal {
  if (context.traversal === null) throw new TypeError('There is no turn in hand.');
  return context.traversal;
}

export function currentState(scope: Place): StateMeta {
  return stateMeta(scope.meta, traversalOf(scope).state);
}

/** The tools of one of the state's lists; the designated tool and the e-mail are lists of their own. */
export function toolsOf(scope: Place, list: ToolList): readonly ToolMeta[] {
  const found = list === 'email' ? email : currentState(scope)[list];
  return found === undefined ? [] : [found].flat();
}

export type ToolList = 'action_tools' | 'exit_tools' | 'tools' | 'designated' | 'email';

const email: ToolMeta = {
  tool_id: 'send-email',
  name: 'send-email',
  description: '',
  parameters: {},
  result_persistence: 'ephemeral',
};

/** Changes the current turn. */
export function change(
  scope: Pick<GraphScope, 'context'>,
  fields: Partial<Traversal>,
): { context: { traversal: Traversal } } {
  return { context: { traversal: { ...traversalOf(scope), ...fields } } };
}

/** The answer of a port, whose shape was checked on arrival. */
export function outputOf({ event }: Pick<GraphScope, 'event'>): unknown {
  return event['output'];
}
