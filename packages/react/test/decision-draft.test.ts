import { whyRefused } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import type { Question } from '../src/index.ts';
import { decisionOf, emptyDraft, textAt } from '../src/conversation/decision-form.tsx';

const question: Question = {
  key: 'q',
  prompt: 'Which?',
  options: [
    { id: 'approve', description: 'These' },
    { id: 'reject', description: 'None' },
  ],
  data: { title: 'Spring', count: 3 },
  editable: ['$.title'],
  batch: { items: ['a', 'b', 'c'], approves: 'approve', isDivisible: true, least: 1 },
};

test('empty fields are left out of a decision', () => {
  expect(decisionOf(question, emptyDraft, 'approve')).toEqual({ decision: 'approve' });
});

test('all filled-in fields are part of a decision', () => {
  const draft = {
    by: ' ana ',
    role: 'editor',
    comment: ' because ',
    edits: { '$.title': 'Summer' },
    without: new Set([1]),
  };
  const decision = decisionOf(question, draft, 'approve');
  expect(decision).toEqual({
    decision: 'approve',
    by: 'ana',
    roles: ['editor'],
    comment: 'because',
    approved: [0, 2],
    edited: { '$.title': 'Summer' },
  });
  expect(whyRefused(question, decision)).toBeUndefined();
});

test('rejecting a batch rejects all its items', () => {
  const decision = decisionOf(question, { ...emptyDraft, without: new Set([1]) }, 'reject');
  expect(decision).toEqual({ decision: 'reject' });
  expect(whyRefused(question, decision)).toBeUndefined();
});

test('a text field is shown as text, other values as JSON', () => {
  expect(textAt(question.data, '$.title')).toBe('Spring');
  expect(textAt(question.data, '$.count')).toBe('3');
  expect(textAt(question.data, '$.nothing')).toBe('null');
});
