import { bareWord } from '@dramaturg/compiler/text';
import { badWord } from '../diagnostics/policies.ts';
import { longestWord } from '../limits.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports words of the policy `words` that cannot be a message, that have two meanings, or that have no answer. */
export const badWords: LifecycleRule = ({ definition, report }) => {
  const meanings = new Map<string, string>();
  const languages = new Set<string>();
  for (const { text, means, says, at } of definition.policies.words) {
    const word = bareWord(text);
    const other = meanings.get(word) ?? means;
    if (word === '') report(badWord('blank', text), at);
    else if (word.length > longestWord) report(badWord('long', text), at);
    else if (other !== means) report(badWord('ambiguous', text, other), at);
    else if (says?.trim() === '') report(badWord('unanswered', text), at);
    meanings.set(word, other);
    languages.add(String(at[2]));
  }
  for (const language of languages)
    if (!isLanguage(language))
      report(badWord('language', language), ['policies', 'words', language], { at: 'key' });
};

function isLanguage(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
