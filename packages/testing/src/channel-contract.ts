import { RejectedError, RetryLaterError } from '@dramaturg/host';
import { describe, expect } from 'vitest';
import { inbound, reports } from './channel-contract/inbound.ts';
import {
  type ChannelContractOptions,
  type ChannelFact,
  channelFactsOf,
  type ChannelStage,
  type MakeChannelPlace,
} from './channel-contract/stage.ts';
import { until } from './host-contract/stage.ts';

/**
 * Registers the tests that every channel with a provider passes, over real HTTP against a stand-in for the provider: messages to
 * people while the provider has every kind of trouble, and requests of the provider, of forgers and of unknown senders.
 *
 * @param makePlace makes a new channel and a new stand-in; called once for each test
 */
export function channelContract(
  makePlace: MakeChannelPlace,
  options: ChannelContractOptions,
): void {
  const chapters = { deliveries, longMessages, inbound, reports };
  for (const [title, chapter] of Object.entries(chapters)) {
    // oxlint-disable-next-line vitest/valid-title -- The chapters are named once, above.
    describe(title, () => {
      chapter(channelFactsOf(makePlace, options));
    });
  }
}

const greeting = 'Hello, Ada.';

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

function deliveries(fact: ChannelFact): void {
  fact('a delivery fulfils when the provider has accepted the message', async (stage) => {
    await stage.deliver({ text: greeting });

    expect(stage.place.provider.shown).toMatchObject([
      { contact: stage.place.contacts[0], text: greeting },
    ]);
  });

  fact('the same message given twice is shown once', async (stage) => {
    await stage.deliver({ text: greeting });
    await stage.deliver({ text: greeting });

    expect(texts(stage)).toEqual([greeting]);
  });

  fact('the same message given again by another process is shown once', async (stage) => {
    await stage.deliver({ text: greeting });
    await stage.deliver({ text: greeting }, { channel: stage.place.another() });

    expect(texts(stage)).toEqual([greeting]);
  });

  fact('a message whose acceptance was lost is shown once', async (stage) => {
    stage.place.provider.troubles.push('lost');
    expect(await failureOf(stage.deliver({ text: greeting }))).not.toBeInstanceOf(RejectedError);
    await stage.deliver({ text: greeting });

    expect(texts(stage)).toEqual([greeting]);
  });

  fact('a permanent refusal is a RejectedError without secrets', async (stage) => {
    stage.place.provider.troubles.push('refused');
    const error = await failureOf(stage.deliver({ text: greeting }));

    expect(error).toBeInstanceOf(RejectedError);
    expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
  });

  fact('wrong credentials do not reject a message for good, and are not shown', async (stage) => {
    stage.place.provider.troubles.push('denied');
    const error = await failureOf(stage.deliver({ text: greeting }));

    expect(error).not.toBeInstanceOf(RejectedError);
    expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
  });

  fact('a provider that limits the rate is asked again after its pause', async (stage) => {
    stage.place.provider.troubles.push('limited');
    const error = await failureOf(stage.deliver({ text: greeting }));

    expect(error).toBeInstanceOf(RetryLaterError);
    expect((error as RetryLaterError).retryAfterMs).toBeGreaterThanOrEqual(1_000);
  });

  for (const trouble of ['failed', 'cut', 'nonsense'] as const)
    fact(
      `a delivery that has ${trouble === 'cut' ? 'been cut' : trouble === 'failed' ? 'failed' : 'got nonsense'} is not permanent`,
      async (stage) => {
        stage.place.provider.troubles.push(trouble);
        const error = await failureOf(stage.deliver({ text: greeting }));

        expect(error).not.toBeInstanceOf(RejectedError);
        expectNoSecret(stage, `${error.message} ${error.stack} ${String(error.cause)}`);
        await stage.deliver({ text: greeting });
        expect(texts(stage)).toEqual([greeting]);
      },
    );

  fact('a delivery ends when its signal aborts', async (stage) => {
    stage.place.provider.troubles.push('silent');
    const error = await failureOf(
      stage.deliver({ text: greeting }, { signal: AbortSignal.timeout(100) }),
    );

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
    await until(() => {
      stage.clock.set(stage.clock.now() + 250);
      return stage.place.provider.shown.length >= 3;
    }, 'the messages');

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

const sentence = 'The quick brown fox jumps over the lazy dog, and nobody knows why. ';

const family = '👩‍👩‍👧‍👦';

/** Texts beyond the limit of the provider: sentences, words without sentences, and characters of several units. */
function longTexts({ place }: ChannelStage): readonly string[] {
  const { max } = place.limit!;
  return [
    sentence.repeat(Math.ceil((max * 2.5) / sentence.length)),
    'word '.repeat(max),
    'x'.repeat(max * 2 + 7),
    'Größe ñandú 漢字 '.repeat(Math.ceil(max / 4)),
    `${family} `.repeat(Math.ceil(max / 4)),
    family.repeat(Math.ceil(max / 6)),
  ];
}

const packed = (text: string) => text.replace(/\s+/gu, '');

function graphemesOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter().segment(packed(text)), ({ segment }) => segment);
}

function longMessages(fact: ChannelFact): void {
  fact(
    'a long message arrives whole and in order, in parts that the provider takes',
    async (stage) => {
      const { provider, limit } = stage.place;
      for (const [index, text] of longTexts(stage).entries()) {
        const before = provider.shown.length;
        await stage.deliver({ text, id: `a/${index}/reply` });
        const parts = provider.shown.slice(before).map((shown) => shown.text);

        expect(parts.length).toBeGreaterThan(1);
        for (const part of parts) expect(limit!.sizeOf(part)).toBeLessThanOrEqual(limit!.max);
        expect(packed(parts.join(''))).toBe(packed(text));
      }
    },
  );

  fact('a long message is never broken inside of a word or a grapheme', async (stage) => {
    const text = sentence.repeat(Math.ceil((stage.place.limit!.max * 2.5) / sentence.length));
    await stage.deliver({ text });
    const words = stage.place.provider.shown.flatMap((shown) => shown.text.trim().split(/\s+/u));
    expect(words).toEqual(text.trim().split(/\s+/u));

    const families = family.repeat(Math.ceil(stage.place.limit!.max / 6));
    const before = stage.place.provider.shown.length;
    await stage.deliver({ text: families, id: 'a/1/reply' });
    const parts = stage.place.provider.shown.slice(before);
    expect(parts.flatMap((shown) => graphemesOf(shown.text))).toEqual(graphemesOf(families));
  });

  fact('a long message that is interrupted goes on with the next part', async (stage) => {
    const { provider, limit } = stage.place;
    const text = sentence.repeat(Math.ceil((limit!.max * 2.5) / sentence.length));
    await stage.deliver({ text, id: 'whole' });
    const whole = provider.shown.map((shown) => shown.text);

    await stage.deliver({ text: 'Next.', id: 'next' });
    provider.troubles.push(undefined, 'failed');
    await expect(stage.deliver({ text, id: 'again' })).rejects.toThrow('answered');
    await stage.deliver({ text, id: 'again' });

    expect(provider.shown.slice(whole.length + 1).map((shown) => shown.text)).toEqual(whole);
  });
}
