import { type Compiled, type JsonObject, link, PortError, type Ports } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Limits, Recording } from '@dramaturg/host';
import { type Held, prepare } from '../cli/conversation/hold.ts';
import type { Person } from '../cli/conversation/person.ts';
import { behaviours } from '../host.ts';
import { isGoodEnd } from './attend.ts';
import type { Ending, Simulated, SimulatedPerson } from './situation.ts';
import { Trail } from './trail.ts';

export interface ConverseOptions {
  readonly compiled: Compiled;
  readonly input: JsonObject;
  /** The agent. */
  readonly ports: Partial<Ports> & Pick<Ports, 'reply'>;
  /** The ports want to know the next reply: see `PortWishes`. */
  readonly nextReplies: boolean;
  readonly person: SimulatedPerson;
  readonly recording: Recording;
  readonly world: World;
  readonly limits: Limits;
  /** The most messages of the person. */
  readonly turnsMax: number;
  /** Outcomes and states that count as a good end. */
  readonly good: readonly string[];
  readonly stop: AbortSignal;
}

/** How often a person repeats a message after its turn has failed. */
const retriesMax = 2;

/**
 * Holds one conversation with a simulated person, to its end or to a bound.
 *
 * @throws InputError when the input lacks a field that the definition asks for; RecordingError when a replay differs
 */
export async function converse(
  options: ConverseOptions,
): Promise<Omit<Simulated, 'persona' | 'number'>> {
  const { compiled, input, ports, nextReplies, recording, world, limits } = options;
  const { person, turnsMax, stop } = options;
  const chart = compiled.chart!;
  const behaviour = behaviours.get(chart.format)!;
  const trail = new Trail(chart, compiled.source);
  const observed = trail.observed(recording);
  const conversation = prepare({
    // Every state is a step of its own, so that each transition is seen.
    machine: link(chart, behaviour, { world: observed.world(world), nextReplies, fuse: false }),
    input,
    view: trail.view,
    ports,
    recording: observed,
    limits,
    rehearsed: link(chart, behaviour, { world, nextReplies: false }),
    attach: trail.attach,
  });
  const giver = new LineGiver(person, trail, turnsMax);
  const held = await conversation.hold(giver, stop);
  const { deliverables: collected, used } = held;
  return {
    ending: endingOf(held, trail, giver.failure, options),
    turns: trail.turns,
    collected,
    ...(used ? { used } : {}),
  };
}

/** The person as the conversation sees it: it repeats failed calls, and leaves at the limit of turns. */
class LineGiver implements Person {
  readonly #person: SimulatedPerson;
  readonly #trail: Trail;
  readonly #turnsMax: number;
  #retries = 0;
  readonly types = false;
  /** Why the model that plays the person could not be asked. */
  failure: string | undefined;

  constructor(person: SimulatedPerson, trail: Trail, turnsMax: number) {
    this.#person = person;
    this.#trail = trail;
    this.#turnsMax = turnsMax;
  }

  readonly nextLine: Person['nextLine'] = async (_, { blank = false } = {}) => {
    if (blank) {
      this.#retries += 1;
      return this.#retries > retriesMax ? undefined : '';
    }
    this.#retries = 0;
    if (saidIn(this.#trail) >= this.#turnsMax || this.#trail.handedOver) return undefined;
    try {
      return await this.#person.answer(this.#trail.situation());
    } catch (error) {
      // The other conversations continue: an outage of a model is an ending of this one.
      if (!(error instanceof PortError)) throw error;
      this.failure = `The model of the person cannot be asked: ${error.message}`;
      return undefined;
    }
  };

  readonly leave = (): void => {};
}

function saidIn({ turns }: Trail): number {
  return turns.length - 1;
}

function endingOf(
  { outcome, state: ended, isLimited }: Held,
  trail: Trail,
  failureOfPerson: string | undefined,
  { good, turnsMax }: ConverseOptions,
): Ending {
  const state = ended === '' ? trail.state : ended;
  if (outcome !== 'unfinished') return { outcome, isGood: isGoodEnd(outcome, state, good), state };
  const last = trail.turns.at(-1)!;
  const stuck = (kind: string, because: string) => ({
    outcome: kind,
    // A state may be a good end, although the conversation continues in it.
    isGood: isGoodEnd(kind, state, good),
    state,
    because,
  });
  const failure = failureOfPerson ?? (last.agent.length === 0 ? failureIn(last) : undefined);
  if (trail.handedOver) return stuck('handed over', trail.handedOver);
  if (isLimited) return stuck('call limit', failureIn(last) ?? 'A limit was reached.');
  if (failure !== undefined) return stuck('outage', failure);
  const asked = last.asks === undefined ? '' : `, asked for "${last.asks}"`;
  if (saidIn(trail) >= turnsMax)
    return stuck('turn limit', `No end after ${turnsMax} messages${asked}.`);
  return stuck('left', `The person gave up${asked}.`);
}

function failureIn({ failures }: Trail['turns'][number]): string | undefined {
  return failures.at(-1)?.replace('failed: ', 'A call fails: ');
}
