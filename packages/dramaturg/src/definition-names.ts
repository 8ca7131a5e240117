import { nearestName } from '@dramaturg/compiler/text';
import { formats } from './known-formats.ts';

/** The words before the colon that say that an agent is a definition, such as `plan` in `plan:intake`. */
const definitionWords = [
  ...formats.map(({ name }) => name),
  'workflow',
  'scenario',
  'graph',
  'definition',
];

/** The name of the definition in the name of an agent: `intake` for `plan:intake`. The word need not match its format. */
export function definitionOf(agent: string): string | undefined {
  const [word, name] = parts(agent);
  return definitionWords.includes(word) ? name : undefined;
}

/**
 * The correct spelling of an agent whose kind of definition is misspelt: `plan:intake` for `paln:intake`. Undefined for all
 * other names, such as `Summarise` or an ARN.
 */
export function meantDefinition(agent: string): string | undefined {
  const [word, name] = parts(agent);
  if (name === undefined || definitionWords.includes(word)) return undefined;
  // A short word is similar to almost any other word.
  const nearest = nearestName(word, definitionWords);
  const isMeant = nearest && (nearest.length > 3 || nearest === word.toLowerCase());
  return isMeant ? `${nearest}:${name}` : undefined;
}

function parts(agent: string): readonly [word: string, name?: string] {
  const colon = agent.indexOf(':');
  return colon < 0 ? [agent] : [agent.slice(0, colon), agent.slice(colon + 1)];
}
