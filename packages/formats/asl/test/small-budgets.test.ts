import { check } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

function findings(workflow: object, state: object): string[] {
  const definition = {
    StartAt: 'Ask',
    ...workflow,
    States: { Ask: { Type: 'Task', Agent: 'Ask', ...state, End: true } },
  };
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  return diagnostics
    .filter(({ code }) => code === 'asl/small-budget')
    .map(({ path, related = [] }) => `${path.slice(2).join('.')} > ${related[0]!.path.join('.')}`);
}

const fail = { OnExceed: 'Fail' };

test.each<[workflow: object, state: object, found: readonly string[]]>([
  [
    { Budget: { MaxTokens: 1000, ...fail } },
    { Budget: { MaxTokens: 5000 } },
    ['Budget.MaxTokens > Budget.MaxTokens'],
  ],
  [
    { Budget: { MaxTokens: 1000 } },
    { Generation: { MaxTokens: 1001 } },
    ['Generation.MaxTokens > Budget.MaxTokens'],
  ],
  [
    { Budget: { MaxCost: '$1.00' } },
    { Budget: { MaxCost: '$1.01' } },
    ['Budget.MaxCost > Budget.MaxCost'],
  ],
  [
    { Budget: { MaxDuration: '10m' } },
    { Budget: { MaxDuration: '1h' } },
    ['Budget.MaxDuration > Budget.MaxDuration'],
  ],
  [
    {},
    { Budget: { MaxTokens: 100, MaxOutputTokens: 200 } },
    ['Budget.MaxOutputTokens > States.Ask.Budget.MaxTokens'],
  ],
  [
    {},
    { Budget: { MaxInputTokens: 100 }, Context: { MaxTokens: 101 } },
    ['Context.MaxTokens > States.Ask.Budget.MaxInputTokens'],
  ],
  [
    {},
    { Budget: { MaxOutputTokens: 100 }, Generation: { MaxTokens: 101 } },
    ['Generation.MaxTokens > States.Ask.Budget.MaxOutputTokens'],
  ],
])('%j is less than a call may use by %j', (workflow, state, found) => {
  expect(findings(workflow, state)).toEqual(found);
});

test.each<[workflow: object, state: object]>([
  [{ Budget: { MaxTokens: 1000 } }, { Budget: { MaxTokens: 1000 } }],
  [{ Budget: { MaxTokens: 1000 } }, { Budget: { MaxTokens: 900 }, Context: { MaxTokens: 900 } }],
  // Beyond the budget it goes on.
  [{ Budget: { MaxTokens: 1000, OnExceed: 'Continue' } }, { Budget: { MaxTokens: 5000 } }],
  [
    { Budget: { MaxTokens: 1000, Fallback: { When: 'Always', UseModel: 'small' } } },
    { Budget: { MaxTokens: 5000 } },
  ],
  // Without a limit of its own, a call is only estimated.
  [{ Budget: { MaxTokens: 1 } }, {}],
  [{}, { Budget: { MaxInputTokens: 100, MaxTokens: 100 }, Context: { MaxTokens: 100 } }],
])('%j is enough for %j', (workflow, state) => {
  expect(findings(workflow, state)).toEqual([]);
});
