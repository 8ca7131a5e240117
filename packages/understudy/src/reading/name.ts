import { listed } from './words.ts';
import { excerpt, readYesNo, withoutGreeting } from './phrases.ts';

/** Words before a name, anywhere in a text. */
const leadIn =
  /(?<=^|[\s,.!;])(?:(?:my|his|her|their|the)(?: \p{L}+['’]s?)? (?:full |first |last |preferred )?name(?: is|['’]s|,)|my name|you (?:can|may) call me|(?:put|have|book) (?:it|me|us|that) (?:down )?under|under the name(?: of)?|people call me|the name is|the name['’]s|name['’]?s|(?:my )?name\?|name is|call me|i go by|(?:\p{L}+(?:['’][ms]| am| is) called)|(?:me|my (?:wife|husband|mother|father|mum|mom|dad|son|daughter|partner|sister|brother|boss|company)),|je m['’]appelle|mein name ist|hei(?:ß|ss)[et]|auf den namen|au nom de|a nombre de|a nome di|em nome de|s['’]appelle|\p{L}+ (?:named|namens|nommée?|llamad[oa]|chamad[oa])|["”»] (?:by|von|de|di)|(?:eu )?me (?:llamo|chamo)|chamo-me|se (?:llama|chama)|si chiama|mi nombre es|mi chiamo|meu nome é)\s+(?=\S)/giu;

/** Words that introduce a name only at the start of a sentence: elsewhere they may mean something else, as in "Ada, and I am married". */
const introduction = "(?:i['’]m|i am|im|this is|it['’]s|it is)\\s+(?=\\S)";
const introductionFirst = new RegExp(`(?:^|[.!;]\\s{1,9})${introduction}`, 'giu');
const introductionAbroad = /^(?:ich bin|je suis|(?:yo )?soy|(?:io )?sono|(?:eu )?sou)\s+(?=\S)/giu;
const introductionAnywhere = new RegExp(`[\\s,]${introduction}`, 'giu');

/** "My daughter Hannah." */
const relative =
  /(?<!\p{L})(?:[Mm]y|[Oo]ur) (?:little |older |younger |late )?(?:son|daughter|child|kid|boy|girl|wife|husband|mother|mum|mom|father|dad|partner|sister|brother|friend|boss|company) (\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,3})/u;

/** "Ada Lovelace here." */
const presented =
  /^(\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,3}) (?:here|speaking)(?=[.,;!]|$)/u;

/** Words that cannot begin a name after "I'm". */
const noName =
  listed(`a an the not no so very just here having looking trying calling writing sorry fine good well ok okay great doing
  from in at on afraid unable interested happy glad sad tired my your really still also about what that this it
  yes yeah yep nope sure maybe none nothing nobody help stop confused lost angry busy new done ready sick hungry stuck
  back broken urgent ridiculous stupid dark too all only out over under off because married single able unsure certain
  correct right wrong true false mistaken old years hello hi hey please thanks something someone somebody anybody
  his her their everything private secret why who how when where which more less better worse bad interested curious how she he they who`);

/** Words that no person's name contains. */
const neverInName =
  listed(`not no none nothing don't dont won't wont can't cant cannot isn't is are was were be the a an this that these those it
  its my your our you me i we us they what what's who why how when where which want need wish like please could would should will
  do does did have has had know tell say said give ask question problem issue help yes yeah yep nope nah ok okay sure
  maybe skip pass next stop hello hi hey thanks thank sorry some any because about broken secret private unknown
  anonymous hmm um uh er test robot bot human agent idk dunno huh pardon hm go away leave alone same as before nevermind never mind business name named called hallo greetings good morning evening afternoon`);

/** Whether the text cannot be a person's name: it asks, refuses, greets, is a number or an address, or is too long. */
export function isNoName(text: string): boolean {
  if (!/\p{L}/u.test(text) || /[\d@?/\\<>{}[\]|=]/u.test(text)) return true;
  const words = text.trim().split(/[\s,]+/u, longestName + 1);
  if (words.length > longestName || (words.length === 1 && readYesNo(text) !== undefined))
    return true;
  const isKitty =
    /^(?:hello|hi|hey|good) \p{Lu}\p{Ll}+$/iu.test(text) &&
    !isGreetingWord(words[1]) &&
    !neverInName.has(words[1]?.toLowerCase() ?? '');
  if (isKitty) return false;
  return words.some((word) => {
    const bare = word
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
    if (/^\p{L}{1,5}'(?:m|re|ve|ll|d)$/u.test(bare)) return true;
    // With a capital, "Will", "May" and "A. Smith" are names.
    return (
      neverInName.has(bare) &&
      !(/^\p{Lu}\p{Ll}+$/u.test(word) && mayBeNames.has(bare)) &&
      !/^\p{L}\.$/u.test(word)
    );
  });
}

const mayBeNames = listed('will my do an like art');

function isGreetingWord(word = ''): boolean {
  return /^(?:there|all|everyone|again|morning|evening|afternoon|day|you|folks|guys|team)$/iu.test(
    word,
  );
}

/** Words that end a name. */
const ends = listed(
  'and but or from with here i im my please because so who at in for by calling speaking btw thanks thank years',
);

const abbreviation = /^(?:dr|mr|mrs|ms|st|jr|sr|prof|\p{L})\.$/iu;
const longestName = 5;

/** The name in "Hi, my name is Ada and I have a question"; undefined when the text has no recognisable name. */
export function readName(answer: string): string | undefined {
  const text = excerpt(answer);
  return (
    relative.exec(text)?.[1] ??
    nameAfter(leadIn, text) ??
    nameAfter(introductionFirst, text) ??
    nameAfter(introductionAbroad, text) ??
    nameAfter(introductionAnywhere, text) ??
    nameFirst(text)
  );
}

/** The name in a text that was not the answer to a question: "my name is Ada", or "I'm Ada" with a capital letter. */
export function readIntroducedName(message: string): string | undefined {
  const text = withoutGreeting(excerpt(message));
  const named = nameAfter(leadIn, text);
  if (named !== undefined) return isNoName(named) ? undefined : named;
  const introduced =
    nameAfter(introductionFirst, text) ??
    nameAfter(introductionAnywhere, text) ??
    presented.exec(text)?.[1];
  const isCapital = introduced !== undefined && /^\p{Lu}/u.test(introduced);
  return isCapital && !isNoName(introduced) ? introduced : undefined;
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
  const all = text.split(/\s+/u);
  for (const [index, word] of all.entries()) {
    const bare = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    const joins = /^(?:e|y|et|und|i)$/u.test(word) && !/^\p{Lu}/u.test(all[index + 1] ?? '');
    const isVerb = words.length > 1 && /^\p{Lu}/u.test(words[0] ?? '') && /^\p{Ll}/u.test(word);
    if (
      isVerb &&
      !/-|^(?:v[ao]n|de[rnls]?|d[aiou]s?|l[ae]s?|el|al|bin|ibn|te[rn]|zu[rm]?|y|e|und)$/iu.test(
        word,
      )
    )
      break;
    if (joins || !/\p{L}/u.test(bare) || ends.has(bare) || /[\d@]/u.test(word)) break;
    if (words.length === 0 && (noName.has(bare) || isAdjective(word))) break;
    const goesOn = abbreviation.test(word) || !/[.,;:!?]$/u.test(word);
    const isInitials = /^(?:\p{L}\.){2,4}$/u.test(word);
    words.push(goesOn || isInitials ? word : word.replace(/[.,;:!?]{1,9}$/u, ''));
    if (!goesOn || words.length === longestName) break;
  }
  const name = words.join(' ');
  return name === '' ? undefined : name;
}

/** "I'm freezing", "I'm annoyed": an adjective and not a name. */
function isAdjective(word: string): boolean {
  return /^\p{Ll}{3,30}(?:ing|ed|ly|ous|ful|ible|able)[.,;:!?]{0,9}$/u.test(word);
}

/** "Maria, account 4711-B": the words before the first joint, if the whole text is not a name. */
function nameFirst(text: string): string | undefined {
  const at = text.search(
    /[,;!]\s|\s(?:and|but|so)\s|(?<!(?:^|\s)(?:dr|mr|mrs|ms|st|prof|\p{L}))\.\s/iu,
  );
  const name = text
    .slice(0, Math.max(0, at))
    .replace(/ (?:here|speaking)$/iu, '')
    .trim();
  const words = name.split(/\s+/u).filter((word) => !/^\p{Ll}{1,3}$|\.$/u.test(word));
  const isName = isNoName(text.trim()) && !isNoName(name) && !politeStart.test(name);
  return isName && words.length <= 3 ? name : undefined;
}

const politeStart =
  /^(?:nice|pleased|glad|good|great|thanks|thank|sure|ok|okay|yes|yeah|no|well|oh|hi|hello|hey|i['’]?m?|my|we|please|there)\b/iu;
