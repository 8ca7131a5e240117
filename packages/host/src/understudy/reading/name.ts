import { withoutGreeting } from './greeting.ts';
import { excerpt } from './words.ts';

/** What people say before their name, wherever it stands. */
const leadIn =
  /(?:^|[\s,.!;])(?:my (?:full |first |preferred )?name is|my (?:full |first )?name['’]s|the name is|the name['’]s|name['’]?s|name is|call me|i go by|i['’]m called|i am called)\s+(?=\S)/giu;

/** What names somebody at the start of a sentence; elsewhere it says other things as well: "Ada, and I am married". */
const introduction = "(?:i['’]m|i am|im|this is|it['’]s|it is)\\s+(?=\\S)";
const introductionFirst = new RegExp(`(?:^|[.!;]\\s{1,9})${introduction}`, 'giu');
const introductionAnywhere = new RegExp(`[\\s,]${introduction}`, 'giu');

/** After "I'm", these begin no name. */
const noName = new Set(
  `a an the not no so very just here having looking trying calling writing sorry fine good well ok okay great doing
  from in at on afraid unable interested happy glad sad tired my your really still also about what that this it`.split(
    /\s+/u,
  ),
);

/** A name ends before these. */
const ends = new Set(
  'and but or from with here i im my please because so who at in for by calling speaking thanks thank years'.split(
    ' ',
  ),
);

const abbreviation = /^(?:dr|mr|mrs|ms|st|jr|sr|prof|\p{L})\.$/iu;
const longestName = 5;

/** The name in "Hi, my name is Ada and I have a question", or nothing when no name is set off from the text. */
export function readName(answer: string): string | undefined {
  const text = excerpt(answer);
  return (
    nameAfter(leadIn, text) ??
    nameAfter(introductionFirst, text) ??
    nameBeforeSmallTalk(text) ??
    nameAfter(introductionAnywhere, text)
  );
}

function nameAfter(pattern: RegExp, text: string): string | undefined {
  for (const match of text.matchAll(pattern)) {
    const start = match.index + match[0].length;
    const name = nameIn(text.slice(start, start + 200));
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameIn(text: string): string | undefined {
  const words: string[] = [];
  for (const word of text.split(/\s+/u)) {
    const bare = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    if (!/\p{L}/u.test(bare) || ends.has(bare) || (words.length === 0 && noName.has(bare))) break;
    const goesOn = abbreviation.test(word) || !/[.,;:!?]$/u.test(word);
    words.push(goesOn ? word : word.replace(/[.,;:!?]{1,9}$/u, ''));
    if (!goesOn || words.length === longestName) break;
  }
  const name = words.join(' ');
  return name === '' ? undefined : name;
}

const smallTalk =
  /(?:[,.!;]\s{0,9}(?:(?:and|but|so) )?|\s(?:and|but|so) )(?:please|thanks|thank you|i|i['’]m|my|we|can|could|nice|pleased|how are|how about|what about|why|you)\b/iu;

const politeStart =
  /^(?:nice|pleased|glad|good|great|thanks|thank|sure|ok|okay|yes|yeah|no|well|oh|hi|hello|hey)\b/iu;

/** "Maria, and please be quick": a name, for a name was asked. */
function nameBeforeSmallTalk(text: string): string | undefined {
  const at = text.search(smallTalk);
  const name = at > 0 ? text.slice(0, at).trim() : '';
  return name !== '' &&
    !isSentence(name) &&
    !politeStart.test(name) &&
    name.split(/\s+/u).length <= longestName
    ? name
    : undefined;
}

/** True of a text that begins as sentences do and names do not. */
export function isSentence(text: string): boolean {
  return /^(?:i|i['’](?:m|d|ve|ll)|my|we|can|could|please|there|is|it|it['’]s|why|what|how)\s/iu.test(
    withoutGreeting(text),
  );
}
