import type { JsonObject } from '@dramaturg/compiler';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { callAfter, midway } from './calls.ts';

/** Messages as people type them, each with the values that a colleague would write down. */

const fields: Readonly<Record<string, JsonObject>> = {
  name: { type: 'string', description: 'What is your name?' },
  account: { type: 'string', description: 'What is your account number?' },
  address: { type: 'string', description: 'What is your address?' },
  city: { type: 'string', description: 'Which city do you live in?' },
  zip: { type: 'string', description: 'What is your postal code?' },
  email: { type: 'string', format: 'email', description: 'What is your email address?' },
  phone: { type: 'string', format: 'phone', description: 'What is your phone number?' },
  since: { type: 'string', description: 'How long have you had the problem?' },
  arrival: { type: 'string', format: 'date', description: 'When do you arrive?' },
  born: { type: 'string', format: 'date', description: 'When were you born?' },
  appointment: { type: 'string', format: 'date-time', description: 'When shall we come?' },
  time: { type: 'string', format: 'time', description: 'At what time?' },
  guests: { type: 'integer', minimum: 1, maximum: 20, description: 'How many guests?' },
  nights: { type: 'integer', minimum: 1, description: 'How many nights do you stay?' },
  age: { type: 'integer', minimum: 0, description: 'How old are you?' },
  price: { type: 'number', description: 'What did it cost?' },
  temperature: { type: 'number', description: 'What is the temperature, in degrees Celsius?' },
  minutes: { type: 'number', description: 'How long did it take, in minutes?' },
  agreed: { type: 'boolean', description: 'Do you agree?' },
  day: { enum: ['Monday', 'Tuesday', 'Wednesday'], description: 'Which day suits you?' },
  size: { enum: ['small', 'medium', 'large'], description: 'Which size?' },
  issue: { enum: ['billing', 'technical', 'general'], description: 'What is it about?' },
  toppings: {
    type: 'array',
    items: { enum: ['cheese', 'ham', 'olives', 'mushrooms'] },
    description: 'Which toppings?',
  },
};

const text = (description: string, more: JsonObject = {}) => ({
  type: 'string',
  description,
  ...more,
});
const date = (description: string) => text(description, { format: 'date' });
const number = (description: string, more: JsonObject = {}) => ({
  type: 'number',
  description,
  ...more,
});
const yesNo = (description: string) => ({ type: 'boolean', description });
const someOf = (description: string, ...options: string[]) => ({
  type: 'array',
  items: { enum: options },
  description,
});
const oneOf = (description: string, ...options: string[]) => ({ enum: options, description });
const phone = text('What is your phone number?', { format: 'phone' });
const email = text('What is your email address?', { format: 'email' });

