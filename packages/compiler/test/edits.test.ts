import type { Json } from '@dramaturg/compiler';
import { editedFields, fieldAt, readDecision, readEdits } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';

const data = { draft: { title: 'Spring', pages: 12, tags: ['a', 'b'] }, title: 'old', note: 'n' };
const editable = ['$.draft.title', '$.draft.pages', "$['draft']['tags']", '$.items[0]'];
const question = { data, editable };

test.each<[string, readonly (readonly [string, string])[], unknown]>([
  ['a text stays a text', [['draft.title', '12']], { 'draft.title': '12' }],
  ['also under its last name', [['title', '12']], { title: '12' }],
  ['what is not a text is JSON', [['$.draft.pages', '14']], { '$.draft.pages': 14 }],
  ['or a text after all', [['pages', 'many']], { pages: 'many' }],
  [
    'several fields',
    [
      ['title', 'Summer'],
      ['tags', '["c"]'],
    ],
    { title: 'Summer', tags: ['c'] },
  ],
  ['a field that does not exist yet', [['draft.author', 'Ana']], { 'draft.author': 'Ana' }],
])('%s', (_, edits, edited) => {
  expect(editedFields(question, edits)).toEqual(edited);
});

test.each<[Json, Json]>([
  [{ title: 'New' }, { '$.draft.title': 'New' }],
  [{ '$.draft.title': 'New' }, { '$.draft.title': 'New' }],
  [
    { 'draft.title': 'New', pages: 3 },
    { '$.draft.title': 'New', '$.draft.pages': 3 },
  ],
  [{ draft: { title: 'New' } }, { '$.draft.title': 'New' }],
  [
    { draft: { ...data.draft, title: 'New' }, note: 'n' },
    { '$.draft.title': 'New', '$.draft.pages': 12, "$['draft']['tags']": ['a', 'b'] },
  ],
  [{ tags: ['c'] }, { "$['draft']['tags']": ['c'] }],
  [{ 'items[0]': 'x' }, { '$.items[0]': 'x' }],
  [{ items: ['x'] }, { '$.items[0]': 'x' }],
  [{ title: { en: 'New' } }, { '$.draft.title': { en: 'New' } }],
  [{}, {}],
])('%j edits the fields of %j', (edited, edits) => {
  expect(readEdits(question, edited)).toEqual({ edits });
});

test.each<[Json, string]>([
  [{ titel: 'New' }, '"titel" may not be changed. Fields that may be changed: $.draft.title,'],
  [{ title: 'New', note: 'other' }, '"note" may not be changed.'],
  [{ draft: { author: 'Ana' } }, '"draft.author" may not be changed.'],
  [{ draft: 'all' }, '"draft" may not be changed.'],
  [{ 0: 'x' }, '"0" may not be changed.'],
  ['New', '"edited" must be an object.'],
  [null, '"edited" must be an object.'],
  [['New'], '"edited" must be an object.'],
])('%j is refused', (edited, because) => {
  expect(readEdits(question, edited)).toEqual({ refused: expect.stringContaining(because) });
});

test('a last name that two fields have needs the whole path', () => {
  const two = { data: {}, editable: ['$.a.title', '$.b.title'] };
  expect(readEdits(two, { title: 'New' })).toEqual({
    refused: '"title" may be $.a.title or $.b.title: give the whole path.',
  });
  expect(readEdits(two, { 'b.title': 'New' })).toEqual({ edits: { '$.b.title': 'New' } });
  expect(readEdits(two, { a: { title: 'New' } })).toEqual({ edits: { '$.a.title': 'New' } });
});

test('a field that holds an object of its own name is nested or flat', () => {
  const same = { data: { email: { email: 'x' } }, editable: ['$.email.email'] };
  expect(readEdits(same, { email: 'y' })).toEqual({ edits: { '$.email.email': 'y' } });
  expect(readEdits(same, { email: { email: 'y' } })).toEqual({ edits: { '$.email.email': 'y' } });
});

test('everything may be editable, or nothing', () => {
  expect(readEdits({ data, editable: ['$'] }, { any: 1 })).toEqual({ edits: { $: { any: 1 } } });
  expect(readEdits({ data }, { any: 1 })).toEqual({
    refused: '"any" may not be changed. Fields that may be changed: none.',
  });
});

test('names of fields reach only data', () => {
  const edited = JSON.parse('{"__proto__": {"polluted": 1}}') as Json;
  expect(readEdits(question, edited)).toHaveProperty('refused');
  expect(readEdits({ data, editable: ['$.__proto__'] }, edited)).toHaveProperty('edits');
  expect(Object.keys(editedFields(question, [['__proto__', 'yes']]) as object)).toEqual([
    '__proto__',
  ]);
  expect('polluted' in {}).toBe(false);
  expect(fieldAt(data, '__proto__.toString')).toBeUndefined();
  expect(fieldAt(data, 'draft.tags[1]')).toBe('b');
  expect(fieldAt(undefined, 'draft')).toBeUndefined();
});

test('a decision may have the names of the reference engine', () => {
  const theirs = {
    approval: 'approve',
    approver: 'ana',
    comment: 'ok',
    edited_content: { title: 'T' },
  };
  const ours = { decision: 'approve', by: 'ana', comment: 'ok', edited: { title: 'T' } };
  expect(readDecision(theirs)).toEqual(ours);
  expect(readDecision({ ...theirs, ...ours, by: 'bob' })).toEqual({ ...ours, by: 'bob' });
  expect(readDecision({ approver: 'ana' })).toContain('The decision has a wrong form.');
});
