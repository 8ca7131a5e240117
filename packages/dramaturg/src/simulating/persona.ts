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
