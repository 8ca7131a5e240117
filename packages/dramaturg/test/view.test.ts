import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { personAtTerminal } from '../src/cli/conversation/terminal.ts';
import { readScript } from '../src/cli/conversation/choose-person.ts';
import { type Output, outputTo } from '../src/cli/output.ts';
import { paragraph } from '../src/cli/view/paragraph.ts';
import { stageView } from '../src/cli/view/stage-view.ts';

/** An output that keeps what is written. */
function page(width: number): Output & { readonly text: () => string } {
  let text = '';
  return {
    write: (part) => void (text += part),
    paint: (_style, part) => part,
    colour: false,
    isTerminal: true,
    width: () => width,
    text: () => text,
  };
}

test('a paragraph is broken between words, whatever the parts it comes in', () => {
  const text = 'one two three four\nfive';
  for (const parts of [[text], text.split('')]) {
    const output = page(18);
    const spoken = paragraph(output, 'agent  ', 7);
    for (const part of parts) spoken.say(part);
    spoken.end();
    expect(output.text()).toBe('agent  one two\n       three four\n       five\n');
  }
});

test('a word that is wider than the page is cut, between characters', () => {
  const output = page(20);
  const spoken = paragraph(output, '', 0);
  spoken.say(`see ${'👩‍👧'.repeat(12)}`);
  spoken.end();
  expect(output.text()).toBe(`see\n${'👩‍👧'.repeat(10)}\n${'👩‍👧'.repeat(2)}\n`);
});

test('a message that differs from what was heard while it was made is told in full', () => {
  const output = page(80);
  const view = stageView(output);
  view.hear('I thi', 'a/1/reply');
  view.see({ type: 'message.sent', text: 'I know.', key: 'a/1/reply', state: 'hello' });
  expect(output.text()).toBe('agent  I thi\n\nagent  I know.\n');
});

describe("an agent's line is printed once", () => {
  const line = 'Which amount is wrong?';
  const sent = { type: 'message.sent', text: line, key: 'a/1/reply', state: 'hello' } as const;
  const note = { type: 'task.completed', task: 'charge', state: 'hello' } as const;
  const collected = {
    type: 'deliverable.collected',
    deliverable: 'name',
    value: 'Ada',
    state: 'hello',
  } as const;
  const failed = { type: 'turn.failed', port: 'reply', code: 'x', message: 'Away.' } as const;
  type View = ReturnType<typeof stageView>;

  const ways: Readonly<Record<string, (view: View) => void>> = {
    'as a whole': (view) => view.see(sent),
    'as it is made': (view) => {
      for (const part of line) view.hear(part, sent.key);
      view.see(sent);
    },
    'with what it brings told before it is sent': (view) => {
      for (const part of line) view.hear(part, sent.key);
      view.see(collected);
      view.see(note);
      view.see(sent);
    },
    'with space around what is made': (view) => {
      view.hear(` ${line} `, sent.key);
      view.see(sent);
    },
    'made under another key, as after a call of a tool': (view) => {
      view.hear(line, 'a/1/reply/2');
      view.see(note);
      view.see(sent);
    },
    'made again under its key, after an outage': (view) => {
      view.hear('Which am', sent.key);
      view.see(failed);
      view.hear(line, sent.key);
      view.see(sent);
    },
    'made again within one call': (view) => {
      view.hear('Which am', sent.key);
      view.hear(line, sent.key);
      view.see(note);
      view.see(sent);
    },
  };

  test.for(Object.entries(ways))('%s', ([, tell]) => {
    const output = page(80);
    const view = stageView(output);
    tell(view);
    expect(output.text().split(line)).toHaveLength(2);
    // The same words in the next turn are another line.
    view.say('The second.', false);
    view.see(sent);
    expect(output.text().split(line)).toHaveLength(3);
  });

  test('also when the agent says nothing new in its next line', () => {
    const output = page(80);
    const view = stageView(output);
    view.hear(line, sent.key);
    view.see(sent);
    view.see({ ...sent, key: 'a/2/reply' });
    expect(output.text().split(line)).toHaveLength(3);
  });

  test('of two workflows or instances that speak at the same time, each line', () => {
    const output = page(80);
    const view = stageView(output);
    view.hear('Which ', 'a/1/reply');
    view.hear('Hello ', 'b/1/reply');
    view.hear('amount is wrong?', 'a/1/reply');
    view.hear('there.', 'b/1/reply');
    view.see({ ...sent, text: 'Hello there.', key: 'b/1/reply' });
    view.see(sent);
    const words = output.text().replaceAll(/agent|\s/g, '');
    expect(words).toBe('WhichHelloamountiswrong?there.');
  });
});

test('a turn that failed is told, with what to do', () => {
  const said = (code: string, unanswered: string | undefined, canRetry: boolean) => {
    const output = page(80);
    const message = 'No network.';
    const more = unanswered === undefined ? {} : { unanswered };
    stageView(output).see(
      { type: 'turn.failed', port: 'reply', code, message, ...more },
      { canRetry },
    );
    return output.text();
  };
  const failed = '     ✗ the port "reply" failed (port/failed): No network.\n';
  expect(said('port/failed', 'Ada', true)).toBe(
    `${failed}     · Your message is kept. Press Enter to try again.\n`,
  );
  expect(said('port/failed', undefined, true)).toBe(`${failed}     · Press Enter to try again.\n`);
  expect(said('port/failed', 'Ada', false)).toBe(
    `${failed}     · Say it again, or say something else.\n`,
  );
  expect(said('port/limit-reached', 'Ada', true)).not.toContain('try again');
});

test('a reply that was shown in part before it failed is marked', () => {
  const output = page(80);
  const view = stageView(output);
  view.hear('It costs', 'a/1/reply');
  view.see({ type: 'turn.failed', port: 'reply', code: 'port/failed', message: 'It was cut off.' });
  expect(output.text()).toContain('the reply above is not whole, and does not count');
});

test('of a script the lines with ">" are the person’s; without any, all are', () => {
  expect(readScript('state: a\n> Ada\n> user: "4711, \\"B\\""\n> model: {}\n>\n', 'x')).toEqual([
    'Ada',
    '4711, "B"',
  ]);
  expect(readScript('Ada\r\n\r\n4711\n', 'x')).toEqual(['Ada', '4711']);
});

test('what is typed while the agent speaks stands in the next prompt and nowhere else', async () => {
  const keys = new PassThrough();
  const screen = new PassThrough();
  const person = personAtTerminal(keys as never, screen as never, () => {});
  keys.write('Ada\r47');
  await new Promise(setImmediate);
  expect(screen.read()).toBeNull();
  expect(await person.nextLine(() => 'you ')).toBe('Ada');
  const next = person.nextLine(() => 'you ');
  keys.write('11\r');
  expect(await next).toBe('4711');
  expect(String(screen.read())).toContain('you Ada\n');
  person.leave();
});

test('Ctrl+C and Ctrl+D are leaving', async () => {
  for (const key of ['\u0003', '\u0004']) {
    const keys = new PassThrough();
    let hasLeft = false;
    const person = personAtTerminal(keys as never, new PassThrough() as never, () => {
      hasLeft = true;
    });
    const line = person.nextLine(() => 'you ');
    keys.write(key);
    expect(await line).toBeUndefined();
    expect(hasLeft).toBe(true);
  }
});

test('what is no terminal gets 80 columns and no colours', () => {
  const output = outputTo(new PassThrough());
  expect([output.width(), output.isTerminal, output.colour]).toEqual([80, false, false]);
});
