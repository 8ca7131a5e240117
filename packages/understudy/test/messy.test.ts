import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { callAfter, midway } from './calls.ts';

/**
 * Messages that people really type, with the expected result. Each case is one turn: the wanted fields, the last
 * question, the earlier messages, and the message; then the recorded values and the next reply.
 */
interface Case {
  readonly wanted: Readonly<Record<string, JsonObject>>;
  readonly asked: string;
  readonly before?: readonly string[];
  /** Fields that are known already. */
  readonly known?: Readonly<Record<string, Json>>;
  readonly says: string;
  readonly records: Readonly<Record<string, Json>>;
  readonly replies?: RegExp;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const oneOf = (description: string, ...options: string[]): JsonObject => ({
  enum: options,
  description,
});
const number = (description: string, limits: JsonObject = {}): JsonObject => ({
  type: 'number',
  description,
  ...limits,
});
const yesOrNo = (description: string): JsonObject => ({ type: 'boolean', description });

const name = { customer_name: text('What is your name?') };
const account = { account_number: text('What is your account number?') };
const issue = {
  issue_type: oneOf('What kind of issue do you have?', 'billing', 'technical', 'general'),
};
const problem = { problem: text('What is wrong?') };
const email = { email: text('Your email address') };
const phone = { phone_number: text('Your phone number') };
const city = { city: text('Which city do you live in?') };
const guests = { guests: number('How many guests?', { minimum: 1, maximum: 20 }) };
const minutes = { duration: number('How long did it take, in minutes?') };
const day = { day: oneOf('Which day suits you?', 'Monday', 'Tuesday', 'Wednesday') };
const size = { size: oneOf('Which size?', 'small', 'medium', 'large') };
const agreed = { agreed: yesOrNo('Do you agree?') };
const birthday = { birthday: text('When were you born?') };
const arrival = {
  arrival: { type: 'string', format: 'date', description: 'When do you arrive?' },
};
const toppings = {
  toppings: {
    type: 'array',
    items: { enum: ['cheese', 'ham', 'olives', 'mushrooms'] },
    description: 'Which toppings?',
  },
};
const groceries = {
  groceries: { type: 'array', items: { type: 'string' }, description: 'What do you need?' },
};
const website = { website: { type: 'string', format: 'uri', description: 'Your website' } };
const plate = {
  plate: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$', description: 'Your number plate' },
};

const cases: readonly Case[] = [
  // Several facts in one sentence, in any order
  {
    wanted: { ...name, ...account, ...problem },
    asked: 'customer_name',
    says: "I'm Maria, account 4711-B, and my screen stays dark",
    records: {
      customer_name: 'Maria',
      account_number: '4711-B',
      problem: 'my screen stays dark',
    },
  },
  {
    wanted: { ...name, ...account, ...problem },
    asked: 'customer_name',
    says: 'My screen stays dark, my account is 4711-B and this is Maria',
    records: {
      customer_name: 'Maria',
      account_number: '4711-B',
      problem: 'My screen stays dark',
    },
  },
  {
    wanted: { ...name, ...email, ...phone },
    asked: 'customer_name',
    says: 'Ada Lovelace, ada@example.com, +41 79 123 45 67',
    records: {
      customer_name: 'Ada Lovelace',
      email: 'ada@example.com',
      phone_number: '+41 79 123 45 67',
    },
  },
  {
    wanted: { ...name, ...guests, ...day },
    asked: 'guests',
    says: "We are 4 guests, on Tuesday please. I'm Bob.",
    records: { customer_name: 'Bob', guests: 4, day: 'Tuesday' },
  },
  {
    wanted: { ...name, ...city },
    asked: 'customer_name',
    says: 'Hi, my name is Ada and I live in New York',
    records: { customer_name: 'Ada', city: 'New York' },
  },
  {
    wanted: { ...name, ...issue },
    asked: 'customer_name',
    says: 'Maria. It is about billing.',
    records: { customer_name: 'Maria', issue_type: 'billing' },
  },
  // Corrections
  {
    wanted: { ...city, ...day },
    known: { city: 'Hamburg' },
    asked: 'day',
    before: ['agent: Which city do you live in?', 'Hamburg', 'agent: Which day suits you?'],
    says: 'no, I meant Berlin',
    records: { city: 'Berlin' },
  },
  {
    wanted: { ...account, ...issue },
    known: { account_number: '4711-B' },
    asked: 'issue_type',
    says: "actually it's 4712-B",
    records: { account_number: '4712-B' },
  },
  {
    wanted: { ...day, ...email },
    known: { day: 'Monday' },
    asked: 'email',
    says: 'sorry, not Monday but Tuesday',
    records: { day: 'Tuesday' },
  },
  {
    wanted: { ...day, ...email },
    known: { day: 'Monday' },
    asked: 'email',
    says: 'Tuesday instead of Monday',
    records: { day: 'Tuesday' },
  },
  {
    wanted: { ...name, ...account },
    known: { customer_name: 'Bob' },
    asked: 'account_number',
    says: 'wait, my name is Rob',
    records: { customer_name: 'Rob' },
  },
  {
    wanted: { ...email, ...guests },
    known: { email: 'a@b.org' },
    asked: 'guests',
    says: 'oops, it should be ada@b.org',
    records: { email: 'ada@b.org' },
  },
  {
    wanted: { ...city },
    asked: 'city',
    says: 'no, I meant Berlin',
    records: { city: 'Berlin' },
  },
  // Names
  ...[
    'no',
    'yes',
    'what?',
    "I don't know",
    'none',
    'hello',
    'good morning',
    '42',
    'ada@example.com',
    'why do you need that?',
    'skip',
    'is this a robot',
    "I'm not telling you",
    "I'm confused",
    'https://example.com',
    'the screen is dark',
    '???',
  ].map((says) => ({
    wanted: name,
    asked: 'customer_name',
    says,
    records: {},
    replies: /What is your name\?.* a name/su,
  })),
  {
    wanted: name,
    asked: 'customer_name',
    says: "it's Maria Lopez, nice to meet you",
    records: { customer_name: 'Maria Lopez' },
  },
  {
    wanted: name,
    asked: 'customer_name',
    says: "O'Brien-Smith",
    records: { customer_name: "O'Brien-Smith" },
  },
  {
    wanted: name,
    asked: 'customer_name',
    says: 'you can call me Al',
    records: { customer_name: 'Al' },
  },
  // Options
  { wanted: issue, asked: 'issue_type', says: 'teknical', records: { issue_type: 'technical' } },
  { wanted: issue, asked: 'issue_type', says: 'biling!', records: { issue_type: 'billing' } },
  { wanted: issue, asked: 'issue_type', says: 'tech', records: { issue_type: 'technical' } },
  { wanted: issue, asked: 'issue_type', says: 'gneeral', records: { issue_type: 'general' } },
  { wanted: issue, asked: 'issue_type', says: 'number two', records: { issue_type: 'technical' } },
  {
    wanted: issue,
    asked: 'issue_type',
    says: 'the first one, please',
    records: { issue_type: 'billing' },
  },
  { wanted: issue, asked: 'issue_type', says: 'b', records: { issue_type: 'technical' } },
  {
    wanted: issue,
    asked: 'issue_type',
    says: "it's about an invoice",
    records: { issue_type: 'billing' },
  },
  {
    wanted: issue,
    asked: 'issue_type',
    says: 'billing or technical',
    records: {},
    replies: /billing or technical/u,
  },
  {
    wanted: issue,
    asked: 'issue_type',
    says: 'my cat',
    records: {},
    replies: /"my cat".*billing, technical or general/su,
  },
  { wanted: size, asked: 'size', says: 'the biggest... large', records: { size: 'large' } },
  { wanted: size, asked: 'size', says: 'huge', records: { size: 'large' } },
  { wanted: size, asked: 'size', says: 'not small, medium', records: { size: 'medium' } },
  { wanted: size, asked: 'size', says: 'any of them is fine', records: {} },
  // Several options, lists
  {
    wanted: toppings,
    asked: 'toppings',
    says: 'ham, olives and mushroms',
    records: { toppings: ['ham', 'olives', 'mushrooms'] },
  },
  {
    wanted: toppings,
    asked: 'toppings',
    says: 'everything',
    records: { toppings: ['cheese', 'ham', 'olives', 'mushrooms'] },
  },
  {
    wanted: toppings,
    asked: 'toppings',
    says: 'all but ham',
    records: { toppings: ['cheese', 'olives', 'mushrooms'] },
  },
  {
    wanted: toppings,
    asked: 'toppings',
    says: 'the first and the third one',
    records: { toppings: ['cheese', 'olives'] },
  },
  {
    wanted: groceries,
    asked: 'groceries',
    says: 'milk, bread and two eggs.',
    records: { groceries: ['milk', 'bread', 'two eggs'] },
  },
  // Numbers
  { wanted: guests, asked: 'guests', says: 'four of us', records: { guests: 4 } },
  { wanted: guests, asked: 'guests', says: 'a dozen', records: { guests: 12 } },
  {
    wanted: guests,
    asked: 'guests',
    says: '5 to 6',
    records: {},
    replies: /5 or 6/u,
  },
  {
    wanted: guests,
    asked: 'guests',
    says: '200',
    records: {},
    replies: /200.*a number from 1 to 20/su,
  },
  {
    wanted: guests,
    asked: 'guests',
    says: 'some',
    records: {},
    replies: /number/u,
  },
  { wanted: minutes, asked: 'duration', says: '2 hours', records: { duration: 120 } },
  { wanted: minutes, asked: 'duration', says: 'about 45 min', records: { duration: 45 } },
  {
    wanted: { price: number('Which amount is wrong?') },
    asked: 'price',
    says: '$1,250.50 I think',
    records: { price: 1250.5 },
  },
  {
    wanted: { price: number('Which amount is wrong?') },
    asked: 'price',
    says: 'EUR 1.250,50',
    records: { price: 1250.5 },
  },
  // Yes or no
  { wanted: agreed, asked: 'agreed', says: 'I guess so', records: { agreed: true } },
  { wanted: agreed, asked: 'agreed', says: 'not really, no', records: { agreed: false } },
  { wanted: agreed, asked: 'agreed', says: "I don't think so", records: { agreed: false } },
  { wanted: agreed, asked: 'agreed', says: 'yep!!', records: { agreed: true } },
  { wanted: agreed, asked: 'agreed', says: 'probably', records: { agreed: true } },
  { wanted: agreed, asked: 'agreed', says: 'probably not', records: { agreed: false } },
  {
    wanted: agreed,
    asked: 'agreed',
    says: 'maybe',
    records: {},
    replies: /yes or no/u,
  },
  // Kinds of text
  {
    wanted: email,
    asked: 'email',
    says: 'maria at example dot com',
    records: { email: 'maria@example.com' },
  },
  {
    wanted: email,
    asked: 'email',
    says: 'maria',
    records: {},
    replies: /email address, such as/u,
  },
  {
    wanted: phone,
    asked: 'phone_number',
    says: 'call me at (555) 010-2030 after six',
    records: { phone_number: '(555) 010-2030' },
  },
  { wanted: phone, asked: 'phone_number', says: 'my sister has one', records: {} },
  {
    wanted: birthday,
    asked: 'birthday',
    says: 'I was born on 3 May 1990',
    records: { birthday: '3 May 1990' },
  },
  { wanted: birthday, asked: 'birthday', says: 'in a hospital', records: {}, replies: /a date/u },
  {
    wanted: arrival,
    asked: 'arrival',
    says: 'March 15th, 2026',
    records: { arrival: '2026-03-15' },
  },
  { wanted: arrival, asked: 'arrival', says: '15.3.2026', records: { arrival: '2026-03-15' } },
  {
    wanted: arrival,
    asked: 'arrival',
    says: '31.2.2026',
    records: {},
    replies: /day, month and year/u,
  },
  {
    wanted: website,
    asked: 'website',
    says: "it's https://example.com/shop.",
    records: { website: 'https://example.com/shop' },
  },
  { wanted: plate, asked: 'plate', says: 'AB-123', records: { plate: 'AB-123' } },
  { wanted: plate, asked: 'plate', says: 'something red', records: {} },
  { wanted: account, asked: 'account_number', says: 'what?', records: {} },
  {
    wanted: account,
    asked: 'account_number',
    says: 'it is four seven one one',
    records: { account_number: '4711' },
  },
  {
    wanted: account,
    asked: 'account_number',
    says: 'I lost my card',
    records: {},
    replies: /What is your account number\?/u,
  },
  // What was volunteered before
  {
    wanted: { ...account },
    asked: 'account_number',
    before: [
      'agent: What is your name?',
      "I'm Maria, account 4711-B",
      'agent: Thank you. What is your account number? You mentioned "4711-B": is that right?',
    ],
    says: 'yes, it is',
    records: { account_number: '4711-B' },
  },
  {
    wanted: { ...name, ...account },
    asked: 'customer_name',
    says: 'I am Maria and my acount number is 4711-B',
    records: { customer_name: 'Maria', account_number: '4711-B' },
  },
  {
    wanted: { ...account },
    asked: 'account_number',
    before: [
      'agent: What is your name?',
      "I'm Maria, account 4711-B",
      'agent: Thank you. What is your account number? You mentioned "4711-B": is that right?',
    ],
    says: 'no',
    records: {},
    replies: /All right\. What is your account number\?/u,
  },
  {
    wanted: { ...account, ...email },
    asked: 'account_number',
    before: ['write to ada@example.com', 'agent: What is your account number?'],
    says: '99-1',
    records: { account_number: '99-1', email: 'ada@example.com' },
  },
  {
    wanted: { ...name, ...city },
    asked: 'city',
    before: ['agent: What is your name?', 'Maria', 'agent: Which city do you live in?'],
    says: 'what?',
    records: {},
  },
];

describe(`${cases.length} messy messages`, () => {
  test.for(cases.map((each) => [each.asked, each.says, each] as const))(
    '%s: %s',
    async ([, , each]) => {
      const { records, replies } = each;
      const { recorded, reply } = await turnOf(each);
      expect(recorded).toEqual(records);
      expect(reply).toMatch(replies ?? /./u);
      expect(reply).not.toMatch(/\[|\(.*(?:Ask|Welcome)|_|undefined|\{/u);
    },
  );
});

async function turnOf({ wanted, asked, before, known = {}, says }: Case) {
  const lines = before ?? [`agent: ${await questionFor(asked, wanted[asked] ?? {})}`];
  const call = callAfter([...lines, says]);
  const properties = Object.fromEntries(
    Object.entries(wanted)
      .toSorted(([a], [b]) => Number(a in known) - Number(b in known))
      .map(([key, schema]) => [key, key in known ? { ...schema, 'x-collected': true } : schema]),
  );
  const { extract, reply } = understudyPorts();
  const input = { ...midway, message: says, schema: { type: 'object', properties } };
  const { value } = await extract({ ...input, asked: { path: [asked] } }, call);
  const recorded = value as Record<string, Json>;
  const now = { ...known, ...recorded };
  const asks: PortInput<'reply'>['asks'] = Object.entries(wanted)
    .filter(([key]) => !(key in now))
    .toSorted(([a], [b]) => Number(b === asked) - Number(a === asked))
    .map(([key, schema]) => ({
      name: key,
      question: describedBy(schema),
      schema,
      required: true,
    }));
  const recordedFacts = Object.entries(now).map(([key, each]) => ({
    name: key,
    value: each ?? null,
  }));
  const spoken = await reply(
    { ...midway, message: says, asks, directions: [], tools: [], known: recordedFacts },
    call,
  );
  return { recorded, reply: spoken.text };
}

async function questionFor(key: string, schema: JsonObject): Promise<string> {
  const asks = [{ name: key, question: describedBy(schema), schema, required: true }];
  const input = { ...midway, asks, directions: [], tools: [] };
  return (await understudyPorts().reply(input, callAfter([]))).text;
}

function describedBy({ description }: JsonObject): string {
  return typeof description === 'string' ? description : '';
}

test('what was volunteered is put to the person also after another suggestion', async () => {
  const asks = [
    { name: 'issue_type', question: 'What is it about?', schema: issue.issue_type, required: true },
  ];
  const lines = [
    'agent: What is your name?',
    "I'm Maria, account 4711-B, and it is a billing matter",
    'agent: What is your account number? You mentioned "4711-B": is that right?',
    'yes',
  ];
  const input = { ...midway, message: 'yes', asks, directions: [], tools: [] };
  const { text: said } = await understudyPorts().reply(input, callAfter(lines));
  expect(said).toMatch(/You mentioned "billing": is that right\?/u);
});
