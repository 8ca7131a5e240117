import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';

/** Approvals in `dramaturg run`: what is shown, and how each policy is answered in a line. */

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-answer-'));

const input = JSON.stringify({
  who: 'Maria',
  draft: { title: 'Old', pages: 3 },
  items: ['a', 'b', 'c'],
});

function definition(name: string, fields: object): string {
  const Ask = { Type: 'Approval', Prompt: 'Go on?', ResultPath: '$.r', End: true, ...fields };
  const path = join(folder, `${name}.asl.json`);
  writeFileSync(path, JSON.stringify({ StartAt: 'Ask', States: { Ask } }));
  return path;
}

const answer = (file: string, lines: readonly string[], ...more: readonly string[]) =>
  dramaturg(['run', file, '--input', input, '--no-wait', ...more], { input: lines.join('\n') });

async function recordOf(file: string, lines: readonly string[], ...more: readonly string[]) {
  const { stdout, code } = await answer(file, lines, '--json', ...more);
  expect(code).toBe(0);
  const [last] = stdout.trimEnd().split('\n').slice(-1);
  return (JSON.parse(last!) as { output: Record<string, unknown> }).output;
}

const editable = {
  Editable: { Fields: ['$.draft.title', '$.draft.pages'], ResultPath: '$.edited' },
};

test('a question shows its prompt, the fields that may change, and its terms', async () => {
  const file = definition('shown', {
    Prompt: {
      Title: 'Notes for {{$.who}}',
      'Pages.$': '$.draft.pages',
      Details: { Of: 'the book' },
    },
    ...editable,
    Policy: { Approvers: { Users: ['ana'], Roles: ['legal'] }, RequireReason: true },
  });
  const { stdout } = await answer(file, ['approve --by ana --comment fine']);
  expect(stdout).toContain(`? Notes for Maria

  Pages: 3
  Details:
    Of: the book
  $.draft.title = "Old"
  $.draft.pages = 3
  approve, reject; by ana or the role legal; with a comment; editable: $.draft.title, $.draft.pages
  answer with: OPTION --by NAME --role ROLE --comment WHY --edit FIELD=VALUE
`);
  const json = await answer(file, ['approve --by ana --comment fine'], '--json');
  const asked = json.stdout.split('\n').find((line) => line.includes('"decision.asked"'));
  expect(JSON.parse(asked!)).toMatchObject({
    details: { Title: 'Notes for Maria', Pages: 3, Details: { Of: 'the book' } },
    editable: editable.Editable.Fields,
    isExplained: true,
  });
});

test.each<[string, object, readonly string[], object]>([
  ['anyone', {}, ['approve'], { approver: 'user' }],
  ['an option of several words', { Options: ['go on', 'stop'] }, ['go on'], { approval: 'go on' }],
  [
    'such an option with a flag',
    { Options: ['go on', 'stop'] },
    ['go on --by ana'],
    { approval: 'go on', approver: 'ana' },
  ],
  ['an option with quotes', { Options: ["don't", 'do'] }, ["don't"], { approval: "don't" }],
  [
    'a user',
    { Policy: { Approvers: { Users: ['ana'] } } },
    ['approve --by ana'],
    { approver: 'ana' },
  ],
  [
    'a role',
    { Policy: { Approvers: { Roles: ['legal'] } } },
    ['approve --by bob --role legal'],
    { approver: 'bob' },
  ],
  [
    'a reason',
    { Policy: { RequireReason: true } },
    ['reject --comment "Too long, \\"sadly\\""'],
    { comment: 'Too long, "sadly"' },
  ],
  [
    'not the requestor',
    { Policy: { ExcludeRequestor: true } },
    ['approve --by dan', 'approve --by ana'],
    { approver: 'ana' },
  ],
  [
    'two people',
    { Policy: { RequiredApprovals: 2 } },
    ['approve --by ana', 'approve --by Ana', 'approve --by bob'],
    { approvals: [{ approver: 'ana' }, { approver: 'bob' }] },
  ],
  ['a batch', { ItemsPath: '$.items', BatchMode: {} }, ['approve'], { approved: ['a', 'b', 'c'] }],
  [
    'a part of a batch',
    { ItemsPath: '$.items', BatchMode: { AllowPartial: true, MinApproved: 2 } },
    ['approve --items 1', 'approve --items 0,2'],
    { approved: ['a', 'c'], rejected: ['b'] },
  ],
  [
    'data',
    { Options: ['partial'] },
    ['partial --data amount=40 --data why=late --data \'{"list": [1]}\''],
    { amount: 40, why: 'late', list: [1] },
  ],
  [
    'JSON',
    {},
    ['{"decision": "reject", "by": "ana", "data": {"x": 1}}'],
    { approval: 'reject', approver: 'ana', x: 1 },
  ],
  [
    'the names of the reference engine',
    {},
    ['{"approval": "reject", "approver": "ana"}'],
    { approval: 'reject', approver: 'ana' },
  ],
])('%s', async (name, fields, lines, r) => {
  const output = await recordOf(
    definition(name.replaceAll(/\W/g, '-'), fields),
    lines,
    '--by',
    'dan',
  );
  expect(output).toMatchObject({ r });
});

