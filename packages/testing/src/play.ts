import { providePorts } from '@dramaturg/compiler';
import { type AnyActor, type AnyStateMachine, createActor, type EventObject } from 'xstate';
import { OpenCalls } from './open-calls.ts';
import { parseTranscript, type Step } from './transcript.ts';

export interface PlayOptions {
  /** The actor's input. */
  readonly input?: unknown;
  /** An event in a format's words; undefined leaves it out. */
  readonly word?: (event: { readonly type: string }) => string | undefined;
  /** Persist, drop and restore the actor after every line that is fed in. */
  readonly recover?: boolean;
}

/**
 * Plays a transcript: feeds in its `>` lines one after another and writes down what the actor does in between.
 *
 * @returns the lines of the whole play; equal to the transcript's when the actor does what it says
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

/** An event in the words of no format. */
export function wordOf({ type, ...fields }: { readonly type: string }): string {
  return `${type} ${JSON.stringify(fields)}`;
}

/** Resolves once everything that can happen without outside help has happened. */
async function settled(): Promise<void> {
  // Each promise of a port call is followed by a macrostep, which may begin the next call.
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}
