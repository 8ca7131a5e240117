import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { EventObject } from './behaviour.ts';

/**
 * Hears what every actor of a system emits: the actor a host starts, and those of the items it works on, whenever they
 * come to life. An actor's own `on` hears that actor only.
 *
 *     createActor(machine, listen((event, actor) => console.log(actor.id, event))).start();
 *
 * @returns the option `inspect` of `createActor`; only the actor of the host may have one, XState ignores it elsewhere
 */
export function listen(listener: (event: EventObject, actor: AnyActorRef) => void): {
  readonly inspect: (happening: InspectionEvent) => void;
} {
  return {
    inspect: (happening) => {
      // Comes before the actor takes its first step, so nothing is missed.
      if (happening.type !== '@xstate.actor') return;
      const actor = happening.actorRef as AnyActorRef;
      actor.on('*', (event) => listener(event as EventObject, actor));
    },
  };
}
