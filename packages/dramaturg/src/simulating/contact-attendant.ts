import type { PortInput } from '@dramaturg/compiler';
import { type UnderstudyCue, understudyCues } from '@dramaturg/understudy/cues';
import type { Happened } from '../testing/stage.ts';
import { Absence } from './absence.ts';
import type { Act, Attendant } from './act.ts';
import type { Asked } from './answer.ts';
import { askedIn } from './asked-in.ts';
import type { Chance } from './chance.ts';
import { fieldsIn } from './fields-in.ts';
import type { Persona } from './persona.ts';
import { isHeldUp, type RuleOperator } from './rule-operator.ts';
import type { SimulatedPerson, Situation } from './situation.ts';

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
