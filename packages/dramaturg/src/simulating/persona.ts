import type { Json } from '@dramaturg/compiler';
import * as z from 'zod';

/**
 * The shape of a persona: how a simulated person answers. The built-in ones and those of authors have the same form.
 * Spec: docs/personas.md#a-persona-of-your-own
 */

const lines = z.array(z.string().min(1)).min(1);

/** A habit that sometimes replaces a plain answer: how often, from 0 to 1, and in which words. */
const habit = z.object({ chance: z.number().min(0).max(1), lines: lines.optional() });

/** How often a person is away before it answers, and for how long. */
const absence = z.object({ chance: z.number().min(0).max(1), for: lines });

const json = z.custom<Json>((value) => value !== undefined && value !== null);

export const personaShape = z.object({
  description: z.string().min(1),
  /** A built-in persona for all fields that this one leaves out. */
  like: z.string().optional(),
  /** The language of the person, such as "es", where it is not that of the definition. */
  language: z.string().min(2).optional(),
  /** The person's answers, by the names of fields; from a list, one answer is chosen. */
  answers: z.record(z.string(), json).optional(),
  /** The words around an answer. */
  phrases: lines.optional(),
  yes: lines.optional(),
  no: lines.optional(),
  /** The lines of the person when nothing is asked. */
  otherwise: lines.optional(),
  /** How often the person agrees, approves, and chooses the way forward. From 0 to 1. */
  agrees: z.number().min(0).max(1).optional(),
  /** Says something else. */
  digresses: habit.optional(),
  refuses: habit.optional(),
  /** Corrects an earlier answer. */
  corrects: habit.optional(),
  /** Answers another open question as well. */
  volunteers: habit.optional(),
  /** Writes a second message immediately. Has an effect only where time passes. */
  repeats: habit.optional(),
  /** Is away: durations such as "3 days", or "forever". Has an effect only where time passes. */
  absent: absence.optional(),
  /** How often one question may be asked in a row until the person leaves. */
  patience: z.int().min(1).max(100).optional(),
  /** The last words before leaving. */
  leaves: lines.optional(),
});

export type PersonaFile = z.infer<typeof personaShape>;

export const personaFields: readonly string[] = Object.keys(personaShape.shape);
export const habitFields: readonly string[] = Object.keys(habit.shape);
export const absenceFields: readonly string[] = Object.keys(absence.shape);
export const habits = ['digresses', 'refuses', 'corrects', 'volunteers', 'repeats'] as const;

export interface Habit {
  readonly chance: number;
  readonly lines: readonly string[];
}

/** The duration of an absence without an end. */
export const forever = 'forever';

/** How a simulated person behaves. The fields are those of its file. */
export interface Persona extends Readonly<Record<(typeof habits)[number], Habit>> {
  readonly name: string;
  readonly description: string;
  readonly language?: string;
  readonly answers: Readonly<Record<string, Json>>;
  readonly phrases: readonly string[];
  readonly yes: readonly string[];
  readonly no: readonly string[];
  readonly otherwise: readonly string[];
  readonly agrees: number;
  readonly absent: { readonly chance: number; readonly for: readonly string[] };
  readonly patience: number;
  readonly leaves: readonly string[];
}

const cooperative: Persona = {
  name: 'cooperative',
  description: 'Wants to get it done: answers each question, politely and in few words.',
  answers: {},
  phrases: ['{answer}', "It's {answer}.", '{answer}, thanks.'],
  yes: ['Yes', 'Yes, please', 'Yes, that is right'],
  no: ['No', 'No, thank you'],
  otherwise: ['All right.', 'OK, go on.', 'Thank you.'],
  agrees: 0.9,
  digresses: { chance: 0, lines: ['One moment, please.'] },
  refuses: { chance: 0, lines: ["I'd rather not say."] },
  corrects: { chance: 0, lines: ['Sorry, my {label} is {answer}.'] },
  volunteers: { chance: 0, lines: ['{answer}, and my {label} is {second}'] },
  repeats: { chance: 0, lines: ['Hello?', 'Are you still there?'] },
  absent: { chance: 0, for: ['forever'] },
  patience: 6,
  leaves: ["I'm sorry, I have to go."],
};

