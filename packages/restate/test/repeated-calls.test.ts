import {
  chartOf,
  isSlowStep,
  rehearsalBehaviour,
  rehearsalCharts,
  until,
} from '@dramaturg/testing';
import { conversationLifecycle, lifecycle } from '@dramaturg/lifecycle';
import { sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';

const reason = whyNoRestate();
const { policies } = conversationLifecycle;

/** A model that is down. */
async function hosted(delay_ms: number) {
  const { ingress, admin } = await sharedRestate();
  const model = { isDown: true, keys: [] as string[] };
  const said: string[] = [];
  const errors: string[] = [];
  const model_failure = { attempts: 3, delay_ms, backoff_rate: 1, max_delay_ms: delay_ms };
  const definition = { ...conversationLifecycle, policies: { ...policies, model_failure } };
  const conversation = chartOf(definition, lifecycle);
  const host = await restateHost({
    ingress,
    admin,
    namespace: `t${Date.now()}`,
    definitions: [{ name: 'chat', chart: rehearsalCharts.chat, lifecycle: conversation }],
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      [conversation.format, lifecycle.behaviour],
    ]),
    ports: {
      reply: async ({ key }) => {
        model.keys.push(key);
        if (model.isDown) throw new Error('The model is down.');
        return { text: 'Hello.' };
      },
    },
    channels: { main: { deliver: async ({ text }) => void said.push(text) } },
    onError: (error) => {
      if (!isSlowStep(error)) errors.push((error as Error).message);
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  const retry = async () => (await host.get('a')).waits.find((wait) => wait.for === 'retry');
  return { host, model, said, errors, retry };
}

describe.skipIf(reason !== undefined)(`on Restate${reason ? ` (${reason})` : ''}`, () => {
  test('a failed call is made again with the same key, until the model answers', async () => {
    const { host, model, said, errors, retry } = await hosted(700);
    await host.start('chat', { id: 'a', contact: 'ada' });
    await until(async () => (await retry())?.attempt === 3, 'the second failure');
    model.isDown = false;
    await until(() => said.length === 1, 'the greeting');
    expect(new Set(model.keys).size).toBe(1);
    expect(model.keys).toHaveLength(3);
    expect(errors[0]).toContain('Attempt 1 of 3 has failed');
    expect((await host.get('a')).state).toBe('WAITING_FOR_REPLY');
  });

  test('after the last attempt, a person takes over', async () => {
    const { host, model } = await hosted(50);
    await host.start('chat', { id: 'a', contact: 'ada' });
    const state = async () => (await host.get('a')).state;
    await until(async () => (await state()) === 'NEEDS_HUMAN_INTERVENTION', 'the need of a person');
    expect(model.keys).toHaveLength(3);
  });

  test('a message makes the next attempt at once', async () => {
    const { host, model, said, retry } = await hosted(3_600_000);
    await host.start('chat', { id: 'a', contact: 'ada' });
    await until(async () => (await retry())?.attempt === 2, 'the failure');
    model.isDown = false;
    await host.receive({ contact: 'ada', text: 'Hello?' });
    await until(() => said.length === 2, 'the greeting and the answer');
    expect(await retry()).toBeUndefined();
  });
});
