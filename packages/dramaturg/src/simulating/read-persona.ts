import { basename } from 'node:path';
import { type Diagnostic, hasErrors, isRecord, type Path, type Source } from '@dramaturg/compiler';
import { problem, read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import { readDuration } from '../testing/test-file.ts';
import {
  absenceFields,
  forever,
  habitFields,
  habits,
  type Persona,
  personaFields,
  personaOf,
  personas,
  personaShape,
} from './persona.ts';

export interface ReadPersona {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  /** Present unless one of the diagnostics is an error. */
  readonly persona?: Persona;
}

/** Reads the file of a persona. All its mistakes are in the diagnostics, each with its position. */
export function readPersona(text: string, fileName: string): ReadPersona {
  const source = read(text, { fileName });
  const reporter = new Reporter(source);
  if (source.value !== undefined)
    reporter.run(() => {
      checkShape(source.value, personaShape, reporter.reportShape);
      checkRules(source.value, reporter);
    });
  const diagnostics = reporter.sorted();
  if (hasErrors(diagnostics)) return { source, diagnostics };
  const persona = personaOf(personaName(fileName), personaShape.parse(source.value));
  return { source, diagnostics, persona };
}

/** `flows/shy.persona.yaml` is the persona "shy". */
export function personaName(file: string): string {
  const [name = 'persona'] = basename(file).split('.');
  return name.replaceAll(/[^\w-]/g, '-');
}

/** Checks the rules that the shape cannot express. Parts of a wrong shape are skipped: they are reported already. */
function checkRules(value: unknown, reporter: Reporter): void {
  if (!isRecord(value)) return;
  knowsFields(value, 'A persona', personaFields, [], reporter);
  const { like, phrases } = value;
  const known = Object.keys(personas);
  if (typeof like === 'string' && !known.includes(like))
    reporter.report(unknownBase(like, known), ['like']);
  for (const habit of habits) {
    const given = value[habit];
    if (isRecord(given)) knowsFields(given, `"${habit}"`, habitFields, [habit], reporter);
  }
  checkAbsence(value['absent'], reporter);
  checkLines(value, [], reporter);
  if (isListOfTexts(phrases) && !phrases.some((line) => line.includes('{answer}')))
    reporter.report(answerUnsaid('phrases'), ['phrases']);
}

function checkAbsence(absent: unknown, reporter: Reporter): void {
  if (!isRecord(absent)) return;
  knowsFields(absent, '"absent"', absenceFields, ['absent'], reporter);
  const { for: times } = absent;
  if (!isListOfTexts(times)) return;
  for (const [index, text] of times.entries())
    if (text !== forever && readDuration(text) === undefined)
      reporter.report(unknownAbsence(text), ['absent', 'for', index]);
}

/** Checks the lines of the persona and of its habits. Braces in an answer are plain text. */
function checkLines(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  reporter: Reporter,
): void {
  for (const [field, inner] of Object.entries(value)) {
    if (field === 'answers') continue;
    const place = [...path, field];
    if (isRecord(inner)) checkLines(inner, place, reporter);
    if (!isListOfTexts(inner)) continue;
    for (const [index, line] of inner.entries())
      for (const name of unknownPlaceholders(line))
        reporter.report(unknownPlaceholder(name, placeholders), [...place, index]);
  }
}

function knowsFields(
  value: Readonly<Record<string, unknown>>,
  what: string,
  known: readonly string[],
  path: Path,
  reporter: Reporter,
): void {
  for (const field of Object.keys(value))
    if (!known.includes(field))
      reporter.report(unknownField(field, what, known), [...path, field], { at: 'key' });
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** The placeholders of a persona's lines. */
const placeholders: readonly string[] = ['answer', 'label', 'second'];

const placeholder = /\{(\w+)\}/g;

/** Puts values into a line. Writes the end of a sentence only once. */
export function fillLine(line: string, values: Readonly<Record<string, string>>): string {
  return line
    .replaceAll(placeholder, (whole, name: string) =>
      Object.hasOwn(values, name) ? values[name]! : whole,
    )
    .replaceAll(/([.!?])\.(?!\.)/g, '$1')
    .replaceAll(/[.!]([,;])/g, '$1')
    .trim();
}

/** Names in braces that are not placeholders. */
function unknownPlaceholders(line: string): readonly string[] {
  return [...line.matchAll(placeholder)].flatMap(([, name = '']) =>
    placeholders.includes(name) ? [] : [name],
  );
}

/** Mistakes in the file of a persona. Spec: docs/personas.md#a-persona-of-your-own */

const unknownField = problem(
  'persona/unknown-field',
  'error',
  (field: string, what: string, known: readonly string[]) => ({
    message: `${what} has no field "${field}".`,
    hint: didYouMean(field, known) ?? `The fields are ${quotedList(known)}.`,
  }),
);

const unknownBase = problem(
  'persona/unknown-base',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no built-in persona "${name}".`,
    hint: didYouMean(name, known) ?? `The built-in personas are ${quotedList(known)}.`,
  }),
);

const unknownPlaceholder = problem(
  'persona/unknown-placeholder',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `"{${name}}" is not a placeholder, so the person would say it.`,
    hint: didYouMean(name, known) ?? `The placeholders are ${quotedList(known)}, in braces.`,
  }),
);

const unknownAbsence = problem('persona/unknown-absence', 'error', (text: string) => ({
  message: `"${text}" is not a duration.`,
  hint: 'Write one such as "3 days" or "1 hour 30 minutes", or "forever".',
}));

const answerUnsaid = problem('persona/answer-unsaid', 'error', (field: string) => ({
  message: `No line of "${field}" has "{answer}", so the person could never answer.`,
  hint: 'Add a line that is the answer alone: "{answer}".',
}));
