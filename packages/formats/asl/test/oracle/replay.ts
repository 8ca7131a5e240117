import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { reachableFrom } from '@dramaturg/compiler/chart';
import { type Agent, failure, run } from '../run.ts';

/** A run that was recorded with the upstream engine. */
export interface Recorded {
  readonly workflow: JsonObject;
  readonly input?: Json;
  readonly agents?: Readonly<Record<string, Stub>> | readonly string[];
  /** Instead of stubs: the answers of the agents, in order. */
  readonly agentCalls?: readonly { readonly agent: string; readonly returns: Json }[];
  readonly approvals?: Readonly<Record<string, JsonObject>> | 'pause';
  readonly thenResume?: unknown;
  readonly from?: string | null;
  readonly result: Result;
}

interface Stub {
  readonly return?: Json;
  readonly echo?: boolean;
  readonly throw?: { readonly error?: string; readonly cause?: string; readonly message?: string };
  readonly throwGeneric?: string;
  readonly sequence?: readonly Stub[];
}

export interface Result {
  readonly status: string;
  readonly output?: Json;
  readonly error?: string | null;
  readonly cause?: string | null;
  readonly calls?: readonly { readonly agent: string; readonly parameters: Json }[];
  readonly sleeps?: readonly number[];
}

/**
 * Our outcome, in the format of the recording.
 *
 * @param missing what a path to nothing gives; the engine has null
 */
export async function replay(
  recorded: Recorded,
  missing: 'fail' | 'null' = 'fail',
): Promise<Result> {
  const answers = [...(recorded.agentCalls ?? [])];
  const agents = recorded.agentCalls
    ? Object.fromEntries(answers.map(({ agent }) => [agent, inOrder(answers)]))
    : stubsOf(recorded.agents as Readonly<Record<string, Stub>> | undefined);
  let isOpen = false;
  let ran;
  try {
    ran = await run(withoutDeadStates(recorded.workflow), {
      input: asInput(recorded.input),
      agents,
      options: { dialect: 'agent', missing },
      decide: () => {
        const decision = decisionOf(recorded.approvals);
        isOpen ||= decision === undefined;
        return decision;
      },
    });
  } catch (error) {
    return { status: 'load-error', cause: error instanceof Error ? error.message : String(error) };
  }
  const { output, calls } = ran;
  const asked = calls.map(({ agent, input }) => ({ agent, parameters: input }));
  // Our clock continues while a state waits; that of the engine stops.
  if (!output || isOpen) return { status: 'paused', calls: asked };
  if (output.status === 'succeeded') {
    return { status: 'success', output: output.output, calls: asked };
  }
  return { status: 'failure', error: output.error, cause: output.cause, calls: asked };
}

/** PHP turns empty objects into empty lists. */
function asInput(input: Json | undefined): Json {
  return input === undefined || isEmpty(input) ? {} : input;
}

/** Removes unused states of probes, which the checks would reject. */
function withoutDeadStates(workflow: JsonObject): JsonObject {
  const { StartAt: start, States: states } = workflow;
  if (!isRecord(states) || typeof start !== 'string') return workflow;
  const targets = (state: unknown): string[] =>
    [...JSON.stringify(state ?? null).matchAll(/"(?:Next|Default)":"([^"]*)"/g)].map(
      ([, name]) => name!,
    );
  const alive = reachableFrom([start], (name) => targets(states[name]));
  return {
    ...workflow,
    States: Object.fromEntries(Object.entries(states).filter(([name]) => alive.has(name))),
  };
}

/** A recorded decision is `{ approval, approver, comment, edited_content }`. */
function decisionOf(approvals: Recorded['approvals']): JsonObject | undefined {
  if (approvals === undefined || approvals === 'pause') return undefined;
  const [decided] = Object.values(approvals);
  if (!isRecord(decided) || typeof decided['approval'] !== 'string') return undefined;
  const { approval, approver, comment, edited_content: edited } = decided;
  return {
    decision: approval,
    ...(typeof approver === 'string' && { by: approver }),
    ...(typeof comment === 'string' && { comment }),
    ...(edited !== undefined && { edited }),
  };
}

function inOrder(answers: { readonly agent: string; readonly returns: Json }[]): Agent {
  return () => answers.shift()?.returns ?? null;
}

function stubsOf(stubs: Readonly<Record<string, Stub>> = {}): Record<string, Agent> {
  return Object.fromEntries(
    Object.entries(stubs).map(([name, stub]): [string, Agent] => [
      name,
      (input: Json, { calls }) => {
        const one = stub.sequence
          ? stub.sequence[Math.min(calls, stub.sequence.length) - 1]!
          : stub;
        if (one.throwGeneric !== undefined) throw new Error(one.throwGeneric);
        if (one.throw)
          throw failure(
            one.throw.error ?? 'Agent.Error',
            one.throw.cause ?? one.throw.message ?? '',
          );
        return one.echo ? input : (one.return ?? null);
      },
    ]),
  );
}

/** Compares two values as PHP does: an empty object equals an empty list, and 1 equals 1.0. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (isEmpty(one) && isEmpty(other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isAlike(item, other[index]));
  }
  if (isRecord(one) && isRecord(other)) {
    const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...fields].every((field) => isAlike(one[field], other[field]));
  }
  return (
    one === other || (isMoment(one) && isMoment(other) && Date.parse(one) === Date.parse(other))
  );
}

function isMoment(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
