import {
  type Json,
  type JsonObject,
  listen,
  type PortInput,
  type Ports,
  providePorts,
  type SpokenLine,
} from '@dramaturg/compiler';
import { limitPorts, type Limits, nothingUsed, type Recording, withCall } from '@dramaturg/host';
import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
import type { ConversationEvent, ConversationView, Ending } from '../view/view.ts';
import { cuesAhead } from './cues.ts';
import type { Person } from './person.ts';

export interface Rehearsal {
  readonly machine: AnyStateMachine;
  readonly input: JsonObject;
  readonly view: ConversationView;
  /** Who plays the agent. */
  readonly ports: Partial<Ports> & Pick<Ports, 'reply'>;
  readonly recording: Recording;
  readonly limits: Limits;
  /** The machine of copies that show what would move the conversation; absent when a model judges that. */
  readonly rehearsed?: AnyStateMachine | undefined;
  /** Looks on. */
  readonly attach?: ((actor: AnyActor) => unknown) | undefined;
}

/** How a conversation was held. */
export type Held = Omit<Ending, 'next'> & {
  /** It could not go on because of a limit. */
  readonly isLimited: boolean;
};

/** A conversation that has not begun yet. */
export interface Conversation {
  /** Holds it until it ends, the person has no more to say, or the signal says to stop. */
  readonly hold: (person: Person, stop: AbortSignal) => Promise<Held>;
}

/**
 * Prepares a conversation.
 *
 * @throws InputError when the input lacks a field that the definition asks for
 */
export function prepare(rehearsal: Rehearsal): Conversation {
  const { machine, input, view, recording, limits, attach } = rehearsal;
  let open: PortInput<'reply'>['asks'] = [];
  let state = '';
  let isLimited = false;
  /** The message of the turn that failed. */
  let unanswered: string | undefined;
  let used: Ending['used'];
  const deliverables = new Map<string, Json>();

  const said: SpokenLine[] = [];

  // Refusals are part of what is recorded: a replay has them, whatever limits there are then.
  const agent = recording.ports(limitPorts(rehearsal.ports, limits));
  const ports: Partial<Ports> = {
    ...agent,
    reply: (question, call) => {
      open = question.asks;
      return agent.reply(question, call);
    },
  };
  const see = (event: ConversationEvent) => {
    if (event.type === 'state.entered') state = event.state;
    if (event.type === 'message.sent') said.push({ role: 'agent', text: event.text });
    if (event.type === 'deliverable.collected') deliverables.set(event.deliverable, event.value);
    if (event.type === 'usage.recorded')
      used = withCall(used ?? nothingUsed, { time: 0, usage: event });
    if (event.type === 'turn.failed') {
      isLimited = event.code === 'port/limit-reached';
      unanswered = event.unanswered;
    }
    view.see(event, { canRetry: isFailed(actor) });
  };
  const options = { onText: view.hear, transcript: () => said };
  const actor = createActor(providePorts(machine, ports, options), {
    input,
    ...listen((event) => see(event as ConversationEvent)),
  });
  requireBegun(actor);
  // Whoever waits for the actor is told of its error; without a listener XState would throw it a second time.
  actor.subscribe({ error: () => {} });

  /** Whoever looks on may also speak, and lead the conversation to its end. */
  const lookedOn = async (): Promise<undefined> => {
    attach?.(actor);
    actor.system.inspect((happening) => {
      if (happening.type !== '@xstate.event' || happening.actorRef !== actor) return;
      const { type, text } = happening.event;
      if (type === 'message.received') said.push({ role: 'contact', text: String(text) });
    });
    // An actor that breaks says so to whoever waits for its move.
    await waitFor(actor, ({ status }) => status !== 'active').catch(() => {});
  };

  /** The state for which the view has the cues. */
  let cuedState: string | undefined;
  const showCues = async () => {
    if (rehearsal.rehearsed === undefined || cuedState === state) return;
    cuedState = state;
    const cues = await cuesAhead(rehearsal.rehearsed, actor.getPersistedSnapshot());
    if (cues) view.cue(state, cues);
  };

  const play = async (person: Person, interrupt: AbortSignal): Promise<Held> => {
    const stop = recording.stops(interrupt);
    const stopped = new Promise<undefined>((resolve) => {
      if (stop.aborted) resolve(undefined);
      stop.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const ended = attach && lookedOn();
    actor.start();
    while (await Promise.race([isWaiting(actor), stopped])) {
      if (isLimited) break;
      await showCues();
      const line = await Promise.race([
        recording.line(() => person.nextLine(view.prompt, { blank: isFailed(actor) })),
        stopped,
        ...(ended ? [ended] : []),
      ]);
      if (line === undefined) break;
      const isBlank = line.trim() === '';
      view.say(line, person.types || isBlank);
      // The message of a failed turn is in the transcript already.
      if (isBlank || (isFailed(actor) && line === unanswered)) {
        actor.send({ type: 'turn.retry' });
        continue;
      }
      if (!attach) said.push({ role: 'contact', text: line });
      actor.send({ type: 'message.received', text: line });
    }
    const snapshot = actor.getSnapshot();
    const told = { isLimited, ...(used ? { used } : {}) };
    if (snapshot.status === 'done')
      return { ...endingOf(snapshot.output as Outcome), open: [], ...told };
    actor.stop();
    const wanted = open.filter(({ name }) => !deliverables.has(name));
    return {
      outcome: 'unfinished',
      state,
      deliverables: Object.fromEntries(deliverables),
      open: wanted,
      ...told,
    };
  };
  const hold: Conversation['hold'] = async (person, stop) => {
    try {
      return await play(person, stop);
    } finally {
      // Of a replay that has gone another way this tells the first difference, and any failure follows from it.
      await recording.finish();
    }
  };
  return { hold };
}

/** What the outputs of all conversations have in common; a format calls what it has brought by its own name. */
interface Outcome {
  readonly outcome: string;
  readonly state: string;
  readonly deliverables?: Ending['deliverables'];
  readonly variables?: Ending['deliverables'];
}

function endingOf({ outcome, state, deliverables, variables }: Outcome) {
  return { outcome, state, deliverables: deliverables ?? variables ?? {} };
}

/** Resolves once it is somebody else's move: true when it is the person's, false when the conversation is over. */
async function isWaiting(actor: AnyActor): Promise<boolean> {
  const snapshot = await waitFor(
    actor,
    (each) => each.status !== 'active' || each.hasTag('waiting'),
  );
  if (snapshot.status === 'error') throw snapshot.error;
  return snapshot.status === 'active';
}

/** Whether a turn rests at a failed call. */
function isFailed(actor: AnyActor): boolean {
  return (actor.getSnapshot() as AnyMachineSnapshot).hasTag('failed');
}

/** XState keeps what the first context throws, and tells it only when the actor is started. */
function requireBegun(actor: AnyActor): void {
  const { status, error } = actor.getSnapshot();
  if (status === 'error') throw error;
}
