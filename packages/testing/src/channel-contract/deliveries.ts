import { expect } from 'vitest';
import { RejectedError, RetryLaterError } from '@dramaturg/host';
import { until } from '../host-contract/stage.ts';
import type { ChannelFact, ChannelStage } from './stage.ts';

const text = 'Hello, Ada.';

/** The error of a delivery. */
async function failureOf(delivery: Promise<void>): Promise<Error> {
  return delivery.then(
    () => expect.unreachable('It was delivered.'),
    (error: Error) => error,
  );
}

function expectNoSecret({ place }: ChannelStage, found: string): void {
  for (const secret of place.secrets) expect(found).not.toContain(secret);
}

function texts({ place }: ChannelStage): readonly string[] {
  return place.provider.shown.map((shown) => shown.text);
}

export function deliveries(fact: ChannelFact): void {
  fact('a delivery fulfils when the provider has accepted the message', async (stage) => {
    await stage.deliver({ text });

    expect(stage.place.provider.shown).toMatchObject([{ contact: stage.place.contacts[0], text }]);
  });

  fact('the same message given twice is shown once', async (stage) => {
    await stage.deliver({ text });
    await stage.deliver({ text });

    expect(texts(stage)).toEqual([text]);
  });

  fact('the same message given again by another process is shown once', async (stage) => {
    await stage.deliver({ text });
    await stage.deliver({ text }, { channel: stage.place.another() });

    expect(texts(stage)).toEqual([text]);
  });

  fact('a message whose acceptance was lost is shown once', async (stage) => {
    stage.place.provider.troubles.push('lost');
    expect(await failureOf(stage.deliver({ text }))).not.toBeInstanceOf(RejectedError);
    await stage.deliver({ text });

    expect(texts(stage)).toEqual([text]);
  });

  fact('a permanent refusal is a RejectedError without secrets', async (stage) => {
    stage.place.provider.troubles.push('refused');
    const error = await failureOf(stage.deliver({ text }));

    expect(error).toBeInstanceOf(RejectedError);
    expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
  });

  fact('wrong credentials do not reject a message for good, and are not shown', async (stage) => {
    stage.place.provider.troubles.push('denied');
    const error = await failureOf(stage.deliver({ text }));

    expect(error).not.toBeInstanceOf(RejectedError);
    expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
  });

  fact('a provider that limits the rate is asked again after its pause', async (stage) => {
    stage.place.provider.troubles.push('limited');
    const error = await failureOf(stage.deliver({ text }));

    expect(error).toBeInstanceOf(RetryLaterError);
    expect((error as RetryLaterError).retryAfterMs).toBeGreaterThanOrEqual(1_000);
  });

  for (const trouble of ['failed', 'cut', 'nonsense'] as const)
    fact(
      `a delivery that has ${trouble === 'cut' ? 'been cut' : trouble === 'failed' ? 'failed' : 'got nonsense'} is not permanent`,
      async (stage) => {
        stage.place.provider.troubles.push(trouble);
        const error = await failureOf(stage.deliver({ text }));

        expect(error).not.toBeInstanceOf(RejectedError);
        expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
        await stage.deliver({ text });
        expect(texts(stage)).toEqual([text]);
      },
    );

  fact('a delivery ends when its signal aborts', async (stage) => {
    stage.place.provider.troubles.push('silent');
    const error = await failureOf(stage.deliver({ text }, { signal: AbortSignal.timeout(100) }));

    expect(error).not.toBeInstanceOf(RejectedError);
  });

  fact('the host tries again until the provider accepts, and in order', async (stage) => {
    const { host, agent } = stage.hosting;
    const [contact] = stage.place.contacts;
    stage.place.provider.troubles.push('failed', 'limited', 'cut');
    await host.start('chat', { id: 'a', contact });
    await agent.answer('One.');
    await host.receive({ contact, text: 'Go on.', id: 'm1' });
    await agent.answer('Two.');
    await host.receive({ contact, text: 'Go on.', id: 'm2' });
    await agent.answer('Three.');
    await until(() => stage.place.provider.shown.length >= 3, 'the messages');

    expect(texts(stage)).toEqual(['One.', 'Two.', 'Three.']);
  });

  fact(
    'a message that is refused for good is shown at its line, and the next one arrives',
    async (stage) => {
      const { host, agent } = stage.hosting;
      const [contact] = stage.place.contacts;
      stage.place.provider.troubles.push('refused');
      await host.start('chat', { id: 'a', contact });
      await agent.answer('One.');
      await host.receive({ contact, text: 'Go on.', id: 'm1' });
      await agent.answer('Two.');
      await until(() => stage.place.provider.shown.length > 0, 'the second message');
      const lines = await host.transcript('a', { from: 0, limit: 100 });

      expect(texts(stage)).toEqual(['Two.']);
      expect(lines.find((line) => line.text === 'One.')).toMatchObject({
        delivery: { status: 'failed', reason: expect.any(String) },
      });
      const journal = await host.journal('a', { from: 0, limit: 1_000 });
      expectNoSecret(stage, JSON.stringify([lines, journal]));
    },
  );
}
