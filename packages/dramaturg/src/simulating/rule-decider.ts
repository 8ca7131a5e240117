import type { Json, JsonObject } from '@dramaturg/compiler';
import type { DecisionSummary } from '@dramaturg/host';
import { dataWith } from '../exploring/data-with.ts';
import type { Vocabulary } from '../exploring/vocabulary.ts';
import type { GivenDecision, GivenTask } from '../testing/test-file.ts';
import type { Chance } from './chance.ts';
import { type Decider, type HeldTask, nameOfTask } from './decider.ts';
import { leadsAway } from './leads-away.ts';
import type { Persona } from './persona.ts';

/** The error of a refused task, where the workflow names none. */
const refused = 'Refused';

/** Decides by the rules of a persona. */
export class RuleDecider implements Decider {
  readonly #persona: Persona;
  readonly #chance: Chance;
  readonly #vocabulary: Vocabulary;

  constructor(persona: Persona, chance: Chance, vocabulary: Vocabulary) {
    this.#persona = persona;
    this.#chance = chance;
    this.#vocabulary = vocabulary;
  }

  decide(question: DecisionSummary, isOneOfSeveral: boolean): GivenDecision {
    const { agrees, digresses, refuses } = this.#persona;
    const { prompt, options } = question;
    const wantsOn = this.#chance.happens(agrees);
    const willing = options.filter((each) => leadsAway.test(each) !== wantsOn);
    const id = this.#chance.of(willing.length > 0 ? willing : options);
    const named = isOneOfSeveral ? { question: prompt } : {};
    // Decides as somebody who may not decide, and gives no reason.
    if (this.#chance.happens(digresses.chance)) return { decision: id, by: 'somebody', ...named };
    const silent = this.#chance.happens(refuses.chance);
    return {
      decision: id,
      ...deciderOf(question, this.#chance),
      ...(silent ? {} : { comment: wantsOn ? 'As agreed.' : 'I do not agree.' }),
      ...named,
    };
  }

  /** A refusal fails the task. A person who digresses completes it with an empty result. */
  finish(task: HeldTask): GivenTask {
    const { agrees, digresses, refuses } = this.#persona;
    const name = nameOfTask(task);
    if (this.#chance.happens(digresses.chance)) return { ...name, completes: {} };
    const [errors, wantsOn] = [this.errorsOf(task), this.#chance.happens(agrees)];
    if (this.#chance.happens(refuses.chance) || (!wantsOn && errors.length > 0))
      return { ...name, fails: this.#chance.of(errors.length > 0 ? errors : [refused]) };
    return { ...name, completes: this.result(wantsOn) };
  }

  /** The errors that the workflow expects of a task, without those of the language. */
  errorsOf({ resource }: HeldTask): readonly string[] {
    return this.#vocabulary.errorsOf(resource).filter((error) => !error.startsWith('States.'));
  }

  /** A result that has every field that the workflow reads, with values that it compares, or those of the persona. */
  result(wantsOn: boolean): JsonObject {
    const { comparedFields, valuesOf } = this.#vocabulary;
    const compared = Object.fromEntries(
      comparedFields.map((field) => [field, this.#valueOf(valuesOf(field), wantsOn)]),
    );
    const own = Object.fromEntries(
      Object.entries(this.#persona.answers).map(([field, given]) => [
        field,
        Array.isArray(given) && given.length > 0 ? this.#chance.of(given as Json[]) : given,
      ]),
    );
    return dataWith(this.#vocabulary, { ...compared, ...own });
  }

  #valueOf(values: readonly Json[], wantsOn: boolean): Json {
    if (values.some((value) => typeof value === 'boolean')) return wantsOn;
    const willing = values.filter(
      (value) => typeof value !== 'string' || leadsAway.test(value) !== wantsOn,
    );
    return this.#chance.of(willing.length > 0 ? willing : values);
  }
}

/** Somebody who may decide. */
export function deciderOf(
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
