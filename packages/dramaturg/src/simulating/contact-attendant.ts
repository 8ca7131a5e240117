import type { PortInput } from '@dramaturg/compiler';
import type { InstanceView } from '@dramaturg/host';
import { type UnderstudyCue, understudyCues } from '@dramaturg/understudy/cues';
import type { MadeCall } from '../testing/scripted-ports.ts';
import type { Happened } from '../testing/stage.ts';
import type { Act, Attendant, SimulatedPerson, Situation } from './situation.ts';
import type { Asked } from './answer.ts';
import type { Chance } from './chance.ts';
import { forever, type Persona } from './persona.ts';
import { fieldsIn } from './trail.ts';

export interface ContactAttendantOptions {
  readonly persona: Persona;
  readonly chance: Chance;
  readonly person: SimulatedPerson;
  /** Absent where nobody operates the conversation. */
  readonly operator?: Pick<RuleOperator, 'next'>;
}

/**
 * The contact of a conversation on a host, where time passes: it may be away, come back late, write twice, and write while the
 * conversation is held up.
 */
export class ContactAttendant implements Attendant {
  readonly #persona: Persona;
  readonly #chance: Chance;
  readonly #person: SimulatedPerson;
  readonly #operator: Pick<RuleOperator, 'next'> | undefined;
  readonly #absence: Absence;
  readonly #messages: string[] = [];
  readonly #cues = new Map<string, readonly UnderstudyCue[]>();
  #state = '';
  #asks: PortInput<'reply'>['asks'] = [];
  #open: readonly Asked[] = [];
  #hasLeft = false;
  #hasWrittenMeanwhile = false;

  constructor({ persona, chance, person, operator }: ContactAttendantOptions) {
    this.#persona = persona;
    this.#chance = chance;
    this.#person = person;
    this.#operator = operator;
    this.#absence = new Absence(persona, chance);
  }

  get isGone(): boolean {
    return this.#hasLeft || this.#absence.isGone;
  }

  async next(happened: Happened): Promise<Act | undefined> {
    this.#follow(happened);
    const { view } = happened;
    const operated = this.#operator?.next(view);
    if (isHeldUp(view)) return this.#meanwhile(operated);
    this.#hasWrittenMeanwhile = false;
    if (!this.isGone && operated) return operated;
    return (this.isGone ? undefined : await this.#write(happened)) ?? untilEnd(happened);
  }

  /** In a conversation that is held up, a person may write before somebody helps. */
  #meanwhile(operated: Act | undefined): Act | undefined {
    const { repeats } = this.#persona;
    const writes = !this.isGone && !this.#hasWrittenMeanwhile && operated?.later !== undefined;
    this.#hasWrittenMeanwhile = true;
    return writes ? { writes: [this.#chance.of(repeats.lines)] } : operated;
  }

  async #write({ view }: Happened): Promise<Act | undefined> {
    if (!view.waits.some((wait) => wait.for === 'message')) return undefined;
    const away = this.#absence.next();
    if (away !== undefined) return this.isGone ? undefined : { later: away };
    const line = await this.#person.answer(this.#situation());
    if (line === undefined) {
      this.#hasLeft = true;
      return undefined;
    }
    const { chance, lines } = this.#persona.repeats;
    const isTwice = chance > 0 && this.#chance.happens(chance);
    return { writes: isTwice ? [line, this.#chance.of(lines)] : [line] };
  }

  #follow({ said, calls, state = '' }: Happened): void {
    this.#messages.push(...said);
    this.#state = state;
    this.#asks = askedIn(calls) ?? this.#asks;
    for (const { port, input } of calls) {
      if (port === 'extract') this.#open = fieldsIn(input['schema']);
      if (port === 'choose')
        this.#cues.set(state, understudyCues((input as unknown as PortInput<'choose'>).options));
    }
  }

  #situation(): Situation {
    const asked = new Set(this.#asks.map(({ name }) => name));
    return {
      state: this.#state,
      messages: this.#messages,
      heard: this.#messages.at(-1) ?? '',
      asks: this.#asks,
      open: this.#open.filter(
        ({ name, schema }) => !asked.has(name) && schema['x-collected'] === undefined,
      ),
      cues: this.#asks.length > 0 ? [] : (this.#cues.get(this.#state) ?? []),
    };
  }
}

function untilEnd({ view }: Happened): Act | undefined {
  return view.dueAt === undefined ? undefined : { later: 'to the end' };
}

/**
 * The questions of the last message, the most urgent first; undefined without a message. A reminder asks for nothing: the
 * question before it is still open.
 */
export function askedIn(calls: readonly MadeCall[]): PortInput<'reply'>['asks'] | undefined {
  const call = calls.findLast(({ port, input }) => port === 'reply' && !isReminder(input));
  return (call?.input as PortInput<'reply'> | undefined)?.asks;
}

function isReminder({ key }: MadeCall['input']): boolean {
  return typeof key === 'string' && key.endsWith('/follow-up');
}

/**
 * When a person is away. States: present → away → back, until it has acted → present; or gone forever.
 */
export class Absence {
  readonly #absent: Persona['absent'];
  readonly #chance: Chance;
  #isBack = false;
  isGone = false;

  constructor({ absent }: Persona, chance: Chance) {
    this.#absent = absent;
    this.#chance = chance;
  }

  /** How long the person is away before it acts; undefined when it acts now. Not called for a person who is gone. */
  next(): string | undefined {
    const { chance, for: times } = this.#absent;
    const isAway = chance > 0 && !this.#isBack && this.#chance.happens(chance);
    this.#isBack = isAway;
    if (!isAway) return undefined;
    const time = this.#chance.of(times);
    this.isGone = time === forever;
    return time;
  }
}

/**
 * The people who run the service, by rules: now and then they pause a conversation or take part in it, and they help in one that
 * asks for a person.
 *
 * Owns the attempts to help while the instance is held up.
 */
export class RuleOperator {
  readonly #chance: Chance;
  #hasPaused = false;
  #hasIntervened = false;
  /** The number of attempts since the instance was held up. */
  #tried = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** The next act of an operator; undefined when the person is next. */
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
function isHeldUp(view: InstanceView): boolean {
  return acceptedBy(view).includes('resume');
}

function acceptedBy({ waits }: InstanceView): readonly string[] {
  return waits.flatMap((wait) => (wait.for === 'event' ? wait.events : []));
}
