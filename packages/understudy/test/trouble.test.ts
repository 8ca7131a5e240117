import { expect, test } from 'vitest';
import { readTrouble } from '../src/facts.ts';

test.for([
  ["I don't know.", undefined],
  ["I don't want to say", undefined],
  ["I can't remember", undefined],
  ["that's none of your business", undefined],
  ["My screen stays dark. I don't know", 'My screen stays dark'],
  ["I don't know, but the heating is broken", 'the heating is broken'],
  ["I can't log in", "I can't log in"],
] as const)('of "%s", the trouble is %j', ([text, trouble]) => {
  expect(readTrouble(text)).toBe(trouble);
});
