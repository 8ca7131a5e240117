import type { Json, JsonObject, Port } from '@dramaturg/compiler';
import { usageIn } from '@dramaturg/compiler/machine';
import type { DecisionSummary, UsageTotal } from '@dramaturg/host';
import { addCall, noUsage } from '@dramaturg/host/engine';
import { dataWith } from '../exploring/data-with.ts';
import type { Vocabulary } from '../exploring/vocabulary.ts';
import type { OpenTask } from '../testing/open-tasks.ts';
import type { GivenDecision, GivenTask } from '../testing/test-file.ts';
import type { Chance } from './chance.ts';
import { leadsAway } from './situation.ts';
import type { Persona } from './persona.ts';

/** A waiting task, with a token that a person has. */
export interface HeldTask extends OpenTask {
  /** The resource that was called with the token. */
  readonly resource: string;
  /** Whether other tasks wait, too. */
  readonly isOneOfSeveral: boolean;
}

/** Decides for a person in a workflow. */
export interface Decider {
  /** @param isOneOfSeveral whether several questions are open */
  readonly decide: (
    question: DecisionSummary,
    isOneOfSeveral: boolean,
  ) => Promise<GivenDecision> | GivenDecision;
  /** The ending of a task; undefined when the person does nothing for now. */
  readonly finish: (task: HeldTask) => Promise<GivenTask | undefined> | GivenTask | undefined;
  /** The usage of a model. */
  readonly used?: UsageTotal;
}

/** Names a task in a step: the state, and the items if other tasks wait, too. */
function nameOfTask({ state, items, isOneOfSeveral }: HeldTask): Pick<GivenTask, 'state' | 'item'> {
  return { state, ...(isOneOfSeveral && items.length > 0 ? { item: [...items] } : {}) };
}

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

interface Option {
  readonly id: string;
  readonly description: string;
}

/** Results that a model chooses from. */
const resultsMax = 6;

/**
 * Lets a model decide, by the description of a persona. For a decision, it picks one of the options; for a task, one of the
 * results and errors that the workflow distinguishes. No text of the model becomes data.
 */
export class ModelDecider implements Decider {
  readonly #persona: Persona;
  readonly #choose: Port<'choose'>;
  readonly #rules: RuleDecider;
  readonly #chance: Chance;
  readonly #id: string;
  #asked = 0;
  used: UsageTotal = noUsage;

  constructor(persona: Persona, choose: Port<'choose'>, rules: RuleDecider, chance: Chance) {
    this.#persona = persona;
    this.#choose = choose;
    this.#rules = rules;
    this.#chance = chance;
    this.#id = chance.uuid();
  }

  /** @throws PortError when the model cannot be asked */
  async decide(question: DecisionSummary, isOneOfSeveral: boolean): Promise<GivenDecision> {
    const { prompt, options, details } = question;
    const about = details === undefined ? prompt : `${prompt}\n${JSON.stringify(details)}`;
    const { option, reason } = await this.#ask(
      about,
      options.map((id) => ({ id, description: id })),
    );
    return {
      decision: option,
      ...deciderOf(question, this.#chance),
      comment: reason ?? option,
      ...(isOneOfSeveral ? { question: prompt } : {}),
    };
  }

  /** @throws PortError when the model cannot be asked */
  async finish(task: HeldTask): Promise<GivenTask | undefined> {
    const endings = this.#endingsOf(task);
    const options = [...endings].map(([id, { description }]) => ({ id, description }));
    const about = `The task "${task.state}" of a workflow waits for you. What becomes of it?`;
    const { option } = await this.#ask(about, options);
    const ending = endings.get(option)?.ending;
    return ending && { ...nameOfTask(task), ...ending };
  }

  #endingsOf(task: HeldTask) {
    const results = Array.from({ length: resultsMax }, (_, index) =>
      this.#rules.result(index % 2 === 0),
    );
    const different = [...new Set(results.map((result) => JSON.stringify(result)))];
    return new Map<string, { readonly description: string; readonly ending?: GivenTask }>([
      ...different.map((text, index) => {
        const ending: GivenTask = { completes: JSON.parse(text) };
        return [`result ${index + 1}`, { description: `You do it: ${text}`, ending }] as const;
      }),
      ...[...this.#rules.errorsOf(task), 'Refused'].map((error) => {
        const ending: GivenTask = { fails: error };
        return [`fails ${error}`, { description: `It fails: ${error}`, ending }] as const;
      }),
      ['later', { description: 'You do nothing for now.' }],
    ]);
  }

  async #ask(about: string, options: readonly Option[]) {
    this.#asked += 1;
    const { name, description } = this.#persona;
    const output = await this.#choose(
      {
        key: `person/${this.#id}/${this.#asked}`,
        transcript: { conversation: this.#id, length: 0 },
        prompt: [
          { title: 'Who you are', text: `${name}: ${description}`, constant: true },
          {
            title: 'What you do',
            text: 'You play this person, whom a workflow asks. Pick what the person would pick.',
            constant: true,
          },
          { title: 'The question', text: about },
        ],
        options: [...options],
        requiresJudgement: true,
      },
      {
        signal: AbortSignal.timeout(timeout),
        onText: () => {},
        transcript: async () => [],
      },
    );
    this.used = addCall(this.used, { time: 0, usage: usageIn({ output }) });
    return output;
  }
}

/** Milliseconds for a decision. */
const timeout = 120_000;
