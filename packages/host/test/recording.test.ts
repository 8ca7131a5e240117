import {
  type Chart,
  type Port,
  type PortCall,
  PortError,
  type PortInput,
  type Ports,
} from '@dramaturg/compiler';
import {
  readRecording,
  record,
  type Recording,
  RecordingError,
  replay,
  virtualClock,
} from '@dramaturg/host';
import { describe, expect, test } from 'vitest';

const midway = { transcript: { conversation: 'c', length: 2 }, prompt: [] };
const ask = (key: string, more: Partial<PortInput<'reply'>> = {}): PortInput<'reply'> => ({
  key,
  ...midway,
  asks: [],
  directions: [],
  tools: [],
  ...more,
});

/** Calls that write down what they hear. */
function hearing(heard: string[] = []): PortCall {
  return { signal: new AbortController().signal, onText: (part) => void heard.push(part) };
}

const chart: Chart = {
  chart: 1,
  format: 'rehearsal',
  id: 'v1',
  context: { type: 'nothing' },
  output: { type: 'nothing' },
};

/** A recording that is kept in memory. */
function recorder(): { readonly recording: Recording; readonly text: () => string } {
  let written = '';
  const write = (lines: string) => (written += lines);
  const recording = record({ write, chart, input: { to: 'Ada' } });
  return { recording, text: () => written };
}

function replayOf(text: string, id = chart.id): Recording {
  return replay({ recorded: readRecording(text, 'talk'), chart: { ...chart, id } });
}

const nobody: Ports['reply'] = () => {
  throw new Error('Nobody is asked in a replay.');
};

const speaker: Ports['reply'] = async ({ key }, { onText }) => {
  for (const part of ['Good ', 'day ', key]) onText(part);
  return { text: `Good day ${key}`, toolCalls: [] };
};

/** The first difference between a run and its recording. */
async function differenceOf(recording: Recording): Promise<RecordingError> {
  try {
    await recording.finish();
  } catch (error) {
    if (error instanceof RecordingError) return error;
    throw error;
  }
  throw new Error('There is no difference.');
}

describe('a port', () => {
  test('answers in a replay what it has answered, part by part, and is not asked', async () => {
    const { recording, text } = recorder();
    const first: string[] = [];
    const answer = await recording.ports({ reply: speaker }).reply(ask('1'), hearing(first));
    await recording.finish();

    const again: string[] = [];
    const replayed = replayOf(text());
    expect(await replayed.ports({ reply: nobody }).reply(ask('1'), hearing(again))).toEqual(answer);
    await replayed.finish();
    expect(again).toEqual(['Good ', 'day ', '1']);
    expect(again).toEqual(first);
  });

  test('fails in a replay as it has failed, with the name that an agent gave its failure', async () => {
    const { recording, text } = recorder();
    const runAgent: Port<'runAgent'> = () => {
      throw Object.assign(new Error('no'), { error: 'Tired', cause: 'so early' });
    };
    const asked = { key: '1', agent: 'Writer', input: null };
    const failure = {
      code: 'port/failed',
      port: 'runAgent',
      message: 'The port "runAgent" failed: no',
    };
    const behind = { message: 'no', error: 'Tired', cause: 'so early' };
    const failing = async (of: Recording) => of.ports({ runAgent }).runAgent(asked, hearing());

    await expect(failing(recording)).rejects.toMatchObject({ ...failure, cause: behind });
    await recording.finish();
    await expect(failing(replayOf(text()))).rejects.toMatchObject({ ...failure, cause: behind });
  });

  test('that nobody has provided fails in a replay as it has failed', async () => {
    const { recording, text } = recorder();
    const failing = (of: Recording, ports: Partial<Ports>) =>
      (of.ports(ports) as Ports).think({ key: '1', ...midway }, hearing());
    const failure = { code: 'port/not-provided', port: 'think' };
    await expect(failing(recording, { reply: speaker })).rejects.toMatchObject(failure);
    await recording.finish();
    const replayed = replayOf(text());
    await expect(failing(replayed, {})).rejects.toMatchObject(failure);
    await replayed.finish();
  });

  test('keeps what a call has cost, answered or not', async () => {
    const usage = { model: 'm', requests: 2, inputTokens: 30, outputTokens: 4, cost: 0.1 };
    const { recording, text } = recorder();
    const think: Ports['think'] = ({ key }) => {
      if (key === '1') return { text: 'So be it.', usage };
      throw new PortError('port/failed', 'think', 'The model has refused.', { usage });
    };
    const used = async (of: Recording) => {
      const { think: asked } = of.ports({ think });
      const answer = await asked({ key: '1', ...midway }, hearing());
      const failure = await Promise.resolve(asked({ key: '2', ...midway }, hearing())).catch(
        (error: unknown) => error as PortError,
      );
      await of.finish();
      return [answer.usage, failure.usage];
    };
    expect(await used(recording)).toEqual([usage, usage]);
    expect(await used(replayOf(text()))).toEqual([usage, usage]);
  });

  test('that is asked for several things at once answers in the recorded order', async () => {
    const waiting: (() => void)[] = [];
    const reply: Ports['reply'] = ({ key }) =>
      new Promise((resolve) => waiting.push(() => resolve({ text: key })));
    const order = async (of: Recording, ports: Pick<Ports, 'reply'>) => {
      const answered: string[] = [];
      const { reply: asked } = of.ports(ports);
      const calls = ['1', '2', '3'].map(async (key) => {
        answered.push((await asked(ask(key), hearing())).text);
      });
      for (const at of [2, 0, 1]) waiting[at]?.();
      await Promise.all(calls);
      await of.finish();
      return answered;
    };
    const { recording, text } = recorder();
    expect(await order(recording, { reply })).toEqual(['3', '1', '2']);
    waiting.length = 0;
    expect(await order(replayOf(text()), { reply: nobody })).toEqual(['3', '1', '2']);
  });
});

