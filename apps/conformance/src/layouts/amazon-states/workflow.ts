import {
  asl,
  type WorkflowEmitted,
  type WorkflowEvent,
  type WorkflowInput,
  type WorkflowOutput,
} from '@dramaturg/asl';
import {
  compile,
  DramaturgError,
  isRecord,
  type Json,
  type JsonObject,
  listen,
  type Port,
  type PortInput,
  type PortOutput,
  providePorts,
} from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import { virtualClock, type VirtualClock } from '@dramaturg/host';
import { createActor } from 'xstate';
import type { Difference } from '../../layout.ts';
import type { Expected, RecordedCase, Stub, Trace, TraceEvent } from './case-file.ts';
import { type Leeway, mismatch, withRecorderTexts } from './compare.ts';

/** Runs a workflow to its end on a virtual clock, and compares its result with the recording. */
export async function runWorkflow(one: RecordedCase): Promise<Difference | undefined> {
  const clock = virtualClock({ startAt: startOf(one) });
  const madeUp = new MadeUp(clock.world);
  const leeway = leewayOf(one, madeUp);
  const { machine, diagnostics } = compile(JSON.stringify(one.definition), {
    formats: [asl],
    format: 'asl',
    options: { dialect: 'amazon' },
    link: { world: madeUp.world },
  });
  if (!machine) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    return { expected: 'a machine', actual: errors.map(({ message }) => message).join(' ') };
  }

  const stubs = new Stubs(one.stubs ?? [], one.definition, leeway, (event) => {
    // Sent later, because it answers an event of the current step, which must finish first.
    void clock.advanceTo(clock.now()).then(() => actor.send(event));
  });
  const ports = { timer: boundedTimer(clock), runAgent: stubs.runAgent };
  const trace: TraceEvent[] = [];
  const elsewhere = statesElsewhere(one.definition);
  const onEvent = (event: WorkflowEmitted) => {
    if (event.type === 'task.scheduled') madeUp.text(event.token);
    stubs.listen(event);
    if (!('state' in event && elsewhere.has(event.state))) trace.push(...traced(event));
  };
  const actor = createActor(providePorts(machine, ports), {
    input: startFor(one, madeUp),
    ...listen((event) => onEvent(event as unknown as WorkflowEmitted)),
  });
  // Without an observer XState would throw the error outside of any promise. The snapshot also has it.
  actor.subscribe({ error: () => {} });
  actor.start();
  await clock.settled();
  const snapshot = actor.getSnapshot();
  if (snapshot.status === 'error') throw asError(snapshot.error);
  actor.stop();
  if (snapshot.status !== 'done')
    return {
      expected: `status: ${one.expected.status}`,
      actual: `status: still waiting in ${JSON.stringify(snapshot.value)}`,
    };

  const found = [
    ...endDifferences(one.expected, snapshot.output as WorkflowOutput, leeway),
    stubs.difference,
    one.trace && traceDifference(one.trace, trace, leeway),
    missingAttempts(one, stubs),
  ].filter((difference) => difference !== undefined);
  return found.find(({ isRemark }) => !isRemark) ?? found[0];
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function leewayOf({ wildcards = [] }: RecordedCase, madeUp: MadeUp): Leeway {
  return { wildcards, isMadeUp: (value) => madeUp.has(value) };
}

/** The time at the start, in milliseconds since 1970 UTC. */
export function startOf({ clock = 'now' }: RecordedCase): number {
  const recorded = Date.parse(clock);
  return Number.isNaN(recorded) ? Date.now() : recorded;
}

/** ARNs as AWS builds them, with the account and the region of the recordings. */
function startFor({ input }: RecordedCase, madeUp: MadeUp): WorkflowInput {
  const arnPrefix = 'arn:aws:states:us-east-1:111111111111';
  const [name, workflow] = [madeUp.world.uuid(), madeUp.world.uuid()];
  return {
    input,
    id: `${arnPrefix}:execution:${workflow}:${name}`,
    name,
    context: {
      Execution: { RoleArn: madeUp.text('arn:aws:iam::111111111111:role/conformance') },
      StateMachine: { Id: `${arnPrefix}:stateMachine:${workflow}`, Name: workflow },
    },
  };
}

