import { expect, test } from 'vitest';
import { AgentTable } from '../src/cli/workflow/agents.ts';

test('a name wins over patterns, and a longer pattern over a shorter one', () => {
  const table = new AgentTable([
    ['*', 'any'],
    ['arn:aws:states:::dynamodb:*', 'table'],
    ['arn:aws:states:::dynamodb:getItem', 'get'],
    ['arn:*:lambda:*:function:Charge*', 'charge'],
  ]);
  const found = (name: string) => table.find(name);
  expect(found('arn:aws:states:::dynamodb:getItem')).toBe('get');
  expect(found('arn:aws:states:::dynamodb:putItem')).toBe('table');
  expect(found('arn:aws:lambda:eu-west-1:1:function:ChargeCard:live')).toBe('charge');
  expect(found('${Charge.Arn}')).toBe('any');
  expect(table.names).toHaveLength(4);
});

test('the whole name is matched', () => {
  const find = (pattern: string, name: string) =>
    new AgentTable([[pattern, 'it']]).find(name) === 'it';
  expect(find('a*b', 'ab')).toBe(true);
  expect(find('a*b', 'abc')).toBe(false);
  expect(find('ab*b', 'ab')).toBe(false);
  expect(find('*b*b*', 'b')).toBe(false);
  expect(find('*b*b*', 'abab')).toBe(true);
  expect(find('a.c', 'abc')).toBe(false);
});
