import { answeringPart } from './question-back.ts';
import { isGreeting, withoutGreeting } from './greeting.ts';

const mostTexts = 100;

/** The items of an enumeration: "milk, bread and eggs". */
export function readTexts(message: string): string[] {
  const said = answeringPart(message).trim();
  if (said === '' || isGreeting(said)) return [];
  const items = withoutGreeting(said.slice(0, 10_000))
    .replace(
      /^(?:it['’]s|that would be|i (?:have|like|need|want|would like)|these are)\s+(?=\S)/iu,
      '',
    )
    .split(/[,;\n]|\s(?:and|&|plus|as well as)\s/u)
    .map((item) =>
      item
        .replace(/^\s*(?:and|[-*•])\s+/u, '')
        .replace(/[\s.!]+$/u, '')
        .trim(),
    );
  return [...new Set(items.filter((item) => item !== ''))].slice(0, mostTexts);
}
