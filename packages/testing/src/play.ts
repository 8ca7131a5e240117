import {
  type Json,
  type Port,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
  providePorts,
} from '@dramaturg/compiler';
import { type AnyActor, type AnyStateMachine, createActor, type EventObject } from 'xstate';

export interface PlayOptions {
  /** The actor's input. */
  readonly input?: unknown;
  /** An event in a format's words; undefined leaves it out. */
  readonly word?: (event: { readonly type: string }) => string | undefined;
  /** Whether the actor is persisted, dropped and restored after every input line. */
  readonly recover?: boolean;
}

/**
 * Plays a transcript: feeds in its `>` lines one after another, and records the actions of the actor in between.
 *
 * @returns the lines of the whole play; equal to those of the transcript when the actor behaves as it describes
 */
export async function playTranscript(
  machine: AnyStateMachine,
  transcript: string,
  { input, word = wordOf, recover = false }: PlayOptions = {},
): Promise<string[]> {
  const lines: string[] = [];
  const calls = new OpenCalls(lines);
  const provided = providePorts(machine, calls.ports);
  const spawn = (snapshot?: unknown) => {
    const actor = createActor(provided, {
      input,
      ...(snapshot === undefined ? {} : { snapshot: snapshot as never }),
    });
    actor.on('*', (event) => {
      const line = word(event as { type: string });
      if (line !== undefined) lines.push(line);
    });
    actor.start();
    return actor;
  };
  let actor: AnyActor = spawn();
  await settled();
  for (const step of parseTranscript(transcript)) {
    if (step.kind === 'expected') continue;
    lines.push(step.line);
    feed(step, actor, calls);
    await settled();
    if (recover && actor.getSnapshot().status === 'active') {
      const stored = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as unknown;
      actor.stop();
      actor = spawn(stored);
      await settled();
    }
  }
  const { status } = actor.getSnapshot();
  actor.stop();
  if (status === 'error') lines.push('error');
  return lines;
}

function feed(step: Step, actor: AnyActor, calls: OpenCalls): void {
  if (step.kind === 'user')
    actor.send({ type: 'message.received', text: step.text } as EventObject);
  else if (step.kind === 'event') actor.send(step.event);
  else calls.feed(step);
}

/** An event in neutral words, for no format. */
export function wordOf({ type, ...fields }: { readonly type: string }): string {
  return `${type} ${JSON.stringify(fields)}`;
}

