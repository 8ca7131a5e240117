import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { Chance } from '@dramaturg/testing';
import type { OpenCall } from './observed.ts';

const texts = [
  'yes',
  'no',
  'Ada Lovelace',
  '42',
  'next Tuesday at ten',
  'I do not know.',
  'reset',
  '',
];

/** An event that a definition names, or one that nothing waits for, with random data. */
export function randomEvent(chance: Chance, types: readonly string[], number: number): EventObject {
  const message = { type: 'message.received', id: `message ${number}`, text: chance.of(texts) };
  if (chance.next() < 0.4) return message;
  const type = chance.of([...types, 'nobody.waits']).replace('*', 'any');
  const fields = ['reason', 'turn', 'state', 'value', 'output', 'actorId', 'delay_ms'];
  const data = fields.flatMap((field): [string, unknown][] =>
    chance.next() < 0.3 ? [[field, randomScalar(chance)]] : [],
  );
  return { ...message, ...Object.fromEntries(data), type };
}

/** An answer that the port of a call may give, or an error. */
export function randomEnding(chance: Chance, call: OpenCall): object {
  if (chance.next() < 0.15)
    return {
      type: 'fail',
      error: Object.assign(new Error('It failed.'), { name: 'Trouble', code: 'port/failed' }),
    };
  return { type: 'answer', output: answerOf(chance, call) };
}

function answerOf(chance: Chance, { port, input }: OpenCall): unknown {
  switch (port) {
    case 'reply':
      return { text: chance.of(texts), toolCalls: [] };
    case 'choose':
      return { option: chance.of(input['options'] as { id: string }[]).id, reason: 'by chance' };
    case 'extract':
      return { value: randomValue(chance, input['schema'] as JsonObject) ?? {} };
    case 'think':
      return { text: chance.of(texts) };
    case 'recall':
      return { memories: [] };
    case 'remember':
      return { stored: true };
    case 'requestDecision':
      return { decision: chance.of(input['options'] as { id: string }[]).id, by: 'Ada' };
    case 'saveCheckpoint':
      return { kept: false };
    case 'countSpending':
      return { accounts: (input['accounts'] as object[]).map(() => ({ cost: 0 })) };
    case 'timer':
      return { firedAt: input['at'] };
    default:
      return { result: chance.of([{}, { approved: true, score: 9 }, 'done', 7, [1, 2], null]) };
  }
}

/** Some of the values that a schema asks for. */
function randomValue(chance: Chance, schema: JsonObject): unknown {
  const { type, enum: options, properties } = schema;
  if (Array.isArray(options)) return chance.of(options);
  if (type === 'object') {
    const members = Object.entries((properties ?? {}) as Record<string, JsonObject>);
    const some = members.filter(() => chance.next() < 0.6);
    return Object.fromEntries(some.map(([name, member]) => [name, randomValue(chance, member)]));
  }
  if (type === 'boolean') return chance.next() < 0.5;
  if (type === 'number' || type === 'integer') return chance.between(0, 50);
  if (type === 'array') return ['one', 'two'];
  return chance.of(texts);
}

function randomScalar(chance: Chance): unknown {
  return chance.of([null, true, 3, 'x', 1000]);
}
