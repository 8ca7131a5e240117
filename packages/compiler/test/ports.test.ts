import { createActor, type Snapshot, toPromise, waitFor } from 'xstate';
import { describe, expect, test, vi } from 'vitest';
import { link, listen, type PortCall, PortError, type Ports, providePorts } from '../src/index.ts';
import { askPort } from '../src/entries/machine.ts';
import { quiz, quizChart } from './quiz-format.ts';

/** The error that the machine receives when its only port call fails. */
async function failure(ports: Partial<Ports>): Promise<unknown> {
  const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
  const actor = createActor(providePorts(machine, ports));
  const events: unknown[] = [];
  actor.on('*', (event) => events.push(event));
  actor.start();
  await waitFor(actor, ({ status }) => status === 'done');
  return events[0];
}

describe('a port', () => {
  test('that is not provided says how to provide it', async () => {
    expect(await failure({})).toEqual({
      type: 'failed',
      code: 'port/not-provided',
      message:
        'The chart asks the port "choose", and none is provided. Pass one: providePorts(machine, { choose: ... }).',
    });
  });

  test('that throws fails with its reason', async () => {
    const choose = () => {
      throw new Error('no network');
    };
    expect(await failure({ choose })).toEqual({
      type: 'failed',
      code: 'port/failed',
      message: 'The port "choose" failed: no network',
    });
  });

  test('that answers in a wrong shape fails', async () => {
    const event = await failure({ choose: () => ({ opinion: 'yes' }) as never });
    expect(event).toMatchObject({ type: 'failed', code: 'port/bad-output' });
  });

  test('that is asked in a wrong shape is not called', async () => {
    const choose = vi.fn<Ports['choose']>();
    const broken = { ...quiz.behaviour, inputs: { question: () => ({ key: 'k' }) as never } };
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), broken);
    const actor = createActor(providePorts(machine, { choose }));
    const codes: string[] = [];
    actor.on('failed', (event) => codes.push((event as unknown as { code: string }).code));
    actor.start();
    await waitFor(actor, ({ status }) => status === 'done');
    expect(codes).toEqual(['port/bad-input']);
    expect(choose).not.toHaveBeenCalled();
  });

  test('is not called once the machine has stopped waiting', async () => {
    const choose = vi.fn<Ports['choose']>(() => ({ option: 'yes' }));
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    createActor(providePorts(machine, { choose })).start().stop();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(choose).not.toHaveBeenCalled();
  });

  test('learns that its answer is no longer wanted, also when it asks late', async () => {
    const calls: PortCall[] = [];
    const choose: Ports['choose'] = (_, call) => {
      calls.push(call);
      return new Promise(() => {});
    };
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    const actor = createActor(providePorts(machine, { choose })).start();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(calls[0]!.signal.aborted).toBe(false);
    const early = calls[0]!.signal;
    actor.stop();
    expect([early.aborted, calls[0]!.signal === early]).toEqual([true, true]);

    createActor(providePorts(machine, { choose })).start();
    const second = createActor(providePorts(machine, { choose })).start();
    await new Promise((resolve) => setTimeout(resolve, 0));
    second.stop();
    expect([calls[1]!.signal.aborted, calls[2]!.signal.aborted]).toEqual([false, true]);
  });

  test('is stored with its input and nothing else, and called again with it', async () => {
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    const waits = createActor(
      providePorts(machine, { choose: () => new Promise(() => {}) }),
    ).start();
    const stored = JSON.stringify(waits.getPersistedSnapshot());
    const { children } = JSON.parse(stored) as { children: { choose: { snapshot: object } } };
    expect(children.choose.snapshot).toEqual({
      status: 'active',
      input: expect.objectContaining({ key: 'quiz/0' }),
    });
    const keys: string[] = [];
    const choose: Ports['choose'] = ({ key }) => {
      keys.push(key);
      return { option: 'yes' };
    };
    const snapshot = JSON.parse(stored) as Snapshot<unknown>;
    await toPromise(createActor(providePorts(machine, { choose }), { snapshot }).start());
    expect(keys).toEqual(['quiz/0']);
  });

  test('is given the last lines that were said, where they are kept', async () => {
    const lines = [
      { role: 'agent', text: 'Is it?' },
      { role: 'contact', text: 'Well.' },
    ] as const;
    const heard: unknown[] = [];
    const choose: Ports['choose'] = async (_, { transcript }) => {
      heard.push(await transcript?.(1), await transcript?.(9), await transcript?.(0));
      return { option: 'yes' };
    };
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    const kept = providePorts(machine, { choose }, { transcript: () => lines });
    await toPromise(createActor(kept).start());
    expect(heard).toEqual([lines.slice(1), lines, []]);
    await toPromise(createActor(providePorts(machine, { choose })).start());
    expect(heard.slice(3)).toEqual([undefined, undefined, undefined]);
  });

  test.for([
    ['an answer', () => ({ option: 'yes', usage: { model: 'm', inputTokens: 20 } }), {}],
    [
      'a failure',
      () => {
        const usage = { model: 'm', requests: 2, inputTokens: 20, outputTokens: 0, cost: 0.5 };
        throw new PortError('port/failed', 'choose', 'The answer was cut off.', { usage });
      },
      { requests: 2, cost: 0.5 },
    ],
  ] as const)('tells once what %s has cost', async ([, choose, more]) => {
    const heard: unknown[] = [];
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    const actor = createActor(
      providePorts(machine, { choose }),
      listen((event) => void heard.push(event)),
    );
    await toPromise(actor.start());
    const usage = { model: 'm', requests: 1, inputTokens: 20, outputTokens: 0, ...more };
    expect(heard[0]).toEqual({ type: 'usage.recorded', port: 'choose', key: 'quiz/0', ...usage });
    expect(heard.slice(1)).not.toContainEqual(expect.objectContaining({ type: 'usage.recorded' }));
  });

  test('without a cost, or with an invalid cost in its error, emits no usage', async () => {
    const throwing = (usage: object) => () => {
      throw new PortError('port/failed', 'choose', 'no', { usage: usage as never });
    };
    for (const choose of [
      () => ({ option: 'yes' }),
      throwing({ requests: 1, inputTokens: -9, outputTokens: 0 }),
    ]) {
      const types: string[] = [];
      const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
      const provided = providePorts(machine, { choose });
      await toPromise(
        createActor(
          provided,
          listen(({ type }) => void types.push(type)),
        ).start(),
      );
      expect(types).not.toContain('usage.recorded');
    }
  });

  test('hands over its text part by part, with the key of its call', async () => {
    const parts: string[] = [];
    const machine = link(quizChart({ question: 'Is it?', answer: 'yes' }), quiz.behaviour);
    const provided = providePorts(
      machine,
      {
        choose: (_, { onText }) => {
          onText('y');
          onText('es');
          return { option: 'yes' };
        },
      },
      { onText: (part, key) => parts.push(`${key}: ${part}`) },
    );
    await waitFor(createActor(provided).start(), ({ status }) => status === 'done');
    expect(parts).toEqual(['quiz/0: y', 'quiz/0: es']);
  });
});

