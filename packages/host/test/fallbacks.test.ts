import { expect, test } from 'vitest';
import { fallbackFor } from '../src/instance/instance-messages.ts';

test.each(['en', 'de', 'fr', 'es', 'it', 'pt'])('%s has a sentence for each cause', (language) => {
  for (const cause of ['waiting', 'failed'])
    for (const code of [language, `${language}-XX`, language.toUpperCase()])
      expect(fallbackFor(cause, code)).toBe(fallbackFor(cause, language));
  expect(fallbackFor('waiting', language)).not.toBe('');
  expect(fallbackFor('waiting', language) === fallbackFor('waiting', 'xx')).toBe(language === 'en');
});
