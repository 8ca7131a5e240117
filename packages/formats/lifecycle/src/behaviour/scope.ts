import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import type { LifecycleContext } from '../context.ts';
import type { QuietWindow, TimerPolicy } from '../definition.ts';
import { liveNode, stateNode } from '../names.ts';
import type { Times } from '../times.ts';
import type { Kind } from '../vocabulary.ts';

/** The data that behaviour is evaluated against. Events come from anywhere and are read field by field, hence the open shape. */
export type LifecycleScope = Scope<LifecycleContext, AnyEvent>;

export interface AnyEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event of the machine for itself. If no row takes it, it is dropped and not refused, because no outside party sent it. */
export function raised(type: string, fields: object = {}): AnyEvent {
  return { type, ...fields, raised: true };
}

export type LifecycleAction<Params = unknown> = Action<LifecycleContext, AnyEvent, Params>;
export type LifecycleGuard = Guard<LifecycleContext, AnyEvent>;

/** A state as stored in the meta of its node. */
export interface StateMeta {
  readonly state: string;
  readonly kind: Kind;
  /** Absent in a terminal state. */
  readonly accepts?: readonly Accepted[];
  /** The state leads back to the previous state. */
  readonly returns?: true;
  readonly holds_contact?: false;
  readonly timer?: {
    readonly event: string;
    /** In milliseconds; the heartbeat when left out. */
    readonly after_ms?: number;
    readonly settle?: QuietWindow;
    readonly resume: TimerPolicy;
  };
}

/** An event that rows wait for, and what decides it. */
export interface Accepted {
  readonly event: string;
  /** The guards that decide. */
  readonly guards?: readonly string[];
  /** The target of the rows, if all lead to one state. */
  readonly to?: string;
}

type Metas = ReadonlyMap<string, NodeMeta>;

export function stateMeta(meta: Metas, state: string): StateMeta | undefined {
  return meta.get(stateNode(state)) as unknown as StateMeta | undefined;
}

/** The events that rows of a state wait for, followed by those that are accepted anywhere. */
export function acceptedIn(meta: Metas, state: string): readonly Accepted[] {
  const { accepts: own = [] } = stateMeta(meta, state) ?? {};
  const { accepts: anywhere = [] } = (meta.get(liveNode) ?? {}) as {
    readonly accepts?: readonly Accepted[];
  };
  const isOwn = new Set(own.map(({ event }) => event));
  return [...own, ...anywhere.filter(({ event, to }) => to !== state && !isOwn.has(event))];
}

/** When reminders are sent. */
export function timesOf({ context, meta }: Pick<LifecycleScope, 'context' | 'meta'>): Times {
  return {
    ...context.caller,
    ...(meta.get(liveNode) as { readonly times?: Times } | undefined)?.times,
  };
}

export function zoneOf(scope: Pick<LifecycleScope, 'context' | 'meta'>): string {
  return scope.context.time_zone ?? timesOf(scope).time_zone ?? 'UTC';
}
