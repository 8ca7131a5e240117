import type { InstanceView } from '@dramaturg/host';
import type { Act } from './act.ts';
import type { Chance } from './chance.ts';

/**
 * The people who run the service, by rules: now and then they pause a conversation or take part in it, and they help in one that
 * asks for a person.
 *
 * Owns what has been done about the state in which the instance is held up.
 */
export class RuleOperator {
  readonly #chance: Chance;
  #hasPaused = false;
  #hasIntervened = false;
  /** What has been tried since the instance was held up. */
  #tried = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** What an operator does next; undefined when the person is next. */
  next(view: InstanceView): Act | undefined {
    const accepted = acceptedBy(view);
    if (isHeldUp(view)) return this.#help(accepted);
    this.#tried = 0;
    if (accepted.includes('pause') && !this.#hasPaused && this.#chance.happens(interferes)) {
      this.#hasPaused = true;
      return { operator: 'pause' };
    }
    if (
      accepted.includes('intervene') &&
      !this.#hasIntervened &&
      this.#chance.happens(interferes)
    ) {
      this.#hasIntervened = true;
      return { operator: { intervene: 'A colleague here: I am reading along.' } };
    }
    return undefined;
  }

  #help(accepted: readonly string[]): Act | undefined {
    this.#tried += 1;
    if (this.#tried === 1) return { later: '2 hours' };
    const speaks = accepted.includes('manual_send') && this.#tried === 2;
    if (speaks) return { operator: { intervene: 'A colleague here: how can I help?' } };
    return this.#tried <= 3 ? { operator: 'resume' } : undefined;
  }
}

/** How often operators interfere with a conversation that needs no help, before a message. */
const interferes = 0.05;

/** Whether the instance waits until somebody resumes it. */
export function isHeldUp(view: InstanceView): boolean {
  return acceptedBy(view).includes('resume');
}

function acceptedBy({ waits }: InstanceView): readonly string[] {
  return waits.flatMap((wait) => (wait.for === 'event' ? wait.events : []));
}
