import { expect } from 'vitest';
import { type Fact, until } from './stage.ts';

/** What is told to an instance is stored, and handled once, in order. */
export function mailbox(fact: Fact): void {
  fact('H1: a message that was acknowledged is there after a restart', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.reopen();
    expect(await stage.said('a')).toContain('contact: Hi.');
    const call = await stage.agent.answer('Hello.');
    expect(call.input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
  });

  fact('H3: events that come at the same time are handled in order of arrival', async (stage) => {
    await stage.greeted('a', 'ada');
    const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) =>
        stage.host.send('a', { type: 'message.received', id: `m${index}`, text }),
      ),
    );
    expect(answers.every(({ accepted }) => accepted)).toBe(true);
    const said = await stage.said('a');
    expect(said.filter((line) => line.startsWith('contact'))).toEqual(
      texts.map((text) => `contact: ${text}`),
    );
  });

  fact(
    'H3: of two commands at the same time the second is judged by what the first did',
    async (stage) => {
      await stage.greeted('a', 'ada');
      const [first, second] = await Promise.all([stage.host.pause('a'), stage.host.pause('a')]);
      expect(first).toMatchObject({ accepted: true, state: 'PAUSED' });
      expect(second).toMatchObject({ accepted: false, state: 'PAUSED' });
    },
  );

  fact('H3: never more than one turn runs', async (stage) => {
    await stage.greeted('a', 'ada');
    for (let index = 0; index < 10; index += 1)
      await stage.host.receive({ contact: 'ada', text: `message ${index}` });
    await stage.agent.next();
    expect(stage.agent.open).toHaveLength(1);
    await stage.agent.answer('one');
    await until(() => stage.agent.open.length > 0, 'the second turn');
    expect(stage.agent.open).toHaveLength(1);
  });
}
