import type { AnyActorRef, AnyStateMachine, InspectionEvent, StateValue } from 'xstate';

/** The machines of a system: the one that was started, and those that its nodes run for items. */
export class RunningMachines {
  readonly #running = new Set<AnyActorRef>();

  readonly see = (happening: InspectionEvent): void => {
    if (happening.type !== '@xstate.actor') return;
    const actor = happening.actorRef as AnyActorRef & { readonly logic: object };
    if ('root' in actor.logic) this.#running.add(actor);
  };

  /** Where each of them is; that of an item stands nested in the place of the node that runs it. */
  values(): readonly StateValue[] {
    const values: StateValue[] = [];
    for (const actor of this.#running) {
      const snapshot = actor.getSnapshot();
      const isOver = snapshot.status !== 'active' && parentOf(actor) !== undefined;
      if (isOver) this.#running.delete(actor);
      // One that could not be restored is nowhere.
      else if (snapshot.value !== undefined) values.push(nested(placeOf(actor), snapshot.value));
    }
    return values;
  }
}

function nested(path: readonly string[], value: StateValue): StateValue {
  return path.reduceRight<StateValue>((inner, key) => ({ [key]: inner }), value);
}

/** The keys of the node that runs a machine, from the root of the outermost one. */
function placeOf(actor: AnyActorRef): readonly string[] {
  const call = parentOf(actor);
  const owner = call && parentOf(call);
  if (!owner) return [];
  const pending = [(owner as AnyActorRef & { readonly logic: AnyStateMachine }).logic.root];
  for (const node of pending) {
    if (node.invoke.some(({ id }) => id === call.id)) return [...placeOf(owner), ...node.path];
    pending.push(...Object.values(node.states));
  }
  return placeOf(owner);
}

function parentOf(actor: AnyActorRef): AnyActorRef | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- It is in XState's types, under this name only.
  return actor._parent;
}