test('edits name fields by their last names, and keep their types', async () => {
  const output = await recordOf(definition('edits', editable), [
    'approve --edit title=12 --edit draft.pages=4',
  ]);
  expect(output).toMatchObject({
    edited: { title: '12', pages: 4 },
    draft: { title: 'Old', pages: 3 },
  });
});

test('a line that is not a decision says why, and the question stays open', async () => {
  const wrong = [
    '--by ana',
    'approve --frob',
    'approve --by',
    'approve --comment "open',
    'approve --comment two words',
    'approve --edit New',
    'approve --items x',
    'approve --data {x',
    'approve --data =1',
    '{"decision": 7}',
    '{not json',
    'maybe',
    'approve --edit who=Eve',
    'approve --items 0',
    'approve --data approver=eve',
  ];
  const { stdout, code } = await answer(definition('wrong', editable), [...wrong, 'approve']);
  expect(stdout.split('\n').filter((line) => line.startsWith('! '))).toEqual([
    '! The line has no option. Begin with one: approve, reject.',
    "! Unknown option '--frob'. The flags are --by, --role, --comment, --edit, --items and --data.",
    "! Option '--by <name>' argument missing. The flags are --by, --role, --comment, --edit, --items and --data.",
    `! A quote in the line is not closed. Close it, or write the other kind of quotes around it: --comment "It's fine".`,
    '! "words" does not belong to a flag. Put a text of several words in quotes: --comment "Fine with me".',
    '! --edit New names no field. Write it like this: --edit title="New title".',
    '! "x" is not the number of an item. Write it like this: --items 0,2,3; "dramaturg decisions --json" shows the items.',
    `! --data {x is not a JSON object. Write it like this: --data '{"amount": 40}'.`,
    `! --data =1 has no name. Write it like this: --data amount=40, or --data '{"amount": 40}'.`,
    '! The decision has a wrong form. decision: Invalid input: expected string, received number. Write it like this: {"decision": "approve", "by": "ana"}',
    '! The line begins like JSON and is not. Write it like this: {"decision": "approve", "by": "ana"}',
    '! "maybe" is not one of the options: approve, reject.',
    '! "who" may not be changed. Fields that may be changed: $.draft.title, $.draft.pages.',
    '! There are no items to decide on.',
    '! The data must not have a field "approver". These names are taken: approval, approver, timestamp, prompt, decision, comment, approvals, approved, rejected, approvalRate.',
  ]);
  expect(code).toBe(0);
});

test('without lines, a timeout decides, and without a timeout the run is unfinished', async () => {
  const late = await recordOf(definition('late', { Timeout: '1h', OnTimeout: 'AutoApprove' }), []);
  expect(late).toMatchObject({ r: { approver: 'system' } });
  const open = await answer(definition('open', {}), []);
  expect(open.code).toBe(5);
});

test('one of several approvals is shown', async () => {
  const file = definition('several', { Policy: { RequiredApprovals: 2 } });
  const { stdout } = await answer(file, ['approve --by ana', 'approve --by bob']);
  expect(stdout).toContain('✓ ana: approve, 1 of 2\n');
});

test('the questions of a store have the fields of their prompts', async () => {
  const store = join(folder, 'prompts');
  const Prompt = { Title: 'Look', 'Pages.$': '$.draft.pages' };
  const file = definition('prompted', { Prompt });
  await dramaturg(['start', store, file, '--id', 'one', '--input', input]);
  const listed = await dramaturg(['decisions', store]);
  expect(listed.stdout).toContain('  Look\n  Pages: 3\n');
  for (const command of [
    ['decisions', store],
    ['show', store, 'one'],
  ]) {
    const { stdout } = await dramaturg([...command, '--json']);
    const { decisions } = JSON.parse(stdout) as { decisions: object[] };
    expect(decisions).toMatchObject([{ details: { Title: 'Look', Pages: 3 } }]);
  }
});

test('a decision in a store may have data and flat edits', async () => {
  const store = join(folder, 'store');
  const file = definition('stored', editable);
  const started = await dramaturg(['start', store, file, '--id', 'one', '--input', input]);
  expect(started.code).toBe(0);
  const refused = await dramaturg(['decide', store, 'one', 'approve', '--edit', 'who=Eve']);
  expect(refused.code).toBe(6);
  const taken = await dramaturg([
    'decide',
    store,
    'one',
    'approve',
    '--edit',
    'title=12',
    '--data',
    'why=late',
    '--data',
    '{"n": 1}',
  ]);
  expect(taken.stdout).toContain('one: COMPLETED');
  const { stdout } = await dramaturg(['logs', store, 'one', '--journal', '--json']);
  const journal = stdout.replaceAll(/\s/g, '');
  expect(journal).toContain('"data":{"why":"late","n":1}');
  expect(journal).toContain('"edited":{"title":"12"}');
});