test('time and chance are those of the recording, in order', async () => {
  const { recording, text } = recorder();
  let time = 1_000;
  const uuids = ['b7a1d0c2-3a52-4f3e-9a6b-000000000001', 'b7a1d0c2-3a52-4f3e-9a6b-000000000002'];
  const world = recording.world({
    now: () => (time += 5),
    random: () => 0.25,
    uuid: () => uuids.shift()!,
  });
  const read = ({ now, random, uuid }: typeof world) => [now(), uuid(), random(), now(), uuid()];
  const values = read(world);
  await recording.finish();
  const replayed = replayOf(text());
  const other = { now: () => 0, random: () => 0, uuid: () => '' };
  expect(read(replayed.world(other))).toEqual(values);
  await replayed.finish();
});

test('lines, events and an interruption come again where they came', async () => {
  const play = async (of: Recording, lines: string[], outside: boolean) => {
    const seen: unknown[] = [];
    const leaving = new AbortController();
    const stop = of.stops(leaving.signal);
    const send = of.events((event: { readonly type: string }) => void seen.push(event));
    seen.push(await of.line(async () => lines.shift()));
    if (outside) send({ type: 'task.succeeded' });
    seen.push(await of.line(async () => lines.shift()));
    seen.push(await of.line(async () => lines.shift()));
    if (outside) leaving.abort();
    await of.finish();
    return [...seen, stop.aborted];
  };
  const { recording, text } = recorder();
  const seen = ['Hello', { type: 'task.succeeded' }, 'Bye', undefined, true];
  expect(await play(recording, ['Hello', 'Bye'], true)).toEqual(seen);
  expect(await play(replayOf(text()), [], false)).toEqual(seen);
});

test('a virtual clock stands still while an answer waits for its turn', async () => {
  const clock = virtualClock({ startAt: 0 });
  let written = '';
  const { ports, world, finish } = record({
    write: (lines) => (written += lines),
    chart,
    input: {},
    busy: clock.busy,
  });
  const { timer } = ports({ timer: clock.timer });
  const { now } = world(clock.world);
  const times = await Promise.all(
    [30, 10, 20].map(async (at) => {
      await timer({ key: String(at), at }, hearing());
      return now();
    }),
  );
  await finish();
  expect(times).toEqual([30, 10, 20]);
  expect(readRecording(written, 'talk').entries).toHaveLength(10);
});

