import { itemProgressOf } from '@dramaturg/compiler/machine';
import type { AnyActorRef, AnyStateMachine, InspectionEvent, StateValue } from 'xstate';

/** The progress of a state with items. */
export interface StateProgress {
  /** The keys of the state, or of a state inside it, from the root; or the name of the state. */
  readonly state: string | readonly string[];
  readonly ended: number;
  readonly total: number;
}

/** The machines of a system: the root, and those that its nodes run for items. */
export class RunningMachines {
  readonly #running = new Set<AnyActorRef>();

  readonly see = (happening: InspectionEvent): void => {
    if (happening.type !== '@xstate.actor') return;
    const actor = happening.actorRef as AnyActorRef & { readonly logic: object };
    if ('root' in actor.logic) this.#running.add(actor);
  };

  /** The values of the machines; the value of an item is nested in that of the node that runs it. */
  values(): readonly StateValue[] {
    const values: StateValue[] = [];
    for (const actor of this.#running) {
      const snapshot = actor.getSnapshot();
      const isOver = snapshot.status !== 'active' && parentOf(actor) !== undefined;
      if (isOver) this.#running.delete(actor);
      // A machine that could not be restored has no value.
      else if (snapshot.value !== undefined) values.push(nested(placeOf(actor), snapshot.value));
    }
    return values;
  }

  /** The progress of nodes that run machines for items. */
  progress(): readonly StateProgress[] {
    const supervisors = new Set<AnyActorRef>();
    for (const actor of this.#running) {
      const supervisor = parentOf(actor);
      if (supervisor) supervisors.add(supervisor);
    }
    return [...supervisors].flatMap((supervisor) => {
      const progress = itemProgressOf(supervisor.getSnapshot());
      return progress ? { state: placeOfCall(supervisor), ...progress } : [];
    });
  }
}

function nested(path: readonly string[], value: StateValue): StateValue {
  return path.reduceRight<StateValue>((inner, key) => ({ [key]: inner }), value);
}

/** The keys of the node that runs a machine, from the outermost root. */
function placeOf(actor: AnyActorRef): readonly string[] {
  const call = parentOf(actor);
  return call ? placeOfCall(call) : [];
}

function placeOfCall(call: AnyActorRef): readonly string[] {
  const owner = parentOf(call);
  if (!owner) return [];
  const pending = [(owner as AnyActorRef & { readonly logic: AnyStateMachine }).logic.root];
  for (const node of pending) {
    if (node.invoke.some(({ id }) => id === call.id)) return [...placeOf(owner), ...node.path];
    pending.push(...Object.values(node.states));
  }
  return placeOf(owner);
}

function parentOf(actor: AnyActorRef): AnyActorRef | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- XState's types have it only under this name.
  return actor._parent;
}
