import type { ActorRefLike, AnyEventObject, InspectionEvent, Snapshot } from 'xstate';

/** The creation of an actor. XState 5 has the same type without these fields. */
interface ActorInspection {
  readonly type: '@xstate.actor';
  readonly actorRef: ActorRefLike;
  readonly parentRef: ActorRefLike | undefined;
}

/** The handling of an event by an actor. XState 5 has the same type, without microsteps. */
interface TransitionInspection {
  readonly type: '@xstate.transition';
  readonly actorRef: ActorRefLike;
  readonly rootId?: string;
  readonly event: AnyEventObject;
  readonly sourceRef: ActorRefLike | undefined;
  readonly snapshot: Snapshot<unknown>;
  /** The definitions of the transitions that were taken, in order. */
  readonly microsteps: readonly unknown[];
}

/** An inspection event of XState 6, for the option `inspect`. Spec: https://stately.ai/docs/xstate/v6/inspection */
export type XState6Inspection = ActorInspection | TransitionInspection;

/**
 * Translates an event of XState 6 to those of XState 5, in the order in which XState 5 reports them. An event of XState 5 is not
 * changed.
 */
export function inXState5Words(
  happening: InspectionEvent | XState6Inspection,
): readonly InspectionEvent[] {
  if (!isTransition6(happening)) return [happening as InspectionEvent];
  const { actorRef, rootId = '', sourceRef, snapshot, microsteps } = happening;
  const event = { ...happening.event, type: typeIn5(happening.event.type) };
  const common = { actorRef, rootId, event };
  return [
    { ...common, type: '@xstate.event', sourceRef },
    ...microsteps.map((taken): InspectionEvent => ({
      ...common,
      type: '@xstate.microstep',
      snapshot,
      _transitions: [taken] as never,
    })),
    { ...common, type: '@xstate.snapshot', snapshot },
  ];
}

function isTransition6(
  happening: InspectionEvent | XState6Inspection,
): happening is TransitionInspection {
  return happening.type === '@xstate.transition' && 'microsteps' in happening;
}

/** XState 6 names its own events `@xstate.init` instead of `xstate.init`, for example. */
function typeIn5(type: string): string {
  return type.startsWith('@xstate.') ? type.slice(1) : type;
}
