import { isRecord, type Json, type Port, type SpokenLine } from '@dramaturg/compiler';
import { usageIn } from '@dramaturg/compiler/machine';
import type { UsageTotal } from '@dramaturg/host';
import { addCall, noUsage } from '@dramaturg/host/engine';
import type { UnderstudyCue } from '@dramaturg/understudy/cues';
import { type AnswerSource, answerTo, type Asked, labelOf } from './answer.ts';
import type { Chance } from './chance.ts';
import { leadsAway, type SimulatedPerson, type Situation } from './situation.ts';
import type { Habit, Persona } from './persona.ts';
import { fillLine } from './read-persona.ts';

export interface RulePersonOptions {
  readonly persona: Persona;
  readonly chance: Chance;
  readonly compared: AnswerSource['compared'];
}

/**
 * A person that follows the rules of a persona: its words depend on the questions, and on chance.
 *
 * Owns its answers, and how often it was asked the same in a row.
 * States: talking → has said its last words → gone.
 */
export class RulePerson implements SimulatedPerson {
  readonly #persona: Persona;
  readonly #source: AnswerSource;
  /** The answers so far, by the name of the question. */
  readonly #given = new Map<string, { readonly asked: Asked; readonly answer: string }>();
  readonly #chosen = new Map<string, number>();
  #topic = '';
  #repeats = 0;
  #lastLine = '';
  #hasCorrected = false;
  #isLeaving = false;

  constructor({ persona, chance, compared }: RulePersonOptions) {
    this.#persona = persona;
    this.#source = { chance, compared, agrees: persona.agrees };
  }

  answer(situation: Situation): string | undefined {
    if (this.#isLeaving) return undefined;
    const [ask] = situation.asks;
    this.#count(`${situation.state} ${ask?.name ?? ''}`);
    const { patience, leaves } = this.#persona;
    // Several messages without a question are usual in an open conversation.
    if (this.#repeats > (ask ? patience : patience * 2)) {
      this.#isLeaving = true;
      return this.#chance.of(leaves);
    }
    if (ask) return this.#answerAsk(ask, situation);
    return this.#digression(situation.heard) ?? this.#choice(situation) ?? this.#say('otherwise');
  }

  get #chance(): Chance {
    return this.#source.chance;
  }

