import type { ActorRefLike, AnyActorRef } from 'xstate';
import { isMachine } from './chart.ts';

/** An actor whose logic may be known. */
export type ActorWithLogic = AnyActorRef & { readonly logic?: unknown };

/** Assigns ids to actors, because XState's ids are unique only within one system. */
export class ActorIds {
  readonly #ids = new WeakMap<object, string>();
  readonly #systems = new WeakMap<object, number>();
  #count = 0;

  of(actor: ActorRefLike): string {
    const known = this.#ids.get(actor);
    if (known) return known;
    const id = `${this.#systemOf(actor)}/${actor.sessionId}`;
    this.#ids.set(actor, id);
    return id;
  }

  /** The prefix of all ids in the system of an actor. */
  prefix(actor: ActorRefLike): string {
    return `${this.#systemOf(actor)}/`;
  }

  #systemOf(actor: ActorRefLike): number {
    const { system } = actor as AnyActorRef;
    let number = this.#systems.get(system);
    if (number === undefined) {
      number = this.#count += 1;
      this.#systems.set(system, number);
    }
    return number;
  }
}

export function rootOf(actor: ActorRefLike): AnyActorRef {
  const parent = parentOf(actor);
  return parent ? rootOf(parent) : (actor as AnyActorRef);
}

export function parentOf(actor: ActorRefLike): AnyActorRef | undefined {
  const { _parent: parent } = actor as AnyActorRef;
  return parent;
}

export function nameOf(actor: ActorWithLogic): string {
  const { id, sessionId, logic } = actor;
  return id === sessionId && isMachine(logic) ? logic.id : id;
}

/** The machine of an actor, or of its nearest ancestor with one. */
export function machineAround(actor: ActorRefLike): AnyActorRef {
  let at = actor as ActorWithLogic;
  while (!isMachine(at.logic) && parentOf(at)) at = parentOf(at)!;
  return at;
}