/** Maximum number of waits, more than any case needs. A further wait never ends, which fails the case. */
const mostWaits = 10_000;

function boundedTimer({ timer }: VirtualClock): Port<'timer'> {
  let waits = 0;
  return (input, call) => {
    waits += 1;
    return waits > mostWaits ? new Promise(() => {}) : timer(input, call);
  };
}

/** A distributed Map starts a separate run for each item, which the history of the workflow does not contain. */
function statesElsewhere(definition: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (machine: unknown, isElsewhere: boolean): void => {
    if (!isRecord(machine) || !isRecord(machine['States'])) return;
    for (const [name, state] of Object.entries(machine['States'])) {
      if (isElsewhere) names.add(name);
      if (!isRecord(state)) continue;
      const { Branches: branches, ItemProcessor: processor = state['Iterator'] } = state;
      if (Array.isArray(branches)) for (const branch of branches) look(branch, isElsewhere);
      const config = isRecord(processor) ? processor['ProcessorConfig'] : undefined;
      look(processor, isElsewhere || (isRecord(config) && config['Mode'] === 'DISTRIBUTED'));
    }
  };
  look(definition, false);
  return names;
}

function traced(event: WorkflowEmitted): TraceEvent[] {
  if (event.type === 'state.entered')
    return [{ enter: event.state, type: event.kind, input: event.input }];
  if (event.type !== 'state.exited') return [];
  const { state, output, assigned } = event;
  return [{ exit: state, output, ...(assigned && { assigned }) }];
}

const statuses = { succeeded: 'SUCCEEDED', failed: 'FAILED', timedOut: 'TIMED_OUT' } as const;

function endDifferences(
  expected: Expected,
  actual: WorkflowOutput,
  leeway: Leeway,
): (Difference | undefined)[] {
  const status = statuses[actual.status];
  if (status !== expected.status)
    return [
      {
        expected: `status: ${ending(expected)}`,
        actual: `status: ${ending({ ...actual, status })}`,
      },
    ];
  if (actual.status === 'succeeded')
    return [mismatch('output', expected.output, actual.output, leeway)];
  return [
    mismatch('error', expected.error ?? null, actual.error, leeway),
    causeRemark(expected, actual.cause, leeway),
  ];
}

function ending({ status, ...shown }: { readonly status: string }): string {
  return `${status} ${JSON.stringify(shown)}`;
}

/** The cause of a failure is a sentence: a different wording is only a remark. */
export function causeRemark(
  { cause }: Expected,
  actual: string | null | undefined,
  leeway: Leeway,
): Difference | undefined {
  const found = cause === undefined ? undefined : mismatch('cause', cause, actual, leeway);
  return found && { ...found, isRemark: true };
}

/** Compares the number of attempts, except if branches or items run in parallel: then it depends on timing. */
function missingAttempts(
  { trace, stubs = [] }: RecordedCase,
  { unused }: Stubs,
): Difference | undefined {
  if (unused.length === 0 || trace?.ordered === false) return undefined;
  return {
    expected: `attempts: ${stubs.length}`,
    actual: `attempts: ${stubs.length - unused.length}; ${unused[0]!.state} was to ask again`,
  };
}

/** A world that remembers the ids and times it generates. A case cannot predict them, because a recording contains those of AWS. */
export class MadeUp {
  readonly world: World;
  readonly #texts = new Set<string>();
  readonly #moments = new Set<number>();

  constructor(world: World) {
    this.world = {
      now: () => {
        const moment = world.now();
        this.#moments.add(moment);
        return moment;
      },
      random: world.random,
      uuid: () => this.text(world.uuid()),
    };
  }

  /** Remembers a string that the run receives from outside. */
  text(text: string): string {
    this.#texts.add(text);
    return text;
  }

