import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { personas } from '../../src/simulating/persona.ts';
import { personaName, readPersona } from '../../src/simulating/read-persona.ts';

/** The findings of a persona: line, column and sentence. */
function findings(text: string): readonly string[] {
  return readPersona(text, 'shy.persona.yaml').diagnostics.map(
    ({ code, range: { start } }) => `${start.line}:${start.column} ${code}`,
  );
}

test('a persona has what its file says, and the rest from the one that it is like', () => {
  const { persona, diagnostics } = readPersona(
    [
      'description: A customer in a hurry.',
      'like: hostile',
      'patience: 9',
      'answers: { customer_name: [Ada, Sam] }',
      'digresses: { chance: 0.9 }',
    ].join('\n'),
    'flows/hurried.persona.yaml',
  );
  expect(diagnostics).toEqual([]);
  expect(persona).toEqual({
    ...personas['hostile'],
    name: 'hurried',
    description: 'A customer in a hurry.',
    patience: 9,
    answers: { customer_name: ['Ada', 'Sam'] },
    digresses: { chance: 0.9, lines: personas['hostile']!.digresses.lines },
  });
});

test.each([
  ['description: x\nmood: bad\n', '2:1 persona/unknown-field'],
  ['description: x\nrefuses: { chance: 1, often: true }\n', '2:23 persona/unknown-field'],
  ['description: x\nlike: hostille\n', '2:7 persona/unknown-base'],
  ['description: x\nphrases: ["{answer} {lable}"]\n', '2:11 persona/unknown-placeholder'],
  [
    'description: x\ncorrects:\n  chance: 0.5\n  lines:\n    - "No, {value}"\n',
    '5:7 persona/unknown-placeholder',
  ],
  ['description: x\nabsent: { chance: 1, for: [1 day, soon] }\n', '2:35 persona/unknown-absence'],
  ['description: x\nabsent: { chance: 1, for: [forever], at: 1 }\n', '2:38 persona/unknown-field'],
  ['description: x\nphrases: [Hello]\n', '2:10 persona/answer-unsaid'],
])('%j is a mistake at its place: %s', (text, finding) => {
  expect(findings(text)).toContain(finding);
});

test('a wrong shape is reported where it is, and nothing is read', () => {
  const read = readPersona('description: x\nrefuses: { chance: 3 }\n', 'shy.persona.yaml');
  expect(read.persona).toBeUndefined();
  expect(read.diagnostics.map(({ range }) => range.start.line)).toEqual([2]);
});

test('answers have the names that definitions have', () => {
  const text = '{ "description": "x", "answers": { "constructor": "{b}" } }';
  const { diagnostics, persona } = readPersona(text, 'odd.persona.json');
  expect(diagnostics).toEqual([]);
  expect(persona?.answers).toEqual({ constructor: '{b}' });
});

test('the name of a persona is that of its file, in letters that files may have', () => {
  expect(personaName('flows/my persona.persona.yaml')).toBe('my-persona');
});

test('the persona of the docs has no mistakes', async () => {
  const page = await readFile(new URL('../../../../docs/personas.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml file=hurried.persona.yaml\n([^]*?)```/.exec(page) ?? [];
  expect(text).toContain('like: hostile');
  expect(findings(text)).toEqual([]);
});