/** The fields of whole questionnaires. All of them are open when one of them is asked for. */
const domains: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  clinic: {
    patient_name: text('What is your name?'),
    born: date('What is your date of birth?'),
    reason: text('What is the reason for your visit?'),
    visit: text('When would you like to come?', { format: 'date-time' }),
    insured: yesNo('Do you have health insurance?'),
    phone,
    weight: number('What is your weight, in kilograms?', { minimum: 1, maximum: 400 }),
    pain: number('How strong is the pain, from 1 to 10?', { minimum: 1, maximum: 10 }),
  },
  bank: {
    holder: text('Who is the holder of the account?'),
    amount: number('How much would you like to transfer?', { minimum: 0 }),
    account_type: oneOf('Which account is it?', 'checking', 'savings', 'credit card'),
    iban: text('What is the IBAN?'),
    execute_on: date('When shall we transfer it?'),
    standing: yesNo('Is it a standing order?'),
    currency: oneOf('In which currency?', 'EUR', 'USD', 'CHF'),
    email,
  },
  delivery: {
    order_number: text('What is your order number?'),
    address: text('What is the address?'),
    postal_code: text('What is the postal code?'),
    city: text('Which city is it?'),
    window: oneOf('Which time of the day suits you?', 'morning', 'afternoon', 'evening'),
    delivery_date: date('On which day shall we deliver?'),
    neighbour: yesNo('May we leave it with a neighbour?'),
    parcels: number('How many parcels are there?', { minimum: 1 }),
    weight: number('What does one parcel weigh, in kilograms?'),
  },
  school: {
    child_name: text('What is the name of your child?'),
    grade: number('Which grade is your child in?', { minimum: 1, maximum: 13 }),
    birth: date('When was your child born?'),
    foreign_language: oneOf('Which foreign language?', 'English', 'German', 'French', 'Spanish'),
    bus: yesNo('Does your child take the school bus?'),
    lunch_days: {
      type: 'array',
      items: { enum: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] },
      description: 'On which days does your child have lunch?',
    },
    parent_email: email,
    parent_phone: phone,
    absent_from: date('From which day is your child absent?'),
  },
  travel: {
    from: text('Where do you start?'),
    to: text('Where would you like to go?'),
    depart: date('When do you leave?'),
    return: date('When do you come back?'),
    adults: number('How many adults?', { minimum: 1 }),
    children: number('How many children?', { minimum: 0 }),
    cabin: oneOf('Which class?', 'economy', 'business', 'first'),
    budget: number('What is your budget per person?'),
    flexible: yesNo('Are your dates flexible?'),
  },
  insurance: {
    policy_number: text('What is your policy number?'),
    happened_at: text('When did it happen?', { format: 'date-time' }),
    damage: number('How high is the damage, in euros?'),
    injured: yesNo('Was anyone injured?'),
    kind: oneOf('Which insurance is it about?', 'car', 'home', 'travel'),
    plate: text('What is the licence plate?'),
    description: text('What happened?'),
    phone,
  },
  hotel: {
    guest_name: text('What is your name?'),
    arrival: date('When do you arrive?'),
    departure: date('When do you leave?'),
    nights: number('How many nights do you stay?', { minimum: 1 }),
    rooms: number('How many rooms?', { minimum: 1 }),
    breakfast: yesNo('Would you like breakfast?'),
    room: oneOf('Which kind of room?', 'single', 'double', 'suite'),
    arrival_time: text('At what time do you arrive?', { format: 'time' }),
    email,
  },
  utilities: {
    customer_number: text('What is your customer number?'),
    reading: number('What does the meter say?'),
    read_on: date('When did you read the meter?'),
    meter: oneOf('Which meter is it?', 'electricity', 'gas', 'water'),
    outage_minutes: number('How long has the power been off, in minutes?'),
    callback: yesNo('Shall we call you back?'),
    phone,
    move_out: date('When did you move out?'),
    people: number('How many people live there?', { minimum: 1 }),
  },
  library: {
    card_number: text('What is your library card number?', { pattern: '^L-\\d{5}$' }),
    book_title: text('Which book is it?'),
    author: text('Who is the author?'),
    pickup_branch: oneOf('At which branch will you pick it up?', 'Central', 'Riverside', 'North'),
    due_date: date('When is it due?'),
    renew: yesNo('Do you want to renew it?'),
    copies: { type: 'integer', minimum: 1, description: 'How many copies?' },
    format: oneOf('In which format?', 'paperback', 'hardcover', 'audiobook'),
    contact_email: email,
  },
  garage: {
    driver_name: text("Driver's name"),
    plate: text('What is your licence plate?'),
    mileage: number('What is the mileage, in kilometres?', { minimum: 0 }),
    fault: text('What is wrong with the car?'),
    warning_light: yesNo('Is a warning light on?'),
    fuel: oneOf('What fuel does it use?', 'petrol', 'diesel', 'electric', 'hybrid'),
    drop_off: text('When will you bring it?', { format: 'date-time' }),
    pick_up_by: date('By when do you need it back?'),
    loan_car: yesNo('Do you need a loan car?'),
    phone,
  },
  energy: {
    customer: text('What is your name?'),
    contract_number: text('What is your contract number?'),
    usage: number('How much electricity did you use last year, in kWh?'),
    monthly_payment: number('How much do you pay a month?'),
    household: {
      type: 'integer',
      minimum: 1,
      description: 'How many people are in your household?',
    },
    tariff: oneOf('Which tariff do you want?', 'fixed', 'flexible', 'green'),
    switch_date: date('From when shall we supply you?'),
    solar: yesNo('Do you have solar panels?'),
    heating: someOf('How do you heat?', 'gas', 'oil', 'heat pump', 'wood'),
    email,
  },
  gym: {
    full_name: text('What is your full name?'),
    membership: oneOf('Which membership would you like?', 'basic', 'plus', 'premium'),
    start_date: date('When would you like to start?'),
    sessions_per_week: {
      type: 'integer',
      minimum: 1,
      maximum: 14,
      description: 'How many times a week do you want to train?',
    },
    trainer: yesNo('Would you like a personal trainer?'),
    injuries: text('Do you have any injuries we should know about?'),
    age: { type: 'integer', minimum: 12, maximum: 110, description: 'How old are you?' },
    classes: someOf('Which classes interest you?', 'yoga', 'pilates', 'spinning', 'boxing'),
    email,
  },
  landlord: {
    tenant_name: text("Tenant's name"),
    apartment: text('What is your apartment number?'),
    problem: text('What is broken?'),
    room: oneOf('Which room is it in?', 'kitchen', 'bathroom', 'bedroom', 'living room'),
    noticed_on: date('When did you notice it?'),
    urgent: yesNo('Is it urgent?'),
    may_enter: yesNo('May we enter while you are out?'),
    repair_time: oneOf('When should the repair take place?', 'morning', 'afternoon', 'evening'),
    rent: number('How much is your monthly rent?'),
    phone,
  },
  telecom: {
    account_number: text('What is your account number?'),
    service: oneOf('Which service is affected?', 'internet', 'mobile', 'tv', 'landline'),
    restarted: yesNo('Have you restarted the router?'),
    outage_start: text('When did the outage begin?', { format: 'date-time' }),
    data_gb: number('How much data do you need, in GB?'),
    contract_end: date('When does your contract end?'),
    lines: { type: 'integer', minimum: 1, description: 'How many lines do you have?' },
    paperless: yesNo('Do you want paperless bills?'),
    callback_number: text('Which number can we call you back on?', { format: 'phone' }),
  },
  restaurant: {
    booking_name: text('Under which name?'),
    guests: { type: 'integer', minimum: 1, maximum: 30, description: 'How many guests?' },
    date: date('For which day?'),
    time: text('At what time?', { format: 'time' }),
    seating: oneOf('Where would you like to sit?', 'inside', 'terrace', 'bar'),
    high_chairs: { type: 'integer', minimum: 0, description: 'How many high chairs do you need?' },
    allergies: {
      type: 'array',
      items: { type: 'string' },
      description: 'Are there any allergies?',
    },
    vegetarian: yesNo('Do you need a vegetarian menu?'),
    phone,
  },
};