  /** Whether a value was generated, or is a string that contains a generated one. */
  has(value: Json): boolean {
    if (typeof value === 'number') return this.#moments.has(value);
    if (typeof value !== 'string') return false;
    if (/^\d{4}-\d{2}-\d{2}T/.test(value) && this.#moments.has(Date.parse(value))) return true;
    return [...this.#texts].some((text) => value.includes(text));
  }
}

/**
 * Compares the entered and left states with the recording. An ordered trace is compared event by event, including data. For
 * other traces only the number of times that each name occurs is compared.
 */
export function traceDifference(
  { ordered, events }: Trace,
  actualEvents: readonly TraceEvent[],
  leeway: Leeway,
): Difference | undefined {
  return ordered ? inOrder(events, actualEvents, leeway) : asMultiset(events, actualEvents);
}

function inOrder(
  events: readonly TraceEvent[],
  actualEvents: readonly TraceEvent[],
  leeway: Leeway,
): Difference | undefined {
  for (let index = 0; index < Math.max(events.length, actualEvents.length); index += 1) {
    const [expected, actual] = [events[index], actualEvents[index]];
    const path = `trace[${index}]`;
    if (eventText(expected) !== eventText(actual))
      return {
        expected: `${path}: ${eventText(expected)}`,
        actual: `${path}: ${eventText(actual)}`,
      };
    const found = mismatch(
      `${path} ${eventText(expected)}`,
      expected as unknown as Json,
      actual as unknown as Json,
      withRecorderTexts(leeway, expected),
    );
    if (found) return found;
  }
  return undefined;
}

function asMultiset(
  events: readonly TraceEvent[],
  actualEvents: readonly TraceEvent[],
): Difference | undefined {
  const [expected, actual] = [tally(events), tally(actualEvents)];
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    const [often, found] = [expected.get(name) ?? 0, actual.get(name) ?? 0];
    if (often !== found)
      return { expected: `trace: ${often} × ${name}`, actual: `trace: ${found} × ${name}` };
  }
  return undefined;
}

function tally(events: readonly TraceEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(eventText(event), (counts.get(eventText(event)) ?? 0) + 1);
  return counts;
}

function eventText(event: TraceEvent | undefined): string {
  if (!event) return 'the end';
  return 'enter' in event ? `enter ${event.enter} (${event.type})` : `exit ${event.exit}`;
}

/** A recorded failure of a task, with the name and the cause that AWS reported. */
class TaskFailedError extends DramaturgError {
  override readonly name = 'TaskFailedError';
  readonly error: string;

  constructor({ error, cause }: Stub) {
    super('conformance/task-failed', cause ?? error ?? '', { cause });
    this.error = error ?? 'States.TaskFailed';
  }
}

/**
 * The failure of a task whose activity, function or queue does not exist. AWS records no attempt of such a task. Other
 * causes are possible, so this is only a remark.
 */
const missingResource = { error: 'States.Runtime', cause: 'There is nobody of this name.' };

/**
 * The recorded replies of the tasks. A call names its resource but not its state. If several states call the same resource,
 * the call belongs to a waiting state, preferably one with the same recorded input.
 * Owns the unused replies. Each is used at most once.
 */
export class Stubs {
  /** The first call that differs from the recording. */
  difference: Difference | undefined;
  readonly #unused: Stub[];
  /** States with a recorded attempt. */
  readonly #recorded: ReadonlySet<string>;
  readonly #leeway: Leeway;
  readonly #tasks: ReadonlyMap<string, string>;
  readonly #send: (event: WorkflowEvent) => void;
  /** The task states that are active. */
  readonly #entered: string[] = [];
  /** The tokens of waiting tasks, by state. */
  readonly #tokens = new Set<{ readonly state: string; readonly token: string }>();
  readonly #submissions = new Set<Stub>();

  /** @param send sends an event to the workflow when the workflow waits for one */
  constructor(
    stubs: readonly Stub[],
    definition: JsonObject,
    leeway: Leeway,
    send: (event: WorkflowEvent) => void,
  ) {
    this.#unused = [...stubs];
    this.#recorded = new Set(stubs.map(({ state }) => state));
    this.#leeway = leeway;
    this.#tasks = resourcesIn(definition);
    this.#send = send;
  }

  /** The recorded attempts that the run did not make. */
  get unused(): readonly Stub[] {
    return this.#unused;
  }

