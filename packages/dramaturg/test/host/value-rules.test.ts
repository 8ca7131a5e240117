import { manualClock } from '@dramaturg/host';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compile, createHost, type Ports, understudyPorts } from '../../src/index.ts';
import { places } from './stage.ts';

/** Rules of the program on a host. Spec: docs/formats/plan.md#rules-of-the-program */

const definition = compile(
  JSON.stringify({
    id: 'clinic',
    title: 'Clinic',
    states: [
      {
        id: 'patient',
        title: 'Patient',
        tasks: [
          {
            id: 'number',
            description: 'Ask for the number',
            deliverables: [
              {
                key: 'insurance_number',
                description: 'Which is your insurance number?',
                validate: 'insurance-number',
                refusal: 'I do not find that number.',
              },
            ],
          },
        ],
      },
    ],
  }),
  { fileName: 'clinic.plan.json' },
);

async function hosted(store: string, validate: Ports['validate']) {
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const sent: string[] = [];
  const host = await createHost({
    store: places[store]!(),
    clock,
    definitions: { clinic: definition },
    ports: { ...understudyPorts(), validate },
    channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    onError: () => {},
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('clinic', { id: 'a', contact: 'ada' });
  await host.settle();
  const pass = async (ms: number) => {
    clock.set(clock.now() + ms);
    await host.settle();
  };
  return { host, sent, pass };
}

describe.each(Object.keys(places))('over the store %s', (store) => {
  test('a refused value is told, and the next one counts', async () => {
    const { host, sent } = await hosted(store, ({ value }) =>
      value === '4712' ? { ok: true } : { reason: 'It is unknown.' },
    );
    await host.receive({ contact: 'ada', text: '4711' });
    await host.settle();
    expect(sent.at(-1)).toMatch(/^I do not find that number\..*Which is your insurance number\?/s);
    await host.receive({ contact: 'ada', text: '4712' });
    await host.settle();
    expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
  });

  test('an update is checked too, and its call is made again when it fails', async () => {
    let calls = 0;
    const { host, pass } = await hosted(store, () => {
      calls += 1;
      if (calls === 1) throw new Error('The register is down.');
      return { ok: true };
    });
    const update = { type: 'plan.update', deliverables: { insurance_number: '4712' } };
    expect(await host.send('a', update)).toMatchObject({ accepted: true });
    await host.settle();
    await pass(600_000);
    expect(calls).toBe(2);
    expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
  });
});
