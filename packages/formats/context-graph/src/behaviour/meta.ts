import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import type { HandledEvent } from '@dramaturg/conversation';
import type { GraphContext, Traversal } from '../context.ts';
import type { GraphMeta, StateMeta, ToolMeta } from '../lower/meta.ts';
import { type Address, graphNode, graphPath, stateNode } from '../names.ts';

/** The data that behaviour is evaluated against. */
export type GraphScope = Scope<GraphContext, HandledEvent>;
/** A moment of a conversation, without an event. */
export type Place = Pick<GraphScope, 'context' | 'meta'>;
export type GraphAction<Params = unknown> = Action<GraphContext, HandledEvent, Params>;
export type GraphActions = Readonly<Record<string, Action<GraphContext, HandledEvent>>>;
export type GraphGuard = Guard<GraphContext, HandledEvent>;

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
