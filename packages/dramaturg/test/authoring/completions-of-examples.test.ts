import type { Path } from '@dramaturg/compiler';
import { type Completion, completionsAt, definitionAt, hoverAt } from '@dramaturg/compiler/editor';
import { valueAt } from '@dramaturg/compiler/format';
import { expect, test } from 'vitest';
import { formats } from '../../src/known-formats.ts';
import { Random } from '../mutations/random.ts';
import { type Example, examples, fieldsOf, kindsOfPlaces } from './examples.ts';
import { runsAll, sampled } from '../../../../.config/scaled.ts';

/** The service against every definition of the project: what stands somewhere has to be offered there. */

function offersAt({ format, language }: Example, text: string, offset: number) {
  return completionsAt(text, offset, { formats, format, fileName: `any.${language}` });
}

function labels(completions: readonly Completion[]): readonly string[] {
  return completions.map(({ label }) => label);
}

/** The offset behind the quote of a key or value, if it has one. */
function startOf({ source, text }: Example, path: Path, part: 'key' | 'value'): number {
  const { offset } = source.locate(path, part).start;
  return /["']/.test(text[offset] ?? '') ? offset + 1 : offset;
}

/** The patterns of places, in other words than those of the compiler. */
function fits(path: Path, pattern: Path): boolean {
  const text = path.map((step) => (typeof step === 'number' ? `#${step}` : step)).join('/');
  const steps = pattern.map((step) =>
    step === '**'
      ? '(?:.*)'
      : step === '*'
        ? '[^/#]+'
        : step === '#'
          ? '#\\d+'
          : typeof step === 'number'
            ? `#${step}`
            : step.replace('$', '\\$'),
  );
  return new RegExp(`^${steps.join('/').replace('(?:.*)/', '(?:.*/)?')}$`).test(text);
}

/** Data, names of parts and older spellings that are written like a field. */
const noField = [
  /\b(?:Parameters|Arguments|Input|Output|Assign|Result|ResultSelector|ItemSelector|Schema|Metadata|Override)\./,
  /\b(?:States|WeightedProgress)\.[^.]*$/,
  /\bdeliverables\.\d+\.(?:id|value)$/,
  /\b(?:condition_config|config)\.key$/,
  /\bconditions\.\d+\.(?:type|config)$/,
  /\bactions\.\d+\.filler_hint$/,
  // The fields of a persona without an object of its own.
  /^(?:name|persona_identity_prompt)$/,
];

/** Parts of definitions, such as one state, look like another part while they are begun. */
const whole = examples.filter(({ text }) => /\b(?:states|machines|scenarios)"?:/i.test(text));

test('every field is offered where it stands, and at the end of a text that stops there', () => {
  const seen = new Set<string>();
  const missing = new Set<string>();
  let places = 0;
  let candidates = 0;
  for (const example of whole) {
    const fields = fieldsOf(example.format);
    for (const path of kindsOfPlaces(example, seen)) {
      const field = path.at(-1)!;
      const place = path.join('.');
      if (typeof field !== 'string' || !fields.has(field)) continue;
      if (noField.some((pattern) => pattern.test(place))) continue;
      candidates += 1;
      if (!runsAll && candidates % 9 !== 0) continue;
      const { text } = example;
      const { offset } = example.source.locate(path, 'key').start;
      const inside = startOf(example, path, 'key') + (places % 2);
      places += 1;
      const found = [
        offersAt(example, text, inside),
        places % 2 === 0
          ? offersAt(example, text.slice(0, inside), inside)
          : offersAt(example, text.slice(0, offset), offset),
      ];
      found.forEach((completions, index) => {
        if (!labels(completions).includes(field))
          missing.add(`${example.format} ${example.language} ${place} (${index})`);
      });
    }
  }
  expect([...missing]).toEqual([]);
  expect(candidates).toBeGreaterThan(300);
});

test('every name is offered where it is used, and leads to its declaration', () => {
  const seen = new Set<string>();
  const missing: string[] = [];
  const nouns = new Set<string>();
  for (const example of examples) {
    const { authoring } = formats.find(({ name }) => name === example.format)!;
    for (const path of kindsOfPlaces(example, seen)) {
      const name = valueAt(example.source.value, path);
      const [reference] = authoring!.references.filter(
        ({ at, part }) => part === undefined && fits(path, at),
      );
      if (typeof name !== 'string' || !reference || reference.words?.[name] !== undefined) continue;
      const isDeclared = authoring!.declarations.some(({ noun }) => noun === reference.noun);
      if (!isDeclared) continue;
      nouns.add(`${example.format} ${reference.noun}`);
      const offset = startOf(example, path, 'value');
      const { text, format, language } = example;
      const options = { formats, format, fileName: `any.${language}` };
      const place = `${format} ${language} ${path.join('.')}: ${name}`;
      if (!labels(offersAt(example, text, offset)).includes(name)) missing.push(place);
      const range = definitionAt(text, offset, options);
      const declared = range && text.slice(range.start.offset, range.end.offset);
      if (declared?.replaceAll('"', '') !== name) missing.push(`${place}: ${declared}`);
      if (!hoverAt(text, offset, options)?.title.includes(name)) missing.push(`${place}: no hover`);
    }
  }
  expect(missing).toEqual([]);
  expect([...nouns].toSorted()).toEqual([
    'asl state',
    'asl template',
    'asl tool category',
    'context-graph state',
    'lifecycle state',
    'npc scenario',
    'npc state',
    'plan deliverable',
    'plan state',
    'plan task',
  ]);
});

test('completion does not fail in a text that ends anywhere or lacks anything', () => {
  const random = new Random(23);
  for (const example of sampled(examples)) {
    const { text } = example;
    for (let count = 0; count < 2; count += 1) {
      const [from, to] = [random.below(text.length), random.below(text.length)].toSorted(
        (a, b) => a - b,
      );
      const broken = random.isOneIn(2) ? text.slice(0, to) : text.slice(0, from) + text.slice(to);
      const offset = random.below(broken.length + 1);
      const options = { formats, fileName: `any.${example.language}` };
      for (const completion of completionsAt(broken, offset, options)) {
        expect(completion.span.start).toBeLessThanOrEqual(offset);
        expect(completion.span.end).toBeGreaterThanOrEqual(offset);
      }
      hoverAt(broken, offset, options);
      definitionAt(broken, offset, options);
    }
  }
});
