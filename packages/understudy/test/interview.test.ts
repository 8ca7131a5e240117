import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { call, extracted, midway } from './calls.ts';

type Fields = Readonly<Record<string, JsonObject & { readonly description: string }>>;

/** Asks for one field after the other until none is open, and gives the transcript and what was recorded. */
async function interview(fields: Fields, optional: readonly string[], answers: readonly string[]) {
  const recorded: Record<string, unknown> = {};
  const transcript: string[] = [];
  const open = () => Object.keys(fields).filter((name) => !(name in recorded));
  for (const answer of [...answers, '']) {
    const asks: PortInput<'reply'>['asks'] = open().map((name) => {
      const schema = fields[name]!;
      return {
        name,
        question: schema.description,
        schema,
        required: !optional.includes(name),
      };
    });
    const { text } = await understudyPorts().reply(
      { ...midway, asks, directions: [], tools: [] },
      call,
    );
    transcript.push(text);
    const [asked] = open();
    if (asked === undefined) break;
    transcript.push(`> ${answer}`);
    const question = optional.includes(asked)
      ? { asked, ifDeclined: { [asked]: null } }
      : { asked };
    Object.assign(recorded, extracted(answer, fields, question));
  }
  return { transcript, recorded };
}

test('an interview comes to its end, asking again for what could not be read', async () => {
  const fields = {
    customer_name: { type: 'string', description: "Customer's name" },
    account_number: { type: 'string', description: 'Account or order number' },
    issue_category: {
      enum: ['billing', 'technical', 'general'],
      description: 'Category of the issue',
    },
    amount_in_question: { type: 'number', description: 'Dollar amount if applicable' },
    resolution_accepted: {
      type: 'boolean',
      description: 'Whether customer accepts the proposed resolution',
    },
  };
  const answers = [
    'Hi, my name is Ada and I have a billing problem',
    "I don't have one",
    'about two hundred and fifty dollars',
    'what resolution?',
    'sure, go ahead',
  ];
  expect(await interview(fields, ['account_number', 'amount_in_question'], answers)).toEqual({
    transcript: [
      'What is your name?',
      '> Hi, my name is Ada and I have a billing problem',
      'Account or order number? (optional: you can say skip)',
      "> I don't have one",
      'Dollar amount if applicable? (a number; optional: you can say skip)',
      '> about two hundred and fifty dollars',
      'Do you accept the proposed resolution? (yes or no)',
      '> what resolution?',
      'Do you accept the proposed resolution? (yes or no)',
      '> sure, go ahead',
      'Thank you, that is all from me.',
    ],
    recorded: {
      customer_name: 'Ada',
      account_number: null,
      issue_category: 'billing',
      amount_in_question: 250,
      resolution_accepted: true,
    },
  });
});
