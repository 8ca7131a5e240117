import { readFileSync } from 'node:fs';
import {
  type Chart,
  type EventObject,
  type JsonObject,
  link,
  listen,
  type Ports,
  providePorts,
  type SpokenLine,
} from '@dramaturg/compiler';
import { failedTag, waitingTag } from '@dramaturg/compiler/chart';
import {
  type Behaviour,
  type PortWishes,
  realWorld,
  type World,
} from '@dramaturg/compiler/machine';
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
import { describeDifference, firstDifference } from './difference.ts';
import { type Recording, RecordingError } from './recording.ts';
import { recordingFile } from './recording-file.ts';
import { hasNextReplies, readRecording, type RecordedRun } from './read-recording.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';

type GivenPorts = Partial<Ports> & PortWishes;

export interface RehearseOptions {
  /** The file that the run is replayed from or recorded to. */
  readonly recording: string;
  /** Creates the ports. Called only while recording: a replay needs neither keys nor network. */
  readonly ports: () => GivenPorts | Promise<GivenPorts>;
  /**
   * The lines of the person, one each time the conversation waits for the person. After a failed turn an empty line retries it. A
   * replay without lines takes the recorded ones.
   */
  readonly lines?: readonly string[];
  /** The input of the conversation or workflow, as its format describes it. A replay without it takes the recorded one. */
  readonly input?: JsonObject;
  /** The clock while recording, by default the real one. On a `virtualClock`, waits take no time. */
  readonly clock?: Clock | VirtualClock;
  /** Whether to record, by default whether the environment has `UPDATE_RECORDINGS=1`. */
  readonly update?: boolean;
}

export interface RehearsalResult {
  /** The emitted events, in order. */
  readonly events: readonly EventObject[];
  /** The output of the conversation or workflow; undefined when it has not ended. */
  readonly output: unknown;
}

/**
 * Runs a definition once, in memory, from a recording: for tests. With `UPDATE_RECORDINGS=1` it runs with the real ports and
 * is recorded. It runs until it ends, or until the person has no more lines.
 *
 * Owns one actor for the duration of the call, its collected events and its transcript, and stops the actor at the end.
 * States: running → waiting for the person → running …, until the actor ends, no lines are left or the recording stops it.
 *
 * @throws RecordingError `recording/unusable` when the recording is missing or damaged; `recording/differs` with the first
 *   difference between the run and the recording
 */
export async function rehearse(
  chart: Chart,
  behaviour: Behaviour,
  options: RehearseOptions,
): Promise<RehearsalResult> {
  const { update = process.env['UPDATE_RECORDINGS'] === '1' } = options;
  const machineFor = (nextReplies: boolean) => (world: World) =>
    link(chart, behaviour, { world, nextReplies });
  if (!update) {
    const recorded = readRecording(readText(options.recording), options.recording);
    requireSameInput(recorded, options);
    const { input } = recorded.header;
    const machineWith = machineFor(hasNextReplies(recorded));
    return run({ machineWith, recording: replay({ recorded, chart }), input });
  }
  const { ports, lines, input = {}, clock = realClock() } = options;
  const { write, close } = recordingFile(options.recording);
  const recording = record({
    write,
    chart,
    input,
    // A clock that advances by itself must stop while an input is processed.
    ...('busy' in clock ? { busy: (clock as VirtualClock).busy } : {}),
  });
  const allPorts = { timer: clock.timer, ...(await ports()) };
  const machineWith = machineFor(allPorts.wantsNextReplies === true);
  try {
    return await run({ machineWith, recording, input, world: clock.world, ports: allPorts, lines });
  } finally {
    close();
  }
}

interface Run {
  readonly machineWith: (world: World) => AnyStateMachine;
  readonly recording: Recording;
  readonly input: JsonObject;
  // A replay takes the other values from its recording.
  readonly world?: World;
  readonly ports?: Partial<Ports>;
  readonly lines?: readonly string[] | undefined;
}

async function run({
  machineWith,
  recording,
  input,
  world = realWorld,
  ports = {},
  lines = [],
}: Run): Promise<RehearsalResult> {
  const events: EventObject[] = [];
  const transcript: SpokenLine[] = [];
  /** The message of the turn that failed. */
  let unanswered: unknown;
  const machine = providePorts(machineWith(recording.world(world)), recording.ports(ports), {
    transcript: () => transcript,
  });
  const actor = createActor(machine, {
    input,
    ...listen((event) => {
      events.push(event);
      if (event.type === 'message.sent')
        transcript.push({ role: 'agent', text: String(event['text']) });
      if (event.type === 'turn.failed') unanswered = event['unanswered'];
    }),
  });
  // `untilWaiting` throws the actor's error.
  actor.subscribe({ error: () => {} });
  recording.events((event: EventObject) => actor.send(event));
  const stop = recording.stops(new AbortController().signal);
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const remainingLines = [...lines];
  try {
    actor.start();
    while (await Promise.race([untilWaiting(actor), stopped])) {
      const line = await Promise.race([
        recording.line(async () => remainingLines.shift()),
        stopped,
      ]);
      if (line === undefined) break;
      const isFailed = (actor.getSnapshot() as AnyMachineSnapshot).hasTag(failedTag);
      if (isFailed && (line === '' || line === unanswered)) {
        actor.send({ type: 'turn.retry' });
        continue;
      }
      transcript.push({ role: 'contact', text: line });
      actor.send({ type: 'message.received', text: line });
    }
    return { events, output: actor.getSnapshot().output };
  } finally {
    actor.stop();
    // If a replay differs, this throws the first difference in place of any failure that follows from it.
    await recording.finish();
  }
}

/** Resolves to true once the actor waits for the person, to false once it has ended. */
async function untilWaiting(actor: AnyActor): Promise<boolean> {
  const { status, error } = await waitFor(
    actor,
    (snapshot) => snapshot.status !== 'active' || snapshot.hasTag(waitingTag),
  );
  if (status === 'error') throw error;
  return status === 'active';
}

function readText(file: string): string {
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

/** A replay takes lines and input from the recording, so a test with other lines or input must fail. */
function requireSameInput(
  { name, header, entries }: RecordedRun,
  { lines, input = header.input }: RehearseOptions,
): void {
  const recordedLines = entries.flatMap((entry) => (entry.type === 'said' ? [entry.text] : []));
  // A conversation that ends early does not use its remaining lines.
  const isAll = entries.some(({ type }) => type === 'left');
  const linesNow = (isAll ? lines : lines?.slice(0, recordedLines.length)) ?? recordedLines;
  const difference = firstDifference(
    { input: header.input, lines: recordedLines },
    { input, lines: linesNow },
  );
  if (!difference) return;
  throw new RecordingError(
    'recording/differs',
    `The test and its recording "${name}" differ ${describeDifference(difference)}.`,
    'If this change is intended, record it again: run the test with UPDATE_RECORDINGS=1.',
  );
}
