import { readFileSync } from 'node:fs';
import {
  type Behaviour,
  type Chart,
  type EventObject,
  type JsonObject,
  link,
  listen,
  type Ports,
  providePorts,
  realWorld,
  type SpokenLine,
  type World,
  failedTag,
  waitingTag,
} from '@dramaturg/compiler';
import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import type { VirtualClock } from '../clock/virtual.ts';
import { firstDifference, inWords } from './difference.ts';
import { RecordingError } from './recording-error.ts';
import { recordingFile } from './recording-file.ts';
import { type Recorded, readRecording } from './read-recording.ts';
import { record } from './record.ts';
import type { Recording } from './recording.ts';
import { replay } from './replay.ts';

export interface RehearseOptions {
  /** The file that the run is replayed from, or recorded in. */
  readonly recording: string;
  /** Who answers what the chart asks. Called only when the run is recorded: a replay needs neither keys nor network. */
  readonly ports: () => Partial<Ports> | Promise<Partial<Ports>>;
  /**
   * What the person says, a line each time the conversation waits for one. After a failed turn an empty line tries it again.
   * A replay that is given none has the recorded.
   */
  readonly lines?: readonly string[];
  /** The input of the conversation or workflow, as its format describes it. A replay that is given none has the recorded. */
  readonly input?: JsonObject;
  /** The time while it is recorded; the time of day when left out. On a `virtualClock` waiting takes none. */
  readonly clock?: Clock | VirtualClock;
  /** Record it anew. Whether the environment has `UPDATE_RECORDINGS=1` when left out. */
  readonly update?: boolean;
}

export interface Rehearsed {
  /** Everything that was emitted, in order. */
  readonly events: readonly EventObject[];
  /** What the conversation or workflow has come to; undefined when it has not ended. */
  readonly output: unknown;
}

/**
 * Runs a definition once, in memory, from a recording: for tests. With `UPDATE_RECORDINGS=1` it is run with the real ports
 * and recorded. It runs until it ends, or until the person has no more lines.
 *
 * @throws RecordingError `recording/unusable` when there is no sound recording; `recording/differs` with the first
 *   difference when the run goes another way than it was recorded
 */
export async function rehearse(
  chart: Chart,
  behaviour: Behaviour,
  options: RehearseOptions,
): Promise<Rehearsed> {
  const { update = process.env['UPDATE_RECORDINGS'] === '1' } = options;
  const machineWith = (world: World) => link(chart, behaviour, { world });
  if (!update) {
    const recorded = readRecording(textOf(options.recording), options.recording);
    requireSamePerson(recorded, options);
    const { input } = recorded.header;
    return run({ machineWith, recording: replay({ recorded, chart }), input });
  }
  const { ports, lines, input = {}, clock = realClock() } = options;
  const { write, close } = recordingFile(options.recording);
  const recording = record({
    write,
    chart,
    input,
    // A clock that goes on by itself has to stand still meanwhile.
    ...('busy' in clock ? { busy: (clock as VirtualClock).busy } : {}),
  });
  const given = { timer: clock.timer, ...(await ports()) };
  try {
    return await run({ machineWith, recording, input, world: clock.world, ports: given, lines });
  } finally {
    close();
  }
}

interface Run {
  readonly machineWith: (world: World) => AnyStateMachine;
  readonly recording: Recording;
  readonly input: JsonObject;
  // A replay has the rest from its recording.
  readonly world?: World;
  readonly ports?: Partial<Ports>;
  readonly lines?: readonly string[] | undefined;
}

async function run(given: Run): Promise<Rehearsed> {
  const { machineWith, recording, input, world = realWorld, ports = {}, lines = [] } = given;
  const machine = machineWith(recording.world(world));
  const events: EventObject[] = [];
  const said: SpokenLine[] = [];
  /** The message of the turn that failed. */
  let unanswered: unknown;
  const answered = providePorts(machine, recording.ports(ports), { transcript: () => said });
  const actor = createActor(answered, {
    input,
    ...listen((event) => {
      events.push(event);
      if (event.type === 'message.sent') said.push({ role: 'agent', text: String(event['text']) });
      if (event.type === 'turn.failed') unanswered = event['unanswered'];
    }),
  });
  // Whoever waits for the actor is told of its error.
  actor.subscribe({ error: () => {} });
  recording.events((event: EventObject) => actor.send(event));
  const stop = recording.stops(new AbortController().signal);
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const unsaid = [...lines];
  try {
    actor.start();
    while (await Promise.race([isWaiting(actor), stopped])) {
      const line = await Promise.race([recording.line(async () => unsaid.shift()), stopped]);
      if (line === undefined) break;
      const isFailed = (actor.getSnapshot() as AnyMachineSnapshot).hasTag(failedTag);
      if (isFailed && (line === '' || line === unanswered)) {
        actor.send({ type: 'turn.retry' });
        continue;
      }
      said.push({ role: 'contact', text: line });
      actor.send({ type: 'message.received', text: line });
    }
    return { events, output: actor.getSnapshot().output };
  } finally {
    actor.stop();
    // Of a replay that has gone another way this tells the first difference, and any failure follows from it.
    await recording.finish();
  }
}

/** Resolves once it is somebody else's move: true when it is the person's, false when all is over. */
async function isWaiting(actor: AnyActor): Promise<boolean> {
  const { status, error } = await waitFor(
    actor,
    (snapshot) => snapshot.status !== 'active' || snapshot.hasTag(waitingTag),
  );
  if (status === 'error') throw error;
  return status === 'active';
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new RecordingError(
      'recording/unusable',
      `There is no recording "${file}".`,
      'Record it: run the test with UPDATE_RECORDINGS=1.',
    );
  }
}

/** What is said in a replay comes from the recording: a test that says something else would not see its own lines. */
function requireSamePerson(
  { name, header, entries }: Recorded,
  { lines, input = header.input }: RehearseOptions,
): void {
  const said = entries.flatMap((entry) => (entry.type === 'said' ? [entry.text] : []));
  // Lines after the end of a conversation are never said.
  const isAll = entries.some(({ type }) => type === 'left');
  const now = { input, lines: (isAll ? lines : lines?.slice(0, said.length)) ?? said };
  const difference = firstDifference({ input: header.input, lines: said }, now);
  if (!difference) return;
  throw new RecordingError(
    'recording/differs',
    `The test and its recording "${name}" differ ${inWords(difference)}.`,
    'If this is as it should be, record it again: run the test with UPDATE_RECORDINGS=1.',
  );
}