  /** Notes the events that the workflow emits. */
  readonly listen = (event: WorkflowEmitted): void => {
    if (event.type === 'state.entered' && event.kind === 'Task') this.#entered.push(event.state);
    if (event.type === 'state.exited' && this.#entered.includes(event.state))
      this.#entered.splice(this.#entered.indexOf(event.state), 1);
    if (event.type !== 'task.scheduled') return;
    const { state, token, resource, input } = event;
    if (waitsForToken(resource)) {
      this.#tokens.add({ state, token });
      this.#complete();
      return;
    }
    const stub = this.#take([state], resource, input);
    if (stub) this.#answer(stub, token);
  };

  /** The port that answers the calls of the run. */
  readonly runAgent = ({
    agent,
    input,
  }: PortInput<'runAgent'>): PortOutput<'runAgent'> | Promise<PortOutput<'runAgent'>> => {
    const states = this.#statesAsking(agent);
    const stub = this.#take(states, agent, input);
    if (!stub) throw new TaskFailedError({ state: '*', ...missingResource });
    if (waitsForToken(agent) && 'submitted' in stub) {
      this.#submissions.add(stub);
      this.#complete();
      return { result: stub.submitted! };
    }
    if (stub.outcome === undefined) return { result: stub.output ?? null };
    if (isSilent(stub)) return new Promise(() => {});
    throw new TaskFailedError(stub);
  };

  #statesAsking(agent: string): readonly string[] {
    const asking = [...this.#tasks].flatMap(([state, resource]) =>
      resource === agent ? [state] : [],
    );
    const waiting = asking.filter((state) => this.#entered.includes(state));
    return waiting.length > 0 ? waiting : asking;
  }

  #take(states: readonly string[], resource: string, input: Json): Stub | undefined {
    const firsts = states.flatMap(
      (state) => this.#unused.find((stub) => stub.state === state) ?? [],
    );
    const candidates = [
      ...firsts,
      ...this.#unused.filter(({ state }) => state === '*').slice(0, 1),
    ];
    const differences = candidates.map((stub) =>
      'input' in stub
        ? mismatch(
            `${stub.state} asks`,
            stub.input,
            input,
            withRecorderTexts(this.#leeway, stub.input),
          )
        : undefined,
    );
    const match = Math.max(differences.indexOf(undefined), 0);
    const stub = candidates[match];
    if (!stub) {
      this.difference ??= {
        expected: 'no further task',
        actual: `${states.join(' or ') || 'an unknown state'} asks ${resource}`,
        ...(!states.some((state) => this.#recorded.has(state)) && { isRemark: true as const }),
      };
      return undefined;
    }
    this.difference ??= differences[match];
    this.#unused.splice(this.#unused.indexOf(stub), 1);
    return stub;
  }

  /** Completes tasks that have both sent their token and received their first answer. */
  #complete(): void {
    for (const stub of this.#submissions) {
      const waiting = [...this.#tokens].find(({ state }) => [state, '*'].includes(stub.state));
      if (!waiting) continue;
      this.#submissions.delete(stub);
      this.#tokens.delete(waiting);
      this.#answer(stub, waiting.token);
    }
  }

  #answer(stub: Stub, token: string): void {
    const { outcome, output = null, error, cause } = stub;
    if (isSilent(stub)) return;
    if (outcome === undefined) {
      this.#send({ type: 'task.succeeded', token, output });
      return;
    }
    // AWS fills in a name with this prefix when the failure has no name.
    const isNamed = error !== undefined && !error.startsWith('States.');
    this.#send({
      type: 'task.failed',
      token,
      ...(isNamed && { error }),
      ...(cause !== undefined && { cause }),
    });
  }
}

function waitsForToken(resource: string): boolean {
  return resource.endsWith('.waitForTaskToken');
}

function isSilent({ outcome }: Stub): boolean {
  return outcome?.endsWith('TimedOut') ?? false;
}

/** Maps the name of every task state, at any depth, to its resource. Names are unique in a workflow. */
function resourcesIn(machine: JsonObject): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, state] of Object.entries(recordOf(machine['States']))) {
    const { Type, Resource, Branches, ItemProcessor, Iterator } = recordOf(state);
    if (Type === 'Task' && typeof Resource === 'string') found.set(name, Resource);
    const inner = [...(Array.isArray(Branches) ? Branches : []), ItemProcessor, Iterator];
    for (const [task, resource] of inner.flatMap((one) => [...resourcesIn(recordOf(one))]))
      found.set(task, resource);
  }
  return found;
}

function recordOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}
