import { expect, test } from 'vitest';
import { course, failed, gullible, isTask, machineNames, undisturbed, unmoved } from './courses.ts';
import { hostileMessages } from './hostile.ts';
import { answering, type Brain } from './stage.ts';
import { runsAll } from '../../../../.config/scaled.ts';

test('there are fifty hostile messages', () => {
  expect(new Set(hostileMessages.map(({ says }) => says)).size).toBe(50);
});

test.each(machineNames)('undisturbed, this is the course of the %s', async (name) => {
  const happened = await course(name, unmoved, 'Good morning.');
  expect(happened).toEqual(undisturbed[name]);
});

test('valid answers of a model move the machines', async () => {
  const moved: Brain = (asked) => {
    if (asked.options) return answering(asked, { option: asked.options.at(-1), reason: '' });
    if (asked.schema) return answering(asked, { deliverables: { customer_name: 'Ada' } });
    return { text: isTask(asked) ? '{"class": "refund"}' : 'I see.' };
  };
  for (const name of machineNames) {
    if (name === 'workflow') continue;
    expect(await course(name, moved, 'Good morning.')).not.toEqual(undisturbed[name]);
  }
});

/** Each message is for every machine in `npm run test:all`, and for one of them in `npm test`. */
const cases = hostileMessages.map((hostile, index) => {
  const machines = runsAll ? machineNames : [machineNames[index % machineNames.length]!];
  return [JSON.stringify(hostile.says).slice(0, 60), hostile, machines] as const;
});

test.each(cases)('%s', async (_, hostile, machines) => {
  for (const name of machines) {
    const happened = await course(name, gullible(hostile), hostile.says);
    const mayFail = name === 'workflow' && happened.went.length === failed.went.length;
    expect({ name, ...happened }).toEqual({ name, ...(mayFail ? failed : undisturbed[name]) });
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