test('an answer says what it has cost, and so does a call that failed', async () => {
  const call = { signal: new AbortController().signal, onText: () => {} };
  const usage = { model: 'm', inputTokens: 12, outputTokens: 3 };
  const input = { key: 'k', agent: 'a', input: null };
  expect(await askPort('runAgent', () => ({ result: 1, usage }), input, call)).toEqual({
    result: 1,
    usage: { ...usage, requests: 1 },
  });
  const error = new PortError('port/failed', 'runAgent', 'It refused.', {
    usage: { requests: 1, inputTokens: 12, outputTokens: 0 },
  });
  const failing = () => {
    throw error;
  };
  await expect(askPort('runAgent', failing, input, call)).rejects.toMatchObject({
    usage: { inputTokens: 12 },
  });
});

describe('an extracted value', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'string' } },
      any: { type: 'array' },
      part: { type: 'object' },
      flag: { type: 'boolean' },
      text: { type: 'string' },
      count: { type: 'number' },
      free: {},
    },
  };
  const input = {
    key: 'k',
    transcript: { conversation: 'c', length: 0 },
    prompt: [],
    schema,
  };
  const call: PortCall = { signal: new AbortController().signal, onText: () => {} };
  const answer = (value: unknown) =>
    askPort('extract', () => ({ value, usage: { requests: 1 } }), input, call);

  test('fits when each field has the form that was asked for', async () => {
    const fitting = [
      {},
      { list: ['a'], any: [1], part: {}, flag: false, text: 'a', count: 1, free: [{}] },
      { list: null, part: null, flag: null, text: null },
      // Converting a single value is up to the format.
      { text: 7, count: '7' },
      { unasked: ['anything'] },
    ];
    for (const value of fitting) expect(await answer(value)).toMatchObject({ value });
  });

  test.each<[object, string]>([
    [{ list: 'a' }, '"list" must be a list of texts, but is a text.'],
    [{ list: ['a', 7] }, '"list" must be a list of texts, but is a list.'],
    [{ any: {} }, '"any" must be a list, but is an object.'],
    [{ part: [] }, '"part" must be an object, but is a list.'],
    [{ flag: 'true' }, '"flag" must be true or false, but is a text.'],
    [{ text: ['a'] }, '"text" must be a single value, but is a list.'],
    [{ count: { of: 1 } }, '"count" must be a single value, but is an object.'],
    [
      { flag: 1, part: true },
      '"flag" must be true or false, but is a number; "part" must be an object, but is a truth value.',
    ],
  ])(
    'of a wrong form is not believed, and what it has cost is counted: %j',
    async (value, sentence) => {
      await expect(answer(value)).rejects.toMatchObject({
        code: 'port/bad-output',
        message: `The port "extract" gave a wrong answer: ${sentence}`,
        usage: { requests: 1 },
      });
    },
  );
});
