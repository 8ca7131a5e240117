import type { Behaviours } from '../definitions/behaviours.ts';
import type { Json } from '@dramaturg/compiler';
import { nobodyName } from '../channel/store-channels.ts';
import { badRequest, type HostError } from '../errors.ts';
import type { Charts } from '../host/instance-reader.ts';
import { decisionMade } from '../instance/event.ts';
import type { InstanceCall } from '../instance/instance-calls.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import { optionalText } from '../instance/read.ts';
import type { Birth } from '../instance/state.ts';
import { type StepInput, stepInputIn } from '../instance/step-input.ts';
import type { NewLines } from '../store/contract.ts';
import { decisionId } from '../instance/open-decisions.ts';
import { InstanceHistory, openCalls } from './history.ts';

export interface ForkOptions {
  /** The ids of the instance and of its fork. */
  readonly id: string;
  readonly fork: string;
  /** The last common step. */
  readonly step: number;
  readonly charts: Charts;
  /** The instance's journal, in pages. */
  readonly journal: AsyncIterable<readonly Json[]>;
  readonly behaviours: Behaviours;
  /** Whether an agent is a definition, which answers as a child instance. */
  readonly isDefinition: (agent: string) => boolean;
  /** Receives the lines of the copy after each page of the journal, and the steps repeated so far. They are not kept. */
  readonly onPage: (
    lines: Required<NewLines>,
    steps: number,
    copy: InstanceHistory,
  ) => Promise<void>;
}

/**
 * Copies a stored instance, as it was after one of its steps, under an id of its own: the copy repeats the same inputs. Its
 * later calls and messages have keys of their own. It has no contact, and its messages are discarded.
 *
 * Memory does not grow with the number of steps, and the event loop gets a turn after every few of them.
 *
 * @throws HostError `host/bad-request` when there is no such step, or the instance had ended by then
 */
export async function forked(options: ForkOptions): Promise<InstanceHistory> {
  const { id, fork, step, charts, journal, behaviours, isDefinition, onPage } = options;
  let page: { journal: Json[]; transcript: Json[] } = { journal: [], transcript: [] };
  const original = new InstanceHistory({ id, charts, behaviours });
  const copy = new InstanceHistory({
    id: fork,
    charts,
    behaviours,
    reborn: (birth) => rebornAs(fork, birth),
    onLines: (lines) => {
      page.journal.push(...lines.journal);
      page.transcript.push(...lines.transcript);
    },
  });
  for await (const lines of journal) {
    const isPast = await repeatPage(lines, step, original, copy);
    requireSameDecisions(original, id, step);
    await onPage(page, original.steps, copy);
    page = { journal: [], transcript: [] };
    if (isPast) break;
  }
  if (original.steps < step) throw cannotFork(id, step, `it has taken ${original.steps} steps.`);
  if (copy.instance.ended) throw cannotFork(id, step, 'it had ended by then.');
  const { copyOf } = copy.state;
  if (copyOf)
    throw cannotFork(
      id,
      step,
      `it is a copy itself, of ${JSON.stringify(copyOf.instance)}. Fork that one.`,
    );
  // A child has one parent, and that is the original.
  for (const { call } of openCalls(copy.instance).values()) {
    const agent = call.port === 'runAgent' ? optionalText(Object(call.input).agent) : '';
    if (isDefinition(agent))
      throw cannotFork(
        id,
        step,
        `it waits there for "${agent}", which runs as its child. Fork it at an earlier or a later step.`,
      );
  }
  return copy;
}

/** Repeats lines of the journal in both. @returns whether the next line is past the last common step */
async function repeatPage(
  lines: readonly Json[],
  step: number,
  original: InstanceHistory,
  copy: InstanceHistory,
): Promise<boolean> {
  for (const line of lines) {
    const found = stepInputIn(line);
    if (!found) {
      await original.take([line]);
      continue;
    }
    if (original.steps >= step) return true;
    const input =
      original.steps === 0
        ? found.input
        : translated(found.input, original.instance, copy.instance);
    await original.take([line]);
    await copy.take([{ ...(line as object), event: input } as unknown as Json]);
  }
  return false;
}

function requireSameDecisions(
  { departures: [departure] }: InstanceHistory,
  id: string,
  step: number,
) {
  if (!departure) return;
  const { step: from, because } = departure;
  throw cannotFork(
    id,
    step,
    `from step ${from} on this release would decide otherwise: ${because}`,
  );
}

/** Removes the contact and the parent: the parent waits for the original. */
function rebornAs(id: string, { contact: _contact, parent: _parent, ...birth }: Birth): Birth {
  return { ...birth, id, address: null, channel: nobodyName };
}

/** Translates the keys of calls, which contain the id. Both instances have the same open calls in the same order. */
function translated(input: StepInput, original: LiveInstance, copy: LiveInstance): StepInput {
  if (
    input.type === 'call.answered' ||
    input.type === 'call.failed' ||
    input.type === 'call.repeated'
  ) {
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
  const index = [...openCalls(original).values()].findIndex(isMeant);
  return [...openCalls(copy).values()][index];
}

function cannotFork(id: string, step: number, because: string): HostError {
  return badRequest(
    `The instance ${JSON.stringify(id)} cannot be forked at step ${step}: ${because}`,
  );
}
