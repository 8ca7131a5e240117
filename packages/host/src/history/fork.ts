import type { Behaviour, Json } from '@dramaturg/compiler';
import { nobody } from '../channel/nobody.ts';
import { HostError } from '../errors.ts';
import type { Charts } from '../host/instance-reader.ts';
import { decisionMade } from '../instance/event.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import { optionalText } from '../instance/read.ts';
import type { Birth } from '../instance/state.ts';
import { type StepInput, stepInputIn } from '../instance/step-input.ts';
import { decisionId } from '../instance/open-decisions.ts';
import { InstanceHistory, openCalls } from './history.ts';

export interface ForkOptions {
  /** The id of the instance, and that of its fork. */
  readonly id: string;
  readonly fork: string;
  /** The last step that both have in common. */
  readonly step: number;
  readonly charts: Charts;
  /** All lines of the instance's journal. */
  readonly journal: readonly Json[];
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  /** Whether an agent is a definition, which answers as an instance of its own. */
  readonly isDefinition: (agent: string) => boolean;
}

/**
 * The instance that a stored one would have been after one of its steps, under an id of its own: it took the same, so it has
 * come to the same, and what it calls and says from there on has keys of its own. It has no contact and speaks to nobody.
 *
 * @throws HostError `host/bad-request` when there is no such step, or the instance had ended by then
 */
export async function forked(options: ForkOptions): Promise<InstanceHistory> {
  const { id, fork, step, charts, journal, behaviours, isDefinition } = options;
  const original = new InstanceHistory({ id, charts, behaviours });
  const copy = new InstanceHistory({
    id: fork,
    charts,
    behaviours,
    reborn: (birth) => rebornAs(fork, birth),
  });
  for (const line of journal) {
    const found = stepInputIn(line);
    if (!found) {
      await original.take([line]);
      continue;
    }
    if (original.steps >= step) break;
    const input =
      original.steps === 0
        ? found.input
        : translated(found.input, original.instance, copy.instance);
    await original.take([line]);
    await copy.take([{ ...(line as object), event: input } as unknown as Json]);
  }
  const [departure] = original.departures;
  if (departure) {
    throw cannot(
      id,
      step,
      `from step ${departure.step} on this release would decide otherwise: ${departure.because}`,
    );
  }
  if (original.steps < step) throw cannot(id, step, `it has taken ${original.steps} steps.`);
  if (copy.instance.ended) throw cannot(id, step, 'it had ended by then.');
  const { copyOf } = copy.state;
  if (copyOf)
    throw cannot(
      id,
      step,
      `it is a copy itself, of ${JSON.stringify(copyOf.instance)}. Fork that one.`,
    );
  // An instance below has one above, and that is the other one's.
  for (const { call } of openCalls(copy.instance).values()) {
    const agent = call.port === 'runAgent' ? optionalText(Object(call.input).agent) : '';
    if (isDefinition(agent))
      throw cannot(
        id,
        step,
        `it waits there for "${agent}", which runs below it. Fork it at a step before or behind.`,
      );
  }
  return copy;
}

/** Without the instance above: that waits for the other one. */
function rebornAs(id: string, { contact: _contact, parent: _parent, ...birth }: Birth): Birth {
  return { ...birth, id, address: null, channel: nobody };
}

/** Keys of calls have the id in them. Calls are open in the same order in both, so that each finds its counterpart. */
function translated(input: StepInput, original: LiveInstance, copy: LiveInstance): StepInput {
  if (input.type === 'call.answered' || input.type === 'call.failed') {
    const counterpart = counterpartOf(original, copy, ({ letter }) => letter === input.call);
    return { ...input, call: counterpart?.letter ?? input.call };
  }
  if (input.type !== 'event.taken' || input.event.type !== decisionMade) return input;
  const { key, id, ...decision } = input.event;
  const counterpart = counterpartOf(original, copy, ({ call }) =>
    key === undefined && id !== undefined ? nameOf(call) === id : call.key === key,
  );
  if (!counterpart) return input;
  return { ...input, event: { ...decision, key: counterpart.call.key } };
}

function nameOf({ key, input }: InstanceCall['call']): string {
  return decisionId({ key, id: Object(input).id });
}

function counterpartOf(
  original: LiveInstance,
  copy: LiveInstance,
  isMeant: (call: InstanceCall) => boolean,
): InstanceCall | undefined {
  const place = [...openCalls(original).values()].findIndex(isMeant);
  return [...openCalls(copy).values()][place];
}

function cannot(id: string, step: number, because: string): HostError {
  return new HostError(
    'host/bad-request',
    `The instance ${JSON.stringify(id)} cannot be forked at step ${step}: ${because}`,
  );
}
