import type { Port } from '@dramaturg/compiler';
import { usageIn } from '@dramaturg/compiler/machine';
import type { DecisionSummary, UsageTotal } from '@dramaturg/host';
import { addCall, noUsage } from '@dramaturg/host/engine';
import type { GivenDecision, GivenTask } from '../testing/test-file.ts';
import type { Chance } from './chance.ts';
import { type Decider, type HeldTask, nameOfTask } from './decider.ts';
import { deciderOf, type RuleDecider } from './rule-decider.ts';
import type { Persona } from './persona.ts';

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
