import {
  type Chart,
  type EventObject,
  isRecord,
  type Json,
  PortError,
  type PortName,
  portSchemas,
} from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import {
  type LiveInstance,
  type LoadedDefinitions,
  readProgress,
  type StepResult,
} from '@dramaturg/host/engine';
import { behaviours } from '../host.ts';
import { type OpenTask, openTasksIn } from '../testing/open-tasks.ts';
import { FamilyStep } from './family-step.ts';
import type { FamilyContext } from './members.ts';
import { type Beginning, explored, type Moment, type Stored, type WaitingCall } from './moment.ts';

export type PortAnswer = { readonly output: Json } | { readonly error: Error };

/**
 * Tries inputs on an instance and its children. Each method returns the moment after the input, and does not change the moment
 * before. Nothing is called, sent or stored, and the time is that of the moment: a host would decide the same steps.
 */
export class Branches {
  readonly #context: FamilyContext;

  constructor(context: FamilyContext) {
    this.#context = context;
  }

  /** @throws InputError when the input does not fit */
  async begin(beginning: Beginning, at: number): Promise<Moment> {
    const { world } = this.#context;
    world.recall(at, 0);
    const step = new FamilyStep(this.#context);
    await step.begin(beginning);
    return { ...step.moment, at: world.now(), drawn: world.drawn };
  }

  /** The tasks that wait for their tokens. */
  openTasks(moment: Moment): readonly OpenTaskAt[] {
    const { definitions, definitionsOfChild } = this.#context;
    return openTasksAt(moment, (child) =>
      child === undefined ? definitions : definitionsOfChild(child),
    );
  }

  /** The person writes to an instance. */
  say(from: Moment, text: string, instance: string): Promise<Moment> {
    const lines = [from, ...from.children].flatMap(({ transcript }) => transcript);
    const id = `message-${lines.filter(({ role }) => role === 'contact').length + 1}`;
    return this.send(from, { type: 'message.received', text, id }, instance);
  }

  send(from: Moment, event: EventObject, instance: string = explored): Promise<Moment> {
    return this.#step(from, from.at, instance, (each) => each.decideEvent(event));
  }

  /** A port answers a call. */
  answer(
    from: Moment,
    { letter, port, instance }: WaitingCall,
    answer: PortAnswer,
  ): Promise<Moment> {
    return this.#step(from, from.at, instance, (each) =>
      each.decideCall(letter, endingOf(port, answer)),
    );
  }

  /** A timer fires, or a failed call is made again. */
  wake(from: Moment, { letter, input, repeatAt, instance }: WaitingCall): Promise<Moment> {
    const at = Math.max(from.at, repeatAt ?? Number(input['at']));
    return this.#step(from, at, instance, (each) =>
      repeatAt === undefined
        ? each.decideCall(letter, { output: { firedAt: at } })
        : each.decideRepeat(letter),
    );
  }

  async #step(
    from: Moment,
    at: number,
    instance: string,
    decide: (instance: LiveInstance) => Promise<StepResult>,
  ): Promise<Moment> {
    const { world } = this.#context;
    world.recall(at, from.drawn);
    const step = new FamilyStep(this.#context, from);
    await step.decide(instance, decide);
    return { ...step.moment, at: world.now(), drawn: world.drawn };
  }
}

function endingOf(port: PortName, answer: PortAnswer) {
  if ('output' in answer) {
    const checked = portSchemas[port].output.safeParse(answer.output);
    if (checked.success) return { output: checked.data };
    return { error: new PortError('port/bad-output', port, 'The answer has a wrong form.') };
  }
  const { error } = answer;
  if (error instanceof PortError) return { error };
  return { error: new PortError('port/failed', port, error.message, { cause: error }) };
}

/** A task of an instance or of its child that waits until its token comes back. */
export interface OpenTaskAt extends OpenTask {
  readonly instance: string;
  /** The definition of the child. */
  readonly child?: string;
  /** The resource that was called with the token. */
  readonly resource: string;
}

/** The tasks that wait for their tokens at a moment. */
function openTasksAt(
  moment: Moment,
  definitionsOf: (child: string | undefined) => LoadedDefinitions,
): readonly OpenTaskAt[] {
  return [{ ...moment, id: explored, definition: undefined }, ...moment.children].flatMap(
    (stored) => {
      const { id, definition: child } = stored;
      if (stored.ended || !hasToken(stored)) return [];
      const { flow, lifecycle } = definitionsOf(child);
      if (!flow) return [];
      const { waits } = readProgress(
        stored.state,
        false,
        { flow: readable(flow.chart), lifecycle: readable(lifecycle.chart) },
        behaviours,
      );
      return openTasksIn(waits).map((task) => ({
        ...task,
        instance: id,
        ...(child === undefined ? {} : { child }),
        resource: resourcesIn(flow.chart).get(task.state) ?? task.state,
      }));
    },
  );
}

/** Whether a machine, or the machine of an item, may have given a token away. */
function hasToken({ state: { flow = null } }: Pick<Stored, 'state'>): boolean {
  return JSON.stringify(flow).includes('"token":');
}

/** Positions in the text are not needed. */
function readable(chart: Chart) {
  return { chart, locate: () => undefined };
}

const known = new WeakMap<Chart, ReadonlyMap<string, string>>();

/** The resources that the tasks of a workflow call, by the names of their states. */
export function resourcesIn(chart: Chart): ReadonlyMap<string, string> {
  const found = known.get(chart) ?? new Map(statesIn(chart, 'Resource'));
  known.set(chart, found);
  return found;
}

/** The states of a workflow that have a string in a field, with the string. */
function statesIn(chart: Chart, field: string): (readonly [state: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { title, state } = (part as ChartNode).meta ?? {};
    const value = isRecord(state) ? state[field] : undefined;
    if (typeof title === 'string' && typeof value === 'string') found.push([title, value]);
    pending.push(...Object.values(part));
  }
  return found;
}
