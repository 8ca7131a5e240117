import { editedFields, fieldAt } from '@dramaturg/compiler';
import { expect, test } from 'vitest';

const data = { draft: { title: 'Spring', pages: 12, tags: ['a', 'b'] } };

test.each<[string, readonly (readonly [string, string])[], unknown]>([
  ['a text stays a text', [['draft.title', '12']], { draft: { title: '12' } }],
  ['what is no text is JSON', [['$.draft.pages', '14']], { draft: { pages: 14 } }],
  ['or a text after all', [['$.draft.pages', 'many']], { draft: { pages: 'many' } }],
  [
    'fields of one object stay together',
    [
      ['draft.title', 'Summer'],
      ['draft.tags', '["c"]'],
    ],
    { draft: { title: 'Summer', tags: ['c'] } },
  ],
  ['a field that is not there yet', [['draft.author', 'Ana']], { draft: { author: 'Ana' } }],
  ['a path without steps names nothing', [['$', '{}']], {}],
])('%s', (_, edits, edited) => {
  expect(editedFields(data, edits)).toEqual(edited);
});

test('no name of a field reaches what is not of the data', () => {
  const edited = editedFields(data, [['__proto__.polluted', 'yes']]);
  expect(Object.keys(edited as object)).toEqual(['__proto__']);
  expect('polluted' in {}).toBe(false);
  expect(fieldAt(data, '__proto__.toString')).toBeUndefined();
  expect(fieldAt(data, 'draft.tags[1]')).toBe('b');
  expect(fieldAt(undefined, 'draft')).toBeUndefined();
});
