import {
  type Chart,
  type EventObject,
  link,
  listen,
  type PortName,
  portSchemas,
} from '@dramaturg/compiler';
import { type Behaviour, itemLoadOf } from '@dramaturg/compiler/machine';
import {
  type ActorLogic,
  type AnyActor,
  type AnyActorRef,
  createActor,
  type Snapshot,
} from 'xstate';

/** A call that is not answered yet. */
export interface OpenCall {
  readonly port: PortName;
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly actor: AnyActorRef;
}

type CallSnapshot = Snapshot<unknown> & { readonly input: unknown };

type CallEvent =
  | { readonly type: 'answer'; readonly output: unknown }
  | { readonly type: 'fail'; readonly error: unknown }
  | { readonly type: 'xstate.stop' };

/** A port that only waits for its answer. */
function waitingPort(
  port: PortName,
  open: Set<OpenCall>,
): ActorLogic<CallSnapshot, CallEvent, unknown> {
  const closed = { input: undefined, output: undefined, error: undefined };
  const calls = new WeakMap<object, OpenCall>();
  return {
    getInitialSnapshot: (_, input) => ({ ...closed, status: 'active', input }),
    start: ({ status, input }, { self }) => {
      if (status !== 'active') return;
      const call = {
        port,
        id: self.id,
        input: input as OpenCall['input'],
        actor: self as AnyActorRef,
      };
      calls.set(self, call);
      open.add(call);
    },
    transition: (snapshot, event, { self }) => {
      if (snapshot.status !== 'active') return snapshot;
      open.delete(calls.get(self)!);
      if (event.type === 'answer') return { ...closed, status: 'done', output: event.output };
      if (event.type === 'fail') return { ...closed, status: 'error', error: event.error };
      return { ...closed, status: 'stopped' };
    },
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (stored) => stored as CallSnapshot,
  };
}

/** An actor of a definition, and everything that can be observed of it. */
export class Observed {
  microsteps = 0;
  readonly #emitted: unknown[] = [];
  readonly #open = new Set<OpenCall>();
  readonly #machine;
  #actor: AnyActor;

  constructor(
    chart: Chart,
    behaviour: Behaviour,
    { fuse, input }: { readonly fuse: boolean; readonly input: unknown },
  ) {
    const ports = Object.keys(portSchemas) as PortName[];
    let ids = 0;
    this.#machine = link(chart, behaviour, {
      fuse,
      world: { now: () => 1_700_000_000_000, random: () => 0.5, uuid: () => `id ${(ids += 1)}` },
      actors: Object.fromEntries(ports.map((port) => [port, waitingPort(port, this.#open)])),
      pause: (supervisor, goOn) =>
        queueMicrotask(() => {
          itemLoadOf(supervisor).created = 0;
          goOn();
        }),
    });
    this.#actor = this.#started({ input });
  }

  get isActive(): boolean {
    return this.#actor.getSnapshot().status === 'active';
  }

  get openCalls(): readonly OpenCall[] {
    return [...this.#open];
  }

  get events(): readonly string[] {
    return this.#machine.events as string[];
  }

  send(event: EventObject): void {
    this.#actor.send(event);
  }

  answer(index: number, event: object): void {
    this.openCalls[index]!.actor.send(event);
  }

  /** Stores and restores it. */
  restore(): void {
    const snapshot = this.#stored();
    this.#actor.stop();
    this.#actor = this.#started({ snapshot });
  }

  /** What has happened since the last look, and what there is now. */
  look(): unknown {
    const { status, value, tags, error } = this.#actor.getSnapshot();
    return {
      emitted: this.#emitted.splice(0),
      calls: this.openCalls.map(({ port, id, input }) => ({ port, id, input })),
      status,
      value,
      tags: [...(tags ?? [])],
      error: error instanceof Error ? [error.name, error.message] : error,
      stored: status === 'error' ? undefined : this.#stored(),
    };
  }

  #stored() {
    return JSON.parse(JSON.stringify(this.#actor.getPersistedSnapshot()));
  }

  #started(options: object): AnyActor {
    const { inspect } = listen((event) => this.#emitted.push(event));
    const actor: AnyActor = createActor(this.#machine, {
      ...options,
      inspect: (happening) => {
        if (happening.type === '@xstate.microstep') this.microsteps += 1;
        inspect(happening);
      },
    });
    actor.subscribe({ error: () => {} });
    return actor.start();
  }
}
