import type { Chart, ChartNode, JsonObject } from '@dramaturg/compiler';
import type { DecisionSummary } from '@dramaturg/host';
import { eventsOf } from '../exploring/happenings.ts';
import type { GivenDecision } from '../testing/test-file.ts';
import type { Happened } from '../testing/stage.ts';
import { Absence } from './absence.ts';
import type { Act, Attendant } from './act.ts';
import type { Chance } from './chance.ts';
import { leadsAway } from './leads-away.ts';
import type { Persona } from './persona.ts';

/**
 * A person beside a workflow or a lifecycle, by the rules of a persona: it decides on what is asked, and sends events that
 * the definition names. A confused or hostile one also sends what nobody waits for.
 */
export class RuleAttendant implements Attendant {
  readonly #persona: Persona;
  readonly #chance: Chance;
  readonly #absence: Absence;
  readonly #events: readonly JsonObject[];
  readonly #accepted: ReadonlyMap<string, readonly string[]>;

  constructor(persona: Persona, chance: Chance, chart: Chart) {
    this.#persona = persona;
    this.#chance = chance;
    this.#absence = new Absence(persona, chance);
    this.#events = chart.format === 'lifecycle' ? eventsOf(chart) : [];
    this.#accepted = acceptedIn(chart);
  }

  get isGone(): boolean {
    return this.#absence.isGone;
  }

  /** What the person does next; undefined when nothing can happen any more. */
  next({ view, decisions }: Happened): Act | undefined {
    const [question] = decisions;
    const isNeeded = question !== undefined || this.#events.length > 0;
    const away = isNeeded && !this.isGone ? this.#absence.next() : undefined;
    if (away !== undefined && !this.isGone) return { later: away };
    if (this.isGone) return view.dueAt === undefined ? undefined : { later: 'to the end' };
    if (question) return { decide: this.#decision(question, decisions.length > 1) };
    const event = this.#event(view.state);
    if (event) return { event: event as never };
    return view.dueAt === undefined ? undefined : { later: 'to the end' };
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

  #decision(question: DecisionSummary, isOneOfSeveral: boolean): GivenDecision {
    const { agrees, digresses, refuses } = this.#persona;
    const { prompt, options } = question;
    const wantsOn = this.#chance.happens(agrees);
    const willing = options.filter((each) => leadsAway.test(each) !== wantsOn);
    const id = this.#chance.of(willing.length > 0 ? willing : options);
    const named = isOneOfSeveral ? { question: prompt } : {};
    // Somebody who may not decide, and says nothing.
    if (this.#chance.happens(digresses.chance)) return { decision: id, by: 'somebody', ...named };
    const silent = this.#chance.happens(refuses.chance);
    return {
      decision: id,
      ...deciderOf(question, this.#chance),
      ...(silent ? {} : { comment: wantsOn ? 'As agreed.' : 'I do not agree.' }),
      ...named,
    };
  }
}

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

/** Somebody who may decide. */
function deciderOf(
  { approvers, excluded = [], approvals }: DecisionSummary,
  chance: Chance,
): { readonly by: string; readonly roles?: string[] } {
  const out = new Set([
    ...excluded.map(({ name }) => name),
    ...(approvals?.given ?? []).map(({ by }) => by),
  ]);
  const users = (approvers?.users ?? []).filter((name) => !out.has(name));
  const roles = approvers?.roles ?? [];
  if (users.length > 0) return { by: chance.of(users) };
  // Several approvals have to come from several people.
  const others = ['ana', 'bob', 'chloe', 'dan', 'eva'].filter((name) => !out.has(name));
  const by = chance.of(others.length > 0 ? others : ['zoe']);
  return roles.length > 0 ? { by, roles: [chance.of(roles)] } : { by };
}