  #count(topic: string): void {
    this.#repeats = topic === this.#topic ? this.#repeats + 1 : 1;
    this.#topic = topic;
  }

  #answerAsk(ask: Situation['asks'][number], { asks, open }: Situation): string {
    const label = labelOf(ask.name);
    const { refuses, digresses, corrects, volunteers, phrases } = this.#persona;
    if (this.#does(refuses)) return this.#line(refuses.lines, { label });
    if (this.#does(digresses)) return this.#line(digresses.lines, { label });
    const earlier = [...this.#given.values()].filter(({ asked }) => asked.name !== ask.name);
    const mayCorrect = earlier.length > 0 && !this.#hasCorrected;
    this.#hasCorrected = mayCorrect && this.#does(corrects);
    if (this.#hasCorrected) return this.#correction(earlier);
    if (ask.unconfirmed !== undefined && this.#chance.happens(this.#persona.agrees))
      return this.#say('yes');
    const value = this.#valueFor(ask);
    const answer = this.#remember(ask, value);
    const others = [...asks.slice(1), ...open].filter(
      (each) => each.name !== ask.name && !this.#given.has(each.name) && isShort(each),
    );
    if (others.length > 0 && this.#does(volunteers)) {
      const [other] = others;
      const second = this.#remember(other!, this.#valueFor(other!));
      return this.#line(volunteers.lines, { answer, label: labelOf(other!.name), second });
    }
    // A person who was asked several times answers plainly.
    const isPlain = typeof value === 'boolean' || this.#repeats > plainFrom;
    return isPlain ? answer : this.#line(phrases, { answer, label });
  }

  #correction(earlier: readonly { readonly asked: Asked; readonly answer: string }[]): string {
    const { asked, answer: before } = this.#chance.of(earlier);
    let value = this.#valueFor(asked);
    for (let tries = 0; tries < 5 && inWords(value, this.#yesNo) === before; tries += 1)
      value = this.#valueFor(asked);
    const answer = this.#remember(asked, value);
    return this.#line(this.#persona.corrects.lines, { label: labelOf(asked.name), answer });
  }

  /** Picks one of the options that the next message decides between: the less often it was picked, the more likely. */
  #choice({ cues, state }: Situation): string | undefined {
    // Options are in the language of the definition.
    if (cues.length === 0 || this.#persona.language !== undefined) return undefined;
    const wantsOn = this.#chance.happens(this.#persona.agrees);
    const willing = cues.filter((cue) => isWayOn(cue) === wantsOn);
    const candidates = willing.length > 0 ? willing : cues;
    const countOf = ({ option }: UnderstudyCue) => this.#chosen.get(`${state} ${option}`) ?? 0;
    const least = Math.min(...candidates.map(countOf));
    const cue = this.#chance.of(candidates.filter((each) => countOf(each) === least));
    this.#chosen.set(`${state} ${cue.option}`, least + 1);
    const { phrases, otherwise } = this.#persona;
    if (isVague.test(cue.description)) return this.#line(otherwise, {});
    const whole = phrases.filter((phrase) => phrase.startsWith('{answer}'));
    const answer = inFirstPerson(cue.description);
    return this.#line(whole.length > 0 ? whole : ['{answer}'], { answer, label: '' });
  }

  #digression(heard: string): string | undefined {
    const { digresses } = this.#persona;
    if (heard === '' || !this.#does(digresses)) return undefined;
    return this.#line(digresses.lines, { label: 'answer' });
  }

  #valueFor(asked: Asked): Json {
    const { answers } = this.#persona;
    const own = Object.hasOwn(answers, asked.name) ? answers[asked.name] : undefined;
    if (own === undefined) return answerTo(asked, this.#source);
    return Array.isArray(own) && own.length > 0 ? this.#chance.of(own) : own;
  }

  #remember(asked: Asked, value: Json): string {
    const answer = inWords(value, this.#yesNo);
    this.#given.set(asked.name, { asked, answer });
    return answer;
  }

  readonly #yesNo = (agrees: boolean): string => this.#say(agrees ? 'yes' : 'no');

  #does({ chance }: Habit): boolean {
    return chance > 0 && this.#chance.happens(chance);
  }

  #say(what: 'yes' | 'no' | 'otherwise'): string {
    return this.#chance.of(this.#persona[what]);
  }

  /** One of the lines, but not the last one again. */
  #line(lines: readonly string[], values: Readonly<Record<string, string>>): string {
    const others = lines.filter((line) => line !== this.#lastLine);
    this.#lastLine = this.#chance.of(others.length > 0 ? others : lines);
    return fillLine(this.#lastLine, values);
  }
}

/** How often a question is asked in a row until its answer has no words around it. */
const plainFrom = 2;

/** Whether an answer fits into half a sentence. */
function isShort({ schema }: Asked): boolean {
  return (
    typeof schema['type'] === 'string' && !['boolean', 'array', 'object'].includes(schema['type'])
  );
}

/** An option for messages without a clear meaning. */
const isVague = /\b(?:unclear|not clear|ambiguous|nothing usable|none of the|off.?topic)\b/i;

function isWayOn({ option, description }: UnderstudyCue): boolean {
  return !leadsAway.test(`${option.replaceAll('_', ' ')} ${description}`);
}

function inWords(value: Json, yesNo: (agrees: boolean) => string): string {
  if (typeof value === 'boolean') return yesNo(value);
  if (Array.isArray(value)) return value.map((each) => inWords(each, yesNo)).join(' and ');
  if (isRecord(value))
    return Object.entries(value)
      .map(([key, each]) => `${labelOf(key)}: ${inWords(each, yesNo)}`)
      .join(', ');
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('_', ' ');
}

const people =
  'customer|user|client|caller|person|participant|patient|guest|visitor|contact|player|student|member|applicant|candidate';

const aboutPerson = new RegExp(
  `^(?:if |when |because )?(?:the |a )?(?:${people})s? (?:(?:explicitly|clearly|has already|already) )?(\\S+)(.*)$`,
  'isu',
);

const verbs: Readonly<Record<string, string>> = {
  is: 'am',
  has: 'have',
  does: 'do',
  goes: 'go',
  was: 'was',
};

/** An option in the words of the person that it is about: "The client wants to stop" is "I want to stop". */
function inFirstPerson(given: string): string {
  const description = given
    .replace(/\s*Leads to "[^"]*"\.?/u, '')
    .trim()
    .replace(/\.$/, '');
  const [, verb, rest = ''] = aboutPerson.exec(description) ?? [];
  if (verb === undefined) return description;
  const said = Object.hasOwn(verbs, verb) ? verbs[verb]! : withoutEnding(verb);
  // "Client ready to proceed"
  const isVerb = Object.hasOwn(verbs, verb) || /(?:s|ed|'t)$/u.test(verb);
  return `I ${isVerb ? '' : 'am '}${said}${rest}`
    .replaceAll(/\btheir\b/gu, 'my')
    .replace(/\.$/, '');
}

function withoutEnding(verb: string): string {
  if (!/[a-z]{2}s$/u.test(verb) || verb.endsWith('ss')) return verb;
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`;
  return /(?:sh|ch|x|z|ss)es$/u.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}

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