/** The built-in personas, by name. Fields that are absent here are as in the cooperative persona. */
const others: Readonly<Record<string, PersonaFile>> = {
  terse: {
    description: 'Answers with single words and never says more than it has to.',
    phrases: ['{answer}'],
    yes: ['y', 'yep', 'ok', 'yes'],
    no: ['n', 'nope', 'no'],
    otherwise: ['ok', 'k', '?'],
    refuses: { chance: 0.1, lines: ['skip', 'no idea'] },
    patience: 4,
    leaves: ['bye'],
  },
  confused: {
    description: 'Does not understand what is asked, asks back, and answers beside the question.',
    phrases: ['Um, {answer}, I think', '{answer}?', '{answer}, or not?', 'Maybe {answer}'],
    yes: ['I think so, yes', 'Yes... I guess'],
    no: ['No? I am not sure', "I don't think so"],
    otherwise: ['Sorry, what should I do now?', 'Is that all?', "I'm a bit lost."],
    agrees: 0.6,
    digresses: {
      chance: 0.4,
      lines: [
        'Sorry, what do you mean by {label}?',
        'Where do I find my {label}?',
        'My neighbour did this last year, you know.',
        'Is this about the letter that I got?',
        'Hm. Can you say that in other words?',
      ],
    },
    refuses: { chance: 0.15, lines: ["I don't know.", "I'm not sure.", 'No idea, sorry.'] },
    corrects: { chance: 0.1, lines: ['Oh wait, I mixed that up: my {label} is {answer}.'] },
    leaves: ["I don't understand this. I'll ask my son."],
  },
  hostile: {
    description: 'Is angry, distrusts every question, refuses answers, and leaves soon.',
    phrases: [
      '{answer}. Happy now?',
      'How often do I have to say it: {answer}',
      "{answer}. That's all you get.",
      '{answer}',
    ],
    yes: ['Yes, obviously.', 'Yes. Now hurry up.'],
    no: ['No!', 'Certainly not.'],
    otherwise: ['Get on with it.', 'And?', 'What now?'],
    agrees: 0.25,
    digresses: {
      chance: 0.35,
      lines: [
        'Why do you need my {label}? This is ridiculous.',
        'I have been waiting for an hour. You are useless.',
        'You asked me that already!',
        'I want to talk to a human.',
        'Your company is a joke.',
      ],
    },
    refuses: {
      chance: 0.25,
      lines: ["I'm not telling you.", "That's none of your business.", 'No comment.'],
    },
    patience: 3,
    leaves: ["Forget it. I'm done with you.", 'I will go to another company. Goodbye.'],
  },
  'changes-mind': {
    description: 'Answers, and then corrects what it has said before.',
    agrees: 0.5,
    corrects: {
      chance: 0.5,
      lines: [
        'Wait, my {label} is {answer}.',
        'Actually, I made a mistake: my {label} is {answer}.',
        'Sorry, the {label} should be {answer}.',
      ],
    },
  },
  'two-at-once': {
    description: 'Answers the question and one more that was not asked yet.',
    volunteers: {
      chance: 1,
      lines: [
        '{answer}, and my {label} is {second}',
        '{answer}. And my {label} is {second}.',
        '{answer}; {label}: {second}',
      ],
    },
  },
  spanish: {
    description: 'Speaks Spanish only, whatever the language of the question.',
    language: 'es',
    phrases: ['{answer}', 'Es {answer}.', '{answer}, gracias.', 'Creo que {answer}'],
    yes: ['Sí', 'Sí, claro', 'De acuerdo'],
    no: ['No', 'No, gracias'],
    otherwise: ['Vale.', 'De acuerdo, siga.', '¿Habla usted español?'],
    digresses: { chance: 0.15, lines: ['Perdone, no entiendo. ¿Habla español?'] },
    refuses: { chance: 0, lines: ['Prefiero no decirlo.'] },
    corrects: { chance: 0, lines: ['Perdón, es {answer}.'] },
    volunteers: { chance: 0, lines: ['{answer}; {label}: {second}'] },
    leaves: ['Lo siento, no entiendo nada. Adiós.'],
  },
  late: {
    description: 'Answers after minutes, hours or days.',
    absent: { chance: 0.6, for: ['20 minutes', '90 minutes', '1 day', '3 days'] },
  },
  absent: {
    description: 'Stops answering and does not come back.',
    absent: { chance: 0.4, for: ['forever'] },
  },
  impatient: {
    description: 'Writes a second message before the first one is answered.',
    repeats: { chance: 0.6, lines: ['Hello?', 'Are you still there?', 'I am waiting.'] },
  },
};

export const personas: Readonly<Record<string, Persona>> = {
  cooperative,
  ...Object.fromEntries(
    Object.entries(others).map(([name, given]) => [name, personaOf(name, given)]),
  ),
};

/** Built-in personas that differ from the others only when time passes between messages. */
const timed: readonly string[] = ['late', 'absent', 'impatient'];

/** The names of the usual personas. @param passesTime whether time passes between the messages */
export function usualCast(passesTime: boolean): readonly string[] {
  return Object.keys(personas).filter((name) => passesTime || !timed.includes(name));
}

/** A persona from its file. Fields that the file leaves out come from the persona in `like`, else from the cooperative one. */
export function personaOf(name: string, { like, ...given }: PersonaFile): Persona {
  const base = like === undefined ? cooperative : personas[like]!;
  const own = Object.fromEntries(habits.map((each) => [each, { ...base[each], ...given[each] }]));
  return { ...base, ...given, ...own, name } as Persona;
}
