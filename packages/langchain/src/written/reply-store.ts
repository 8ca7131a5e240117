import { hash } from 'node:crypto';
import type { NextReply, PortCall, PortInput, PromptSection, ToolCall } from '@dramaturg/compiler';

/** A message that a model has written together with an answer, before the machine has decided. */
export interface WrittenReply {
  readonly text: string;
  /** The value that the message asks for; undefined when it asks nothing. */
  readonly asks: string | undefined;
  /** The indexes of the case's directions that the message carries out. */
  readonly does: readonly number[];
  /** The case that it is written for. */
  readonly case: NextReply['cases'][number];
}

type Call = Pick<PortInput<'extract'>, 'transcript' | 'message' | 'prompt'>;

interface Kept extends WrittenReply {
  readonly turn: string;
  /** Hashes of the sections that the model has seen. */
  readonly seen: ReadonlySet<string>;
  /** Hashes of the sections that the reply's prompt must contain. */
  readonly wanted: readonly string[];
  readonly tools: ReadonlySet<string>;
}

/** Maximum number of messages that wait for their machine. The oldest are forgotten, and written again. */
const mostKept = 1_000;

/**
 * Messages that were written together with an answer, by conversation, until the machine asks for its reply in the same turn. They are
 * in memory only: after a restart, the model is asked for the reply as usual.
 */
export class ReplyStore {
  readonly #kept = new Map<string, Kept>();

  /** Forgets the message of an earlier attempt: a repeated question may have another answer. */
  forget({ transcript }: Pick<Call, 'transcript'>, { instance }: PortCall): void {
    this.#kept.delete(placeOf({ transcript }, instance));
  }

  /** @param input the input of the call that also wrote the message */
  keep(written: WrittenReply, input: Call, reply: NextReply, { instance }: PortCall): void {
    const place = placeOf(input, instance);
    const wanted = [...reply.prompt, ...written.case.prompt].map(hashOf);
    const seen = new Set([...wanted, ...input.prompt.map(hashOf)]);
    const tools = new Set([...reply.tools.map(({ name }) => name), ...(reply.unneeded ?? [])]);
    this.#kept.set(place, { ...written, turn: turnOf(input), seen, wanted, tools });
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
  }

  /** Takes the message for a reply, if it was written for exactly this reply. It is returned only once. */
  take(
    input: PortInput<'reply'>,
    { instance }: PortCall,
  ): { readonly text: string; readonly toolCalls: ToolCall[] } | undefined {
    const place = placeOf(input, instance);
    const kept = this.#kept.get(place);
    if (kept === undefined) return undefined;
    this.#kept.delete(place);
    if (!fits(kept, input)) return undefined;
    const toolCalls = kept.does.flatMap((index) => input.directions[index]?.done ?? []);
    return { text: kept.text, toolCalls };
  }
}

function fits(kept: Kept, input: PortInput<'reply'>): boolean {
  const { asks, directions, prompt, tools } = input;
  const sections = prompt.filter(({ progress }) => !progress).map(hashOf);
  const given = new Set(sections);
  return (
    kept.turn === turnOf(input) &&
    sections.every((section) => kept.seen.has(section)) &&
    kept.wanted.every((section) => given.has(section)) &&
    JSON.stringify(directions) === JSON.stringify(kept.case.directions) &&
    tools.every(({ name }) => kept.tools.has(name)) &&
    asksTheSame(kept, asks[0])
  );
}

function asksTheSame(kept: Kept, ask: PortInput<'reply'>['asks'][number] | undefined): boolean {
  if (kept.asks !== ask?.name) return false;
  if (ask === undefined) return true;
  const told = kept.case.asks.find(({ name }) => name === ask.name);
  return (
    told !== undefined &&
    told.question === ask.question &&
    JSON.stringify(told.unconfirmed) === JSON.stringify(ask.unconfirmed)
  );
}

function placeOf({ transcript }: Pick<Call, 'transcript'>, instance: string | undefined): string {
  return JSON.stringify([instance ?? null, transcript.conversation]);
}

function turnOf({ transcript, message }: Omit<Call, 'prompt'>): string {
  return hash('sha256', JSON.stringify([transcript.length, message ?? null]));
}

function hashOf({ title, text, data = false, at }: PromptSection): string {
  return hash('sha256', JSON.stringify([title, text, data, at ?? null]));
}
