import type { Chart, JsonObject } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { eventsOf } from '../exploring/happenings.ts';
import { resourcesIn } from '../exploring/resources-in.ts';
import { openTasksIn } from '../testing/open-tasks.ts';
import type { Happened } from '../testing/stage.ts';
import { Absence, type ContactAttendant } from './contact-attendant.ts';
import type { Act, Attendant } from './act.ts';
import type { Chance } from './chance.ts';
import type { Decider, HeldTask } from './decider.ts';
import { leadsAway } from './leads-away.ts';
import type { Persona } from './persona.ts';

export interface ParticipantOptions {
  readonly persona: Persona;
  readonly chance: Chance;
  /** The chart of the workflow or the lifecycle, and those of the definitions that it calls. */
  readonly charts: readonly Chart[];
  readonly decider: Decider;
  /** Talks in the conversations that the workflow holds. */
  readonly contact: ContactAttendant;
}

/**
 * A person in a workflow or a lifecycle. It talks in conversations that the workflow holds, answers decisions, completes tasks
 * with tokens that it has, and sends events that the definition names. A confused or hostile person also sends unexpected events.
 */
export class Participant implements Attendant {
  readonly #persona: Persona;
  readonly #chance: Chance;
  readonly #absence: Absence;
  readonly #decider: Decider;
  readonly #contact: ContactAttendant;
  readonly #resources: ReadonlyMap<string, string>;
  readonly #events: readonly JsonObject[];
  readonly #accepted: ReadonlyMap<string, readonly string[]>;

  constructor({ persona, chance, charts, decider, contact }: ParticipantOptions) {
    const [chart] = charts;
    this.#persona = persona;
    this.#chance = chance;
    this.#absence = new Absence(persona, chance);
    this.#decider = decider;
    this.#contact = contact;
    this.#resources = new Map(charts.flatMap((each) => [...resourcesIn(each)]));
    this.#events = chart!.format === 'lifecycle' ? eventsOf(chart!) : [];
    this.#accepted = acceptedIn(chart!);
  }

  get isGone(): boolean {
    return this.#absence.isGone || this.#contact.isGone;
  }

  /** The next act of the person; undefined when nothing more can happen. */
  async next(happened: Happened): Promise<Act | undefined> {
    const { view, decisions, waits } = happened;
    const [question] = decisions;
    const [task] = this.#heldTasks(happened);
    const isNeeded = question !== undefined || task !== undefined || this.#events.length > 0;
    if (!isNeeded && waits.some((wait) => wait.for === 'message')) {
      // Waits of the workflow around the conversation are not for its contact.
      const messages = waits.filter((wait) => wait.for === 'message');
      return this.#contact.next({ ...happened, view: { ...view, waits: messages } });
    }
    const away = isNeeded && !this.isGone ? this.#absence.next() : undefined;
    if (away !== undefined && !this.isGone) return { later: away };
    if (this.isGone) return view.dueAt === undefined ? undefined : { later: 'to the end' };
    if (question) return { decide: await this.#decider.decide(question, decisions.length > 1) };
    if (task) {
      const ending = await this.#decider.finish(task);
      return ending ? { task: ending } : { later: pause };
    }
    const event = this.#event(view.state);
    if (event) return { event: event as never };
    return view.dueAt === undefined ? undefined : { waits: true };
  }

  #heldTasks({ waits }: Happened): readonly HeldTask[] {
    const open = openTasksIn(waits);
    return open.map((task) => ({
      ...task,
      resource: this.#resources.get(task.state) ?? task.state,
      isOneOfSeveral: open.length > 1,
    }));
  }

  #event(state: string): JsonObject | undefined {
    if (this.#events.length === 0) return undefined;
    const { digresses, agrees } = this.#persona;
    const accepted = this.#accepted.get(state) ?? [];
    const fitting = this.#events.filter(({ type }) => accepted.includes(type as string));
    if (fitting.length === 0 || this.#chance.happens(digresses.chance))
      return this.#chance.of(this.#events);
    const wantsOn = this.#chance.happens(agrees);
    const willing = fitting.filter(({ type }) => leadsAway.test(type as string) !== wantsOn);
    return this.#chance.of(willing.length > 0 ? willing : fitting);
  }
}

/** How long a person does nothing after the decision to wait. */
const pause = '1 hour';

/** The events that the states of a lifecycle accept. */
function acceptedIn(chart: Chart): ReadonlyMap<string, readonly string[]> {
  const accepted = new Map<string, readonly string[]>();
  const pending: ChartNode[] = [chart];
  for (const { meta = {}, states = {} } of pending) {
    pending.push(...Object.values(states));
    const { state, accepts } = meta as { readonly state?: string; readonly accepts?: JsonObject[] };
    if (state !== undefined && accepts)
      accepted.set(
        state,
        accepts.map(({ event }) => event as string),
      );
  }
  return accepted;
}
