import type { Chart } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { fallbackFor, languageOf } from '../src/instance/fallbacks.ts';

test.each(['en', 'de', 'fr', 'es', 'it', 'pt'])('%s has a sentence for each cause', (language) => {
  for (const cause of ['waiting', 'failed'])
    for (const code of [language, `${language}-XX`, language.toUpperCase()])
      expect(fallbackFor(cause, code)).toBe(fallbackFor(cause, language));
  expect(fallbackFor('waiting', language)).not.toBe('');
  expect(fallbackFor('waiting', language) === fallbackFor('waiting', 'xx')).toBe(language === 'en');
});

test('the language is that of the definition', () => {
  const chartWith = (meta: object) =>
    ({ states: { conversation: { states: { plan: { meta }, turn: {} } } } }) as unknown as Chart;
  expect(languageOf(chartWith({ language: 'fr' }))).toBe('fr');
  expect(languageOf(chartWith({}))).toBeUndefined();
});
