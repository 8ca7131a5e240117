import type { Waits } from '../admission/deadline.ts';
import {
  type Port,
  PortError,
  type PortName,
  type Ports,
  type PortCall,
} from '@dramaturg/compiler';
import type { Library } from '../definitions/library.ts';
import { HostError, unknownInstance } from '../errors.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import { LiveInstance } from '../instance/live-instance.ts';
import type { DraftedCall } from '../instance/operator-acts.ts';
import { reasonOf } from '../instance/read.ts';
import { suspensionsOf } from '../instance/suspensions.ts';
import { definitionsOf, type Surroundings } from '../instance/surroundings.ts';
import { askWithinLimits, type Limits } from '../limits/index.ts';
import type { StoreReader, StoreRecord } from '../store/contract.ts';
import { isInstanceId } from './record-ids.ts';
import { spokenLines } from './spoken-lines.ts';

/** The parts that make a draft: they make the calls of turns. */
export interface DraftParts {
  readonly library: Library;
  readonly surroundings: Surroundings;
  readonly ports: Partial<Ports>;
  readonly limits: Limits;
  readonly waits: Waits;
}

export interface DraftOptions {
  /** The person who asks for the draft. */
  readonly by: string;
  /** Stops the draft. */
  readonly signal?: AbortSignal;
}

export interface Draft {
  readonly text: string;
  /** The calls that were made for the draft. They count as calls of the instance. */
  readonly calls: readonly DraftedCall[];
}

/**
 * Makes a draft and counts the cost of its calls, also when the draft fails.
 *
 * @throws NoDraftError
 */
export async function countedDraft(
  count: (calls: readonly DraftedCall[]) => Promise<unknown>,
  ...draft: Parameters<typeof draftOf>
): Promise<{ readonly text: string }> {
  try {
    const { text, calls } = await draftOf(...draft);
    if (calls.length > 0) await count(calls);
    return { text };
  } catch (error) {
    if (error instanceof NoDraftError && error.calls.length > 0) await count(error.calls);
    throw error;
  }
}

/** Ports whose calls change nothing outside. */
const harmless: ReadonlySet<PortName> = new Set([
  'reply',
  'choose',
  'extract',
  'think',
  'validate',
  'recall',
]);

const callsMax = 20;

/** Milliseconds for the whole draft. */
const timeoutMs = 60_000;

/**
 * Returns what the agent of a conversation would say now. Runs the turn that a `resume` would start, up to its first message, on
 * a copy of the instance in memory, with the real models. The copy is not stored and sends no messages.
 *
 * @throws HostError `host/unknown-instance`, `host/no-draft` with the reason
 */
async function draftOf(
  store: StoreReader,
  id: string,
  parts: DraftParts,
  signal: AbortSignal | undefined,
): Promise<Draft> {
  const record = isInstanceId(id) ? await store.read(id) : undefined;
  if (record?.kind !== 'instance') throw unknownInstance(id);
  const instance = await copyOf(record, store, parts);
  const sent = new Set(instance.messages.map(({ letter }) => letter));
  const deadline = AbortSignal.timeout(timeoutMs);
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const calls: DraftedCall[] = [];
  for (;;) {
    const message = instance.messages.find(
      ({ letter, body }) => body.role === 'agent' && !sent.has(letter),
    );
    if (message) return { text: message.body.text, calls };
    const [next] = instance.calls().values();
    if (!next)
      throw noDraft('The agent would say nothing now: nothing waits for its answer.', calls);
    if (!harmless.has(next.call.port)) throw noDraft(becauseOf(next), calls);
    if (calls.length === callsMax)
      throw noDraft(`The agent makes more than ${callsMax} calls before it answers.`, calls);
    calls.push(await answer(next));
  }

  async function answer({ letter, call }: InstanceCall): Promise<DraftedCall> {
    const { port: name, input, key } = call;
    const port = (parts.ports[name] ?? missing(name)) as Port<PortName>;
    const portCall: PortCall = {
      signal: ends,
      onText: () => {},
      transcript: (last: number) => spokenLines(store, instance, last, call),
      instance: id,
      now: parts.surroundings.world.now(),
      timeZone: instance.timeOf(letter).timeZone,
    };
    // The real turn will make the call again, and must not find this answer under its key.
    const own = { ...(input as object), key: `${key}/draft-${calls.length + 1}` };
    const { ending, use } = await askWithinLimits(name, port, own, portCall, {
      limits: parts.limits,
      timeout: timeoutMs,
      used: instance.used,
      callsRunning: () => 0,
      waits: parts.waits,
    });
    const made = { port: name, key: own.key, ...(use && { use }) };
    if (ends.aborted) throw noDraft(endedBecause(), [...calls, made]);
    if ('error' in ending)
      throw noDraft(`The port "${name}" failed: ${reasonOf(ending.error)}`, [...calls, made]);
    await instance.decideCall(letter, ending, use);
    return made;
  }

  function endedBecause(): string {
    return deadline.aborted
      ? `The agent did not answer within ${timeoutMs / 1_000} s.`
      : 'The draft was cancelled.';
  }
}

/** Says why there is no draft. Its calls were still made. */
class NoDraftError extends HostError {
  readonly calls: readonly DraftedCall[];

  constructor(because: string, calls: readonly DraftedCall[]) {
    super('host/no-draft', because);
    this.calls = calls;
  }
}

function noDraft(because: string, calls: readonly DraftedCall[] = []): NoDraftError {
  return new NoDraftError(because, calls);
}

/** The instance in memory, with the turn that comes next. */
async function copyOf(
  record: StoreRecord,
  store: StoreReader,
  { library, surroundings }: DraftParts,
): Promise<LiveInstance> {
  if (record.ended) throw noDraft(`The instance has ended in "${record.status}".`);
  const definitions = await definitionsOf(record, library);
  if (definitions.flow?.machine.converses !== true)
    throw noDraft('Only a conversation has an agent that says something.');
  const instance = LiveInstance.restore(record, definitions, {
    ...surroundings,
    readTranscript: (id, range) => store.transcript(id, range),
  });
  const suspensions = suspensionsOf(definitions.lifecycle.chart);
  // A conversation that asked for a person before it was paused is suspended a second time.
  for (let resumed = 0; resumed < 2 && suspensions.has(instance.status); resumed += 1)
    await instance.decideEvent({ type: 'resume', internal: true });
  return instance;
}

function becauseOf({ call: { port, input } }: InstanceCall): string {
  const { tool, agent } = input as { tool?: unknown; agent?: unknown };
  const name = typeof tool === 'string' ? tool : typeof agent === 'string' ? agent : undefined;
  const what = name === undefined ? `the port "${port}"` : JSON.stringify(name);
  return `Before it answers, the agent would call ${what}, which may change something. Resume the conversation to let it.`;
}

function missing(name: PortName): Port<PortName> {
  return () => {
    throw new PortError('port/not-provided', name, `This process has no port "${name}".`);
  };
}
