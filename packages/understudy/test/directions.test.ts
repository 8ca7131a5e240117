import type { Json, PortInput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { call, callAfter, midway } from './calls.ts';

const quiet: PortInput<'reply'> = { ...midway, asks: [], directions: [], tools: [] };
const known = [
  { name: 'customer_name', value: 'Maria' },
  { name: 'account_number', value: '4711-B' },
];

async function said(direction: string, told: readonly { name: string; value: Json }[] = []) {
  const input = { ...quiet, directions: [{ text: direction }], known: [...told] };
  return (await understudyPorts().reply(input, call)).text;
}

describe('a direction becomes what the person may read', () => {
  test.for([
    ['Welcome the customer and say that you are here to help', 'Welcome! I am here to help.'],
    ['Greet the user warmly', 'Hello!'],
    ['Introduce yourself as Nora from the clinic', 'Hello, I am Nora from the clinic.'],
    ['Say "We are open until six."', 'We are open until six.'],
    ['Explain the terms and ask if they agree', 'This is about the terms. Do you agree?'],
    ['Tell them that calls are recorded', 'Calls are recorded.'],
    ['Tell them to bring their insurance card', 'Please bring your insurance card.'],
    ['Ask whether the customer would like the amount back', 'Would you like the amount back?'],
    ['Ask how the customer would like to be called', 'How would you like to be called?'],
    ['Ask for the order number', 'Please tell me about the order number.'],
    ["Ask for the customer's phone number", 'What is your phone number?'],
    ['Find out what happened', 'What happened?'],
    ['Offer a refund', 'Would you like a refund?'],
    ['Thank them for their time. Wish them well.', 'Thank you for your time! All the best!'],
    ['Say goodbye', 'Goodbye!'],
    ['Say goodbye: the conversation ends here.', 'Goodbye!'],
    ['Apologise for the delay', 'I am sorry for the delay.'],
    ['Greet them. Be brief. Never mention prices. Keep a friendly tone.', 'Hello!'],
  ] as const)('%s', async ([direction, text]) => {
    expect(await said(direction)).toBe(text);
  });
});

test('a summary lists what was collected in words', async () => {
  expect(await said('Sum up what was agreed, thank the customer and say goodbye', known)).toBe(
    'To sum up: your name is Maria; your account number is 4711-B. Thank you! Goodbye!',
  );
  expect(
    await said('Summarise the call', [
      { name: 'symptom', value: 'my screen stays dark' },
      { name: 'restart_helped', value: false },
      { name: 'issue_type', value: 'refund_request' },
    ]),
  ).toBe(
    'To sum up: your symptom: "my screen stays dark"; restart helped: no; your issue type is refund request.',
  );
});

test('nothing is asked in the last words of a conversation', async () => {
  const text = 'Confirm the order. Ask whether they need anything else. Say goodbye.';
  const last = { ...quiet, ends: true as const, directions: [{ text }], known };
  expect((await understudyPorts().reply(last, call)).text).toBe(
    'To sum up: your name is Maria; your account number is 4711-B. Goodbye!',
  );
});

describe('what cannot be said to a person is left out', () => {
  test.for([
    'You are a grumpy innkeeper who hides the key',
    'Steer clear of {{secret_topic}}',
    'call complete_task when done',
    'Never diagnose',
    't',
    'If the user is angry, escalate',
  ])('%s', async (direction) => {
    const text = await said(direction);
    expect(text).not.toBe('');
    expect(text).not.toMatch(/innkeeper|secret|complete_task|diagnose|angry|[[\](){}_]/u);
  });
});

test('the same part of a conversation is not said twice in a row', async () => {
  const directions = [{ text: 'Ask about chest pain' }];
  const { reply } = understudyPorts();
  const first = await reply({ ...quiet, directions }, callAfter([]));
  const again = await reply(
    { ...quiet, directions, message: 'I have a cough' },
    callAfter([`agent: ${first.text}`, 'I have a cough']),
  );
  expect(first.text).toBe('Please tell me about chest pain.');
  expect(again.text).not.toContain(first.text);
});

test('a reminder repeats the question that is open', async () => {
  const directions = [{ text: 'Remind the person of what you asked last.' }];
  const after = callAfter(['agent: Thank you.\nWhat is your name?']);
  expect((await understudyPorts().reply({ ...quiet, directions }, after)).text).toBe(
    'I am still waiting for your answer. What is your name?',
  );
});

test('the second reminder is as the first one', async () => {
  const directions = [{ text: 'Remind the person of what you asked last.' }];
  const reminder = 'I am still waiting for your answer. What is your name?';
  const after = callAfter(['agent: What is your name?', `agent: ${reminder}`]);
  expect((await understudyPorts().reply({ ...quiet, directions }, after)).text).toBe(reminder);
});

describe('the third failed answer', () => {
  const ask = {
    name: 'size',
    question: 'Which size?',
    schema: { enum: ['small', 'large'] },
    required: true,
  };
  const speak = async (messages: readonly string[], skippable: boolean) => {
    const { reply } = understudyPorts();
    const asks = [{ ...ask, ...(skippable ? { skippable } : {}) }];
    const lines: string[] = [];
    let output = await reply({ ...quiet, asks }, callAfter(lines));
    for (const message of messages) {
      lines.push(`agent: ${output.text}`, message);
      output = await reply({ ...quiet, asks, message }, callAfter(lines));
    }
    return { ...output, lines };
  };

  test('brings an offer, and no question is put twice in the same words', async () => {
    const { text, lines } = await speak(['xx', 'xx', 'xx'], true);
    expect(text).toContain('say "skip"');
    expect(text).toContain('say "person"');
    expect(text).toContain('Please answer with one of these: small or large.');
    const agent = [...lines.filter((line) => line.startsWith('agent: ')), `agent: ${text}`];
    expect(new Set(agent).size).toBe(agent.length);
    expect((await speak(['xx', 'xx'], true)).text).not.toContain('person');
  });

  test('offers no skipping where that is not allowed', async () => {
    const { text } = await speak(['xx', 'xx', 'xx'], false);
    expect(text).not.toContain('skip');
    expect(text).toContain('say "person"');
  });

  test('is not taken by a message that is older', async () => {
    const { text, lines } = await speak(['xx', 'xx', 'xx'], false);
    const after = callAfter([...lines, `agent: ${text}`, 'yes please']);
    const input = { ...quiet, asks: [ask], message: 'yes please', early: true as const };
    const output = await understudyPorts().reply(input, after);
    expect(output.toolCalls ?? []).toEqual([]);
    expect(output.text).not.toContain('a person to take over');
    expect(output.text).toContain('You wrote that before I asked.');
  });

  test('leads to a person when that is taken', async () => {
    for (const message of ['person', 'yes please', 'I want to talk to a human']) {
      const { text, toolCalls } = await speak(['xx', 'xx', 'xx', message], false);
      expect(text).toMatch(/a person/u);
      expect(toolCalls).toEqual([
        {
          name: 'request_human_intervention',
          arguments: { reason: `The contact asked for a person: ${message}` },
        },
      ]);
    }
  });

  test('is left out when that is taken', async () => {
    const schema = { type: 'object', properties: { size: ask.schema } };
    const ifSkipped = { skipped_tasks: ['size'] };
    const input = { ...midway, message: 'skip', schema };
    const { extract } = understudyPorts();
    expect(await extract({ ...input, asked: { path: ['size'], ifSkipped } }, call)).toEqual({
      value: ifSkipped,
    });
    expect(await extract({ ...input, asked: { path: ['size'] } }, call)).toEqual({ value: {} });
  });
});
