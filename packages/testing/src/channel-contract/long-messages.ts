import { expect } from 'vitest';
import type { ChannelFact, ChannelStage } from './stage.ts';

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

export function longMessages(fact: ChannelFact): void {
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
