import { type AnyFormat, compile, printPretty } from '@dramaturg/compiler';
import { nameUse } from '@dramaturg/compiler/machine';
import { describe, expect, test } from 'vitest';
import { chartLines } from './chart-lines.ts';
import { type Fixture, fixturesIn } from './fixtures.ts';
import { playTranscript, type PlayOptions } from './play.ts';
import { significantLines } from './transcript.ts';

/**
 * Registers the golden tests of a format: each fixture below a folder compiles to its chart.txt, or is refused with its
 * diagnostics.txt, and each transcript is played twice: without interruption, and with a recovery after every line.
 *
 * @param word describes the format's events in the words of its transcripts
 */
export function golden(format: AnyFormat, root: URL, word: NonNullable<PlayOptions['word']>): void {
  const fixtures = fixturesIn(root);
  const compiled = (fixture: Fixture) =>
    compile(fixture.definition.text, {
      formats: [format],
      fileName: fixture.definition.fileName,
      options: fixture.setup.options,
    });

  describe.each(
    fixtures.filter(({ fails }) => fails).map((fixture) => [fixture.name, fixture] as const),
  )('%s', (_, fixture) => {
    test('is refused with these findings', async () => {
      const { machine, diagnostics } = compiled(fixture);
      expect(machine).toBeUndefined();
      const { fileName, text } = fixture.definition;
      await expect(printPretty(diagnostics, { text, fileName })).toMatchFileSnapshot(
        `${fixture.folder}/diagnostics.txt`,
      );
    });
  });

  describe.each(
    fixtures.filter(({ fails }) => !fails).map((fixture) => [fixture.name, fixture] as const),
  )('%s', (_, fixture) => {
    const { chart, machine, diagnostics } = compiled(fixture);

    test('compiles to this chart', async () => {
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      await expect(chartLines(chart!)).toMatchFileSnapshot(`${fixture.folder}/chart.txt`);
    });

    for (const { name, text: transcript } of fixture.transcripts) {
      for (const recover of [false, true]) {
        test(`${name}, ${recover ? 'recovered after every line' : 'straight'}`, async () => {
          const { input } = fixture.setup;
          const played = await playTranscript(machine!, transcript, { input, word, recover });
          expect(played).toEqual(significantLines(transcript));
        });
      }
    }
  });

  test('every name of the behaviour is used by some chart', () => {
    const charts = fixtures.flatMap((fixture) => compiled(fixture).chart ?? []);
    const [first = [], ...rest] = charts.map((chart) => nameUse(chart, format.behaviour).unused);
    expect(first.filter((name) => rest.every((unused) => unused.includes(name)))).toEqual([]);
  });
}
