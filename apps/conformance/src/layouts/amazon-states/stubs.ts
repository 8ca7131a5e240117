import {
  DramaturgError,
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
  type PortOutput,
} from '@dramaturg/compiler';
import type { WorkflowEmitted, WorkflowEvent } from '@dramaturg/asl';
import type { Difference } from '../../layout.ts';
import type { Stub } from './case-file.ts';
import { type Leeway, mismatch, withRecorderTexts } from './compare.ts';

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
