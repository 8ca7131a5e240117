import {
  type Json,
  type JsonObject,
  listen,
  type PortInput,
  type Ports,
  providePorts,
  type SpokenLine,
} from '@dramaturg/compiler';
import { failedTag, waitingTag } from '@dramaturg/compiler/chart';
import { limitPorts, type Limits, type Recording } from '@dramaturg/host';
import { noUsage, addCall } from '@dramaturg/host/engine';
import { understudyPorts } from '@dramaturg/understudy';
import { type UnderstudyCue, understudyCues } from '@dramaturg/understudy/cues';
import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
import type { ConversationEvent, ConversationView, Ending } from '../view/view.ts';
import type { Person } from './person.ts';

export interface Rehearsal {
  readonly machine: AnyStateMachine;
  readonly input: JsonObject;
  readonly view: ConversationView;
  /** The model or understudy that plays the agent. */
  readonly ports: Partial<Ports> & Pick<Ports, 'reply'>;
  readonly recording: Recording;
  readonly limits: Limits;
  /** The machine of the copies that `cuesAhead` makes; absent when a model judges messages. */
  readonly rehearsed?: AnyStateMachine | undefined;
  /** Attaches the inspector. */
  readonly attach?: ((actor: AnyActor) => unknown) | undefined;
}

/** The result of a conversation. */
export type Held = Omit<Ending, 'next'> & {
  /** Whether a limit has stopped the conversation. */
  readonly isLimited: boolean;
};

/** A conversation that is prepared and has not begun. */
export interface Conversation {
  /** Holds it until it ends, the person has no more lines, or the signal is aborted. */
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

  // Limits apply inside the recording: a replay repeats their refusals and ignores its own limits.
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
    if (event.type === 'deliverable.withdrawn') deliverables.delete(event.deliverable);
    if (event.type === 'usage.recorded') used = addCall(used ?? noUsage, { time: 0, usage: event });
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
  // `waitFor` reports the error of the actor. Without an observer XState would throw it a second time.
  actor.subscribe({ error: () => {} });

  /** Attaches the inspector, whose page may also send messages. Resolves when the conversation ends. */
  const inspected = async (): Promise<undefined> => {
    attach?.(actor);
    actor.system.inspect((happening) => {
      if (happening.type !== '@xstate.event' || happening.actorRef !== actor) return;
      const { type, text } = happening.event;
      if (type === 'message.received') said.push({ role: 'contact', text: String(text) });
    });
    // `isWaiting` reports an actor that breaks.
    await waitFor(actor, ({ status }) => status !== 'active').catch(() => {});
  };

  /** The state of the cues that the view shows. */
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
    const ended = attach && inspected();
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
    const usage = { isLimited, ...(used ? { used } : {}) };
    if (snapshot.status === 'done')
      return { ...endingOf(snapshot.output as Outcome), open: [], ...usage };
    actor.stop();
    const wanted = open.filter(({ name }) => !deliverables.has(name));
    return {
      outcome: 'unfinished',
      state,
      deliverables: Object.fromEntries(deliverables),
      open: wanted,
      ...usage,
    };
  };
  const hold: Conversation['hold'] = async (person, stop) => {
    try {
      return await play(person, stop);
    } finally {
      // Throws the first difference of a replay, which explains any failure above.
      await recording.finish();
    }
  };
  return { hold };
}

/** The output that all conversations share. Each format has its own name for the collected values. */
interface Outcome {
  readonly outcome: string;
  readonly state: string;
  readonly deliverables?: Ending['deliverables'];
  readonly variables?: Ending['deliverables'];
}

function endingOf({ outcome, state, deliverables, variables }: Outcome) {
  return { outcome, state, deliverables: deliverables ?? variables ?? {} };
}

/** Resolves when the actor needs something: true if it waits for the person, false if the conversation is over. */
async function isWaiting(actor: AnyActor): Promise<boolean> {
  const snapshot = await waitFor(
    actor,
    (each) => each.status !== 'active' || each.hasTag(waitingTag),
  );
  if (snapshot.status === 'error') throw snapshot.error;
  return snapshot.status === 'active';
}

/** Whether a turn has stopped at a failed call. */
function isFailed(actor: AnyActor): boolean {
  return (actor.getSnapshot() as AnyMachineSnapshot).hasTag(failedTag);
}

/** Throws an error of the initial context, which XState reports only when the actor is started. */
function requireBegun(actor: AnyActor): void {
  const { status, error } = actor.getSnapshot();
  if (status === 'error') throw error;
}

type Options = PortInput<'choose'>['options'];

/**
 * Finds the words that would make a waiting conversation continue, if the understudy judges messages. Sends a message to a copy
 * of the actor to see which options the copy asks to choose from.
 *
 * @returns undefined when the next message leads to no choice
 */
async function cuesAhead(
  machine: AnyStateMachine,
  snapshot: unknown,
): Promise<readonly UnderstudyCue[] | undefined> {
  let settle: (options: Options | undefined) => void = () => {};
  const settled = new Promise<Options | undefined>((resolve) => {
    settle = resolve;
  });
  const unanswered = new Promise<never>(() => {});
  const nothing = () => {
    settle(undefined);
    return unanswered;
  };
  const ports: Partial<Ports> = {
    ...understudyPorts(),
    choose: ({ options }) => {
      settle(options);
      return unanswered;
    },
    extract: nothing,
    reply: nothing,
    callTool: nothing,
  };
  const copy = createActor(providePorts(machine, ports), { snapshot: snapshot as never });
  copy.start();
  copy.subscribe({
    next: (now: AnyMachineSnapshot) => {
      if (now.status !== 'active' || now.hasTag(waitingTag)) settle(undefined);
    },
    error: () => settle(undefined),
  });
  copy.send({ type: 'message.received', text: 'hm' });
  const options = await settled;
  copy.stop();
  return options && understudyCues(options);
}
