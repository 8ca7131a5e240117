import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { EventObject } from './behaviour.ts';

/**
 * Listens to the events that any actor of a system emits: the root actor, and the actors of its calls and items, whenever
 * they are created. `actor.on` receives the events of one actor only.
 *
 * @returns the option `inspect` of `createActor`. XState ignores it for all actors but the root
 *
 * @example
 * ```ts
 * const emitted: string[] = [];
 * const machine = providePorts(intake.machine!, understudyPorts());
 * const actor = createActor(
 *   machine,
 *   listen(({ type }) => emitted.push(type)),
 * ).start();
 * await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
 * console.log(emitted.includes('message.sent')); // → true
 * ```
 */
export function listen(listener: (event: EventObject, actor: AnyActorRef) => void): {
  readonly inspect: (happening: InspectionEvent) => void;
} {
  return {
    inspect: (happening) => {
      // XState reports an actor before its first step, so no event is missed.
      if (happening.type !== '@xstate.actor') return;
      const actor = happening.actorRef as AnyActorRef;
      actor.on('*', (event) => listener(event as EventObject, actor));
    },
  };
}
