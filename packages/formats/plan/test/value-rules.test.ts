import { compile, type JsonObject, type Ports, providePorts } from '@dramaturg/compiler';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type AnyActor, createActor } from 'xstate';
import { plan } from '../src/index.ts';
import { edges, loose, onKnown, onValue, planOf, state, strict, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

/** Values that a rule of the program checks. Spec: docs/formats/plan.md#rules-of-the-program */

const number = { key: 'number', validate: 'insurance-number', pattern: '^\\d+$' };
const intake = planOf(
  state('ask', strict(task('one', number), task('two', 'name')), edges(to('next'))),
  state('next', loose(task('three', 'rest')), edges(to('bye'))),
  state('bye', loose(task('last', 'last'))),
);

const says = (conversation: Conversation, deliverables: JsonObject) =>
  conversation.turn({ deliverables });

describe('a value with a rule', () => {
  test('is checked by the port, with all values that are known', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.set({ name: 'Ada' });
    await says(conversation, { number: '12' });
    expect(conversation.checked).toEqual([
      { key: 'conversation/1/validate/0', name: 'insurance-number', value: '12', values: {} },
    ]);
    expect(conversation.deliverable('number')).toBe('12');
    expect(conversation.state).toBe('next');
    await says(conversation, { number: '13' });
    expect(conversation.checked.at(-1)).toMatchObject({
      key: 'conversation/2/validate/1',
      values: { number: '12', name: 'Ada' },
    });
  });

  test('is refused with the reason, and asked for again', async () => {
    const conversation = await Conversation.start(intake);
    conversation.rule = () => ({ reason: 'We do not know this number.' });
    await says(conversation, { number: '12', name: 'Ada' });
    expect(conversation.deliverable('number')).toBeUndefined();
    const { asks, prompt } = conversation.asked.reply;
    expect(asks[0]!.name).toBe('number');
    expect(prompt.find(({ title }) => title === 'Not recorded')!.text).toContain('do not know');
  });

  test('is replaced by another value, which has the same limits', async () => {
    const conversation = await Conversation.start(intake);
    conversation.rule = ({ value }) => ({ value: value === '1' ? '0001' : 'none' });
    await says(conversation, { number: '1' });
    expect(conversation.deliverable('number')).toBe('0001');
    await says(conversation, { number: '2' });
    expect(conversation.deliverable('number')).toBe('0001');
    expect(conversation.news().join()).toContain('"none" does not have the right form');
  });

  test('that its limits refuse is not checked', async () => {
    const conversation = await Conversation.start(intake);
    await says(conversation, { number: 'x' });
    expect(conversation.checked).toEqual([]);
  });

  test('is checked when an update brings it, and no reply follows', async () => {
    const conversation = await Conversation.start(intake);
    conversation.rule = ({ value }) => (value === '2' ? { ok: true } : { reason: 'No.' });
    await conversation.set({ number: '1', name: 'Ada' });
    expect([conversation.deliverable('number'), conversation.isWaiting]).toEqual([undefined, true]);
    await conversation.set({ number: '2', name: 'Ada' }, { complete: ['one', 'two'] });
    expect([conversation.state, conversation.isWaiting]).toEqual(['next', true]);
    expect(conversation.news().filter((line) => line.startsWith('refused'))).toHaveLength(1);
    expect(conversation.checked.map(({ key }) => key)).toEqual([
      'conversation/0/validate/0',
      'conversation/0/validate/1',
    ]);
  });

  test('that was said early counts only once it was checked by the rule of its declaration', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('ask', loose(task('one', 'name')), edges(onKnown('check', 'name'))),
        state('check', loose(task('two', number)), edges(onValue('bye', 'number', '12'))),
        state('bye', loose(task('last', 'last'))),
      ),
    );
    conversation.rule = ({ value }) => (value === '12' ? { ok: true } : { reason: 'No.' });
    await says(conversation, { number: '11' });
    expect(conversation.context.volunteered).toBeUndefined();
    await says(conversation, { number: '12' });
    await says(conversation, { name: 'Ada' });
    expect(conversation.state).toBe('bye');
    expect(conversation.checked).toHaveLength(2);
  });
});

/** Ports that wait until they are answered. */
function waitingPorts() {
  const open: { readonly port: string; readonly resolve: (answer: never) => void }[] = [];
  const port = (name: string) => () =>
    new Promise<never>((resolve) => {
      open.push({ port: name, resolve });
    });
  const ports = Object.fromEntries(
    ['reply', 'extract', 'validate'].map((name) => [name, port(name)]),
  ) as unknown as Ports;
  const answer = async (name: string, output: object) => {
    const index = open.findIndex((call) => call.port === name);
    const [call] = open.splice(index, 1);
    call!.resolve(output as never);
    await setImmediate();
    await setImmediate();
  };
  return { ports, answer, names: () => open.map((call) => call.port) };
}

describe('while a value is checked', () => {
  const started = async () => {
    const waiting = waitingPorts();
    const { machine } = compile(JSON.stringify(intake), { formats: [plan], format: 'plan' });
    const actor: AnyActor = createActor(providePorts(machine!, waiting.ports)).start();
    await setImmediate();
    await waiting.answer('reply', { text: 'Your number?' });
    return { actor, ...waiting };
  };
  const update = (deliverables: JsonObject) => ({ type: 'plan.update', deliverables });
  const said = (text: string) => ({ type: 'message.received', text });

  test('a message waits, and is answered afterwards', async () => {
    const { actor, answer, names } = await started();
    actor.send(update({ number: '12' }));
    actor.send(said('Ada'));
    await setImmediate();
    expect(names()).toEqual(['validate']);
    await answer('validate', { ok: true });
    expect(names()).toEqual(['extract']);
    expect(actor.getSnapshot().context.deliverables.number.value).toBe('12');
  });

  test('another update waits for its own check', async () => {
    const { actor, answer, names } = await started();
    actor.send(said('It is 12'));
    await setImmediate();
    actor.send(update({ number: '13' }));
    await answer('extract', { value: { deliverables: { number: '12' } } });
    await answer('validate', { ok: true });
    await answer('validate', { reason: 'No.' });
    const { deliverables, unchecked } = actor.getSnapshot().context;
    expect([deliverables.number.value, unchecked, names()]).toEqual(['13', [], ['reply']]);
  });

  test('a stored conversation is checked again under the same key', async () => {
    const { actor } = await started();
    actor.send(update({ number: '12' }));
    const snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
    const keys: string[] = [];
    const { machine } = compile(JSON.stringify(intake), { formats: [plan], format: 'plan' });
    const restored = createActor(
      providePorts(machine!, {
        validate: ({ key }) => {
          keys.push(key);
          return { ok: true };
        },
      }),
      { snapshot },
    ).start();
    await setImmediate();
    await setImmediate();
    expect(keys).toEqual(['conversation/0/validate/0']);
    expect(restored.getSnapshot().context.deliverables.number.value).toBe('12');
  });
});
