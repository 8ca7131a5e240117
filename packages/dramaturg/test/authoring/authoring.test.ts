import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionsAt, definitionAt, hoverAt } from '@dramaturg/compiler/editor';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/known-formats.ts';

/** @param marked a text in which `|` is the cursor */
function at(fileName: string, marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const options = { formats, fileName, known: { agent: ['translator'] } };
  const offers = completionsAt(text, offset, options);
  return {
    labels: offers.map(({ label }) => label),
    /** The text after an offer is taken, with the cursor. */
    taken: (label: string) => {
      const { insert, caret, span } = offers.find((offer) => offer.label === label)!;
      const put = `${insert.slice(0, caret)}|${insert.slice(caret)}`;
      return `${text.slice(0, span.start)}${put}${text.slice(span.end)}`;
    },
    offers,
    hover: hoverAt(text, offset, options),
    definition: definitionAt(text, offset, options),
  };
}

const plan = (transition: string) => `
states:
  - id: intake
    title: Intake
    type: strict
    tasks:
      - id: ask
        deliverables:
          - key: topic
            type: enum
            description: What it is about
            enum_values: [billing, other]
    transitions:
      - ${transition}
  - id: done
    title: Done
`;

const workflow = (state: string) => `
StartAt: Each
States:
  Each:
    Type: Map
    ItemProcessor:
      StartAt: Inner
      States:
        Inner:
          Type: Pass
          Next: ${state}
  Outer:
    Type: Task
    Agent: writer
    ResultPath: $.draft
    Assign: { limit: 3 }
    End: true
  Last:
    Type: Pass
    Comment: The last one
`;

describe('names', () => {
  test('targets are the states and the words of the format', () => {
    const { offers } = at('a.plan.yaml', plan('target_state_id: |'));
    expect(offers.map(({ label, detail, description }) => [label, detail, description])).toEqual([
      ['intake', 'state, strict', 'Intake'],
      ['done', 'state', 'Done'],
      ['__end__', 'word', 'The end of the conversation.'],
      ['__human__', 'word', 'A person takes over.'],
      ['__restart__', 'word', 'Everything from the beginning.'],
    ]);
  });

  test.each([
    [
      'a.npc.yaml',
      'persona: { name: M, persona_identity_prompt: P }\nstates:\n  - { state_key: door }\ntransitions:\n  - to_state_key: |',
    ],
    [
      'a.context-graph.yaml',
      'new_user_initial_state: door\nstates:\n  - name: door\n    type: action\n    exit_conditions:\n      - next_state: |',
    ],
  ])('the same words are targets in %s', (file, text) => {
    const { offers } = at(file, text);
    expect(offers.map(({ label }) => label)).toEqual([
      'door',
      '__end__',
      '__human__',
      '__restart__',
    ]);
  });

  test('a condition names deliverables, and the values of its own', () => {
    const condition = (config: string) =>
      plan(`condition_config: ${config}`).replace(
        '- cond',
        '- target_state_id: done\n        cond',
      );
    expect(at('a.plan.yaml', condition('{ deliverable_key: | }')).labels).toEqual(['topic']);
    expect(
      at('a.plan.yaml', condition('{ deliverable_key: topic, expected_value: | }')).labels,
    ).toEqual(['billing', 'other']);
    expect(at('a.plan.yaml', condition('{ deliverable_key: topic, | }')).labels).toContain(
      'expected_value',
    );
  });

  test('the states of a branch are known in it alone', () => {
    expect(at('a.asl.yaml', workflow('|')).labels).toEqual(['Inner']);
    const outer = workflow('Inner').replace(
      'Type: Pass\n    Comment',
      'Type: Pass\n    Next: |\n    Comment',
    );
    expect(at('a.asl.yaml', outer).labels).toEqual(['Each', 'Outer', 'Last']);
  });

  test('agents are those of the surroundings and of the text', () => {
    const other = workflow('Inner').replace(
      'Type: Pass\n    Comment',
      'Type: Task\n    Agent: |\n    Comment',
    );
    expect(at('a.asl.yaml', other).labels).toEqual(['translator', 'writer']);
  });

  test('a state that is used and not declared is offered as a key', () => {
    const json = '{ "StartAt": "First", "States": { "|" } }';
    expect(at('a.asl.json', json).labels).toContain('First');
  });

  test.each([
    ['InputPath: $|', ['$', '$.draft', '$limit', '$$.Execution.Id']],
    ['Parameters: { "x.$": "States.F|" }', ['States.Format(']],
    ['QueryLanguage: JSONata\n    Output: "{% $states.in| %}"', ['$states.input', '$limit']],
  ])('expressions: %s', (field, expected) => {
    const text = workflow('Inner').replace('Comment: The last one', field);
    expect(at('a.asl.yaml', text).labels).toEqual(expect.arrayContaining(expected));
  });

  test('a word of an expression replaces what is typed of it alone', () => {
    const text = workflow('Inner').replace(
      'Comment: The last one',
      `Output: "{% 1 + $states.in| %}"`,
    );
    expect(at('a.asl.yaml', text).taken('$states.input')).toContain(
      'Output: "{% 1 + $states.input| %}"',
    );
  });

  test('in JSON, a word before the quotes of a text, or without quotes, is taken with quotes', () => {
    const json = (value: string) =>
      `{ "StartAt": "A", "States": { "A": { "Type": "Pass", "InputPath": ${value} } } }`;
    for (const value of ['|"$.draft"', '|', '$|'])
      expect(at('a.asl.json', json(value)).taken('$$.Execution.Id')).toBe(
        json('"$$.Execution.Id"|'),
      );
  });

  test('a lifecycle has words for guards, and states as keys', () => {
    const text = (row: string) =>
      `states: { A: initial, B: terminal }\ntransitions:\n  A:\n    go: { to: B, ${row} }\n`;
    expect(at('a.lifecycle.yaml', text('guard: |')).labels).toContain('current_turn');
    expect(at('a.lifecycle.yaml', `${text('id: x')}  |`).labels).toEqual(['A', 'B', '*']);
  });
});