describe('the first difference', () => {
  async function recordedText(): Promise<string> {
    const { recording, text } = recorder();
    const { now } = recording.world({ now: () => 7, random: () => 0, uuid: () => '' });
    now();
    await recording.ports({ reply: speaker }).reply(ask('1'), hearing());
    now();
    await recording.finish();
    return text();
  }
  const worldOf = (of: Recording) => of.world({ now: () => 0, random: () => 0, uuid: () => '' });

  test('is the place in an input where a text parts', async () => {
    const recording = replayOf(await recordedText(), 'v2');
    worldOf(recording).now();
    const prompt = [{ title: 'Role', text: 'Be kind.' }];
    void recording.ports({ reply: nobody }).reply(ask('1', { prompt }), hearing());
    expect(await differenceOf(recording)).toMatchObject({
      code: 'recording/differs',
      line: 3,
      message:
        'The run leaves the recording "talk" at line 3: the call of "reply" with the key "1" differs at prompt[0]: it was recorded with nothing there, and is now {"title":"Role","text":"Be kind."}.',
      hint: 'The definition has changed. If the difference is intended, record the run again.',
    });
  });

  test('is a call with another key', async () => {
    const recording = replayOf(await recordedText());
    worldOf(recording).now();
    void recording.ports({ reply: nobody }).reply(ask('2'), hearing());
    const { message, line } = await differenceOf(recording);
    expect(line).toBe(3);
    expect(message).toContain(
      'the run now makes the call of "reply" with the key "2", and the recording has the call of "reply" with the key "1" there.',
    );
  });

  test('is a call that the run does not make any more', async () => {
    const recording = replayOf(await recordedText());
    worldOf(recording).now();
    const { message } = await differenceOf(recording);
    expect(message).toContain(
      'the run does not ask for it any more: the recording has the call of "reply" with the key "1" there.',
    );
  });

  test('is a question for chance where there was one for the time, and the run stops', async () => {
    const recording = replayOf(await recordedText());
    const stop = recording.stops(new AbortController().signal);
    expect(() => worldOf(recording).random()).toThrow(RecordingError);
    expect(stop.aborted).toBe(true);
    const { message, line } = await differenceOf(recording);
    expect(line).toBe(2);
    expect(message).toContain(
      'the run now asks for a random number, and the recording has a read of the time there.',
    );
  });

  test('is a question more than there was before an answer', async () => {
    const recording = replayOf(await recordedText());
    const { now } = worldOf(recording);
    now();
    expect(now).toThrow(RecordingError);
    expect((await differenceOf(recording)).message).toContain(
      'the run now asks for the time, and the recording has a part of the answer to the call of "reply" with the key "1" there.',
    );
  });

  test('stays the first one, whatever the run does after it', async () => {
    const recording = replayOf(await recordedText());
    const { random } = worldOf(recording);
    expect(random).toThrow(RecordingError);
    void recording.ports({ reply: nobody }).reply(ask('9'), hearing());
    expect(random).toThrow('asks for a random number');
    expect((await differenceOf(recording)).line).toBe(2);
  });
});

test('a recording that cannot be written does not disturb the run, and says so at its end', async () => {
  let writes = 0;
  const write = () => {
    writes += 1;
    throw new Error('The disk is full.');
  };
  const recording = record({ write, chart, input: {} });
  const { reply } = recording.ports({ reply: speaker });
  expect(await reply(ask('1'), hearing())).toMatchObject({ text: 'Good day 1' });
  await expect(recording.finish()).rejects.toThrow('The disk is full.');
  // Lines after a gap would be replayed as if nothing were missing.
  expect(writes).toBe(1);
});

describe('a file', () => {
  const head = '{"type":"recording","version":1,"format":"rehearsal","chart":"v1","input":{}}\n';
  const end = '{"type":"end"}\n';
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);

  test.for([
    ['', '"talk" is not a recording: line 1 is not JSON.', 1],
    ['null\n', '"talk" is not a recording: line 1 is not the header of a recording.', 1],
    [
      head.replace('1', '2'),
      "has version 2 of the file's form, and this version of Dramaturg reads version 1.",
      1,
    ],
    [head, 'is cut off at line 2: the run that wrote it did not end.', 2],
    [`${head}{"type":"le`, 'is cut off at line 2', 2],
    [`${head}{"type":"le\n${end}`, 'is damaged: line 2 is not JSON.', 2],
    [`${head}{"type":"left"}\n\n${end}`, 'is damaged: line 3 is not JSON.', 3],
    [`${head}{"type":"left","more":1}\n${end}`, 'is damaged: line 2 is not an entry: ', 2],
    [`${head}{"type":"now","value":"1"}\n${end}`, 'line 2 is not an entry: value: ', 2],
    [`${head}{"type":"event","event":${deep}}\n${end}`, 'is damaged: line 2 is not JSON.', 2],
    [`${head}${end}${end}`, 'line 3 comes after the end of the recording.', 3],
  ] as const)(
    'that is no sound recording says why, with the line (%#)',
    ([text, sentence, line]) => {
      let error: unknown;
      try {
        readRecording(text, 'talk');
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ code: 'recording/unusable', line, hint: expect.any(String) });
      expect((error as Error).message).toContain(sentence);
    },
  );

  test('of another format is not replayed', () => {
    const recorded = readRecording(`${head}${end}`, 'talk');
    expect(() => replay({ recorded, chart: { ...chart, format: 'other' } })).toThrow(
      '"talk" records a definition of the format "rehearsal", and this definition has the format "other".',
    );
  });

  test('names no code and reaches no prototype', async () => {
    const thrown =
      '{"code":"port/failed","message":"m","cause":{"message":"m","__proto__":{"a":1}}}';
    const text = `${head}{"type":"call","port":"reply","key":"1","input":${JSON.stringify(ask('1'))}}\n{"type":"failure","port":"reply","key":"1","thrown":${thrown}}\n${end}`;
    let error: unknown;
    try {
      await replayOf(text).ports({ reply: nobody }).reply(ask('1'), hearing());
    } catch (caught) {
      error = caught;
    }
    expect((error as { cause: { a?: number } }).cause?.a).toBeUndefined();
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});