/** Resolves when nothing more can happen without input from outside. */
async function settled(): Promise<void> {
  // Each promise of a port call is followed by a macrostep, which may begin the next call.
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

interface OpenCall {
  readonly port: string;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Port calls that wait for a line of the transcript. A call that is repeated after a restore has the same key. */
export class OpenCalls {
  readonly #lines: string[];
  readonly #open = new Map<string, OpenCall>();

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  readonly ports = Object.fromEntries(
    (Object.keys(portSchemas) as PortName[]).map((name) => [name, this.#port(name)]),
  ) as unknown as Ports;

  #port<Name extends PortName>(name: Name): Port<Name> {
    return (input) =>
      new Promise<PortOutput<Name>>((resolve, reject) => {
        const id = `${name} ${input.key}`;
        if (!this.#open.has(id)) this.#lines.push(describeCall(name, input));
        this.#open.set(id, { port: name, resolve, reject });
      });
  }

  /** Answers the oldest open call of a port, or lets it fail. Without an open call, it adds a line about that. */
  feed(step: Step): void {
    if (step.kind === 'failure') this.#take(step.port)?.reject(new Error(step.message));
    else if (step.kind === 'answer') this.#take(step.port)?.resolve(answerOf(step));
  }

  #take(port: string): OpenCall | undefined {
    for (const [id, call] of this.#open) {
      if (call.port !== port) continue;
      this.#open.delete(id);
      return call;
    }
    this.#lines.push(`no open call of ${port}`);
    return undefined;
  }
}

/** Describes the input of a call in one line. */
function describeCall<Name extends PortName>(name: Name, input: PortInput<Name>): string {
  if (name === 'reply') {
    const { asks, directions } = input as PortInput<'reply'>;
    const parts = [
      asks.length > 0 ? `asks ${asks.map((ask) => ask.name).join(', ')}` : '',
      ...directions.map(({ text }) => `does ${JSON.stringify(text)}`),
    ].filter(Boolean);
    return `? reply ${parts.join('; ') || 'is free'}`;
  }
  if (name === 'extract') return `? extract ${wantedOf((input as PortInput<'extract'>).schema)}`;
  if (name === 'choose')
    return `? choose ${(input as PortInput<'choose'>).options.map(({ id }) => id).join(', ')}`;
  return `? ${name}`;
}

/** The names of the values that a schema asks for: first those for now, then those for later. */
function wantedOf(schema: Schema): string {
  const leaves = leavesOf(schema);
  const names = (isLater: boolean) =>
    leaves.flatMap(([name, leaf]) => ((leaf['x-later'] === true) === isLater ? [name] : []));
  const later = names(true);
  return `${names(false).join(', ')}${later.length === 0 ? '' : `; later ${later.join(', ')}`}`;
}

type Schema = PortInput<'extract'>['schema'];

/** The values that a schema asks for. Nested objects are replaced by their values. */
function leavesOf(schema: Schema): [name: string, leaf: Schema][] {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(properties).flatMap(([name, child]): [string, Schema][] =>
    child['type'] === 'object' ? leavesOf(child) : [[name, child]],
  );
}

/** The answer in the form of the port: in a transcript, a reply may be only its text. */
export function answerOf({ port, answer }: Step & { kind: 'answer' }): never {
  if (port === 'reply' && typeof answer === 'string') return { text: answer } as never;
  if (port === 'extract' && !(answer !== null && typeof answer === 'object' && 'value' in answer))
    return { value: answer } as never;
  return answer as never;
}

/**
 * A transcript: the inputs and actions of an actor, on one readable page.
 *
 *     state: greeting                      what happened (a format describes its events in words)
 *     ? reply asks user_name               the input of a port call of the actor
 *     > reply: "What is your name?"        `>` is fed in: an answer of the port ...
 *     > user: "Ada"                        ... a line of the person ...
 *     > event: { "type": "cancel" }        ... or any event
 *     > extract fails: "no network"        ... or a failure of the port
 *
 * Lines that are empty or begin with `#` do not count.
 */
export type Step =
  | { readonly kind: 'expected'; readonly line: string }
  | { readonly kind: 'user'; readonly line: string; readonly text: string }
  | { readonly kind: 'event'; readonly line: string; readonly event: { readonly type: string } }
  | { readonly kind: 'answer'; readonly line: string; readonly port: string; readonly answer: Json }
  | {
      readonly kind: 'failure';
      readonly line: string;
      readonly port: string;
      readonly message: string;
    };

/** @throws SyntaxError with the number of a line that cannot be read */
export function parseTranscript(text: string): Step[] {
  return text.split(/\r?\n/).flatMap((written, index) => {
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return [];
    if (!line.startsWith('>')) return [{ kind: 'expected', line }];
    const fed = /^> *(\w+)( fails)?: *(.+)$/.exec(line);
    if (!fed) throw new SyntaxError(`Line ${index + 1} is not a valid input line: ${line}`);
    const [, name = '', fails, value = ''] = fed;
    return [stepOf(line, name, fails !== undefined, valueOf(value, index))];
  });
}

function stepOf(line: string, name: string, fails: boolean, value: Json): Step {
  if (fails) return { kind: 'failure', line, port: name, message: toText(value) };
  if (name === 'user') return { kind: 'user', line, text: toText(value) };
  if (name === 'event') return { kind: 'event', line, event: value as { type: string } };
  return { kind: 'answer', line, port: name, answer: value };
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueOf(text: string, index: number): Json {
  if (!/^["{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new SyntaxError(`Line ${index + 1} is not valid JSON: ${text}`, { cause });
  }
}

/** The lines that count. */
export function significantLines(text: string): string[] {
  return parseTranscript(text).map(({ line }) => line);
}
