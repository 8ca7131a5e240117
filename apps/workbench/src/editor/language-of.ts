import type { Language } from '@dramaturg/compiler';

/** What a definition is read as, to colour it: its file's name says it, or else how the text begins (as `read` does it). */
export function languageOf(text: string, fileName = ''): Language {
  if (/\.jsonc?$/i.test(fileName)) return 'json';
  if (/\.ya?ml$/i.test(fileName)) return 'yaml';
  return /^\uFEFF?\s*(?:[{["]|\/\/|\/\*)/.test(text) ? 'json' : 'yaml';
}
