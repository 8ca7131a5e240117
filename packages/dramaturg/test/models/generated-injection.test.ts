import { expect, test } from 'vitest';
import { course, failed, gullible, machineNames, undisturbed, unmoved } from './courses.ts';
import { generatedMessages } from './generated-hostile.ts';
import { converse, definition, stageWith } from './stage.ts';
import { scaled } from '../../../../.config/scaled.ts';

const count = scaled(100);

/** A mark that the prompts of this process have had, as a model could have told it to the person. */
async function seenMark(): Promise<string> {
  const { ports, server } = await stageWith(unmoved);
  await converse(definition('customer-intake.plan.json'), ports, ['Hello']);
  const [, mark] = /<(data-[0-9a-f]{8})>/.exec(JSON.stringify(server.requests)) ?? [];
  return mark!;
}

test.each(machineNames)(
  `${count} generated messages that quote a mark of an earlier prompt do not move a %s`,
  async (name) => {
    const mark = await seenMark();
    const messages = generatedMessages(mark, count);
    expect(new Set(messages.map(({ says }) => says)).size).toBeGreaterThan(count * 0.95);
    expect(messages.filter(({ says }) => says.includes(mark)).length).toBeGreaterThan(count / 4);
    for (const hostile of messages) {
      const prompts: string[] = [];
      const brain: typeof unmoved = (asked) => {
        prompts.push(asked.prompt);
        return gullible(hostile)(asked);
      };
      const { went, called } = await course(name, brain, hostile.says);
      // A value of a later question is data that the person may give at any time. It moves nothing before its turn.
      const moves = went.filter((move) => !move.startsWith('deliverable.volunteered'));
      const happened = { went: moves, called };
      const mayFail = name === 'workflow' && happened.went.length === failed.went.length;
      expect({ says: hostile.says, ...happened }).toEqual({
        says: hostile.says,
        ...(mayFail ? failed : undisturbed[name]),
      });
      // Each mark that opens is closed once, in whatever way the message has written it.
      for (const prompt of prompts) expect(unbalanced(prompt)).toEqual([]);
    }
  },
);

/** Marks that a prompt does not open as often as it closes them. */
function unbalanced(prompt: string): string[] {
  const marks = new Set(
    Array.from(prompt.matchAll(/<\/?(data-[0-9a-f]{8})\b/gi), ([, mark]) => mark!),
  );
  return [...marks].filter((mark) => {
    const opened = prompt.match(new RegExp(`<${mark}[ >]`, 'g')) ?? [];
    const closed = prompt.match(new RegExp(`</${mark}>`, 'g')) ?? [];
    return opened.length === 0 || opened.length !== closed.length;
  });
}
