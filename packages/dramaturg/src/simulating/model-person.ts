import type { Port, SpokenLine } from '@dramaturg/compiler';
import { usageIn } from '@dramaturg/compiler/machine';
import type { UsageTotal } from '@dramaturg/host';
import { addCall, noUsage } from '@dramaturg/host/engine';
import type { Persona } from './persona.ts';
import type { SimulatedPerson, Situation } from './situation.ts';

/** The text of a model when its person leaves. */
const goodbye = '[leaves]';

/** A person whom a model plays, by the description of a persona. It sees the conversation from the other side. */
export class ModelPerson implements SimulatedPerson {
  readonly #persona: Persona;
  readonly #reply: Port<'reply'>;
  readonly #id: string;
  readonly #spoken: SpokenLine[] = [];
  #heard = 0;
  used: UsageTotal = noUsage;

  constructor(persona: Persona, reply: Port<'reply'>, id: string) {
    this.#persona = persona;
    this.#reply = reply;
    this.#id = id;
  }

  /** @throws PortError when the model cannot be asked */
  async answer({ messages }: Situation): Promise<string | undefined> {
    const added = messages.slice(this.#heard).map((text) => ({ role: 'contact', text }) as const);
    this.#heard = messages.length;
    this.#spoken.push(...added);
    const message = this.#spoken.at(-1)?.text;
    const length = this.#spoken.length;
    const answer = await this.#reply(
      {
        key: `person/${this.#id}/${length}`,
        transcript: { conversation: this.#id, length },
        ...(message === undefined ? {} : { message }),
        prompt: [
          { title: 'Who you are', text: this.#persona.description, constant: true },
          { title: 'What you do', text: this.#instructions(), constant: true },
        ],
        asks: [],
        directions: [],
        tools: [],
      },
      {
        signal: AbortSignal.timeout(timeout),
        onText: () => {},
        transcript: async (last) => this.#spoken.slice(-last),
      },
    );
    this.used = addCall(this.used, { time: 0, usage: usageIn({ output: answer }) });
    const text = answer.text.trim();
    if (text === '' || text.includes(goodbye)) return undefined;
    this.#spoken.push({ role: 'agent', text });
    return text;
  }

  #instructions(): string {
    const { name, answers, language } = this.#persona;
    const facts = Object.entries(answers).map(
      ([key, value]) => `- ${key}: ${JSON.stringify(value)}`,
    );
    return [
      `You play a person (${name}) who writes to a service. The other side is the service. Stay in this role in every message.`,
      'Write the next message of this person and nothing else: no quotes, no stage directions, no help for the service.',
      ...(facts.length > 0 ? ['These facts about you are true:', ...facts] : []),
      ...(language === undefined ? [] : [`You write in the language "${language}" only.`]),
      'Invent other facts as you need them, and keep to them.',
      `When this person would leave, write only ${goodbye}.`,
    ].join('\n');
  }
}

/** Milliseconds for a line of the person. */
const timeout = 120_000;
