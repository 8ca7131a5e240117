import type { ChatRequest } from '@dramaturg/langchain/testing';
import { expect, test } from 'vitest';
import { sampled } from '../../../../.config/scaled.ts';
import { answering, type Asked, converse, definition, stageWith } from './stage.ts';

/** Answers that keep a conversation going for as long as the person writes. */
function patient(asked: Asked) {
  if (asked.options) {
    const stay = asked.options.find((id) => /stay|redirect|^A/.test(id)) ?? asked.options[0];
    return answering(asked, { option: stay, reason: 'So it seems.' });
  }
  if (asked.schema) return answering(asked, {});
  return {
    text: 'Thank you, I have noted that. Before we go on, please tell me a little more about it: when did it begin, and what have you tried so far?',
  };
}

const turns = 60;
const lines = Array.from(
  { length: turns },
  (_, turn) =>
    `Message ${turn}: it began on a Monday, when I came home from work and the screen stayed dark, and it has not come on again since.`,
);

/** What a request is for: requests of the same kind share a cache. */
function kindOf({ response_format: form, tools = [] }: ChatRequest): string {
  return JSON.stringify([form?.json_schema, tools]);
}

function textOf({ messages }: ChatRequest): string {
  return JSON.stringify(messages);
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** The share of each request with which the one before of its kind has begun, from a turn on. */
function sharesIn(requests: readonly ChatRequest[], fromTurn: number): readonly number[] {
  const before = new Map<string, string>();
  const shares: number[] = [];
  for (const [index, request] of requests.entries()) {
    const text = textOf(request);
    const last = before.get(kindOf(request));
    if (last !== undefined && index >= (requests.length / turns) * fromTurn)
      shares.push(sharedLength(last, text) / text.length);
    before.set(kindOf(request), text);
  }
  return shares.toSorted((one, other) => one - other);
}

test.each(
  sampled([
    'plan/test/fixtures/intake/intake.plan.json',
    'npc/test/fixtures/patience/patience.npc.yaml',
    'context-graph/test/fixtures/check-in/check-in.context-graph.json',
  ]),
)('the prompts of %s begin like the call before', async (path) => {
  const { ports, server } = await stageWith(patient);
  await converse(definition(path), ports, lines).catch(() => {});
  const shares = sharesIn(server.requests, 20);
  expect(shares.length).toBeGreaterThan(70);
  // Half of the lines are left out at once, every 25 turns: then a request of each kind begins anew.
  expect(shares[2]).toBeGreaterThan(0.8);
  expect(shares[Math.floor(shares.length / 2)]).toBeGreaterThan(0.9);
});