const casesIn = (file: string) =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' | ') as [string, string, ...string[]]);

test.for(casesIn('measured.txt'))('%s: %s', async ([wanted, message, ...records]) => {
  const names = wanted
    .replace('~ ', '')
    .split(', ')
    .map((each) => each.split(': '));
  const properties = Object.fromEntries(
    names.map(([name, known]) => [
      name,
      { ...fields[name!], ...(known ? { 'x-collected': true } : {}) },
    ]),
  );
  const recorded = await extracted(message, properties, names[0]![0]!, '2026-11-29T20:30:00Z');
  const isUnderstood = !wanted.startsWith('~ ');
  expect(judged(recorded, records)).toMatchObject({ isRecorded: isUnderstood });
});

test.for(casesIn('measured-plans.txt'))('%s: %s', async ([wanted, message, ...records]) => {
  const [asked = '', ...known] = wanted.replace('~ ', '').split(', ');
  const [domain = '', name = ''] = asked.split('.');
  const { [name]: first = {}, ...rest } = domains[domain]!;
  const others = Object.entries(rest).map(([key, schema]) => [
    key,
    { ...schema, ...(known.includes(key) ? { 'x-collected': true } : {}) },
  ]);
  const properties: JsonObject = {
    deliverables: { type: 'object', properties: { [name]: first, ...Object.fromEntries(others) } },
    withdrawn: { type: 'object' },
  };
  const now = '2026-12-09T09:30:00Z';
  const { deliverables, ...more } = await extracted(message, properties, name, now, 'deliverables');
  const recorded = { ...(deliverables as JsonObject | undefined), ...more };
  const isUnderstood = !wanted.startsWith('~ ');
  expect(judged(recorded, records)).toMatchObject({ isRecorded: isUnderstood });
});

async function extracted(
  message: string,
  properties: JsonObject,
  asked: string,
  now: string,
  ...path: string[]
): Promise<JsonObject> {
  const schema = [...path, asked].reduce<JsonObject>(
    (each, key) => (each['properties'] as JsonObject)[key] as JsonObject,
    { properties },
  );
  const call = callAfter([`agent: ${schema['description'] as string}`, message]);
  const { value } = await understudyPorts().extract(
    {
      ...midway,
      message,
      schema: { type: 'object', properties },
      asked: { path: [...path, asked] },
    },
    { ...call, now: Date.parse(now), timeZone: 'Europe/Berlin' },
  );
  return value as JsonObject;
}

function judged(value: JsonObject, records: readonly string[]) {
  const expected = records.map((each) => JSON.parse(each.toLowerCase()));
  const recorded = JSON.parse(JSON.stringify(value).toLowerCase());
  return { recorded, isRecorded: expected.some((each) => isDeepStrictEqual(each, recorded)) };
}