describe('what is inserted', () => {
  test.each([
    ['a.plan.json', '{ "ti|" }', 'title', '{ "title": "|" }'],
    ['a.plan.json', '{ | "states": [] }', 'title', '{ "title": "|", "states": [] }'],
    ['a.plan.json', '{ "title": "x", sta| }', 'states', '{ "title": "x", "states": [|] }'],
    ['a.plan.json', '{ "ti|tle": "x" }', 'title', '{ "title"|: "x" }'],
    [
      'a.plan.json',
      '{ "states": [{ "goal": { "obj|',
      'objective',
      '{ "states": [{ "goal": { "objective": "|"',
    ],
    ['a.plan.yaml', 'ti|', 'title', 'title: |'],
    ['a.plan.yaml', 'title: x\n|', 'states', 'title: x\nstates:\n  - |'],
    ['a.plan.yaml', 'states:\n  - |', 'id', 'states:\n  - id: |'],
    [
      'a.plan.yaml',
      'states:\n  - id: a\n    go|',
      'goal',
      'states:\n  - id: a\n    goal:\n      |',
    ],
    ['a.plan.yaml', 'states: [{ | }]', 'tasks', 'states: [{ tasks: | }]'],
    ['a.asl.yaml', 'States:\n  A:\n    Type: |', 'Approval', 'States:\n  A:\n    Type: Approval|'],
    ['a.asl.yaml', "States:\n  A:\n    Type: 'P|a'", 'Pass', "States:\n  A:\n    Type: 'Pass'|"],
    [
      'a.asl.yaml',
      'States:\n  A:\n    Type: Pass\n    End: |',
      'true',
      'States:\n  A:\n    Type: Pass\n    End: true|',
    ],
    [
      'a.lifecycle.json',
      '{ "states": { "A": { "kind": | } } }',
      'waiting',
      '{ "states": { "A": { "kind": "waiting"| } } }',
    ],
  ])('%s: %s and %s', (fileName, marked, label, expected) => {
    expect(at(fileName, marked).taken(label)).toBe(expected);
  });

  test('a name that YAML would read as something else is put in quotes', () => {
    const marked = 'StartAt: |\nStates:\n  "yes": { Type: Succeed }\n  "a: b": { Type: Succeed }\n';
    expect(at('a.asl.yaml', marked).taken('yes')).toContain('StartAt: "yes"|\n');
    expect(at('a.asl.yaml', marked).taken('a: b')).toContain('StartAt: "a: b"|\n');
  });
});

describe('hover', () => {
  test('a field has its description and its section', () => {
    expect(at('a.plan.yaml', 'states:\n  - id: a\n    ta|sks: []\n').hover).toEqual({
      title: 'tasks',
      text: ['What is done in the state.'],
      section: 'plan.md#tasks',
      span: { start: 22, end: 27 },
    });
  });

  test('a name has its kind and its title, and leads to its declaration', () => {
    const { hover, definition } = at('a.plan.yaml', plan('target_state_id: int|ake'));
    expect(hover).toMatchObject({ title: 'state intake: strict', text: ['Intake'] });
    expect(definition).toMatchObject({ start: { line: 3, column: 9 } });
    expect(
      at('a.plan.yaml', plan('condition_config: { deliverable_key: to|pic }')).hover,
    ).toMatchObject({
      title: 'deliverable topic: enum',
      text: ['What it is about'],
    });
    expect(at('a.plan.yaml', plan('target_state_id: __en|d__')).hover?.text).toEqual([
      'The end of the conversation.',
    ]);
  });

  test('nothing is said of prose and comments', () => {
    expect(at('a.plan.yaml', 'title: x # com|ment\n').hover).toBeUndefined();
    expect(at('a.plan.json', '{ /* com|ment */ }').labels).toEqual([]);
    expect(at('a.plan.yaml', 'system_prompt: |\n').labels).toEqual([]);
  });
});

test('a text that may be of any format gets the fields of all', () => {
  const offers = completionsAt('', 0, { formats });
  expect(offers.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['StartAt', 'persona', 'new_user_initial_state', 'policies']),
  );
  expect(completionsAt('', 0, { formats, format: 'npc' }).map(({ label }) => label)).toContain(
    'machines',
  );
});

test.each(formats)('every section that $name names is on its page', ({ authoring }) => {
  const folder = join(import.meta.dirname, '../../../../docs/formats');
  const anchors = new Map<string, readonly string[]>();
  for (const section of Object.values(authoring!.sections)) {
    const [page, anchor] = section.split('#');
    const known =
      anchors.get(page!) ??
      Array.from(readFileSync(join(folder, page!), 'utf8').matchAll(/^#+ (.*)$/gm), ([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(/\s/g, '-'),
      );
    anchors.set(page!, known);
    expect(known).toContain(anchor);
  }
});
